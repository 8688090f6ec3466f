import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMock, type Mock, type MockServer } from '../../src/mock.js';
import type { MockOptions } from '../../src/options.js';
import type { RuleDefinition, ScenarioDefinition } from '../../src/scenario/definition/definition.js';

const EVENT = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } };

/** One operation that answers JSON, and one that answers a stream of events. */
const SPEC: MockOptions['spec'] & object = {
  openapi: '3.1.0',
  info: { title: 'Feed', version: '1' },
  paths: {
    '/status': {
      get: {
        operationId: 'readStatus',
        responses: {
          200: {
            description: 'OK',
            content: { 'application/json': { example: { ok: true, words: 'x'.repeat(400) } } },
          },
          503: { description: 'Away', content: { 'application/json': { schema: { type: 'object' } } } },
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
  },
};

const rule = (operation: string, fault: NonNullable<RuleDefinition['fault']>): ScenarioDefinition => ({
  operations: { [operation]: { fault } },
});

const SCENARIOS: Readonly<Record<string, ScenarioDefinition>> = {
  reset: rule('readStatus', 'reset'),
  empty: rule('readStatus', 'empty'),
  garbage: rule('readStatus', 'garbage'),
  'malformed-chunk': rule('readStatus', 'malformed-chunk'),
  truncate: rule('readStatus', { truncate: { at: '25%' } }),
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
  slow: { operations: { readStatus: { delay: 60 } } },
  'slow-body': rule('readStatus', { drip: { bytes: 1, every: 20 } }),
  ...Object.fromEntries(
    ['end', 'reset', 'bad-json', 'duplicate'].map((action) => [
      `stream-${action}`,
      rule('readFeed', { stream: { after: 1, action } }),
    ]),
  ),
};

let mock: Mock;
let server: MockServer;

beforeAll(async () => {
  mock = await createMock({ spec: SPEC, scenarios: SCENARIOS, clock: 'real' });
  server = await mock.listen();
});

afterAll(async () => mock.close());

type Ask = (path: string, init?: RequestInit) => Promise<Response>;

const DOORS: readonly (readonly [string, (path: string, init?: RequestInit) => Promise<Response>])[] = [
  ['on a socket', async (path, init) => fetch(server.url + path, init)],
  ['in-process', async (path, init) => mock.fetch(path, init)],
];

async function see(ask: Ask, scenario: string, init: RequestInit = {}): Promise<unknown> {
  let status: number | undefined;
  try {
    const response = await ask('/status', { ...init, headers: { 'x-mock-scenario': scenario } });
    status = response.status;
    await response.json();
    return status;
  } catch (error) {
    const { name, message, cause } = error as Error & { cause?: { code?: string } };
    return [status, name === 'SyntaxError' ? name : (cause?.code ?? message)];
  }
}

describe.each(DOORS)('a rule with a fault, %s', (_door, ask) => {
  const cases: readonly (readonly [string, unknown])[] = [
    ['reset', [undefined, 'ECONNRESET']],
    ['empty', [undefined, 'UND_ERR_SOCKET']],
    ['garbage', [undefined, 'HPE_INVALID_CONSTANT']],
    ['malformed-chunk', [200, 'HPE_INVALID_CHUNK_SIZE']],
    ['truncate', [200, 'UND_ERR_SOCKET']],
    ['malformed-json', [200, 'SyntaxError']],
    ['drip', 200],
    ['bandwidth', 200],
    ['rate-limit', 429],
    ['broken-error', [503, 'SyntaxError']],
  ];

  it.each(cases)('%s', async (scenario, want) => {
    expect(await see(ask, scenario)).toEqual(want);
  });

  it('hang, until the client gives up', async () => {
    expect(await see(ask, 'hang', { signal: AbortSignal.timeout(80) })).toEqual([
      undefined,
      'The operation was aborted due to timeout',
    ]);
  });

  it('one after the other, in a sequence', async () => {
    mock.reset('counters');
    const seen = [await see(ask, 'step-by-step'), await see(ask, 'step-by-step'), await see(ask, 'step-by-step')];
    expect(seen).toEqual([[undefined, 'ECONNRESET'], [503, 'UND_ERR_SOCKET'], 200]);
  });

  it('stands in the journal with what was to go wrong', async () => {
    await see(ask, 'garbage');
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
  ] as const)('of a stream after its first event: %s', async (scenario, count, code) => {
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
    expect([events.length, failed]).toEqual([count, code]);
    if (scenario === 'duplicate') expect(events[1]).toBe(events[0]);
    if (scenario === 'bad-json') expect(events[1]).toBe('data: {"broken": ');
  });
});

describe('a client that leaves', () => {
  it.each(['slow', 'slow-body', 'hang'])('during %s does the mock no harm', async (scenario) => {
    const ask: Ask = async (path, init) => fetch(server.url + path, init);
    const before = mock.journal.last()?.number ?? 0;
    const leaving = Array.from({ length: 10 }, async () => see(ask, scenario, { signal: AbortSignal.timeout(30) }));
    const message = 'The operation was aborted due to timeout';
    for (const seen of await Promise.all(leaving)) expect(seen).toEqual(expect.arrayContaining([message]));
    // Each call is remembered once its answer is made, whether anybody is left to take it or not.
    await mock.journal.waitFor(({ number }) => number >= before + 10, { timeout: 5000 });
    expect(await see(ask, 'none-of-them')).toBe(400);
  });
});
