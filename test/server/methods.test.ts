// @module-tag slow
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createMock, type Mock } from '../../src/index.js';

// Issue 16, part 4.

/** Fields that differ from one answer to the next. */
const CHANGING = /^(?:x-request-id|date|etag|last-modified|content-length)$/u;

/** Paths of one operation each; of a large document only some, spread over all of it. */
function listUrls(
  { contract }: Mock,
  limit: number,
): readonly { readonly path: string; readonly methods: readonly string[] }[] {
  const byPath = new Map<string, string[]>();
  for (const { path, method, basePaths } of contract.operations) {
    const url = (basePaths.find((base) => base !== '') ?? '') + path.replaceAll(/\{[^}]+\}/gu, '1');
    byPath.set(url, [...(byPath.get(url) ?? []), method]);
  }
  const all = [...byPath].map(([path, methods]) => ({ path, methods }));
  const step = Math.max(1, Math.floor(all.length / limit));
  return all.filter((_, i) => i % step === 0);
}

describe.each([
  ['the built-in contract', 'spec/openapi.yaml', 1000],
  ['a large document', '../shared/specs/github.json', 60],
] as const)('every path of %s', (_, spec, limit) => {
  it.skipIf(!existsSync(spec))('answers HEAD as GET, and OPTIONS with its methods', async () => {
    await using mock = await createMock({ spec, ...(spec.startsWith('spec') && { fixtures: 'fixtures' }) });
    const headers = { authorization: 'Bearer sk-any' };
    const read = async (method: string, path: string) => {
      const response = await mock.fetch(path, { method, headers });
      const fields = [...response.headers].flatMap(([name, value]) =>
        // A refusal names the method.
        CHANGING.test(name) ? [] : [[name, value.replace(/ does not support (?:GET|HEAD)/u, '')]],
      );
      const { status, headers: received } = response;
      const [allow, length] = [received.get('allow'), received.get('content-length')];
      return { status, fields, allow, length, text: await response.text() };
    };
    const differences: unknown[] = [];
    for (const { path, methods } of listUrls(mock, limit)) {
      const [head, get, options] = [await read('HEAD', path), await read('GET', path), await read('OPTIONS', path)];
      if (head.text !== '' || head.status !== get.status) differences.push([path, head.status, get.status, head.text]);
      if (JSON.stringify(head.fields) !== JSON.stringify(get.fields)) differences.push([path, head.fields, get.fields]);
      if (get.status < 400 && head.length !== null && head.length !== String(Buffer.byteLength(get.text)))
        differences.push([path, head.length, get.text]);
      // A path of the document may have other methods through another one: `/items/{id}` and `/items/search`.
      const all = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
      const allowed = options.allow?.split(', ') ?? [];
      if (options.status !== 204 || all.some((method) => !allowed.includes(method)))
        differences.push([path, options.status, options.allow, ...all]);
      if (get.status === 405 && get.allow !== options.allow) differences.push([path, get.allow, options.allow]);
    }
    expect(differences).toEqual([]);
  });
});
