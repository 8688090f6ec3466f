import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Contract, createMock, loadContract, matchers, type Mock } from '../../src/index.js';
import { json, sends, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, INTEGER, object, ref, TEXT } from '../schema-parts.js';

expect.extend(matchers);

const order = object(
  {
    id: TEXT,
    amount: INTEGER,
    colour: { type: 'string', deprecated: true },
    parts: arrayOf(object({ size: ref('Old'), name: TEXT })),
  },
  'amount',
);
const query = (name: string, more: object = {}): object => ({ name, in: 'query', schema: TEXT, ...more });

const DOCUMENT = toDocument(
  {
    '/orders': {
      get: {
        operationId: 'listOrders',
        parameters: [
          query('starting_after'),
          query('limit', { schema: INTEGER }),
          query('color', { deprecated: true }),
        ],
        responses: { 200: json(object({ data: arrayOf(order), has_more: BOOLEAN }, 'data', 'has_more')) },
      },
      post: {
        operationId: 'createOrder',
        ...sends(order),
        responses: { 201: json(order), 429: { description: '' }, 503: { description: '' } },
      },
    },
    '/status': { get: { operationId: 'readStatus', deprecated: true, responses: { 200: { description: '' } } } },
    '/numbered': {
      get: {
        operationId: 'listNumbered',
        parameters: [query('page', { schema: INTEGER })],
        responses: { 200: json(arrayOf(TEXT)) },
      },
    },
  },
  { Old: { type: 'integer', deprecated: true } },
);

const FIXTURES = { orders: ['a', 'b', 'c'].map((id, i) => ({ id, amount: i })) };

let contract: Contract;
let mock: Mock;

beforeAll(async () => {
  contract = await loadContract(DOCUMENT);
});
beforeEach(async () => {
  mock = await createMock({ spec: contract, fixtures: FIXTURES });
});
afterEach(() => mock.close());

/** The statuses that orders are answered with, before the mock answers them. */
function fail(...answers: readonly { readonly status: number; readonly after?: string }[]): void {
  const left = [...answers];
  mock.use({
    createOrder: () => {
      const next = left.shift();
      if (next === undefined) return undefined;
      return { status: next.status, headers: next.after === undefined ? {} : { 'retry-after': next.after } };
    },
  });
}

async function order1(waitMs = 0, body: object = { amount: 1 }, key?: string): Promise<void> {
  mock.clock.advance(waitMs);
  const headers = { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) };
  await mock.fetch('/orders', { method: 'POST', headers, body: JSON.stringify(body) });
}

async function get(...paths: readonly string[]): Promise<void> {
  for (const path of paths) await mock.fetch(path);
}

it.each<readonly [string, () => Promise<void>]>([
  [
    'it waits as long as Retry-After says, in seconds or until a date',
    async () => {
      fail({ status: 429, after: '2' }, { status: 503, after: 'Thu, 01 Jan 2026 00:00:10 GMT' });
      await order1();
      await order1(2000);
      await order1(8000);
    },
  ],
  [
    'it waits longer before each retry, and another request comes at once',
    async () => {
      fail({ status: 503 }, { status: 503 }, { status: 429 }, { status: 503 });
      await order1();
      await order1(100);
      await order1(200);
      await order1(400);
      await order1(0, { amount: 2 });
    },
  ],
  [
    'a key is used again with the same body, or after a refusal',
    async () => {
      fail({ status: 503 });
      await order1(0, { amount: 1 }, 'one');
      await order1(100, { amount: 1 }, 'one');
      await order1(0, { amount: 2 }, 'two');
      await order1(0, { amount: 'x' }, 'three');
      await order1(0, { amount: 3 }, 'three');
    },
  ],
  ['it reads each page once', () => get('/orders?limit=2', '/orders?limit=2&starting_after=b')],
  [
    'it reads the list again after a change',
    async () => {
      await get('/orders');
      await order1();
      await get('/orders', '/numbered?page=1', '/numbered?page=2');
    },
  ],
  ['it reads two lists that differ in their filter', () => get('/orders', '/orders?limit=3')],
])('a client behaves where: %s', async (_, requests) => {
  await requests();
  mock.checkConduct();
  mock.verify({ conduct: true, ignore: ({ answer }) => answer.from === 'refuse' });
});

const RETRY_HINT = '  hint: wait for as long as Retry-After says before the request is sent again';
const BACKOFF_HINT = '  hint: wait longer before each retry, for example twice as long, with a limit';
const KEY_HINT = '  hint: create a new key for each new request, and keep it for its retries';
const PAGE_HINT = '  hint: follow what each page says about the next one, until there is none';

describe('a client does not behave where', () => {
  it.each<readonly [string, () => Promise<void>, () => void, readonly string[]]>([
    [
      'it does not wait for Retry-After',
      async () => {
        fail({ status: 429, after: '2' });
        await order1();
        await order1(500);
      },
      () => expect(mock).toHonourRetryAfter(),
      [
        '  #2 POST /orders -> 201 state (createOrder)',
        '      #1 was answered 429 with Retry-After: 2, and the request was repeated after 500 ms',
        RETRY_HINT,
      ],
    ],
    [
      'it repeats a request sooner than the shortest wait',
      async () => {
        fail({ status: 503 });
        await order1();
        await order1(500);
      },
      () => expect(mock).toBackOff({ minMs: 1000 }),
      [
        '  #2 POST /orders -> 201 state (createOrder)',
        '      #1 was answered 503, and the request was repeated after 500 ms, not at least 1000 ms',
        BACKOFF_HINT,
      ],
    ],
    [
      'it repeats a request at the same interval',
      async () => {
        fail({ status: 503 }, { status: 503 });
        await order1();
        await order1(1000);
        await order1(1000);
      },
      () => expect(mock).toBackOff(),
      [
        '  #3 POST /orders -> 201 state (createOrder)',
        '      #2 was answered 503, and the request was repeated after 1000 ms, not longer than the 1000 ms before',
        BACKOFF_HINT,
      ],
    ],
    [
      'it uses a key again with another body',
      async () => {
        await order1(0, { amount: 1 }, 'k1');
        await order1(0, { amount: 2 }, 'k1');
      },
      () => expect(mock).toReuseIdempotencyKeys(),
      [
        expect.stringMatching(/^ {2}#2 POST \/orders -> \d+ \w+ \(createOrder\)$/) as string,
        '      the idempotency key of #1 was used again with another body; body /amount: expected 1, got 2',
        KEY_HINT,
      ],
    ],
    [
      'it requests a page twice and leaves out the last one',
      () => get('/orders?limit=1', '/orders?limit=1&starting_after=c', '/orders?limit=1&starting_after=c'),
      () => expect(mock).toWalkPagesOnce(),
      [
        '  #3 GET /orders?limit=1&starting_after=c -> 200 state (listOrders)',
        '      this page was requested before, with #2',
        '      it names a next page, which was not requested',
        PAGE_HINT,
      ],
    ],
    [
      'it reads only the first page of a list that has to be read to its end',
      () => get('/orders?limit=1'),
      () => expect(mock).toWalkPagesOnce('listOrders'),
      [
        '  #1 GET /orders?limit=1 -> 200 state (listOrders)',
        '      it names a next page, which was not requested',
        PAGE_HINT,
      ],
    ],
    [
      'it uses what is deprecated',
      async () => {
        await get('/status', '/orders?color=red');
        await order1(0, { amount: 1, colour: 'red', parts: [{ size: 1, name: 'x' }] });
      },
      () => expect(mock).toUseNothingDeprecated(),
      [
        expect.stringMatching(/^ {2}#1 GET \/status/) as string,
        '      the operation readStatus is deprecated',
        '  #2 GET /orders?color=red -> 200 state (listOrders)',
        '      the query parameter "color" is deprecated',
        '  #3 POST /orders -> 201 state (createOrder)',
        '      the body property "colour" is deprecated',
        '      the body property "parts.size" is deprecated',
        '  hint: use what the document names instead',
      ],
    ],
    [
      'it uses what is not declared',
      async () => {
        await get('/order', '/orders?sort=x');
        await order1(0, { amount: 1, amuont: 2 });
      },
      () => expect(mock).toUseNothingUndeclared(),
      [
        '  #1 GET /order -> 404 refuse (no operation)',
        '      no operation of the contract matches',
        '  #2 GET /orders?sort=x -> 200 state (listOrders)',
        expect.stringMatching(/^ {6}query parameter "sort" is not declared by the operation/) as string,
        '  #3 POST /orders -> 201 state (createOrder)',
        '      body property "amuont" is not declared by the schema; did you mean "amount"?',
        '  hint: correct the name, or declare it in the document',
      ],
    ],
  ])('%s', async (_, requests, check, want) => {
    await requests();
    let message = '';
    try {
      check();
    } catch (error) {
      ({ message } = error as Error);
    }
    const [first = '', ...lines] = message.split('\n');
    expect(first).toMatch(/^VERIFY_FAILED {2}verification failed with \d findings?:$/);
    expect(lines).toEqual(want);
  });

  it('verify checks only the rules that it is given, and none by default', async () => {
    fail({ status: 503 });
    await order1();
    await order1();
    mock.verify();
    mock.verify({ conduct: { retryAfter: true, pages: ['listOrders'] } });
    expect(() => mock.verify({ conduct: { backoff: { minMs: 60_000 } } })).toThrow('not at least 60000 ms');
    mock.verify({ conduct: true, ignore: ({ operation }) => operation === 'createOrder' });
    expect(() => mock.checkConduct({ pages: ['listOrder'] })).toThrow('did you mean "listOrders"?');
    expect(() => expect(mock).not.toHonourRetryAfter()).toThrow('the client behaved as the rule says');
  });
});
