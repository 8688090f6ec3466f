import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/contract/load/load.js';
import { MockError } from '../../src/base/errors.js';
import { HINT_ROWS, HINT_SCHEMA } from '../../src/resources/infer/hint-grammar.js';
import { inferResources } from '../../src/resources/infer/infer.js';
import { json, sends, toDocument } from '../operation-parts.js';
import { BOOLEAN, object, TEXT } from '../schema-parts.js';
import { createShopDocument } from './shop-document.js';
import { openShop } from './shop.js';
import { loadCases } from '../load-cases.js';

type Tree = Record<string, unknown>;

/** The shop document with hints on it: on the document, and on operations by path and method. */
function withHints(document: unknown, operations: Readonly<Record<string, unknown>> = {}): object {
  const shop = createShopDocument();
  const paths = structuredClone(shop['paths']) as Record<string, Record<string, Tree>>; // paths hold methods, as written there
  for (const [place, hint] of Object.entries(operations)) {
    const [method = '', path = ''] = place.split(' ');
    const operation = paths[path]?.[method];
    if (operation === undefined) throw new Error(`the shop has no ${place}`);
    operation['x-mock'] = hint;
  }
  return { ...shop, paths, ...(document === undefined ? {} : { 'x-mock': document }) };
}

async function fail(document: object): Promise<MockError> {
  try {
    inferResources(await loadContract(document));
  } catch (error) {
    if (error instanceof MockError) return error;
    throw error;
  }
  throw new Error('the hints were accepted');
}

describe('a hint', () => {
  it('false leaves an operation to examples and schemas', async () => {
    const contract = await loadContract(withHints(undefined, { 'get /orders': false }));
    const resources = inferResources(contract);
    expect(resources.bindings.has('listOrders')).toBe(false);
    expect(resources.unbound.find(({ operation }) => operation.id === 'listOrders')?.why).toContain('x-mock: false');
  });

  it('overrides what was inferred of an operation, and is certain', async () => {
    const hint = { collection: 'invoices', action: 'act', set: { status: 'paid' }, id: 'order_id' };
    const contract = await loadContract(withHints(undefined, { 'post /orders/{order_id}/cancel': hint }));
    const binding = inferResources(contract).bindings.get('cancelOrder');
    expect(binding).toMatchObject({
      collection: 'invoices',
      action: 'act',
      set: { status: 'paid' },
      id: ['order_id'],
      confidence: 1,
    });
  });

  it('overrides what was inferred of a collection, and leaves the rest', async () => {
    const hints = {
      unknownIds: 'not-found',
      collections: { orders: { once: ['note'], unique: ['reference'], unknownIds: 'create' } },
    };
    const resources = inferResources(await loadContract(withHints(hints)));
    expect(resources.unknownIds).toBe('not-found');
    expect(resources.collections.get('orders')).toMatchObject({
      once: ['note'],
      unique: ['reference'],
      unknownIds: 'create',
      idProperty: 'id',
      schema: '/components/schemas/Order',
    });
  });
});

describe('an invalid hint stops the start', () => {
  interface Case extends Readonly<Record<'name' | 'place' | 'message' | 'hint', string>> {
    readonly document: unknown;
    readonly operations: Readonly<Record<string, unknown>>;
  }

  it.each(loadCases<readonly Case[]>('state/hints.yaml'))(
    '$name',
    async ({ document, operations, place, message, hint }) => {
      const error = await fail(withHints(document, operations));
      expect(error.code).toBe('HINT_INVALID');
      expect(error.toString()).toContain(place);
      expect(error.message).toContain(message);
      expect(error.hint ?? '').toContain(hint);
    },
  );
});

describe('the hint `missing`', () => {
  const channel = object({ id: TEXT, name: TEXT }, 'id', 'name');
  const answer = object({ ok: BOOLEAN, error: TEXT, channel }, 'ok');
  const missing = { body: { ok: false, error: 'channel_not_found' } };
  const post = (name: string, sent: object, more: object = {}): Tree => ({
    [`/conversations.${name}`]: {
      post: { ...sends(sent), ...more, responses: { 200: json(answer), 404: json(answer) } },
    },
  });
  const toSpec = (hints: object, more: object = {}): Tree => ({
    ...toDocument({
      ...post('create', object({ name: TEXT }, 'name')),
      ...post('info', object({ channel: TEXT }, 'channel'), more),
    }),
    'x-mock': hints,
  });

  it('is the answer for an unknown item, of a collection or of one operation', async () => {
    for (const spec of [
      toSpec({ unknownIds: 'not-found', collections: { conversations: { missing } } }),
      toSpec({ unknownIds: 'not-found' }, { 'x-mock': { missing } }),
    ]) {
      const { send } = await openShop({ spec });
      const created = (await send('POST', '/conversations.create', { name: 'general' })).body['channel'] as Tree;
      expect((await send('POST', '/conversations.info', { channel: created['id'] })).body).toMatchObject({
        channel: created,
      });
      const { status, body } = await send('POST', '/conversations.info', { channel: 'nope' });
      expect([status, body]).toEqual([200, missing.body]);
    }
  });

  it('is refused where the operation does not declare its status', async () => {
    const error = await fail(toSpec({}, { 'x-mock': { missing: { ...missing, status: 299 } } }));
    expect(error.message).toMatch(/HINT_INVALID.*declares no status 299/);
    expect(error.hint).toBe('it declares 200, 404');
  });
});

it('docs/x-mock.schema.json is the schema that hints are checked by', async () => {
  const text = await readFile(new URL('../../docs/x-mock.schema.json', import.meta.url), 'utf8');
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(HINT_SCHEMA)));
});

it.each(['operation', 'document', 'collection'] as const)('docs/state.md has the table of hints on: %s', async (of) => {
  const text = await readFile(new URL('../../docs/state.md', import.meta.url), 'utf8');
  // A property that a table above has with the same row refers to it.
  const tables = ['operation', 'document', 'collection'] as const;
  const above = new Set(tables.slice(0, tables.indexOf(of)).flatMap((each) => HINT_ROWS[each]));
  const rows = HINT_ROWS[of].map((row) =>
    above.has(row) ? `${/^\| `\w+` \| /u.exec(row)?.[0] ?? ''}As above. | |` : row,
  );
  expect(text).toContain(`| --- | --- | --- |\n${rows.join('\n')}\n\n`);
});
