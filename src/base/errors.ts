import { isError } from './platform.js';

/** The meaning of each error code in one sentence. */
export const ERROR_CODES = {
  BODY_TOO_LARGE: 'A request body is larger than the limit; the client gets 413 Content Too Large.',
  CLOCK_INVALID: 'The value is not a date and time, and not "real".',
  COLLECTION_UNKNOWN: 'The contract has no collection of that name; "vouch resources" lists the collections.',
  COVERAGE_UNREADABLE: 'A folder has no coverage files, or one of them cannot be read.',
  DOCUMENTS_CONFLICT: 'Two documents that are served together have the same paths.',
  EXPECTATION_FAILED: 'The mock did not receive the calls that the test expects.',
  FILE_EXISTS: 'A file that "vouch init" or "vouch import" writes already exists; no file was written.',
  FIXTURE_EXISTS: 'A fixture file already exists; no file was written.',
  FIXTURE_INVALID:
    'A fixture is neither YAML nor JSON, does not match its schema, has an unknown property, repeats an id, or refers to a parent or a file that does not exist.',
  CONTRACT_BROKEN: 'A checked request or response does not match the document.',
  FIXTURE_UNREADABLE: 'The folder of fixtures, or a file in it, cannot be read.',
  HANDLER_INVALID: 'A handler is not a function, or its name is not an operation of the contract.',
  HEADERS_TOO_LARGE: 'The header fields of a request are larger than the limit; the client gets 431.',
  HINT_INVALID: 'An x-mock hint has the wrong form, or refers to something that does not exist.',
  IMPORT_UNREADABLE: 'The file or folder of another mock server cannot be read, or its format is not known.',
  INTERACTION_UNKNOWN: 'The journal of the session has no interaction with that number.',
  INTERACTION_UNREPEATABLE:
    'The body of a recorded request cannot be written again, so the request cannot be sent again.',
  INTERCEPTOR_MISSING: 'The package @mswjs/interceptors, which mock.intercept needs, is not installed.',
  JOURNAL_UNREADABLE: 'A file of a journal cannot be read, or a line of it is not an interaction.',
  LISTEN_FAILED: 'The server cannot listen on that host and port, for example because the port requires privileges.',
  NODE_UNSUPPORTED: 'The installed version of Node.js is older than 20.19.',
  OPERATION_UNKNOWN: 'The contract has no operation of that name.',
  OPTION_INVALID: 'An option has an invalid name or value.',
  ORIGIN_INTERCEPTED: 'Requests to the origin are already intercepted, by this mock or another one.',
  ORIGIN_UNKNOWN:
    'A URL that is fetched from the mock is on a public host that the servers of the document do not name.',
  OVERLAY_INVALID: 'An overlay is not a valid Overlay 1.0 document, or one of its targets is not valid JSONPath.',
  PORT_TAKEN: 'Another process listens on that port; --port 0 picks a free port.',
  RECORDING_EXPIRED: 'A cassette is older than its maximum age; record it again.',
  RECORDING_FAILED:
    'An exchange could not be recorded, for example because the disk is full; the client got its answer.',
  RECORDING_INVALID: 'A file of a cassette was edited or truncated and is not valid.',
  RECORDING_LOCKED: 'Another process records to the same cassette.',
  RECORDING_NOT_FOUND: 'There is no cassette of that name.',
  RECORDING_SECRET: 'A possible secret was left after redaction, so the exchange was not saved.',
  RECORDING_UNWRITABLE: 'The folder of the recordings is not a folder, or cannot be written to.',
  RELOAD_FAILED: 'Edited files cannot be applied while the mock runs, for a reason that is in none of them.',
  REQUEST_MALFORMED: 'What a client sent is not a valid HTTP request; it gets 400.',
  REQUEST_TIMEOUT: 'A request did not arrive in time; the client gets 408 Request Timeout.',
  REQUEST_UNHANDLED: 'No mock intercepts a request, and onUnhandledRequest is "error" or "warn".',
  SCENARIO_INVALID:
    'A scenario refers to something the contract does not have, or violates the contract without "violates".',
  SCENARIO_UNKNOWN: 'There is no scenario of that name.',
  SCENARIO_UNREADABLE: 'A scenario file is neither YAML nor JSON, or is empty.',
  SERVICE_UNREACHABLE: 'The service that is verified cannot be reached.',
  SESSION_EXISTS: 'A session with that id is already open.',
  SESSION_INVALID: 'The id of a session is too long or contains invalid characters, or one of its tokens is empty.',
  SESSION_LIMIT: 'The maximum number of sessions is open.',
  SESSION_TOKEN_TAKEN: 'The token already belongs to another session.',
  SESSION_UNKNOWN: 'No session with that id is open.',
  SNAPSHOT_UNKNOWN: 'The session has no snapshot of that name.',
  SPEC_INVALID: 'The file is YAML or JSON but not a supported OpenAPI document, or it exceeds a limit.',
  SPEC_NOT_FOUND: 'There is no document at that path or URL.',
  SPEC_UNREADABLE: 'The document exists but cannot be read.',
  STATE_INVALID: 'An item does not match the schema of its collection, or refers to a parent that does not exist.',
  STATE_LIMIT: 'The state of a session, or of all sessions together, would have too many items or bytes.',
  STATE_UNWRITABLE: 'The file that keeps the items cannot be written; they are kept in memory.',
  STATE_UNREADABLE: 'There is no mock at that address, or it has no state.',
  STORE_CLIENT_MISSING: 'A store on Redis needs the package redis or ioredis, and neither is installed.',
  STORE_INCOMPATIBLE: 'The keys in Redis were written by another version of vouch, or by a mock of another document.',
  STORE_UNREACHABLE: 'Redis cannot be reached, refuses the connection, or does not answer in time.',
  TYPESCRIPT_UNSUPPORTED: 'The installed version of Node.js does not load TypeScript modules.',
  VERIFY_FAILED: 'Expected calls did not come, or calls violated the contract.',
  WAIT_TIMEOUT: 'The expected call did not come in time.',
};

/** The code of an error; `docs/errors.md` has a heading for each. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** A place in a file: line and column (both from 1) and a JSON pointer (RFC 6901). */
export interface Place {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly pointer?: string;
}

/** Marks errors of every copy of this package. */
const IS_MOCK_ERROR = Symbol.for('vouch.MockError');

/**
 * A mistake in how the mock is set up or used. Its `message` has all of it: `CODE  file:line:column  reason`, then the hint on a line. The
 * fields are not enumerable, so that test runners and the console print each part once.
 */
export class MockError extends Error {
  /** The code, described in docs/errors.md. */
  declare readonly code: ErrorCode;
  /** The problem, without code, place and hint. */
  declare readonly reason: string;
  /** Where the mistake is. */
  declare readonly at: Place | undefined;
  /** The suggested fix. */
  declare readonly hint: string | undefined;

  // A process can load this package twice, as ES modules and as CommonJS: `instanceof` recognizes the errors of both.
  static {
    Object.defineProperty(MockError.prototype, IS_MOCK_ERROR, { value: true });
    Object.defineProperty(MockError, Symbol.hasInstance, {
      value(this: unknown, value: object | undefined): boolean {
        if (this !== MockError) return Function.prototype[Symbol.hasInstance].call(this as () => unknown, value);
        return typeof value === 'object' && value !== null && IS_MOCK_ERROR in value;
      },
    });
  }

  constructor(code: ErrorCode, given: string, more: { at?: Place; hint?: string; cause?: unknown } = {}) {
    const { at, cause } = more;
    const reason = cutQuotes(given);
    const hint = more.hint === undefined ? undefined : cutQuotes(more.hint);
    const limit = deepenStack();
    super(formatMistake({ code, message: reason, at, hint }), cause === undefined ? undefined : { cause });
    Reflect.set(Error, 'stackTraceLimit', limit);
    const fields = { name: 'MockError', code, reason, at, hint };
    for (const [name, value] of Object.entries(fields)) Object.defineProperty(this, name, { value });
  }

  /** The fields without the message, which is made of them. */
  toJSON(): object {
    const { name, code, reason, at, hint } = this;
    return { name, code, reason, at, hint };
  }

  /** The message, without the name of the class. */
  override toString(): string {
    return this.message;
  }
}

/** Lets the next error show more calls than by default: the call of the test is below the calls of this package. @returns the limit before. */
function deepenStack(): number {
  const limit = Error.stackTraceLimit;
  // A process can forbid changes of `Error`; one that wants no calls at all gets none.
  if (limit === DEFAULT_STACK) Reflect.set(Error, 'stackTraceLimit', 5 * DEFAULT_STACK);
  return limit;
}

/** How many calls V8 shows by default. */
const DEFAULT_STACK = 10;

/** Thrown where a value would take too much work to check. A check reports it as `TOO_COSTLY`; elsewhere the request fails with it. */
export class LimitError extends Error {}

/** How many characters a message quotes of one value. */
const MAX_QUOTED = 200;

/** A message whose quoted values are cut: clients send names and values of any length. */
function cutQuotes(message: string): string {
  if (message.length <= MAX_QUOTED) return message;
  return message.replaceAll(/"((?:[^"\\]|\\.)*)"/gs, (whole, quoted: string) =>
    quoted.length <= MAX_QUOTED ? whole : `"${quoted.slice(0, MAX_QUOTED)}…" (${quoted.length} characters)`,
  );
}

/** A message of limited length, whose quoted values are cut. */
export function cutMessage(message: string): string {
  return cutCountedText(cutQuotes(message), MAX_MESSAGE);
}

/** Characters of a message about a request. */
const MAX_MESSAGE = 2000;

/** A mistake as text: `CODE  file:line:column (#pointer)  message`, then the hint on a line of its own. */
export function formatMistake(mistake: {
  readonly code: string;
  readonly message: string;
  readonly at?: Place | undefined;
  readonly hint?: string | undefined;
}): string {
  const place = mistake.at === undefined ? '' : formatPlace(mistake.at);
  const first = [mistake.code, place, mistake.message].filter((part) => part !== '').join('  ');
  return mistake.hint === undefined ? first : `${first}\n  hint: ${mistake.hint}`;
}

/** `file:line:column (pointer)`, each part only where it is known. */
export function formatPlace(place: Place): string {
  const line = place.line === undefined ? '' : `:${place.line}${place.column === undefined ? '' : `:${place.column}`}`;
  const file = place.file === undefined ? '' : `${place.file}${line}`;
  if (place.pointer === undefined || place.pointer === '') return file;
  return file === '' ? `#${place.pointer}` : `${file} (#${place.pointer})`;
}

/** The candidate closest to what was given, or undefined where none is close enough to be what was meant. */
export function nearest(given: string, candidates: Iterable<string>): string | undefined {
  // Of two short words, every one is within two letters of every other.
  if (given.length < 3) return undefined;
  const wanted = given.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(given.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** `did you mean "x"?` with the closest candidate; undefined where none is close. */
export function suggest(given: string, candidates: Iterable<string>): string | undefined {
  const meant = nearest(given, candidates);
  return meant === undefined ? undefined : `did you mean ${JSON.stringify(meant)}?`;
}

/** As `suggest` for the id of an item; else the ids that exist. */
export function suggestId(given: string, ids: readonly string[]): string {
  const known = ids.length === 0 ? 'it has no items' : `its ids are ${ids.slice(0, 12).join(', ')}`;
  return suggest(given, ids) ?? known;
}

/**
 * Refuses options that do not exist: a program without types may pass anything, and a misspelt option must not change what a check means.
 *
 * @throws MockError `OPTION_INVALID`.
 */
export function requireOptions(what: string, given: object, known: readonly string[]): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const hint = suggest(unknown, known) ?? `the options are ${known.join(', ')}`;
  throw new MockError('OPTION_INVALID', `${what} has no option "${unknown}"`, { hint });
}

/** `a, b or c`. */
export function joinWords(words: readonly (string | number)[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${String(words.at(-1))}`;
}

/** `1 error`, `2 errors`, `2 properties`. */
export function countOf(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`;
  return `${count} ${noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`}`;
}

/** How many letters two texts differ in (Levenshtein); given up, as `limit`, once it cannot be below `limit`. */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, swap));
    }
    if (Math.min(...row) >= limit) return limit;
    previous = row;
  }
  return previous[b.length] ?? limit;
}

/** The message of a thrown value, as text; code of the user can throw any value. */
export function toReason(error: unknown): string {
  try {
    const message: unknown = isError(error) ? error.message : error;
    return String(message);
  } catch {
    return 'a value without text';
  }
}

/** The first characters of a string in a message. */
export function cutText(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}

/** The first characters of a string in a message, and how many it has. */
export function cutCountedText(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}… (${text.length} characters)`;
}
