import type { Command } from 'commander';
import { PROBLEM_CODES } from '../../contract/contract.js';
import { type ErrorCode, nearest } from '../../errors.js';
import { VIOLATION_CODES } from '../../schema/violation.js';
import type { Output } from '../output.js';

/** What each code of a mistake in setting a mock up means, in one line; `docs/errors.md` says more. */
export const ERROR_MEANINGS: Readonly<Record<ErrorCode, string>> = {
  BODY_TOO_LARGE: 'A request body is larger than the limit; the client gets a 413.',
  CLOCK_INVALID: 'What was given is no point in time, nor "real".',
  COLLECTION_UNKNOWN: 'A collection is named that the contract does not have; "vouch resources" lists those it has.',
  CURSOR_UNKNOWN: 'A list was asked to go on from an item that it does not have.',
  FIXTURE_EXISTS: 'A file of fixtures would have been written over; nothing was written.',
  FIXTURE_INVALID: 'A fixture breaks the schema of its items, has the id of another, or a parent that does not exist.',
  FIXTURE_UNREADABLE: 'A fixture file is neither YAML nor JSON, or a file that it names cannot be read.',
  HANDLER_INVALID: 'A handler stands under a name that is no operation of the contract, or is no function.',
  HINT_INVALID: 'An x-mock hint names something that is not there, or is not of its form.',
  LISTEN_FAILED: 'The server could not listen: a foreign host name, or a port that needs more rights.',
  OPERATION_UNKNOWN: 'An operation is named that the contract does not have.',
  OPTION_INVALID: 'An option has a value it cannot have.',
  OVERLAY_INVALID: 'An overlay is no Overlay 1.0 document, or one of its targets is no JSONPath.',
  PORT_TAKEN: 'Another process listens on that port; --port 0 takes any free one.',
  RECORDING_EXPIRED: 'A cassette is older than it may be; record it again.',
  RECORDING_INVALID: 'A file of a cassette was edited or cut off and is no recording any more.',
  RECORDING_MISS: 'Requests had no recording, in a replay that allows none to miss.',
  RECORDING_NOT_FOUND: 'There is no cassette of that name.',
  RECORDING_SECRET: 'Something like a secret was left after redaction, so the exchange was not written.',
  SCENARIO_INVALID: 'A scenario names what the contract does not have, or answers off contract without saying so.',
  SCENARIO_UNKNOWN: 'No scenario of that name was loaded.',
  SCENARIO_UNREADABLE: 'A scenario file is neither YAML nor JSON, or is empty.',
  SESSION_EXISTS: 'A session of that id is already open.',
  SESSION_INVALID: 'The id of a session has characters it cannot have, is too long, or has an empty token.',
  SESSION_LIMIT: 'More sessions are open than are allowed.',
  SESSION_TOKEN_TAKEN: 'A token means one session, and this one means another already.',
  SESSION_UNKNOWN: 'A session is named that nobody opened.',
  SNAPSHOT_UNKNOWN: 'A session has no snapshot of that name.',
  SPEC_INVALID: 'The file is YAML or JSON and no OpenAPI document that can be served, or beyond the limits.',
  SPEC_NOT_FOUND: 'There is no file, folder or address of that name.',
  SPEC_UNREADABLE: 'The file is there, and cannot be read.',
  STATE_INVALID: 'An item breaks the schema of its collection, or belongs to a parent that is not there.',
  STATE_UNREADABLE: 'There is no mock at that address, or one that keeps no state.',
  VERIFY_FAILED: 'Calls that were expected did not come, or came with departures from the contract.',
  WAIT_TIMEOUT: 'The call a test waited for did not come in time.',
};

/** The kinds of codes, and the page of the documentation that describes each. */
const KINDS: readonly (readonly [title: string, page: string, codes: Readonly<Record<string, string>>])[] = [
  ['violations of the contract by a request or response', 'docs/violations.md', VIOLATION_CODES],
  ['problems of an OpenAPI document, which is served all the same', 'docs/documents.md', PROBLEM_CODES],
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
