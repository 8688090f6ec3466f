// @module-tag thorough
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Contract } from '../../src/contract/contract.js';
import { createGenerator } from '../../src/generate/generate.js';
import { memoize } from '../../src/base/memoize.js';
import { createValidators } from '../../src/schema/validate.js';
import { createRandom } from '../../src/base/random.js';
import { loadDocument } from '../state/real-document.js';
import { createSecondCheck } from '../sweep/second-validator.js';
import { NOW } from './one-schema.js';

const FOLDER = '../shared/specs';

/** How many schemas of a document are tried: every one of the small ones, a seeded choice of the huge ones. */
const DOCUMENTS: readonly (readonly [file: string, count: number])[] = [
  ['petstore-2.0.yaml', Infinity],
  ['petstore-3.0.yaml', Infinity],
  ['petstore-3.1.json', Infinity],
  ['train-travel-3.1.json', Infinity],
  ['box.json', Infinity],
  ['openai.yaml', 120],
  ['stripe.yaml', 80],
];

interface Target {
  readonly pointer: string;
  /** The pointer of the body that has the schema. */
  readonly schemaPointer: string;
  readonly direction: 'request' | 'response';
}

/** Every schema of a body once, responses first. */
function listTargets(contract: Contract): readonly Target[] {
  const found = new Map<string, Target>();
  for (const direction of ['response', 'request'] as const) {
    for (const { responses, body } of contract.operations) {
      const contents = direction === 'response' ? responses.flatMap(({ content }) => content) : (body?.content ?? []);
      for (const { schema, schemaPointer } of contents) {
        if (schema === undefined) continue;
        const { pointer } = contract.resolve(schema, schemaPointer);
        found.set(`${direction} ${pointer}`, { pointer, schemaPointer, direction });
      }
    }
  }
  return [...found.values()];
}

function choose<Item>(items: readonly Item[], count: number, key: string): readonly Item[] {
  if (items.length <= count) return items;
  const random = createRandom(1, key);
  return items
    .map((item) => ({ item, rank: random.next() }))
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, count)
    .map(({ item }) => item);
}

/** A document with its generator, which both of its tests use. */
const open = memoize(async (path: string) => {
  const contract = await loadDocument(path);
  const validators = createValidators(contract);
  return { contract, validators, generator: createGenerator(contract, validators) };
});

describe.each(DOCUMENTS)('%s', (file, count) => {
  const path = `${FOLDER}/${file}`;
  const isThere = existsSync(path);

  it.skipIf(!isThere)(
    `every generated body fits its schema${isThere ? '' : ` (skipped: ${path} is not there)`}`,
    async () => {
      const { contract, validators, generator } = await open(path);
      const failures: string[] = [];
      const targets = choose(listTargets(contract), count, file);
      for (const { pointer, direction } of targets) {
        const value = generator.value(pointer, { seed: 1, key: pointer, direction, now: NOW });
        const mistake = validators
          .check(pointer, direction)(value, 'body')
          .find(({ severity }) => severity === 'error');
        if (mistake !== undefined) failures.push(`${direction} ${pointer}: ${mistake.message}`);
      }
      expect(targets.length).toBeGreaterThan(10);
      expect(failures).toEqual([]);
    },
  );

  it.skipIf(!isThere)('a second validator agrees', async () => {
    const { contract, generator } = await open(path);
    const check = createSecondCheck(contract);
    const responses = listTargets(contract).filter(({ direction }) => direction === 'response');
    const failures: string[] = [];
    for (const { pointer, schemaPointer } of choose(responses, count, file)) {
      const value = generator.value(pointer, { seed: 2, key: pointer, direction: 'response', now: NOW });
      const complaints = await check(schemaPointer, value);
      if (complaints.length > 0) failures.push(`${pointer}: ${complaints.join('; ')}`);
    }
    expect(failures).toEqual([]);
  });
});
