import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadContract } from '../../src/contract/load/load.js';
import { createMock, type Mock } from '../../src/index.js';
import { scenarioSchema, scenarioSchemaInSteps } from '../../src/scenario/definition/schema.js';
import { CONTROL_SPEC } from '../../src/server/control/control.js';
import type { Reach } from '../describe-both.js';
import { type AskControl, createControlClient, loadControlDocument } from './control-client.js';

const LONG = 'n'.repeat(18_000);
const THING = { type: 'object', properties: { id: { type: 'string' }, name: { type: 'string' }, data: {} } };
const CONTENT = { 'application/json': { schema: THING } };
const FAILURE = {
  type: 'object',
  required: ['message'],
  properties: { message: { type: 'string', maxLength: 1000 } },
};

const SPEC = {
  openapi: '3.1.0',
  info: { title: 'Things', version: '1' },
  paths: {
    '/things': {
      post: {
        operationId: 'createThing',
        requestBody: { content: { 'application/json': { schema: { ...THING, additionalProperties: false } } } },
        responses: {
          201: { description: 'Made.', content: CONTENT },
          400: { description: 'Wrong.', content: { 'application/json': { schema: FAILURE } } },
        },
      },
    },
    '/things/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      get: { operationId: 'getThing', responses: { 200: { description: 'One.', content: CONTENT } } },
    },
  },
};

/** JSON that is valid and unusual. */
const BODIES: readonly (readonly [name: string, body: unknown])[] = [
  ['nothing', undefined],
  ['null', null],
  ['an array', []],
  ['a number', 1e308],
  ['a string', LONG],
  ['an array of null', [null]],
  ['a long name', { [LONG]: 1 }],
  ['many names', Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`name-${i}`, i]))],
  ['names of prototypes', '{"__proto__": {"a": 1}, "constructor": {"prototype": 1}, "toString": null}'],
  ['a deep object', `${'{"a":'.repeat(900)}1${'}'.repeat(900)}`],
  ['a body that is too deep', `${'['.repeat(5000)}${']'.repeat(5000)}`],
  ['text that is not JSON', '{"a": '],
  ['numbers of no date', { now: 1e300, ms: 1e300, snapshot: 1, name: 2, id: 3, what: 'x', limit: -1 }],
  ['a date of no year', { now: '-271821-04-20T00:00:00Z', ms: 8.64e15 }],
  ['a leap second', { now: '9999-12-31T23:59:60Z' }],
  ['the last date', { now: 253_402_300_799_999 }],
  ['wrong types', { id: {}, tokens: 'x', scenarios: [1], from: null, owners: [], cassette: {}, snapshot: [] }],
  ['long values', { id: LONG, tokens: [LONG], scenarios: [LONG], from: LONG, cassette: LONG, snapshot: LONG }],
  ['an unknown operation', { operations: { [LONG]: { respond: { status: 200 } } } }],
];

const QUERIES: readonly string[] = [
  '?session=default',
  `?session=${LONG.slice(0, 4000)}`,
  '?session=',
  '?session=a&session=b',
  '?limit=-1&since=-1',
  '?limit=1e400&since=99999999999999999999',
  '?limit=0',
  '?limit=NaN&since=&format=xml',
  '?since=0&limit=1000000',
  `?operation=${LONG.slice(0, 4000)}&timeout=0`,
  '?operation=getThing&timeout=0&count=99999999999999999999',
  '?operation=getThing&timeout=-1',
  '?operation=__proto__&timeout=0',
  '?scope=everything&%E0%A4%A=1',
];

describe('the control API with hostile input', () => {
  let mock: Mock;
  let ask: AskControl;
  let operations: readonly (readonly [method: string, path: string])[] = [];

  beforeAll(async () => {
    const document = await loadControlDocument();
    const { operations: all } = await loadContract(CONTROL_SPEC);
    operations = all.map(({ method, path }) => [method, path] as const);
    mock = await createMock({ spec: SPEC, sessions: { max: 20 } });
    // Only what the client of the control API uses.
    const reach = { rootUrl: '', fetch: mock.fetch } as unknown as Reach;
    ask = createControlClient(reach, document);
  });
  afterAll(() => mock.close());

  /** A 5xx that the document declares: too many sessions, or no call in time. */
  const isExpected = (status: number): boolean => status < 500 || status === 503 || status === 504;

  it.each(BODIES)('answers every operation as its document says: %s', async (_name, body) => {
    for (const [method, path] of operations) {
      if (method === 'GET') continue;
      for (const id of ['default', 'things', '__proto__', LONG.slice(0, 2000), '%00', '..%2f']) {
        const { status } = await ask(method, path.replace(/\{\w+\}/, id), body);
        expect(isExpected(status), `${method} ${path} answered ${status}`).toBe(true);
      }
    }
    expect((await ask('GET', '/sessions')).status).toBe(200);
  });

  it.each(QUERIES)('answers every operation as its document says: %s', async (query) => {
    for (const [method, path] of operations) {
      const { status } = await ask(method, `${path.replace(/\{\w+\}/, 'things')}${query}`, undefined);
      expect(isExpected(status), `${method} ${path} answered ${status}`).toBe(true);
    }
  });

  it('answers with a clock that a test supplies and that has no time', async () => {
    const clock = { now: () => Number.NaN, sleep: () => Promise.resolve() };
    await using broken = await createMock({ spec: SPEC, clock });
    const response = await broken.fetch('/__mock/sessions');
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ sessions: [{ id: 'default' }] });
  });

  it('quotes at most 200 characters of what was sent', async () => {
    for (const [path, body] of [
      ['/sessions', { [LONG]: 1 }],
      ['/sessions', { from: LONG }],
      ['/state/things', { id: 'x', [LONG]: 1, name: 7 }],
      [`/sessions/${LONG}/fork`, {}],
    ] as const) {
      const { detail = '', hint = '' } = await ask('POST', path, body);
      expect(Math.max(detail.length, hint.length), detail).toBeLessThan(1000);
    }
  });

  it('refuses a call with a long name in the error shape of the contract, with a header that clients can read', async () => {
    const response = await mock.fetch('/things', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ [LONG]: 1 }),
    });
    expect(response.status).toBe(400);
    const { message } = (await response.json()) as { readonly message: string };
    expect(message.length).toBeLessThanOrEqual(1000);
    expect(message).toContain('nnnn');
    expect((response.headers.get('x-mock-violations') ?? '').length).toBeLessThan(3000);
  });
});

describe('long responses of the control API', () => {
  const body = JSON.stringify({
    data: Array.from({ length: 10_000 }, (_, i) => ({ id: `row-${i}`, note: `a note about row ${i}`, value: i })),
  });

  it('are made in slices: the mock answers while a journal with large bodies is read', async () => {
    await using mock = await createMock({ spec: SPEC });
    const headers = { 'content-type': 'application/json' };
    for (let i = 0; i < 10; i++)
      expect((await mock.fetch('/things', { method: 'POST', headers, body })).status).toBe(201);
    let answered = 0;
    const state = { isDone: false };
    const reading = mock.fetch('/__mock/journal?operation=createThing').then(async (response) => {
      const { interactions } = (await response.json()) as { readonly interactions: readonly unknown[] };
      state.isDone = true;
      return interactions.length;
    });
    while (!state.isDone) {
      await mock.fetch('/things/any');
      answered += 1;
      await new Promise((resolve) => void setImmediate(resolve));
    }
    expect(await reading).toBe(10);
    // One slice for each of them at least; all at once would be one or two.
    expect(answered).toBeGreaterThan(10);
  });

  it('are written in slices: a large document and the schemas of its scenarios', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`p${i}`, { type: 'integer', title: `Property ${i}`.repeat(10) }]),
    );
    const paths = Object.fromEntries(
      Array.from({ length: 300 }, (_, i) => {
        const schema = { type: 'object', properties, title: `Thing ${i}` };
        const responses = { 200: { description: 'One.', content: { 'application/json': { schema } } } };
        return [`/things${i}`, { get: { operationId: `get${i}`, responses } }];
      }),
    );
    await using mock = await createMock({ spec: { ...SPEC, paths }, state: false });
    const contract = await loadContract({ ...SPEC, paths });
    const schema = scenarioSchema(contract, []);
    // The mock answers other requests after each step.
    expect([...scenarioSchemaInSteps(contract, [])].length).toBeGreaterThanOrEqual(300);
    for (const [path, expected] of [
      ['/contract/document', contract.document],
      ['/openapi.json', contract.document],
      ['/contract/scenario-schema', JSON.parse(JSON.stringify(schema))],
      ['/contract', expect.objectContaining({ title: 'Things' })],
    ] as const) {
      const pieces: Uint8Array[] = [];
      const { body } = await mock.fetch(`/__mock${path}`);
      for await (const piece of body ?? []) pieces.push(piece);
      expect(JSON.parse(Buffer.concat(pieces).toString())).toEqual(expected);
      if (path !== '/contract') expect(pieces.length, path).toBeGreaterThan(10);
    }
  });

  it('page the journal: the newest hundred, or all of them from the first one', async () => {
    await using mock = await createMock({ spec: SPEC });
    for (let i = 0; i < 250; i++) await mock.fetch(`/things/${i}`);
    interface Page {
      readonly interactions: readonly { readonly number: number }[];
      readonly last: number;
      readonly next?: number;
    }
    const read = async (query: string): Promise<Page> =>
      (await (await mock.fetch(`/__mock/journal${query}`)).json()) as Page;
    const newest = await read('');
    expect(newest.interactions.map(({ number }) => number)).toEqual(Array.from({ length: 100 }, (_, i) => 151 + i));
    expect(newest).toMatchObject({ last: 250 });
    expect(newest).not.toHaveProperty('next');
    const numbers: number[] = [];
    for (let since: number | undefined = 0; since !== undefined;) {
      const page: Page = await read(`?since=${since}`);
      numbers.push(...page.interactions.map(({ number }) => number));
      expect(page.interactions.length).toBeLessThanOrEqual(100);
      since = page.next;
    }
    expect(numbers).toEqual(Array.from({ length: 250 }, (_, i) => i + 1));
    const lines = await (await mock.fetch('/__mock/journal?format=ndjson&since=0&limit=7')).text();
    expect(lines.trim().split('\n')).toHaveLength(7);
  });

  it('show the state at the time of the request', async () => {
    await using mock = await createMock({ spec: SPEC });
    mock.state
      .collection('things')
      .replace(Array.from({ length: 3000 }, (_, i) => ({ id: `t${i}`, name: 'a'.repeat(50) })));
    const response = await mock.fetch('/__mock/state');
    const reader = response.body?.getReader();
    const first = await reader?.read();
    mock.reset('state');
    let text = Buffer.from(first?.value ?? []).toString();
    for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
      text += Buffer.from(part.value).toString();
    }
    const { collections } = JSON.parse(text) as { readonly collections: { readonly things: readonly unknown[] } };
    expect(collections.things).toHaveLength(3000);
  });
});

describe('long requests to the control API', () => {
  const headers = { 'content-type': 'application/json' };
  const toItems = (count: number, name: string) =>
    Array.from({ length: count }, (_, i) => ({ id: `${name}-${i}`, name, data: { i } }));

  interface Seen {
    readonly status: number;
    readonly answer: string;
    /** The numbers of items at the times of other requests. */
    readonly counts: readonly number[];
  }

  /** Sends a request, and others until it is answered. */
  async function sendAmongOthers(mock: Mock, path: string, init: RequestInit): Promise<Seen> {
    const counts: number[] = [];
    const state = { isDone: false };
    const sending = mock.fetch(path, { headers, ...init }).then(async (response) => {
      const answer = await response.text();
      state.isDone = true;
      return { status: response.status, answer };
    });
    while (!state.isDone) {
      await mock.fetch('/things/any');
      counts.push(mock.state.collection('things').items.length);
      await new Promise((resolve) => void setImmediate(resolve));
    }
    return { ...(await sending), counts };
  }

  it('are checked in slices and applied at once: a request in between sees the old items or the new ones', async () => {
    await using mock = await createMock({ spec: SPEC, state: { unknownIds: 'not-found' } });
    const things = mock.state.collection('things');
    things.replace(toItems(2, 'old'));
    const body = JSON.stringify(toItems(30_000, 'new'));
    const { status, counts } = await sendAmongOthers(mock, '/__mock/state/things', { method: 'PUT', body });
    expect(status).toBe(200);
    expect(new Set(counts)).toEqual(new Set([2, 30_000]));
    // All at once, it is answered in less than three of them.
    expect(counts.filter((count) => count === 2).length).toBeGreaterThan(3);
    expect([things.get('old-0'), things.get('new-29999')?.['name']]).toEqual([undefined, 'new']);
  });

  it('change nothing where one of many items is invalid, and say which', async () => {
    await using mock = await createMock({ spec: SPEC, state: { unknownIds: 'not-found' } });
    const things = mock.state.collection('things');
    things.replace(toItems(2, 'old'));
    const items = [...toItems(2000, 'new'), { id: 'wrong', name: 7 }, { id: 'new-0' }];
    const body = JSON.stringify(items);
    const { status, answer } = await sendAmongOthers(mock, '/__mock/state/things', { method: 'PUT', body });
    expect(status).toBe(422);
    const { errors } = JSON.parse(answer) as { readonly errors: readonly { pointer: string; code: string }[] };
    expect(errors.map(({ pointer, code }) => [pointer, code])).toEqual([
      ['/2000/name', 'TYPE'],
      ['/2001', 'UNIQUE'],
    ]);
    expect(things.items.map(({ id }) => id)).toEqual(['old-0', 'old-1']);
  });

  it('list the first hundred mistakes of many items', async () => {
    await using mock = await createMock({ spec: SPEC });
    const wrong = toItems(20_000, 'wrong').map((item) => ({ ...item, name: 7 }));
    const response = await mock.fetch('/__mock/state/things', { method: 'PUT', headers, body: JSON.stringify(wrong) });
    expect(response.status).toBe(422);
    expect(((await response.json()) as { readonly errors: readonly unknown[] }).errors).toHaveLength(100);
  });

  it('keep nothing of what was created while they were checked, and never give its id again', async () => {
    await using mock = await createMock({ spec: SPEC, state: { unknownIds: 'not-found', initialItems: 0 } });
    const body = JSON.stringify([...toItems(20_000, 'new'), { name: 'without an id' }]);
    const state = { isDone: false };
    const put = mock.fetch('/__mock/state/things', { method: 'PUT', headers, body }).then((response) => {
      state.isDone = true;
      return response.json() as Promise<{ readonly items: readonly { readonly id: string }[] }>;
    });
    const created: string[] = [];
    while (!state.isDone) {
      const response = await mock.fetch('/things', { method: 'POST', headers, body: '{"name":"between"}' });
      created.push(((await response.json()) as { readonly id: string }).id);
      await new Promise((resolve) => void setImmediate(resolve));
    }
    const { items } = await put;
    expect(created.length).toBeGreaterThan(3);
    expect(items).toHaveLength(20_001);
    const after = await mock.fetch('/things', { method: 'POST', headers, body: '{"name":"after"}' });
    const { id } = (await after.json()) as { readonly id: string };
    expect([...created, ...items.map((item) => item.id)]).not.toContain(id);
  });

  const upload = (mock: Mock, id: string, scenario: object): Promise<Response> =>
    mock.fetch(`/__mock/scenarios/${id}`, { method: 'PUT', headers, body: JSON.stringify(scenario) });

  it('read an uploaded scenario in slices: a request in between is answered by the scenario before', async () => {
    await using mock = await createMock({ spec: SPEC, state: { unknownIds: 'not-found' } });
    const answer = (status: number, count: number): object => ({
      when: { path: { id: `${count}` } },
      respond: { status, body: { id: 'any', name: 'by a rule' } },
    });
    await upload(mock, 'large', {
      operations: { getThing: { respond: { status: 404 }, violates: 'a status that stands out' } },
    });
    await mock.fetch('/__mock/scenarios/large/activate', { method: 'POST' });
    const rules = Array.from({ length: 4000 }, (_, i) => answer(200, i));
    const scenario = {
      state: { things: { add: toItems(10_000, 'new') } },
      operations: { getThing: [...rules, { respond: { status: 200, body: { id: 'any', name: 'new' } } }] },
    };
    const statuses: number[] = [];
    const state = { isDone: false };
    const uploading = upload(mock, 'large', scenario).finally(() => (state.isDone = true));
    while (!state.isDone) {
      statuses.push((await mock.fetch('/things/any')).status);
      await new Promise((resolve) => void setImmediate(resolve));
    }
    expect((await uploading).status).toBe(200);
    expect(statuses.filter((status) => status === 404).length).toBeGreaterThan(5);
    expect(new Set(statuses.slice(0, -3))).toEqual(new Set([404]));
    expect((await mock.fetch('/things/any')).status).toBe(200);
  });

  it('name every mistake of an uploaded scenario, and leave the one before', async () => {
    await using mock = await createMock({ spec: SPEC, state: { unknownIds: 'not-found' } });
    await upload(mock, 'one', { vars: { before: true } });
    const add = [...toItems(2000, 'new'), { id: 'wrong', name: 7 }, { id: 'wrong', name: '$vars.missing' }];
    const refused = await upload(mock, 'one', { state: { things: { add } } });
    expect(refused.status).toBe(422);
    const { detail } = (await refused.json()) as { readonly detail: string };
    expect(detail).toContain('2 mistakes in scenarios');
    expect(detail).toContain('#/state/things/add/2000/name');
    expect(detail).toContain('unknown variable "missing"');
    expect(mock.scenarios.ids).toEqual(['one']);
  });

  const toScenario = (count: number): object => ({
    state: { things: { clear: true, add: toItems(count, 'new') } },
    operations: { getThing: { respond: { status: 404 }, violates: 'a status that stands out' } },
  });

  it.each([
    ['activation', '/__mock/scenarios/large/activate', {}],
    ['activation in every session', '/__mock/scenarios/large/activate?scope=server', {}],
    ['reset', '/__mock/reset', { what: 'state' }],
  ])('make the changes of an %s in slices and at once', async (name, path, body) => {
    await using mock = await createMock({ spec: SPEC, state: { unknownIds: 'not-found' } });
    const things = mock.state.collection('things');
    await upload(mock, 'large', toScenario(20_000));
    if (name === 'reset') mock.session('default').scenarios.activate('large');
    things.replace(toItems(2, 'old'));
    const { status, counts } = await sendAmongOthers(mock, path, { method: 'POST', body: JSON.stringify(body) });
    expect(status).toBe(200);
    // All at once, it is answered in less than three of them.
    expect(counts.filter((count) => count === 2).length).toBeGreaterThan(3);
    expect(counts.filter((count) => count !== 2 && count !== 20_000)).toEqual([]);
    expect(things.items).toHaveLength(20_000);
    expect((await mock.fetch('/things/any')).status).toBe(404);
    expect(mock.scenarios.list()[0]?.active).toBe(path.endsWith('server') ? 'server' : 'session');
  });

  it('keep what is created while a scenario is activated', async () => {
    await using mock = await createMock({ spec: SPEC, state: { unknownIds: 'not-found', initialItems: 0 } });
    await upload(mock, 'large', { state: { things: { add: toItems(5000, 'new') } }, vars: { isSet: true } });
    const state = { isDone: false };
    const activating = mock
      .fetch('/__mock/scenarios/large/activate', { method: 'POST' })
      .finally(() => (state.isDone = true));
    const created: string[] = [];
    while (!state.isDone) {
      const response = await mock.fetch('/things', { method: 'POST', headers, body: '{"name":"between"}' });
      created.push(((await response.json()) as { readonly id: string }).id);
      await new Promise((resolve) => void setImmediate(resolve));
    }
    expect((await activating).status).toBe(200);
    expect(created.length).toBeGreaterThan(3);
    const ids = new Set(mock.state.collection('things').items.map(({ id }) => id));
    expect(created.filter((id) => !ids.has(id))).toEqual([]);
    expect(ids.size).toBe(5000 + created.length);
  });

  it('open a session with its scenarios in slices, and once', async () => {
    await using mock = await createMock({ spec: SPEC, state: { unknownIds: 'not-found' } });
    await upload(mock, 'large', toScenario(10_000));
    const open = { method: 'POST', body: '{"id":"one","scenarios":["large"]}' };
    const [first, second] = await Promise.all([
      sendAmongOthers(mock, '/__mock/sessions', open),
      mock.fetch('/__mock/sessions', { headers, ...open }),
    ]);
    expect([first.status, second.status].toSorted((one, other) => one - other)).toEqual([201, 409]);
    expect(first.counts.length).toBeGreaterThan(3);
    expect(mock.session('one').state.collection('things').items).toHaveLength(10_000);
  });

  it.each([
    ['a call of the control API', '/__mock/clock/advance?session=new', '{"ms":1}'],
    ['a call of the contract', '/~new/things', '{"name":"one"}'],
  ])('open a session that %s names in slices', async (_name, path, body) => {
    await using mock = await createMock({ spec: SPEC, state: { unknownIds: 'not-found' } });
    await upload(mock, 'large', toScenario(10_000));
    await mock.fetch('/__mock/scenarios/large/activate?scope=server', { method: 'POST' });
    const [first, second] = await Promise.all([
      sendAmongOthers(mock, path, { method: 'POST', body }),
      mock.fetch(path, { method: 'POST', headers, body }),
    ]);
    expect([first.status, second.status]).toEqual(path.startsWith('/~') ? [201, 201] : [200, 200]);
    expect(first.counts.length).toBeGreaterThan(3);
    const added = path.startsWith('/~') ? 2 : 0;
    expect(mock.session('new').state.collection('things').items).toHaveLength(10_000 + added);
  });

  it('activate nothing where the items of a scenario are more than a session may hold', async () => {
    await using mock = await createMock({ spec: SPEC, state: { unknownIds: 'not-found', maxItems: 100 } });
    mock.state.collection('things').replace(toItems(2, 'old'));
    await upload(mock, 'large', toScenario(200));
    const refused = await mock.fetch('/__mock/scenarios/large/activate', { method: 'POST' });
    expect(refused.status).toBe(503);
    expect(((await refused.json()) as { readonly code: string }).code).toBe('STATE_LIMIT');
    expect(mock.state.collection('things').items).toHaveLength(2);
    expect(mock.scenarios.list()[0]?.active).toBe(false);
  });
});
