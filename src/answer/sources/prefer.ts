import type { Operation } from '../../contract/operations/operation.js';
import { nearest } from '../../errors.js';
import type { Answer } from '../../http/answer.js';
import { findResponse, toStatus } from '../../contract/operations/responses.js';
import type { Call } from '../../http/request/call.js';
import { splitList } from '../../http/text.js';
import type { AnswerSource, Exchange } from '../chain.js';
import { chooseResponse, type ResponseChoice } from '../choose-response.js';
import { createExampleAnswer, type ExampleAnswer, type ExampleParts } from './example.js';
import { createGenerateAnswer, type GenerateAnswer } from './generate.js';

interface Makers {
  readonly parts: ExampleParts;
  readonly example: ExampleAnswer;
  readonly generate: GenerateAnswer;
}

/**
 * Answers as the client prefers: `Prefer: code=404, example=name, dynamic=true, seed=7` (RFC 7240), or `?__code=404` and so
 * on; a preference that cannot be met is refused with a list of what there is, since silence would make a test lie.
 */
export function createPreferSource(parts: ExampleParts): AnswerSource {
  const makers: Makers = { parts, example: createExampleAnswer(parts), generate: createGenerateAnswer(parts) };
  return {
    name: 'prefer',
    answer: (exchange, next) => {
      const preferences = readPreferences(exchange.call);
      return preferences === undefined ? next() : answerPreference(makers, exchange, preferences);
    },
  };
}

function answerPreference(makers: Makers, exchange: Exchange, wish: Preferences): Answer | undefined {
  const { operation } = exchange.call;
  const [senseless] = wish.senseless;
  if (senseless !== undefined) return refuse(makers, exchange, `Prefer: ${senseless} has no meaning here`);
  if (wish.code !== undefined && findResponse(operation, wish.code) === undefined) {
    const declared = operation.responses.map(({ status }) => status).join(', ') || 'no response at all';
    return refuse(makers, exchange, `${operation.id} declares no status ${wish.code}; it declares ${declared}`);
  }
  const choice = choose(exchange, wish);
  if (choice === undefined) {
    const names = listExamples(operation, wish.code);
    const close = nearest(wish.example ?? '', names);
    const list = names.length === 0 ? 'it has none with a name' : `it has ${names.join(', ')}`;
    const hint = close === undefined ? '' : `; did you mean "${close}"?`;
    return refuse(makers, exchange, `${operation.id} has no example "${wish.example ?? ''}"; ${list}${hint}`);
  }
  const answer = make(makers, exchange, { choice, wish });
  return { ...answer, headers: { ...answer.headers, 'preference-applied': wish.applied } };
}

function make(
  { example, generate }: Makers,
  exchange: Exchange,
  { choice, wish }: { readonly choice: ResponseChoice; readonly wish: Preferences },
): Answer {
  if (wish.dynamic || (wish.seed !== undefined && wish.example === undefined)) {
    return generate(exchange, choice, { seed: wish.seed });
  }
  const found = example(exchange, choice, wish.example);
  if (found !== undefined) return found;
  const hint = choice.media?.examples.find(({ name }) => name === wish.example)?.value;
  if (wish.example !== undefined)
    exchange.note(`example "${wish.example}" breaks its schema: what fits of it was kept`);
  return generate(exchange, choice, { seed: wish.seed, hint });
}

/** The response of the status wished for, or the one that has the example wished for; undefined where no such example is. */
function choose({ call }: Exchange, wish: Preferences): ResponseChoice | undefined {
  const accept = call.headers.get('accept');
  const plain = chooseResponse(call.operation, { status: wish.code, accept });
  if (wish.example === undefined) return plain ?? { ...NO_RESPONSE, status: wish.code ?? 204 };
  if (plain !== undefined && hasExample(plain, wish.example)) return plain;
  const others =
    wish.code === undefined ? call.operation.responses : plain?.response === undefined ? [] : [plain.response];
  for (const response of others) {
    const media = response.content.find(({ examples }) => examples.some(({ name }) => name === wish.example));
    if (media === undefined) continue;
    const status = wish.code ?? toStatus(response.status);
    const choice = chooseResponse(call.operation, { status, accept });
    return { status, response, media, mediaType: media.type, acceptable: choice?.acceptable ?? true };
  }
  return undefined;
}

const NO_RESPONSE = { response: undefined, media: undefined, mediaType: undefined, acceptable: true } as const;

function hasExample({ media }: ResponseChoice, wanted: string): boolean {
  return media?.examples.some(({ name }) => name === wanted) ?? false;
}

function listExamples(operation: Operation, code: number | undefined): readonly string[] {
  const responses = code === undefined ? operation.responses : [findResponse(operation, code)];
  const names = responses.flatMap((response) => response?.content.flatMap(({ examples }) => examples) ?? []);
  return [...new Set(names.map(({ name }) => name).filter((name) => name !== ''))];
}

function refuse({ parts }: Makers, { call }: Exchange, message: string): Answer {
  return parts.errors.answer(call.operation, {
    status: 400,
    message: `${message}.`,
    code: 'preference_unknown',
    param: 'prefer',
  });
}

/** What a client wishes of an answer, by `Prefer` (RFC 7240) or by `?__code=` and its like. */
interface Preferences {
  /** The status. */
  readonly code: number | undefined;
  /** The name of an example. */
  readonly example: string | undefined;
  /** Whether the body is to be generated although there are examples. */
  readonly dynamic: boolean;
  /** Makes generated values other ones. */
  readonly seed: number | undefined;
  /** What `Preference-Applied` says. */
  readonly applied: string;
  /** Values that mean nothing, as `name=value`. */
  readonly senseless: readonly string[];
}

const NAMES = ['code', 'example', 'dynamic', 'seed'] as const;

/** The wishes of a call; undefined where it has none of these. Other preferences are left to whom they concern. */
function readPreferences(call: Call): Preferences | undefined {
  const header = call.headers.get('prefer');
  const query = call.url.includes('__') ? call.url.slice(call.url.indexOf('?') + 1) : undefined;
  if (header === null && query === undefined) return undefined;
  const wishes = new Map<string, string>();
  if (query !== undefined && call.url.includes('?')) {
    const fields = new URLSearchParams(query);
    for (const name of NAMES) {
      const value = fields.get(`__${name}`);
      if (value !== null) wishes.set(name, value);
    }
  }
  // A header is written on purpose, a query may come with a copied link: the header wins.
  for (const [name, value] of parsePrefer(header ?? '')) wishes.set(name, value);
  return toPreferences(wishes);
}

/** The preferences of a `Prefer` header, names in lower case; of a repeated one the first counts (RFC 7240 section 2). */
export function parsePrefer(header: string): ReadonlyMap<string, string> {
  const wishes = new Map<string, string>();
  for (const preference of splitList(header, ',')) {
    // What follows a semicolon are parameters of the preference, and none of ours has any.
    const [wish = ''] = splitList(preference, ';');
    const equals = wish.indexOf('=');
    const key = (equals === -1 ? wish : wish.slice(0, equals)).trim().toLowerCase();
    if (!TOKEN.test(key) || wishes.has(key)) continue;
    wishes.set(key, equals === -1 ? '' : readWord(wish.slice(equals + 1).trim()));
  }
  return wishes;
}

/** RFC 9110 section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^`|~\w-]+$/;

/** A token, or what a quoted string holds. */
function readWord(text: string): string {
  return text.startsWith('"') ? text.replace(/^"|"$/g, '').replaceAll(/\\(.)/g, '$1') : text;
}

function toPreferences(wishes: ReadonlyMap<string, string>): Preferences | undefined {
  const present = NAMES.filter((name) => wishes.has(name));
  if (present.length === 0) return undefined;
  const senseless: string[] = [];
  const read = <Value>(name: string, parse: (text: string) => Value | undefined): Value | undefined => {
    const text = wishes.get(name);
    if (text === undefined) return undefined;
    const value = parse(text);
    if (value === undefined) senseless.push(`${name}=${text}`);
    return value;
  };
  return {
    code: read('code', (text) => (/^[1-5]\d\d$/.test(text) ? Number(text) : undefined)),
    example: wishes.get('example'),
    dynamic: read('dynamic', readFlag) ?? false,
    seed: read('seed', (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : undefined)),
    applied: present.map((name) => writeWish(name, wishes.get(name) ?? '')).join(', '),
    senseless,
  };
}

/** A preference without a value is one that is wished for (RFC 7240 section 2). */
function readFlag(text: string): boolean | undefined {
  if (text === '' || text === 'true' || text === '1') return true;
  return text === 'false' || text === '0' ? false : undefined;
}

function writeWish(name: string, value: string): string {
  if (value === '') return name;
  return `${name}=${/^[\w.-]+$/.test(value) ? value : `"${value.replaceAll(/["\\]/g, '\\$&')}"`}`;
}
