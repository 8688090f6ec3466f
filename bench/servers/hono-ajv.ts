// What a careful engineer writes by hand: Hono, four routes, ajv for the body, the query and the answer; no state, no contract.
import { serve } from '@hono/node-server';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Hono } from 'hono';
import { readAnswers } from './answers.js';

const answers = readAnswers();
const ajv = new Ajv2020({ strict: false });
const checkBody = ajv.compile({ type: 'object', required: ['name'], properties: { name: { type: 'string' } } });
const checkLimit = ajv.compile({ type: 'integer', minimum: 1, maximum: 100 });
const key = {
  type: 'object',
  required: ['object', 'id', 'redacted_value', 'created_at', 'owner'],
  properties: { id: { type: 'string' }, name: { type: ['string', 'null'] }, created_at: { type: 'integer' } },
};
const checkKey = ajv.compile(key);
const checkList = ajv.compile({
  type: 'object',
  required: ['data'],
  properties: { data: { type: 'array', items: key } },
});

// The bodies are JSON of vouch's responses; the casts give `c.json` a serialisable type.
const app = new Hono()
  .get('/v1/organization/admin_api_keys', (c) => {
    if (!checkLimit(Number(c.req.query('limit') ?? 20))) return c.json(answers['invalid create'] as object, 400);
    return checkList(answers.list) ? c.json(answers.list as object) : c.json({}, 500);
  })
  .post('/v1/organization/admin_api_keys', async (c) => {
    if (!checkBody(await c.req.json())) return c.json(answers['invalid create'] as object, 400);
    return checkKey(answers.create) ? c.json(answers.create as object) : c.json({}, 500);
  })
  .get('/v1/files/:file/content', (c) => c.json(answers.content as object))
  .delete('/v1/vector_stores/:store/files/:file', (c) => c.json(answers.delete as object));

serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log(`http://127.0.0.1:${port}`));
