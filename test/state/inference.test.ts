// @module-tag slow
import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/contract/load/load.js';
import { inferResources } from '../../src/resources/infer/infer.js';
import type { Resources } from '../../src/resources/item/resource.js';
import { describeDocument, inferDocument, loadDocument } from './real-document.js';
import { content, pathParameter, sends, toDocument } from '../operation-parts.js';
import { arrayOf, INTEGER, object, TEXT } from '../schema-parts.js';
import { loadCases } from '../load-cases.js';

/** What was found of some operations: `action collection {what it sets}`, or undefined where nothing was. */
function describeBindings(resources: Resources, places: readonly string[]): readonly (string | undefined)[] {
  const all = new Map(
    [...resources.bindings.values()].map((each) => [`${each.operation.method} ${each.operation.path}`, each]),
  );
  return places.map((place) => {
    const binding = all.get(place);
    if (binding === undefined) return undefined;
    const set = Object.values(binding.set).map(String);
    const within = binding.within === undefined ? [] : [`within ${binding.within.property}`];
    return [binding.action, binding.collection, ...set, ...within].join(' ');
  });
}

/** Checked by hand: what each operation does in the real service, as its documentation says; null: nothing with items. */
const KNOWN = loadCases<Readonly<Record<string, Readonly<Record<string, string | null>>>>>('state/inference.yaml');

for (const [file, known] of Object.entries(KNOWN)) {
  describeDocument(file, (spec) => {
    it('is understood the way a reader of its documentation understands it', async () => {
      const resources = await inferDocument(spec);
      const places = Object.keys(known);
      const found = describeBindings(resources, places);
      expect(Object.fromEntries(places.map((place, i) => [place, found[i] ?? null]))).toEqual(known);
    });

    it('shows what each operation does, or why it is not bound', async () => {
      const contract = await loadDocument(spec);
      const { bindings, unbound } = await inferDocument(spec);
      expect(bindings.size + unbound.length).toBe(contract.operations.length);
      for (const { why } of [...bindings.values(), ...unbound]) expect(why).not.toBe('');
      for (const { confidence } of bindings.values()) expect(confidence).toBeGreaterThan(0);
    });
  });
}

const THING = object({ id: TEXT, status: { enum: ['active', 'archived'] } }, 'id');

/** A document from paths to methods to what they answer; `null` answers with nothing. */
async function infer(paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>): Promise<Resources> {
  const contract = await loadContract(
    toDocument(
      Object.fromEntries(
        Object.entries(paths).map(([path, methods]) => [
          path,
          {
            parameters: [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => pathParameter(name ?? '')),
            ...Object.fromEntries(
              Object.entries(methods).map(([method, schema]) => [
                method,
                {
                  ...(/post|put|patch/.test(method) ? sends(THING) : {}),
                  responses: { 200: { description: 'ok', ...(schema === null ? {} : { content: content(schema) }) } },
                },
              ]),
            ),
          },
        ]),
      ),
    ),
  );
  return inferResources(contract);
}

describe('names', () => {
  it.each([
    ['the last word of the path', ['/v1/things/{id}'], ['things']],
    ['the parent before the child', ['/things/{thing_id}/parts/{part_id}'], ['things', 'things.parts']],
    ['more words where one is not enough', ['/a/things/{id}', '/b/things/{id}'], ['a.things', 'b.things']],
    ['the short name for the shorter path', ['/things/{id}', '/b/things/{id}'], ['things', 'b.things']],
    ['no word for a version', ['/v2/shop/things/{id}'], ['things']],
  ])('a collection takes %s', async (_, paths, want) => {
    const resources = await infer(
      Object.fromEntries(paths.map((path, i) => [path, { get: { ...THING, title: `T${i}` } }])),
    );
    expect([...resources.collections.keys()]).toEqual(want);
  });
});

describe('an operation', () => {
  it.each([
    ['a list in an array', '/things', { get: arrayOf(THING) }, 'GET', 'list'],
    ['a list in an envelope', '/things', { get: object({ things: arrayOf(THING) }) }, 'GET', 'list'],
    ['an action after a colon', '/things/{id}:archive', { post: THING }, 'POST', undefined],
    ['PUT without a whole body', '/things/{id}', { get: THING, put: null }, 'PUT', 'update'],
    ['me', '/me', { get: THING }, 'GET', 'read'],
  ])('%s', async (...[, path, methods, method, want]) => {
    const { bindings } = await infer({ [path]: methods });
    const binding = [...bindings.values()].find(({ operation }) => operation.method === method);
    expect(binding?.action).toBe(want);
  });

  it('behind a colon acts on the item whose schema it answers with', async () => {
    const component = { $ref: '#/paths/~1things~1{id}/get/responses/200/content/application~1json/schema' };
    const { bindings } = await infer({ '/things/{id}': { get: THING }, '/things/{id}:archive': { post: component } });
    const binding = [...bindings.values()].find(({ operation }) => operation.method === 'POST');
    expect(binding).toMatchObject({ action: 'act', collection: 'things', set: { status: 'archived' } });
  });
});

describe('an item', () => {
  const issue = object({ id: INTEGER, number: INTEGER, name: TEXT });

  it.each([
    ['{number}', 'number'],
    ['{issue_number}', 'number'],
    ['{issueName}', 'name'],
    ['{issue_id}', 'id'],
    ['{key}', 'id'],
  ])('is known by what the path parameter names: %s', async (parameter, want) => {
    const { collections } = await infer({ [`/issues/${parameter}`]: { get: issue } });
    expect(collections.get('issues')?.idProperty).toBe(want);
  });

  it('is what is changed: a version of it has a longer path', async () => {
    const longFirst = { '/things/{id}/{version}': { get: THING }, '/things/{id}': { get: THING, delete: null } };
    const shortFirst = { '/things/{id}': { get: THING, delete: null }, '/things/{id}/{version}': { get: THING } };
    for (const paths of [longFirst, shortFirst]) {
      const wanted = ['read things', 'delete things', undefined];
      const places = ['GET /things/{id}', 'DELETE /things/{id}', 'GET /things/{id}/{version}'];
      expect(describeBindings(await infer(paths), places)).toEqual(wanted);
    }
  });

  it('has the longer path where the shorter one lists it', async () => {
    const list = arrayOf(THING);
    const resources = await infer({
      '/things/{scope}': { get: list },
      '/things/{scope}/{id}': { get: THING, put: THING },
    });
    const places = ['GET /things/{scope}', 'GET /things/{scope}/{id}', 'PUT /things/{scope}/{id}'];
    expect(describeBindings(resources, places)).toEqual(
      ['list', 'read', 'update'].map((each) => `${each} scopes.things`),
    );
  });
});
