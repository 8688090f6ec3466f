// @module-tag slow
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createMock, loadContract, type Mock, type MockOptions } from '../../src/index.js';
import { AUTHORIZED, jsonInit } from '../describe-both.js';
import { describeDocument } from '../state/real-document.js';
import { pathParameter, sends, toDocument } from '../operation-parts.js';
import { arrayOf, object, ref, TEXT } from '../schema-parts.js';

const ORDER = object(
  {
    id: TEXT,
    name: { type: 'string', minLength: 3 },
    placed_at: { type: 'string', format: 'date-time' },
    tags: object({ color: TEXT }, 'color'),
  },
  'id',
  'name',
  'placed_at',
  'tags',
);
/** What a list shows of an order, with a property that orders do not have. */
const VIEW = object(
  { id: TEXT, name: { type: 'string', minLength: 3 }, shown_at: { type: 'string', format: 'date-time' } },
  'id',
  'name',
  'shown_at',
);
const LIST = object(
  {
    data: arrayOf(VIEW),
    request_id: { type: 'string', format: 'uuid' },
    served_at: { type: 'string', format: 'date-time' },
  },
  'data',
  'request_id',
  'served_at',
);
const json = (schema: object, more: object = {}): object => ({
  description: 'ok',
  content: { 'application/json': { schema, ...more } },
});
const ITEM = ref('Order');
const NEW = object({ name: { type: 'string', minLength: 3 } }, 'name');
const ID = pathParameter('id');
const ERROR = object({ message: TEXT, incident: { type: 'string', format: 'uuid' } }, 'message', 'incident');
const SHOP = toDocument(
  {
    '/orders': {
      get: { operationId: 'listOrders', responses: { 200: json(LIST), default: json(ERROR) } },
      post: { operationId: 'createOrder', ...sends(NEW), responses: { 201: json(ITEM), default: json(ERROR) } },
    },
    '/orders/{id}': {
      parameters: [ID],
      get: { operationId: 'readOrder', responses: { 200: json(ITEM), default: json(ERROR) } },
      delete: { operationId: 'deleteOrder', responses: { 204: { description: 'gone' }, default: json(ERROR) } },
    },
    '/quote': {
      get: { operationId: 'readQuote', responses: { 200: json(ITEM, { example: { id: 'q', name: 'no' } }) } },
    },
    '/motto': {
      get: {
        operationId: 'readMotto',
        responses: { 200: json({ type: 'object' }, { example: { words: ['keep', 'calm'] } }), default: json(ERROR) },
      },
    },
  },
  { Order: ORDER },
);

const ASKED: readonly (readonly [path: string, init?: RequestInit])[] = [
  ['/orders'],
  ['/orders', jsonInit('POST', { name: 'Desk' })],
  ['/orders', jsonInit('POST', { name: 'x' })],
  ['/orders/none'],
  ['/orders/none', { method: 'DELETE' }],
  ['/orders?page=2'],
  ['/quote'],
  ['/motto'],
  ['/nowhere'],
  ['/orders'],
];

const SETTINGS: readonly MockOptions[] = [
  {},
  { seed: 7 },
  { clock: '2031-05-06T07:08:09Z' },
  { strict: true },
  { state: false },
  { state: { unknownIds: 'not-found', initialItems: 1 } },
  { responses: { examples: 'verbatim' } },
  { fixtures: { orders: [{ id: 'o1', name: 'Lamp', placed_at: '2026-01-01T00:00:00Z', tags: { color: 'red' } }] } },
  { handlers: { readMotto: ({ json: answer }) => answer({ words: ['mine'] }) } },
  { scenarios: { from: { down: { operations: { readMotto: { respond: { status: 503 } } } } }, active: 'down' } },
  { requests: { bodyLimitBytes: 4 } },
];

async function describeAnswer(response: Response): Promise<readonly unknown[]> {
  return [response.status, [...response.headers], await response.text()];
}

const YEAR = 366 * 24 * 60 * 60 * 1000;

interface Listed {
  readonly served_at: string;
  readonly data: readonly { readonly shown_at: string }[];
}

/** Asks mocks the same requests, in turn: each one answers a request before the next is sent. */
async function askInTurn(
  mocks: readonly Mock[],
  asked: readonly (readonly [path: string, init?: RequestInit])[],
): Promise<readonly (readonly unknown[])[]> {
  const answers = mocks.map((): unknown[] => []);
  for (const [path, init] of asked) {
    for (const [i, mock] of mocks.entries()) {
      answers[i]?.push(await describeAnswer(await mock.fetch(path, { headers: AUTHORIZED, ...init })));
    }
  }
  return answers;
}

const start = (settings: readonly MockOptions[], spec: MockOptions['spec']): Promise<readonly Mock[]> =>
  Promise.all(settings.map((options) => createMock({ ...options, spec })));

const closeAll = async (mocks: readonly Mock[]): Promise<void> => {
  await Promise.all(mocks.map((mock) => mock.close()));
};

describe('mocks of one loaded contract', () => {
  it('answer as mocks of the document do, whatever the others are asked', async () => {
    const shared = await start(SETTINGS, await loadContract(SHOP));
    const own = await start(SETTINGS, SHOP);
    const answers = await askInTurn(shared, ASKED);
    expect(answers).toEqual(await askInTurn(own, ASKED));
    // Each setting changes some answer, so that the comparison means something.
    expect(new Set(answers.map((each) => JSON.stringify(each))).size).toBe(SETTINGS.length);
    await closeAll([...shared, ...own]);
  });

  it('generate what items do not have by the clock of the session that is asked', async () => {
    const contract = await loadContract(SHOP);
    await using mock = await createMock({ spec: contract, clock: '2031-05-06T07:08:09Z' });
    await using later = await createMock({ spec: contract, clock: '2035-05-06T07:08:09Z' });
    const session = mock.session('other');
    session.clock.set('2033-05-06T07:08:09Z');
    // What is generated is at most a year old.
    const isRecent = (value: string, now: number): boolean =>
      Date.parse(value) <= now && Date.parse(value) > now - YEAR;
    for (const at of [mock, session, later, mock, session, later]) {
      const now = at.clock.now();
      const { served_at: served, data } = (await (await at.fetch('/orders')).json()) as Listed;
      const shown = data.map((each) => each.shown_at);
      expect(shown.length).toBeGreaterThan(0);
      expect([served, ...shown].map((value) => [value, isRecent(value, now)])).toEqual(
        [served, ...shown].map((value) => [value, true]),
      );
    }
  });

  it('answer the same in every order of creation and of requests', async () => {
    const contract = await loadContract(SHOP);
    const first = await start(SETTINGS, contract);
    const answers = await askInTurn(first, ASKED);
    const second = await start(SETTINGS.toReversed(), contract);
    expect((await askInTurn(second, ASKED)).toReversed()).toEqual(answers);
    await closeAll([...first, ...second]);
  });

  it('have the same contract, also through another mock', async () => {
    const contract = await loadContract(SHOP);
    await using one = await createMock({ spec: contract });
    await using other = await createMock({ spec: one.contract, seed: 3 });
    expect(one.contract).toBe(contract);
    expect(other.contract).toBe(contract);
    await using alone = await createMock({ spec: SHOP });
    await using twin = await createMock({ spec: alone.contract });
    expect(twin.contract).toBe(alone.contract);
  });

  it('do not share items, sessions, journals, handlers, scenarios, clocks', async () => {
    const contract = await loadContract(SHOP);
    await using one = await createMock({
      spec: contract,
      scenarios: { down: { operations: { readMotto: { respond: { status: 503 } } } } },
    });
    await using other = await createMock({ spec: contract });
    const before = other.state.collection('orders').items;
    one.state.collection('orders').replace([]);
    one.session('a').state.collection('orders').replace([]);
    one.use({ readMotto: () => ({ status: 200, body: { words: ['changed'] } }) });
    one.clock.advance(60_000);
    one.scenarios.activate('down');
    await one.fetch('/motto');
    expect(other.state.collection('orders').items).toEqual(before);
    expect(other.session('a').state.collection('orders').items).toEqual(before);
    expect(await (await other.fetch('/motto')).json()).toEqual({ words: ['keep', 'calm'] });
    expect(other.clock.now()).toBe(one.clock.now() - 60_000);
    expect(other.scenarios.ids).toEqual([]);
    expect(one.journal.interactions).toHaveLength(1);
    expect(other.journal.interactions).toHaveLength(1);
  });

  it('record and replay each on their own', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'vouch-loaded-'));
    const contract = await loadContract(SHOP);
    await using service = await createMock({ spec: contract, seed: 5 });
    const { url } = await service.listen();
    const recordings = { folder, cassette: 'orders', mode: 'record-all', upstream: url, live: true } as const;
    const recorder = await createMock({ spec: contract, recordings });
    const recorded = await (await recorder.fetch('/orders/o1')).text();
    await recorder.close();
    await service.close();
    await using replaying = await createMock({
      spec: contract,
      recordings: { folder, cassette: 'orders', mode: 'replay' },
    });
    await using plain = await createMock({ spec: contract });
    const replayed = await replaying.fetch('/orders/o1');
    expect(replayed.headers.get('x-mock-source')).toMatch(/^replay:/);
    expect(await replayed.text()).toBe(recorded);
    expect(plain.recordings).toBeUndefined();
    expect(await (await plain.fetch('/orders/o1')).text()).not.toBe(recorded);
    await rm(folder, { recursive: true });
  });

  it('a closed one leaves the others', async () => {
    const contract = await loadContract(SHOP);
    const one = await createMock({ spec: contract });
    await using other = await createMock({ spec: contract });
    await one.listen();
    const { url } = await other.listen();
    await one.close();
    expect((await fetch(`${url}/motto`)).status).toBe(200);
    expect((await other.fetch('/orders')).status).toBe(200);
  });
});

describe('a loaded contract', () => {
  it('cannot be changed', async () => {
    const contract = await loadContract(SHOP);
    const example = Object(contract.at('/paths/~1motto/get/responses/200/content/application~1json/example'));
    expect(() => Object.assign(contract, { title: 'x' })).toThrow(TypeError);
    expect(() => example.words.push('on')).toThrow(TypeError);
    expect(() => Object.assign(contract.operations[0] ?? {}, { id: 'x' })).toThrow(TypeError);
  });

  it('stays as it is when handlers change the answer from below', async () => {
    const contract = await loadContract(SHOP);
    await using one = await createMock({
      spec: contract,
      handlers: {
        readMotto: async ({ next }) => {
          const answer = await next();
          Object(answer?.body).words.push('on');
          return answer;
        },
      },
    });
    await using other = await createMock({ spec: contract });
    for (let i = 0; i < 2; i++)
      expect(await (await one.fetch('/motto')).json()).toEqual({ words: ['keep', 'calm', 'on'] });
    expect(await (await other.fetch('/motto')).json()).toEqual({ words: ['keep', 'calm'] });
  });

  it('does not follow later changes of the document it was loaded from', async () => {
    const document = structuredClone(SHOP);
    const contract = await loadContract(document);
    Object.assign(Object(document['info']), { title: 'Changed' });
    await using mock = await createMock({ spec: contract });
    expect(mock.contract.title).toBe('Test');
  });

  it('is loaded with overlays and a preset', async () => {
    const contract = await loadContract(SHOP, { preset: false, document: { cacheFolder: false } });
    expect(contract.preset).toBeUndefined();
    await expect(loadContract(SHOP, { overlays: ['none.yaml'] })).rejects.toMatchObject({ code: 'OVERLAY_INVALID' });
  });

  it.each([
    [{ overlays: ['overlay.yaml'] }, 'overlays'],
    [{ preset: 'stripe' }, 'preset'],
    [{ document: { cacheFolder: false } }, 'document'],
  ] as const)('is refused together with %o', async (options, name) => {
    const contract = await loadContract(SHOP);
    await expect(createMock({ spec: contract, ...options })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      reason: `the option "${name}" cannot change a loaded contract`,
      hint: `give it to loadContract: await loadContract(spec, { ${name} })`,
    });
    await expect(loadContract(contract, options)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });

  it('is refused as a copy', async () => {
    const contract = await loadContract(SHOP);
    await expect(createMock({ spec: { ...contract } })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      reason: 'the option "spec" is a copy of a contract',
    });
  });

  it('takes no option of a mock', async () => {
    const options: object = { seed: 7 };
    await expect(loadContract(SHOP, options)).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      reason: 'loadContract has no option "seed"',
    });
  });

  it('has no invalid hints: they are errors when it is loaded', async () => {
    const paths = { '/orders': { get: { ...SHOP.paths['/orders'].get, 'x-mock': { resource: 5 } } } };
    await expect(loadContract({ ...SHOP, paths })).rejects.toMatchObject({ code: 'HINT_INVALID' });
  });
});

describeDocument('openai.yaml', (spec) => {
  it('mocks of one loaded contract answer as mocks of the document do', async () => {
    const settings: readonly MockOptions[] = [{}, { seed: 7 }, { state: false }];
    const shared = await start(settings, await loadContract(spec));
    const own = await start(settings, spec);
    const asked: typeof ASKED = [
      ['/v1/models'],
      ['/v1/files'],
      ['/v1/chat/completions', jsonInit('POST', { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] })],
      ['/v1/chat/completions', jsonInit('POST', { model: 'gpt-4o' })],
      ['/v1/vector_stores', jsonInit('POST', { name: 'Notes' })],
      ['/v1/vector_stores'],
    ];
    expect(await askInTurn(shared, asked)).toEqual(await askInTurn(own, asked));
    await closeAll([...shared, ...own]);
  });
});
