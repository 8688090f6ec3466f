import type { Command } from 'commander';
import { createVirtualClock } from '../../base/clock.js';
import { isObject } from '../../base/json.js';
import { readItemModels } from '../../resources/item/item-models.js';
import { MockError } from '../../base/errors.js';
import { type FixtureSet, writeFixtures } from '../../resources/fixtures/fixture-file.js';
import { loadFixtures } from '../../resources/fixtures/fixtures.js';
import type { Item } from '../../resources/store/lists/item-list.js';
import { createStore } from '../../resources/store/store.js';
import { addDocument, type DocumentFlags, loadDocument } from '../document.js';
import { readInteger } from '../flags.js';
import { addControlFlags, type ControlFlags, requestControl } from '../control-client.js';
import type { Output } from '../output.js';

/** Defines `vouch fixtures init` and `vouch fixtures export`. */
export function defineCommand(command: Command, output: Output): void {
  addTargetFlags(addDocument(command.command('init'), output, runFixturesInit))
    .description('generate fixtures: a few valid, linked items for each collection')
    .option('--items <n>', 'number of items per collection', readInteger, 3)
    .option('--seed <n>', 'seed of generated data; the same seed gives the same items', readInteger, 1);
  const exporting = command.command('export').description('write the state of a running mock as fixtures');
  addTargetFlags(addControlFlags(exporting, 'export')).action(
    async (url: string, flags: Omit<FixturesExportOptions, 'url' | 'write'>) => {
      process.exitCode = await runFixturesExport({ url, ...flags, ...output });
    },
  );
}

function addTargetFlags(command: Command): Command {
  return command
    .option('--into <folder>', 'folder to write to', 'fixtures')
    .option('--force', 'overwrite existing files');
}

interface TargetFlags extends Pick<Output, 'write'> {
  readonly into: string;
  readonly force?: boolean;
}

interface FixturesInitOptions extends TargetFlags, DocumentFlags {
  /** Items per collection; default 3. */
  readonly items?: number;
  readonly seed?: number;
}

/** Writes a file of valid, linked items for each collection. @throws MockError if it cannot load the document, or files exist. */
export async function runFixturesInit(options: FixturesInitOptions): Promise<number> {
  const { into: folder, items = 3, seed = 1, force = false } = options;
  const contract = await loadDocument(options);
  const parts = { ...readItemModels(contract), seed };
  const { collections } = parts.resources;
  const wanted: Record<string, unknown> = {};
  for (const { name, schema, singleton, parents } of collections.values()) {
    const rooted = parents.every((parent) => collections.get(parent)?.schema !== undefined);
    if (schema !== undefined && rooted) wanted[name] = { generate: singleton && parents.length === 0 ? 1 : items };
  }
  const store = createStore(loadFixtures(wanted, parts), { seed, clock: createVirtualClock() });
  const note = `Generated from ${contract.title} ${contract.version}. Edit freely: items are checked against the contract at start.`;
  return writeFiles(store.export().collections, { folder, force, note }, options.write);
}

interface FixturesExportOptions extends TargetFlags, ControlFlags {}

/** Writes the state of a running mock as fixtures. @throws MockError if the mock cannot be reached or files already exist. */
export async function runFixturesExport(options: FixturesExportOptions): Promise<number> {
  const { url, into: folder, force = false, write } = options;
  return writeFiles(await readState(options), { folder, force, note: `The state of ${url}.` }, write);
}

async function readState(options: FixturesExportOptions): Promise<FixtureSet> {
  const { collections } = await requestControl(options, '/state');
  if (!isObject(collections)) {
    throw new MockError('STATE_UNREADABLE', `${options.url} did not answer with the state of a mock`, {
      hint: 'start a mock with "vouch serve" and give its address, such as http://127.0.0.1:4010',
    });
  }
  const lists = Object.entries(collections).map(([name, items]): [string, readonly Item[]] => {
    return [name, Array.isArray(items) ? items.filter(isObject) : []];
  });
  return Object.fromEntries(lists);
}

type Target = Parameters<typeof writeFixtures>[1];

async function writeFiles(collections: FixtureSet, target: Target, write: Output['write']): Promise<number> {
  const filled = Object.entries(collections).filter(([, items]) => items.length > 0);
  if (filled.length === 0) write('wrote nothing: no collection has items');
  for (const file of await writeFixtures(Object.fromEntries(filled), target)) write(`wrote ${file}`);
  return 0;
}
