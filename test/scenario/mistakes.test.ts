import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatMistake } from '../../src/base/errors.js';
import { loadScenarios, readScenarios } from '../../src/features/scenario/definition/load.js';
import { loadContext } from './library.js';
import { createFolder } from '../folders.js';

const context = await loadContext();

/** The messages about a folder. */
function readMistakes(folder: string): readonly string[] {
  const { mistakes } = readScenarios(folder, context, folder);
  return mistakes.map(formatMistake);
}

/** Mistakes of authors in one file, and the exact messages: the cases of `mistakes.md`. */
const MISTAKES = [
  ...readFileSync(join(import.meta.dirname, 'mistakes.md'), 'utf8').matchAll(
    /^## (.+)\n\n```yaml\n([^]*?)```\n\n```\n([^]*?)\n```$/gm,
  ),
].map(([, name = '', text = '', want = '']) => [name, text, want] as const);

/** Mistakes that need more than one file, or a file of another format. */
/** Eight levels of nine aliases each. */
const ALIASES = Array.from({ length: 9 }, (_, i) => {
  const items =
    i === 0
      ? '0'
      : Array(9)
          .fill(`*a${i - 1}`)
          .join(', ');
  return `v${i}: &a${i} [${items}]`;
}).join('\n');

const FOLDERS: readonly (readonly [name: string, files: Readonly<Record<string, string>>, want: readonly string[]])[] =
  [
    [
      'a scenario that extends one that does not exist',
      { 'many.yaml': 'description: Many.', 'few.yaml': 'extends: [mani]' },
      ['SCENARIO_INVALID  few.yaml:1:11 (#/extends/0)  scenario "mani" does not exist\n  hint: did you mean "many"?'],
    ],
    [
      'scenarios that extend each other',
      { 'a.yaml': 'extends: b', 'b.yaml': 'extends: [c]', 'c.yaml': 'extends: [a]', 'd.yaml': 'extends: [a]' },
      [
        'SCENARIO_INVALID  a.yaml:1:1 (#/extends)  "a" extends itself: a -> b -> c -> a',
        'SCENARIO_INVALID  b.yaml:1:11 (#/extends/0)  "b" extends itself: b -> c -> a -> b',
        'SCENARIO_INVALID  c.yaml:1:11 (#/extends/0)  "c" extends itself: c -> a -> b -> c',
      ],
    ],
    [
      'two files of one id',
      { 'a.json': '{}', 'a.yaml': 'description: Again.' },
      [
        'SCENARIO_INVALID  a.yaml  scenario "a" is already defined in a.json\n' +
          '  hint: the id is the file name without its extension: rename one of the two',
      ],
    ],
    [
      'a file name that is not a valid id',
      { 'a b.yaml': 'description: Spaced.' },
      [
        'SCENARIO_INVALID  a b.yaml  "a b" is not a valid scenario id\n' +
          '  hint: use up to 128 letters, digits, "_", "-" and ".", and begin with a letter or digit',
      ],
    ],
    [
      'invalid JSON',
      { 'a.json': '{\n  "description": "A",\n}\n' },
      ['SCENARIO_UNREADABLE  a.json:3:1  invalid JSON: expected double-quoted property name, found "}"'],
    ],
    [
      'a mistake in JSON with tabs has its line, too',
      { 'a.json': '{\n\t"operations": {\n\t\t"listBook": []\n\t}\n}\n' },
      [
        'SCENARIO_INVALID  a.json:3:4 (#/operations/listBook)  operation "listBook" is not in the contract\n' +
          '  hint: did you mean "listBooks"?',
      ],
    ],
    [
      'an operation that is like no other',
      { 'a.json': '{"operations": {"pay": []}}' },
      [
        expect.stringMatching(
          /operation "pay" is not in the contract\n {2}hint: its operations are listBooks, \w/,
        ) as string,
      ],
    ],
    [
      'mistakes in several files are reported together',
      { 'a.yaml': 'operation: {}', 'b.yaml': 'operations: [', 'c.yaml': 'description: Fine.' },
      [
        'SCENARIO_UNREADABLE  b.yaml:1:14  invalid YAML: unexpected end of the stream within a flow collection\n' +
          '  hint: a "[" or "{" is not closed',
        'SCENARIO_INVALID  a.yaml:1:1 (#/operation)  unknown key "operation" in a scenario\n  hint: did you mean "operations"?',
      ],
    ],
    [
      'aliases of aliases, which expand to more than the memory',
      { 'a.yaml': ALIASES },
      [
        'SCENARIO_UNREADABLE  a.yaml  with aliases expanded, the file has more than 5000000 nodes\n' +
          '  hint: use fewer aliases of aliases',
      ],
    ],
    [
      'an empty file',
      { 'a.yaml': '\n' },
      ['SCENARIO_UNREADABLE  a.yaml  the file is empty\n  hint: write its content, or remove the file'],
    ],
    [
      'a file with comments alone',
      { 'a.yaml': '# soon\n' },
      ['SCENARIO_UNREADABLE  a.yaml  the file has only comments\n  hint: write its content, or remove the file'],
    ],
  ];

describe('a mistake in a scenario names its position and what to do', () => {
  it.each(MISTAKES)('%s', (_name, text, want) => {
    expect(readMistakes(createFolder({ 'a.yaml': text })).join('\n')).toBe(want);
  });

  it.each(FOLDERS)('%s', (_name, files, want) => {
    expect(readMistakes(createFolder(files))).toEqual(want);
  });
});

describe('a folder of scenarios', () => {
  it('refuses to load with one error that lists every mistake', () => {
    const folder = createFolder({ 'a.yaml': 'operation: {}', 'b.yaml': 'extends: [missing]' });
    expect(() => loadScenarios(folder, context, folder)).toThrow(
      expect.objectContaining({
        code: 'SCENARIO_INVALID',
        reason:
          '2 mistakes in scenarios:\n' +
          '  SCENARIO_INVALID  a.yaml:1:1 (#/operation)  unknown key "operation" in a scenario\n' +
          '    hint: did you mean "operations"?\n' +
          '  SCENARIO_INVALID  b.yaml:1:11 (#/extends/0)  scenario "missing" does not exist\n' +
          '    hint: scenarios: a',
      }),
    );
  });

  it('can contain YAML with anchors and merge keys, .yml files, and JSON with tabs', () => {
    const folder = createFolder({
      'a.yml':
        'operations:\n  listBooks:\n    - &limit { times: 1, respond: { status: 429 } }\n    - { <<: *limit, times: 2 }\n',
      'b.json': '{\n\t"extends": ["a"],\n\t"operations": {\n\t\t"readBook": { "respond": { "status": 404 } }\n\t}\n}\n',
      'notes.md': '# not a scenario',
    });
    expect(readMistakes(folder)).toEqual([]);
    const [a, b] = loadScenarios(folder, context, folder);
    expect(a?.rules.map(({ times, readPosition }) => [times, readPosition()])).toEqual([
      [1, 'a.yml:3'],
      [2, 'a.yml:4'],
    ]);
    expect(b?.rules.map(({ key, readPosition }) => [key, readPosition()])).toEqual([
      ['b/readBook[0]', 'b.json:4'],
      ['b < a/listBooks[0]', 'a.yml:3'],
      ['b < a/listBooks[1]', 'a.yml:4'],
    ]);
  });

  it('that does not exist is an error', () => {
    const folder = join(createFolder(), 'nowhere');
    expect(() => loadScenarios(folder, context)).toThrow(
      expect.objectContaining({
        code: 'SCENARIO_UNREADABLE',
        reason: `the folder ${JSON.stringify(folder)} cannot be read`,
      }),
    );
  });

  it('keeps the valid scenarios if others are invalid', () => {
    const folder = createFolder({
      'a.yaml': 'operation: {}',
      'b.yaml': 'extends: [a]',
      'c.yaml': 'description: Fine.',
    });
    const { scenarios } = readScenarios(folder, context, folder);
    expect(scenarios.map(({ id }) => id)).toEqual(['c']);
  });
});

it('a rule that breaks the contract on purpose is accepted if it says why', async () => {
  const text = `operations:
  readBook:
    - violates: the proxy in front of it answers like this
      respond: { status: 502, body: { oops: true } }
`;
  expect(readMistakes(createFolder({ 'a.yaml': text }))).toEqual([]);
});

it.each([
  'CONNECTION_RESET_BY_PEER',
  'EMPTY_RESPONSE',
  'RANDOM_DATA_THEN_CLOSE',
  'MALFORMED_RESPONSE_CHUNK',
  'limit_data',
])('the names of faults in other tools %s is accepted', (name) => {
  const text = `operations: { listBooks: [{ fault: ${name} }] }`;
  expect(readMistakes(createFolder({ 'a.yaml': text }))).toEqual([]);
});
