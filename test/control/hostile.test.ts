// @module-tag slow
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadContract } from '../../src/contract/load/load.js';
import { createMock, type Mock } from '../../src/index.js';
import { scenarioSchema } from '../../src/features/scenario/definition/schema.js';
import { CONTROL_SPEC } from '../../src/server/control/control.js';
import type { Reach } from '../describe-both.js';
import { type AskControl, createControlClient, loadControlDocument } from './control-client.js';
import { inPath, json, object, sends, TEXT, toDocument } from '../document-parts.js';

const LONG = 'n'.repeat(18_000);
const THING = object({ id: TEXT, name: TEXT, data: {} });
const FAILURE = object({ message: { type: 'string', maxLength: 1000 } }, 'message');

const SPEC = toDocument(
  {
    '/things': {
      post: {
        operationId: 'createThing',
        ...sends({ ...THING, additionalProperties: false }),
        responses: { 201: json(THING), 400: json(FAILURE) },
      },
    },
    '/things/{id}': { ...inPath('id'), get: { operationId: 'getThing', responses: { 200: json(THING) } } },
  },
  undefined,
  { info: { title: 'Things', version: '1' } },
);

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
  '',
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
      for (const id of [
        'default',
        'things',
        '__proto__',
        LONG.slice(0, 2000),
        '%00',
        '..%2f',
        '%CE%A9%0D%0Ax-b:%201',
      ]) {
        const { status } = await ask(method, path.replace(/\{\w+\}/, id), body);
        expect(isExpected(status), `${method} ${path} answered ${status}`).toBe(true);
      }
    }
    expect((await ask('GET', '/sessions')).status).toBe(200);
  });

  it.each(QUERIES)('answers every operation as its document says: %j', async (query) => {
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

  it('are complete: a journal with large bodies', async () => {
    await using mock = await createMock({ spec: SPEC });
    const headers = { 'content-type': 'application/json' };
    for (let i = 0; i < 10; i++)
      expect((await mock.fetch('/things', { method: 'POST', headers, body })).status).toBe(201);
    const response = await mock.fetch('/__mock/journal?operation=createThing');
    const { interactions, last } = (await response.json()) as {
      readonly interactions: readonly { readonly request: { readonly body: unknown } }[];
      readonly last: number;
    };
    expect(interactions.map(({ request }) => request.body)).toEqual(interactions.map(() => JSON.parse(body)));
    expect([interactions.length, last]).toEqual([10, 10]);
  });

  it('are complete: a large document and the schemas of its scenarios', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`p${i}`, { type: 'integer', title: `Property ${i}`.repeat(10) }]),
    );
    const paths = Object.fromEntries(
      Array.from({ length: 300 }, (_, i) => {
        const schema = { type: 'object', properties, title: `Thing ${i}` };
        return [`/things${i}`, { get: { operationId: `get${i}`, responses: { 200: json(schema) } } }];
      }),
    );
    await using mock = await createMock({ spec: { ...SPEC, paths }, state: false });
    const contract = await loadContract({ ...SPEC, paths });
    for (const [path, expected] of [
      ['/contract/document', contract.document],
      ['/openapi.json', contract.document],
      ['/contract/scenario-schema', JSON.parse(JSON.stringify(scenarioSchema(contract, [])))],
      ['/contract', expect.objectContaining({ title: 'Things' })],
    ] as const)
      expect(await (await mock.fetch(`/__mock${path}`)).json()).toEqual(expected);
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

  it('change nothing where one of many items is invalid, and say which', async () => {
    await using mock = await createMock({ spec: SPEC, state: { unknownIds: 'not-found' } });
    const things = mock.state.collection('things');
    things.replace(toItems(2, 'old'));
    const items = [...toItems(2000, 'new'), { id: 'wrong', name: 7 }, { id: 'new-0' }];
    const body = JSON.stringify(items);
    const refused = await mock.fetch('/__mock/state/things', { method: 'PUT', headers, body });
    expect(refused.status).toBe(422);
    const { errors } = (await refused.json()) as { readonly errors: readonly { pointer: string; code: string }[] };
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

  const upload = (mock: Mock, id: string, scenario: object): Promise<Response> =>
    mock.fetch(`/__mock/scenarios/${id}`, { method: 'PUT', headers, body: JSON.stringify(scenario) });

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

  it('activate nothing in every session where one of them would hold more than it may', async () => {
    await using mock = await createMock({ spec: SPEC, state: { unknownIds: 'not-found', maxItems: 100 } });
    const full = mock.session('full').state.collection('things');
    full.replace(toItems(50, 'old'));
    await upload(mock, 'large', { state: { things: { add: toItems(60, 'new') } }, vars: { isSet: true } });
    const refused = await mock.fetch('/__mock/scenarios/large/activate?scope=server', { method: 'POST' });
    expect(refused.status).toBe(503);
    expect(mock.state.collection('things').items).toHaveLength(0);
    expect(full.items).toHaveLength(50);
    expect(mock.scenarios.active).toEqual([]);
    expect(() => mock.scenarios.activate('large')).toThrow('more than 100 items');
    expect([mock.state.collection('things').items.length, mock.scenarios.active]).toEqual([0, []]);
  });

  it('reset nothing where the scenarios of a session would hold more than it may', async () => {
    await using mock = await createMock({ spec: SPEC, state: { unknownIds: 'not-found', maxItems: 100 } });
    await upload(mock, 'large', { state: { things: { add: toItems(60, 'new') } } });
    await mock.fetch('/__mock/sessions', { method: 'POST', headers, body: '{"id":"one","scenarios":["large"]}' });
    await upload(mock, 'large', { state: { things: { add: toItems(101, 'new') } } });
    const session = mock.session('one');
    session.clock.advance(1000);
    const now = session.clock.now();
    const refused = await mock.fetch('/__mock/reset?session=one', { method: 'POST', headers, body: '{}' });
    expect(refused.status).toBe(503);
    expect(session.state.collection('things').items).toHaveLength(60);
    expect(session.clock.now()).toBe(now);
    expect(session.scenarios.active).toEqual(['large']);
  });
});
