import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/contract/load/load.js';
import { createValidators } from '../../src/schema/validate.js';
import { type Violation, VIOLATION_CODES } from '../../src/schema/violation.js';
import { TEXT, toDocument, object, INTEGER, ref, NUMBER } from '../document-parts.js';
import { loadCases } from '../load-cases.js';

/** What a check of a value against a schema of the document says. */
async function check(schema: object, value: unknown, schemas: object = {}): Promise<readonly Violation[]> {
  const document = toDocument({}, { It: schema, ...schemas });
  const contract = await loadContract(document);
  return createValidators(contract).check('/components/schemas/It', 'request')(value, 'body');
}

interface Case {
  readonly schema: object;
  readonly value: unknown;
}

const CASES = loadCases<{
  readonly sentences: readonly (Case & Readonly<Record<'code' | 'says', string>>)[];
  readonly unions: readonly (Case & { readonly name: string; readonly says: readonly string[] })[];
}>('http/violations.yaml');

const cat = object({ kind: { const: 'cat' }, lives: INTEGER }, 'kind', 'lives');
const dog = object({ kind: { enum: ['dog', 'hound'] }, name: TEXT }, 'kind', 'name');
const schemas = { Cat: cat, Dog: dog };
const refs = [ref('Cat'), ref('Dog')];
const plain = { Square: object({ side: NUMBER }, 'side'), Circle: { type: 'object', required: ['radius', 'x', 'y'] } };

describe('a violation', () => {
  it.each(CASES.sentences)('of $schema by $value is a sentence', async ({ schema, value, code, says }) => {
    const found = await check(schema, value);
    expect(found.map(({ message }) => message)).toEqual([says]);
    expect(found[0]).toMatchObject({ code, severity: 'error', in: 'body', by: 'client' });
  });

  it.each(CASES.unions)('of a union is explained by $name', async ({ schema, value, says }) => {
    const found = await check(schema, value, { ...schemas, ...plain });
    expect(found.map(({ message }) => message).toSorted()).toEqual(says);
  });

  it('points into the value and to the rule in the document, through references', async () => {
    const found = await check(
      { properties: { pets: { items: { oneOf: refs } } } },
      {
        pets: [
          { kind: 'cat', lives: 1 },
          { kind: 'cat', lives: 'x' },
        ],
      },
      schemas,
    );
    expect(found).toMatchObject([
      { pointer: '/pets/1/lives', schemaPointer: '/components/schemas/Cat/properties/lives/type' },
    ]);
  });

  it('of a parameter names it', async () => {
    const contract = await loadContract(toDocument({}, { It: { items: INTEGER } }));
    const found = createValidators(contract).check('/components/schemas/It', 'request')(['x'], 'query', 'ids');
    expect(found).toMatchObject([
      { in: 'query', pointer: '/ids/0', message: '"[0]" in query parameter "ids" must be an integer, got "x"' },
    ]);
  });

  it('of an answer is the mock’s, and says so', async () => {
    const contract = await loadContract(toDocument({}, { It: { properties: { a: TEXT } } }));
    const found = createValidators(contract).check('/components/schemas/It', 'response')({ a: 1 }, 'body');
    expect(found).toMatchObject([{ by: 'mock', message: 'answer property "a" must be a string, got 1' }]);
  });

  it('has a code with an explanation of one line', () => {
    for (const [code, explanation] of Object.entries(VIOLATION_CODES)) {
      expect(code).toMatch(/^[A-Z][A-Z_]+$/);
      expect(explanation).toMatch(/^[A-Z].{20,120}\.$/);
    }
    expect(Object.keys(VIOLATION_CODES)).toEqual(Object.keys(VIOLATION_CODES).toSorted());
  });
});

it('docs/violations.md lists every code with its explanation, and no other', async () => {
  const page = await readFile(new URL('../../docs/violations.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (.*) \|$/gm)].map(([, code, says]) => [code, says]);
  expect(rows).toEqual(Object.entries(VIOLATION_CODES));
});
