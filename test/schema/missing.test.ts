import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isObject } from '../../src/base/json.js';
import { loadContract } from '../../src/contract/load/load.js';
import { createGenerator } from '../../src/generate/generate.js';
import { listMissing, listUnfit } from '../../src/schema/fields.js';
import { createValidators } from '../../src/schema/validate.js';
import { documentOf } from '../contract/loading.js';

const STRING = { type: 'string' };

const NODE = {
  type: 'object',
  required: ['name', 'secret', 'a/b'],
  properties: {
    name: STRING,
    'a/b': STRING,
    secret: { type: 'string', writeOnly: true },
    size: { type: 'integer' },
    next: { $ref: '#/components/schemas/Subject' },
  },
  allOf: [{ $ref: '#/components/schemas/Base' }],
};

const BASE = { type: 'object', required: ['id'], properties: { id: STRING, kind: { enum: ['node'] } } };

const POINTER = '/components/schemas/Subject';

const loadSubject = () => loadContract(documentOf('3.1.0', NODE, { Base: BASE }), { cacheFolder: false });

describe('what a body lacks', () => {
  it.each<readonly [string, unknown, readonly string[]]>([
    ['nothing', { name: 'n', 'a/b': '', id: '1' }, []],
    ['properties of its own and of a part', {}, ['/name', '/a~1b', '/id']],
    [
      'a property inside of another one',
      { name: 'n', 'a/b': '', id: '1', next: { name: 'm', id: '2' } },
      ['/next/a~1b'],
    ],
    ['all, where it is not an object', 'text', []],
  ])('is known without an explanation: %s', async (_, body, missing) => {
    const contract = await loadSubject();
    expect(listMissing(contract, POINTER, body)).toEqual(missing);
    const violations = createValidators(contract).check(POINTER, 'response')(body, 'body');
    const required = violations.filter(({ code }) => code === 'REQUIRED').map(({ pointer }) => pointer);
    expect(required.toSorted()).toEqual([...missing].toSorted());
  });

  it(
    'is the same as explained, for every answer of several documents without one of its members',
    { tags: 'slow' },
    async () => {
      const folder = resolve(import.meta.dirname, '../documents/lifecycle');
      let compared = 0;
      for (const file of readdirSync(folder).filter((name) => name.endsWith('.yaml'))) {
        const contract = await loadContract(resolve(folder, file), { cacheFolder: false });
        const validators = createValidators(contract);
        const generator = createGenerator(contract, validators);
        const contents = contract.operations.flatMap(({ responses }) => responses.flatMap(({ content }) => content));
        for (const { schema, schemaPointer } of contents) {
          // The explanation of alternatives names what the nearest of them requires.
          if (schema === undefined || /"(?:oneOf|anyOf)"/.test(JSON.stringify(contract.resolve(schema, schemaPointer))))
            continue;
          const whole = generator.value(schemaPointer, { seed: 1, key: schemaPointer, direction: 'response', now: 0 });
          for (const name of isObject(whole) ? Object.keys(whole) : []) {
            const { [name]: _, ...body } = whole as Readonly<Record<string, unknown>>;
            const violations = validators.check(schemaPointer, 'response')(body, 'body');
            if (violations.some(({ code }) => code !== 'REQUIRED')) continue;
            compared += 1;
            expect(listMissing(contract, schemaPointer, body), `${file} ${schemaPointer} ${name}`).toEqual(
              violations.map(({ pointer }) => pointer),
            );
          }
        }
      }
      expect(compared).toBeGreaterThan(100);
    },
  );
});

it.each<readonly [string, Readonly<Record<string, unknown>>, readonly string[]]>([
  ['nothing', { name: 'n', other: 1 }, []],
  [
    'members of the schema and of a part of it',
    { name: 1, size: 'large', id: '1', kind: 'leaf' },
    ['name', 'size', 'kind'],
  ],
  ['a member that lacks something', { name: 'n', next: { name: 'm' } }, ['next']],
])('what does not fit in a body is known without an explanation: %s', async (_, body, unfit) => {
  const contract = await loadSubject();
  const validators = createValidators(contract);
  expect(listUnfit(contract, validators, { schemaPointer: POINTER, body })).toEqual(unfit);
});
