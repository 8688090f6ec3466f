import { expect, it } from 'vitest';
import { loadContract } from '../../src/contract/load/load.js';
import { createValidators, prepareSchemas } from '../../src/schema/validate.js';
import { json, object, ref, toDocument } from '../document-parts.js';

it('preparing the schemas of a contract finds those that cannot be compiled whole, however deep they are used', async () => {
  const contract = await loadContract(
    toDocument(
      { '/a': { get: { responses: { 200: json(ref('A')) } } } },
      { A: object({ b: ref('B') }), B: { type: 'string', pattern: '(unclosed' } },
    ),
  );
  const validators = createValidators(contract);
  expect(validators.problems()).toEqual([]);
  const prepared = [...prepareSchemas(contract, validators)];
  expect(prepared).toContain('/components/schemas/B');
  expect(validators.problems().map(({ message }) => message)).toEqual([
    'the pattern "(unclosed" is not a valid regular expression, so it matches every string',
  ]);
});
