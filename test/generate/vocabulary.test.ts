import { describe, expect, it } from 'vitest';
import { openSchema } from './one-schema.js';
import { BOOLEAN, INTEGER, NUMBER, object, TEXT } from '../schema-parts.js';

describe('a value fits the name of its property', () => {
  it.each([
    ['email', TEXT, /^[a-z]+\.[a-z]+@example\.com$/],
    ['contact_email', TEXT, /@example\.com$/],
    ['firstName', TEXT, /^\p{Lu}\p{L}+$/u],
    ['avatarUrl', TEXT, /^https:\/\/example\.com\//],
    ['website', TEXT, /^https:/],
    ['phone', TEXT, /^\+\d{8,}$/],
    ['currency', TEXT, /^[A-Z]{3}$/],
    ['country_code', TEXT, /^[A-Z]{2}$/],
    ['zip', TEXT, /\w{3,}/],
    ['created_at', TEXT, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/],
    ['birthday', TEXT, /^(?:19|20)\d\d-\d\d-\d\d$/],
    ['ip_address', TEXT, /^192\.0\.2\.\d+$/],
    ['sha256', TEXT, /^[0-9a-f]{64}$/],
    ['company', TEXT, /\w/],
    ['user_id', TEXT, /^user_[A-Za-z0-9]{12}$/],
    ['uuid', { type: 'string', format: 'uuid' }, /^[0-9a-f]{8}-[0-9a-f]{4}-4/],
    ['description', TEXT, /^[A-Z].*\.$/],
    ['age', INTEGER, /^(?:1[89]|[2-7]\d|80)$/],
    ['year', INTEGER, /^2025$/],
    ['price', NUMBER, /^\d+(?:\.\d{1,2})?$/],
    ['created', INTEGER, /^17\d{8}$/],
    ['expires_in', INTEGER, /^3600$/],
    ['created_by', TEXT, /^[a-z]+-[a-z]+$/],
    ['last_updated', INTEGER, /^17\d{8}$/],
    ['latitude', NUMBER, /^-?\d{2}\.\d+$/],
    ['has_more', BOOLEAN, /^false$/],
    ['is_active', BOOLEAN, /^true$/],
    ['nothing_known', TEXT, /^[a-z]+-[a-z]+$/],
  ])('%s', async (name, schema, want) => {
    const one = await openSchema(object({ [name]: schema }, name));
    for (const seed of [1, 2, 3]) {
      // Shortly before 2026, so that the year is not the one that follows.
      const value = one.value({ seed, now: Date.UTC(2025, 11, 31) }) as Readonly<Record<string, unknown>>;
      expect(String(value[name])).toMatch(want);
    }
  });

  it('the name of a person is a full name, that of a product is not', async () => {
    const named = object({ name: TEXT, first_name: TEXT }, 'name', 'first_name');
    const person = (await openSchema({ title: 'Customer', ...named })).value() as { name: string; first_name: string };
    expect(person.name).toMatch(new RegExp(`^${person.first_name} `));
    const thing = (await openSchema({ title: 'Product', ...named })).value() as { name: string; first_name: string };
    expect(thing.name.startsWith(`${thing.first_name} `)).toBe(false);
  });

  it.each([
    ['cus_NffrFeUfNV2Hib', /^cus_[A-Z][a-z]{3}[A-Z][a-z]/],
    ['11446498', /^\d{8}$/],
    ['5f2b8c1e9d7a', /^[0-9a-f]{12}$/],
    ['6e8bc430-9c3a-11d9-9669-0800200c9a66', /^[0-9a-f-]{36}$/],
    ['file-abc123', /^file-[a-z]{3}\d{3}$/],
  ])('an id looks like its example %s and differs from it', async (example, want) => {
    const one = await openSchema(object({ id: { type: 'string', example } }, 'id'));
    const { id } = one.value() as { readonly id: string };
    expect(id).toMatch(want);
    expect(id).not.toBe(example);
  });

  it('the items of a list with one example differ', async () => {
    const one = await openSchema(
      object({ tags: { type: 'array', minItems: 3, items: { type: 'string', example: 'hot' } } }, 'tags'),
    );
    const { tags } = one.value() as { readonly tags: readonly string[] };
    expect(tags[0]).toBe('hot');
    expect(new Set(tags).size).toBe(tags.length);
  });
});
