import { existsSync, writeFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import { promoteCassette } from '../../src/cli/commands/recordings/promote.js';
import type { PromoteFlags, PromoteOutcome } from '../../src/cli/commands/recordings/promote-report.js';
import { createMock, type Mock } from '../../src/index.js';
import { createFolder } from '../folders.js';
import { loadParts } from './contract.js';
import { record, SPEC } from './recorded.js';
import { startUpstream, type UpstreamOptions } from './upstream.js';

const HEADERS = { authorization: 'Bearer promote-token-1', 'content-type': 'application/json' };

/** Sends a request. */
export type Ask = (path: string, init?: RequestInit) => Promise<Response>;

/** Sends requests with a credential to a mock. */
export const askOf =
  (mock: Mock): Ask =>
  async (path, init) => {
    // An empty field is left out.
    const fields = Object.entries({ ...HEADERS, ...(init?.headers as Record<string, string>) });
    const headers = Object.fromEntries(fields.filter(([, value]) => value !== ''));
    const response = await mock.fetch(path, { ...init, headers });
    // Read to its end, so that it is recorded.
    const bytes = await response.arrayBuffer();
    const { status } = response;
    return new Response(bytes.byteLength === 0 ? null : bytes, { status, headers: response.headers });
  };

/** What was promoted, and where. */
export interface Promoted extends PromoteOutcome {
  readonly into: string;
  /** The path of the document. */
  readonly spec: string;
  promoteAgain(): Promise<PromoteOutcome>;
}

/** Records what `act` does to an upstream, which has the built-in contract or a document, and promotes it. */
export async function recordAndPromote(
  act: (ask: Ask) => Promise<unknown>,
  { document, ...options }: UpstreamOptions & { readonly document?: object } = {},
  more: Partial<PromoteFlags> = {},
): Promise<Promoted> {
  const upstream = await startUpstream(options);
  const into = join(createFolder(), 'fixtures');
  const spec = document === undefined ? SPEC : join(into, '../spec.json');
  if (document !== undefined) writeFileSync(spec, JSON.stringify(document));
  const cassette = await record(upstream.url, (mock) => act(askOf(mock)), { spec });
  const parts = await loadParts(spec);
  const promoteAgain = (): Promise<PromoteOutcome> => promoteCassette(cassette, parts, { spec, into, ...more });
  return { ...(await promoteAgain()), into, spec, promoteAgain };
}

/** The differences, with the files of their exchanges. */
export const describeDifferences = ({ differences }: PromoteOutcome): readonly string[] =>
  differences.flatMap(({ exchange, lines }) => lines.map((line) => `${exchange.file}: ${line}`));

/** A mock of what was promoted, as `vouch serve` loads it. */
export async function openTwin({ files, into, spec }: Promoted): Promise<Ask> {
  const from = join(into, '../scenarios');
  const active = files.filter((file) => file.startsWith(from)).map((file) => parse(file).name);
  const mock = await createMock({
    spec,
    overlays: files.filter((file) => file.endsWith('.overlay.json')),
    ...(existsSync(into) && { fixtures: into }),
    ...(active.length > 0 && { scenarios: { from, active } }),
  });
  return askOf(mock);
}
