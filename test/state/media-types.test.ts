import { expect, it } from 'vitest';
import { createMock } from '../../src/index.js';
import { content, object, TEXT } from './document-parts.js';

const ID = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };

it.each(['*/*', 'application/*', 'application/xml', 'application/vnd.example+json'])(
  'items in bodies of %s are stored and read',
  async (type) => {
    const item = { ...object({ id: { type: 'integer' }, name: TEXT }, 'name'), xml: { name: 'item' } };
    const one = { 200: { description: 'one', content: content(item, type) } };
    const mock = await createMock({
      spec: {
        openapi: '3.0.1',
        info: { title: 'Generated', version: '1' },
        paths: {
          '/things': { post: { requestBody: { content: content(item) }, responses: one } },
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
