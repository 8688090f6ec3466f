import { nearest } from '../../errors.js';
import type { Operation } from '../../contract/operations/operation.js';
import type { Answer } from '../../http/answer.js';
import type { AnswerSource, Exchange } from '../answer-source.js';
import { findResponse } from '../../http/declared.js';
import { chooseResponse, toStatus, type ResponseChoice } from '../choose-response.js';
import type { Preferences } from '../preferences.js';
import { readPreferences } from '../preferences.js';
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
