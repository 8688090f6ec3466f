import { expect, it } from 'vitest';
import type { Contract } from '../../src/contract/contract.js';
import { loadContract } from '../../src/contract/load/load.js';
import { createGenerator } from '../../src/generate/generate.js';
import { createMergeSchemas } from '../../src/generate/values/merge-schemas.js';
import { createValidators } from '../../src/schema/validate.js';
import { inferResources } from '../../src/state/inference/infer.js';
import { createItemModels } from '../../src/state/item-models.js';
import { ref, arrayOf, pathParameter, object, TEXT, toDocument } from '../document-parts.js';

const reference = ref('Pet');
const content = { 'application/json': { schema: reference } };
const list = { 'application/json': { schema: arrayOf(reference) } };
const id = pathParameter('id');
const responses = { 200: { description: 'ok', content } };
const DOCUMENT = toDocument(
  {
    '/pets': {
      get: { responses: { 200: { description: 'ok', content: list } } },
      post: { requestBody: { content }, responses: { 201: { description: 'created', content } } },
    },
    '/pets/{id}': { parameters: [id], get: { responses } },
  },
  {
    Pet: object({ id: TEXT, name: TEXT, owner: ref('Owner') }, 'id', 'name', 'owner'),
    Owner: object({ name: TEXT }),
    Visit: object({ payer: ref('Owner'), guest: ref('Owner') }),
  },
);

/** A contract that lists the pointers of the schemas that are read. */
async function loadWatched(): Promise<{ readonly contract: Contract; readonly reads: string[] }> {
  const contract = await loadContract(DOCUMENT);
  const reads: string[] = [];
  return { contract: { ...contract, at: (pointer) => (reads.push(pointer), contract.at(pointer)) }, reads };
}

it('request bodies are read when an item is written, and not when items are read', async () => {
  const { contract, reads } = await loadWatched();
  const resources = inferResources(contract);
  const validators = createValidators(contract);
  const parts = { contract, validators, generator: createGenerator(contract, validators), resources };
  reads.length = 0;
  const model = createItemModels(parts).model('pets');
  expect(model.check({ id: 'a', name: 'Rex', owner: {} })).toEqual([]);
  const readsOfBodies = (): readonly string[] => reads.filter((pointer) => pointer.includes('requestBody'));
  expect(readsOfBodies()).toEqual([]);
  expect(model.accepts('name')).toBe(true);
  expect(readsOfBodies()).not.toEqual([]);
});

it('all references to a component share one merged schema', async () => {
  const { contract } = await loadWatched();
  const merge = createMergeSchemas(contract);
  const visit = merge([{ schema: ref('Visit'), pointer: '/paths/~1visits/schema' }]);
  const [payer = [], guest = []] = [visit.properties.get('payer'), visit.properties.get('guest')];
  expect(payer).not.toEqual(guest);
  expect(merge(payer)).toBe(merge(guest));
});
