import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { DATA_EXTENSIONS, isObject } from '../../../base/json.js';
import { MockError } from '../../../base/errors.js';
import { loadTextFile } from '../../../base/inside-folder.js';
import { parseText } from '../../../contract/load/parse.js';
import type { Mistake } from '../../../contract/load/source-node.js';
import type { RecordingParts } from '../../../features/recording/cassettes.js';
import { MANIFEST_FILE } from '../../../features/recording/cassette/manifest.js';
import { createScenarioContext, type ScenarioContext } from '../../../features/scenario/definition/kinds.js';
import { readScenarios } from '../../../features/scenario/definition/load.js';
import { readFixtures } from '../../../resources/fixtures/fixtures.js';
import { readItemModels } from '../../../resources/item/item-models.js';
import { createExchangeCheck, type FileExchange, type Refusal, UNKNOWN_CALL } from './exchange.js';
import type { FileBreak, FileKind } from './file-break.js';
import { readCassette, readHarExchanges, readJournalExchanges, readPactExchanges } from './read-exchanges.js';
import { type FindRenamed, toRepair } from './repair.js';
import type { ContractPair } from '../schemas.js';
import { nameOperations } from '../../../journal/journal.js';

/** A contract before and after a change, with what reads recorded requests. */
interface PartsPair {
  readonly old: RecordingParts;
  readonly now: RecordingParts;
}

/** What a check of files found. */
interface CheckedFiles {
  readonly breaks: readonly FileBreak[];
  /** How many calls are in neither contract. */
  readonly outside: number;
}

/** Finds the places in files that the old contract accepts and the new one refuses. @throws MockError for a file of no known kind. */
export async function checkFiles(paths: readonly string[], pair: PartsPair): Promise<CheckedFiles> {
  const checks = { old: createExchangeCheck(pair.old), now: createExchangeCheck(pair.now) };
  const sides = { old: createFolderCheck(pair.old), now: createFolderCheck(pair.now) };
  const findRenamed = createRenames({ old: pair.old.contract, now: pair.now.contract });
  const listNew = (kind: FileKind, old: readonly Refusal[], now: readonly Refusal[]): readonly FileBreak[] =>
    listRefused(old, now).map(({ at, message }) => ({ kind, at, message, repair: toRepair(message, findRenamed) }));
  const breaks: FileBreak[] = [];
  let outside = 0;
  const collections = new Set([...sides.old.collections, ...sides.now.collections]);
  for (const source of paths.flatMap((path) => findSources(path, collections))) {
    if ('folder' in source) {
      const { kind, folder } = source;
      breaks.push(...listNew(kind, sides.old.check(kind, folder), sides.now.check(kind, folder)));
      continue;
    }
    for (const exchange of source.exchanges) {
      const [old, now] = [await checks.old(exchange), await checks.now(exchange)];
      if (isUnknown(old) && isUnknown(now)) outside += 1;
      breaks.push(...listNew(exchange.kind, old, now));
    }
  }
  return { breaks, outside };
}

/** What only the new contract refuses. An exchange outside of the old one does not count. */
function listRefused(old: readonly Refusal[], now: readonly Refusal[]): readonly Refusal[] {
  if (isUnknown(old)) return [];
  const known = new Set(old.map(({ key }) => key));
  return now.filter(({ key }) => !known.has(key));
}

/** The places in a Pact file that a contract refuses. @throws MockError `OPTION_INVALID` for another file. */
export async function checkPact(file: string, parts: RecordingParts): Promise<readonly FileBreak[]> {
  const { value } = parseText(loadTextFile(file, 'OPTION_INVALID'), file, 'OPTION_INVALID');
  if (!isObject(value) || !Array.isArray(value['interactions'])) {
    const hint = 'a Pact file is JSON with "interactions"';
    throw new MockError('OPTION_INVALID', 'the file is not a Pact file', { at: { file }, hint });
  }
  const check = createExchangeCheck(parts);
  const breaks: FileBreak[] = [];
  for (const exchange of readPactExchanges(file, value)) {
    for (const { at, message } of await check(exchange))
      breaks.push({ kind: 'Pact', at, message, repair: toRepair(message, () => undefined) });
  }
  return breaks;
}

function isUnknown(refusals: readonly Refusal[]): boolean {
  return refusals.some(({ key }) => key === UNKNOWN_CALL);
}

/** The handlers of a module whose operation only the old contract has. @param names - The names that the module exports. */
export function checkHandlers(file: string, names: readonly string[], contracts: ContractPair): readonly FileBreak[] {
  const known = {
    old: nameOperations(contracts.old.operations),
    now: nameOperations(contracts.now.operations),
  };
  const findRenamed = createRenames(contracts);
  const lost = names.filter((name) => known.old.has(name) && !known.now.has(name));
  return lost.map((name): FileBreak => {
    const message = `operation "${name}" is not in the contract`;
    return { kind: 'handler', at: { file }, message, repair: toRepair(message, findRenamed) };
  });
}

function createRenames({ old, now }: ContractPair): FindRenamed {
  const ids = nameOperations(old.operations);
  return (name) => {
    const { method, path } = old.operation(ids.get(name) ?? name) ?? {};
    return now.operations.find((operation) => operation.method === method && operation.path === path)?.id;
  };
}

/** A folder of fixtures or scenarios, or the exchanges of a file. */
type FileSource =
  | { readonly kind: 'fixture' | 'scenario'; readonly folder: string }
  | { readonly exchanges: readonly FileExchange[] };

function findSources(path: string, collections: ReadonlySet<string>): readonly FileSource[] {
  if (!existsSync(path))
    throw new MockError('OPTION_INVALID', 'there is no such file or folder', { at: { file: path } });
  const isFolder = statSync(path).isDirectory();
  const found = isFolder ? readFolder(path, collections) : readFile(path, collections);
  if (found.length > 0) return found;
  const hint = 'name a folder of fixtures, scenarios or recordings, a HAR, a Pact file or a journal (.ndjson)';
  const reason = isFolder ? 'the folder has nothing that can be checked' : 'the kind of the file is not known';
  throw new MockError('OPTION_INVALID', reason, { at: { file: path }, hint });
}

/** Folders that have no files of the user. */
const SKIPPED = /^(?:\.|node_modules$)/;

function readFolder(folder: string, collections: ReadonlySet<string>): readonly FileSource[] {
  if (existsSync(join(folder, MANIFEST_FILE))) return [{ exchanges: readCassette(folder) }];
  const entries = readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !SKIPPED.test(name))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => readFile(join(folder, name), collections));
  const folders = entries
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => readFolder(join(folder, name), collections));
  const own = files.flat();
  const kinds = new Set(own.flatMap((source) => ('folder' in source ? source.kind : [])));
  return [
    ...[...kinds].map((kind) => ({ kind, folder })),
    ...own.filter((source) => 'exchanges' in source),
    ...folders,
  ];
}

function readFile(path: string, collections: ReadonlySet<string>): readonly FileSource[] {
  const extension = extname(path);
  if (extension === '.ndjson' || extension === '.jsonl') return [{ exchanges: readJournalExchanges(path) }];
  if (extension === '.har') return [{ exchanges: readHarExchanges(path) }];
  if (!DATA_EXTENSIONS.has(extension)) return [];
  const { value } = parseText(loadTextFile(path, 'OPTION_INVALID'), path, 'OPTION_INVALID');
  const isFixture = collections.has(basename(path, extension));
  if (!isObject(value)) return isFixture ? [{ kind: 'fixture', folder: dirname(path) }] : [];
  if (isObject(value['log'])) return [{ exchanges: readHarExchanges(path) }];
  if (Array.isArray(value['interactions'])) return [{ exchanges: readPactExchanges(path, value) }];
  const isScenario = ['operations', 'extends', 'state'].some((name) => value[name] !== undefined);
  if (isFixture) return [{ kind: 'fixture', folder: dirname(path) }];
  return isScenario ? [{ kind: 'scenario', folder: dirname(path) }] : [];
}

/** Lists the mistakes in a folder of fixtures or scenarios. */
interface FolderCheck {
  readonly collections: readonly string[];
  check(kind: 'fixture' | 'scenario', folder: string): readonly Refusal[];
}

function createFolderCheck({ contract, validators }: RecordingParts): FolderCheck {
  const parts = { ...readItemModels(contract, validators), seed: 1 };
  const { resources } = parts;
  const context: ScenarioContext = createScenarioContext({ ...parts, collections: resources.collections.values() });
  return {
    collections: [...resources.collections.keys()],
    check: (kind, folder) => {
      const { mistakes } = kind === 'fixture' ? readFixtures(folder, parts) : readScenarios(folder, context);
      return mistakes.map(toRefusal);
    },
  };
}

function toRefusal({ at, message }: Mistake): Refusal {
  return { key: JSON.stringify([at.file, at.pointer, at.line]), at, message };
}
