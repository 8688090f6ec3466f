/** A document with one of each thing that coverage counts. */
export const SPEC = {
  openapi: '3.1.0',
  info: { title: 'Trains', version: '1.0' },
  paths: {
    '/stations': {
      get: {
        operationId: 'listStations',
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer' } },
          { name: 'filter', in: 'query', style: 'deepObject', explode: true, schema: { type: 'object' } },
          { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
          { name: 'theme', in: 'cookie', schema: { type: 'string' } },
        ],
        responses: {
          '2XX': {
            description: 'ok',
            content: {
              'application/json': {
                schema: { type: 'object' },
                examples: { none: { value: { data: [] } }, many: { value: { data: [1, 2] } } },
              },
              'text/csv': { schema: { type: 'string' }, example: 'name' },
            },
          },
          default: { description: 'error', content: { 'application/json': { schema: { type: 'object' } } } },
        },
      },
      post: {
        operationId: 'addStation',
        requestBody: {
          content: {
            'application/json': { schema: { type: 'object' } },
            'application/x-www-form-urlencoded': { schema: { type: 'object' } },
          },
        },
        responses: { '201': { description: 'added' }, '409': { description: 'known' } },
      },
    },
    '/stations/{id}': {
      delete: {
        operationId: 'closeStation',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: { '204': { description: 'closed' } },
      },
    },
  },
} as const;

/** Two scenarios; `late` inherits the rule of `known`. */
export const SCENARIOS = {
  known: { operations: { addStation: { respond: { status: 409 } } } },
  late: { extends: 'known', operations: { listStations: { respond: { example: 'many' } } } },
} as const;
