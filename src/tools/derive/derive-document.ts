import { isObject } from '../../base/json.js';
import { toSingular } from '../../conventions/names.js';
import { inferSchema } from '../../contract/schema-view/infer-schema.js';

/** Items by collection, and singletons, by name: the content of a `db.json` of json-server. */
export type ItemData = Readonly<Record<string, readonly object[] | object>>;

/** The data of a value that is a `db.json`: an object whose members are arrays of objects, or objects; undefined for anything else. */
export function readItemData(value: unknown): ItemData | undefined {
  if (!isObject(value) || ['openapi', 'swagger', 'asyncapi', 'overlay', 'arazzo'].some((name) => name in value)) {
    return undefined;
  }
  const entries = Object.entries(value).filter(([name]) => name !== '$schema');
  const isData = ([, each]: readonly [string, unknown]): boolean =>
    Array.isArray(each) ? each.every(isObject) : isObject(each);
  const hasList = entries.some(([, each]) => Array.isArray(each));
  // Each member was checked.
  return hasList && entries.every(isData) ? (Object.fromEntries(entries) as ItemData) : undefined;
}

/**
 * The OpenAPI 3.1 document of items that have none: for each collection the operations of json-server, with the types that its items have.
 *
 * `/posts` lists, filters, sorts and pages, and creates; `/posts/{id}` reads, replaces, updates and removes; `/posts/{postId}/comments` lists
 * and creates the comments that have that `postId`. An object is read, replaced and updated at its name.
 */
export function deriveDocument(data: ItemData, title: string): Readonly<Record<string, unknown>> {
  const names = Object.keys(data);
  const paths: Record<string, object> = {};
  const schemas: Record<string, object> = {};
  for (const [name, items] of Object.entries(data)) {
    const schema = toSchemaName(name, schemas);
    const values = Array.isArray(items) ? items : [items];
    const properties = inferSchema(values).properties ?? {};
    if (!Array.isArray(items)) {
      schemas[schema] = { type: 'object', properties, ...ANY_MEMBER };
      paths[`/${name}`] = describeObject(name, schema);
      continue;
    }
    const id = properties['id'] ?? { type: 'string' };
    const item = { type: 'object', properties: { ...properties, id }, ...ANY_MEMBER };
    schemas[schema] = { ...item, required: ['id'] };
    schemas[`New${schema}`] = item;
    Object.assign(paths, describeList(name, schema, properties));
    for (const parent of names) {
      const key = findParentKey(properties, parent);
      const isParent = key !== undefined && parent !== name && Array.isArray(data[parent]);
      if (isParent)
        paths[`/${parent}/{${key}}/${name}`] = describeChildren(name, schema, { key, parent, schema: properties[key] });
    }
  }
  return { openapi: '3.1.0', info: { title, version: '1' }, paths, components: { schemas } };
}

/** Clients can send members that no item has until now. */
const ANY_MEMBER = { additionalProperties: true };

function toSchemaName(name: string, taken: Readonly<Record<string, object>>): string {
  const words = toSingular(name)
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
  const own = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('') || 'Item';
  return own in taken || `New${own}` in taken ? `${own}${Object.keys(taken).length}` : own;
}

type Properties = Readonly<Record<string, object>>;

const json = (schema: object): object => ({ content: { 'application/json': { schema } } });
const ref = (schema: string): object => ({ $ref: `#/components/schemas/${schema}` });
const shows = (description: string, schema: object): object => ({ description, ...json(schema) });
const NOT_FOUND = { description: 'Not found' };
const toId = (verb: string, name: string): string => `${verb}_${name.replaceAll(/\W+/g, '_')}`;

function describeObject(name: string, schema: string): object {
  const change = (verb: string): object => ({
    operationId: toId(verb, name),
    requestBody: { required: true, ...json(ref(schema)) },
    responses: { 200: shows('The object after the change', ref(schema)) },
  });
  return {
    get: { operationId: toId('get', name), responses: { 200: shows('The object', ref(schema)) } },
    put: change('replace'),
    patch: change('update'),
  };
}

function describeList(name: string, schema: string, properties: Properties): Readonly<Record<string, object>> {
  const item = ref(schema);
  const id = { name: 'id', in: 'path', required: true, schema: properties['id'] ?? { type: 'string' } };
  const sent = (required: string): object => ({ required: true, ...json(ref(required)) });
  const answers = { 200: shows('The item', item), 404: NOT_FOUND };
  const create = { operationId: toId('create', name), requestBody: sent(`New${schema}`) };
  return {
    [`/${name}`]: {
      get: {
        operationId: toId('list', name),
        parameters: [...PAGES, ...listFilters(properties)],
        responses: { 200: shows('The items', { type: 'array', items: item }) },
      },
      post: { ...create, responses: { 201: shows('The new item', item) } },
    },
    [`/${name}/{id}`]: {
      parameters: [id],
      get: { operationId: toId('get', name), responses: answers },
      put: { operationId: toId('replace', name), requestBody: sent(`New${schema}`), responses: answers },
      patch: { operationId: toId('update', name), requestBody: sent(`New${schema}`), responses: answers },
      delete: {
        operationId: toId('remove', name),
        responses: { ...answers, 200: shows('The item that was removed', item) },
      },
    },
  };
}

/** The parameters of json-server for pages and order. */
const PAGES: readonly object[] = [
  {
    name: '_page',
    in: 'query',
    description: 'The number of the page, from 1',
    schema: { type: 'integer', minimum: 1 },
  },
  {
    name: '_per_page',
    in: 'query',
    description: 'Items per page',
    schema: { type: 'integer', minimum: 1, default: 10 },
  },
  { name: '_limit', in: 'query', description: 'The maximum number of items', schema: { type: 'integer', minimum: 0 } },
  {
    name: '_sort',
    in: 'query',
    description: 'The property to sort by; descending with `-` before it',
    schema: { type: 'string' },
  },
];

/** A filter for each property that is one value. */
function listFilters(properties: Properties): readonly object[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const { type } = schema as { readonly type?: unknown };
    const isValue = typeof type === 'string' && type !== 'object' && type !== 'array';
    return isValue ? [{ name, in: 'query', description: `Only items with this ${name}`, schema: { type } }] : [];
  });
}

/** The property that names the parent: `postId` or `post_id` for `posts`. */
function findParentKey(properties: Properties, parent: string): string | undefined {
  const noun = toSingular(parent);
  return [`${noun}Id`, `${noun}_id`].find((name) => name in properties);
}

function describeChildren(
  name: string,
  schema: string,
  of: { readonly key: string; readonly parent: string; readonly schema: object | undefined },
): object {
  const body = { required: true, ...json(ref(`New${schema}`)) };
  return {
    parameters: [{ name: of.key, in: 'path', required: true, schema: of.schema ?? { type: 'string' } }],
    get: {
      operationId: toId(`list_${of.parent}`, name),
      responses: { 200: shows('The items of the parent', { type: 'array', items: ref(schema) }) },
    },
    post: {
      operationId: toId(`create_${of.parent}`, name),
      requestBody: body,
      responses: { 201: shows('The new item', ref(schema)) },
    },
  };
}
