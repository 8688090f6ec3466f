import { type Command, Option } from 'commander';
import { join } from 'node:path';
import { MockError } from '../../errors.js';
import { createMock, type Mock } from '../../mock.js';
import type { RecordingOptions, Recordings } from '../../recording/recordings.js';
import {
  addCassetteFlags,
  addOptionalSpec,
  type CassetteFlags,
  collect,
  findFolder,
  findSpec,
  readHeaders,
  readNumber,
  readOwners,
} from '../flags.js';
import { addListenFlags, type ListenFlags, listenUntilSignal, logInteractions } from '../listen.js';
import { colour, countOf, type Output, showPath } from '../output.js';

interface RecordFlags extends ListenFlags, CassetteFlags {
  readonly upstream: string;
  readonly mode: 'record-all' | 'record-missing';
  /** `name: value`. */
  readonly header?: readonly string[];
  readonly redactHeader?: readonly string[];
  readonly redactKey?: readonly string[];
  readonly redactPattern?: readonly string[];
  readonly redactEnv?: readonly string[];
  readonly keep?: readonly string[];
  readonly ignoreBody?: readonly string[];
  readonly ignoreQuery?: readonly string[];
  readonly matchHeader?: readonly string[];
  readonly maxAge?: number;
  readonly timeout?: number;
  readonly insecure?: boolean;
}

type RecordOptions = RecordFlags & Output & { readonly spec: string };

/** Defines `vouch record`. */
export function defineCommand(command: Command, output: Output): void {
  addCassetteFlags(addListenFlags(addOptionalSpec(command)))
    .requiredOption('--upstream <url>', 'base URL of the API to record')
    .addOption(
      new Option('--mode <mode>', 'replace the recording, or add only requests that it lacks')
        .choices(['record-all', 'record-missing'])
        .default('record-all'),
    )
    .option('--header <header>', 'header to send upstream, as "name: value"; repeatable', collect)
    .option('--redact-header <name>', 'additional header to redact; repeatable', collect)
    .option('--redact-key <name>', 'additional property, form field or query parameter to redact; repeatable', collect)
    .option('--redact-pattern <regex>', 'additional regular expression of values to redact; repeatable', collect)
    .option('--redact-env <name>', 'environment variable whose value to redact; repeatable', collect)
    .option('--keep <name>', 'header or property not to redact; repeatable', collect)
    .option('--ignore-body <pointer>', 'JSON pointer in request bodies to ignore on replay; repeatable', collect)
    .option('--ignore-query <name>', 'query parameter to ignore on replay; repeatable', collect)
    .option('--match-header <name>', 'undeclared request header to compare on replay; repeatable', collect)
    .addOption(new Option('--max-age <days>', 'days after which the recording is expired').argParser(readNumber))
    .addOption(
      new Option('--timeout <ms>', 'milliseconds to wait for data from upstream (default: 60000)').argParser(
        readNumber,
      ),
    )
    .option('--insecure', 'do not verify the TLS certificate of the upstream')
    .action(async (spec: string | undefined, flags: RecordFlags) => {
      process.exitCode = await runRecord({ spec: spec ?? findSpec(), ...flags, ...output });
    });
}

/** Forwards and records until a signal. @returns the exit code: 1 if exchanges were not saved because of a secret in them. */
async function runRecord(options: RecordOptions): Promise<number> {
  const { spec, upstream, json, write, writeError } = options;
  rejectOwnAddress(options);
  const fixtures = options.owner === undefined ? undefined : findFolder(spec, 'fixtures');
  const mock = await createMock({
    spec,
    clock: 'real',
    ...(fixtures === undefined ? {} : { fixtures }),
    recordings: toRecordingOptions(options),
    ...logInteractions(options),
  });
  const { recordings } = mock;
  if (recordings === undefined) throw new Error('a mock that records has recordings');
  for (const warning of recordings.warnings) writeError(colour('yellow', warning));
  await listenUntilSignal(mock, options, ({ baseUrl }) => {
    if (json === true) write(JSON.stringify({ listening: baseUrl, upstream, spec }));
    else for (const line of describeStart(mock, options, baseUrl)) write(line);
  });
  await mock.close();
  return printSummary(recordings, options);
}

function toRecordingOptions(options: RecordOptions): RecordingOptions {
  const { recordings: folder, cassette, mode, upstream, insecure, maxAge, timeout: timeoutMs } = options;
  return {
    folder,
    cassette,
    mode,
    upstream,
    upstreamHeaders: readHeaders(options.header),
    owners: readOwners(options.owner),
    redact: {
      headers: options.redactHeader ?? [],
      keys: options.redactKey ?? [],
      patterns: options.redactPattern ?? [],
      env: options.redactEnv ?? [],
      keep: options.keep ?? [],
    },
    match: {
      ignoreBody: options.ignoreBody ?? [],
      ignoreQuery: options.ignoreQuery ?? [],
      headers: options.matchHeader ?? [],
    },
    insecure: insecure === true,
    // This command is always run to reach the upstream, also in CI.
    live: true,
    ...(maxAge === undefined ? {} : { maxAge }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

/** A proxy that is its own upstream would forward each request to itself forever. */
function rejectOwnAddress({ upstream, host, port }: RecordOptions): void {
  if (!URL.canParse(upstream) || port === 0) return;
  const url = new URL(upstream);
  const own = [host, 'localhost', '127.0.0.1', '[::1]'].includes(url.hostname) && url.port === String(port);
  if (!own) return;
  throw new MockError('OPTION_INVALID', `the upstream ${upstream} is the address vouch itself would listen on`, {
    hint: 'choose another --port, or give the address of the real server',
  });
}

function describeStart(mock: Mock, options: RecordOptions, baseUrl: string): readonly string[] {
  const { title, version, operations } = mock.contract;
  const folder = colour('bold', showPath(join(options.recordings, options.cassette)));
  const action = options.mode === 'record-all' ? 'recording to' : 'adding missing exchanges to';
  return [
    `${colour('bold', title)} ${version}  ${countOf(operations.length, 'operation')}`,
    `upstream ${options.upstream}${options.insecure === true ? colour('yellow', '  (TLS certificate not verified)') : ''}`,
    `${action} ${folder}; secrets are replaced by placeholders`,
    `listening on ${colour('bold', baseUrl)}`,
  ];
}

function printSummary(recordings: Recordings, { cassette, json, write, writeError }: RecordOptions): number {
  const recorded = recordings.current({ cassette })?.read();
  const exchanges = recorded?.exchanges.length ?? 0;
  const placeholders = Object.keys(recorded?.manifest.redacted ?? {}).length;
  const refusals = recordings.refusals();
  if (json === true) write(JSON.stringify({ exchanges, placeholders, refused: refusals.length }));
  else write(`${countOf(exchanges, 'exchange')}, ${countOf(placeholders, 'secret')} replaced by placeholders`);
  for (const refusal of refusals) writeError(String(refusal));
  return refusals.length === 0 ? 0 : 1;
}
