import { describe, expect, it } from 'vitest';
import { openSchema } from './one-schema.js';

const text = { type: 'string' };
const whole = { type: 'integer' };
const number = { type: 'number' };

describe('a value fits the name of its property', () => {
  it.each([
    ['email', text, /^[a-z]+\.[a-z]+@example\.com$/],
    ['contact_email', text, /@example\.com$/],
    ['firstName', text, /^\p{Lu}\p{L}+$/u],
    ['avatarUrl', text, /^https:\/\/example\.com\//],
    ['website', text, /^https:/],
    ['phone', text, /^\+\d{8,}$/],
    ['currency', text, /^[A-Z]{3}$/],
    ['country_code', text, /^[A-Z]{2}$/],
    ['zip', text, /\w{3,}/],
    ['created_at', text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/],
    ['birthday', text, /^(?:19|20)\d\d-\d\d-\d\d$/],
    ['ip_address', text, /^192\.0\.2\.\d+$/],
    ['sha256', text, /^[0-9a-f]{64}$/],
    ['company', text, /\w/],
    ['user_id', text, /^user_[A-Za-z0-9]{12}$/],
    ['uuid', { type: 'string', format: 'uuid' }, /^[0-9a-f]{8}-[0-9a-f]{4}-4/],
    ['description', text, /^[A-Z].*\.$/],
    ['age', whole, /^(?:1[89]|[2-7]\d|80)$/],
    ['year', whole, /^2025$/],
    ['price', number, /^\d+(?:\.\d{1,2})?$/],
    ['created', whole, /^17\d{8}$/],
    ['expires_in', whole, /^3600$/],
    ['created_by', text, /^[a-z]+-[a-z]+$/],
    ['last_updated', whole, /^17\d{8}$/],
    ['latitude', number, /^-?\d{2}\.\d+$/],
    ['has_more', { type: 'boolean' }, /^false$/],
    ['is_active', { type: 'boolean' }, /^true$/],
    ['nothing_known', text, /^[a-z]+-[a-z]+$/],
  ])('%s', async (name, schema, want) => {
    const one = await openSchema({ type: 'object', required: [name], properties: { [name]: schema } });
    for (const seed of [1, 2, 3]) {
      // Shortly before 2026, so that the year is not the one that follows.
      const value = one.value({ seed, now: Date.UTC(2025, 11, 31) }) as Readonly<Record<string, unknown>>;
      expect(String(value[name])).toMatch(want);
    }
  });

  it('the name of a person is a full name, that of a product is not', async () => {
    const named = { type: 'object', required: ['name', 'first_name'], properties: { name: text, first_name: text } };
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
    const one = await openSchema({ type: 'object', required: ['id'], properties: { id: { type: 'string', example } } });
    const { id } = one.value() as { readonly id: string };
    expect(id).toMatch(want);
    expect(id).not.toBe(example);
  });

  it('the items of a list with one example differ', async () => {
    const one = await openSchema({
      type: 'object',
      required: ['tags'],
      properties: { tags: { type: 'array', minItems: 3, items: { type: 'string', example: 'hot' } } },
    });
    const { tags } = one.value() as { readonly tags: readonly string[] };
    expect(tags[0]).toBe('hot');
    expect(new Set(tags).size).toBe(tags.length);
  });
});
