// @module-tag slow
import { registerSchema, unregisterSchema, validate } from '@hyperjump/json-schema/draft-2020-12';
import { describe, expect, it } from 'vitest';
import { INTEGER, object, ref, TEXT } from '../schema-parts.js';
import { openSchema } from './one-schema.js';
import { loadCases } from '../load-cases.js';

interface Case {
  readonly name: string;
  readonly schema: unknown;
  readonly others?: Readonly<Record<string, unknown>>;
}

const FORMATS =
  'date-time date time duration email idn-email hostname ipv4 ipv6 uri uri-reference iri uri-template uuid json-pointer ' +
  'relative-json-pointer regex byte base64url decimal http-date media-range char password binary int64 nobody-knows-this';

const CASES: Readonly<Record<string, readonly Case[]>> = {
  'a format': FORMATS.split(' ').map((format) => ({ name: format, schema: { type: 'string', format } })),
  ...loadCases<Readonly<Record<string, readonly Case[]>>>('generate/keywords.yaml'),
};

const SEEDS = [1, 2, 3, 4, 5];

describe.each(Object.entries(CASES))('%s', (kind, cases) => {
  it.each(cases)('$name', async ({ name, schema, others = {} }) => {
    const one = await openSchema(schema, others);
    const uri = `https://vouch.test/${encodeURIComponent(`${kind} ${name}`)}`;
    // Objects share no parts, or the second validator would take them for one.
    const document = structuredClone({
      components: { schemas: { ...others, Subject: schema } },
      $ref: '#/components/schemas/Subject',
    });
    registerSchema(
      document as Parameters<typeof registerSchema>[0],
      uri,
      'https://json-schema.org/draft/2020-12/schema',
    );
    for (const seed of SEEDS) {
      const value = one.value({ seed });
      expect(one.check(value), JSON.stringify(value)?.slice(0, 300)).toEqual([]);
      const second = await validate(uri, value as never, 'BASIC');
      expect(second.valid, `${JSON.stringify(value)} ${JSON.stringify(second)}`.slice(0, 600)).toBe(true);
      expect(one.value({ seed })).toEqual(value);
    }
    expect(one.notes).toEqual([]);
    unregisterSchema(uri);
  });
});

describe('a schema that nothing fits', () => {
  it.each([
    ['false', false],
    ['two types', { allOf: [TEXT, INTEGER] }],
    ['bounds that cross', { type: 'integer', minimum: 5, maximum: 4 }],
    ['a property that must be and must not be', object({ a: false }, 'a')],
    ['a child without end', object({ a: ref('Subject') }, 'a')],
    ['a pattern that cannot be', { type: 'string', pattern: '.^' }],
  ])('%s is reported, and a value is returned', async (_, schema) => {
    const one = await openSchema(schema);
    expect(() => one.value()).not.toThrow();
    expect(one.notes.length).toBeGreaterThan(0);
    expect(one.notes[0]).toContain('/components/schemas/Subject');
  });
});
