import { createMock } from '../../mock.js';
import { colour, logInteractions } from '../log.js';
import { readOwners } from './record.js';
import { findFolder, findSpec, waitForSignal } from './serve.js';

/** What `vouch replay` was asked. */
export interface ReplayOptions {
  /** Undefined: `spec/openapi.*` of this folder, else the built-in contract. */
  readonly spec: string | undefined;
  readonly cassette: string;
  /** The folder of the cassettes. */
  readonly recordings: string;
  readonly port: number;
  readonly host: string;
  /** `operation=owner`; with any, what has no recording falls to the mock. */
  readonly owners: readonly string[];
  readonly expired: 'warn' | 'fail';
  readonly pace: 'recorded' | 'none';
  readonly json: boolean;
  readonly quiet: boolean;
  write(line: string): void;
  writeError(line: string): void;
}

/**
 * `vouch replay`: answers from a cassette alone, until a signal ends it.
 *
 * @returns the exit code: 1 where calls came that no recording fitted.
 */
export async function runReplay(options: ReplayOptions): Promise<number> {
  const spec = options.spec ?? findSpec();
  const owners = readOwners(options.owners);
  const fixtures = owners === undefined ? undefined : findFolder(spec, 'fixtures');
  const mock = await createMock({
    spec,
    clock: 'real',
    ...(fixtures === undefined ? {} : { fixtures }),
    recordings: {
      folder: options.recordings,
      cassette: options.cassette,
      mode: 'replay',
      owners,
      expired: options.expired,
      pace: options.pace,
    },
    ...logInteractions(options),
  });
  for (const warning of mock.recordings?.warnings ?? []) options.writeError(colour('yellow', warning));
  const server = await mock.listen({ port: options.port, host: options.host });
  // Heard before anybody can read that it listens.
  const ended = waitForSignal();
  const exchanges = mock.cassette(options.cassette).exchanges.length;
  if (options.json) options.write(JSON.stringify({ listening: server.baseUrl, cassette: options.cassette, exchanges }));
  else {
    options.write(`${colour('bold', mock.contract.title)} ${mock.contract.version}`);
    options.write(`replaying ${exchanges} exchanges of "${options.cassette}"; nothing is asked live`);
    options.write(`listening on ${colour('bold', server.baseUrl)}`);
  }
  await ended;
  await mock.close();
  try {
    mock.assertNoMisses();
  } catch (error) {
    options.writeError(String(error));
    return 1;
  }
  return 0;
}
