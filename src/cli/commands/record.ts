import { join, relative } from 'node:path';
import { MockError } from '../../errors.js';
import { createMock, type Mock } from '../../mock.js';
import type { MatchRules } from '../../recording/cassette/manifest.js';
import type { Recordings } from '../../recording/recordings.js';
import type { RedactionOptions } from '../../recording/redaction/secret-rules.js';
import { colour, logInteractions } from '../log.js';
import { findFolder, findSpec, waitForSignal } from './serve.js';

/** What `vouch record` was asked. */
export interface RecordOptions {
  /** Undefined: `spec/openapi.*` of this folder, else the built-in contract. */
  readonly spec: string | undefined;
  readonly upstream: string;
  readonly cassette: string;
  /** The folder of the cassettes. */
  readonly recordings: string;
  /** `record-all` begins the cassette anew; `record-missing` adds to it. */
  readonly mode: 'record-all' | 'record-missing';
  readonly port: number;
  readonly host: string;
  /** `name: value`, sent with every request to the upstream. */
  readonly headers: readonly string[];
  /** `operation=owner`. */
  readonly owners: readonly string[];
  readonly redact: RedactionOptions;
  readonly match: Partial<MatchRules>;
  readonly maxAge: number | undefined;
  readonly timeoutMs: number | undefined;
  readonly insecure: boolean;
  /** One JSON object a line instead of text. */
  readonly json: boolean;
  readonly quiet: boolean;
  write(line: string): void;
  writeError(line: string): void;
}

/**
 * `vouch record`: a validating proxy in front of the upstream that records every exchange, until a signal ends it.
 *
 * @returns the exit code: 1 where exchanges were not written because a secret was left in them.
 */
export async function runRecord(options: RecordOptions): Promise<number> {
  const spec = options.spec ?? findSpec();
  refuseOneself(options);
  const fixtures = options.owners.length === 0 ? undefined : findFolder(spec, 'fixtures');
  const mock = await createMock({
    spec,
    clock: 'real',
    ...(fixtures === undefined ? {} : { fixtures }),
    recordings: {
      folder: options.recordings,
      cassette: options.cassette,
      mode: options.mode,
      upstream: options.upstream,
      upstreamHeaders: readHeaders(options.headers),
      owners: readOwners(options.owners),
      redact: options.redact,
      match: options.match,
      insecure: options.insecure,
      // Whoever types `vouch record` wants the upstream to be asked, on CI too.
      live: true,
      ...(options.maxAge === undefined ? {} : { maxAge: options.maxAge }),
      ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
    },
    ...logInteractions(options),
  });
  const { recordings } = mock;
  if (recordings === undefined) throw new Error('a mock that records has recordings');
  for (const warning of recordings.warnings) options.writeError(colour('yellow', warning));
  const server = await mock.listen({ port: options.port, host: options.host });
  // Heard before anybody can read that it listens.
  const ended = waitForSignal();
  if (options.json) options.write(JSON.stringify({ listening: server.baseUrl, upstream: options.upstream, spec }));
  else for (const line of describeStart(mock, options, server.baseUrl)) options.write(line);
  await ended;
  await mock.close();
  return conclude(recordings, options);
}

/** `name: value` lines as fields. @throws MockError `OPTION_INVALID`. */
export function readHeaders(lines: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):\s*(.*)$/.exec(line) ?? [];
      if (name !== undefined && value !== undefined) return [name.toLowerCase(), value];
      // The line may hold a credential, so that it is not quoted.
      throw new MockError('OPTION_INVALID', 'a header is not written as "name: value"', {
        hint: 'such as --header "authorization: Bearer $TOKEN"',
      });
    }),
  );
}

/** `operation=owner` as a map; the operation may hold any character but the last `=`. @throws MockError `OPTION_INVALID`. */
export function readOwners(pairs: readonly string[]): Readonly<Record<string, string>> | undefined {
  if (pairs.length === 0) return undefined;
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, operation, owner] = /^(.+)=([\w-]+)$/.exec(pair) ?? [];
      if (operation !== undefined && owner !== undefined) return [operation, owner];
      throw new MockError('OPTION_INVALID', `${JSON.stringify(pair)} is not written as operation=owner`, {
        hint: 'such as --owner listKeys=replay; owners are mock, replay, forward and forward-then-mock',
      });
    }),
  );
}

/** A proxy that is its own upstream would ask itself for ever. */
function refuseOneself({ upstream, host, port }: RecordOptions): void {
  if (!URL.canParse(upstream) || port === 0) return;
  const url = new URL(upstream);
  const own = [host, 'localhost', '127.0.0.1', '[::1]'].includes(url.hostname) && url.port === String(port);
  if (!own) return;
  throw new MockError('OPTION_INVALID', `the upstream ${upstream} is the address that vouch would listen on`, {
    hint: 'give another --port, or the address of the real server',
  });
}

function describeStart(mock: Mock, options: RecordOptions, baseUrl: string): readonly string[] {
  const folder = relative(process.cwd(), join(options.recordings, options.cassette));
  const action = options.mode === 'record-all' ? 'recording anew into' : 'adding to';
  return [
    `${colour('bold', mock.contract.title)} ${mock.contract.version}  ${mock.contract.operations.length} operations`,
    `upstream ${options.upstream}${options.insecure ? colour('yellow', '  certificates are not checked') : ''}`,
    `${action} ${colour('bold', folder)}; secrets become placeholders`,
    `listening on ${colour('bold', baseUrl)}`,
  ];
}

function conclude(recordings: Recordings, options: RecordOptions): number {
  const cassette = recordings.current({ cassette: options.cassette })?.read();
  const exchanges = cassette?.exchanges.length ?? 0;
  const placeholders = Object.keys(cassette?.manifest.redacted ?? {}).length;
  const refusals = recordings.refusals();
  if (options.json) options.write(JSON.stringify({ exchanges, placeholders, refused: refusals.length }));
  else options.write(`${exchanges} exchanges, ${placeholders} placeholders for secrets`);
  for (const refusal of refusals) options.writeError(String(refusal));
  return refusals.length === 0 ? 0 : 1;
}
