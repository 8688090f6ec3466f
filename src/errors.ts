/** The stable names of everything vouch can complain about. Each one has a heading in `docs/errors.md`. */
export type ErrorCode =
  | 'BODY_TOO_LARGE'
  | 'CLOCK_INVALID'
  | 'COLLECTION_UNKNOWN'
  | 'CURSOR_UNKNOWN'
  | 'FIXTURE_EXISTS'
  | 'FIXTURE_INVALID'
  | 'FIXTURE_UNREADABLE'
  | 'HANDLER_INVALID'
  | 'HINT_INVALID'
  | 'OPERATION_UNKNOWN'
  | 'OPTION_INVALID'
  | 'OVERLAY_INVALID'
  | 'PORT_TAKEN'
  | 'RECORDING_EXPIRED'
  | 'RECORDING_INVALID'
  | 'RECORDING_NOT_FOUND'
  | 'RECORDING_SECRET'
  | 'SCENARIO_INVALID'
  | 'SCENARIO_UNKNOWN'
  | 'SCENARIO_UNREADABLE'
  | 'SESSION_EXISTS'
  | 'SESSION_INVALID'
  | 'SESSION_LIMIT'
  | 'SESSION_TOKEN_TAKEN'
  | 'SESSION_UNKNOWN'
  | 'LISTEN_FAILED'
  | 'SNAPSHOT_UNKNOWN'
  | 'SPEC_INVALID'
  | 'SPEC_NOT_FOUND'
  | 'SPEC_UNREADABLE'
  | 'STATE_INVALID'
  | 'STATE_UNREADABLE'
  | 'VERIFY_FAILED'
  | 'WAIT_TIMEOUT';

/** A place in a file: line and column (both from 1) and a JSON pointer (RFC 6901). */
export interface Place {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly pointer?: string;
}

/** A mistake in how the mock is set up or used. Its `message` has all of it: `CODE  file:line:column  reason`, then the hint on a line. */
export class MockError extends Error {
  /** The code, described in docs/errors.md. */
  readonly code: ErrorCode;
  /** What is wrong, without code, place and hint. */
  readonly reason: string;
  /** Where the mistake is. */
  readonly at: Place | undefined;
  /** What to do next. */
  readonly hint: string | undefined;

  constructor(code: ErrorCode, reason: string, more: { at?: Place; hint?: string; cause?: unknown } = {}) {
    const { at, hint, cause } = more;
    super(formatMistake({ code, message: reason, at, hint }), cause === undefined ? undefined : { cause });
    this.name = 'MockError';
    this.code = code;
    this.reason = reason;
    this.at = at;
    this.hint = hint;
  }

  /** The message, without the name of the class. */
  override toString(): string {
    return this.message;
  }
}

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

/** How many letters two texts differ in (Levenshtein); given up, as `limit`, once it cannot be below `limit`. */
export function editDistance(a: string, b: string, limit: number = Infinity): number {
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
