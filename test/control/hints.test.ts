import { expect, it } from 'vitest';
import { createMock, loadContract, type MockOptions } from '../../src/index.js';
import {
  arrayOf,
  finds,
  inPath,
  object,
  pathParameter,
  query,
  shows,
  takes,
  TEXT,
  toDocument,
} from '../document-parts.js';
import { readContract } from './control-client.js';

// The inspector shows these hints, which a person copies and corrects.

const ITEM = object({ id: TEXT, name: TEXT });

const DOCUMENTS: readonly (readonly [name: string, spec: NonNullable<MockOptions['spec']>])[] = [
  ['the built-in document', 'spec/openapi.yaml'],
  ['examples/compose', 'examples/compose/api/openapi.yaml'],
  [
    'collections below two others',
    toDocument({
      '/shops': { get: shows(arrayOf(ITEM)), post: takes(ITEM, ITEM, 201) },
      '/shops/{shop}': { get: finds(ITEM), ...inPath('shop') },
      '/shops/{shop}/halls': { get: shows(arrayOf(ITEM)), ...inPath('shop') },
      '/shops/{shop}/halls/{hall}/seats': { get: shows(arrayOf(ITEM)), ...inPath('shop', 'hall') },
      '/shops/{shop}/halls/{hall}/seats/{seat}': { delete: shows(ITEM), ...inPath('shop', 'hall', 'seat') },
    }),
  ],
  [
    'an id in the query and in the body',
    toDocument({
      '/notes.list': { get: shows(arrayOf(ITEM)) },
      '/notes.info': { get: { ...finds(ITEM), parameters: [{ ...query('note_id'), required: true }] } },
      '/notes.create': { post: takes(object({ name: TEXT }), ITEM) },
      '/notes.delete': { post: takes(object({ note_id: TEXT }), object({ ok: { type: 'boolean' } })) },
      '/users/{user}/notes': { get: { ...shows(arrayOf(ITEM)), parameters: [pathParameter('user')] } },
    }),
  ],
];

it.each(DOCUMENTS)('the control API writes hints that say the same as was inferred: %s', async (_, spec) => {
  const inferred = await readContract(await createMock({ spec }));
  const { document } = await loadContract(spec);
  const paths = structuredClone(document['paths']) as Record<string, Record<string, Record<string, unknown>>>;
  for (const { method, path, hint } of inferred.operations) {
    const operation = paths[path]?.[method.toLowerCase()];
    if (operation !== undefined && hint !== undefined) operation['x-mock'] = hint;
  }
  const collections = Object.fromEntries(inferred.resources.map(({ name, hint }) => [name, hint]));
  const given = await readContract(await createMock({ spec: { ...document, paths, 'x-mock': { collections } } }));
  expect(given.resources).toEqual(inferred.resources);
  expect(inferred.operations.some(({ hint }) => hint !== undefined)).toBe(true);
  const withoutReason = ({ operations }: typeof given): unknown =>
    operations.map(({ id, collection, hint }) => ({ id, collection, hint }));
  expect(withoutReason(given)).toEqual(withoutReason(inferred));
  for (const { hint, confidence } of given.operations) if (hint !== undefined) expect(confidence).toBe(1);
});
