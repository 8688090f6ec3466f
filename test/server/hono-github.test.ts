// @module-tag slow
import type { Hono } from 'hono';
import { inspectRoutes } from 'hono/dev';
import { existsSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { createMock } from '../../src/index.js';
import { readTemplate } from '../../src/contract/router/path-template.js';
import type { Operation } from '../../src/contract/operations/operation.js';
import { createOther } from './other-app.js';

const GITHUB = '../shared/specs/github.json';

/** A path that matches the template of an operation and no literal one. */
function samplePath({ path }: Operation): string {
  const { segments } = readTemplate(path);
  const texts = segments.map(({ kind, text, literals }) =>
    kind === 'literal' ? text : kind === 'parameter' ? 'q7q' : literals.join('q7q'),
  );
  return `/${texts.join('/')}`;
}

/** The name of the first handler that is not middleware, as the router of an app finds it. */
function createFinder(app: Hono): (method: string, path: string) => string | undefined {
  const shown = inspectRoutes(app);
  const names = new Map(
    app.routes.flatMap(({ handler }, i) => (shown[i]?.isMiddleware === false ? [[handler, shown[i].name]] : [])),
  );
  return (method, path) => {
    const [handlers] = app.router.match(method === 'HEAD' ? 'GET' : method, path);
    return handlers.map(([[handler]]) => names.get(handler)).find((name) => name !== undefined);
  };
}

it.skipIf(!existsSync(GITHUB))(
  `every operation of ${GITHUB} (skipped if the file is absent) reaches itself, in the app itself and in another app with routers of Hono`,
  async () => {
    const mock = await createMock({ spec: GITHUB, control: false });
    onTestFinished(() => mock.close());
    const { app } = createOther();
    app.route('/api', mock.app);
    const { operations } = mock.contract;
    expect(operations.length).toBe(1223);
    const own = createFinder(mock.app);
    const routed = createFinder(app);
    const lost = operations.filter((operation) => {
      const { method, id } = operation;
      const path = samplePath(operation);
      // Hono serves the root of an app at the prefix itself, without a slash at the end.
      const below = path === '/' ? '/api' : `/api${path}`;
      return own(method, path) !== id || routed(method, below) !== id;
    });
    expect(lost.map(({ id }) => id)).toEqual([]);
    // And through the whole of both apps, for some.
    for (const operation of operations.filter(({ method }, i) => method === 'GET' && i % 30 === 0)) {
      await mock.app.request(samplePath(operation));
      expect(mock.journal.last()?.operation).toBe(operation.id);
      await app.request(`/api${samplePath(operation)}`.replace(/\/$/, ''));
      expect(mock.journal.last()?.operation).toBe(operation.id);
    }
    expect(mock.journal.interactions.length).toBeGreaterThan(20);
  },
);
