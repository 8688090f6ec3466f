import { describe, expect, it } from 'vitest';
import { inPath, json, sends, toDocument } from '../operation-parts.js';
import { arrayOf, object, type Part, ref, TEXT, WORLDS } from '../schema-parts.js';
import { openShop } from './shop.js';
const data = (schema: object): Part => object({ data: schema }, 'data');
const shows = (schema: object, status = 200): Part => ({ responses: { [status]: json(data(schema)), 404: GONE } });
const GONE = { description: 'none' };
const DONE = { responses: { 204: { description: 'done' }, 404: GONE } };
const IDENTIFIER = object({ type: TEXT, id: TEXT }, 'type', 'id');
const TO_ONE = object({ data: { oneOf: [IDENTIFIER, { type: 'null' }] } });
const TO_MANY = object({ data: arrayOf(IDENTIFIER) });

/** A resource of JSON:API. */
const resource = (type: string, relationships: Part): Part =>
  object(
    {
      type: { const: type },
      id: TEXT,
      attributes: object({ name: TEXT }, 'name'),
      relationships: object(relationships),
    },
    'type',
    'id',
    'attributes',
  );

const toPaths = (name: string): Part => {
  const one = ref(name);
  const sent = object({ type: { const: name }, attributes: object({ name: TEXT }), relationships: object({}) }, 'type');
  return {
    [`/${name}`]: { get: shows(arrayOf(one)), post: { ...sends(data(sent)), ...shows(one, 201) } },
    [`/${name}/{id}`]: { ...inPath('id'), get: shows(one), delete: DONE },
  };
};

const relation = (path: string, isOne: boolean): Part => {
  const many = data(arrayOf(IDENTIFIER));
  const body = isOne ? TO_ONE : many;
  const changes = isOne ? {} : { post: { ...sends(many), ...DONE }, delete: { ...sends(many), ...DONE } };
  const get = { responses: { 200: json(isOne ? TO_ONE : many), 404: GONE } };
  return { [path]: { ...inPath('id'), get, patch: { ...sends(body), ...DONE }, ...changes } };
};

describe.each(WORLDS)('relationships in a %s world', (_, options) => {
  const spec = toDocument(
    {
      ...toPaths('articles'),
      ...toPaths('tags'),
      ...toPaths('people'),
      ...relation('/articles/{id}/relationships/tags', false),
      ...relation('/articles/{id}/relationships/author', true),
      '/articles/{id}/tags': { ...inPath('id'), get: shows(arrayOf(ref('tags'))) },
      '/articles/{id}/author': { ...inPath('id'), get: shows(ref('people')) },
    },
    {
      articles: resource('articles', { tags: TO_MANY, author: TO_ONE }),
      tags: resource('tags', {}),
      people: resource('people', {}),
    },
  );

  async function start() {
    const { send } = await openShop({ ...options, spec });
    const create = async (type: string, name: string): Promise<Part> => {
      const sent = { data: { type, attributes: { name } } };
      return (await send('POST', `/${type}`, sent)).body['data'] as Part;
    };
    const article = `/articles/${String((await create('articles', 'a'))['id'])}`;
    return { send, create, article };
  }

  const toIdentifier = ({ type, id }: Part): Part => ({ type, id });

  it('to many items are added, replaced and removed, and lead to the items', async () => {
    const { send, create, article } = await start();
    const tags = [await create('tags', 'one'), await create('tags', 'two'), await create('tags', 'three')];
    const [one, two, three] = tags.map(toIdentifier);
    const path = `${article}/relationships/tags`;
    const change = async (method: string, ...sent: unknown[]): Promise<unknown> => {
      expect((await send(method, path, { data: sent })).status).toBe(204);
      return (await send('GET', path)).body['data'];
    };
    expect(await change('PATCH', one)).toEqual([one]);
    expect(await change('POST', two, one)).toEqual([one, two]);
    expect((await send('GET', `${article}/tags`)).body['data']).toEqual(tags.slice(0, 2));
    const { relationships } = (await send('GET', article)).body['data'] as Part;
    expect(relationships).toMatchObject({ tags: { data: [one, two] } });
    expect(await change('DELETE', one)).toEqual([two]);
    expect(await change('PATCH', three)).toEqual([three]);
    expect(await change('PATCH')).toEqual([]);
    expect((await send('GET', `${article}/tags`)).body['data']).toEqual([]);
  });

  it('to one item are set and cleared, and lead to the item', async () => {
    const { send, create, article } = await start();
    const ada = await create('people', 'Ada');
    const path = `${article}/relationships/author`;
    expect((await send('PATCH', path, { data: toIdentifier(ada) })).status).toBe(204);
    expect((await send('GET', path)).body).toEqual({ data: toIdentifier(ada) });
    expect((await send('GET', `${article}/author`)).body).toEqual({ data: ada });
    await send('PATCH', path, { data: null });
    expect((await send('GET', path)).body).toEqual({ data: null });
  });
});
