import { isObject } from '../../contract/json.js';
import { toPointer } from '../../contract/pointer.js';
import { listFields, readContentType } from '../../http/header-fields.js';
import { writeTarget } from '../../http/target.js';
import type { Cassette, StoredExchange } from '../cassette/cassette.js';
import { toDoubles, writeCanonical } from '../cassette/exact-json.js';
import { loadBody, readBody, writeBody } from '../cassette/recorded-body.js';

/** One exchange that came out differently. */
export interface RerunDifference {
  readonly exchange: StoredExchange;
  /** Each a sentence without its full stop. */
  readonly lines: readonly string[];
}

/** How a cassette is run again. */
interface RerunParts {
  /** Answers a request: a mock over the promoted fixtures. */
  fetch(request: Request): Promise<Response>;
  /** Whether an exchange makes an item, whose id and other values the server chooses. */
  creates(exchange: StoredExchange): boolean;
}

/**
 * Sends every recorded request to a mock, in order, and lists what it answers differently.
 *
 * What a server makes up for an item that is created (its id, secrets, timestamps) cannot be the same: it is learned from the
 * answer to the create, put into the requests that follow, and not compared.
 */
export async function rerun(cassette: Cassette, parts: RerunParts): Promise<readonly RerunDifference[]> {
  const made = new Map<string, string>();
  const placeholders = new Set(Object.keys(cassette.manifest.redacted));
  const differences: RerunDifference[] = [];
  for (const exchange of cassette.exchanges) {
    if (exchange.response === undefined) continue;
    const answer = await send(cassette, exchange, { made, parts });
    const recorded = {
      ...exchange.response,
      ...loadBody(cassette.folder, exchange.response, exchange.response.headers),
    };
    if (answer.status !== recorded.status) {
      const line = `the status was ${recorded.status} and is ${answer.status}`;
      differences.push({ exchange, lines: [line] });
      continue;
    }
    if (parts.creates(exchange)) learn(toDoubles(recorded.body), toDoubles(answer.body), made);
    const lines = compareAnswers(
      recorded,
      answer,
      (was, is) => made.get(toText(was)) === toText(is) || placeholders.has(toText(was)),
    );
    if (lines.length > 0) differences.push({ exchange, lines });
  }
  return differences;
}

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: unknown;
  readonly bodyText?: string | undefined;
  readonly bytes?: Uint8Array | undefined;
}

async function send(
  cassette: Cassette,
  { request }: StoredExchange,
  { made, parts }: { readonly made: ReadonlyMap<string, string>; readonly parts: RerunParts },
): Promise<Answered> {
  const translate = (text: string): string => {
    let translated = text;
    // Only what looks like an id: to put a timestamp or a word everywhere would spoil other values.
    for (const [was, is] of made) if (was.length >= 8) translated = translated.replaceAll(was, is);
    return translated;
  };
  const headers = new Headers(listFields(request.headers));
  const bytes = writeBody(cassette.folder, request, request.headers);
  const isText = request.body !== undefined || request.bodyText !== undefined;
  const body =
    bytes === undefined ? undefined : isText ? translate(Buffer.from(bytes).toString('utf8')) : Buffer.from(bytes);
  const bodiless = request.method === 'GET' || request.method === 'HEAD';
  const response = await parts.fetch(
    new Request(new URL(translate(writeTarget(request)), 'http://mock'), {
      method: request.method,
      headers,
      ...(body === undefined || bodiless ? {} : { body }),
    }),
  );
  const fields = Object.fromEntries(response.headers);
  const content = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, headers: fields, ...readBody(content, fields) };
}

/** Pairs of leaves of two bodies of one shape that differ: what the server made up. */
function learn(recorded: unknown, came: unknown, made: Map<string, string>): void {
  if (isObject(recorded) && isObject(came)) {
    for (const [name, value] of Object.entries(recorded)) learn(value, came[name], made);
  } else if (
    typeof recorded === typeof came &&
    recorded !== came &&
    recorded !== null &&
    came !== null &&
    typeof came !== 'object'
  ) {
    made.set(toText(recorded), toText(came));
  }
}

function compareAnswers(
  recorded: Answered,
  came: Answered,
  isMade: (was: unknown, is: unknown) => boolean,
): readonly string[] {
  const [was, is] = [readContentType(recorded.headers), readContentType(came.headers)];
  if (was !== is) return [`the media type was ${was ?? 'none'} and is ${is ?? 'none'}`];
  if (recorded.body !== undefined || came.body !== undefined) {
    const lines: string[] = [];
    compareValues(toDoubles(recorded.body), toDoubles(came.body), { pointer: '', lines, isMade });
    return lines;
  }
  return toBytes(recorded).equals(toBytes(came)) ? [] : ['the bytes of the body differ'];
}

function toBytes({ bodyText, bytes }: Answered): Buffer {
  return Buffer.from(bytes ?? Buffer.from(bodyText ?? ''));
}

interface Comparison {
  readonly pointer: string;
  readonly lines: string[];
  readonly isMade: (was: unknown, is: unknown) => boolean;
}

function compareValues(was: unknown, is: unknown, comparison: Comparison): void {
  const { pointer, lines, isMade } = comparison;
  if (isObject(was) && isObject(is)) {
    for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
      compareValues(was[name], is[name], { ...comparison, pointer: pointer + toPointer(name) });
    }
    return;
  }
  if (Array.isArray(was) && Array.isArray(is)) {
    if (was.length !== is.length) lines.push(`${pointer || 'the body'} had ${was.length} items and has ${is.length}`);
    else
      for (const [i, item] of was.entries())
        compareValues(item, is[i], { ...comparison, pointer: pointer + toPointer(i) });
    return;
  }
  if (writeCanonical(was ?? null) === writeCanonical(is ?? null) && (was === undefined) === (is === undefined)) return;
  if (is !== undefined && typeof was === typeof is && isMade(was, is)) return;
  lines.push(`${pointer || 'the body'} was ${toWords(was)} and is ${toWords(is)}`);
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

function toWords(value: unknown): string {
  const text = value === undefined ? 'not there' : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
