import { describe, expect, it } from 'vitest';
import { createIdGenerator } from '../../src/generate/text/identifiers.js';
import { readPattern } from '../../src/generate/text/pattern.js';
import { createRandom } from '../../src/base/random.js';
import { openSchema } from '../generate/one-schema.js';
import { inPath, shows, toDocument } from '../operation-parts.js';
import { arrayOf, INTEGER, NUMBER, object, type Part, TEXT } from '../schema-parts.js';
import { openShop } from '../state/shop.js';

const SEEDS = Array.from({ length: 20 }, (_, i) => i);
const HEX = (letters: string): string => `^${[8, 4, 4, 4, 12].map((n) => `[${letters}]{${n}}`).join('-')}$`;

/** Values of one property, one for each seed. */
async function listValues(schema: Part, name = 'amount'): Promise<readonly unknown[]> {
  const one = await openSchema(object({ [name]: schema }, name));
  return SEEDS.map((seed) => (one.value({ seed }) as Part)[name]);
}

describe('a generated number', () => {
  it.each([
    ['of a safe integer', { ...INTEGER, minimum: -9007199254740991, maximum: 9007199254740991 }],
    ['of an int32', { ...INTEGER, minimum: -2147483648, maximum: 2147483647 }],
    ['of a float', { ...NUMBER, minimum: -3.4e38, maximum: 3.4e38 }],
    ['far on both sides of 0', { ...INTEGER, minimum: -1_000_000, maximum: 1_000_000 }],
    ['without an upper bound in sight', { ...INTEGER, minimum: -9007199254740991 }],
  ])('with the bounds %s is small and positive', async (_, schema) => {
    for (const value of await listValues(schema, 'parcels')) {
      expect(value).toBeGreaterThan(0);
      expect(value).toBeLessThanOrEqual(1000);
    }
  });

  it.each([
    ['-90', '90', -90, 90],
    ['-5000', '-4000', -5000, -4000],
    ['-10', '500', -10, 500],
    ['5000000000', 'a safe integer', 5_000_000_000, Number.MAX_SAFE_INTEGER],
  ])('between %s and %s is one of this range', async (_, __, minimum, maximum) => {
    const values = (await listValues({ ...INTEGER, minimum, maximum }, 'parcels')) as readonly number[];
    for (const value of values) {
      expect(value).toBeGreaterThanOrEqual(minimum);
      expect(value).toBeLessThanOrEqual(maximum);
    }
    if (minimum < 0) expect(values.some((value) => value < 0)).toBe(true);
  });
});

describe('a UUID whose pattern', () => {
  it.each([
    ['allows both cases is in lower case', '0-9a-fA-F', /^[^A-Z]+$/],
    ['forbids lower case is in upper case', '0-9A-F', /^[^a-z]+$/],
  ])('%s', async (_, letters, want) => {
    const pattern = HEX(letters);
    for (const format of [{ format: 'uuid' }, {}]) {
      const schema = { ...TEXT, ...format, pattern };
      for (const value of await listValues(schema)) expect(value).toMatch(want);
      const generate = createIdGenerator(schema);
      for (const seed of SEEDS) {
        const id = generate?.(createRandom(seed, ''));
        expect(id).toMatch(want);
        expect(id).toMatch(new RegExp(pattern));
      }
    }
  });

  it('allows everything is of version 4', () => {
    const generate = createIdGenerator({ ...TEXT, format: 'uuid', pattern: HEX('0-9a-fA-F') });
    expect(generate?.(createRandom(1, ''))).toMatch(/^.{14}4.{4}[89ab]/);
  });
});

it.each([
  ['^[a-z]+.example.com$', /^[a-z]+\.example\.com$/],
  [String.raw`^\d{3}.\d{2}$`, /^\d{3}\.\d\d$/],
  ['^https?://.*$', /^https?:\/\/[a-z\d]*$/],
  ['^.{4}$', /^[a-z\d]{4}$/],
  ['^...$', /^[a-z\d]{3}$/],
])('a single "." of %s between other characters is a point', (source, want) => {
  for (const seed of SEEDS) expect(readPattern(source).sample(createRandom(seed, ''), 0, Infinity)).toMatch(want);
});

describe('items of a property with one example', () => {
  const listItems = async (properties: Part): Promise<readonly Part[]> => {
    const Tool = object({ id: INTEGER, ...properties }, 'id', ...Object.keys(properties));
    const spec = toDocument({
      '/tools': { get: shows(arrayOf(Tool)) },
      '/tools/{id}': { ...inPath('id'), get: shows(Tool) },
    });
    const { mock } = await openShop({ spec, state: { initialItems: 3 } });
    return (await (await mock.fetch('/tools')).json()) as readonly Part[];
  };

  it.each([
    ['sku', 'TL-2040', /^TL-\d{4}$/],
    ['slug', 'claw-hammer', /^[a-z]+-[a-z]+$/],
    ['key', 'TOOL', /^[A-Z]{4}$/],
    ['order_number', 'A-0042', /^A-\d{4}$/],
    ['manual', 'https://tools.example/manuals/77', /^https:\/\/tools\.example\/manuals\/\d\d$/],
    ['photo', 'https://tools.example/p/hammer.png?w=2', /^https:\/\/tools\.example\/p\/[a-z-]+\.png\?w=2$/],
    ['website', 'https://tools.example', /^https:\/\/tools\.example(?:\/[a-z-]+)?$/],
    ['href', '/tools/77', /^\/tools\/\d\d$/],
    ['revision', '9d4e0f6f6f0b8a119d4e', /^[\da-f]{20}$/],
    ['checked', '9D4E0F6F6F0B8A119D4E', /^[\dA-F]{20}$/],
    ['public_ip', '198.51.100.7', /^[\d.]+$/],
    ['fqdn', 'hammer.tools.example', /^[a-z.-]+$/],
  ])('differ in %s: %s', async (name, example, want) => {
    const values = (await listItems({ [name]: { ...TEXT, example } })).map((item) => item[name]);
    expect(values[0]).toBe(example);
    expect(new Set(values).size).toBe(3);
    for (const value of values) expect(value).toMatch(want);
  });

  it('differ in the part of their URLs that names them, which is the same in all URLs of an item', async () => {
    const url = (path: string): object => ({ ...TEXT, format: 'uri', example: `https://tools.example/v2/${path}` });
    const items = await listItems({
      url: url('makers/brandt'),
      tools_url: url('makers/brandt/tools'),
      logo: url('brandt.svg'),
      hooks_url: url('hooks/7/calls'),
      found_entries_url: url('makers/brandt/entries'),
    });
    const makers = items.map((item) => /makers\/([a-z-]+)$/.exec(String(item['url']))?.[1]);
    expect(new Set(makers).size).toBe(3);
    expect(items.map((item) => item['tools_url'])).toEqual(
      makers.map((maker) => `https://tools.example/v2/makers/${String(maker)}/tools`),
    );
    for (const { logo, hooks_url: hooks, found_entries_url: entries } of items) {
      expect(entries).toMatch(/\/makers\/[a-z-]+\/entries$/);
      expect(logo).toMatch(/^https:\/\/tools\.example\/v2\/[a-z-]+\.svg$/);
      expect(hooks).toMatch(/^https:\/\/tools\.example\/v2\/hooks\/\d\/calls$/);
    }
  });

  it('differ in large numbers that people know them by', async () => {
    const values = (await listItems({ serial_number: { ...INTEGER, example: 4_012_345_678 } })).map(
      (item) => item['serial_number'],
    );
    expect(new Set(values).size).toBe(3);
  });

  it.each([
    ['status', 'in-stock'],
    ['code', 'EUR'],
    ['model', 'gpt-4'],
    ['version', '1.2.3'],
    ['phone_number', '+1 555 010 0100'],
    ['ref', 'refs/heads/main'],
    ['public_key', 'zsBNBFayYZ...'],
    ['filename', 'README.md'],
    ['download', 'https://tools.example/{id}'],
    ['archive', 'https://tools.example/v1.2.0'],
  ])('are equal in %s: %s, where only the document knows others', async (name, example) => {
    const values = (await listItems({ [name]: { ...TEXT, example } })).map((item) => item[name]);
    expect(values).toEqual([example, example, example]);
  });
});

it.each([
  ['diskSize', /^\d+GB$/],
  ['git_repository', /^https:\/\/git\.example\.com\/team\/[a-z-]+\.git$/],
  ['public_key', /^ssh-ed25519 [\w+/]{68}$/],
  ['tls_certificate', /^-----BEGIN CERTIFICATE-----\n/],
  ['fqdn', /^[a-z-]+\.example\.com$/],
  ['dockerImage', /^registry\.example\.com\/[a-z-]+:1\.\d$/],
  ['vpc_cidr', /^10\.\d+\.\d+\.0\/24$/],
  ['private_ipv4', /^192\.0\.2\.\d+$/],
  ['backup_cron', /^\d+ \d+ \* \* \*$/],
  ['port', /^\d{4}$/],
  ['visit_count', /^\d+$/],
  ['payment_gateway', /^[a-z]+-[a-z]+$/],
  ['gift_certificate', /^[a-z]+-[a-z]+$/],
])('the technical name %s has a value of its form, other names have not', async (name, want) => {
  for (const value of await listValues(TEXT, name)) expect(value).toMatch(want);
});
