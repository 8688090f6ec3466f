import { expect, it } from 'vitest';
import { createMock } from '../../src/index.js';
import { pathParameter, query, toDocument } from '../operation-parts.js';
import { arrayOf, object, type Part, TEXT } from '../schema-parts.js';
import { send as sendTo } from '../send.js';

const json = (schema: Part): Part => ({ content: { 'application/vnd.api+json': { schema } } });

const reference = object({ type: TEXT, id: TEXT }, 'type', 'id');

/** A resource of JSON:API with one attribute and with relationships. */
const resource = (type: string, attribute: string, relationships: Part): Part =>
  object(
    {
      type: { type: 'string', enum: [type] },
      id: TEXT,
      attributes: object({ [attribute]: TEXT }, attribute),
      relationships: object(relationships),
    },
    'type',
    'id',
    'attributes',
  );

const one = object({ data: reference });

const RESOURCES = {
  articles: resource('articles', 'title', { author: one, comments: object({ data: arrayOf(reference) }) }),
  comments: resource('comments', 'text', { author: one }),
  people: resource('people', 'name', {}),
};

function toPaths([type, schema]: readonly [string, Part]): readonly (readonly [string, Part])[] {
  const { id: _, ...sent } = schema['properties'] as Part;
  const included = { included: arrayOf({ type: 'object' }) };
  const parameters = [query('include')];
  const id = pathParameter('id');
  const answer = (data: Part): Part => ({ 200: { description: 'ok', ...json(object({ data, ...included }, 'data')) } });
  return [
    [
      `/${type}`,
      {
        get: { operationId: `list_${type}`, parameters, responses: answer(arrayOf(schema)) },
        post: {
          operationId: `create_${type}`,
          requestBody: { required: true, ...json(object({ data: object(sent, 'type', 'attributes') }, 'data')) },
          responses: { 201: { description: 'one', ...json(object({ data: schema }, 'data')) } },
        },
      },
    ],
    [
      `/${type}/{id}`,
      { get: { operationId: `read_${type}`, parameters: [id, ...parameters], responses: answer(schema) } },
    ],
  ];
}

async function start() {
  const spec = toDocument(Object.fromEntries(Object.entries(RESOURCES).flatMap(toPaths)));
  const mock = await createMock({ spec, state: { unknownIds: 'not-found' } });
  const send = async (path: string, data?: unknown): Promise<{ data: Part; included?: unknown }> => {
    const headers: Record<string, string> = data === undefined ? {} : { 'content-type': 'application/vnd.api+json' };
    const reply = await sendTo(mock, path, data && { data }, headers);
    expect(reply.headers.get('x-mock-violations')).toBeNull();
    return reply.body as { data: Part; included?: unknown };
  };
  const refer = ({ type, id }: Part): Part => ({ data: { type, id } });
  const { data: ada } = await send('/people', { type: 'people', attributes: { name: 'Ada' } });
  const { data: bob } = await send('/people', { type: 'people', attributes: { name: 'Bob' } });
  const comment = { type: 'comments', attributes: { text: 'Yes' }, relationships: { author: refer(bob) } };
  const { data: yes } = await send('/comments', comment);
  const { data: article } = await send('/articles', {
    type: 'articles',
    attributes: { title: 'One' },
    relationships: { author: refer(ada), comments: { data: [{ type: 'comments', id: yes['id'] }] } },
  });
  return { send, ada, bob, yes, article };
}

it('"include" adds the items of relationships to the answer', async () => {
  const { send, ada, yes, article } = await start();
  const path = `/articles/${String(article['id'])}`;
  expect(await send(`${path}?include=author`)).toEqual({ data: article, included: [ada] });
  expect(await send(`${path}?include=author,comments`)).toEqual({ data: article, included: [ada, yes] });
  expect(await send(path)).toEqual({ data: article });
});

it('"include" of a list shows each related item once, also along a path', async () => {
  const { send, ada, bob, yes, article } = await start();
  await send('/articles', { type: 'articles', attributes: { title: 'Two' }, relationships: article['relationships'] });
  const { data, included } = await send('/articles?include=author,comments.author');
  expect(data).toHaveLength(2);
  expect(included).toEqual([ada, yes, bob]);
});
