import { array, assert, boolean, constantFrom, dictionary, integer, oneof, property, string } from 'fast-check';
import { expect, it } from 'vitest';
import type { Dialect, Node, RepairContext } from '../../src/contract/upgrade/node.js';
import { readNeed } from '../../src/contract/upgrade/plain-node.js';
import { renameKeywords, repairSchema } from '../../src/contract/upgrade/repair-schema.js';
import { TEXT } from '../document-parts.js';

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

const KEYWORDS = (
  '$anchor $comment $defs $dynamicRef $id $ref $schema additionalItems additionalProperties allOf anyOf const contains contentEncoding ' +
  'contentMediaType contentSchema default definitions dependentRequired dependentSchemas deprecated description discriminator else enum ' +
  'example examples exclusiveMaximum exclusiveMinimum externalDocs format id if items maxContains maxItems maxLength maxProperties maximum ' +
  'minContains minItems minLength minProperties minimum multipleOf not nullable oneOf pattern patternProperties prefixItems properties ' +
  'propertyNames readOnly required summary then title type unevaluatedItems unevaluatedProperties uniqueItems writeOnly x-nullable xml'
).split(' ');

const scalars = oneof(
  constantFrom<unknown>(null, 0, -1, 0.5, '', 'true', '1', 'byte', 'base64', 'date', 'a', Number.NaN),
  constantFrom(...TYPES),
  boolean(),
  integer({ min: -2, max: 3 }),
);
const nodes = oneof(
  constantFrom<unknown>({}, TEXT, { required: true }, { $ref: '#/a' }, { type: 'string', required: true }),
  dictionary(string({ maxLength: 2 }), scalars, { maxKeys: 2 }),
);
const values = oneof(
  { weight: 3, arbitrary: scalars },
  { weight: 2, arbitrary: nodes },
  array(oneof(scalars, nodes), { maxLength: 3 }),
  dictionary(constantFrom('a', 'b', 'type'), oneof(scalars, nodes), { maxKeys: 2 }),
);

it(
  'a schema that is left as it is, or of which keywords are renamed, is the same after all repairs, which report nothing',
  { tags: 'slow' },
  () => {
    let plain = 0;
    let renamed = 0;
    const check = (schema: Node, dialect: Dialect): void => {
      const need = readNeed('schema', schema);
      if (need === 'repair') return;
      plain += 1;
      const reports: string[] = [];
      const context: RepairContext = {
        dialect,
        report: (message) => void reports.push(message),
        recordMove: (to) => void reports.push(`moved to ${to.join('/')}`),
        findTarget: () => undefined,
        resolveReference: () => undefined,
        readRootField: () => undefined,
      };
      const expected = need === 'rename' ? renameKeywords(schema, context) : schema;
      if (expected === undefined) return;
      const repaired = repairSchema(schema, context);
      expect([repaired, Object.keys(repaired)]).toEqual([expected, Object.keys(expected)]);
      expect(reports).toEqual([]);
      if (need === 'rename') renamed += 1;
    };
    const schemas = dictionary(constantFrom(...KEYWORDS), values, { maxKeys: 4 });
    const run = { numRuns: 20_000 };
    assert(property(schemas, constantFrom<Dialect>(20, 30, 31), check), run);
    // So that this test would not pass because each schema is repaired.
    expect(plain).toBeGreaterThan(1000);
    expect(renamed).toBeGreaterThan(40);
  },
);
