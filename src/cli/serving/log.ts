import { resolve } from 'node:path';
import { toDateTime } from '../../base/clock.js';
import { countOf, formatPlace, type MockError, type Place } from '../../base/errors.js';
import { type Interaction, type InteractionTexts, shortenUrl } from '../../journal/interaction.js';
import type { Violation } from '../../schema/violation.js';
import { colour, type Output, showPath } from '../output.js';
import type { MockReload } from '../../server/control/reloads.js';
import { readMonotonic, setTimeout } from '../../base/platform.js';

/** Flags that say what is logged. */
export interface LogFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly trace?: boolean;
  /** The trace, and each violation with its place in the document. */
  readonly verbose?: boolean;
}

/** How one interaction is logged. */
interface LogFormat {
  readonly trace: boolean;
  /** The places of violations; undefined if they are not logged. */
  readonly locate: ((pointer: string) => Place) | undefined;
}

/**
 * The options of a mock that log each interaction, and each request that could not be read, as one line; empty with `--quiet`.
 *
 * @param locate - Finds the place of a pointer in the document of the mock.
 */
export function logInteractions(
  { json, quiet, trace = false, verbose = false, write }: LogFlags & Pick<Output, 'write'>,
  locate: (pointer: string) => Place,
): {
  readonly onInteraction?: (interaction: Interaction, redact: () => InteractionTexts) => void;
  readonly onRefused?: (error: MockError, status: number) => void;
} {
  if (quiet === true) return {};
  const format = { trace: trace || verbose, locate: verbose ? locate : undefined };
  const toLine = json === true ? formatInteractionJson : formatInteraction;
  const add = collectLines(write);
  const formatError = json === true ? formatRefusedJson : formatRefused;
  return {
    onInteraction: (interaction, redact) => add(toLine(interaction, redact(), format)),
    onRefused: (error, status) => add(formatError(error, status)),
  };
}

/** How long a line waits for others, in milliseconds: a write to a pipe costs as much as the answer to a request. */
const LINES_MS = 10;

/** Writes lines together that come shortly after each other. */
function collectLines(write: Output['write']): (line: string) => void {
  let lines: string[] = [];
  const flush = (): void => {
    const text = lines.join('\n');
    lines = [];
    write(text);
  };
  return (line) => {
    // The timer keeps the process alive until the lines are written.
    if (lines.push(line) === 1) setTimeout(flush, LINES_MS);
  };
}

const STATUS_COLOURS: Readonly<Record<number, 'yellow' | 'red'>> = { 4: 'yellow', 5: 'red' };

/** Method, path, status, time, answer source and the violations, each with its place on a line of its own where that is logged. */
function formatInteraction(
  { request, answer, elapsedMs }: Interaction,
  texts: InteractionTexts,
  { trace: showsTrace, locate }: LogFormat,
): string {
  const parts = [
    request.method.padEnd(6),
    shortenUrl(texts.url),
    colour(STATUS_COLOURS[Math.floor(answer.status / 100)] ?? 'green', String(answer.status)),
    colour('gray', `${elapsedMs.toFixed(elapsedMs < 10 ? 1 : 0)}ms`),
    colour('gray', answer.from),
  ];
  const violations = texts.violations.map((violation) => {
    const { severity, code, message } = violation;
    const text = locate === undefined ? message : `${severity} ${code} ${message}`;
    const place = locate === undefined ? undefined : findPlace(violation, locate);
    const shown = colour(severity === 'error' ? 'yellow' : 'gray', text);
    return place === undefined ? shown : `${shown}  ${formatPlace(place)}`;
  });
  const trace = locate === undefined ? undefined : readTrace(request.headers);
  const more = [
    ...(trace === undefined ? [] : [colour('gray', `trace ${trace.traceId} span ${trace.spanId}`)]),
    ...(locate === undefined ? [] : violations),
    ...(showsTrace ? texts.trace : []).map((each) => colour('gray', each)),
  ];
  const reasons = violations.length > 0 || showsTrace ? violations : listFailures(answer, texts);
  const line = locate === undefined ? [...parts, reasons.join('; ')] : parts;
  return [line.join(' ').trimEnd(), ...more.map((each) => `       ${each}`)].join('\n');
}

/** Why the upstream did not answer; otherwise only the body of the answer says so. */
function listFailures({ status, from }: Interaction['answer'], { trace }: InteractionTexts): readonly string[] {
  if (status < 500 || from !== 'forward') return [];
  return trace.flatMap((line) => /^forward: (.* could not be reached: .*)/.exec(line)?.[1] ?? []);
}

/** The place in the document of the keyword that is violated. */
function findPlace({ schemaPointer }: Violation, locate: (pointer: string) => Place): Place | undefined {
  if (schemaPointer === undefined) return undefined;
  const place = locate(schemaPointer);
  return place.file === undefined ? place : { ...place, file: showPath(place.file) };
}

/** The version, the ids of the trace and of the calling span, and flags; a later version can have more parts. */
const TRACE_PARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;

/** The ids in the header `traceparent` (W3C Trace Context); undefined where it is missing or invalid. */
function readTrace(
  headers: Interaction['request']['headers'],
): { readonly traceId: string; readonly spanId: string } | undefined {
  const [, version, traceId, spanId, more] = TRACE_PARENT.exec(headers['traceparent'] ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || (version === '00' && more !== undefined)) return undefined;
  return { traceId, spanId };
}

/** Headers are left out because they carry credentials. */
function formatInteractionJson(
  interaction: Interaction,
  texts: InteractionTexts,
  { trace, locate }: LogFormat,
): string {
  const { request, answer } = interaction;
  return JSON.stringify({
    time: toDateTime(interaction.at),
    // When the request arrived; the time above is that of the mock, which is fixed by default.
    realTime: toDateTime(Math.round(Date.now() - (readMonotonic() - interaction.startedAt))),
    number: interaction.number,
    session: interaction.session,
    operation: interaction.operation ?? null,
    method: request.method,
    url: texts.url,
    ...readTrace(request.headers),
    status: answer.status,
    elapsedMs: Math.round(interaction.elapsedMs * 1000) / 1000,
    from: answer.from,
    violations: texts.violations.map((violation) => {
      const { schemaPointer: _schema, status: _status, challenge: _challenge, ...shown } = violation;
      return locate === undefined ? shown : { ...shown, at: findPlace(violation, locate) };
    }),
    ...(trace && { trace: texts.trace }),
  });
}

/** A request without method and path: `-      - 431 HEADERS_TOO_LARGE the request line and …; the option … raises the limit`. */
function formatRefused({ code, reason, hint = '' }: MockError, status: number): string {
  const text = colour('yellow', hint === '' ? reason : `${reason}; ${hint}`);
  return ['-'.padEnd(6), '-', colour('yellow', String(status)), colour('gray', code), text].join(' ');
}

function formatRefusedJson({ code, reason, hint }: MockError, status: number): string {
  const time = toDateTime(Date.now());
  return JSON.stringify({ time, realTime: time, status, code, message: reason, hint });
}

/** Lines below that of a reload. */
const MAX_NOTES = 10;

/** Prints what a reload did: the files that apply now, then each mistake and the files that have one. */
export function printReload(
  reload: MockReload,
  { json, write, writeError }: Output & { readonly json?: boolean },
): void {
  const { changed, applied, error, kept, invalid, notes, loaded, breaking } = reload;
  if (json === true) {
    const elapsedMs = Math.round(reload.elapsedMs);
    const done = { reloaded: applied, changed, loaded, kept, invalid, notes, breaking, elapsedMs };
    write(JSON.stringify({ ...done, error: error?.toString() ?? null }));
    return;
  }
  // What was reloaded first: what is printed last is what the user has to correct.
  if (applied) printReloaded(reload, write);
  if (error === undefined) return;
  writeError(colour('red', error.toString()));
  const isKept = !applied || kept.length > 0;
  const answers = isKept ? '; the last valid version answers until this is corrected' : '';
  write(colour('yellow', `not reloaded: ${describeFiles(applied ? invalid : changed)}${answers}`));
}

/** Prints the files that apply now, then the changes that break clients and what could not be kept. */
function printReloaded({ changed, invalid, notes, breaking, elapsedMs }: MockReload, write: Output['write']): void {
  const wrong = new Set(invalid.map((file) => resolve(file)));
  const others = changed.filter((file) => !wrong.has(resolve(file)));
  const word = breaking.length === 1 ? 'breaks' : 'break';
  const broken = breaking.length === 0 ? '' : `; ${countOf(breaking.length, 'change')} ${word} clients`;
  if (changed.length === 0 || others.length > 0)
    write(colour('gray', `reloaded ${describeFiles(others)} in ${Math.round(elapsedMs)} ms${broken}`));
  for (const lines of [breaking, notes]) {
    const hidden = lines.length - MAX_NOTES;
    const more = hidden > 0 ? [`… and ${hidden} more`] : [];
    for (const line of [...lines.slice(0, MAX_NOTES), ...more]) write(colour('yellow', `  ${line}`));
  }
}

function describeFiles(files: readonly string[]): string {
  return files.length === 0 ? 'all files' : files.map(showPath).join(', ');
}
