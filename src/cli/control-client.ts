import { URL } from 'node:url';
import type { Command } from 'commander';
import { isObject } from '../base/json.js';
import { ERROR_CODES, type ErrorCode, MockError } from '../base/errors.js';

/** Where a running mock is, and how a command gets access to it. */
export interface ControlFlags {
  /** The address of a running mock such as `http://127.0.0.1:4010`. */
  readonly url: string;
  /** Default: the default session. */
  readonly session?: string;
  /** Default: the environment variable VOUCH_CONTROL_TOKEN. */
  readonly controlToken?: string;
  /** Default `/__mock`. */
  readonly controlPrefix?: string;
}

/** Adds the argument `[url]` and the flags of a command that reads from a running mock. @param what - The part of a session that it reads. */
export function addControlFlags(command: Command, what: string): Command {
  return addControlOptions(command.argument('[url]', 'address of a running mock', 'http://127.0.0.1:4010'), what);
}

/** Adds only the flags. */
export function addControlOptions(command: Command, what: string): Command {
  return command
    .option('--session <id>', `session to ${what} (default: the default session)`)
    .option('--control-token <token>', 'token of the control API (default: $VOUCH_CONTROL_TOKEN)')
    .option('--control-prefix <path>', 'path prefix of the control API', '/__mock');
}

/** What a request to the control API sends; without it the request reads. */
interface Sent {
  readonly method: string;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/**
 * Sends a request to the control API of a running mock.
 *
 * @param path - The path below the prefix, with its query: `/state`.
 * @throws MockError with the code that the mock answers; `STATE_UNREADABLE` where there is no mock, or it refuses access.
 */
export async function requestControl(
  flags: ControlFlags,
  path: string,
  { method, body: sent }: Sent = { method: 'GET' },
): Promise<Readonly<Record<string, unknown>>> {
  const { session, controlPrefix = '/__mock' } = flags;
  const hint = 'start a mock with "vouch serve" and give its address, such as http://127.0.0.1:4010';
  if (!/^https?:/.test(flags.url) || !URL.canParse(flags.url)) {
    throw new MockError('OPTION_INVALID', `${JSON.stringify(flags.url)} is not the address of a mock`, { hint });
  }
  const url = new URL(`${controlPrefix}${path}`, flags.url);
  const token = flags.controlToken ?? process.env['VOUCH_CONTROL_TOKEN'];
  const headers = {
    ...(session === undefined ? {} : { 'x-mock-session': session }),
    ...(token === undefined ? {} : { 'x-mock-control-token': token }),
    ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const request = { method, headers, ...(sent !== undefined && { body: JSON.stringify(sent) }) };
  const response = await fetch(url, request).catch((cause: unknown) => {
    throw new MockError('STATE_UNREADABLE', `cannot connect to a mock at ${url.origin}`, { hint, cause });
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (isObject(body) && typeof body['detail'] === 'string') throw toRefusal(body, { url, hint });
  if (response.ok && isObject(body)) return body;
  const message = `${url.href} answered ${response.status}, but not with the state of a mock`;
  throw new MockError('STATE_UNREADABLE', message, { hint });
}

/** The error that a mock answered as problem details. */
function toRefusal(problem: Readonly<Record<string, unknown>>, { url, hint }: { url: URL; hint: string }): MockError {
  const { status, code, detail } = problem;
  const given = typeof problem['hint'] === 'string' ? problem['hint'] : hint;
  if (isErrorCode(code)) return new MockError(code, String(detail), { hint: given });
  return new MockError('STATE_UNREADABLE', `the mock at ${url.origin} refused the request: ${String(detail)}`, {
    hint: status === 401 ? 'set VOUCH_CONTROL_TOKEN to the token the mock was started with' : given,
  });
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERROR_CODES, code);
}
