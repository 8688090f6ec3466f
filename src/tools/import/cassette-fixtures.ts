import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Mistake } from '../../contract/load/source-node.js';
import { readSegments } from '../../contract/pointer.js';
import type { Cassette } from '../../features/recording/cassette/cassette.js';
import { type SkippedItem, toFixtures } from '../../features/recording/promote/promote-files.js';
import { promote, type Promoted } from '../../features/recording/promote/promote.js';
import { omitUnknownNames } from '../../schema/fields.js';
import { readFixtures, toFixtureTarget } from '../../resources/fixtures/fixtures.js';
import { createPagePlan } from '../../resources/list/plan.js';

/** The parts that fixtures are checked with. */
export type FixtureParts = Parameters<typeof readFixtures>[1];

/** The fixtures of a cassette that their loader accepts, and what is left out. */
export function createFixtures(cassette: Cassette, parts: FixtureParts, moment: 'final' | 'initial'): Fixtures {
  const { contract, resources } = parts;
  const isNewestFirst = (id: string): boolean => {
    const operation = contract.operation(id);
    return operation !== undefined && createPagePlan(contract, operation, { item: undefined }).descending;
  };
  return toSoundFixtures(promote(cassette, { ...resources, moment, isNewestFirst }), parts);
}

/** The fixtures of items that their loader accepts, and what is left out. */
export function toSoundFixtures(promoted: Promoted, parts: FixtureParts): Fixtures {
  const { resources, validators, generator, fieldsOf } = parts;
  const fixtures = toFixtures(promoted, {
    validators,
    collections: resources.collections,
    omitUnknown: ({ name }, item) => {
      const resource = resources.collections.get(name);
      const target = resource && toFixtureTarget(fieldsOf, resource, resources);
      // An object stays an object.
      return target === undefined ? item : (omitUnknownNames(item, target) as typeof item);
    },
    // The first values of a schema are its examples; those are not recorded.
    complete: (pointer, partial) =>
      generator.complete(pointer, partial, { seed: 1, key: pointer, direction: 'response', now: 0, index: 1000 }),
  });
  return omitInvalid(fixtures, (folder) => readFixtures(folder, parts));
}

/** Files of fixtures, and the items that are in none. */
type Fixtures = ReturnType<typeof toFixtures>;

/** The fixtures without the items and defaults that the loader of fixtures does not accept. */
function omitInvalid(
  { files, skipped }: Fixtures,
  read: (folder: string) => ReturnType<typeof readFixtures>,
): Fixtures {
  if (files.length === 0) return { files, skipped };
  const folder = mkdtempSync(join(tmpdir(), 'vouch-promote-'));
  try {
    for (const { path, content } of files) writeFile(join(folder, path), content);
    const { mistakes } = read(folder);
    if (mistakes.length === 0) return { files, skipped };
    const left: SkippedItem[] = [];
    const kept = files.flatMap((file) => {
      const own = mistakes.filter(({ at }) => at.file === join(folder, file.path));
      if (own.length === 0 || typeof file.content !== 'string') return [file];
      const found = omitItems(basename(file.path, '.json'), file.content, own);
      left.push(...found.skipped);
      return found.content === undefined ? [] : [{ ...file, content: found.content }];
    });
    // A mistake in no file is one of the loader.
    if (left.length === 0) return { files, skipped };
    // An item that was left out can be the parent of others.
    return omitInvalid({ files: kept, skipped: [...skipped, ...left] }, read);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function writeFile(file: string, content: string | Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** A fixture without what mistakes name; without content if they name neither an item nor a default. */
function omitItems(
  collection: string,
  content: string,
  mistakes: readonly Mistake[],
): { readonly content: string | undefined; readonly skipped: readonly SkippedItem[] } {
  const skipped: SkippedItem[] = [];
  // `toFixtures` has written it.
  const fixture = JSON.parse(content) as { defaults?: Record<string, unknown>; items: Record<string, unknown>[] };
  const items = new Set<number>();
  const names = new Set<string>();
  for (const { at, message } of mistakes) {
    const [member, name = ''] = readSegments(at.pointer ?? '');
    if (member === 'items') items.add(Number(name));
    else if (member === 'defaults') names.add(name);
    else return { content: undefined, skipped: [{ collection, id: '*', why: message }] };
    const item = fixture.items[Number(name)];
    const id = member === 'items' ? JSON.stringify(item?.['id'] ?? item?.['$id'] ?? Number(name)) : `default ${name}`;
    skipped.push({ collection, id, why: message });
  }
  const defaults = Object.entries(fixture.defaults ?? {}).filter(([name]) => !names.has(name));
  const kept = {
    ...(defaults.length > 0 && { defaults: Object.fromEntries(defaults) }),
    items: fixture.items.filter((_, i) => !items.has(i)),
  };
  return { content: `${JSON.stringify(kept, null, 2)}\n`, skipped };
}
