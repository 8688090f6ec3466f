import { expectTypeOf } from 'vitest';
import {
  type CollectionHandle,
  createMock,
  defineHandlers,
  type Item,
  loadContract,
  type Mock,
  type SessionHandle,
  type TestMock,
  toPact,
  type VirtualClock,
} from '../../src/index.js';
import { createTest } from '../../src/runners/vitest.js';
import type * as Theirs from './stations-openapi-typescript.js';
import type * as Ours from './stations-vouch.js';

const spec = 'test/types/stations.yaml';
type Station = Ours.components['schemas']['Station'];

{
  const mock = await createMock<Ours.operations, Ours.collections>({
    spec,
    handlers: {
      createStation: ({ call, state }) => {
        expectTypeOf(state.collection('stations').items).toEqualTypeOf<readonly Station[]>();
        // @ts-expect-error -- there is no such collection
        state.collection('station');
        return state.collection('stations').add({ name: call.body.name });
      },
    },
  });
  const stations = mock.state.collection('stations');
  expectTypeOf(stations).toEqualTypeOf<CollectionHandle<Station>>();
  stations.add({ name: 'Berlin', $parent: 'a' });
  // @ts-expect-error -- a name is a string
  stations.add({ name: 1 });
  // @ts-expect-error -- a station has no such property
  stations.update('a', { colour: 'red' });
  // @ts-expect-error -- there is no such collection
  mock.state.collection('station');
  // @ts-expect-error -- there is no such collection in a session either
  mock.session('a').fork().state.collection('station');
  expectTypeOf(mock.state.names).toEqualTypeOf<readonly 'stations'[]>();
  for (const name of mock.state.names)
    // oxlint-disable-next-line typescript/no-redundant-type-constituents -- a test writes the types, so that they are missing here
    expectTypeOf(mock.state.collection(name).get('a')).toEqualTypeOf<Station | undefined>();
  // The type of the items can still be given.
  expectTypeOf(mock.state.collection<{ id: string }>('stations').items).toEqualTypeOf<readonly { id: string }[]>();
  mock.use({ listStations: ({ state }) => ({ data: [...state.collection('stations').items] }) });
  mock.use(defineHandlers<Ours.operations>({ listStations: ({ state }) => void state.collection('any') }));
  expectTypeOf(mock).toExtend<Pick<Mock, 'contract' | 'fetch' | 'close'>>();
  toPact(mock, { consumer: 'a', provider: 'b' });
}

defineHandlers<Ours.paths, Ours.collections>({
  'POST /stations': ({ state }) => {
    // @ts-expect-error -- there is no such collection
    state.collection('station');
    return { status: 201, body: state.collection('stations').add() };
  },
});

{
  // A file of openapi-typescript has no collections, and collections can be typed alone.
  const theirs = await createMock<Theirs.operations>({ spec });
  expectTypeOf(theirs.state.collection('any').items).toEqualTypeOf<readonly Item[]>();
  const mixed = await createMock<Theirs.operations, Ours.collections>({ spec, clock: 'real' });
  expectTypeOf(mixed.state.collection('stations').items[0]?.platforms).toEqualTypeOf<number | undefined>();
  const alone = await createMock<unknown, Ours.collections>({ spec, handlers: { any: () => undefined } });
  // @ts-expect-error -- there is no such collection
  alone.state.collection('station');
  const contract = await loadContract(spec);
  expectTypeOf(createMock<Ours.paths, Ours.collections>({ spec: contract })).toEqualTypeOf<
    Promise<Mock<VirtualClock, Ours.paths, Ours.collections>>
  >();
}

createTest<Ours.operations, Ours.collections>({ spec })('a test', ({ mock }) => {
  expectTypeOf(mock).toEqualTypeOf<TestMock<Ours.operations, Ours.collections>>();
  expectTypeOf(mock).toExtend<SessionHandle<VirtualClock, Ours.operations, Ours.collections>>();
  expectTypeOf(mock.state.collection('stations').items).toEqualTypeOf<readonly Station[]>();
  mock.received('createStation');
  // @ts-expect-error -- there is no such collection
  mock.shared.state.collection('station');
});
