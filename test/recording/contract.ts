import type { Contract } from '../../src/contract/contract.js';
import { loadContract } from '../../src/contract/load/load.js';
import { createRouter, type Router } from '../../src/contract/router/router.js';
import { createCallDecoder, type CallDecoder } from '../../src/http/request/call.js';
import { createValidators, type Validators } from '../../src/schema/validate.js';
import { content, object, TEXT, NUMBER, ref, arrayOf, INTEGER, toDocument } from '../document-parts.js';

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

const json = (schema: object): object => ({ content: content(schema) });

/** A shop with every way to write a request that matching has to see through. */
export const SHOP: object = toDocument(
  {
    '/items': {
      get: {
        operationId: 'listItems',
        parameters: [
          parameter('limit', 'query', { type: 'integer', default: 20 }),
          parameter('tags', 'query', arrayOf(TEXT), { explode: false }),
          parameter('ids', 'query', arrayOf(INTEGER)),
          parameter('filter', 'query', object({ color: TEXT }), { style: 'deepObject' }),
          parameter('q', 'query', TEXT),
          parameter('X-Tenant', 'header', TEXT),
          parameter('X-Page', 'header', INTEGER),
          parameter('Idempotency-Key', 'header', TEXT),
        ],
        responses: { 200: { description: 'ok', ...json(arrayOf(ref('Item'))) } },
      },
      post: {
        operationId: 'addItem',
        requestBody: {
          content: {
            'application/json': { schema: ref('Item') },
            'application/x-www-form-urlencoded': { schema: { type: 'object' } },
            'multipart/form-data': { schema: object({ note: TEXT, pin: { type: 'string', format: 'password' } }) },
            'text/plain': { schema: TEXT },
          },
        },
        responses: { 200: { description: 'ok', ...json(ref('Item')) } },
      },
    },
    '/items/{id}': {
      get: {
        operationId: 'readItem',
        parameters: [parameter('id', 'path', TEXT)],
        responses: { 200: { description: 'ok', ...json(ref('Item')) } },
      },
    },
    '/numbers/{n}': {
      get: {
        operationId: 'readNumber',
        parameters: [parameter('n', 'path', INTEGER)],
        responses: { 200: { description: 'ok' } },
      },
    },
  },
  {},
  {
    info: { title: 'Shop', version: '1.0.0' },
    servers: [{ url: 'https://shop.example/api' }],
    components: {
      securitySchemes: {
        key: { type: 'apiKey', in: 'query', name: 'shop_key' },
        session: { type: 'apiKey', in: 'header', name: 'X-Shop' },
      },
      schemas: {
        Item: object(
          {
            id: TEXT,
            name: TEXT,
            price: NUMBER,
            pin: { type: 'string', format: 'password', pattern: '^[0-9]{6}$' },
            token: { type: 'string', 'x-sensitive': true, minLength: 4, maxLength: 8 },
            ticket: { type: 'string', format: 'uuid', writeOnly: true },
            kind: { type: 'string', enum: ['secret', 'open'] },
            parent: ref('Item'),
          },
          'id',
        ),
      },
    },
  },
);
