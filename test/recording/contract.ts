import type { Contract } from '../../src/contract/contract.js';
import { loadContract } from '../../src/contract/load/load.js';
import { createRouter, type Router } from '../../src/contract/router/router.js';
import { createCallDecoder, type CallDecoder } from '../../src/http/request/call.js';
import { createValidators, type Validators } from '../../src/schema/validate.js';

/** The parts of a contract that recordings are made of. */
export interface ContractParts {
  readonly contract: Contract;
  readonly validators: Validators;
  readonly router: Router;
  readonly decoder: CallDecoder;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The parts over a document. */
export async function loadParts(document: string | object): Promise<ContractParts> {
  const contract = await loadContract(document);
  const validators = createValidators(contract);
  return {
    contract,
    validators,
    router: createRouter(contract.operations),
    decoder: createCallDecoder(contract, validators, { bodyLimitBytes: 1_000_000 }),
    environment: {},
  };
}

const parameter = (name: string, place: string, schema: object, more: object = {}): object => ({
  name,
  in: place,
  schema,
  ...(place === 'path' ? { required: true } : {}),
  ...more,
});

const json = (schema: object): object => ({ content: { 'application/json': { schema } } });

/** A shop with every way to write a request that matching has to see through. */
export const SHOP: object = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1.0.0' },
  servers: [{ url: 'https://shop.example/api' }],
  components: {
    securitySchemes: {
      key: { type: 'apiKey', in: 'query', name: 'shop_key' },
      session: { type: 'apiKey', in: 'header', name: 'X-Shop' },
    },
    schemas: {
      Item: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'string' },
          name: { type: 'string' },
          price: { type: 'number' },
          pin: { type: 'string', format: 'password', pattern: '^[0-9]{6}$' },
          token: { type: 'string', 'x-sensitive': true, minLength: 4, maxLength: 8 },
          ticket: { type: 'string', format: 'uuid', writeOnly: true },
          kind: { type: 'string', enum: ['secret', 'open'] },
          parent: { $ref: '#/components/schemas/Item' },
        },
      },
    },
  },
  paths: {
    '/items': {
      get: {
        operationId: 'listItems',
        parameters: [
          parameter('limit', 'query', { type: 'integer', default: 20 }),
          parameter('tags', 'query', { type: 'array', items: { type: 'string' } }, { explode: false }),
          parameter('ids', 'query', { type: 'array', items: { type: 'integer' } }),
          parameter(
            'filter',
            'query',
            { type: 'object', properties: { color: { type: 'string' } } },
            { style: 'deepObject' },
          ),
          parameter('q', 'query', { type: 'string' }),
          parameter('X-Tenant', 'header', { type: 'string' }),
          parameter('X-Page', 'header', { type: 'integer' }),
          parameter('Idempotency-Key', 'header', { type: 'string' }),
        ],
        responses: {
          200: { description: 'ok', ...json({ type: 'array', items: { $ref: '#/components/schemas/Item' } }) },
        },
      },
      post: {
        operationId: 'addItem',
        requestBody: {
          content: {
            'application/json': { schema: { $ref: '#/components/schemas/Item' } },
            'application/x-www-form-urlencoded': { schema: { type: 'object' } },
            'multipart/form-data': {
              schema: {
                type: 'object',
                properties: { note: { type: 'string' }, pin: { type: 'string', format: 'password' } },
              },
            },
            'text/plain': { schema: { type: 'string' } },
          },
        },
        responses: { 200: { description: 'ok', ...json({ $ref: '#/components/schemas/Item' }) } },
      },
    },
    '/items/{id}': {
      get: {
        operationId: 'readItem',
        parameters: [parameter('id', 'path', { type: 'string' })],
        responses: { 200: { description: 'ok', ...json({ $ref: '#/components/schemas/Item' }) } },
      },
    },
    '/numbers/{n}': {
      get: {
        operationId: 'readNumber',
        parameters: [parameter('n', 'path', { type: 'integer' })],
        responses: { 200: { description: 'ok' } },
      },
    },
  },
};
