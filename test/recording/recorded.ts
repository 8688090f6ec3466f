import { join } from 'node:path';
import type { Mock, MockOptions } from '../../src/index.js';
import { type Cassette, loadCassette } from '../../src/features/recording/cassette/cassette.js';
import type { RecordingOptions } from '../../src/features/recording/recordings.js';
import { openMock } from '../open-mock.js';
import { createFolder } from '../folders.js';
import { startUpstream, type UpstreamOptions } from './upstream.js';

/** The built-in contract, and an operation of it. */
export const SPEC = 'spec/openapi.yaml';
export const KEYS = '/v1/organization/admin_api_keys';

/** A mock that records everything. */
export function openRecorder(
  upstream: string,
  more: Partial<RecordingOptions> = {},
  spec: MockOptions['spec'] = SPEC,
): Promise<Mock> {
  const recordings = { folder: createFolder(), cassette: 'keys', mode: 'record-all', upstream, live: true, ...more };
  return openMock({ ...(spec !== undefined && { spec }), recordings } as MockOptions);
}

/** Records what is done with a mock, which is closed then. @returns the cassette, and the folder that holds it. */
export async function record(
  upstream: string,
  act: (mock: Mock) => Promise<unknown>,
  { spec, ...more }: Partial<RecordingOptions> & Pick<MockOptions, 'spec'> = {},
): Promise<Cassette & { readonly root: string }> {
  const root = createFolder();
  const mock = await openRecorder(upstream, { folder: root, ...more }, spec);
  await act(mock);
  await mock.close();
  return { ...loadCassette(join(more.folder ?? root, more.cassette ?? 'keys')), root };
}

/** Replays a cassette, or that of a folder. */
export function replay(
  folder: string,
  spec: MockOptions['spec'] = SPEC,
  more: Partial<RecordingOptions> = {},
): Promise<Mock> {
  return openMock({ spec, recordings: { ...more, folder, mode: 'replay' } });
}

/** A request: its path below the root. */
export type Asked = readonly [path: string, init?: RequestInit];

/** Sends requests one after the other. */
export async function sendAll(mock: Pick<Mock, 'fetch'>, calls: readonly Asked[]): Promise<void> {
  for (const [path, init] of calls) await (await mock.fetch(path, init)).text();
}

/** Records requests to an upstream, and gives a mock that replays them. */
export async function replayOf(
  spec: MockOptions['spec'],
  calls: readonly Asked[],
  { intercept, ...more }: Partial<RecordingOptions> & Pick<UpstreamOptions, 'intercept'> = {},
): Promise<Mock> {
  const upstream = await startUpstream({ ...(intercept && { intercept }) });
  const { folder } = await record(upstream.origin, (mock) => sendAll(mock, calls), { spec, ...more });
  return replay(folder, spec, more);
}
