import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { describe, expect, it } from 'vitest';

/** Path under `src/` -> text. */
type Files = Readonly<Record<string, string>>;

/** The floors of ARCHITECTURE.md. The longest matching prefix decides. A folder may import from itself and from lower floors. */
const FLOORS: Readonly<Record<string, number>> = {
  'errors.ts': -2,
  'clock.ts': -1,
  'random.ts': -1,
  'contract/': 0,
  'schema/': 1,
  'http/': 2,
  'generate/': 2,
  'state/': 3,
  'scenario/': 3,
  'recording/': 3,
  'journal/': 3,
  'session/': 4,
  'answer/': 5,
  'server/': 6,
  'options.ts': 6.5,
  'mock-options.ts': 6.5,
  'mock-sessions.ts': 6.6,
  'mock.ts': 7,
  'index.ts': 8,
  'cli/': 8,
};

const CONTRACT_WORDS = /admin_?api_?key|vector_?store|file_?id/iu;

/** Every import of a file: where it leads and whether it is erased by the compiler. */
function readImports(path: string, text: string): { readonly to: string; readonly typeOnly: boolean }[] {
  const statement =
    /^\s*(?:import|export)\s+(?<type>type\s)?[^'"();]*?from\s*['"](?<from>\.[^'"]+)['"]|import\(\s*['"](?<lazy>\.[^'"]+)['"]/gmu;
  return [...text.matchAll(statement)].map(({ groups }) => ({
    to: join(dirname(path), (groups?.['from'] ?? groups?.['lazy'] ?? '').replace(/\.js$/u, '.ts')),
    typeOnly: groups?.['type'] !== undefined,
  }));
}

function roomOf(path: string): string | undefined {
  return Object.keys(FLOORS).find((room) => (room.endsWith('/') ? path.startsWith(room) : path === room));
}

function findWrongImports(files: Files): string[] {
  return Object.entries(files).flatMap(([path, text]) => {
    const room = roomOf(path);
    if (room === undefined) return [`${path} stands in no room of ARCHITECTURE.md`];
    return readImports(path, text).flatMap(({ to }) => {
      const target = roomOf(to);
      if (target === room || (target !== undefined && (FLOORS[target] ?? 9) < (FLOORS[room] ?? 0))) return [];
      return [`${path} imports ${to}`];
    });
  });
}

/** Cycles of imports that exist at run time, each as `a -> b -> a`. */
function findCycles(files: Files): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
    if (done.has(path) || trail.includes(path)) return;
    for (const { to, typeOnly } of readImports(path, files[path] ?? '')) if (!typeOnly) visit(to, [...trail, path]);
    done.add(path);
  };
  for (const path of Object.keys(files)) visit(path, []);
  return cycles;
}

/** Lines that match, as `path:line text`. */
function findLines(files: Files, pattern: RegExp): string[] {
  return Object.entries(files).flatMap(([path, text]) =>
    text.split('\n').flatMap((line, i) => (pattern.test(line) ? [`${path}:${i + 1} ${line.trim()}`] : [])),
  );
}

function findLongFiles(files: Files): string[] {
  const lengths = Object.entries(files).map(([path, text]) => [path, text.trimEnd().split('\n').length] as const);
  return lengths.flatMap(([path, lines]) => (lines > 400 ? [`${path} has ${lines} lines`] : []));
}

function findReexports(files: Files): string[] {
  return Object.keys(files).filter((path) => /^export [^'"=();]*?from\s*['"]/mu.test(files[path] ?? ''));
}

const PRINTS = /\bconsole\.|process\.(?:stdout|stderr)/u;
const MODULE_VARIABLE = /^(?:export )?(?:let|var)\s/u;

/** Module-level constants that some statement of the same file fills or changes. */
function findChangedConstants(given: Files): string[] {
  return Object.entries(given).flatMap(([path, text]) => {
    const names = [...text.matchAll(/^(?:export )?const (\w+)\b/gmu)].map((match) => match[1] ?? '');
    const isChanged = (name: string): boolean =>
      new RegExp(
        `\\b${name}(?:\\.(?:set|add|push|delete|clear|splice|unshift)\\(|(?:\\.\\w+|\\[[^\\]]+\\])+ = )`,
        'u',
      ).test(text);
    return names.filter(isChanged).map((name) => `${path} changes ${name}`);
  });
}

const files: Files = Object.fromEntries(
  readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/u.test(path))
    .map((path) => [path.replaceAll('\\', '/'), readFileSync(join('src', path), 'utf8')]),
);
const below = Object.fromEntries(Object.entries(files).filter(([path]) => !path.startsWith('cli/')));

describe('the house', () => {
  it('has files to look at', () => expect(Object.keys(files).length).toBeGreaterThan(15));
  it('is entered downward: no import goes up or sideways', () => expect(findWrongImports(files)).toEqual([]));
  it('has no cycle of imports that exist at run time', () => expect(findCycles(files)).toEqual([]));
  it('has no file above 400 lines', () => expect(findLongFiles(files)).toEqual([]));
  it('knows no word of the built-in contract', () => expect(findLines(files, CONTRACT_WORDS)).toEqual([]));
  it('prints only from the command line', () => expect(findLines(below, PRINTS)).toEqual([]));
  it('keeps no state in a module', () => {
    expect([...findLines(files, MODULE_VARIABLE), ...findChangedConstants(files)]).toEqual([]);
  });
  it('re-exports only from its front door', () => {
    const { 'index.ts': _, ...inside } = files;
    expect(findReexports(inside)).toEqual([]);
  });
});

describe('docs/errors.md', () => {
  const headings = [...readFileSync('docs/errors.md', 'utf8').matchAll(/^#{2,4} `?([A-Z]+(?:_[A-Z]+)*)`?$/gmu)].map(
    (match) => match[1],
  );

  it('has a heading for every error code', () => {
    const union = /export type ErrorCode =([^;]+);/u.exec(files['errors.ts'] ?? '')?.[1] ?? '';
    const codes = [...union.matchAll(/'([A-Z_]+)'/gu)].map((match) => match[1]);
    expect(codes.length).toBeGreaterThan(5);
    expect(codes.filter((code) => !headings.includes(code))).toEqual([]);
  });

  it('has no heading that the code no longer knows, and none twice', () => {
    const source = Object.values(files).join('\n');
    expect(headings.filter((code) => !source.includes(`'${code}'`))).toEqual([]);
    expect(headings.length).toBe(new Set(headings).size);
  });
});

describe('the check itself', () => {
  it.each([
    ['an upward import', { 'http/a.ts': "import { b } from '../state/b.js';" }, ['http/a.ts imports state/b.ts']],
    [
      'a sideways import, types too',
      { 'state/a.ts': "import type { B } from '../journal/b.js';" },
      ['state/a.ts imports journal/b.ts'],
    ],
    ['a lazy import', { 'http/a.ts': "const b = await import('../mock.js');" }, ['http/a.ts imports mock.ts']],
    [
      'an import over several lines',
      { 'http/a.ts': "import {\n  b,\n} from '../mock.js';" },
      ['http/a.ts imports mock.ts'],
    ],
    ['a re-export', { 'http/a.ts': "export { b } from '../mock.js';" }, ['http/a.ts imports mock.ts']],
    ['a file in no room', { 'utils/a.ts': '' }, ['utils/a.ts stands in no room of ARCHITECTURE.md']],
    ['a downward import', { 'state/a.ts': "import { b } from '../http/b.js';" }, []],
  ])('judges %s', (_, given: Files, want) => expect(findWrongImports(given)).toEqual(want));

  it('finds a cycle, and lets one of types alone', () => {
    const given = { 'a.ts': "import { b } from './b.js';", 'b.ts': "import { a } from './a.js';" };
    expect(findCycles(given)).toEqual(['a.ts -> b.ts -> a.ts']);
    expect(findCycles({ ...given, 'b.ts': "import type { A } from './a.js';" })).toEqual([]);
  });

  it.each([
    ['let count = 0;', MODULE_VARIABLE],
    ['  console.log(1);', PRINTS],
    ["const path = '/vector_stores';", CONTRACT_WORDS],
    ['adminApiKeys', CONTRACT_WORDS],
  ])('sees %s', (line, pattern) => expect(findLines({ 'a.ts': line }, pattern)).toHaveLength(1));

  it.each([
    ['a cache', 'const CACHE = new Map<string, X>();\nfunction f() {\n  CACHE.set(1, 2);\n}', ['a.ts changes CACHE']],
    [
      'a counter in an object',
      'export const STATE = { count: 0 };\nfunction f() {\n  STATE.count = 1;\n}',
      ['a.ts changes STATE'],
    ],
    ['an entry', "const TABLE = {};\nTABLE['a'] = 1;", ['a.ts changes TABLE']],
    ['a constant that is only read', 'const NONE: Fields = {};\nconst x = NONE[key] === 1 ? NONE.size : 0;', []],
    ['a local collection', 'function f() {\n  const seen = new Set();\n  seen.add(1);\n}', []],
  ])('judges %s', (_, text, want) => expect(findChangedConstants({ 'a.ts': text })).toEqual(want));

  it('tells a re-export from an export', () => {
    expect(findReexports({ 'a.ts': "export {\n  b,\n} from './b.js';", 'c.ts': "export const from = 'x';" })).toEqual([
      'a.ts',
    ]);
  });

  it('counts lines', () => {
    expect(findLongFiles({ 'a.ts': 'x\n'.repeat(400) })).toEqual([]);
    expect(findLongFiles({ 'a.ts': 'x\n'.repeat(401) })).toEqual(['a.ts has 401 lines']);
  });
});
