// Scalar's mock server, as its README shows: Hono on @hono/node-server.
import { readFileSync } from 'node:fs';
import { serve } from '@hono/node-server';
import { createMockServer } from '@scalar/mock-server';

const [, , document, port] = process.argv;

const app = await createMockServer({ document: readFileSync(document, 'utf8') });
serve({ fetch: app.fetch, port: Number(port), hostname: '127.0.0.1' });
