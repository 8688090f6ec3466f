import { loadContract } from '../../src/contract/load/load.js';
import { createGenerator } from '../../src/generate/generate.js';
import { createFieldsReader } from '../../src/schema/fields.js';
import { createValidators } from '../../src/schema/validate.js';
import { createScenarioContext, type ScenarioContext } from '../../src/scenario/definition/kinds.js';

import { inferResources } from '../../src/state/inference/infer.js';
import {
  json,
  ref,
  object,
  TEXT,
  arrayOf,
  BOOLEAN,
  query,
  content,
  INTEGER,
  toDocument,
  inPath,
} from '../document-parts.js';

/** A small contract with everything that a scenario is checked against. */
export const LIBRARY: Readonly<Record<string, unknown>> = toDocument(
  {
    '/books': {
      get: {
        operationId: 'listBooks',
        parameters: [
          query('after'),
          query('limit', { type: 'integer', minimum: 1 }),
          query('tag', arrayOf(TEXT)),
          { name: 'X-Shelf', in: 'header', schema: TEXT },
        ],
        responses: {
          200: {
            description: 'A page.',
            content: {
              'application/json': {
                schema: ref('BookList'),
                examples: {
                  empty: { value: { data: [], has_more: false } },
                  one: { value: { data: [], has_more: true } },
                },
              },
            },
          },
          429: { $ref: '#/components/responses/Error' },
        },
      },
      post: {
        operationId: 'createBook',
        requestBody: { required: true, content: content(object({ title: TEXT, pages: INTEGER }, 'title')) },
        responses: { 201: json(ref('Book'), 'Made.'), '4XX': { $ref: '#/components/responses/Error' } },
      },
    },
    '/books/{book_id}': {
      ...inPath('book_id'),
      get: {
        operationId: 'readBook',
        responses: { 200: json(ref('Book'), 'One.'), 404: { $ref: '#/components/responses/Error' } },
      },
      delete: { responses: { 204: { description: 'Gone.' }, 404: { $ref: '#/components/responses/Error' } } },
    },
  },
  {},
  {
    security: [{ key: [] }],
    components: {
      securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'api_key' } },
      responses: { Error: json(ref('Error'), 'Wrong.') },
      schemas: {
        Book: object(
          {
            id: TEXT,
            title: { type: 'string', minLength: 1 },
            pages: { type: 'integer', minimum: 1 },
            author: object({ name: TEXT }),
          },
          'id',
          'title',
        ),
        BookList: object({ data: arrayOf(ref('Book')), has_more: BOOLEAN }, 'data', 'has_more'),
        Error: object(
          { error: object({ message: TEXT, code: TEXT, param: { type: ['string', 'null'] } }, 'message', 'code') },
          'error',
        ),
      },
    },
  },
);

/** What scenarios about the library, or about another document, are checked against. */
export async function loadContext(spec: string | object = LIBRARY): Promise<ScenarioContext> {
  const contract = await loadContract(spec);
  const validators = createValidators(contract);
  const generator = createGenerator(contract, validators);
  const { collections } = inferResources(contract);
  return createScenarioContext({
    contract,
    validators,
    generator,
    fieldsOf: createFieldsReader(contract),
    collections: collections.values(),
  });
}
