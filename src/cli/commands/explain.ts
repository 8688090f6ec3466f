import type { Command } from 'commander';
import { PROBLEM_CODES } from '../../contract/contract.js';
import { type ErrorCode, nearest } from '../../errors.js';
import { VIOLATION_CODES } from '../../schema/violation.js';
import type { Output } from '../output.js';

/** The meaning of each error code in one sentence; `docs/errors.md` gives details. */
const ERROR_MEANINGS: Readonly<Record<ErrorCode, string>> = {
  BODY_TOO_LARGE: 'A request body is larger than the limit; the client gets 413 Content Too Large.',
  CLOCK_INVALID: 'The value is not a date and time, and not "real".',
  COLLECTION_UNKNOWN: 'The contract has no collection of that name; "vouch resources" lists the collections.',
  CURSOR_UNKNOWN: 'A list was requested from an item that it does not contain.',
  FIXTURE_EXISTS: 'A fixture file already exists; no file was written.',
  FIXTURE_INVALID: 'A fixture does not match its schema, repeats an id, or refers to a parent that does not exist.',
  FIXTURE_UNREADABLE: 'A fixture file is neither YAML nor JSON, or a file that it refers to cannot be read.',
  HANDLER_INVALID: 'A handler is not a function, or its name is not an operation of the contract.',
  HINT_INVALID: 'An x-mock hint has the wrong form, or refers to something that does not exist.',
  LISTEN_FAILED: 'The server cannot listen on that host and port, for example because the port requires privileges.',
  OPERATION_UNKNOWN: 'The contract has no operation of that name.',
  OPTION_INVALID: 'An option has an invalid name or value.',
  OVERLAY_INVALID: 'An overlay is not a valid Overlay 1.0 document, or one of its targets is not valid JSONPath.',
  PORT_TAKEN: 'Another process listens on that port; --port 0 picks a free port.',
  RECORDING_EXPIRED: 'A cassette is older than its maximum age; record it again.',
  RECORDING_INVALID: 'A file of a cassette was edited or truncated and is not valid.',
  RECORDING_NOT_FOUND: 'There is no cassette of that name.',
  RECORDING_SECRET: 'A possible secret was left after redaction, so the exchange was not saved.',
  SCENARIO_INVALID:
    'A scenario refers to something the contract does not have, or violates the contract without "violates".',
  SCENARIO_UNKNOWN: 'There is no scenario of that name.',
  SCENARIO_UNREADABLE: 'A scenario file is neither YAML nor JSON, or is empty.',
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
  STATE_UNREADABLE: 'There is no mock at that address, or it has no state.',
  VERIFY_FAILED: 'Expected calls did not come, or calls violated the contract.',
  WAIT_TIMEOUT: 'The expected call did not come in time.',
};

/** The kinds of codes, and the page of the documentation that describes each. */
const KINDS: readonly (readonly [title: string, page: string, codes: Readonly<Record<string, string>>])[] = [
  ['violations of the contract by a request or response', 'docs/violations.md', VIOLATION_CODES],
  ['problems of an OpenAPI document that do not prevent serving it', 'docs/documents.md', PROBLEM_CODES],
  ['errors', 'docs/errors.md', ERROR_MEANINGS],
];

/** Options of `vouch explain`. */
export interface ExplainOptions extends Output {
  /** Default: list all codes. */
  readonly code?: string | undefined;
}

/** Defines `vouch explain`. */
export function defineCommand(command: Command, output: Output): void {
  command.argument('[code]', 'a code such as REQUIRED (default: list all)').action((code: string | undefined) => {
    process.exitCode = runExplain({ code, ...output });
  });
}

/** `vouch explain`: prints what a code means. @returns the exit code: 1 if no such code exists, otherwise 0. */
export function runExplain({ code: given, write, writeError }: ExplainOptions): number {
  if (given === undefined) {
    for (const [title, page, codes] of KINDS) {
      write(`${title} (${page})`);
      for (const [code, meaning] of Object.entries(codes)) write(`  ${code.padEnd(26)} ${meaning}`);
    }
    return 0;
  }
  const code = given.toUpperCase().replaceAll('-', '_');
  const known = KINDS.filter(([, , codes]) => Object.hasOwn(codes, code));
  for (const [, page, codes] of known) write(`${code}\n  ${codes[code] ?? ''}\n  more: ${page}`);
  if (known.length > 0) return 0;
  const allCodes = KINDS.flatMap(([, , codes]) => Object.keys(codes));
  const close = nearest(code, allCodes);
  writeError(`unknown code "${given}"`);
  writeError(close === undefined ? '  hint: "vouch explain" lists all codes' : `  hint: did you mean "${close}"?`);
  return 1;
}
