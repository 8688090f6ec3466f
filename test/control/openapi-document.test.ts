import { load } from 'js-yaml';
import { expect, it } from 'vitest';
import { createMock } from '../../src/index.js';
import { openBuiltIn } from '../describe-both.js';

// Issue 16, part 4.

it('is served as YAML, with the same content as in JSON', async () => {
  await using mock = await openBuiltIn();
  const response = await mock.fetch('/__mock/openapi.yaml');
  expect(response.headers.get('content-type')).toBe('application/yaml');
  const text = await response.text();
  expect(text).toMatch(/^openapi: 3\.1\.\d\n/u);
  expect(load(text)).toEqual(mock.contract.document);
  expect(await (await mock.fetch('/__mock/openapi.json')).json()).toEqual(load(text));
});

it('keeps texts with lines, quotes and spaces, and keys that YAML would read as something else', async () => {
  const shared = { type: 'string' };
  const get = { summary: "it's: #1", responses: { 200: { description: '' } } };
  await using mock = await createMock({
    spec: {
      openapi: '3.1.0',
      info: { title: 'Texts', version: '1.0', description: 'one\ntwo' },
      'x-empty': {},
      'x-list': [],
      'x-null': null,
      'x-keys': { on: 'no', '1.0': '1.0', '': '\t' },
      paths: {
        '/a': { description: 'one\n\n  two\nthree\n', get },
        '/b: c': { description: '  begins with spaces\nends\n\n', get },
      },
      components: { schemas: { A: shared, B: shared, C: { description: `${'long '.repeat(100)}\r\n` } } },
    },
  });
  const text = await (await mock.fetch('/__mock/openapi.yaml')).text();
  expect(load(text)).toEqual(mock.contract.document);
  expect(text).not.toMatch(/[&*]ref/u);
});
