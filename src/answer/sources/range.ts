import { createHash } from 'node:crypto';
import type { DeclaredResponse, Operation } from '../../contract/operations/operation.js';
import { findResponse } from '../../contract/operations/responses.js';
import type { Answer } from '../../http/answer.js';
import { isCovered, isJsonType, isXmlType, toEssence } from '../../contract/media-type.js';
import { memoize } from '../../base/memoize.js';
import { isBytes } from '../../base/platform.js';
import { type AnswerSource, type Exchange, type SourceParts, whenSettled } from '../chain.js';

/** The parts of an operation that declare ranges. */
interface RangePlan {
  /** The response for a part of the body: 206 or `2XX`. */
  readonly partial: DeclaredResponse;
  /** Whether several ranges can be answered, as `multipart/byteranges`. */
  readonly takesSeveral: boolean;
  /** Whether 416 is declared; without it the whole body is sent (RFC 9110 14.2 allows that). */
  readonly refuses: boolean;
}

/** The first and the last byte, both inclusive. */
type Span = readonly [first: number, last: number];

/** More ranges are ignored (RFC 9110 14.2). */
const MAX_RANGES = 50;

/** Whether an operation of a contract answers ranges; without one the source is not needed. */
export function answersRanges(operations: readonly Operation[]): boolean {
  return operations.some((operation) => planRanges(operation) !== undefined);
}

/**
 * Answers a part of a body (RFC 9110 section 14) where the operation declares 206 or `2XX`; the answers of all other operations stay whole, which a
 * server may always send.
 */
export function createRangeSource({ errors }: Pick<SourceParts, 'errors'>): AnswerSource {
  const find = memoize(planRanges);
  const cut = (answer: Answer | undefined, { exchange, plan }: { exchange: Exchange; plan: RangePlan }) => {
    const bytes = answer && readBytes(answer, plan);
    if (answer === undefined || bytes === undefined) return answer;
    const whole = { ...answer, headers: { ...answer.headers, 'accept-ranges': 'bytes' } };
    const { headers, operation } = exchange.call;
    const field = headers.get('range');
    // RFC 9110 14.2: ranges are defined for GET only, and a request for HEAD has the header fields of the whole.
    if (field === null || exchange.request.method !== 'GET' || !isCurrent(answer, headers.get('if-range')))
      return whole;
    const spans = readRanges(field, bytes.length);
    if (spans === undefined) return whole;
    if (spans.length === 0) {
      exchange.note(`range: none of "${field}" is in the ${bytes.length} bytes of the body`);
      if (!plan.refuses) return whole;
      const range = { 'content-range': `bytes */${bytes.length}` };
      const message = `the range "${field}" is not in the ${bytes.length} bytes of the body`;
      return errors.answer(operation, {
        status: 416,
        message,
        headers: range,
        from: answer.from,
        detail: answer.detail,
        hasFixedStatus: true,
      });
    }
    if (spans.length > 1 && !plan.takesSeveral) return whole;
    exchange.note(`range: ${field} of ${bytes.length} bytes`);
    return { ...whole, status: 206, checked: undefined, ...writeParts(whole, bytes, spans) };
  };
  return {
    name: 'range',
    answer: (exchange, next) => {
      const plan = find(exchange.call.operation);
      return plan === undefined ? next(exchange) : whenSettled(next(exchange), cut, { exchange, plan });
    },
  };
}

function planRanges(operation: Operation): RangePlan | undefined {
  const partial = operation.method === 'GET' ? findResponse(operation, 206) : undefined;
  // `default` describes errors in nearly every document.
  if (partial === undefined || partial.status === 'default') return undefined;
  const takesSeveral = partial.content.some(({ type }) => toEssence(type) === 'multipart/byteranges');
  return { partial, takesSeveral, refuses: findResponse(operation, 416) !== undefined };
}

/** The bytes of a body that can be sent in parts: of a success, and not of JSON or XML, whose parts fit no schema. */
function readBytes(
  { status, body, mediaType, fault, violates }: Answer,
  { partial }: RangePlan,
): Uint8Array | undefined {
  if (status !== 200 || mediaType === undefined || fault !== undefined || violates !== undefined) return undefined;
  if (isJsonType(mediaType) || isXmlType(mediaType)) return undefined;
  const essence = toEssence(mediaType);
  const isDeclared =
    partial.content.length === 0 || partial.content.some(({ type }) => isCovered(essence, toEssence(type)));
  if (!isDeclared) return undefined;
  return typeof body === 'string' ? Buffer.from(body) : isBytes(body) ? body : undefined;
}

/** RFC 9110 13.1.5: the ranges are for the body that the client knows; a weak tag never says that. */
function isCurrent({ headers }: Answer, condition: string | null): boolean {
  if (condition === null) return true;
  if (condition.includes('"')) return !condition.startsWith('W/') && condition === headers['etag'];
  return condition === headers['last-modified'];
}

/** The ranges inside of a body, joined where they overlap; undefined for a field that is ignored. */
function readRanges(field: string, length: number): readonly Span[] | undefined {
  const [, list] = /^bytes=(.*)$/i.exec(field.trim()) ?? [];
  const texts = list?.split(',').map((text) => text.trim()) ?? [];
  if (texts.length === 0 || texts.length > MAX_RANGES) return undefined;
  const spans: Span[] = [];
  for (const text of texts) {
    const [, first = '', last = ''] = /^(\d*)-(\d*)$/.exec(text) ?? [];
    if (first === '' && last === '') return undefined;
    if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
    const span: Span =
      first === ''
        ? [Math.max(0, length - Number(last)), length - 1]
        : [Number(first), Math.min(length - 1, last === '' ? Infinity : Number(last))];
    if (span[0] <= span[1]) spans.push(span);
  }
  return joinSpans(spans);
}

/** RFC 9110 15.3.7.2: ranges that overlap or touch are sent as one. */
function joinSpans(spans: readonly Span[]): readonly Span[] {
  const joined: Span[] = [];
  for (const span of spans) {
    const index = joined.findIndex(([first, last]) => span[0] <= last + 1 && first <= span[1] + 1);
    const other = joined[index];
    if (other === undefined) joined.push(span);
    else joined[index] = [Math.min(other[0], span[0]), Math.max(other[1], span[1])];
  }
  return joined.length === spans.length ? joined : joinSpans(joined);
}

function writeParts(
  { headers, mediaType }: Answer,
  bytes: Uint8Array,
  spans: readonly Span[],
): Pick<Answer, 'headers' | 'body' | 'mediaType'> {
  const describe = ([first, last]: Span): string => `bytes ${first}-${last}/${bytes.length}`;
  const [only] = spans;
  if (only !== undefined && spans.length === 1) {
    const body = new Uint8Array(bytes.subarray(only[0], only[1] + 1));
    return { headers: { ...headers, 'content-range': describe(only) }, body, mediaType };
  }
  // The digest of the body is not in the body.
  const boundary = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
  const parts = spans.flatMap((span) => [
    Buffer.from(`--${boundary}\r\nContent-Type: ${mediaType ?? ''}\r\nContent-Range: ${describe(span)}\r\n\r\n`),
    bytes.subarray(span[0], span[1] + 1),
    Buffer.from('\r\n'),
  ]);
  const body = new Uint8Array(Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]));
  return { headers, body, mediaType: `multipart/byteranges; boundary=${boundary}` };
}
