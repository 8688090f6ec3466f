// What a team would write by hand without a mock server: Hono, four routes, one field checked, no state, no contract.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { readAnswers } from './answers.js';

const answers = readAnswers();
// Bodies are JSON as vouch answered it; the cast gives `c.json` a type it can serialise.
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
