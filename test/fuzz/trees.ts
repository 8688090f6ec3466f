import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Random } from '../../src/base/random.js';
import { type Bytes, toText } from './cases.js';

/** What stands at a path: the bytes of a file, the target of a symbolic link, or something that is no file. */
export type Entry = Bytes | { readonly link: string } | { readonly is: 'folder' | 'pipe' };

/** The entries of a folder by path. */
export type Tree = Readonly<Record<string, Entry>>;

/** The content of files beside the folder, which no answer and no message may show. */
export const OUTSIDE = 'outside-9f2c61';

const NOTE = '{ application/json: { schema: { $ref: parts/note.yaml } } }';
const ID = 'parameters: [{ name: id, in: path, required: true, schema: { type: string } }]';

/** A folder in which everything is right. */
const SOUND: Readonly<Record<string, string>> = {
  'openapi.yaml': `openapi: 3.1.0
info: { title: Notes, version: '1' }
paths:
  /notes:
    get: { responses: { 200: { description: OK, content: { application/json: { schema: { type: array, items: { $ref: 'parts/note.yaml' } } } } } } }
    post: { requestBody: { content: ${NOTE} }, responses: { 201: { description: Created, content: ${NOTE} } } }
  /notes/{id}:
    ${ID}
    get: { responses: { 200: { description: OK, content: ${NOTE} } } }
    delete: { responses: { 204: { description: Deleted } } }
  /notes/{id}/content:
    ${ID}
    get: { responses: { 200: { description: OK, content: { application/octet-stream: { schema: { type: string, format: binary } } } } } }
`,
  'parts/note.yaml':
    'type: object\nrequired: [id, text]\nproperties: { id: { type: string }, text: { type: string }, next: { $ref: note.yaml } }\n',
  'overlay.yaml':
    "overlay: 1.0.0\ninfo: { title: Changes, version: '1' }\nactions: [{ target: $.info, update: { x-a: 1 } }]\n",
  'fixtures/notes.yaml':
    'defaults: &all { text: Default }\nitems:\n  - { <<: *all, id: one, $content: { path: ./files/one.bin } }\n  - { id: two, $content: Two }\n',
  'fixtures/files/one.bin': '\0\xff\x80binary',
  'scenarios/slow.yaml':
    'description: Slow.\noperations:\n  GET /notes/{id}:\n    - respond: { status: 404 }\n      violates: none is declared\n',
  'recordings/k/cassette.json': '{ "version": 1, "upstream": "http://127.0.0.1:1" }',
  'recordings/k/0001-read.200.json': JSON.stringify({
    request: { method: 'GET', path: '/notes/one/content', pathParams: { id: 'one' }, query: {}, headers: {} },
    response: { status: 200, headers: { 'content-type': 'application/octet-stream' }, bodyFile: 'bodies/0001.bin' },
  }),
  'recordings/k/bodies/0001.bin': '\x01\x02\x03',
  'state.json': '{}',
};

/** The options of a mock of the folder. */
export const TREE_OPTIONS: Readonly<Record<string, unknown>> = {
  spec: 'openapi.yaml',
  overlays: ['overlay.yaml'],
  fixtures: 'fixtures',
  scenarios: 'scenarios',
  recordings: { folder: 'recordings', cassette: 'k', mode: 'replay', owners: { '*': 'mock' } },
  state: { file: 'state.json' },
  document: { cacheFolder: false },
};

/** The paths that the document of the folder declares, with items that exist. */
export const TREE_OPERATIONS: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/notes'],
  ['POST', '/notes'],
  ['GET', '/notes/one'],
  ['GET', '/notes/one/content'],
  ['GET', '/notes/two/content'],
  ['DELETE', '/notes/two'],
  ['GET', '/__mock/scenarios'],
  ['GET', '/__mock/state'],
  ['POST', '/__mock/reload'],
];

/** Targets of links: beside the folder, in it, around in circles, nothing, and devices. */
const TARGETS: readonly string[] = [
  '../outside/secret.txt',
  '../../outside/secret.txt',
  '../outside',
  '../../outside',
  '.',
  '..',
  '/',
  'loop',
  'missing',
  '/dev/zero',
  '/dev/stdin',
  '/proc/self/environ',
];

/** Contents that no file should have. */
const CONTENTS: readonly string[] = [
  '',
  '\0',
  '\xff\xfe{\0}\0',
  '\xef\xbb\xbfitems: []',
  '\xed\xa0\x80',
  '---\n---\n---\n',
  'null',
  '[]',
  '{}',
  '7',
  '- &a [*a]',
  'a: &a { b: *a }',
  '<<: 7',
  '? { a: 1 }\n: 2',
  '\titems: []',
  'items: [',
  'a: 1\na: 2',
  '__proto__: { polluted: true }',
  '!!js/function "() => 1"',
  '!!binary AAAA',
  'items: !!set { a, b }',
  '$ref: ../outside/secret.txt',
  'items: [{ id: one, $content: { path: ../../outside/secret.txt } }]',
  'items: [{ id: one, $content: { path: ../openapi.yaml } }]',
  '['.repeat(20_000),
  'a: {'.repeat(5000),
  `x: "${'y'.repeat(3_000_000)}"`,
  `a0: &a0 [1,1,1,1,1,1,1,1,1]\n${Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]\n`).join('')}`,
  `items:\n${'  - { id: x }\n'.repeat(20_000)}`,
];

/** A folder with between one and four changes. */
export function drawTree(random: Random): Tree {
  const paths = Object.keys(SOUND);
  const folders = [...new Set(paths.map(dirname))].filter((path) => path !== '.');
  const tree: Record<string, Entry | undefined> = { ...SOUND };
  for (let changes = random.integer(1, 4); changes > 0; changes--) {
    const path = random.pick(random.next() < 0.8 ? paths : folders);
    // What stands below a link or a file would not be there.
    for (const below of paths) if (below.startsWith(`${path}/`)) tree[below] = undefined;
    tree[path] = drawEntry(random, { path, paths });
  }
  const isBelowFile = (path: string): boolean =>
    folders.some((folder) => path.startsWith(`${folder}/`) && tree[folder] !== undefined);
  const left = Object.entries(tree).filter((pair): pair is [string, Entry] => pair[1] !== undefined);
  return Object.fromEntries(left.filter(([path]) => !isBelowFile(path)));
}

function drawEntry(
  random: Random,
  { path, paths }: { readonly path: string; readonly paths: readonly string[] },
): Entry | undefined {
  const whole = SOUND[path] ?? '';
  const draws: readonly (() => Entry | undefined)[] = [
    () => undefined,
    () => ({ is: random.next() < 0.9 ? 'folder' : 'pipe' }),
    () => ({ link: random.pick(TARGETS) }),
    () => ({ link: '../'.repeat(path.split('/').length - 1) + random.pick(paths) }),
    () => random.pick(CONTENTS),
    () => SOUND[random.pick(paths)],
    () => whole.slice(0, random.integer(0, whole.length)),
    () => {
      const at = random.integer(0, whole.length);
      return whole.slice(0, at) + String.fromCharCode(random.integer(0, 255)) + whole.slice(at + random.integer(0, 3));
    },
  ];
  return random.pick(draws)();
}

/** Writes a folder, with a folder beside it that no entry names. @returns its path, and how to remove both. */
export function writeTree(tree: Tree): { readonly folder: string; readonly remove: () => void } {
  const root = mkdtempSync(join(tmpdir(), 'vouch-tree-'));
  const folder = join(root, 'tree');
  const all: Tree = { ...tree, '../outside/secret.txt': OUTSIDE };
  mkdirSync(folder);
  for (const [path, entry] of Object.entries(all)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    if (typeof entry === 'object' && 'link' in entry) symlinkSync(entry.link, file);
    else if (typeof entry === 'object' && 'is' in entry) {
      if (entry.is === 'pipe') execFileSync('mkfifo', [file]);
      else mkdirSync(file, { recursive: true });
    } else writeFileSync(file, Buffer.from(toText(entry), 'latin1'));
  }
  return { folder, remove: () => rmSync(root, { recursive: true, force: true }) };
}
