import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/contract/load/load.js';
import { createValidators, prepareSchemas } from '../../src/schema/validate.js';
import { createAsk, toDocument, toLines } from './decode.js';

describe('preparing the schemas of a contract', () => {
  it('finds those that cannot be compiled whole, however deep they are used', async () => {
    const contract = await loadContract({
      openapi: '3.1.0',
      info: { title: 't', version: '1' },
      paths: {
        '/a': {
          get: {
            responses: {
              200: { description: '', content: { 'application/json': { schema: { $ref: '#/components/schemas/A' } } } },
            },
          },
        },
      },
      components: {
        schemas: {
          A: { properties: { b: { $ref: '#/components/schemas/B' } } },
          B: { type: 'string', pattern: '(unclosed' },
        },
      },
    });
    const validators = createValidators(contract);
    expect(validators.problems()).toEqual([]);
    const prepared = [...prepareSchemas(contract, validators)];
    expect(prepared).toContain('/components/schemas/B');
    expect(validators.problems().map(({ message }) => message)).toEqual([
      'the pattern "(unclosed" is not a valid regular expression, so it matches every string',
    ]);
  });

  // The two largest are left to `npm run sweep`: compiling all of either takes seconds.
  const folder = new URL('../../../shared/specs/', import.meta.url).pathname;
  const names = ['box.json', 'petstore-2.0.yaml', 'petstore-3.0.yaml', 'petstore-3.1.json', 'train-travel-3.1.json'];
  it.skipIf(!existsSync(folder)).each(names)('%s of ../shared/specs compiles whole', { tags: 'slow' }, async (name) => {
    const contract = await loadContract(`${folder}${name}`);
    const validators = createValidators(contract);
    expect([...prepareSchemas(contract, validators)].length).toBeGreaterThan(0);
    expect(validators.problems()).toEqual([]);
  });
});

describe('a schema that is used in part only', () => {
  it('is noted with every call it checks, and the contract is to blame', async () => {
    const schema = { type: 'object', properties: { code: { type: 'string', pattern: '(unclosed' } } };
    const parameters = [{ name: 'q', in: 'query', schema: { type: 'string', pattern: '[z-a]' } }];
    const requestBody = { content: { 'application/json': { schema } } };
    const ask = await createAsk(toDocument({ parameters, requestBody }, {}, 'post /things'));
    const headers = { 'content-type': 'application/json' };
    const call = await ask({ ask: 'POST /things?q=x', headers, body: '{"code":"x"}' });
    expect(toLines(call)).toEqual(['note SCHEMA_UNUSABLE /q', 'note SCHEMA_UNUSABLE']);
    expect(call.violations.map(({ by }) => by)).toEqual(['contract', 'contract']);
  });
});
