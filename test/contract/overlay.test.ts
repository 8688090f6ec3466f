import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { MockError } from '../../src/base/errors.js';
import { loadContract } from '../../src/contract/load/load.js';
import { applyOverlay } from '../../src/contract/load/overlay.js';
import { listProblems } from './loading.js';
import { createFolder } from '../folders.js';
import { loadCases } from '../load-cases.js';

const PETS = `
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
servers: [{url: 'https://e.x', description: Prod}, {url: 'http://localhost', description: Dev}]
tags: [{name: pets}]
paths:
  /: {get: {responses: {200: {description: ok}}}}
  /pets:
    get:
      summary: Old
      x-traits: {paged: true}
      parameters: [{name: filter, in: query}, {name: dummy, in: query}, {name: last, in: query}]
      responses: {200: {description: ok}, 500: {description: bad}, default: {description: other}}
components: {schemas: {Pet: {properties: {name: {type: string, example: Rex}, age: {type: integer}}}}}
`;

interface Case {
  readonly name: string;
  readonly actions: string;
  readonly path: readonly string[];
  readonly want: unknown;
}

/** The examples of the Overlay Specification 1.0.0 (section "Examples") and of its compliant sets, for one small document. */
const CASES = loadCases<readonly Case[]>('contract/overlay.yaml');

test.each(CASES)('an overlay changes the document: $name', async ({ actions, path, want }) => {
  const document = load(PETS);
  const before = JSON.stringify(document);
  const text = `overlay: 1.0.0\ninfo: {title: O, version: 1.0.0}\nactions: ${actions}`;
  const { document: overlaid, findings } = await applyOverlay(document, { text, file: 'o.yaml' });
  const found = path.reduce<unknown>((node, step) => (node as Readonly<Record<string, unknown>>)[step], overlaid);
  expect(found).toEqual(want);
  expect(findings).toEqual([]);
  expect(JSON.stringify(document)).toBe(before);
});

test('an action that selects nothing is a problem, and the others count', async () => {
  const folder = createFolder({
    'api.yaml': PETS,
    'one.yaml': "overlay: 1.0.0\ninfo: {title: O, version: '1'}\nactions: [{target: $.gone, update: {a: 1}}]",
    'two.yaml': "overlay: 1.0.0\ninfo: {title: O, version: '1'}\nactions: [{target: $.info, update: {title: Two}}]",
  });
  const contract = await loadContract('api.yaml', {
    cwd: folder,
    cacheFolder: false,
    overlays: ['one.yaml', 'two.yaml'],
  });
  expect(contract.title).toBe('Two');
  expect(listProblems(contract).filter((problem) => problem.startsWith('OVERLAY'))).toEqual(['OVERLAY_NO_MATCH ']);
  const plain = await loadContract('api.yaml', { cwd: folder, cacheFolder: false });
  expect(plain.hash).not.toBe(contract.hash);
});

/** [name, text of the overlay, wanted message, wanted line]. */
const BAD: readonly (readonly [string, string, RegExp, number | undefined])[] = [
  ['no YAML', 'overlay: [', /cannot be parsed|neither valid/u, undefined],
  ['no overlay', 'openapi: 3.1.0', /no "overlay"/u, 1],
  ['a version of the future', 'overlay: 2.0.0\nactions: []', /version "2.0.0"/u, 1],
  ['no actions', 'overlay: 1.0.0\ninfo: {}', /"actions" must be an array/u, 1],
  ['an empty list of actions', 'overlay: 1.0.0\nactions: []', /"actions" must be an array/u, 2],
  ['no target', 'overlay: 1.0.0\nactions:\n  - update: {}', /needs a "target"/u, 3],
  ['nothing to do', 'overlay: 1.0.0\nactions:\n  - target: $', /needs "update" or "remove: true"/u, 3],
  [
    'remove that is a text',
    'overlay: 1.0.0\nactions:\n  - target: $\n    remove: "yes"',
    /"remove" must be a boolean, got "yes"/u,
    4,
  ],
  [
    'a target that is not a JSONPath',
    'overlay: 1.0.0\nactions:\n  - target: paths.get\n    remove: true',
    /not a valid JSONPath/u,
    3,
  ],
];

test.each(BAD)('a bad overlay is one clear error: %s', async (_name, text, message, line) => {
  const error: unknown = await applyOverlay({}, { text, file: 'o.yaml' }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(MockError);
  expect(error).toMatchObject({
    code: 'OVERLAY_INVALID',
    message: expect.stringMatching(message) as string,
    at: { file: 'o.yaml' },
  });
  if (line !== undefined) expect(error).toMatchObject({ at: { line } });
});

test('an overlay that is not there is named', async () => {
  const folder = createFolder({ 'api.yaml': PETS });
  const loading = loadContract('api.yaml', { cwd: folder, cacheFolder: false, overlays: ['gone.yaml'] });
  await expect(loading).rejects.toMatchObject({ code: 'OVERLAY_INVALID', at: { file: 'gone.yaml' } });
});
