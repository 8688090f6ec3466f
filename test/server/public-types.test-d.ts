import { expectTypeOf } from 'vitest';
import { type Clock, createMock, createVirtualClock, type MockOptions, type VirtualClock } from '../../src/index.js';

const spec = 'spec/openapi.yaml';

interface Operations {
  readBook: {
    parameters: { path: { book_id: string } };
    responses: { 200: { content: { 'application/json': { id: string } } } };
  };
}

/** Only types are checked: nothing of this runs. */
export async function checkTypes(): Promise<void> {
  // A clock can be moved unless it is real.
  expectTypeOf((await createMock({ spec })).clock).toEqualTypeOf<VirtualClock>();
  expectTypeOf((await createMock({ spec, clock: '2026-01-01T00:00:00Z' })).clock).toEqualTypeOf<VirtualClock>();
  expectTypeOf((await createMock({ spec, clock: createVirtualClock() })).clock).toEqualTypeOf<VirtualClock>();
  expectTypeOf((await createMock({ spec, clock: 'real' })).clock).toEqualTypeOf<Clock>();
  expectTypeOf((await createMock({ spec, clock: 'real' })).session().clock).toEqualTypeOf<Clock>();
  const still: Clock = { now: () => 0, sleep: () => Promise.resolve() };
  expectTypeOf((await createMock({ spec, clock: still })).clock).toEqualTypeOf<Clock>();
  expectTypeOf((await createMock({ spec, clock: still })).session().clock).toEqualTypeOf<Clock>();
  expectTypeOf((await createMock({ spec, clock: { now: Date.now, sleep: still.sleep } })).clock).toEqualTypeOf<Clock>();
  // @ts-expect-error -- this clock object has no `set`
  (await createMock({ spec, clock: still })).clock.set(0);
  // @ts-expect-error -- a real clock has no `advance`
  (await createMock({ spec, clock: 'real' })).clock.advance(1);

  await createMock<Operations>({ spec, handlers: { readBook: ({ call }) => ({ id: call.path.book_id }) } });
  // @ts-expect-error -- there is no such operation
  await createMock<Operations>({ spec, handlers: { readBooks: () => undefined } });
  await createMock({ spec, handlers: { 'GET /books': ({ call }) => [call.query['limit']] } });
}

// @ts-expect-error -- there is no such mode
export const mode: MockOptions = { spec, recordings: { folder: 'r', mode: 'replya' } };
// @ts-expect-error -- there is no such owner
export const owner: MockOptions = { spec, recordings: { folder: 'r', owners: { '*': 'nobody' } } };
// @ts-expect-error -- it warns or fails
export const expired: MockOptions = { spec, recordings: { folder: 'r', expired: 'ignore' } };
// @ts-expect-error -- it is `recorded` or `none`
export const pace: MockOptions = { spec, recordings: { folder: 'r', pace: 'fast' } };
// @ts-expect-error -- it is `create` or `not-found`
export const unknownIds: MockOptions = { spec, state: { unknownIds: 'open' } };
// @ts-expect-error -- it is `fitting` or `verbatim`
export const examples: MockOptions = { spec, responses: { examples: 'all' } };
// @ts-expect-error -- there is no such profile
export const queryProfile: MockOptions = { spec, requests: { queryProfile: 'bracket' } };
// @ts-expect-error -- there is no such fault
export const fault: MockOptions = { spec, scenarios: { a: { operations: { x: { fault: 'resett' } } } } };
// @ts-expect-error -- state is switched off with `false`
export const state: MockOptions = { spec, state: true };
