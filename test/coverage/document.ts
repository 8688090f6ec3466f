import { content, inPath, INTEGER, json, query, TEXT, toDocument } from '../document-parts.js';

const VALUE = { type: 'object' };

/** A document with one of each thing that coverage counts. */
export const SPEC: ReturnType<typeof toDocument> = toDocument(
  {
    '/stations': {
      get: {
        operationId: 'listStations',
        parameters: [
          query('limit', INTEGER),
          { ...query('filter', VALUE), style: 'deepObject', explode: true },
          { name: 'X-Trace', in: 'header', schema: TEXT },
          { name: 'theme', in: 'cookie', schema: TEXT },
        ],
        responses: {
          '2XX': {
            description: 'ok',
            content: {
              'application/json': {
                schema: VALUE,
                examples: { none: { value: { data: [] } }, many: { value: { data: [1, 2] } } },
              },
              'text/csv': { schema: TEXT, example: 'name' },
            },
          },
          default: json(VALUE, 'error'),
        },
      },
      post: {
        operationId: 'addStation',
        requestBody: { content: { ...content(VALUE), ...content(VALUE, 'application/x-www-form-urlencoded') } },
        responses: { 201: { description: 'added' }, 409: { description: 'known' } },
      },
    },
    '/stations/{id}': {
      ...inPath('id'),
      delete: { operationId: 'closeStation', responses: { 204: { description: 'closed' } } },
    },
  },
  undefined,
  { info: { title: 'Trains', version: '1.0' } },
);

/** Two scenarios; `late` inherits the rule of `known`. */
export const SCENARIOS = {
  known: { operations: { addStation: { respond: { status: 409 } } } },
  late: { extends: 'known', operations: { listStations: { respond: { example: 'many' } } } },
} as const;
