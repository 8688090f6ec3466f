import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { afterAll, describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../src/base/errors.js';

/** Path below `src/` -> text. */
type Files = Readonly<Record<string, string>>;

/** The floors of ARCHITECTURE.md. A folder may import from itself and from lower floors. */
const FLOORS: Readonly<Record<string, number>> = {
  'base/': 0,
  'conventions/': 1,
  'contract/': 2,
  'schema/': 3,
  'http/': 4,
  'generate/': 4,
  // What answers from the resources uses the chain; the rest of the room does not.
  'resources/answer/': 8,
  'check/index.ts': 14,
  'check/': 5,
  'resources/': 5,
  'journal/': 5,
  'session/': 6,
  'answer/': 7,
  'server/': 9,
  'features/recording/': 10,
  'features/scenario/': 10,
  'features/coverage/': 10,
  'features/metrics/': 10,
  'features/redis/': 10,
  'features/intercept/': 10,
  'features/inspector/': 10,
  'tools/derive/': 11,
  'tools/diff/': 11,
  'tools/import/': 11,
  'tools/pact/': 11,
  'tools/types/': 11,
  'tools/verify/': 11,
  'mock/': 12,
  'runners/': 13,
  'index.ts': 14,
  'cli/': 14,
};

const CONTRACT_WORDS = /admin_?api_?key|vector_?store|file_?id/iu;

const MAXIMUM_LINES = 600;
const MAXIMUM_ENTRIES = 16;

/** The files that a file imports: statically, lazily or for their types only. */
function readImports(path: string, text: string): string[] {
  const statement =
    /^\s*(?:import|export)\s+(?:[^'"();]*?from\s*)?['"](?<from>\.[^'"]+)['"]|import\(\s*['"](?<lazy>\.[^'"]+)['"]/gmu;
  return [...text.matchAll(statement)].map(({ groups }) =>
    join(dirname(path), (groups?.['from'] ?? groups?.['lazy'] ?? '').replace(/\.js$/u, '.ts')),
  );
}

function roomOf(path: string): string | undefined {
  return Object.keys(FLOORS).find((room) => (room.endsWith('/') ? path.startsWith(room) : path === room));
}

function findWrongImports(files: Files): string[] {
  return Object.entries(files).flatMap(([path, text]) => {
    const room = roomOf(path);
    if (room === undefined) return [`${path} is in none of the folders of ARCHITECTURE.md`];
    return readImports(path, text).flatMap((to) => {
      const target = roomOf(to);
      if (target === room || (target !== undefined && (FLOORS[target] ?? 9) < (FLOORS[room] ?? 0))) return [];
      return [`${path} imports ${to}`];
    });
  });
}

/** Cycles of imports, those of types included, each as `a -> b -> a`. */
function findCycles(files: Files): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
    if (done.has(path) || trail.includes(path)) return;
    for (const to of readImports(path, files[path] ?? '')) visit(to, [...trail, path]);
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

function countLines(text: string): number {
  return text.trimEnd().split('\n').length;
}

function findLongFiles(files: Files): string[] {
  const lengths = Object.entries(files).map(([path, text]) => [path, countLines(text)] as const);
  return lengths.flatMap(([path, lines]) => (lines > MAXIMUM_LINES ? [`${path} has ${lines} lines`] : []));
}

/** Folders with too many entries; the root is exempt, since its entries are the floors. */
function findLargeFolders(files: Files): string[] {
  const entries = new Map<string, Set<string>>();
  const add = (path: string): void => {
    const folder = dirname(path);
    if (folder === '.') return;
    entries.set(folder, (entries.get(folder) ?? new Set()).add(path));
    add(folder);
  };
  Object.keys(files).forEach(add);
  return [...entries].flatMap(([folder, { size }]) =>
    size > MAXIMUM_ENTRIES ? [`${folder}/ has ${size} entries`] : [],
  );
}

/** The size of the source in one line. */
function describeSize(files: Files): string {
  const sizes = Object.entries(files)
    .map(([path, text]) => ({ path, lines: countLines(text) }))
    .sort((a, b) => a.lines - b.lines);
  const total = sizes.reduce((sum, { lines }) => sum + lines, 0);
  const median = sizes[Math.floor(sizes.length / 2)]?.lines ?? 0;
  const largest = sizes.at(-1);
  return `src/: ${sizes.length} files, ${total} lines, median ${median}, largest ${largest?.path} with ${largest?.lines}`;
}

function findReexports(files: Files): string[] {
  return Object.keys(files).filter((path) => /^export [^'"=();]*?from\s*['"]/mu.test(files[path] ?? ''));
}

const PRINTS = /\bconsole\.|process\.(?:stdout|stderr)/u;
/** Test runners replace these classes, or run tests in a context with others: `base/platform.ts` tells what a value is. */
const REPLACED_CLASS =
  /instanceof (?:Uint8Array|ArrayBuffer|Promise|Error|URL|URLSearchParams|Request|Response|Headers|Blob|File|FormData|ReadableStream|AbortSignal)\b/u;
const MODULE_VARIABLE = /^(?:export )?(?:let|var)\s/u;
const MODULE_CACHE = /^(?:export )?const .*=\s*(?:memoize\(|new Weak(?:Map|Set)\b)/u;

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

describe('src/', () => {
  afterAll(() => console.log(describeSize(files)));

  it('has files to check', () => expect(Object.keys(files).length).toBeGreaterThan(15));
  it('has no import that goes up or sideways', () => expect(findWrongImports(files)).toEqual([]));
  it('has no cycle of imports, types included', () => expect(findCycles(files)).toEqual([]));
  it('has no file above 600 lines', () => expect(findLongFiles(files)).toEqual([]));
  it('has no folder of more than 16 entries', () => expect(findLargeFolders(files)).toEqual([]));
  it('has no word of the built-in contract', () => expect(findLines(files, CONTRACT_WORDS)).toEqual([]));
  it('prints only from the command line', () => expect(findLines(below, PRINTS)).toEqual([]));
  it('asks no class that a test runner replaces', () => {
    const { 'base/platform.ts': _, ...others } = files;
    expect(findLines(others, REPLACED_CLASS)).toEqual([]);
  });
  it('keeps no state in a module', () => {
    expect([...findLines(files, MODULE_VARIABLE), ...findChangedConstants(files)]).toEqual([]);
  });
  it('keeps no cache in a module', () => expect(findLines(files, MODULE_CACHE)).toEqual([]));
  it('re-exports only from its entry points', () => {
    const { 'index.ts': _index, 'check/index.ts': _check, ...inside } = files;
    expect(findReexports(inside)).toEqual([]);
  });
});

describe('docs/errors.md', () => {
  const headings = [...readFileSync('docs/errors.md', 'utf8').matchAll(/^#{2,4} `?([A-Z]+(?:_[A-Z]+)*)`?$/gmu)].map(
    (match) => match[1],
  );

  const codes = Object.keys(ERROR_CODES);

  it('has a heading for every error code', () => {
    expect(codes.length).toBeGreaterThan(5);
    expect(codes.filter((code) => !headings.includes(code))).toEqual([]);
  });

  it('has each heading once, and only for codes that exist', () => {
    const source = Object.values(files).join('\n');
    const isKnown = (code = ''): boolean => codes.includes(code) || source.includes(`'${code}'`);
    expect(headings.filter((code) => !isKnown(code))).toEqual([]);
    expect(headings.length).toBe(new Set(headings).size);
  });
});

describe('the architecture check', () => {
  it.each([
    [
      'an upward import',
      { 'http/a.ts': "import { b } from '../resources/b.js';" },
      ['http/a.ts imports resources/b.ts'],
    ],
    [
      'a sideways import, types too',
      { 'resources/item/a.ts': "import type { B } from '../../journal/b.js';" },
      ['resources/item/a.ts imports journal/b.ts'],
    ],
    [
      'a lazy import',
      { 'http/a.ts': "const b = await import('../mock/mock.js');" },
      ['http/a.ts imports mock/mock.ts'],
    ],
    [
      'an import over several lines',
      { 'http/a.ts': "import {\n  b,\n} from '../mock/mock.js';" },
      ['http/a.ts imports mock/mock.ts'],
    ],
    ['an import for its effect', { 'http/a.ts': "import '../mock/mock.js';" }, ['http/a.ts imports mock/mock.ts']],
    ['a re-export', { 'http/a.ts': "export { b } from '../mock/mock.js';" }, ['http/a.ts imports mock/mock.ts']],
    ['a file outside the folders', { 'utils/a.ts': '' }, ['utils/a.ts is in none of the folders of ARCHITECTURE.md']],
    ['a downward import', { 'resources/a.ts': "import { b } from '../http/b.js';" }, []],
  ])('judges %s', (_, given: Files, want) => expect(findWrongImports(given)).toEqual(want));

  it('finds a cycle, also one of types', () => {
    const given = { 'a.ts': "import { b } from './b.js';", 'b.ts': "import { a } from './a.js';" };
    expect(findCycles(given)).toEqual(['a.ts -> b.ts -> a.ts']);
    expect(findCycles({ ...given, 'b.ts': "import type { A } from './a.js';" })).toEqual(['a.ts -> b.ts -> a.ts']);
    expect(findCycles({ ...given, 'b.ts': "import type { C } from './c.js';" })).toEqual([]);
  });
});
