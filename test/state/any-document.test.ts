// @module-tag slow
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMock } from '../../src/index.js';
import { content, json, pathParameter, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, NUMBER, object, ref } from '../schema-parts.js';

const NAMES = ['id', 'name', 'status', 'created_at', 'updated_at', 'size', 'owner', 'tags', 'thing_id', 'type', 'etag'];

/** Schemas that a value fits; nothing in them contradicts the rest. */
const leaf = fc.oneof(
  fc.record({ type: fc.constant('string'), minLength: fc.nat(5), maxLength: fc.integer({ min: 5, max: 9 }) }),
  fc.record({ type: fc.constant('string'), pattern: fc.constantFrom('^[a-z]{3}$', '^x-\\d+$', '^[A-Z]{2}[0-9]{4}$') }),
  fc.record({ type: fc.constant('string'), format: fc.constantFrom('uuid', 'date-time', 'email', 'uri', 'date') }),
  fc.record({ type: fc.constant('integer'), minimum: fc.nat(3), maximum: fc.integer({ min: 9, max: 50 }) }),
  fc.constantFrom(NUMBER, BOOLEAN, { type: ['string', 'null'] }, { enum: ['a', 'b', null] }),
);
const { schema } = fc.letrec<{ readonly schema: object }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 2 },
    leaf,
    fc.record({ type: fc.constant('array'), items: tie('schema'), minItems: fc.nat(2) }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({
      type: fc.constant('object'),
      required: fc.subarray(['a', 'b']),
      properties: fc.record({ a: tie('schema'), b: tie('schema') }),
      additionalProperties: fc.boolean(),
    }),
  ),
}));
const thing = fc
  .record({
    properties: fc.dictionary(fc.constantFrom(...NAMES), schema, { minKeys: 1, maxKeys: 7 }),
    required: fc.subarray(NAMES),
    closed: fc.boolean(),
  })
  .map(toObjectSchema);

function toObjectSchema(drawn: {
  readonly properties: Readonly<Record<string, object>>;
  readonly required: readonly string[];
  readonly closed: boolean;
}): object {
  const { properties, closed } = drawn;
  const required = drawn.required.filter((name) => Object.hasOwn(properties, name));
  return { type: 'object', properties, required, ...(closed ? { additionalProperties: false } : {}) };
}
const requestBody = { content: content({ type: 'object' }) };

function createDocument(item: object): Readonly<Record<string, unknown>> {
  const one = ref('Thing');
  const list = object({ data: arrayOf(one) }, 'data');
  const parameters = [pathParameter('thing_id')];
  return toDocument(
    {
      '/things': { get: { responses: { 200: json(list) } }, post: { requestBody, responses: { 201: json(one) } } },
      '/things/{thing_id}': {
        parameters,
        get: { responses: { 200: json(one) } },
        patch: { requestBody, responses: { 200: json(one) } },
      },
    },
    { Thing: item },
  );
}

it('items created on demand are valid, whatever their schema is and whatever is sent', () =>
  fc.assert(
    fc.asyncProperty(
      thing,
      fc.dictionary(fc.constantFrom(...NAMES), fc.jsonValue({ maxDepth: 1 })),
      async (item, sent) => {
        await using mock = await createMock({ spec: createDocument(item) });
        const body = JSON.stringify(sent);
        // A value of the id renames the item, or is taken: test/state/created-items.test.ts.
        const { name: _name, thing_id: _id, ...kept } = sent;
        const headers = { 'content-type': 'application/json' };
        const ask = async (path: string, init: RequestInit = {}): Promise<number> =>
          (await mock.fetch(path, init)).status;
        expect([
          await ask('/things'),
          await ask('/things/abc'),
          await ask('/things', { method: 'POST', body, headers }),
          await ask('/things/abc', { method: 'PATCH', body: JSON.stringify(kept), headers }),
          await ask('/things/abc'),
          await ask('/things'),
        ]).toEqual([200, 200, 201, 200, 200, 200]);
      },
    ),
    { numRuns: 40 },
  ));
