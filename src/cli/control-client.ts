import { URL } from 'node:url';
import type { Command } from 'commander';
import { isObject } from '../base/json.js';
import { MockError } from '../base/errors.js';

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

/**
 * Reads from the control API of a running mock.
 *
 * @param path - The path below the prefix, with its query: `/state`.
 * @throws MockError `STATE_UNREADABLE` where there is no mock, or it refuses the request.
 */
export async function readControl(flags: ControlFlags, path: string): Promise<Readonly<Record<string, unknown>>> {
  const { session, controlPrefix = '/__mock' } = flags;
  const url = new URL(`${controlPrefix}${path}`, flags.url);
  const hint = 'start a mock with "vouch serve" and give its address, such as http://127.0.0.1:4010';
  const token = flags.controlToken ?? process.env['VOUCH_CONTROL_TOKEN'];
  const headers = {
    ...(session === undefined ? {} : { 'x-mock-session': session }),
    ...(token === undefined ? {} : { 'x-mock-control-token': token }),
  };
  const response = await fetch(url, { headers }).catch((cause: unknown) => {
    throw new MockError('STATE_UNREADABLE', `cannot connect to a mock at ${url.origin}`, { hint, cause });
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (isObject(body) && typeof body['detail'] === 'string') {
    const given = typeof body['hint'] === 'string' ? body['hint'] : hint;
    throw new MockError('STATE_UNREADABLE', `the mock at ${url.origin} refused the request: ${body['detail']}`, {
      hint: response.status === 401 ? 'set VOUCH_CONTROL_TOKEN to the token the mock was started with' : given,
    });
  }
  if (response.ok && isObject(body)) return body;
  const message = `${url.href} answered ${response.status}, but not with the state of a mock`;
  throw new MockError('STATE_UNREADABLE', message, { hint });
}
