import { readParam } from '../../../answer/error-body.js';
import type { ErrorCondition } from '../../../conventions/error-conditions.js';
import { readCondition } from '../../../http/response/error-conditions.js';
import { writeTarget } from '../../../http/target.js';
import type { Violation } from '../../../schema/violation.js';
import type { Cassette, StoredExchange } from '../cassette/cassette.js';
import { toDoubles } from '../../../base/exact-json.js';
import { listDifferences, toShortText } from '../cassette/canonical.js';
import type { RecordedBody, RecordedResponse } from '../cassette/exchange.js';
import { loadBody, readBody, toJson, toRequest, writeBody } from '../cassette/recorded-body.js';
import { compareHeads } from '../drift/drift.js';
import { readLocated } from './promote.js';
import { isTime } from '../matching/volatile.js';

/** A recorded exchange that a mock answers differently. */
export interface RerunDifference {
  readonly exchange: StoredExchange;
  /** The status of the mock. */
  readonly status: number;
  /** Why the mock refused the request; undefined if it did not. */
  readonly refusal: Refusal | undefined;
  /** One for each difference. */
  readonly lines: readonly string[];
}

/** Why a mock refuses a request. */
export interface Refusal {
  readonly condition: ErrorCondition;
  /** The parameter or property at fault. */
  readonly param: string | undefined;
}

interface RerunParts {
  /** A mock with the promoted fixtures. */
  fetch(request: Request): Promise<Response>;
  /** Whether an exchange creates an item, whose id and other values the server generates. */
  creates(exchange: StoredExchange): boolean;
}

/**
 * Sends every recorded request to a mock, in order, and lists the differences between the answers.
 *
 * Values that a server generates for a created item (its id, secrets, timestamps) are not compared: the rerun learns them from
 * the answer to the create and replaces them in the requests that follow.
 */
export async function rerun(
  cassette: Cassette,
  parts: RerunParts & {
    /** What the mock found wrong with the last request. */
    findViolation(): Violation | undefined;
  },
): Promise<readonly RerunDifference[]> {
  const generated = new Map<string, string>();
  const placeholders = new Set(Object.keys(cassette.manifest.redacted));
  const differences: RerunDifference[] = [];
  for await (const { exchange, recorded, answer, change } of resend(cassette, { ...parts, generated })) {
    const isGenerated = (was: unknown, is: unknown): boolean =>
      generated.get(toText(was)) === toText(is) || placeholders.has(toText(was)) || isSameMoment(was, is);
    const lines = change === undefined ? compareBodies(recorded, answer, isGenerated) : [change.message];
    const { status } = answer;
    const refusal = status < 400 ? undefined : toRefusal(status, parts.findViolation());
    if (lines.length > 0) differences.push({ exchange, status, refusal, lines });
  }
  return differences;
}

function toRefusal(status: number, violation: Violation | undefined): Refusal {
  const condition = readCondition({ status, violation });
  const isNamed = violation !== undefined && (status === 400 || status === 422);
  return { condition, param: isNamed ? readParam(violation.pointer) : undefined };
}

/** A recorded exchange, and the answer that its request gets now. */
interface Resent {
  readonly exchange: StoredExchange;
  readonly recorded: RecordedResponse;
  readonly answer: RecordedResponse;
  readonly change: ReturnType<typeof compareHeads>;
}

/**
 * Sends the requests of a cassette again, in order, with the ids that the answers to creates have now.
 *
 * @param parts - `generated` gets the recorded values that the server generates, with those that it generated now.
 */
export async function* resend(
  cassette: Cassette,
  { generated, ...parts }: RerunParts & { readonly generated: Map<string, string> },
): AsyncGenerator<Resent> {
  for (const exchange of cassette.exchanges) {
    if (exchange.response === undefined) continue;
    const answer = await send(cassette, exchange, { generated, parts });
    const recorded = { ...exchange.response, ...loadBody(cassette.folder, exchange.response) };
    const change = compareHeads(recorded, answer);
    if (change?.kind !== 'status' && recorded.status < 300 && parts.creates(exchange)) {
      const sent = JSON.stringify(toDoubles(exchange.request.body ?? null));
      const { path } = exchange.request;
      const read = (from: RecordedResponse): object => ({
        body: toDoubles(toJson(from)),
        located: readLocated(path, from.headers),
      });
      learn(read(recorded), read(answer), { generated, sent });
    }
    yield { exchange, recorded, answer, change };
  }
}

async function send(
  cassette: Cassette,
  { request }: StoredExchange,
  { generated, parts }: { readonly generated: ReadonlyMap<string, string>; readonly parts: RerunParts },
): Promise<RecordedResponse> {
  // Only values that look like ids: replacing a timestamp or a word everywhere would change other values.
  const ids = [...generated].filter(([was]) => was.length >= 8);
  const translate = (text: string): string =>
    ids.reduce((translated, [was, is]) => translated.replaceAll(was, is), text);
  const bytes = writeBody(cassette.folder, request);
  const isText = request.body !== undefined || request.bodyText !== undefined;
  const body = bytes !== undefined && isText ? translate(Buffer.from(bytes).toString('utf8')) : bytes;
  const response = await parts.fetch(toRequest(request, translate(writeTarget(request)), body));
  const headers = Object.fromEntries(response.headers);
  const content = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, headers, ...readBody(content, headers) };
}

/** Learns the values that the server generated from the answers to a create: the members that differ in value only. */
function learn(
  recorded: unknown,
  received: unknown,
  { generated, sent }: { readonly generated: Map<string, string>; readonly sent: string },
): void {
  for (const { one, other } of listDifferences(recorded, received, Array.isArray)) {
    const isScalar = one !== null && typeof one !== 'object';
    // An id that the client has chosen is not generated.
    const isSent = typeof one === 'string' && sent.includes(JSON.stringify(one));
    if (isScalar && !isSent && typeof one === typeof other) generated.set(toText(one), toText(other));
  }
}

function compareBodies(
  recorded: RecordedResponse,
  received: RecordedResponse,
  isGenerated: (was: unknown, is: unknown) => boolean,
): readonly string[] {
  const [was, is] = [toJson(recorded), toJson(received)];
  if (was === undefined && is === undefined) {
    return toBytes(recorded).equals(toBytes(received)) ? [] : ['the bytes of the body differ'];
  }
  const isResized = (one: object, other: object): boolean =>
    Array.isArray(one) && Array.isArray(other) && one.length !== other.length;
  const differences = listDifferences(toDoubles(was), toDoubles(is), isResized);
  return differences.flatMap(({ pointer, one, other }) => {
    const place = pointer === '' ? 'the body' : pointer;
    if (Array.isArray(one) && Array.isArray(other)) return [`${place} had ${one.length} items and has ${other.length}`];
    if (other !== undefined && typeof one === typeof other && isGenerated(one, other)) return [];
    const why = explain(one, other);
    const line = `${place} was ${toShortText(one) ?? 'missing'} and is ${toShortText(other) ?? 'missing'}`;
    return [why === undefined ? line : `${line} (${why})`];
  });
}

/** Whether both values are the same time of a server, read from a clock that is a little different. */
function isSameMoment(one: unknown, other: unknown): boolean {
  if (!isTime(one) || !isTime(other)) return false;
  const [was, is] = [one, other].map((value) =>
    typeof value === 'number' ? value * (value < 1e11 ? 1000 : 1) : Date.parse(String(value)),
  );
  return Math.abs((was ?? 0) - (is ?? 0)) <= CLOCK_MS;
}

/** How much the clocks of a server and of its recorder can differ, with the time that the rerun takes. */
const CLOCK_MS = 60_000;

/** Why two values differ; undefined if that is not known. */
function explain(one: unknown, other: unknown): string | undefined {
  if (other === undefined) return 'no request and no default has it';
  if (!isTime(one) || !isTime(other)) return undefined;
  const isSame = typeof one === 'string' && typeof other === 'string' && Date.parse(one) === Date.parse(other);
  return isSame ? 'the same time' : 'a time that the server chose';
}

function toBytes({ bodyText, bytes }: RecordedBody): Buffer {
  return Buffer.from(bytes ?? Buffer.from(bodyText ?? ''));
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
