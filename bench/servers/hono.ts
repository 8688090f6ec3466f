// A hand-written mock without vouch: Hono, four routes, one validated field, no state, no contract.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { readAnswers } from './answers.js';

const answers = readAnswers();
// The bodies are JSON of vouch's responses; the cast gives `c.json` a serialisable type.
const toJson = (value: unknown): object => value as object;

const app = new Hono()
  .get('/v1/organization/admin_api_keys', (c) => c.json(toJson(answers.list)))
  .post('/v1/organization/admin_api_keys', async (c) => {
    const { name } = await c.req.json<{ readonly name: unknown }>();
    if (typeof name !== 'string') return c.json(toJson(answers['invalid create']), 400);
    return c.json(toJson(answers.create));
  })
  .get('/v1/files/:file/content', (c) => c.json(toJson(answers.content)))
  .delete('/v1/vector_stores/:store/files/:file', (c) => c.json(toJson(answers.delete)));

serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log(`http://127.0.0.1:${port}`));
