// Any OpenAPI document can be used, also one that is built in code. How state behaves is inferred from it.
import { createMock } from 'vouch';

const note = { $ref: '#/components/schemas/Note' };
const json = (schema) => ({ description: 'ok', content: { 'application/json': { schema } } });
const spec = {
  openapi: '3.1.0',
  info: { title: 'Notes', version: '1' },
  paths: {
    '/notes': {
      get: { responses: { 200: json({ type: 'array', items: note }) } },
      post: { requestBody: json(note), responses: { 201: json(note) } },
    },
    '/notes/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      get: { responses: { 200: json(note), 404: { description: 'no such note' } } },
      delete: { responses: { 204: { description: 'gone' } } },
    },
  },
  components: {
    schemas: {
      Note: {
        type: 'object',
        required: ['text'],
        properties: { id: { type: 'string', readOnly: true }, text: { type: 'string', minLength: 1 } },
      },
    },
  },
};

const mock = await createMock({ spec });
const send = async (method, path, body) => {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const answer = await mock.fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return { status: answer.status, body: answer.status === 204 ? undefined : await answer.json() };
};

const created = await send('POST', '/notes', { text: 'Buy milk' });
const { id } = created.body;
console.log(created.status, created.body.text);
console.log((await send('GET', `/notes/${id}`)).body.text);
console.log((await send('POST', '/notes', { text: '' })).status);
console.log((await send('DELETE', `/notes/${id}`)).status);
console.log((await send('GET', `/notes/${id}`)).status);

await mock.close();
