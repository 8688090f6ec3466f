import { expect, it } from 'vitest';
import { createMock } from '../../src/index.js';
import { json, sends, toDocument } from '../operation-parts.js';
import { INTEGER, object, TEXT } from '../schema-parts.js';

it('the members of the hint repeats are those of the request in every answer, errors included', async () => {
  const call = (method: string, result: object): object => ({
    post: {
      ...sends(object({ id: {}, method: { const: method }, params: object({ name: TEXT, id: INTEGER }) }, 'method')),
      responses: { 200: json(object({ id: {}, result }, 'id', 'result')), 404: json(object({ message: TEXT })) },
      'x-mock': { repeats: ['id'] },
    },
  });
  const Boat = object({ id: INTEGER, name: TEXT }, 'id', 'name');
  const spec = toDocument({
    '/rpc#method=boats.create': call('boats.create', Boat),
    '/rpc#method=boats.get': call('boats.get', Boat),
    '/rpc#method=boats.list': call('boats.list', { type: 'array', items: Boat }),
  });
  const mock = await createMock({ spec, state: { initialItems: 0, unknownIds: 'not-found' } });
  const ask = async (body: object): Promise<readonly [number, unknown]> => {
    const headers = { 'content-type': 'application/json' };
    const response = await mock.fetch('/rpc', { method: 'POST', headers, body: JSON.stringify(body) });
    return [response.status, await response.json()];
  };
  const [, made] = await ask({ id: 'call-1', method: 'boats.create', params: { name: 'Ida' } });
  const { result: boat } = made as { readonly result: { readonly id: number } };
  expect(made).toEqual({ id: 'call-1', result: { id: boat.id, name: 'Ida' } });
  const get = { method: 'boats.get', params: { id: boat.id } };
  expect(await ask({ id: 2, ...get })).toEqual([200, { id: 2, result: boat }]);
  // The same item for another call, and for one without an id.
  expect(await ask({ id: [3], ...get })).toEqual([200, { id: [3], result: boat }]);
  expect(await ask(get)).toMatchObject([200, { result: boat }]);
  expect(await ask({ id: 4, method: 'boats.list' })).toEqual([200, { id: 4, result: [boat] }]);
  expect(await ask({ id: 5, method: 'boats.list', params: { name: 'Ada' } })).toEqual([200, { id: 5, result: [] }]);
  expect(await ask({ id: 6, method: 'boats.get', params: { id: -1 } })).toMatchObject([404, { id: 6 }]);
});
