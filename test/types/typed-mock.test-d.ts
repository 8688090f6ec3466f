import { expect, expectTypeOf } from 'vitest';
import { createMock, defineHandlers, type Interaction, type MockOptions } from '../../src/index.js';
import type * as Theirs from './stations-openapi-typescript.js';
import type * as Ours from './stations-vouch.js';

const spec = 'test/types/stations.yaml';
type Station = Ours.components['schemas']['Station'];

/** By path, with the types of either file. */
defineHandlers<Ours.paths>({
  'GET /stations': ({ call, json }) => {
    expectTypeOf(call.query.country).toEqualTypeOf<'DE' | 'FR'>();
    expectTypeOf(call.query.limit).toEqualTypeOf<number | undefined>();
    expectTypeOf(call.header['X-Trace']).toEqualTypeOf<string | undefined>();
    // @ts-expect-error -- there is no such parameter
    void call.query.city;
    // @ts-expect-error -- a page has data
    json({ next: null });
    return { data: [], next: null };
  },
  'DELETE /stations/{station_id}': ({ call, empty }) => {
    expectTypeOf(call.path.station_id).toEqualTypeOf<string>();
    return empty();
  },
  'POST /stations': ({ call, complete }) => {
    expectTypeOf(call.body.name).toEqualTypeOf<string>();
    // @ts-expect-error -- a station has no such property
    complete({ colour: 'red' });
    // @ts-expect-error -- an id is a string
    complete({ id: 1 });
    complete({ title: 'A problem' }, { status: 422 });
    return complete({ name: call.body.name, position: [1, 2] });
  },
  'PUT /photos': () => ({ status: 200, body: new Uint8Array(1) }),
});
defineHandlers<Theirs.paths>({
  'GET /stations': ({ call }) => {
    expectTypeOf(call.query.country).toEqualTypeOf<'DE' | 'FR'>();
    return { data: [] };
  },
  'DELETE /stations/{station_id}': ({ call }) => void expectTypeOf(call.path.station_id).toEqualTypeOf<string>(),
});
// @ts-expect-error -- the path has no such method
defineHandlers<Ours.paths>({ 'PATCH /stations': () => undefined });
// @ts-expect-error -- there is no such path
defineHandlers<Theirs.paths>({ 'GET /station': () => undefined });
// @ts-expect-error -- without a method
defineHandlers<Ours.paths>({ '/stations': () => undefined });

// Ranges and `default` are declared responses.
defineHandlers<Ours.operations>({
  listStations: () => ({ status: 404, body: { title: 'gone' } }),
  'stations/read': () => 'id,name',
});
defineHandlers<Theirs.operations>({ listStations: () => ({ status: 503, body: { title: 'down' } }) });
// @ts-expect-error -- a problem has a title
defineHandlers<Ours.operations>({ listStations: () => ({ status: 404, body: { data: [] } }) });
// @ts-expect-error -- only 201 and 422 are declared
defineHandlers<Ours.operations>({ createStation: () => ({ status: 500, body: { title: 'down' } }) });
// @ts-expect-error -- JSON is not bytes
defineHandlers<Ours.operations>({ createStation: () => ({ status: 201, body: new Uint8Array(1) }) });

{
  const mock = await createMock<Ours.operations>({ spec, handlers: { listStations: () => ({ data: [] }) } });
  mock.use({ createStation: ({ call, json }) => json({ id: 'a', name: call.body.name, platforms: 1 }) });
  // @ts-expect-error -- there is no such operation
  mock.use({ createStations: () => undefined });
  mock.use(defineHandlers<Ours.operations>({ listStations: () => ({ data: [] }) }));
  mock.session('a').use({ 'stations/read': () => undefined });
  // @ts-expect-error -- there is no such operation, in a session either
  mock.session('a').use({ readStation: () => undefined });

  expectTypeOf(mock.journal.calls('createStation')[0]?.request.body.name).toEqualTypeOf<string | undefined>();
  expectTypeOf(mock.journal.last('stations/read')?.request.path.station_id).toEqualTypeOf<string | undefined>();
  expectTypeOf(mock.journal.last()).toEqualTypeOf<Interaction | undefined>();
  expectTypeOf((await mock.journal.waitFor('listStations')).request.query.country).toEqualTypeOf<'DE' | 'FR'>();
  expectTypeOf(await mock.journal.waitFor(({ answer }) => answer.status > 400)).toEqualTypeOf<Interaction>();
  // An operation without an id.
  expectTypeOf(mock.journal.last('DELETE /stations/{station_id}')).toEqualTypeOf<Interaction | undefined>();
  // @ts-expect-error -- there is no such operation
  mock.journal.calls('listStation');
  // @ts-expect-error -- there is no such operation
  mock.journal.last('listStation');
  // @ts-expect-error -- there is no such operation
  void mock.journal.waitFor('listStation', { timeout: 1 });
  mock.verify({ calls: { createStation: 1, listStations: { atLeast: 1 } } });
  // @ts-expect-error -- there is no such operation
  mock.verify({ calls: { listStation: 1 } });

  expectTypeOf(mock.received('createStation')[0]?.request.body.name).toEqualTypeOf<string | undefined>();
  mock.received('listStations', {
    times: 1,
    with: { query: { country: /^D/, limit: 2 }, headers: { accept: /json/ } },
  });
  mock.received('createStation', { with: { body: { name: (name) => name.startsWith('B') } } });
  mock.received('DELETE /stations/{station_id}', { times: { atLeast: 1 } });
  mock.respond('createStation', 201, { name: 'Berlin' }, { times: 1 });
  mock.fail('createStation', 503);
  // @ts-expect-error -- a name is a string
  mock.respond('createStation', 201, { name: 1 });
  // @ts-expect-error -- there is no such operation
  mock.fail('listStation');
  // @ts-expect-error -- there is no such operation
  mock.received('listStation');
  // @ts-expect-error -- a name is a string
  mock.received('createStation', { with: { body: { name: 1 } } });
  // @ts-expect-error -- there is no such parameter
  mock.session('a').received('listStations', { with: { query: { city: 'x' } } });
  mock.receivedInOrder(['createStation', { operation: 'listStations', with: { query: { limit: 2 } } }]);
  // @ts-expect-error -- a limit is a number
  mock.receivedOnly([{ operation: 'listStations', with: { query: { limit: 'x' } } }]);

  expect(mock).toHaveReceived('createStation', { times: 1, with: { body: { name: expect.any(String) } } });
  expect(mock.session('a')).toHaveReceivedOnly(['listStations']);
  expect(mock).not.toHaveReceivedInOrder([{ operation: 'createStation', times: 1 }, 'listStations']);
  expect(mock).toPassVerification({ calls: { createStation: 1 } });
  // @ts-expect-error -- there is no such operation
  expect(mock).toHaveReceived('listStation');
  // @ts-expect-error -- a name is a string
  expect(mock.session('a')).toHaveReceived('createStation', { with: { body: { name: 1 } } });
  // @ts-expect-error -- there is no such operation
  expect(mock).toPassVerification({ calls: { listStation: 1 } });

  mock.checkConduct({ backoff: { minMs: 5 }, pages: ['listStations'] });
  // @ts-expect-error -- there is no such operation
  mock.checkConduct({ pages: ['listStation'] });
  expect(mock).toWalkPagesOnce('listStations');
  // @ts-expect-error -- there is no such operation
  expect(mock).toWalkPagesOnce('listStation');

  const stations = mock.state.collection<Station>('stations');
  expectTypeOf(stations.items).toEqualTypeOf<readonly Station[]>();
  expectTypeOf(stations.add({ name: 'Berlin' })).toEqualTypeOf<Station>();
  // @ts-expect-error -- a name is a string
  stations.update('a', { name: 1 });
  expectTypeOf(mock.state.collection('stations').items[0]?.['name']).toEqualTypeOf<unknown>();
}

{
  const mock = await createMock<Theirs.operations & Theirs.paths>({
    spec,
    clock: 'real',
    handlers: { listStations: () => ({ data: [] }), 'PUT /photos': () => undefined },
    scenarios: { busy: { operations: { listStations: { respond: { status: 503 } }, 'PUT /photos': { delay: 5 } } } },
  });
  mock.use({ 'POST /stations': ({ call }) => ({ status: 422, body: { title: call.body.name } }) });
  expectTypeOf(mock.journal.last('createStation')?.request.body.name).toEqualTypeOf<string | undefined>();
  expectTypeOf(mock.journal.last('POST /stations')?.request.body.name).toEqualTypeOf<string | undefined>();
  mock.verify({ calls: { 'PUT /photos': 0, createStation: 1 } });
  mock.received('POST /stations', { with: { body: { name: /B/ } } });
  // @ts-expect-error -- a name is a string
  mock.received('POST /stations', { with: { body: { name: 1 } } });
  // @ts-expect-error -- there is no such path
  mock.use({ 'POST /station': () => undefined });
  // @ts-expect-error -- there is no such path
  mock.journal.last('POST /station');
}

export const rules: MockOptions<Ours.operations> = {
  spec,
  scenarios: { a: { operations: { listStations: { times: 1 }, 'GET /stations': { times: 1 }, '*': [{ delay: 5 }] } } },
};
export const unknownRule: MockOptions<Ours.operations> = {
  spec,
  // @ts-expect-error -- there is no such operation
  scenarios: { a: { operations: { listStation: { times: 1 } } } },
};
export const unknownRoute: MockOptions<Ours.paths> = {
  spec,
  // @ts-expect-error -- there is no such path
  scenarios: { from: { a: { operations: { 'GET /station': { times: 1 } } } } },
};

{
  // Without types, any id is accepted and values are unknown.
  const mock = await createMock({ spec });
  expectTypeOf(mock.journal.last('any')).toEqualTypeOf<Interaction | undefined>();
  expect(mock).toHaveReceived('any', { with: { body: { a: 1 }, query: { b: /x/ } } });
  expectTypeOf(mock.received('any')[0]).toEqualTypeOf<Interaction | undefined>();
  mock.use({ any: ({ call }) => void expectTypeOf(call.body).toEqualTypeOf<unknown>() });
}
