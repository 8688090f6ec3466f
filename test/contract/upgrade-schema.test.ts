import { describe, expect, test } from 'vitest';
import { loadContract } from '../../src/contract/load/load.js';
import { documentOf, listProblems } from './loading.js';
import { loadCases } from '../load-cases.js';

const S = '/components/schemas/Subject';

interface Case {
  readonly name: string;
  readonly version: string;
  readonly given: unknown;
  readonly want: unknown;
  readonly problems: readonly string[];
}

const CASES = loadCases<readonly Case[]>('contract/upgrade-schema.yaml');

describe('a schema of any version becomes one of the inner dialect', () => {
  test.each(CASES)('$name ($version)', async ({ version, given, want, problems }) => {
    const contract = await loadContract(documentOf(version, given, { Other: { type: 'object' }, More: {} }));
    expect(contract.at(S)).toEqual(want);
    const wanted =
      version === '2.0' ? problems.map((text) => text.replace('components/schemas', 'definitions')) : problems;
    expect(listProblems(contract)).toEqual(wanted);
  });

  test('a property called __proto__ stays a property', async () => {
    const text = '{"properties": {"__proto__": {"type": "string", "nullable": true}}}';
    const contract = await loadContract(documentOf('3.0.0', JSON.parse(text)));
    const properties = contract.at(`${S}/properties`);
    expect(JSON.stringify(properties)).toBe('{"__proto__":{"type":["string","null"]}}');
  });

  test('a circle over three schemas is cut once', async () => {
    const ref = (name: string): object => ({ anyOf: [{ $ref: `#/components/schemas/${name}` }, { type: 'null' }] });
    const contract = await loadContract(documentOf('3.1.0', ref('A'), { A: ref('B'), B: ref('Subject') }));
    expect(contract.problems.map(({ code }) => code)).toEqual(['SCHEMA_CIRCULAR']);
  });
});
