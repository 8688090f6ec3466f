// @module-tag thorough
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMock, type Mock } from '../../src/index.js';
import { isObject, readPath } from '../../src/base/json.js';
import { json, pathParameter, query } from '../operation-parts.js';
import { send } from '../send.js';
import { arrayOf, BOOLEAN, INTEGER, object, ref, TEXT } from '../schema-parts.js';

type Json = Readonly<Record<string, unknown>>;

/** How a service writes one item and a list of items. */
interface Style {
  readonly noun: string;
  /** The property names around the item in answers and in requests. */
  readonly answer: readonly string[];
  readonly request: readonly string[];
  readonly list: readonly string[];
  readonly members: Json;
  /** The path of the property. */
  readonly id: string;
  /** What is before the noun in paths. */
  readonly prefix: string;
  readonly isSingular: boolean;
  readonly fashion: Fashion;
  readonly idSchema: Json;
  readonly parameter: string;
  readonly page: 'cursor' | 'deep' | 'none' | 'number' | 'offset' | 'page' | 'start' | 'zero';
  readonly suffix: string;
  readonly isShared: boolean;
  readonly update: 'patch' | 'put';
}

/** How the paths of a resource are written. */
type Fashion = 'bare' | 'below' | 'first' | 'inside' | 'numbers' | 'own' | 'plain';

const NOUNS = ['widget', 'order', 'playlist', 'policy', 'zone', 'machine'];

const plural = (noun: string): string => (noun.endsWith('y') ? noun.replace(/y$/, 'ies') : `${noun}s`);

/** Members of an envelope beside the item. */
const MEMBERS: readonly Json[] = [
  {},
  { success: BOOLEAN, errors: arrayOf(TEXT) },
  { meta: object({ request_id: TEXT }) },
  { request_id: TEXT, status: TEXT },
];

const styles: fc.Arbitrary<Style> = fc
  .record({
    noun: fc.constantFrom(...NOUNS),
    envelope: fc.constantFrom('none', 'data', 'noun', 'result', 'item', 'deep'),
    wrapsRequest: fc.boolean(),
    listName: fc.constantFrom('array', 'data', 'noun', 'items', 'results', 'deep'),
    members: fc.constantFrom(...MEMBERS),
    id: fc.constantFrom('id', 'uuid', 'sid', 'gid', 'noun_id', 'key', 'metadata.id', 'resource_name'),
    prefix: fc.constantFrom('', '/v1', '/api/v2/store', '/orgs/{org}', '/v1/projects/{project}/places/{place}'),
    isSingular: fc.boolean(),
    fashion: fc.constantFrom<Fashion>('plain', 'plain', 'bare', 'below', 'first', 'inside', 'numbers', 'own'),
    idSchema: fc.constantFrom<Json>(TEXT, { type: 'string', format: 'uuid' }, INTEGER, {
      type: 'string',
      pattern: '^[a-f0-9]{32}$',
    }),
    parameter: fc.constantFrom('id', 'noun_id', 'nounId'),
    page: fc.constantFrom('cursor', 'deep', 'none', 'number', 'offset', 'page', 'start', 'zero'),
    suffix: fc.constantFrom('', '.json', '/'),
    isShared: fc.boolean(),
    update: fc.constantFrom('patch', 'put'),
  })
  .map(({ noun, envelope, wrapsRequest, listName, ...rest }): Style => {
    const name = envelope === 'noun' ? noun : envelope;
    const answer = envelope === 'none' ? [] : envelope === 'deep' ? ['data', noun] : [name];
    const listed = listName === 'noun' ? plural(noun) : listName;
    return Object.assign(rest, {
      noun,
      answer,
      request: wrapsRequest ? answer : [],
      list: listName === 'array' ? [] : listName === 'deep' ? ['data', 'items'] : [listed],
      members: envelope === 'none' ? {} : rest.members,
      // Other paths than plain ones have no full names.
      id:
        rest.id === 'noun_id' ? `${noun}_id` : rest.id === 'resource_name' && rest.fashion !== 'plain' ? 'id' : rest.id,
      // Where no path names the noun, the parameter does.
      parameter: rest.fashion === 'bare' && rest.id === 'noun_id' ? `${noun}_id` : rest.parameter.replace('noun', noun),
    });
  });

function wrap(schema: Json, path: readonly string[], members: Json): Json {
  const [name, ...rest] = path;
  if (name === undefined) return schema;
  return object({ [name]: wrap(schema, rest, {}), ...members });
}

const PAGE_PARAMETERS: Readonly<Record<Style['page'], readonly Json[]>> = {
  cursor: [query('limit', INTEGER), query('cursor')],
  deep: [{ ...query('page', object({ number: INTEGER, size: INTEGER })), style: 'deepObject' }],
  none: [],
  number: [query('limit', INTEGER), query('cursor', INTEGER)],
  offset: [query('limit', INTEGER), query('offset', INTEGER)],
  page: [query('per_page', INTEGER), query('page', INTEGER)],
  start: [query('count', INTEGER), query('startIndex', { type: 'integer', minimum: 1 })],
  zero: [query('size', INTEGER), query('page', { type: 'integer', minimum: 0 })],
};

/** The query of a page of some size, by its index from 0; the others follow cursors. */
const PAGE_QUERIES: Readonly<Partial<Record<Style['page'], (index: number, size: number) => string>>> = {
  deep: (index, size) => `?page[size]=${size}&page[number]=${index + 1}`,
  offset: (index, size) => `?limit=${size}&offset=${index * size}`,
  page: (index, size) => `?per_page=${size}&page=${index + 1}`,
  start: (index, size) => `?count=${size}&startIndex=${index * size + 1}`,
  zero: (index, size) => `?size=${size}&page=${index}`,
};

const toRoot = ({ prefix, isSingular, noun }: Style): string => `${prefix}/${isSingular ? noun : plural(noun)}`;

/** The paths of the list, of the create and of one item, without their suffix. */
function toPaths(style: Style): { readonly list: string; readonly create: string; readonly item: string } {
  const { prefix, noun, parameter, fashion } = style;
  const root = toRoot(style);
  const item = (path: string): string => `${path}/{${parameter}}`;
  const same = (path: string): ReturnType<typeof toPaths> => ({ list: path, create: path, item: item(path) });
  switch (fashion) {
    case 'bare':
      return same('/v0/{shop_id}/{table_name}');
    case 'below':
      return { list: root, create: `${prefix}/shops/{shop_id}/${root.split('/').at(-1)}`, item: item(root) };
    case 'first':
      return same(`/{shop_id}/${plural(noun)}`);
    case 'inside':
      return same(`${prefix}/${plural(noun)}/{shop_id}`);
    case 'numbers':
      return { list: `${prefix}/${plural(noun)}`, create: `${prefix}/${noun}`, item: item(`${prefix}/${noun}`) };
    case 'own':
      return { list: `/me/${plural(noun)}`, create: `/me/${plural(noun)}`, item: item(`/${plural(noun)}`) };
    default:
      return same(root);
  }
}

/** Full resource names: the words and the ids of a path. */
const toFullName = (style: Style): string =>
  `${toRoot(style)
    .replace(/^\/(v1|api\/v2\/store)(?=\/)/, '')
    .slice(1)}/{${style.parameter}}`;

const readId = (item: unknown, { id }: Style): unknown => readPath(item, id.split('.'));

const FIELDS: Json = { name: TEXT, size: INTEGER, tags: arrayOf(TEXT) };

function createDocument(style: Style): Json {
  const isName = style.id === 'resource_name';
  const description = `The name of the resource: \`${toFullName(style)}\`.`;
  const idSchema = isName ? { type: 'string', description, readOnly: true } : style.idSchema;
  const [first = '', ...rest] = style.id.split('.');
  const own = object({
    [first]: wrap(idSchema, rest, {}),
    ...FIELDS,
    archived: BOOLEAN,
    created_at: { type: 'string', format: 'date-time' },
  });
  const item: Json = style.isShared ? ref('Item') : own;
  const one = json(wrap(item, style.answer, style.members));
  const body = { content: { 'application/json': { schema: wrap(object(FIELDS), style.request, {}) } } };
  const cursor = style.page === 'cursor' ? 'string' : style.page === 'number' ? 'integer' : undefined;
  const next = cursor === undefined ? {} : { next_cursor: { type: cursor, nullable: true } };
  const list = json(wrap(arrayOf(item), style.list, { ...style.members, ...next, total: INTEGER }));
  const inPath = (path: string): readonly Json[] =>
    [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) =>
      pathParameter(name, name === style.parameter && !isName ? style.idSchema : TEXT),
    );
  const paths = toPaths(style);
  const notFound = { description: 'not found' };
  const get = { parameters: PAGE_PARAMETERS[style.page], responses: { 200: list } };
  const post = { requestBody: body, responses: { 201: one } };
  return {
    openapi: '3.0.3',
    info: { title: 'Drawn', version: '1' },
    paths: {
      [`${paths.list}${style.suffix}`]: {
        parameters: inPath(paths.list),
        get,
        ...(paths.create === paths.list && { post }),
      },
      ...(paths.create !== paths.list && {
        [`${paths.create}${style.suffix}`]: { parameters: inPath(paths.create), post },
      }),
      [`${paths.item}${style.suffix}`]: {
        parameters: inPath(paths.item),
        get: { responses: { 200: one, 404: notFound } },
        [style.update]: { requestBody: body, responses: { 200: one, 404: notFound } },
        delete: { responses: { 204: { description: 'gone' }, 404: notFound } },
      },
      [`${paths.item}:archive`]: { parameters: inPath(paths.item), post: { responses: { 200: one, 404: notFound } } },
    },
    components: { schemas: { Item: own } },
  };
}

async function live(style: Style, unknownIds: 'create' | 'not-found'): Promise<void> {
  const mock = await createMock({ spec: createDocument(style), state: { unknownIds } });
  const { suffix } = style;
  const paths = toPaths(style);
  const fill = (path: string): string => path.replaceAll(/\{(\w+)\}/g, '$1-1');
  const root = fill(paths.list);
  const inRequest = (value: Json): unknown =>
    style.request.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  const inAnswer = (value: unknown): Json => {
    const found = readPath(value, style.answer);
    if (!isObject(found)) throw new Error(`no item at ${style.answer.join('.')}: ${JSON.stringify(value)}`);
    return found;
  };
  const list = async (query = ''): Promise<readonly Json[]> => {
    const { body } = await send(mock, `GET ${root}${suffix}${query}`);
    return readPath(body, style.list) as readonly Json[]; // the document declares an array
  };
  const sent = { name: 'one', size: 7, tags: ['a', 'b'] };
  const created = await send(mock, `POST ${fill(paths.create)}${suffix}`, inRequest(sent));
  expect(created.status).toBe(201);
  expect(inAnswer(created.body)).toMatchObject(sent);
  const id = readId(inAnswer(created.body), style);
  const key = style.id === 'resource_name' ? String(id).split('/').at(-1) : id;
  const one = fill(paths.item.replace(`{${style.parameter}}`, encodeURIComponent(String(key))));
  const at = `${one}${suffix}`;
  const shown = await send(mock, `GET ${at}`);
  expect(readId(inAnswer(shown.body), style)).toBe(id);
  expect(inAnswer(shown.body)).toMatchObject(sent);
  expect((await list()).find((each) => readId(each, style) === id)).toMatchObject(sent);
  const changed = { ...sent, name: 'two', size: 8 };
  expect((await send(mock, `${style.update.toUpperCase()} ${at}`, inRequest(changed))).status).toBe(200);
  expect(inAnswer((await send(mock, `GET ${at}`)).body)).toMatchObject(changed);
  expect(inAnswer((await send(mock, `POST ${one}:archive`)).body)).toMatchObject({ ...changed, archived: true });
  const toQuery = PAGE_QUERIES[style.page];
  if (toQuery !== undefined) {
    const before = await list(toQuery(0, 100));
    const pages = await Promise.all(before.map(async (_, i) => list(toQuery(i, 1))));
    expect(pages.flat().map((each) => readId(each, style))).toEqual(before.map((each) => readId(each, style)));
    expect(await list(toQuery(before.length, 1))).toEqual([]);
  }
  // A list that is an array has no place for a cursor.
  if ((style.page === 'cursor' || style.page === 'number') && style.list.length > 0) {
    const before = await list('?limit=100');
    expect(await walk(mock, `${root}${suffix}`, style)).toEqual(before.map((each) => readId(each, style)));
  }
  expect((await send(mock, `DELETE ${at}`)).status).toBe(204);
  expect((await send(mock, `GET ${at}`)).status).toBe(404);
  expect((await list()).some((each) => readId(each, style) === id)).toBe(false);
  await mock.close();
}

/** The ids of the items on all pages of one item. */
async function walk(mock: Mock, path: string, style: Style): Promise<readonly unknown[]> {
  const ids: unknown[] = [];
  let query = '?limit=1';
  for (let page = 0; page < 20; page++) {
    const { body, status } = await send(mock, `GET ${path}${query}`);
    expect(status).toBe(200);
    const items = readPath(body, style.list) as readonly Json[]; // the document declares an array
    ids.push(...items.map((each) => readId(each, style)));
    const next = isObject(body) ? body['next_cursor'] : undefined;
    if (typeof next !== 'string' && typeof next !== 'number') break;
    query = `?limit=1&cursor=${encodeURIComponent(String(next))}`;
  }
  return ids;
}

it('an item of any drawn document is created, read, listed, updated and removed', async () => {
  await fc.assert(fc.asyncProperty(styles, fc.constantFrom('create', 'not-found'), live), {
    numRuns: 500,
    seed: 20261122,
  });
}, 120_000);
