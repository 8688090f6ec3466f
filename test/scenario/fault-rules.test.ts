import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Clock, createVirtualClock, type VirtualClock } from '../../src/base/clock.js';
import { createMock, type Mock, type MockServer } from '../../src/index.js';
import type { MockOptions } from '../../src/mock/options.js';
import type { RuleDefinition, ScenarioDefinition } from '../../src/features/scenario/definition/definition.js';
import { readWire } from './wire.js';
import { object, INTEGER, json, toDocument } from '../document-parts.js';

const EVENT = object({ n: INTEGER }, 'n');
const EXAMPLE = { ok: true, words: 'x'.repeat(400) };
const BODY = JSON.stringify(EXAMPLE);

/** One operation that answers JSON, and one that answers a stream of events. */
const SPEC: MockOptions['spec'] & object = toDocument({
  '/status': {
    get: {
      operationId: 'readStatus',
      responses: {
        200: { description: 'OK', content: { 'application/json': { example: EXAMPLE } } },
        503: json({ type: 'object' }, 'Away'),
      },
    },
  },
  '/feed': {
    get: {
      operationId: 'readFeed',
      responses: {
        200: { description: 'Events', content: { 'text/event-stream': { itemSchema: EVENT, schema: EVENT } } },
      },
    },
  },
});

const rule = (operation: string, fault: NonNullable<RuleDefinition['fault']>): ScenarioDefinition => ({
  operations: { [operation]: { fault } },
});

const SCENARIOS: Readonly<Record<string, ScenarioDefinition>> = {
  reset: rule('readStatus', 'reset'),
  empty: rule('readStatus', 'empty'),
  garbage: rule('readStatus', 'garbage'),
  'malformed-chunk': rule('readStatus', 'malformed-chunk'),
  truncate: rule('readStatus', { truncate: { at: '25%' } }),
  'truncate-10': rule('readStatus', { truncate: { at: 10 } }),
  'truncate-0': rule('readStatus', { truncate: { at: 0 } }),
  'malformed-json': rule('readStatus', 'malformed-json'),
  drip: rule('readStatus', { drip: { bytes: 64, every: 1 } }),
  bandwidth: rule('readStatus', { bandwidth: { kbps: 8000 } }),
  'rate-limit': rule('readStatus', { 'rate-limit': { limit: 0, window: '30s' } }),
  'broken-error': {
    operations: { readStatus: { respond: { status: 503, body: { gone: true } }, fault: 'malformed-json' } },
  },
  'step-by-step': {
    operations: {
      readStatus: { sequence: [{ fault: 'reset' }, { status: 503, fault: { truncate: { at: 1 } } }, 'engine'] },
    },
  },
  hang: rule('readStatus', 'hang'),
  'hang-body': rule('readStatus', { hang: { stage: 'body' } }),
  stall: rule('readFeed', { stream: { after: 1, action: 'stall' } }),
  slow: { operations: { readStatus: { delay: '1m' } } },
  'slow-body': rule('readStatus', { drip: { bytes: 1, every: '1s' } }),
  ...Object.fromEntries(
    (['end', 'reset', 'bad-json', 'duplicate'] as const).map((action) => [
      `stream-${action}`,
      rule('readFeed', { stream: { after: 1, action } }),
    ]),
  ),
};

let mock: Mock<Clock>;
let server: MockServer;

beforeAll(async () => {
  mock = await createMock({ spec: SPEC, scenarios: SCENARIOS, clock: 'real' });
  server = await mock.listen();
});

afterAll(async () => mock.close());

type Ask = (path: string, init?: RequestInit) => Promise<Response>;

/** A way to send requests, and how the code of an error is compared there. */
interface Entrance {
  readonly ask: Ask;
  /** The codes of `fetch` differ between versions of Node; in-process they are the mock's own. */
  code(code: string): string;
}

const ENTRANCES: readonly (readonly [string, Entrance])[] = [
  ['on a socket', { ask: async (path, init) => fetch(server.url + path, init), code: () => 'an error of fetch' }],
  ['in-process', { ask: async (path, init) => mock.fetch(path, init), code: (code) => code }],
];

async function see({ ask, code }: Entrance, scenario: string, init: RequestInit = {}): Promise<unknown> {
  let status: number | undefined;
  try {
    const response = await ask('/status', { ...init, headers: { 'x-mock-scenario': scenario } });
    status = response.status;
    await response.json();
    return status;
  } catch (error) {
    const { name, message, cause } = error as Error & { cause?: { code?: string } };
    if (name === 'SyntaxError') return [status, name];
    // On a socket the cause of an error of `fetch` differs between versions of Node, and has no code in some.
    return [status, cause === undefined ? message : code(cause.code ?? '')];
  }
}

describe.each(ENTRANCES)('a rule with a fault, %s', (_name, entrance) => {
  const { ask, code } = entrance;
  const cases: readonly (readonly [string, unknown])[] = [
    ['reset', [undefined, code('ECONNRESET')]],
    ['empty', [undefined, code('UND_ERR_SOCKET')]],
    ['garbage', [undefined, code('HPE_INVALID_CONSTANT')]],
    ['malformed-chunk', [200, code('HPE_INVALID_CHUNK_SIZE')]],
    ['truncate', [200, code('UND_ERR_SOCKET')]],
    ['malformed-json', [200, 'SyntaxError']],
    ['drip', 200],
    ['bandwidth', 200],
    ['rate-limit', 429],
    ['broken-error', [503, 'SyntaxError']],
  ];

  it.each(cases)('%s', async (scenario, want) => {
    expect(await see(entrance, scenario)).toEqual(want);
  });

  it('hang, until the client gives up', async () => {
    const before = mock.journal.last()?.number ?? 0;
    const client = new AbortController();
    const seen = see(entrance, 'hang', { signal: client.signal });
    await mock.journal.waitFor(({ number }) => number > before, { timeout: 20_000 });
    client.abort(new Error('the client gives up'));
    expect(await seen).toEqual([undefined, 'the client gives up']);
  });

  it.each([
    ['hang-body', '/status'],
    ['stall', '/feed'],
  ])('%s, until the client that got a part of the body gives up', async (scenario, path) => {
    const client = new AbortController();
    const response = await ask(path, { signal: client.signal, headers: { 'x-mock-scenario': scenario } });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    expect((await reader.read()).value?.length).toBeGreaterThan(0);
    const rest = reader.read();
    const gone = new Error('the client gives up');
    client.abort(gone);
    await expect(rest).rejects.toBe(gone);
  });

  it('one after the other, in a sequence', async () => {
    mock.reset('counters');
    const seen = [];
    for (let step = 0; step < 3; step++) seen.push(await see(entrance, 'step-by-step'));
    expect(seen).toEqual([[undefined, code('ECONNRESET')], [503, code('UND_ERR_SOCKET')], 200]);
  });

  it('is recorded in the journal with the fault', async () => {
    await see(entrance, 'garbage');
    const last = mock.journal.last();
    expect([last?.answer.status, last?.answer.fault, last?.answer.from]).toEqual([
      0,
      { kind: 'garbage' },
      'scenario:garbage',
    ]);
  });

  it.each([
    ['end', 1, undefined],
    ['reset', 1, 'ECONNRESET'],
    ['bad-json', 4, undefined],
    ['duplicate', 4, undefined],
  ] as const)('of a stream after its first event: %s', async (scenario, count, want) => {
    const events: string[] = [];
    let failed: unknown;
    try {
      const { body } = await ask('/feed', { headers: { 'x-mock-scenario': `stream-${scenario}` } });
      // A web stream of Node is an async iterable of its chunks.
      for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
        events.push(
          ...Buffer.from(chunk)
            .toString()
            .split('\n\n')
            .filter((event) => event !== ''),
        );
      }
    } catch (error) {
      failed = (error as { cause?: { code?: string } }).cause?.code;
    }
    expect([events.length, failed]).toEqual([count, want]);
    if (scenario === 'duplicate') expect(events[1]).toBe(events[0]);
    if (scenario === 'bad-json') expect(events[1]).toBe('data: {"broken": ');
  });
});

/** The whole body is announced. */
const ANNOUNCED = expect.stringMatching(
  new RegExp(`^HTTP/1.1 200 OK\r\n[^]*content-length: ${BODY.length}\r\n`, 'i'),
) as string;

describe('a rule with a fault, on the wire', () => {
  it.each([
    ['reset', { text: '', end: 'ECONNRESET' }],
    ['empty', { text: '', end: 'end' }],
    ['garbage', { text: expect.not.stringMatching(/^HTTP/) as string, end: 'end' }],
    ['malformed-chunk', { body: expect.stringMatching(/^1\r\n\{\r\n(?![\da-f])/i) as string, end: 'end' }],
    ['truncate', { text: ANNOUNCED, body: BODY.slice(0, BODY.length / 4), end: 'end' }],
    ['truncate-10', { text: ANNOUNCED, body: BODY.slice(0, 10), end: 'end' }],
    ['truncate-0', { text: ANNOUNCED, body: '', end: 'end' }],
  ])('%s', async (scenario, want) => {
    expect(await readWire(server.url, { 'x-mock-scenario': scenario }, '/status')).toMatchObject(want);
  });

  it('malformed-json', async () => {
    const { text, body, end } = await readWire(server.url, { 'x-mock-scenario': 'malformed-json' }, '/status');
    expect([/^content-length: (\d+)/im.exec(text)?.[1], end]).toEqual([String(body.length), 'end']);
    expect(() => JSON.parse(body) as unknown).toThrow(SyntaxError);
  });
});

it('a slow body takes as long as the clock of the session says', async () => {
  await using own = await createMock({ spec: SPEC, scenarios: SCENARIOS });
  const before = own.clock.now();
  const response = await own.fetch('/status', { headers: { 'x-mock-scenario': 'slow-body' } });
  expect(await response.text()).toBe(BODY);
  expect(own.clock.now() - before).toBe((BODY.length - 1) * 1000);
});

it.each(['\n', '\r\n', '\r'])('a stream whose lines end in %j ends after its second event', async (end) => {
  const events = [1, 2, 3].map((n) => `data: {"n":${n}}${end}${end}`);
  const respond = { body: events.join('') };
  const cut = { operations: { readFeed: { respond, fault: { stream: { after: 2, action: 'end' as const } } } } };
  await using own = await createMock({ spec: SPEC, scenarios: { from: { cut }, active: 'cut' } });
  expect(await (await own.fetch('/feed')).text()).toBe(events.slice(0, 2).join(''));
});

it.each(['slow', 'slow-body', 'hang'])('a client that leaves during %s does not harm the mock', async (scenario) => {
  const time = createWatchedClock(10);
  await using own = await createMock({ spec: SPEC, scenarios: SCENARIOS, clock: time.clock });
  const listening = await own.listen();
  const entrance: Entrance = { ask: async (path, init) => fetch(listening.url + path, init), code: (code) => code };
  const client = new AbortController();
  const leaving = Array.from({ length: 10 }, async () => see(entrance, scenario, { signal: client.signal }));
  // A hanging call is remembered at once; the others wait by the clock.
  if (scenario === 'hang') await own.journal.waitFor(({ number }) => number >= 10, { timeout: 20_000 });
  else await time.asleep;
  client.abort(new Error('the client leaves'));
  for (const seen of await Promise.all(leaving)) expect(seen).toEqual(expect.arrayContaining(['the client leaves']));
  // Each call is remembered once its answer is made, whether the client is still there or not.
  time.clock.advance(60_000);
  await own.journal.waitFor(({ number }) => number >= 10, { timeout: 20_000 });
  expect(await see(entrance, 'none-of-them')).toBe(400);
  await listening.close(0);
});

/** A clock that the test moves, and a promise that resolves once so many sleep by it. */
function createWatchedClock(count: number): { readonly clock: VirtualClock; readonly asleep: Promise<void> } {
  const inner = createVirtualClock();
  let wake = (): void => undefined;
  const asleep = new Promise<void>((resolve) => {
    wake = resolve;
  });
  let sleeping = 0;
  const sleep: VirtualClock['sleep'] = async (ms, signal) => {
    sleeping += 1;
    if (sleeping === count) wake();
    return inner.sleep(ms, signal);
  };
  return { clock: { ...inner, sleep }, asleep };
}
