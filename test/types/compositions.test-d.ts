import { expectTypeOf } from 'vitest';
import { createMock } from '../../src/index.js';
import type { components, operations } from './compositions-vouch.js';

type Schemas = components['schemas'];
/** Accepts values of a schema. */
declare function accept<Name extends keyof Schemas>(name: Name, ...values: readonly Schemas[Name][]): void;

/** The names of the schemas whose type is `any`, which TypeScript takes for a type that it cannot resolve. */
// oxlint-disable-next-line typescript/no-redundant-type-constituents -- a test writes the types, so that they are missing here
type NamesOfAny = { [Name in keyof Schemas]: 0 extends 1 & Schemas[Name] ? Name : never }[keyof Schemas];
expectTypeOf<NamesOfAny>().toBeNever();

// Values that contain themselves.
accept('Json', 'a', 1, null, [true, ['b']], { a: { b: [{ c: null }] } });
// @ts-expect-error -- no JSON value is undefined
accept('Json', [{ a: [undefined] }]);
expectTypeOf<string | Schemas['Branch'][]>().toEqualTypeOf<Schemas['Branch']>();
// @ts-expect-error -- a leaf is a string
accept('Branch', [['a', 1]]);
accept('Matrix', [], [[1, [[2]]]]);
// @ts-expect-error -- an array of arrays
accept('Matrix', [1]);
accept('Term', 'a', ['and', 'a', ['or', 'b', 'c']]);
// @ts-expect-error -- "not" is not declared
accept('Term', ['and', ['not', 'a']]);
accept('Directory', { src: { 'index.ts': 'text' } });
// @ts-expect-error -- a file is a string
accept('Directory', { src: { 'index.ts': 1 } });
accept('Condition', true, { all: [{ none: { all: [] } }] });
// @ts-expect-error -- "any" is not declared
accept('Condition', { all: [{ any: true }] });
accept('class', [[], [[]]]);
accept('two words', [[], [[]]]);
accept('Outline', { title: 'a', chapters: [{ title: 'b', chapters: [] }] });
// @ts-expect-error -- a chapter has a title
accept('Outline', { title: 'a', chapters: [{}] });
expectTypeOf<Schemas['Itself']>().toBeUnknown();

// A union that others extend.
accept('Refunded', { method: 'card', last4: '4242', reason: 'broken' }, { method: 'transfer', reason: 'late' });
expectTypeOf<Schemas['RefundedTwice']['method']>().toEqualTypeOf<'card' | 'transfer'>();
// @ts-expect-error -- a card has the last digits
accept('RefundedTwice', { method: 'card', reason: 'broken' });
// @ts-expect-error -- no such method
accept('Refunded', { method: 'cheque', reason: 'broken' });
accept('RefundedCard', { method: 'card', last4: '4242' });
// @ts-expect-error -- only a card
accept('RefundedCard', { method: 'transfer' });
accept('Detailed', { method: 'transfer', iban: 'DE', details: { fee: 1 } });
// @ts-expect-error -- a fee is a number
accept('Detailed', { method: 'transfer', details: { fee: 'a' } });
accept('Charge', { method: 'card', last4: '4242' }, { method: 'cash' });

// A union whose alternatives extend it.
accept('Rider', { kind: 'bike', name: 'a', gears: 3 }, { kind: 'horse', name: 'b', horse: 'c' });
// @ts-expect-error -- a jockey has a horse
accept('Rider', { kind: 'horse', name: 'b' });
accept('Cyclist', { kind: 'bike', name: 'a' });
// @ts-expect-error -- a name is required by the base
accept('Cyclist', { kind: 'bike' });
// @ts-expect-error -- the values of the mapping
accept('Cyclist', { kind: 'horse', name: 'a' });
accept('Apprentice', { kind: 'horse', name: 'b', horse: 'c', year: 1 });
accept('Shape', { kind: 'Circle', radius: 1, area: 3 });
expectTypeOf<Schemas['Square']['kind']>().toEqualTypeOf<'Square'>();

// A schema that others extend, and those again.
accept('Yearly', { plan: 'yearly', owner: 'a', price: 1, until: 'b', more: 1 });
expectTypeOf<Schemas['Yearly']['owner']>().toEqualTypeOf<string>();
// @ts-expect-error -- not the value of the schema that it extends
accept('Yearly', { plan: 'paid', owner: 'a' });

// Objects and arrays of anything beside ones that are described.
expectTypeOf<Schemas['UserPage']['data']>().toEqualTypeOf<Schemas['User'][]>();
expectTypeOf<Schemas['UserCursorPage']['data']>().toEqualTypeOf<Schemas['User'][]>();
expectTypeOf<Schemas['UserCursorPage']['total']>().toEqualTypeOf<number>();
accept('MixedPage', { data: [{ id: 'a' }], total: 1 }, { data: ['a'], total: 1 });
// @ts-expect-error -- users or strings
accept('MixedPage', { data: [1], total: 1 });
accept('UserEvent', { name: 'a', payload: { id: 'b' }, meta: { page: { n: 1 }, at: 'c' } });
// @ts-expect-error -- the event itself requires a payload
accept('UserEvent', { name: 'a' });
// @ts-expect-error -- a page has a number
accept('UserEvent', { name: 'a', payload: { id: 'b' }, meta: { page: {} } });
expectTypeOf<Schemas['NamedUsers']>().toEqualTypeOf<Schemas['User'][]>();
expectTypeOf<Schemas['PlainUser']>().toEqualTypeOf<Schemas['User']>();
accept('Nullable', { user: null, users: null }, { user: { id: 'a' }, users: [{ id: 'b' }] });
expectTypeOf<Schemas['Nullable']['users']>().toEqualTypeOf<Schemas['User'][] | null | undefined>();
accept('Settings', { a: { id: 'b' } });
// @ts-expect-error -- an id is a string
accept('Settings', { a: { id: 1 } });
// @ts-expect-error -- nothing says what is in it
accept('StillEmpty', { empty: { a: 1 } });

{
  const mock = await createMock<operations>({ spec: 'test/types/compositions.yaml' });
  mock.use({ sendValue: ({ call }) => [call.body, { all: [call.body] }] });
  // @ts-expect-error -- a function is not a value
  mock.use({ sendValue: () => [() => 1] });
  mock.scenarios.add('a', { operations: { sendValue: { respond: { body: ['a', { b: [1, '{$request.body}'] }] } } } });
  mock.received('sendValue', { with: { body: { a: ['b'] } } });
}
