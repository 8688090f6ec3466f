import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDocumentCache } from '../../src/contract/load/cache.js';
import { createDerivedCache, type KeptTexts } from '../../src/contract/load/derived.js';
import { createFolder } from './loading.js';

/** The texts of a name, as a process that starts reads them. */
const open = (folder: string, of = 'document'): KeptTexts =>
  createDerivedCache(createDocumentCache(folder), of, Promise.resolve()).readTexts('texts');

/** Waits until texts of these keys are in the cache, and returns them. */
async function waitFor(folder: string, keys: readonly string[]): Promise<readonly (string | undefined)[]> {
  let found: readonly (string | undefined)[] = [];
  await expect
    .poll(
      async () => {
        const { take } = open(folder);
        found = keys.map(take);
        return found.every((text) => text !== undefined);
      },
      { timeout: 20_000 },
    )
    .toBe(true);
  return found;
}

test(
  'texts are read by the next process, and those of processes that run at the same time are added',
  { tags: 'slow' },
  async () => {
    const folder = await createFolder({});
    const [one, other] = [open(folder), open(folder)];
    one.write(() => [['a', 'A']]);
    // Of two that write in the same moment, one can replace the file of the other: its texts are generated again.
    await waitFor(folder, ['a']);
    other.write(() => [
      ['b', 'B'],
      ['c', 'C'],
    ]);
    expect(await waitFor(folder, ['a', 'b', 'c'])).toEqual(['A', 'B', 'C']);
    const third = open(folder);
    third.write(() => [['d', 'D']]);
    expect(await waitFor(folder, ['b', 'c', 'd'])).toEqual(['B', 'C', 'D']);
  },
);

test('what was taken is not held any longer, and another document has nothing', async () => {
  const folder = await createFolder({});
  open(folder).write(() => [['a', 'A']]);
  await waitFor(folder, ['a']);
  const texts = open(folder);
  expect([texts.take('a'), texts.take('a'), texts.take('b')]).toEqual(['A', undefined, undefined]);
  expect(open(folder, 'another document').take('a')).toBeUndefined();
});

test(
  'no more than a million characters are kept: those of the last process, then those of others',
  { tags: 'slow' },
  async () => {
    const folder = await createFolder({});
    open(folder).write(() => [
      ['old', 'x'.repeat(300_000)],
      ['oldest', 'x'.repeat(300_000)],
    ]);
    await waitFor(folder, ['old', 'oldest']);
    open(folder).write(() => [['new', 'x'.repeat(500_000)]]);
    await waitFor(folder, ['new', 'old']);
    expect(open(folder).take('oldest')).toBeUndefined();
    open(folder).write(() => [
      ['large', 'x'.repeat(1_500_000)],
      ['small', 'x'],
    ]);
    await waitFor(folder, ['small']);
    expect(open(folder).take('large')).toBeUndefined();
    const [file = ''] = await readdir(folder);
    expect((await readFile(join(folder, file))).length).toBeLessThan(1_100_000);
  },
);

test('a file of something else is passed over and written again', { tags: 'slow' }, async () => {
  const folder = await createFolder({});
  const cache = createDocumentCache(folder);
  open(folder).write(() => [['a', 'A']]);
  await waitFor(folder, ['a']);
  const [file = ''] = await readdir(folder);
  const right = await readFile(join(folder, file));
  const damages: readonly (() => Promise<unknown>)[] = [
    () => writeFile(join(folder, file), right.subarray(0, right.length - 2)),
    () => writeFile(join(folder, file), 'something else'),
    () => cache.writeDerived(file, { a: 'A' }),
    () =>
      cache.writeDerived(
        file,
        new Map<unknown, unknown>([
          ['a', 1],
          [2, 'A'],
        ]),
      ),
  ];
  for (const damage of damages) {
    await damage();
    expect(open(folder).take('a')).toBeUndefined();
  }
  open(folder).write(() => [['a', 'A']]);
  expect(await waitFor(folder, ['a'])).toEqual(['A']);
});
