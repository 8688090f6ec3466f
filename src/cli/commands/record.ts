import type { Command } from 'commander';
import { join } from 'node:path';
import type { Clock } from '../../clock.js';
import { MockError } from '../../errors.js';
import type { Mock } from '../../handles.js';
import { createMock } from '../../mock.js';
import type { OptionName } from '../../options.js';
import { nestOptions } from '../../read-options.js';
import type { MockRecordings } from '../../handles.js';
import type { Cassette } from '../../recording/cassette/cassette.js';
import {
  addOptionalSpec,
  addOptionFlags,
  addRecordingsFlag,
  findFolder,
  findSpec,
  listFlagOptions,
  OWNER_FLAG,
  readOptionFlags,
} from '../flags.js';
import { addListenFlags, type ListenFlags, listenUntilSignal, logInteractions } from '../listen.js';
import { colour, countOf, type Output, showPath } from '../output.js';

const RECORDING_OPTIONS: readonly OptionName[] = listFlagOptions(/^recordings\.(?!expired|pace)/);

/** The flags that this file reads itself; the others become options of the mock. */
interface RecordFlags extends ListenFlags {
  readonly upstream: string;
  readonly recordings: string;
  readonly cassette: string;
  readonly mode: 'record-all' | 'record-missing';
  readonly owner?: object;
  readonly insecure?: boolean;
}

type RecordOptions = RecordFlags & Output & { readonly spec: string };

/** Defines `vouch record`. */
export function defineCommand(command: Command, output: Output): void {
  command.description('record a real API through a proxy that checks every exchange and redacts secrets');
  addRecordingsFlag(addListenFlags(addOptionalSpec(command)));
  addOptionFlags(command, RECORDING_OPTIONS, {
    'recordings.upstream': { description: 'base URL of the API to record', required: true },
    'recordings.upstreamHeaders': { description: 'header to send upstream, as "name: value"' },
    'recordings.mode': {
      description: 'replace the cassette, or add only the requests that it lacks',
      choices: ['record-all', 'record-missing'],
      default: 'record-all',
    },
    'recordings.cassette': { description: 'cassette to write', default: 'default' },
    'recordings.owners': OWNER_FLAG,
  }).action(async (spec: string | undefined, flags: RecordFlags) => {
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
    ...nestOptions({
      fixtures,
      'recordings.folder': options.recordings,
      // This command is always run to reach the upstream, also in CI.
      'recordings.live': true,
      ...readOptionFlags(options, RECORDING_OPTIONS),
    }),
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
  return printSummary(recordings, mock.cassette(options.cassette), options);
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

function describeStart(mock: Mock<Clock>, options: RecordOptions, baseUrl: string): readonly string[] {
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

function printSummary(
  { refusals }: MockRecordings,
  cassette: Cassette,
  { json, write, writeError }: Output & ListenFlags,
): number {
  const exchanges = cassette.exchanges.length;
  const placeholders = Object.keys(cassette.manifest.redacted).length;
  if (json === true) write(JSON.stringify({ exchanges, placeholders, refused: refusals.length }));
  else write(`${countOf(exchanges, 'exchange')}, ${countOf(placeholders, 'secret')} replaced by placeholders`);
  for (const refusal of refusals) writeError(String(refusal));
  return refusals.length === 0 ? 0 : 1;
}
