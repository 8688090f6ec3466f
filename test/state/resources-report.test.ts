import { Ajv2020 } from 'ajv/dist/2020.js';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runResources } from '../../src/cli/commands/resources.js';
import type { OperationReport } from '../../src/resources/answer/report.js';
import { createFolder, createSharedFolder } from '../folders.js';
import { inPath, query, REMOVED, sends, shows } from '../operation-parts.js';
import { arrayOf, INTEGER, object, ref, TEXT } from '../schema-parts.js';
import { loadCases } from '../load-cases.js';

interface Report {
  readonly collections: readonly { readonly name: string; readonly operations: readonly OperationReport[] }[];
}

async function run(spec: string, json: boolean): Promise<string> {
  let text = '';
  await runResources({ spec, json, write: (line) => void (text += `${line}\n`) });
  return text;
}

/** Robots in envelopes, with a create that names properties in other ways, and receipts that share nothing with their create. */
const DOCUMENT = loadCases<Record<string, unknown>>('state/resources-report.yaml');

const spec = join(createSharedFolder({ 'robots.json': JSON.stringify(DOCUMENT) }), 'robots.json');

async function readOperation(id: string): Promise<OperationReport> {
  const report = JSON.parse(await run(spec, true)) as Report;
  const found = report.collections.flatMap(({ operations }) => operations).find(({ operation }) => operation === id);
  if (found === undefined) throw new Error(`no operation ${id}`);
  return found;
}

describe('vouch resources explains', () => {
  it('where the item is in a request and an answer', async () => {
    const { request, answer } = await readOperation('createRobot');
    expect([request?.item, answer?.item]).toEqual(['/robot', '/robot']);
  });

  it('which parameters identify the item and its parents', async () => {
    const { id, parents } = await readOperation('readRobot');
    expect(id).toEqual([{ in: 'path', name: 'robot_uuid' }]);
    expect(parents).toEqual([{ collection: 'fleets', parameters: [{ in: 'path', name: 'fleet' }] }]);
  });

  it('what is stored, under which name, what the server sets, and what the item does not have', async () => {
    const { request } = await readOperation('createRobot');
    expect(request?.stored).toEqual(['displayName', 'owner_id', 'status']);
    expect(request?.notStored).toEqual(['warranty']);
    expect(request?.renamed).toEqual([
      { body: '/displayName', item: '/display_name' },
      { body: '/owner_id', item: '/owner/id' },
    ]);
  });

  it('which query parameters of a write are stored', async () => {
    expect((await readOperation('updateRobot')).query).toEqual(['displayName']);
    expect(await run(spec, false)).toContain('query: stored: displayName');
  });

  it('which parameters select a page and what fills the envelope', async () => {
    const { list } = await readOperation('listRobots');
    expect(list).toMatchObject({
      items: '/robots',
      style: 'page',
      parameters: { page: 'page', limit: 'per_page' },
      maximumLimit: 50,
      envelope: { '/paging/total_items': 'total', '/paging/next': 'next' },
      filters: ['status'],
      search: 'q',
    });
  });

  it('that a create and a read have nothing in common', async () => {
    const { request } = await readOperation('createReceipt');
    expect(request).toMatchObject({ stored: [], notStored: ['scan', 'language'] });
    expect(await run(spec, false)).toContain('nothing is stored: the item has none of the properties scan, language');
  });

  it('the same as text', async () => {
    const lines = (await run(spec, false)).split('\n').map((line) => line.trim());
    expect(lines).toContain('{fleet} identifies the item of fleets; {robot_uuid} identifies the item');
    expect(lines).toContain(
      'request: the item is at /robot; stored: displayName, owner_id, status; not stored: warranty',
    );
    expect(lines).toContain('displayName stored as display_name, owner_id stored as owner.id');
    expect(lines).toContain('pages: page: page, per_page (limit); 20 items by default; at most 50');
    expect(lines).toContain('envelope: /paging/total_items (total), /paging/next (next)');
    expect(lines).toContain('filters: status; search: q');
  });
});

const NOTE = ref('Note');
const NOTES = arrayOf(NOTE);

/** Notes with operations on several of them, on their size, by the value of a property, and on an array of one. */
const NOTES_DOCUMENT = {
  ...DOCUMENT,
  paths: {
    '/notes': {
      get: { operationId: 'listNotes', ...shows(NOTES) },
      put: { operationId: 'putNotes', ...sends(NOTES), ...shows(NOTES) },
      delete: { operationId: 'deleteNotes', parameters: [query('ids')], ...REMOVED },
    },
    '/notes/count': { get: { operationId: 'countNotes', ...shows(object({ count: INTEGER })) } },
    '/notes/latest': { get: { operationId: 'readLatest', ...shows(NOTE) } },
    '/notes/slugs/{slug}': { ...inPath('slug'), get: { operationId: 'readBySlug', ...shows(NOTE) } },
    '/notes/{id}': { ...inPath('id'), get: { operationId: 'readNote', ...shows(NOTE) } },
    '/notes/{id}/tags': {
      ...inPath('id'),
      post: { operationId: 'addTags', ...sends(object({ tags: arrayOf(TEXT) })), ...shows(NOTE) },
    },
  },
  components: { schemas: { Note: object({ id: TEXT, slug: TEXT, tags: arrayOf(TEXT) }) } },
};

it('vouch resources explains operations on several items, on their number and on their arrays', async () => {
  const file = join(createFolder({ 'notes.json': JSON.stringify(NOTES_DOCUMENT) }), 'notes.json');
  const text = (await run(file, false)).replaceAll(/ +/g, ' ');
  for (const line of [
    'batch PUT /notes 0.80 PUT on a collection; its body is an array of items',
    'batch-delete DELETE /notes 0.80 DELETE on a collection; the ids of the items are in "ids"',
    'count GET /notes/count 0.85 "count"; the response is the number of items of the collection',
    'answer: the number of items',
    'latest GET /notes/latest 0.85 "latest"; the response is an item of the collection',
    'only the items whose slug is {slug}',
    'elements POST /notes/{id}/tags 0.80 POST; it adds to "tags" of the item',
  ]) {
    expect(text).toContain(line);
  }
});

describe('docs/resources.schema.json', () => {
  it('describes every property of the reports, and no other', { tags: 'slow' }, async () => {
    const schema = JSON.parse(await readFile('docs/resources.schema.json', 'utf8')) as object;
    const validate = new Ajv2020({ allErrors: true }).compile(schema);
    const documents = (await readdir('test/documents/lifecycle')).filter((name) => name.endsWith('.yaml'));
    const specs = [spec, 'spec/openapi.yaml', ...documents.map((name) => join('test/documents/lifecycle', name))];
    const found = new Set<string>();
    for (const each of specs) {
      const report: unknown = JSON.parse(await run(each, true));
      validate(report);
      expect(validate.errors, each).toBeNull();
      collectNames(report, found);
    }
    // Hints and presets are in no document here.
    const missing = listProperties(schema).filter((name) => !found.has(name) && !/^(unknownIds|preset)$/.test(name));
    expect(missing).toEqual([]);
  });
});

function collectNames(value: unknown, into: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    into.add(name);
    collectNames(inner, into);
  }
}

/** The names of all properties that a schema declares. */
function listProperties(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([name, inner]: [string, unknown]) => {
    const own = name === 'properties' ? Object.keys(inner as object) : [];
    return own.concat(listProperties(inner));
  });
}

describe('vouch resources with filters', () => {
  const show = async (filters: object): Promise<readonly string[]> => {
    const lines: string[] = [];
    await runResources({ spec, ...filters, write: (line) => lines.push(...line.split('\n')) });
    return lines;
  };

  it('begins with a summary of the document, also where it shows a part of it', async () => {
    const [whole] = await show({});
    const [first, ...rest] = await show({ collection: 'fleets' });
    expect(first).toBe(whole);
    expect(first).toMatch(/collections?, \d+ of \d+ operations bound$/);
    expect(rest.filter((line) => /^\w/.test(line)).every((line) => line.startsWith('fleets'))).toBe(true);
  });

  it('shows one operation, and those with a low confidence', async () => {
    const isOperation = (line: string): boolean => / {2}\d\.\d\d {2}/.test(line);
    expect((await show({ operation: 'readRobot' })).filter(isOperation)).toHaveLength(1);
    const low = (await show({ below: '0.9' })).filter(isOperation);
    expect(low.length).toBeGreaterThan(0);
    for (const line of low) expect(Number(/ {2}(\d\.\d\d) {2}/.exec(line)?.[1])).toBeLessThan(0.9);
  });

  it.each([
    ['an unknown operation', { operation: 'readRobto' }, 'did you mean "readRobot"?'],
    ['a confidence that is no number', { below: 'low' }, '--below must be a number from 0 to 1, got "low"'],
  ])('refuses %s', async (_, filters, says) => {
    await expect(show(filters)).rejects.toThrow(says);
  });
});
