// @module-tag slow
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { createFolder } from '../folders.js';

const COLLECTIONS = 2000;
const OPERATIONS = 3 * COLLECTIONS;

/** A document with collections of things; each one is listed, created and read. */
function writeDocument(path: string): void {
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } };
  const list = { 'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/Thing' } } } };
  const paths = Object.fromEntries(
    Array.from({ length: COLLECTIONS }, (_, i) => [
      [
        `/things${i}`,
        {
          get: { operationId: `list${i}`, responses: { 200: { description: 'ok', content: list } } },
          post: {
            operationId: `create${i}`,
            requestBody: { content },
            responses: { 201: { description: 'ok', content } },
          },
        },
      ],
      [
        `/things${i}/{id}`,
        {
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
          get: { operationId: `read${i}`, responses: { 200: { description: 'ok', content } } },
        },
      ],
    ]).flat(),
  );
  const Thing = { type: 'object', required: ['id'], properties: { id: { type: 'string' }, name: { type: 'string' } } };
  const info = { title: 'Many', version: '1' };
  writeFileSync(path, JSON.stringify({ openapi: '3.1.0', info, paths, components: { schemas: { Thing } } }));
}

/** The bytes that a mock holds for each operation after its first answer, in a process of its own. */
function measure(spec: string, cacheFolder: string | false): number {
  const script = `
    import { createMock } from ${JSON.stringify(pathToFileURL(resolve('dist/index.js')).href)};
    const used = () => (globalThis.gc(), globalThis.gc(), process.memoryUsage().heapUsed);
    const small = await createMock({ spec: 'spec/openapi.yaml' });
    await small.fetch('/v1/organization/admin_api_keys');
    const before = used();
    const mock = await createMock({ spec: ${JSON.stringify(spec)}, document: { cacheFolder: ${JSON.stringify(cacheFolder)} } });
    const { status } = await mock.fetch('/things3');
    console.log(status === 200 ? (used() - before) / ${OPERATIONS} : status);
    await mock.close();
    await small.close();
  `;
  const output = execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  return Number(output);
}

it('each of thousands of operations takes a few kilobytes, and half of them where the cache has the document', () => {
  const folder = createFolder();
  const spec = join(folder, 'many.json');
  writeDocument(spec);
  // The parsed document is 0.9 kB of it. With an own hidden class for each operation it is 6.2 kB.
  expect(measure(spec, false)).toBeLessThan(5200);
  const cache = join(folder, 'cache');
  measure(spec, cache);
  // If all operations were read it would be 4.4 kB.
  expect(measure(spec, cache)).toBeLessThan(3800);
});
