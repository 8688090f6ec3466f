import { describe, expect, it } from 'vitest';
import { createMock, type Mock } from '../../src/index.js';
import { content, json, toDocument } from '../operation-parts.js';
import { arrayOf, INTEGER, object, TEXT } from '../schema-parts.js';
import { messageOf } from '../message-of.js';
import { send } from '../send.js';

const Booking = object({ id: TEXT, seats: INTEGER }, 'id', 'seats');
const Failure = object({ error: object({ type: TEXT, text: TEXT }, 'type', 'text') }, 'error');
const LIST = object({ bookings: arrayOf(Booking), total: INTEGER }, 'bookings', 'total');

const open = (): Promise<Mock> =>
  createMock({
    spec: toDocument({
      '/bookings': { get: { operationId: 'getBookings', responses: { 200: json(LIST), 500: json(Failure) } } },
      '/ping': { get: { operationId: 'ping', responses: { 204: { description: 'ok' } } } },
      '/shown': {
        get: {
          operationId: 'getShown',
          responses: {
            200: {
              description: 'ok',
              content: { 'application/json': { schema: LIST, example: { bookings: [], total: 7 } } },
            },
          },
        },
      },
      '/plain': {
        get: {
          operationId: 'getPlain',
          responses: { 200: { description: 'ok', content: content(TEXT, 'text/plain') } },
        },
      },
    }),
  });

describe('mock.respond', () => {
  it('completes a part of a body, for as many calls as it says', async () => {
    const mock = await open();
    mock.respond('getBookings', 200, { bookings: [{ id: 'b1' }] }, { times: 1, headers: { 'x-page': '1' } });
    const { status, body, headers } = await send(mock, 'GET /bookings');
    expect([status, headers.get('x-page'), body]).toEqual([
      200,
      '1',
      { bookings: [{ id: 'b1', seats: expect.any(Number) as number }], total: expect.any(Number) as number },
    ]);
    expect((await send(mock, 'GET /bookings')).headers.get('x-mock-source')).not.toBe('handler');
    mock.verify();
  });

  it.each([
    ['an example of the contract', 'getShown', 200, { bookings: [], total: 7 }],
    [
      'a generated value',
      'getBookings',
      200,
      { bookings: expect.any(Array) as unknown[], total: expect.any(Number) as number },
    ],
    ['no body where none is declared', 'ping', 204, ''],
  ])('answers without a body with %s', async (_, operation, status, body) => {
    const mock = await open();
    mock.respond(operation, status);
    const path = { getShown: '/shown', getBookings: '/bookings', ping: '/ping' }[operation] ?? '';
    const response = await mock.fetch(path);
    const text = await response.text();
    expect([response.status, text === '' ? '' : JSON.parse(text)]).toEqual([status, body]);
    mock.verify();
  });

  it('answers in one session only', async () => {
    const mock = await open();
    const session = mock.session('a');
    session.respond('GET /bookings', 200, { bookings: [], total: 3 });
    expect(await (await session.fetch('/bookings')).json()).toEqual({ bookings: [], total: 3 });
    expect(await (await mock.fetch('/bookings')).json()).not.toEqual({ bookings: [], total: 3 });
  });
});

describe('mock.fail', () => {
  it('answers in the format of the errors of the contract, until handlers are reset', async () => {
    const mock = await open();
    mock.fail('getBookings', 500, { message: 'the kitchen is closed' });
    const { status, body } = await send(mock, 'GET /bookings');
    expect([status, body]).toEqual([
      500,
      { error: { type: expect.any(String) as string, text: 'the kitchen is closed' } },
    ]);
    mock.resetHandlers();
    expect((await mock.fetch('/bookings')).status).toBe(200);
  });

  it.each([
    ['an unknown operation', (mock: Mock) => mock.fail('getBooking'), 'did you mean "getBookings"?'],
    [
      'a status that is none of an error',
      (mock: Mock) => mock.fail('getBookings', 200),
      '"status" must be an integer from 400 to 599, got 200',
    ],
    ['no call', (mock: Mock) => mock.fail('getBookings', 500, { times: 0 }), '"times" must be an integer from 1'],
  ])('refuses %s', async (_, act, says) => {
    const mock = await open();
    expect(await messageOf(() => act(mock))).toContain(says);
  });
});

it.each([
  ['a success', 200, { bookings: expect.any(Array) as unknown[], total: expect.any(Number) as number }],
  ['an error', 500, { error: { type: expect.any(String) as string, text: 'a handler answers 500' } }],
])('a handler that returns only the status of %s gets the body that the contract declares', async (_, status, body) => {
  const mock = await createMock({ spec: (await open()).contract, handlers: { getBookings: () => ({ status }) } });
  const reply = await send(mock, 'GET /bookings');
  expect([reply.status, reply.body]).toEqual([status, body]);
});

it.each([
  ['ping', '/ping', 204, ''],
  ['getPlain', '/plain', 200, ''],
])(
  'a handler of %s that returns only a status sends no body where no JSON is declared',
  async (operation, path, status, text) => {
    const mock = await createMock({ spec: (await open()).contract, handlers: { [operation]: () => ({ status }) } });
    const response = await mock.fetch(path);
    expect([response.status, await response.text()]).toEqual([status, text]);
  },
);
