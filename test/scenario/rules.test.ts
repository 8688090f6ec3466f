/* oxlint-disable unicorn/no-thenable -- `then` is a key of a rule */
import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../src/base/clock.js';
import { createMock, type Mock } from '../../src/index.js';
import type { MockOptions } from '../../src/mock/options.js';
import type { RuleDefinition, ScenarioDefinition } from '../../src/features/scenario/definition/definition.js';
import { content, toDocument } from '../operation-parts.js';
import { TEXT } from '../schema-parts.js';
import { LIBRARY } from './library.js';

const BOOKS = [
  { id: 'b1', title: 'One' },
  { id: 'b2', title: 'Two' },
];

type Scenarios = Readonly<Record<string, ScenarioDefinition>>;

type LibraryOptions = Partial<MockOptions> & { readonly active?: string | readonly string[] };

async function createLibrary(from: Scenarios, { active = [], ...more }: LibraryOptions = {}): Promise<Mock> {
  return createMock({ spec: LIBRARY, fixtures: { books: BOOKS }, scenarios: { from, active }, ...more });
}

const KEY = 'api_key=k';

interface Shown {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
  readonly source: string | null;
}

async function ask(mock: Pick<Mock, 'fetch'>, path: string, init: RequestInit = {}): Promise<Shown> {
  const response = await mock.fetch(`${path}${path.includes('?') ? '&' : '?'}${KEY}`, init);
  const text = await response.text();
  const body: unknown = text === '' ? undefined : JSON.parse(text);
  return { status: response.status, body, headers: response.headers, source: response.headers.get('x-mock-source') };
}

const create = (title: string, more: object = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ title, ...more }),
});

/** The statuses of so many list calls under one scenario with these rules. */
async function statusesOf(
  rules: readonly RuleDefinition[],
  count: number,
  path = '/books',
): Promise<readonly number[]> {
  const mock = await createLibrary({ a: { operations: { listBooks: rules } } }, { active: 'a' });
  const statuses = [];
  for (let i = 0; i < count; i++) statuses.push((await ask(mock, path)).status);
  return statuses;
}

const LIMITED = { respond: { status: 429 } } as const;

describe('which calls a rule applies to', () => {
  const cases: readonly (readonly [string, readonly RuleDefinition[], string, readonly number[]])[] = [
    ['the third', [{ when: { call: 3 }, ...LIMITED }], '/books', [200, 200, 429, 200]],
    ['the second to the third', [{ when: { call: '2..3' }, ...LIMITED }], '/books', [200, 429, 429, 200]],
    ['from the second on', [{ when: { call: '2..' }, ...LIMITED }], '/books', [200, 429, 429, 429]],
    ['up to the second', [{ when: { call: '..2' }, ...LIMITED }], '/books', [429, 429, 200, 200]],
    ['every second', [{ when: { call: 'every 2' }, ...LIMITED }], '/books', [200, 429, 200, 429]],
    ['the first two', [{ times: 2, ...LIMITED }], '/books', [429, 429, 200, 200]],
    ['those with the parameter', [{ when: { query: { after: 'b1' } }, ...LIMITED }], '/books?after=b1', [429]],
    ['none with another value', [{ when: { query: { after: 'b2' } }, ...LIMITED }], '/books?after=b1', [200]],
    ['those with any value', [{ when: { query: { after: { present: true } } }, ...LIMITED }], '/books?after=b1', [429]],
    ['those without it', [{ when: { query: { after: null } }, ...LIMITED }], '/books', [429]],
    ['none that has it', [{ when: { query: { after: null } }, ...LIMITED }], '/books?after=b1', [200]],
    ['a number as a number', [{ when: { query: { limit: 2 } }, ...LIMITED }], '/books?limit=2', [429]],
    ['a number as a text', [{ when: { query: { limit: '2' } }, ...LIMITED }], '/books?limit=2', [429]],
    ['one of a list', [{ when: { query: { tag: 'x' } }, ...LIMITED }], '/books?tag=w&tag=x', [429]],
    ['a credential of the query', [{ when: { query: { api_key: 'k' } }, ...LIMITED }], '/books', [429]],
    [
      'only calls that match the other conditions are counted',
      [{ when: { query: { limit: 1 }, call: 2 }, ...LIMITED }],
      '/books?limit=1',
      [200, 429, 200],
    ],
    [
      'a call that another rule answered is counted anyway',
      [
        { when: { call: 1 }, ...LIMITED },
        { when: { call: 2 }, respond: { example: 'empty' } },
        { when: { call: 3 }, ...LIMITED },
      ],
      '/books',
      [429, 200, 429, 200],
    ],
  ];

  it.each(cases)('%s', async (_name, rules, path, want) => {
    expect(await statusesOf(rules, want.length, path)).toEqual(want);
  });

  it('a header, a cookie, a body and a path are matched, too', async () => {
    const mock = await createLibrary(
      {
        a: {
          operations: {
            listBooks: [
              { when: { header: { 'X-Shelf': 'north' } }, ...LIMITED },
              { when: { cookie: { theme: 'dark' } }, respond: { example: 'one' } },
            ],
            createBook: { when: { body: { title: 'Same' } }, respond: { status: 409 } },
            'GET /books/{book_id}': { when: { path: { book_id: 'b2' } }, respond: { status: 404 } },
          },
        },
      },
      { active: 'a' },
    );
    expect((await ask(mock, '/books', { headers: { 'x-shelf': 'north' } })).status).toBe(429);
    expect((await ask(mock, '/books', { headers: { cookie: 'a=b; theme=dark' } })).source).toBe('scenario:a');
    expect((await ask(mock, '/books', create('Same', { pages: 3 }))).status).toBe(409);
    expect((await ask(mock, '/books', create('Other'))).status).toBe(201);
    expect((await ask(mock, '/books/b2')).status).toBe(404);
    expect((await ask(mock, '/books/b1')).status).toBe(200);
  });

  it('the random numbers are the same in every run, and differ from call to call', async () => {
    const rules = [{ probability: 0.5, ...LIMITED }];
    const first = await statusesOf(rules, 40);
    expect(await statusesOf(rules, 40)).toEqual(first);
    expect(first.filter((status) => status === 429).length).toBeGreaterThan(8);
    expect(first.filter((status) => status === 200).length).toBeGreaterThan(8);
  });
});

describe('a sequence', () => {
  const sequence = [{ status: 429 }, { example: 'empty' }, { status: 429 }];
  /** The statuses of five calls, and how many of them the scenario answers. */
  const cases: readonly (readonly [NonNullable<RuleDefinition['onEnd']>, readonly number[], number])[] = [
    ['hold', [429, 200, 429, 429, 429], 5],
    ['cycle', [429, 200, 429, 429, 200], 5],
    ['fallthrough', [429, 200, 429, 200, 200], 3],
    ['error', [429, 200, 429, 500, 500], 5],
  ];

  it.each(cases)('that has ended does what onEnd says: %s', async (onEnd, statuses, answered) => {
    const mock = await createLibrary({ a: { operations: { listBooks: { sequence, onEnd } } } }, { active: 'a' });
    const seen = [];
    for (let i = 0; i < 5; i++) {
      const { status, source } = await ask(mock, '/books');
      seen.push([status, source]);
    }
    expect(seen).toEqual(statuses.map((status, i) => [status, i < answered ? 'scenario:a' : 'state']));
  });

  it('that has ended says so: in the trace with hold, in the answer with error', async () => {
    const mock = await createLibrary({
      hold: { operations: { listBooks: { sequence: [{ status: 429 }] } } },
      error: { operations: { listBooks: { sequence: [{ status: 429 }], onEnd: 'error' } } },
    });
    for (const id of ['hold', 'error'])
      for (let i = 0; i < 2; i++) await ask(mock, '/books', { headers: { 'x-mock-scenario': id } });
    const [, held, , failed] = mock.journal.interactions;
    expect(held?.trace).toEqual([
      'refuse: the request fits the contract',
      'prefer: the request has no preference',
      'scenario: rule hold/listBooks[0] (#/scenarios/hold/operations/listBooks) applies with step 1 of 1, held after the end of its sequence',
    ]);
    expect(JSON.stringify(failed?.answer.body)).toContain('has no step for call 2: its length is 1');
    expect(failed?.answer.headers['x-should-retry']).toBe('false');
  });

  it('passes the call on at engine, also to the rules below', async () => {
    const rules = [
      { sequence: ['engine', { status: 429 }] as const },
      { when: { call: 1 }, respond: { example: 'empty' } },
    ];
    const mock = await createLibrary({ a: { operations: { listBooks: rules } } }, { active: 'a' });
    expect((await ask(mock, '/books')).body).toEqual({ data: [], has_more: false });
    expect((await ask(mock, '/books')).status).toBe(429);
  });
});

describe('what a rule answers', () => {
  const respondWith = async (
    rule: RuleDefinition,
    operation = 'listBooks',
    path = '/books',
    init?: RequestInit,
  ): Promise<Shown> => {
    const mock = await createLibrary({ a: { operations: { [operation]: rule } } }, { active: 'a' });
    return ask(mock, path, init);
  };

  it('an example by its name', async () => {
    expect(await respondWith({ respond: { example: 'one' } })).toMatchObject({
      status: 200,
      body: { data: [], has_more: true },
    });
  });

  it('a partial body, completed to a valid one', async () => {
    const { status, body } = await respondWith({ respond: { status: 429, body: { error: { message: 'slow down' } } } });
    expect(status).toBe(429);
    expect(body).toMatchObject({ error: { message: 'slow down', code: expect.any(String) } });
  });

  it('its headers', async () => {
    const rule = { respond: { status: 429, headers: { 'Retry-After': 7, 'X-Many': ['a', 'b'] } } };
    const { headers } = await respondWith(rule);
    expect([headers.get('retry-after'), headers.get('x-many')]).toEqual(['7', 'a, b']);
  });

  it('no body if the contract has none', async () => {
    const rule = { respond: { status: 204 } };
    const shown = await respondWith(rule, 'DELETE /books/{book_id}', '/books/b1', { method: 'DELETE' });
    expect([shown.status, shown.body]).toEqual([204, undefined]);
  });

  it('values of the request, with expressions', async () => {
    const rule = {
      respond: {
        body: { id: '$request.path.book_id', title: 'Book {$request.path.book_id} of {$request.header.x-tag}' },
      },
    };
    const shown = await respondWith(rule, 'readBook', '/books/b7', { headers: { 'x-tag': 'k' } });
    expect(shown.body).toMatchObject({ id: 'b7', title: 'Book b7 of k' });
  });

  it('a patch of the status, headers and body of the answer from below', async () => {
    const rule = { patch: { headers: { 'x-page': 'last' }, body: { has_more: true } } };
    const shown = await respondWith(rule);
    expect(shown).toMatchObject({ status: 200, source: 'scenario:a', body: { has_more: true, data: BOOKS } });
    expect(shown.headers.get('x-page')).toBe('last');
  });

  it('an answer that breaks the contract, if it says why; the journal has the reason', async () => {
    const rules = {
      violates: 'the proxy does this',
      respond: { status: 502, mediaType: 'text/html', body: '<h1>Bad gateway</h1>' },
    };
    const mock = await createLibrary({ a: { operations: { readBook: rules } } }, { active: 'a' });
    const response = await mock.fetch(`/books/b1?${KEY}`);
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      502,
      'text/html',
      '<h1>Bad gateway</h1>',
    ]);
    expect(mock.journal.last()?.answer.violates).toBe('the proxy does this');
  });

  it('bytes that are written in base64', async () => {
    const spec = toDocument({
      '/logo': {
        get: { operationId: 'logo', responses: { 200: { description: 'ok', content: content(TEXT, 'image/png') } } },
      },
    });
    const scenario = { operations: { logo: { respond: { mediaType: 'image/png', base64: 'AAECgP8=' } } } };
    const mock = await createMock({ spec, scenarios: { from: { a: scenario }, active: 'a' } });
    const response = await mock.fetch('/logo');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([0, 1, 2, 128, 255]);
  });

  it('a body that breaks the schema on purpose is sent unchanged, with its violations in the journal', async () => {
    const rule = { violates: 'a release that broke it', respond: { status: 200, body: { id: 7 } } };
    const mock = await createLibrary({ a: { operations: { readBook: rule } } }, { active: 'a' });
    expect((await ask(mock, '/books/b1')).body).toEqual({ id: 7 });
    expect(mock.journal.last()?.violations.map(({ pointer }) => pointer)).toEqual(expect.arrayContaining(['/id']));
  });
});

describe('what a rule changes', () => {
  it('collections, before the answer is made', async () => {
    const scenario: ScenarioDefinition = {
      operations: {
        listBooks: { when: { call: 2 }, then: { books: { remove: ['b1'], add: [{ id: 'b3', title: 'Three' }] } } },
      },
    };
    const mock = await createLibrary({ a: scenario }, { active: 'a' });
    const ids = async (): Promise<unknown> =>
      ((await ask(mock, '/books')).body as { data: { id: string }[] }).data.map(({ id }) => id);
    expect(await ids()).toEqual(['b1', 'b2']);
    expect(await ids()).toEqual(['b2', 'b3']);
    expect(await ids()).toEqual(['b2', 'b3']);
  });

  it('a cleared collection stays empty, also if items are created on demand', async () => {
    const mock = await createLibrary({ a: { state: { books: { clear: true } } } }, { fixtures: {} });
    expect((await ask(mock, '/books')).body).not.toMatchObject({ data: [] });
    mock.reset();
    mock.scenarios.activate('a');
    expect((await ask(mock, '/books')).body).toMatchObject({ data: [] });
  });

  it('variables, which other rules test', async () => {
    const scenario: ScenarioDefinition = {
      vars: { open: true },
      operations: {
        createBook: { then: { vars: { open: false, last: '$request.body#/title' } } },
        listBooks: {
          when: { state: { vars: { open: false } } },
          respond: { status: 429, body: { error: { message: 'after {$vars.last}' } } },
        },
      },
    };
    const mock = await createLibrary({ a: scenario }, { active: 'a' });
    expect((await ask(mock, '/books')).status).toBe(200);
    await ask(mock, '/books', create('Closing'));
    expect((await ask(mock, '/books')).body).toMatchObject({ error: { message: 'after Closing' } });
  });

  it('the items of collections are conditions, too', async () => {
    const scenario: ScenarioDefinition = {
      operations: {
        listBooks: [
          { when: { state: { books: { count: 0 } } }, ...LIMITED },
          { when: { state: { books: { lacks: 'b1', has: ['b2'] } } }, respond: { example: 'one' } },
        ],
      },
    };
    const mock = await createLibrary({ a: scenario }, { active: 'a' });
    expect((await ask(mock, '/books')).source).toBe('state');
    mock.state.collection('books').remove('b1');
    expect((await ask(mock, '/books')).body).toEqual({ data: [], has_more: true });
    mock.state.collection('books').remove('b2');
    expect((await ask(mock, '/books')).status).toBe(429);
  });

  it('simultaneous calls are counted one by one', async () => {
    const mock = await createLibrary(
      { a: { operations: { listBooks: { times: 1, delay: 50, ...LIMITED } } } },
      { active: 'a' },
    );
    const shown = await Promise.all([ask(mock, '/books'), ask(mock, '/books'), ask(mock, '/books')]);
    expect(shown.map(({ status }) => status)).toEqual([429, 200, 200]);
  });
});

describe('time', () => {
  it('a delay advances a virtual clock, and takes no real time', async () => {
    const mock = await createLibrary({ a: { operations: { listBooks: { delay: '2h' } } } }, { active: 'a' });
    const before = mock.clock.now();
    await ask(mock, '/books');
    expect(mock.clock.now() - before).toBe(7_200_000);
  });

  const short = { operations: { '*': { fault: { 'rate-limit': { limit: 1, window: 40 } } } } };
  const long = { operations: { '*': { fault: { 'rate-limit': { limit: 1, window: '1h' } } } } };
  const slow = { operations: { listBooks: { delay: 60 } } };

  it('real time passes on a socket, for delays and rate limits, and dates follow the clock', async () => {
    const mock = await createLibrary({ slow, short }, { active: ['short', 'slow'] });
    const server = await mock.listen();
    const begun = performance.now();
    const before = mock.clock.now();
    const look = async (): Promise<number> => (await fetch(`${server.url}/books?${KEY}`)).status;
    // Each call takes longer than a window, so that the next one finds a new window however slow the machine is.
    expect([await look(), await look(), await look()]).toEqual([200, 200, 200]);
    // A timer may be a millisecond early by the other clock.
    expect(performance.now() - begun).toBeGreaterThanOrEqual(177);
    expect(mock.clock.now()).toBe(before);
    await mock.close();
  });

  it('a rate-limit window on a socket refuses until it ends, whatever a delay took', async () => {
    const mock = await createLibrary({ slow, long }, { active: ['long', 'slow'] });
    const server = await mock.listen();
    const look = async (): Promise<number> => (await fetch(`${server.url}/books?${KEY}`)).status;
    expect((await Promise.all([look(), look()])).toSorted()).toEqual([200, 429]);
    await mock.close();
  });

  it('a rate limit by its name in another tool passes calls on to the rules after it', async () => {
    // The types have the mock's own names only; files may have those of other tools.
    const fault = { quota: { limit: 1 } } as unknown as RuleDefinition['fault'] & object;
    const rules: readonly RuleDefinition[] = [{ fault }, { respond: { example: 'empty' } }];
    expect(await statusesOf(rules, 2)).toEqual([200, 429]);
  });

  it('an expression with the name of an inherited property has no value', async () => {
    const body = { message: 'x{$request.query.constructor}' };
    const mock = await createLibrary(
      { a: { operations: { '*': { violates: 'a body of its own', respond: { status: 299, body } } } } },
      { active: 'a' },
    );
    expect((await ask(mock, '/books')).body).toEqual({ message: 'x' });
  });

  it('a delay by a clock of the test ends when the test advances it', async () => {
    const clock = createVirtualClock();
    const mock = await createLibrary({ a: { operations: { listBooks: { delay: 300 } } } }, { active: 'a', clock });
    let isAnswered = false;
    const asked = ask(mock, '/books').then((shown) => {
      isAnswered = true;
      return shown;
    });
    await new Promise((resolve) => setImmediate(resolve));
    mock.clock.advance(299);
    await new Promise((resolve) => setImmediate(resolve));
    expect(isAnswered).toBe(false);
    mock.clock.advance(1);
    expect((await asked).status).toBe(200);
  });

  it('delays of several rules add up', async () => {
    const scenario: ScenarioDefinition = {
      operations: { '*': { delay: 100 }, listBooks: [{ delay: 20 }, { delay: { uniform: [3, 3] } }] },
    };
    const mock = await createLibrary({ a: scenario }, { active: 'a' });
    const before = mock.clock.now();
    await ask(mock, '/books');
    expect(mock.clock.now() - before).toBe(123);
  });

  it('a distribution has its median and tail, and is the same for the same seed', { tags: 'slow' }, async () => {
    const take = async (): Promise<readonly number[]> => {
      const scenario = { operations: { listBooks: { delay: { lognormal: { median: 40, p99: 300 } } } } };
      const mock = await createLibrary({ a: scenario }, { active: 'a', seed: 7 });
      const waits = [];
      for (let i = 0; i < 200; i++) {
        const before = mock.clock.now();
        await ask(mock, '/books');
        waits.push(mock.clock.now() - before);
      }
      return waits;
    };
    const waits = await take();
    const sorted = waits.toSorted((a, b) => a - b);
    expect(sorted[100]).toBeGreaterThan(30);
    expect(sorted[100]).toBeLessThan(55);
    expect(sorted[195]).toBeGreaterThan(100);
    expect(await take()).toEqual(waits);
  });

  it('a rate limit passes the calls of a window, and sends how many are left and when to retry', async () => {
    const fault = { 'rate-limit': { limit: 2, window: '10s' } };
    const mock = await createLibrary({ a: { operations: { '*': { fault } } } }, { active: 'a' });
    const look = async (): Promise<unknown> => {
      const { status, headers } = await ask(mock, '/books');
      return [
        status,
        ...['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`)),
        headers.get('retry-after'),
      ];
    };
    expect(await look()).toEqual([200, '2', '1', '10', null]);
    mock.clock.advance(4000);
    expect(await look()).toEqual([200, '2', '0', '6', null]);
    expect(await look()).toEqual([429, '2', '0', '6', '6']);
    mock.clock.advance(6000);
    expect(await look()).toEqual([200, '2', '1', '10', null]);
  });

  it('a rate limit per credential has a window for each', async () => {
    const fault = { 'rate-limit': { limit: 1, per: 'credential' as const, headers: { remaining: 'X-Left' } } };
    const mock = await createLibrary({ a: { operations: { '*': { fault } } } }, { active: 'a' });
    const look = async (key: string): Promise<unknown> => {
      const { status, headers } = await mock.fetch(`/books?api_key=${key}`);
      return [status, headers.get('x-left'), headers.get('x-ratelimit-limit')];
    };
    expect([await look('a'), await look('a'), await look('b')]).toEqual([
      [200, '0', null],
      [429, '0', null],
      [200, '0', null],
    ]);
  });
});
