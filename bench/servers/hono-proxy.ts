// A plain proxy as users of Hono write it, with its own helper. The first argument is the port of the upstream.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { proxy } from 'hono/proxy';

const upstream = `http://127.0.0.1:${process.argv[2]}`;

const app = new Hono().all('*', (c) => {
  const { pathname, search } = new URL(c.req.url);
  return proxy(upstream + pathname + search, c.req);
});

serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log(`http://127.0.0.1:${port}`));
