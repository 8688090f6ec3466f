import { expect, it } from 'vitest';
import { createMock } from '../../src/index.js';
import { content, inPath, pathParameter, sends, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, INTEGER, object, ref, TEXT } from '../schema-parts.js';
import { openShop } from './shop.js';

const ID = pathParameter('id', INTEGER);

it.each(['*/*', 'application/*', 'application/xml', 'application/vnd.example+json'])(
  'items in bodies of %s are stored and read',
  async (type) => {
    const item = { ...object({ id: INTEGER, name: TEXT }, 'name'), xml: { name: 'item' } };
    const one = { 200: { description: 'one', content: content(item, type) } };
    const mock = await createMock({
      spec: {
        openapi: '3.0.1',
        info: { title: 'Generated', version: '1' },
        paths: {
          '/things': { post: { ...sends(item), responses: one } },
          '/things/{id}': { get: { parameters: [ID], responses: one } },
        },
      },
    });
    const created = await mock.fetch('/things', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"name":"first"}',
    });
    const id = /(?:<id>|"id":)(\d+)/.exec(await created.text())?.[1];
    const read = await mock.fetch(`/things/${id}`);
    expect([created.status, read.status, read.headers.get('x-mock-source')]).toEqual([200, 200, 'state']);
    expect(await read.text()).toContain('first');
  },
);

it('items in JSON that the document calls text are stored and read, by clients that accept JSON too', async () => {
  const item = object({ id: INTEGER, name: TEXT }, 'name');
  const one = { 200: { description: 'one', content: content(item, 'text/plain') } };
  const text = {
    get: { parameters: [ID], responses: { 200: { description: 'log', content: content(TEXT, 'text/plain') } } },
  };
  const spec = toDocument({
    '/things': { post: { ...sends(item), responses: one } },
    '/things/{id}': { get: { parameters: [ID], responses: one } },
    '/things/{id}/log': text,
  });
  const { mock } = await openShop({ spec });
  const headers = { 'content-type': 'application/json' };
  const created = await mock.fetch('/things', { method: 'POST', headers, body: '{"name":"first"}' });
  const { id } = (await created.json()) as { readonly id: number };
  for (const accept of ['*/*', 'application/json']) {
    const read = await mock.fetch(`/things/${id}`, { headers: { accept } });
    expect([read.status, read.headers.get('content-type')]).toEqual([200, 'text/plain']);
    expect(await read.json()).toEqual({ id, name: 'first' });
  }
  const log = await mock.fetch(`/things/${id}/log`, { headers: { accept: 'application/json' } });
  expect(log.status).toBe(406);
});

it('a list shows its items in each media type, as the schema of that type declares them', async () => {
  const linked = object({ _embedded: object({ things: arrayOf(ref('Linked')) }) });
  const plain = object({ things: arrayOf(ref('Plain')) });
  const answer = { ...content(linked, 'application/hal+json'), ...content(plain) };
  const one = { ...content(ref('Linked'), 'application/hal+json'), ...content(ref('Plain')) };
  const spec = toDocument(
    {
      '/things': {
        get: { responses: { 200: { description: 'all', content: answer } } },
        post: takes(object({ name: TEXT }), ref('Linked'), 201),
      },
      '/things/{id}': { ...inPath('id'), get: { responses: { 200: { description: 'one', content: one } } } },
    },
    {
      Linked: object({ id: TEXT, name: TEXT, _links: object({ owner: TEXT }) }, 'id', 'name', '_links'),
      Plain: object({ id: TEXT, name: TEXT, owner: TEXT }, 'id', 'name', 'owner'),
    },
  );
  const { send } = await openShop({ spec });
  const { body } = await send('POST', '/things', { name: 'a' });
  const list = async (accept: string) => (await send('GET', '/things', undefined, { accept })).body;
  expect(await list('application/hal+json')).toEqual({ _embedded: { things: [body] } });
  const shown = await list('application/json');
  expect(shown).toEqual({ things: [{ id: body['id'], name: 'a', owner: expect.any(String) }] });
});

it('an upload below a collection creates an item with the file as its content', async () => {
  const file = { ...TEXT, format: 'binary' };
  const form = object({ attributes: object({ name: TEXT }, 'name'), file }, 'attributes', 'file');
  const spec = toDocument(
    {
      '/files/content': {
        post: {
          requestBody: { content: content(form, 'multipart/form-data') },
          ...shows(object({ entries: arrayOf(ref('File')) }, 'entries'), 201),
        },
      },
      '/files/{id}': { ...inPath('id'), get: shows(ref('File')) },
      '/files/{id}/content': {
        ...inPath('id'),
        get: { responses: { 200: { description: 'bytes', content: content(file, 'application/octet-stream') } } },
      },
    },
    { File: object({ id: TEXT, name: TEXT, size: INTEGER }, 'id') },
  );
  const mock = await createMock({ spec, state: { unknownIds: 'not-found' } });
  const body = new FormData();
  body.append('attributes', JSON.stringify({ name: 'a.txt' }));
  body.append('file', new Blob(['hello']), 'b.txt');
  const sent = await mock.fetch('/files/content', { method: 'POST', body });
  const { entries } = (await sent.json()) as { readonly entries: readonly { readonly id: string }[] };
  const item = { id: expect.any(String) as string, name: 'a.txt', size: 5 };
  expect([sent.status, entries]).toEqual([201, [item]]);
  const read = await mock.fetch(`/files/${entries[0]?.id}`);
  expect(await read.json()).toEqual(item);
  expect(await (await mock.fetch(`/files/${entries[0]?.id}/content`)).text()).toBe('hello');
});
