import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Mock, SessionSnapshot } from '../../src/index.js';
import { openBuiltIn } from '../describe-both.js';

const SESSIONS = ['default', 'a', 'b', 'c'] as const;

/** What a session should hold: the names of its keys in order, and its time. */
interface Model {
  readonly names: readonly string[];
  readonly now: number;
}

type Step =
  | { readonly kind: 'add' | 'rename'; readonly session: number; readonly name: string }
  | { readonly kind: 'remove' | 'clear' | 'snapshot' | 'state' | 'all' | 'advance'; readonly session: number }
  | { readonly kind: 'restore'; readonly session: number; readonly index: number }
  | { readonly kind: 'copy'; readonly session: number; readonly from: number };

const session = fc.integer({ min: 0, max: SESSIONS.length - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('add', 'rename'), session, name: fc.string({ minLength: 1, maxLength: 8 }) }),
  fc.record({ kind: fc.constantFrom('remove', 'clear', 'snapshot', 'state', 'all', 'advance'), session }),
  fc.record({ kind: fc.constant('restore'), session, index: fc.nat(5) }),
  fc.record({ kind: fc.constant('copy'), session: fc.integer({ min: 1, max: SESSIONS.length - 1 }), from: session }),
);

/** The real sessions beside the model of them. */
interface World {
  readonly mock: Mock;
  readonly fixtures: Model;
  readonly models: Map<string, Model>;
  readonly snapshots: { readonly real: SessionSnapshot; readonly model: Model }[];
}

function nameOf(index: number): string {
  return SESSIONS[index] ?? 'default';
}

function readReal(mock: Mock, id: string): Model {
  const handle = mock.session(id);
  const names = handle.state.collection('admin_api_keys').items.map(({ name }) => String(name));
  return { names, now: handle.clock.now() };
}

function take({ mock, fixtures, models, snapshots }: World, given: Step): void {
  const id = nameOf(given.session);
  const handle = mock.session(id);
  const keys = handle.state.collection('admin_api_keys');
  const model = models.get(id) ?? fixtures;
  const first = keys.items[0];
  const setNames = (names: readonly string[]): void => void models.set(id, { ...model, names });
  switch (given.kind) {
    case 'add':
      keys.add({ name: given.name });
      return setNames([...model.names, given.name]);
    case 'rename':
      if (first === undefined) return undefined;
      keys.update(String(first['id']), { name: given.name });
      return setNames([given.name, ...model.names.slice(1)]);
    case 'remove':
      if (first !== undefined) keys.remove(String(first['id']));
      return setNames(model.names.slice(1));
    case 'clear':
      keys.replace([]);
      return setNames([]);
    case 'advance':
      handle.clock.advance(1000);
      return void models.set(id, { ...model, now: model.now + 1000 });
    case 'state':
      handle.reset('state');
      return setNames(fixtures.names);
    case 'all':
      handle.reset();
      return void models.set(id, fixtures);
    case 'snapshot':
      return void snapshots.push({ real: handle.snapshot(), model });
    case 'restore': {
      const kept = snapshots[given.index];
      if (kept === undefined) return undefined;
      handle.restore(kept.real);
      return void models.set(id, kept.model);
    }
    case 'copy': {
      const from = nameOf(given.from);
      if (from === id) return undefined;
      handle.close();
      mock.session(from).fork(id);
      return void models.set(id, models.get(from) ?? fixtures);
    }
  }
}

it('whatever is done to sessions, each one holds what was done to it and nothing else', async () => {
  const mock = await openBuiltIn();
  const fixtures = readReal(mock, 'default');
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const world: World = { mock, fixtures, models: new Map(), snapshots: [] };
      for (const id of SESSIONS) mock.session(id).reset();
      for (const given of steps) {
        take(world, given);
        for (const id of SESSIONS) expect(readReal(mock, id)).toEqual(world.models.get(id) ?? fixtures);
      }
    }),
    { numRuns: 60 },
  );
  await mock.close();
});
