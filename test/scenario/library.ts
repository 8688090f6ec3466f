import { loadContract } from '../../src/contract/load/load.js';
import { createGenerator } from '../../src/generate/generate.js';
import { createFieldsReader } from '../../src/schema/fields.js';
import { createValidators } from '../../src/schema/validate.js';
import { createScenarioContext, type ScenarioContext } from '../../src/scenario/definition/kinds.js';

import { inferResources } from '../../src/state/inference/infer.js';

/** A small contract with everything that a scenario is checked against. */
export const LIBRARY: Readonly<Record<string, unknown>> = {
  openapi: '3.1.0',
  info: { title: 'Library', version: '1' },
  security: [{ key: [] }],
  paths: {
    '/books': {
      get: {
        operationId: 'listBooks',
        parameters: [
          { name: 'after', in: 'query', schema: { type: 'string' } },
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1 } },
          { name: 'tag', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
          { name: 'X-Shelf', in: 'header', schema: { type: 'string' } },
        ],
        responses: {
          200: {
            description: 'A page.',
            content: {
              'application/json': {
                schema: { $ref: '#/components/schemas/BookList' },
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
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['title'],
                properties: { title: { type: 'string' }, pages: { type: 'integer' } },
              },
            },
          },
        },
        responses: {
          201: {
            description: 'Made.',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Book' } } },
          },
          '4XX': { $ref: '#/components/responses/Error' },
        },
      },
    },
    '/books/{book_id}': {
      parameters: [{ name: 'book_id', in: 'path', required: true, schema: { type: 'string' } }],
      get: {
        operationId: 'readBook',
        responses: {
          200: {
            description: 'One.',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Book' } } },
          },
          404: { $ref: '#/components/responses/Error' },
        },
      },
      delete: {
        responses: { 204: { description: 'Gone.' }, 404: { $ref: '#/components/responses/Error' } },
      },
    },
  },
  components: {
    securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'api_key' } },
    responses: {
      Error: {
        description: 'Wrong.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
    schemas: {
      Book: {
        type: 'object',
        required: ['id', 'title'],
        properties: {
          id: { type: 'string' },
          title: { type: 'string', minLength: 1 },
          pages: { type: 'integer', minimum: 1 },
          author: { type: 'object', properties: { name: { type: 'string' } } },
        },
      },
      BookList: {
        type: 'object',
        required: ['data', 'has_more'],
        properties: {
          data: { type: 'array', items: { $ref: '#/components/schemas/Book' } },
          has_more: { type: 'boolean' },
        },
      },
      Error: {
        type: 'object',
        required: ['error'],
        properties: {
          error: {
            type: 'object',
            required: ['message', 'code'],
            properties: { message: { type: 'string' }, code: { type: 'string' }, param: { type: ['string', 'null'] } },
          },
        },
      },
    },
  },
};

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
