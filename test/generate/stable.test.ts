import { describe, expect, it } from 'vitest';
import { NOW, openSchema } from './one-schema.js';
import { INTEGER, object, ref, TEXT } from '../schema-parts.js';

const ORDER = object(
  {
    id: TEXT,
    total: { type: 'integer', minimum: 1, maximum: 100_000 },
    note: TEXT,
    buyer: object({ name: TEXT, age: INTEGER }),
    lines: { type: 'array', minItems: 3, items: object({ sku: TEXT, count: INTEGER }) },
  },
  'id',
);

type Order = { readonly [name: string]: unknown; readonly lines: readonly Readonly<Record<string, unknown>>[] };

describe('a generated value', () => {
  it('is the same for the same seed and key, whatever was generated in between', async () => {
    const one = await openSchema(ORDER);
    const first = one.value({ seed: 5, key: 'a' });
    for (let seed = 0; seed < 20; seed++) one.value({ seed, key: `b${seed}` });
    expect(one.value({ seed: 5, key: 'a' })).toEqual(first);
    expect((await openSchema(ORDER)).value({ seed: 5, key: 'a' })).toEqual(first);
  });

  it('differs by seed and by key', async () => {
    const one = await openSchema(ORDER);
    const values = [one.value({ seed: 1 }), one.value({ seed: 2 }), one.value({ key: 'other' })];
    expect(new Set(values.map((value) => JSON.stringify(value))).size).toBe(3);
  });

  it('keeps its other properties when the schema of one changes', async () => {
    const before = (await openSchema(ORDER)).value() as Order;
    const changed = structuredClone(ORDER) as { properties: Record<string, unknown> };
    changed.properties['note'] = { type: 'string', format: 'uuid' };
    const after = (await openSchema(changed)).value() as Order;
    expect(after['note']).not.toEqual(before['note']);
    expect({ ...after, note: '' }).toEqual({ ...before, note: '' });
  });

  it('keeps the items it has when it gets more of them', async () => {
    const before = (await openSchema(ORDER)).value() as Order;
    const longer = structuredClone(ORDER);
    longer.properties.lines.minItems = 6;
    const after = (await openSchema(longer)).value() as Order;
    expect(after.lines).toHaveLength(6);
    expect(after.lines.slice(0, before.lines.length)).toEqual(before.lines);
  });

  it('keeps valid parts when one place has to be repaired', async () => {
    const plain = (await openSchema(ORDER)).value() as Order;
    const hard = structuredClone(ORDER) as { properties: Record<string, unknown> };
    hard.properties['note'] = { type: 'string', not: { pattern: '^[a-w]' } };
    const one = await openSchema(hard);
    const mended = one.value() as Order;
    expect(one.check(mended)).toEqual([]);
    expect({ ...mended, note: '' }).toEqual({ ...plain, note: '' });
  });

  it('does not depend on whether a schema is referenced or inline', async () => {
    const direct = (await openSchema(object({ a: TEXT }))).value();
    const referred = await openSchema(object({ a: ref('Text') }), { Text: TEXT });
    expect(referred.value()).toEqual(direct);
  });

  it('has dates relative to the given clock', async () => {
    const one = await openSchema(object({ created_at: { type: 'string', format: 'date-time' } }));
    const at = (now: number): number => Date.parse((one.value({ now }) as { created_at: string }).created_at);
    expect(at(NOW) - at(NOW - 1_000_000_000)).toBe(1_000_000_000);
  });
});
