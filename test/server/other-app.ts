import { Hono } from 'hono';
import { cors } from 'hono/cors';
import { logger } from 'hono/logger';
import { secureHeaders } from 'hono/secure-headers';

/** Another application with the middleware that applications have, and the lines that its logger wrote. */
export function createOther(): { readonly app: Hono; readonly lines: readonly string[] } {
  const lines: string[] = [];
  const app = new Hono();
  app.use(logger((line) => void lines.push(line)));
  app.use(secureHeaders());
  app.use(cors({ origin: 'https://app.example', credentials: true }));
  return { app, lines };
}
