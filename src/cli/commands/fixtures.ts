import { createVirtualClock } from '../../clock.js';
import { isObject } from '../../contract/json.js';
import { loadContract } from '../../contract/load/load.js';
import { MockError } from '../../errors.js';
import { createGenerator } from '../../generate/generate.js';
import { createValidators } from '../../schema/validate.js';
import { type FixtureSet, writeFixtures } from '../../state/fixtures/fixture-file.js';
import { loadFixtures } from '../../state/fixtures/fixtures.js';
import { inferResources } from '../../state/inference/infer.js';
import type { Item } from '../../state/store/item-list.js';
import { createStore } from '../../state/store/store.js';

/** What `vouch fixtures init` was asked. */
export interface FixturesInitOptions {
  /** A path or URL. */
  readonly spec: string;
  readonly folder: string;
  /** How many items each collection starts with; default 3. */
  readonly items?: number;
  readonly seed?: number;
  readonly force?: boolean;
  readonly overlays?: readonly string[];
  readonly allowHttpRefs?: boolean;
  write(line: string): void;
}

/**
 * `vouch fixtures init`: a file for every collection of a document, with a few valid items that are linked with each other.
 *
 * @returns 0.
 * @throws MockError where the document cannot be read, or files are there already.
 */
export async function runFixturesInit(options: FixturesInitOptions): Promise<number> {
  const { spec, folder, items = 3, seed = 1, force = false, overlays = [], allowHttpRefs = false, write } = options;
  const contract = await loadContract(spec, { overlays, allowHttpRefs });
  const resources = inferResources(contract);
  const validators = createValidators(contract);
  const generator = createGenerator(contract, validators);
  const wanted: Record<string, unknown> = {};
  for (const { name, schema, singleton, parents } of resources.collections.values()) {
    const rooted = parents.every((parent) => resources.collections.get(parent)?.schema !== undefined);
    if (schema !== undefined && rooted) wanted[name] = { generate: singleton && parents.length === 0 ? 1 : items };
  }
  const parts = { contract, resources, validators, generator, seed };
  const store = createStore(await loadFixtures(wanted, parts), { seed, clock: createVirtualClock() });
  const filled = Object.entries(store.export().collections).filter(([, list]) => list.length > 0);
  const note = `Made from ${contract.title} ${contract.version}. Change what you like: items are checked against the contract at start.`;
  return report(await writeFixtures(Object.fromEntries(filled), { folder, force, note }), write);
}

/** What `vouch fixtures export` was asked. */
export interface FixturesExportOptions {
  /** The address of a running mock: `http://127.0.0.1:4010`. */
  readonly url: string;
  readonly folder: string;
  readonly force?: boolean;
  /** Whose state; default: the session of requests that name none. */
  readonly session?: string;
  /** What the control API asks for, where it asks for a token. */
  readonly controlToken?: string;
  /** What its paths begin with; default `/__mock`. */
  readonly controlPrefix?: string;
  write(line: string): void;
}

/**
 * `vouch fixtures export`: the state of a running mock, as fixtures.
 *
 * @returns 0.
 * @throws MockError where the mock cannot be reached, or files are there already.
 */
export async function runFixturesExport(options: FixturesExportOptions): Promise<number> {
  const { url, folder, force = false, write } = options;
  const state = await readState(options);
  const filled = Object.entries(state).filter(([, items]) => items.length > 0);
  return report(
    await writeFixtures(Object.fromEntries(filled), { folder, force, note: `The state of ${url}.` }),
    write,
  );
}

async function readState(options: FixturesExportOptions): Promise<FixtureSet> {
  const { session, controlPrefix = '/__mock' } = options;
  const url = new URL(`${controlPrefix}/state`, options.url);
  const hint = 'start it with "vouch serve", and name its address: http://127.0.0.1:4010';
  const token = options.controlToken ?? process.env['VOUCH_CONTROL_TOKEN'];
  const headers = {
    ...(session === undefined ? {} : { 'x-mock-session': session }),
    ...(token === undefined ? {} : { 'x-mock-control-token': token }),
  };
  const response = await fetch(url, { headers }).catch((cause: unknown) => {
    throw new MockError('STATE_UNREADABLE', `no mock answers at ${url.origin}`, { hint, cause });
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (isObject(body) && typeof body['detail'] === 'string') {
    const said = typeof body['hint'] === 'string' ? body['hint'] : hint;
    const advice = response.status === 401 ? 'set VOUCH_CONTROL_TOKEN to the token the mock was started with' : said;
    throw new MockError('STATE_UNREADABLE', `the mock at ${url.origin} refuses: ${body['detail']}`, { hint: advice });
  }
  const collections = isObject(body) ? body['collections'] : undefined;
  if (!response.ok || !isObject(collections)) {
    throw new MockError(
      'STATE_UNREADABLE',
      `what answers at ${url.href} with ${response.status} is no mock with state`,
      { hint },
    );
  }
  const lists = Object.entries(collections).map(([name, items]) => [
    name,
    Array.isArray(items) ? items.filter(isObject) : [],
  ]);
  return Object.fromEntries(lists) as Readonly<Record<string, readonly Item[]>>; // made of names and lists of objects, just above
}

function report(files: readonly string[], write: (line: string) => void): number {
  for (const file of files) write(`wrote ${file}`);
  return 0;
}
