import {
  arrayOf,
  BOOLEAN,
  content,
  INTEGER,
  object,
  pathParameter,
  query,
  ref,
  TEXT,
  toDocument,
} from '../document-parts.js'; /** The name of a way of paging. */
export type LookName = 'bare array' | 'cursor' | 'next URL' | 'offset' | 'page' | 'starting-after' | 'token';

/** How one way of paging looks in a document: its query parameters, and its envelope beside the items. */
interface Look {
  readonly parameters: readonly (readonly [name: string, schema: object])[];
  /** Undefined: the answer is the bare array. */
  readonly envelope: Readonly<Record<string, object>> | undefined;
  readonly headers?: Readonly<Record<string, object>>;
}
const LIMIT = ['limit', { type: 'integer', minimum: 1, default: 5 }] as const;
const ORDER = ['order', { type: 'string', enum: ['asc', 'desc'], default: 'asc' }] as const;
const NULLABLE_TEXT = { type: ['string', 'null'] };
const NULLABLE_URL = { type: ['string', 'null'], format: 'uri' };

/** The ways of paging that the store knows, each the way some real service writes it. */
export const LOOKS: Readonly<Record<LookName, Look>> = {
  cursor: {
    parameters: [LIMIT, ORDER, ['after', TEXT], ['before', TEXT]],
    envelope: { object: { const: 'list' }, has_more: BOOLEAN, first_id: NULLABLE_TEXT, last_id: NULLABLE_TEXT },
  },
  'starting-after': {
    parameters: [LIMIT, ['starting_after', TEXT], ['ending_before', TEXT]],
    envelope: { object: { enum: ['list'] }, has_more: BOOLEAN, url: { type: 'string', pattern: '^/things' } },
  },
  token: { parameters: [LIMIT, ['cursor', TEXT]], envelope: { next_cursor: NULLABLE_TEXT } },
  page: {
    parameters: [
      ['page', { type: 'integer', minimum: 1 }],
      ['per_page', { type: 'integer', minimum: 1, default: 5 }],
    ],
    envelope: { page: INTEGER, per_page: INTEGER, total: INTEGER, total_pages: INTEGER },
    headers: { Link: { schema: TEXT } },
  },
  offset: {
    parameters: [LIMIT, ['offset', { type: 'integer', minimum: 0, default: 0 }]],
    envelope: { limit: INTEGER, offset: INTEGER, total_count: INTEGER },
  },
  'next URL': {
    parameters: [LIMIT, ['offset', { type: 'integer', minimum: 0 }]],
    envelope: { count: INTEGER, next: NULLABLE_URL, previous: NULLABLE_URL },
  },
  'bare array': {
    parameters: [
      ['page', { type: 'integer', minimum: 1 }],
      ['per_page', { type: 'integer', minimum: 1, default: 5 }],
    ],
    envelope: undefined,
  },
};

/** A document with one resource, `/things`, that is listed one way. */
export function createPagedDocument(name: LookName): Record<string, unknown> {
  const look: Look = LOOKS[name];
  const thing = ref('Thing');
  const json = (schema: object): object => content(schema);
  const items = arrayOf(thing);
  const list =
    look.envelope === undefined
      ? items
      : object({ data: items, ...look.envelope }, 'data', ...Object.keys(look.envelope));
  const id = pathParameter('id');
  const missing = { description: 'none', content: json(object({ message: TEXT })) };
  const body = { required: true, content: json(object({ name: TEXT }, 'name')) };
  return toDocument(
    {
      '/things': {
        get: {
          operationId: 'listThings',
          parameters: [...look.parameters.map(([parameter, schema]) => query(parameter, schema)), query('name')],
          responses: { 200: { description: 'a page', content: json(list), headers: look.headers ?? {} }, 400: missing },
        },
        post: {
          operationId: 'createThing',
          requestBody: body,
          responses: { 201: { description: 'made', content: json(thing) } },
        },
      },
      '/things/{id}': {
        get: {
          operationId: 'readThing',
          parameters: [id],
          responses: { 200: { description: 'one', content: json(thing) }, 404: missing },
        },
        patch: {
          operationId: 'updateThing',
          parameters: [id],
          requestBody: body,
          responses: { 200: { description: 'one', content: json(thing) }, 404: missing },
        },
        delete: {
          operationId: 'deleteThing',
          parameters: [id],
          responses: { 204: { description: 'gone' }, 404: missing },
        },
      },
    },
    { Thing: object({ id: { type: 'string', readOnly: true }, name: TEXT }, 'id', 'name') },
  );
}
