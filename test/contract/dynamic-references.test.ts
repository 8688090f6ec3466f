import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/contract/load/load.js';
import type { Contract } from '../../src/contract/contract.js';
import { createMock } from '../../src/index.js';
import { inferResources } from '../../src/resources/infer/infer.js';
import { createValidators } from '../../src/schema/validate.js';
import { writeTypes } from '../../src/tools/types/write-types.js';
import { finds, inPath, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, INTEGER, object, type Part, ref, TEXT } from '../schema-parts.js';
import { documentOf, listProblems, loadFiles } from './loading.js';

/** A dynamic anchor with a schema, as `$defs` have it. */
const anchor = (name: string, schema: Part = {}): Part => ({ [name]: { $dynamicAnchor: name, ...schema } });

const FERRY = object({ id: TEXT, name: TEXT }, 'name');
const CREW = object({ rank: INTEGER }, 'rank');

/** A list whose rows the schemas that refer to it describe. */
const LISTING = {
  ...object({ rows: { ...arrayOf({ $dynamicRef: '#row' }), minItems: 1 } }, 'rows'),
  $defs: anchor('row'),
};

/** Whether a contract accepts a value as a shared schema, in requests and in answers. */
function accepts(contract: Contract, name: string, value: unknown): boolean {
  const validators = createValidators(contract);
  const [asked, answered] = (['request', 'response'] as const).map(
    (direction) => validators.check(`/components/schemas/${name}`, direction)(value, 'body').length === 0,
  );
  expect(asked).toBe(answered);
  return asked === true;
}

const load = (schemas: Part): Promise<Contract> => loadContract(toDocument({}, schemas));

describe('a template', () => {
  // Resources of their own, and schemas of the one resource that the document is.
  it.each([
    ['with an $id', (name: string): Part => ({ $id: `https://harbor.test/${name}` }), 'listing'],
    ['without $id', (): Part => ({}), '#/components/schemas/Listing'],
  ])('%s is bound by each schema that refers to it', async (_, identify, listing) => {
    const contract = await load({
      Listing: { ...identify('listing'), ...LISTING },
      Ferries: { ...identify('ferries'), $defs: anchor('row', FERRY), $ref: listing },
      Crews: { ...identify('crews'), $defs: anchor('row', CREW), allOf: [{ $ref: listing }] },
    });
    expect(contract.problems).toEqual([]);
    expect(accepts(contract, 'Ferries', { rows: [{ name: 'Tern' }] })).toBe(true);
    expect(accepts(contract, 'Ferries', { rows: [{ rank: 1 }] })).toBe(false);
    expect(accepts(contract, 'Crews', { rows: [{ rank: 1 }] })).toBe(true);
    expect(accepts(contract, 'Crews', { rows: [{ name: 'Tern' }] })).toBe(false);
    expect(accepts(contract, 'Listing', { rows: [7] })).toBe(true);
    expect(accepts(contract, 'Listing', { rows: [] })).toBe(false);
  });

  it('has two bindings at once, through two levels of references', async () => {
    const contract = await load({
      Log: {
        ...object({ rows: arrayOf({ $dynamicRef: '#row' }), note: { $dynamicRef: '#note' } }),
        $defs: { ...anchor('row'), ...anchor('note', TEXT) },
      },
      Counted: { $ref: '#/components/schemas/Log', ...object({ total: INTEGER }), $defs: anchor('note', INTEGER) },
      CrewLog: { allOf: [ref('Counted')], $defs: anchor('row', CREW) },
      FerryLog: { allOf: [ref('Counted')], $defs: { ...anchor('row', FERRY), ...anchor('note', { type: 'null' }) } },
    });
    expect(accepts(contract, 'CrewLog', { rows: [{ rank: 1 }], note: 1, total: 1 })).toBe(true);
    expect(accepts(contract, 'CrewLog', { rows: [{ rank: 'a' }] })).toBe(false);
    expect(accepts(contract, 'CrewLog', { note: 'a' })).toBe(false);
    expect(accepts(contract, 'CrewLog', { total: 'a' })).toBe(false);
    // The outermost one wins.
    expect(accepts(contract, 'FerryLog', { rows: [{ name: 'Tern' }], note: null })).toBe(true);
    expect(accepts(contract, 'FerryLog', { note: 1 })).toBe(false);
    expect(accepts(contract, 'Counted', { rows: ['any'], note: 1 })).toBe(true);
    expect(accepts(contract, 'Log', { note: 'a' })).toBe(true);
    expect(accepts(contract, 'Log', { note: 1 })).toBe(false);
  });

  it('that has no anchor of its own is bound, and accepts anything by itself', async () => {
    const contract = await load({
      Listing: object({ rows: arrayOf({ $dynamicRef: '#row' }) }),
      Ferries: { $ref: '#/components/schemas/Listing', $defs: anchor('row', FERRY) },
      Crews: { $ref: '#/components/schemas/Listing', $defs: anchor('row', CREW) },
    });
    expect(contract.problems).toEqual([]);
    expect(accepts(contract, 'Crews', { rows: [{ name: 'Tern' }] })).toBe(false);
    expect(accepts(contract, 'Listing', { rows: [{ name: 'Tern' }, 1] })).toBe(true);
  });

  it('is bound by each property that has definitions', async () => {
    const contract = await load({
      Listing: LISTING,
      Port: object({
        ferries: { ...ref('Listing'), $defs: anchor('row', FERRY) },
        crews: { ...ref('Listing'), $defs: anchor('row', CREW) },
      }),
    });
    expect(accepts(contract, 'Port', { ferries: { rows: [{ name: 'a' }] }, crews: { rows: [{ rank: 1 }] } })).toBe(
      true,
    );
    expect(accepts(contract, 'Port', { ferries: { rows: [{ rank: 1 }] } })).toBe(false);
    expect(accepts(contract, 'Port', { crews: { rows: [{ name: 'a' }] } })).toBe(false);
  });

  it('and the schema that binds it are in other files, and mistakes are reported once, where they are', async () => {
    const contract = await loadFiles({
      'main.yaml': JSON.stringify(
        toDocument(
          {},
          {
            Ferries: { $ref: 'ferries.yaml' },
            Crews: { $ref: 'templates.yaml#/Listing', $defs: anchor('row', { $ref: 'crew.yaml' }) },
          },
        ),
      ),
      'ferries.yaml':
        '$ref: "templates.yaml#/Listing"\n$defs: {row: {$dynamicAnchor: row, type: object, required: [name]}}\n',
      'templates.yaml': [
        'Listing:',
        '  type: object',
        '  properties:',
        '    rows: {type: array, items: {$dynamicRef: "#row"}}',
        '    total: {type: integer, minimum: "1"}',
        '    first: {$dynamicRef: "crew.yaml#rank"}',
        '  $defs: {row: {$dynamicAnchor: row}}',
      ].join('\n'),
      'crew.yaml': 'type: object\nrequired: [rank]\n$defs: {rank: {$dynamicAnchor: rank, type: integer}}\n',
    });
    expect(contract.problems.map(({ code, at }) => `${code} ${at.file} ${at.line}`)).toEqual([
      'SCHEMA_REPAIRED templates.yaml 5',
    ]);
    expect(accepts(contract, 'Ferries', { rows: [{ name: 'Tern' }] })).toBe(true);
    expect(accepts(contract, 'Ferries', { rows: [{ rank: 1 }] })).toBe(false);
    expect(accepts(contract, 'Crews', { rows: [{ name: 'Tern' }] })).toBe(false);
    expect(accepts(contract, 'Crews', { first: 'a' })).toBe(false);
  });
});

describe('a schema that contains itself', () => {
  const route = { ...object({ name: TEXT, legs: arrayOf({ $dynamicRef: '#route' }) }), $dynamicAnchor: 'route' };
  const schemas = {
    Route: route,
    Closed: { $dynamicAnchor: 'route', ...ref('Route'), unevaluatedProperties: false },
    Timed: { $dynamicAnchor: 'route', allOf: [ref('Route')], required: ['hours'], properties: { hours: INTEGER } },
  };

  it('is extended at every level', async () => {
    const contract = await load(schemas);
    expect(contract.problems).toEqual([]);
    expect(accepts(contract, 'Timed', { hours: 1, legs: [{ hours: 2, legs: [{ hours: 3 }] }] })).toBe(true);
    expect(accepts(contract, 'Timed', { hours: 1, legs: [{ hours: 2, legs: [{ name: 'a' }] }] })).toBe(false);
    expect(accepts(contract, 'Closed', { legs: [{ legs: [{ name: 'a' }] }] })).toBe(true);
    expect(accepts(contract, 'Closed', { legs: [{ legs: [{ hours: 1 }] }] })).toBe(false);
    expect(accepts(contract, 'Route', { legs: [{ legs: [{ hours: 'any' }] }] })).toBe(true);
    expect(accepts(contract, 'Route', { legs: [{ legs: [{ name: 1 }] }] })).toBe(false);
  });

  it('has types that extend it at every level', async () => {
    const types = writeTypes(await load(schemas), []).replaceAll(/\s+/g, ' ');
    expect(types).toContain('Route: { name?: string; legs?: components["schemas"]["Route"][]; };');
    expect(types).toContain('Route_Timed: { name?: string; legs?: components["schemas"]["Timed"][]; };');
    expect(types).toContain('Closed: components["schemas"]["Route_Closed"]');
  });
});

describe('the operations of a template', () => {
  const inline = { ...ref('Listing'), $defs: anchor('row', ref('Crew')) };
  const document = toDocument(
    {
      '/ferries': {
        get: shows(ref('Ferries')),
        post: takes(ref('Ferry'), ref('Ferry'), 201),
        put: takes(ref('Ferries'), ref('Ferries')),
      },
      '/ferries/{id}': { ...inPath('id'), get: finds(ref('Ferry')) },
      '/crews': { get: shows(inline) },
    },
    {
      Ferry: FERRY,
      Crew: CREW,
      Listing: LISTING,
      Ferries: { ...ref('Listing'), $defs: anchor('row', ref('Ferry')) },
    },
  );

  it('have the items that are bound', async () => {
    const mock = await createMock({ spec: document });
    const crews = (await (await mock.fetch('/crews?__dynamic=true')).json()) as { rows: Part[] };
    expect(crews.rows.length).toBeGreaterThan(0);
    for (const row of crews.rows) expect(row).toEqual({ rank: expect.any(Number) as number });
    const headers = { 'content-type': 'application/json' };
    await mock.fetch('/ferries', { method: 'POST', headers, body: '{"name":"Tern"}' });
    expect(await (await mock.fetch('/ferries')).json()).toMatchObject({
      rows: expect.arrayContaining([expect.objectContaining({ name: 'Tern' })]) as unknown[],
    });
    const { collections } = inferResources(await loadContract(document));
    expect([...collections.values()].map(({ schema }) => schema)).toEqual([
      '/components/schemas/Ferry',
      '/components/schemas/Crew',
    ]);
  });

  it('refuse other items, and name the place in the document', async () => {
    const mock = await createMock({ spec: document });
    const headers = { 'content-type': 'application/json' };
    const { status } = await mock.fetch('/ferries', { method: 'PUT', headers, body: '{"rows":[{"rank":1}]}' });
    const empty = await mock.fetch('/ferries', { method: 'PUT', headers, body: '{"rows":[]}' });
    expect([status, empty.status]).toEqual([400, 400]);
    const places = mock.journal.interactions
      .flatMap(({ violations }) => violations.filter(({ severity }) => severity === 'error'))
      .map(({ pointer, schemaPointer = '' }) => [pointer, mock.contract.locate(schemaPointer).pointer]);
    expect(places).toEqual([
      ['/rows/0/name', '/components/schemas/Ferry/required'],
      ['/rows', '/components/schemas/Listing/properties/rows/minItems'],
    ]);
  });
});

describe('a $dynamicRef', () => {
  it('beside a $ref applies as well', async () => {
    const contract = await loadContract(
      documentOf('3.1.0', { ...ref('Named'), $dynamicRef: '#other' }, { Named: FERRY, Other: anchor('x', CREW)['x'] }),
    );
    expect(listProblems(contract)).toEqual(['REFERENCE_UNRESOLVED /components/schemas/Subject/$ref']);
    const both = await loadContract(
      documentOf('3.1.0', { ...ref('Named'), $dynamicRef: '#x' }, { Named: FERRY, Other: anchor('x', CREW)['x'] }),
    );
    expect(accepts(both, 'Subject', { name: 'a', rank: 1 })).toBe(true);
    expect(accepts(both, 'Subject', { name: 'a' })).toBe(false);
    expect(accepts(both, 'Subject', { rank: 1 })).toBe(false);
  });

  it('to an anchor that is not dynamic is a $ref to it', async () => {
    const contract = await load({
      Listing: { ...object({ row: { $dynamicRef: '#row' } }), $defs: { row: { $anchor: 'row', ...FERRY } } },
      Crews: { ...ref('Listing'), $id: 'https://harbor.test/crews', $defs: anchor('row', CREW) },
    });
    expect(accepts(contract, 'Crews', { row: { name: 'a' } })).toBe(true);
    expect(accepts(contract, 'Crews', { row: { rank: 1 } })).toBe(false);
  });

  it('is also found where an overlay adds it', async () => {
    const overlay = {
      overlay: '1.0.0',
      info: { title: 'o', version: '1' },
      actions: [
        {
          target: '$.components.schemas',
          update: { Listing: LISTING, Crews: { ...ref('Listing'), $defs: anchor('row', CREW) } },
        },
      ],
    };
    const main = JSON.stringify(documentOf('3.1.0', {}));
    const files = { 'main.json': main, 'overlay.json': JSON.stringify(overlay) };
    const contract = await loadFiles(files, { overlays: ['overlay.json'] });
    expect(accepts(contract, 'Crews', { rows: [{ rank: 'a' }] })).toBe(false);
  });
});

it('more copies of schemas than the limit are reported once, and accept anything', async () => {
  // Each of 50 schemas refers to all others, and binds the anchor that all of them use.
  const names = Array.from({ length: 50 }, (_, i) => `Pier${i}`);
  const links = Object.fromEntries(names.map((name) => [name, ref(name)]));
  const schemas = names.map((name): [string, Part] => [
    name,
    { ...object({ ...links, next: { $dynamicRef: '#pier' } }), $dynamicAnchor: 'pier' },
  ]);
  const contract = await load(Object.fromEntries(schemas));
  expect(contract.problems).toEqual([
    expect.objectContaining({ code: 'DYNAMIC_REFERENCES', severity: 'error' }) as object,
  ]);
  expect(accepts(contract, 'Pier0', { Pier1: { next: {} } })).toBe(true);
});

it('a document without $dynamicRef has no copies', async () => {
  const contract = await load({ Ferry: { ...FERRY, $dynamicAnchor: 'ferry' }, Port: object({ ferry: ref('Ferry') }) });
  expect(contract.at('/x-vouch-files')).toBeUndefined();
  expect(contract.at('/components/schemas/Port/properties/ferry')).toEqual(ref('Ferry'));
});
