import { URLSearchParams } from 'node:url';
import { isToken } from '../../contract/operations/parameter.js';
import { suggest } from '../../base/errors.js';
import type { Answer } from '../../http/answer.js';
import { findResponse, listExampleNames, listMedia, toStatus } from '../../contract/operations/responses.js';
import { isJsonType } from '../../contract/media-type.js';
import type { Call } from '../../http/request/call.js';
import { toViolationsHeader } from '../../schema/violation.js';
import { readStatusTitle } from '../../http/response/problem.js';
import { splitList } from '../../http/text.js';
import type { AnswerSource, Exchange } from '../chain.js';
import { chooseResponse, hasExample, type ResponseChoice } from '../choose-response.js';
import { createDeclaredHeaders } from '../declared-headers.js';
import { createExampleAnswer, type ExampleParts } from './example.js';
import { createGenerateAnswer, readContext } from './generate.js';

/**
 * Answers as one request prefers: `Prefer: code=404, example=name, dynamic=true, seed=7` (RFC 7240), or `?__code=404` and so
 * on. An unknown preference is a 400 that lists the known ones, so that a test notices.
 */
export function createPreferSource(answerPreferred: PreferAnswer): AnswerSource {
  return {
    name: 'prefer',
    answer: (exchange, next) => {
      const answer = answerPreferred(exchange);
      if (answer !== undefined) return answer;
      exchange.note('prefer: the request has no preference');
      return next(exchange);
    },
  };
}

/**
 * Answers a call as its preferences say; undefined where it has none.
 *
 * @param refused - Whether the call is refused, so that only the preference of an error is followed.
 */
export type PreferAnswer = (exchange: Exchange, refused?: boolean) => Answer | undefined;

/** Creates a function that answers as one request prefers. */
export function createPreferAnswer(parts: ExampleParts): PreferAnswer {
  const answerExample = createExampleAnswer(parts);
  const generate = createGenerateAnswer(parts);
  const answerError = createErrorAnswer(parts);

  const answerPreference = (exchange: Exchange, preferences: Preferences): Answer => {
    const { operation } = exchange.call;
    const { code, example = '', applied } = preferences;
    const [invalid] = preferences.invalid;
    if (invalid !== undefined) return refuse(parts, exchange, `Prefer: ${invalid} is not a valid preference`);
    if (code !== undefined && findResponse(operation, code) === undefined) {
      const declared = operation.responses.map(({ status }) => status).join(', ') || 'no responses';
      return refuse(parts, exchange, `${operation.id} declares no status ${code}; it declares ${declared}`);
    }
    const choice = choose(exchange, preferences);
    if (choice === undefined) {
      const names = listExampleNames(listMedia(operation, code));
      const list = names.length === 0 ? 'it has no named examples' : `it has ${names.join(', ')}`;
      const facts = [`${operation.id} has no example "${example}"`, list, suggest(example, names) ?? []].flat();
      return refuse(parts, exchange, facts.join('; '));
    }
    exchange.note(`prefer: answered as the request prefers: ${applied}`);
    const answer = make(exchange, choice, preferences);
    return { ...answer, headers: { ...answer.headers, 'preference-applied': applied } };
  };

  const make = (exchange: Exchange, choice: ResponseChoice, { dynamic, seed, example }: Preferences): Answer => {
    if (dynamic || (seed !== undefined && example === undefined)) return generate(exchange, choice, { seed });
    const isWritten = example !== undefined || choice.response?.status === String(choice.status);
    const found = isWritten || choice.status < 400 ? answerExample(exchange, choice, example) : undefined;
    if (found !== undefined) return found;
    if (choice.status >= 400 && example === undefined && isJsonType(choice.mediaType ?? ''))
      return answerError(exchange, choice);
    const hint = choice.media?.examples.find(({ name }) => name === example)?.value;
    if (example !== undefined)
      exchange.note(`prefer: example "${example}" breaks its schema: its valid parts were kept`);
    return generate(exchange, choice, { seed, hint });
  };

  return (exchange, refused = false) => {
    const preferences = readPreferences(exchange.call);
    if (preferences === undefined || !refused) return preferences && answerPreference(exchange, preferences);
    const { invalid, code = 400 } = preferences;
    if (invalid.length > 0 || code < 400) return undefined;
    const choice = choose(exchange, preferences);
    const isError = choice?.response !== undefined && choice.status >= 400;
    return isError ? answerPreference(exchange, preferences) : undefined;
  };
}

/** Creates the function that answers errors as the mock itself would, with the headers that the contract declares for it. */
function createErrorAnswer(parts: ExampleParts): (exchange: Exchange, choice: ResponseChoice) => Answer {
  const writeHeaders = createDeclaredHeaders(parts.generator, parts.validators);
  return (exchange, { status, response }) => {
    const isOwn = response?.status === String(status);
    const message = (isOwn ? response.description?.trim() : undefined) || readStatusTitle(status);
    const about = { status, message, from: 'prefer', hasFixedStatus: true };
    const answer = parts.errors.answer(exchange.call.operation, about);
    const fields = response === undefined ? {} : writeHeaders(response, readContext(exchange), answer.headers);
    return { ...answer, headers: { ...fields, ...answer.headers } };
  };
}

/** The response with the preferred status or example; undefined if no response has that example. */
function choose({ call }: Exchange, preferences: Preferences): ResponseChoice | undefined {
  const accept = call.accept;
  const { code, example } = preferences;
  const plain = chooseResponse(call.operation, accept, code);
  if (example === undefined) return plain ?? { ...NO_RESPONSE, status: code ?? 204 };
  if (plain !== undefined && hasExample(plain.media, example)) return plain;
  const others = code === undefined ? call.operation.responses : plain?.response === undefined ? [] : [plain.response];
  for (const response of others) {
    const media = response.content.find((each) => hasExample(each, example));
    if (media === undefined) continue;
    const status = code ?? toStatus(response.status);
    const choice = chooseResponse(call.operation, accept, status);
    return { status, response, media, mediaType: media.type, acceptable: choice?.acceptable ?? true };
  }
  return undefined;
}

const NO_RESPONSE = { response: undefined, media: undefined, mediaType: undefined, acceptable: true } as const;

function refuse(parts: ExampleParts, { call, note }: Exchange, message: string): Answer {
  note(`prefer: ${message}`);
  const about = { status: 400, code: 'preference_unknown', param: 'prefer', message: `${message}.` };
  const own = { severity: 'error', in: 'header', pointer: '/prefer', by: 'client', message } as const;
  // The errors of a contract may have no place for a sentence.
  const headers = { 'x-mock-violations': toViolationsHeader([{ ...own, code: 'PREFERENCE_UNKNOWN' }]) };
  return parts.errors.answer(call.operation, { ...about, headers });
}

/** The preferences of a request, from `Prefer` (RFC 7240) or from query parameters such as `?__code=`. */
interface Preferences {
  /** The status. */
  readonly code: number | undefined;
  /** The name of an example. */
  readonly example: string | undefined;
  /** Whether the body is generated although there are examples. */
  readonly dynamic: boolean;
  /** The seed of generated values, instead of the session's. */
  readonly seed: number | undefined;
  /** The value of `Preference-Applied`. */
  readonly applied: string;
  /** Invalid ones, as `name=value`. */
  readonly invalid: readonly string[];
}

const NAMES = ['code', 'example', 'dynamic', 'seed'] as const;

/** The preferences of a call; undefined without any of these. Other preferences are ignored. */
function readPreferences(call: Call): Preferences | undefined {
  const header = call.headers.get('prefer');
  const query = call.url.includes('__') ? /\?(.*)/.exec(call.url)?.[1] : undefined;
  if (header === null && query === undefined) return undefined;
  const values = new Map<string, string>();
  const fields = new URLSearchParams(query);
  for (const name of NAMES) {
    const value = fields.get(`__${name}`);
    if (value !== null) values.set(name, value);
  }
  // The header wins over the query, which may come with a copied link.
  for (const [name, value] of parsePrefer(header ?? '')) values.set(name, value);
  return toPreferences(values);
}

/** The preferences of a `Prefer` header by name in lower case; the first of several with one name counts (RFC 7240 section 2). */
export function parsePrefer(header: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const preference of splitList(header, ',')) {
    // Parameters follow a semicolon; none of our preferences has any.
    const [pair = ''] = splitList(preference, ';');
    const equals = pair.indexOf('=');
    const key = (equals === -1 ? pair : pair.slice(0, equals)).trim().toLowerCase();
    if (!isToken(key) || values.has(key)) continue;
    values.set(key, equals === -1 ? '' : readWord(pair.slice(equals + 1).trim()));
  }
  return values;
}

/** A token, or the content of a quoted string. */
function readWord(text: string): string {
  return text.startsWith('"') ? text.replace(/^"|"$/g, '').replaceAll(/\\(.)/g, '$1') : text;
}

function toPreferences(values: ReadonlyMap<string, string>): Preferences | undefined {
  const present = NAMES.filter((name) => values.has(name));
  if (present.length === 0) return undefined;
  const invalid: string[] = [];
  const read = <Value>(name: string, parse: (text: string) => Value | undefined): Value | undefined => {
    const text = values.get(name);
    if (text === undefined) return undefined;
    const value = parse(text);
    if (value === undefined) invalid.push(`${name}=${text}`);
    return value;
  };
  return {
    // An interim status (1xx) does not answer a request (RFC 9110 section 15.2).
    code: read('code', (text) => (/^[2-5]\d\d$/.test(text) ? Number(text) : undefined)),
    example: values.get('example'),
    dynamic: read('dynamic', readFlag) ?? false,
    seed: read('seed', (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : undefined)),
    applied: present.map((name) => writePreference(name, values.get(name) ?? '')).join(', '),
    invalid,
  };
}

/** A preference without a value is true (RFC 7240 section 2). */
function readFlag(text: string): boolean | undefined {
  if (text === '' || text === 'true' || text === '1') return true;
  return text === 'false' || text === '0' ? false : undefined;
}

function writePreference(name: string, value: string): string {
  if (value === '') return name;
  return `${name}=${/^[\w.-]+$/.test(value) ? value : `"${value.replaceAll(/["\\]/g, '\\$&')}"`}`;
}
