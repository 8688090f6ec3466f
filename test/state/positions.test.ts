// Parameters of JSON-RPC that clients send by position, with the names of the hint `positions`.
import { expect, it } from 'vitest';
import { arrayOf, BOOLEAN, INTEGER, json, object, TEXT, toDocument } from '../document-parts.js';
import { openMock } from '../open-mock.js';

const Lamp = object({ id: INTEGER, room: TEXT, lit: BOOLEAN }, 'id');

const toMethod = (method: string, { params, result, names }: Readonly<Record<string, object>>): object => ({
  [`/rpc#method=${method}`]: {
    post: {
      'x-mock': { repeats: ['id'], ...(names !== undefined && { positions: { params: names } }) },
      requestBody: {
        required: true,
        content: json(object({ id: {}, method: { const: method }, params })).content,
      },
      responses: { 200: json(object({ id: {}, result }, 'result')) },
    },
  },
});

const document = toDocument(
  {
    ...toMethod('lamps.add', { params: object({ room: TEXT, lit: BOOLEAN }), result: Lamp, names: ['*'] }),
    ...toMethod('lamps.get', { params: object({ id: INTEGER }, 'id'), result: Lamp, names: ['id'] }),
    ...toMethod('lamps.update', {
      params: object({ id: INTEGER, lit: BOOLEAN }, 'id'),
      result: Lamp,
      names: ['id', '*'],
    }),
    ...toMethod('lamps.test', { params: arrayOf(TEXT), result: arrayOf(TEXT) }),
  },
  {},
);

it('are read by name, checked by their schemas, and an array without the hint stays one', async () => {
  const mock = await openMock({ spec: document });
  const call = async (method: string, params: unknown): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ id: 1, method, params });
    const response = await mock.fetch('/rpc', { method: 'POST', headers, body });
    return response.status === 200 ? ((await response.json()) as { result: unknown }).result : response.status;
  };
  const made = (await call('lamps.add', [{ room: 'hall', lit: false }])) as { readonly id: number };
  expect(made).toMatchObject({ room: 'hall', lit: false });
  expect(await call('lamps.get', [made.id])).toEqual(made);
  expect(await call('lamps.update', [made.id, { lit: true }])).toEqual({ ...made, lit: true });
  expect(await call('lamps.get', { id: made.id })).toEqual({ ...made, lit: true });
  expect(await call('lamps.get', ['hall'])).toBe(400);
  expect(await call('lamps.get', [])).toBe(400);
  expect(await call('lamps.test', ['a'])).toBeInstanceOf(Array);
});
