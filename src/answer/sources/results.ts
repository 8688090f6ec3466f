import { means } from '../../conventions/conventions.js';
import { isObject } from '../../base/json.js';
import type { Operation } from '../../contract/operations/operation.js';
import { findSuccessMedia } from '../../contract/operations/responses.js';
import type { Answer } from '../../http/answer.js';
import { isJsonType } from '../../contract/media-type.js';
import { memoize } from '../../base/memoize.js';
import { createRandom } from '../../base/random.js';
import {
  createSchemaReader,
  type PropertyView,
  listBranches,
  type ReadSchema,
} from '../../contract/schema-view/schema-view.js';
import { toSingular } from '../../conventions/names.js';
import { toBareName } from '../../base/names.js';
import { type AnswerSource, type Exchange, isOwnSource, type SourceParts, whenSettled } from '../chain.js';
import { readContext } from './generate.js';

/** How the results of an operation follow from its request. */
interface ResultsPlan {
  /** The list of results in the answer. */
  readonly list: string;
  /** Pointer to the schema of one result. */
  readonly element: string;
  /** Whether a result has its place in the list as `index`. */
  readonly hasIndex: boolean;
  /** The properties of a result that are lists of numbers. */
  readonly vectors: readonly string[];
  /** The property that says how many results each input has, with its default. */
  readonly count: { readonly name: string; readonly otherwise: number } | undefined;
  /** The property that is one input, or a list of several. */
  readonly input: string | undefined;
  /** The property that asks for lists of numbers as base64. */
  readonly encoding: string | undefined;
  /** The property that says how long lists of numbers are. */
  readonly dimensions: string | undefined;
}

/** At most this many results. */
const MAX_RESULTS = 2048;

/**
 * Gives an answer as many results as the request asks for: `n` of each input, one for each of several inputs, as base64 where the request says so.
 */
export function createResultsSource(parts: SourceParts): AnswerSource {
  const read = createSchemaReader(parts.contract);
  const find = memoize((operation: Operation) => planResults(parts, read, operation));
  const adapt = (answer: Answer | undefined, { exchange, plan }: { exchange: Exchange; plan: ResultsPlan }) =>
    answer && adaptAnswer(parts, answer, { exchange, plan });
  return {
    name: 'results',
    answer: (exchange, next) => {
      const { operation, body } = exchange.call;
      const plan = operation.method === 'POST' && isObject(body) ? find(operation) : undefined;
      return plan === undefined ? next(exchange) : whenSettled(next(exchange), adapt, { exchange, plan });
    },
  };
}

function planResults({ contract }: SourceParts, read: ReadSchema, operation: Operation): ResultsPlan | undefined {
  const media = findSuccessMedia(operation);
  const content = operation.body?.content.find(({ type }) => isJsonType(type));
  if (media === undefined || !isJsonType(media.type) || content === undefined) return undefined;
  const listOf = (pointer: string): readonly PropertyView[] => Array.from(read(pointer)?.members.values() ?? []);
  const lists = listOf(media.schemaPointer).flatMap(({ name, target, required }) => {
    const element = required ? read(target)?.element : undefined;
    return element === undefined || listOf(element).length === 0 ? [] : [{ name, element }];
  });
  const [list, ...others] = lists;
  if (list === undefined || others.length > 0) return undefined;
  const sent = listOf(content.schemaPointer);
  const isInteger = ({ schema }: PropertyView): boolean => [schema.type].flat().includes('integer');
  const counted = sent.find((property) => {
    const bare = toBareName(property.name);
    const own = [`num${toBareName(list.name)}`, `${toSingular(toBareName(list.name))}count`];
    return isInteger(property) && (means(bare, 'queries.results') || own.includes(bare));
  });
  const input = sent.find(
    ({ required, pointer }) =>
      required && [pointer, ...listBranches(contract, pointer)].some((each) => isInputs(read, each)),
  );
  const elements = listOf(list.element);
  const vectors = elements.filter(({ target }) => read(read(target)?.element ?? '')?.type === 'number');
  const encoding = sent.find(({ schema }) => {
    const values = schema.enum?.map(String) ?? [];
    return values.includes('base64') && values.some((value) => means(value, 'streams.numbers'));
  });
  if (counted === undefined && input === undefined) return undefined;
  return {
    list: list.name,
    element: list.element,
    hasIndex: elements.some((property) => property.name === 'index' && isInteger(property)),
    vectors: vectors.map(({ name }) => name),
    count: counted && { name: counted.name, otherwise: Number(counted.schema.default ?? 1) },
    input: input?.name,
    encoding: vectors.length > 0 ? encoding?.name : undefined,
    dimensions: sent.find(
      (property) => isInteger(property) && /^(output)?dimension(s|ality)?$/.test(toBareName(property.name)),
    )?.name,
  };
}

/** Whether a schema is a list of strings or of lists of numbers: several inputs. */
function isInputs(read: ReadSchema, pointer: string): boolean {
  const items = read(pointer)?.element;
  const type = items === undefined ? undefined : read(items)?.type;
  return type === 'string' || type === 'array';
}

function adaptAnswer(
  parts: SourceParts,
  answer: Answer,
  { exchange, plan }: { readonly exchange: Exchange; readonly plan: ResultsPlan },
): Answer {
  const { body, status, mediaType, from } = answer;
  const { call } = exchange;
  const sent = isObject(call.body) ? call.body : {};
  const list = isObject(body) ? body[plan.list] : undefined;
  const isOurs = isOwnSource(from) && status < 300 && mediaType !== undefined && isJsonType(mediaType);
  // A stored item shows as many results as it has, unless it is the answer of its own request.
  if (
    !isOurs ||
    !isObject(body) ||
    !Array.isArray(list) ||
    (from === 'state' && call.operation.streaming === undefined)
  )
    return answer;
  const input = plan.input === undefined ? undefined : sent[plan.input];
  // A list of numbers is one input of tokens.
  const inputs = Array.isArray(input) && typeof input[0] !== 'number' ? input.length : 1;
  const asked = plan.count === undefined ? 1 : Number(sent[plan.count.name] ?? plan.count.otherwise);
  const length = Math.min(MAX_RESULTS, inputs * asked);
  const context = readContext(exchange);
  const dimensions = plan.dimensions === undefined ? undefined : sent[plan.dimensions];
  const isEncoded = plan.encoding !== undefined && sent[plan.encoding] === 'base64';
  const first: unknown = list[0];
  const results = Array.from({ length }, (_, i): unknown => {
    const key = `${context.key}\nresult ${i}`;
    const own: unknown = list[i] ?? parts.generator.value(plan.element, { ...context, key, index: i });
    if (!isObject(own)) return own;
    const vectors = plan.vectors.map((name) => {
      const known = isObject(first) ? first[name] : undefined;
      const size = Number(dimensions ?? (Array.isArray(known) ? known.length : 0));
      const vector = toVector(own[name], { size, seed: context.seed, key: `${key}\n${name}` });
      return [name, isEncoded ? toBase64(vector) : vector] as const;
    });
    return Object.assign({}, own, Object.fromEntries(vectors), plan.hasIndex ? { index: i } : {});
  });
  const changed = { ...answer, body: { ...body, [plan.list]: results } };
  if (!isEncoded) return changed;
  const check = parts.validators.check(plan.element, 'response');
  const violates = results.every((each) => check(each, 'body').length === 0) ? undefined : `${plan.encoding} is base64`;
  return { ...changed, violates: answer.violates ?? violates };
}

/** A list of numbers of a length: its own numbers, then others between -1 and 1. */
function toVector(
  own: unknown,
  { size, seed, key }: { readonly size: number; readonly seed: number; readonly key: string },
): readonly number[] {
  const given = Array.isArray(own) ? own.map(Number) : [];
  const random = createRandom(seed, key);
  return Array.from({ length: size }, (_, i) => given[i] ?? Math.round((random.next() * 2 - 1) * 1e6) / 1e6);
}

/** Numbers as 32-bit floats in little-endian order, in base64. */
function toBase64(numbers: readonly number[]): string {
  const bytes = Buffer.alloc(numbers.length * 4);
  for (const [i, number] of numbers.entries()) bytes.writeFloatLE(number, i * 4);
  return bytes.toString('base64');
}
