import { describe, expect, it } from 'vitest';
import { openShop } from './shop.js';

const json = (schema: object): object => ({ description: 'ok', content: { 'application/json': { schema } } });
const sends = (schema: object): object => ({ requestBody: { content: { 'application/json': { schema } } } });
const inPath = (...names: readonly string[]): object => ({
  parameters: names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
});
const CLOSED = { state: { unknownIds: 'not-found' } } as const;
const text = { type: 'string' };

const toDocument = (paths: object, schemas: object): Readonly<Record<string, unknown>> => ({
  openapi: '3.1.0',
  info: { title: 'Lists below items', version: '1' },
  paths,
  components: { schemas },
});
const refer = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const toList = (name: string, items: object): object => ({
  type: 'object',
  properties: {
    [name]: { type: 'array', items },
    has_more: { type: 'boolean' },
    next_cursor: { type: ['string', 'null'] },
  },
});

describe('items that are only created and listed below other items', () => {
  const part = { kind: text, label: text };
  const spec = toDocument(
    {
      '/nodes/{node_id}': {
        ...inPath('node_id'),
        get: { responses: { 200: json(refer('Node')) } },
        delete: { responses: { 204: { description: 'gone' } } },
      },
      '/nodes/{node_id}/children': {
        ...inPath('node_id'),
        get: { responses: { 200: json(toList('results', refer('Node'))) } },
        patch: {
          ...sends({
            type: 'object',
            required: ['children'],
            properties: { children: { type: 'array', items: { type: 'object', properties: part } }, after: text },
          }),
          responses: { 200: json(toList('results', refer('Node'))) },
        },
      },
    },
    { Node: { type: 'object', required: ['id'], properties: { id: text, ...part } } },
  );

  it('are created from an array, read at the top and listed below their parent', async () => {
    const { send } = await openShop({ ...CLOSED, spec });
    const sent = [{ kind: 'a', label: 'first' }, { kind: 'b' }];
    const { body } = await send('PATCH', '/nodes/document/children', { children: sent });
    const results = body['results'] as readonly { readonly id: string }[];
    expect(results).toMatchObject(sent);
    for (const node of results) expect((await send('GET', `/nodes/${node.id}`)).body).toEqual(node);
    const below = (await send('PATCH', `/nodes/${String(results[0]?.id)}/children`, { children: [{ kind: 'c' }] }))
      .body;
    expect((await send('GET', `/nodes/${String(results[0]?.id)}/children`)).body).toMatchObject({
      results: below['results'],
    });
    await send('DELETE', `/nodes/${String(results[1]?.id)}`);
    expect((await send('GET', '/nodes/document/children')).body).toMatchObject({ results: [results[0]] });
  });
});

describe('a query by POST below an item', () => {
  const spec = toDocument(
    {
      '/boards': {
        post: { ...sends({ type: 'object', properties: { title: text } }), responses: { 201: json(refer('Board')) } },
      },
      '/boards/{board_id}': { ...inPath('board_id'), get: { responses: { 200: json(refer('Board')) } } },
      '/boards/{board_id}/query': {
        ...inPath('board_id'),
        post: {
          ...sends({ type: 'object', properties: { start_cursor: text, page_size: { type: 'integer' } } }),
          responses: { 200: json(toList('results', refer('Card'))) },
        },
      },
      '/cards': {
        post: {
          ...sends({ type: 'object', required: ['parent'], properties: { parent: refer('Parent'), title: text } }),
          responses: { 201: json(refer('Card')) },
        },
      },
      '/cards/{card_id}': { ...inPath('card_id'), get: { responses: { 200: json(refer('Card')) } } },
    },
    {
      Board: { type: 'object', required: ['id'], properties: { id: text, title: text } },
      Parent: { type: 'object', properties: { kind: text, board_id: text } },
      Card: { type: 'object', required: ['id'], properties: { id: text, parent: refer('Parent'), title: text } },
    },
  );

  it('lists the items of another collection whose parent names that item, page by page', async () => {
    const { send } = await openShop({ ...CLOSED, spec });
    const create = async (path: string, body: object): Promise<Readonly<Record<string, unknown>>> =>
      (await send('POST', path, body)).body;
    const [one, two] = [await create('/boards', { title: 'a' }), await create('/boards', { title: 'b' })];
    const parent = { kind: 'board', board_id: one['id'] };
    const cards = [await create('/cards', { parent, title: 'x' }), await create('/cards', { parent, title: 'y' })];
    const path = `/boards/${String(one['id'])}/query`;
    const first = (await send('POST', path, { page_size: 1 })).body;
    expect(first).toMatchObject({ results: cards.slice(0, 1), has_more: true });
    const second = (await send('POST', path, { page_size: 1, start_cursor: first['next_cursor'] })).body;
    expect(second).toMatchObject({ results: cards.slice(1), has_more: false });
    expect((await send('POST', `/boards/${String(two['id'])}/query`, {})).body).toMatchObject({ results: [] });
  });
});

describe('a create of several items', () => {
  it('answers with the list of them', async () => {
    const tag = { type: 'object', required: ['id', 'name'], properties: { id: text, name: text, color: text } };
    const tags = {
      type: 'array',
      items: { type: 'object', required: ['name'], properties: { name: text, color: text } },
    };
    const { send } = await openShop({
      ...CLOSED,
      spec: toDocument(
        {
          '/tags': {
            get: { responses: { 200: json(toList('tags', refer('Tag'))) } },
            post: {
              ...sends({ type: 'object', required: ['tags'], properties: { tags } }),
              responses: { 200: json(toList('tags', refer('Tag'))) },
            },
          },
          '/tags/{id}': { ...inPath('id'), get: { responses: { 200: json(refer('Tag')) } } },
        },
        { Tag: tag },
      ),
    });
    const { body } = await send('POST', '/tags', { tags: [{ name: 'a', color: 'red' }, { name: 'b' }] });
    const created = body['tags'] as readonly { readonly id: string }[];
    expect(created).toMatchObject([{ name: 'a', color: 'red' }, { name: 'b' }]);
    expect((await send('GET', '/tags')).body).toMatchObject({ tags: created });
    expect((await send('GET', `/tags/${String(created[1]?.id)}`)).body).toEqual(created[1]);
  });
});
