// @module-tag thorough
import { existsSync } from 'node:fs';
import { registerSchema, unregisterSchema, validate } from '@hyperjump/json-schema/draft-2020-12';
import { describe, expect, it } from 'vitest';
import type { Contract } from '../../src/contract/contract.js';
import { isObject } from '../../src/contract/json.js';
import { createGenerator } from '../../src/generate/generate.js';
import { memoize } from '../../src/memoize.js';
import { createValidators } from '../../src/schema/validate.js';
import { createRandom } from '../../src/random.js';
import { loadDocument } from '../state/real-document.js';
import { NOW } from './one-schema.js';

const FOLDER = '../shared/specs';

/** How many schemas of a document are tried: every one of the small ones, a seeded choice of the huge ones. */
const DOCUMENTS: readonly (readonly [file: string, own: number, second: number])[] = [
  ['petstore-2.0.yaml', Infinity, Infinity],
  ['petstore-3.0.yaml', Infinity, Infinity],
  ['petstore-3.1.json', Infinity, Infinity],
  ['train-travel-3.1.json', Infinity, Infinity],
  ['box.json', Infinity, 60],
  ['openai.yaml', 120, 60],
  ['stripe.yaml', 80, 8],
];

interface Target {
  readonly pointer: string;
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
        found.set(`${direction} ${pointer}`, { pointer, direction });
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

/** Maps from names of the document, in which a key says nothing of what it is. */
const NAMED = new Set([
  'properties',
  'patternProperties',
  'schemas',
  '$defs',
  'dependentSchemas',
  'responses',
  'paths',
  'content',
]);

/**
 * A copy that plain JSON Schema reads as OpenAPI means it: without examples, in which the second validator would look for
 * identifiers, and without the demand for what is only ever sent (OpenAPI 3.1 section 4.8.24: `required` of `writeOnly`).
 */
function toPlainSchema(value: unknown, isNamed = false): unknown {
  if (Array.isArray(value)) return value.map((item) => toPlainSchema(item));
  if (!isObject(value)) return value;
  const { properties } = value;
  const isSecret = (name: unknown): boolean => {
    const property = isObject(properties) && !isNamed ? properties[String(name)] : undefined;
    return isObject(property) && property['writeOnly'] === true;
  };
  const entries = Object.entries(value).filter(
    ([key]) => isNamed || !['example', 'examples', '$id', 'id'].includes(key),
  );
  return Object.fromEntries(
    entries.map(([key, one]) =>
      key === 'required' && Array.isArray(one) && !isNamed
        ? [key, one.filter((name) => !isSecret(name))]
        : [key, toPlainSchema(one, !isNamed && NAMED.has(key))],
    ),
  );
}

/** A document with its generator, which both of its tests use. */
const open = memoize(async (path: string) => {
  const contract = await loadDocument(path);
  const validators = createValidators(contract);
  return { contract, validators, generator: createGenerator(contract, validators) };
});

describe.each(DOCUMENTS)('%s', (file, own, second) => {
  const path = `${FOLDER}/${file}`;
  const isThere = existsSync(path);

  it.skipIf(!isThere)(
    `every generated body fits its schema${isThere ? '' : ` (skipped: ${path} is not there)`}`,
    async () => {
      const { contract, validators, generator } = await open(path);
      const failures: string[] = [];
      const targets = choose(listTargets(contract), own, file);
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
    const uri = `https://vouch.test/${file}`;
    const document = toPlainSchema(contract.document) as Parameters<typeof registerSchema>[0];
    registerSchema(document, uri, 'https://json-schema.org/draft/2020-12/schema');
    const responses = listTargets(contract).filter(({ direction }) => direction === 'response');
    const failures: string[] = [];
    for (const { pointer } of choose(responses, second, file)) {
      const value = generator.value(pointer, { seed: 2, key: pointer, direction: 'response', now: NOW });
      const output = await validate(`${uri}#${encodeURI(pointer)}`, value as never, 'BASIC');
      if (!output.valid) failures.push(`${pointer}: ${JSON.stringify(output.errors?.[0])}`);
    }
    unregisterSchema(uri);
    expect(failures).toEqual([]);
  });
});
