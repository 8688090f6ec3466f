import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Declaration, findHidden, openDeclarations } from './public-api.js';

if (!existsSync('dist/index.d.ts')) throw new Error('dist/ is missing: run "npm run build" first ("npm test" does)');
const { read, exports } = openDeclarations();

describe('the public types', () => {
  it('are all exported, with the types that they refer to', () => {
    expect(exports.size).toBeGreaterThan(50);
    expect(findHidden(read, exports)).toEqual([]);
  });

  it('do not include the engine of recordings', () => {
    expect([...exports.keys()]).not.toContain('Recordings');
    expect(
      read('journal/journal.d.ts')
        .declarations.get('Journal')
        ?.members.map(({ name }) => name),
    ).not.toContain('add');
  });

  it('of an interface that is not exported are found', () => {
    const source = {
      declarations: new Map([
        ['A', declare('A', 'interface A { b: B; c: (d: D) => void }')],
        ['B', declare('B', 'interface B {}')],
      ]),
      imports: new Map([['D', 'd.d.ts']]),
    };
    const other = { declarations: new Map([['D', declare('D', "type D = 'E';")]]), imports: new Map() };
    const found = findHidden(
      (file) => (file === 'd.d.ts' ? other : source),
      new Map([['A', { file: 'a.d.ts', name: 'A' }]]),
    );
    expect(found).toEqual(['a.d.ts#B', 'd.d.ts#D']);
  });
});

function declare(name: string, text: string): Declaration {
  return { file: 'a.d.ts', name, kind: 'interface', text, comment: '', members: [] };
}

describe('docs/api.md', () => {
  it('describes every exported name and every member, in the words of their doc comments (vitest -u updates it)', async () => {
    const page = renderApi();
    expect(
      [...exports.keys()].filter((name) => !page.includes(`\`${name}\``) && !page.includes(`### ${name}\n`)),
    ).toEqual([]);
    await expect(page).toMatchFileSnapshot('../../docs/api.md');
  });

  it('leaves nothing without a sentence', () => {
    const silent = [...exports].flatMap(([name, { file, name: declared }]) => {
      const declaration = read(file).declarations.get(declared);
      const own = MAIN.includes(name) ? (declaration?.members ?? []) : [];
      return [{ name: '', comment: declaration?.comment ?? '' }, ...own].flatMap((part) =>
        part.comment === '' ? [`${name}.${part.name}`] : [],
      );
    });
    expect(silent).toEqual([]);
  });
});

/** Interfaces whose members are listed one by one. */
const MAIN = [
  'Mock',
  'SessionHandle',
  'CallChecks',
  'Interceptable',
  'MockScenarios',
  'SessionScenarios',
  'MockRecordings',
  'Journal',
  'State',
  'CollectionHandle',
  'VirtualClock',
  'HandlerContext',
  'Interaction',
  'MockError',
];

const INTRODUCTION = `# API

Look up everything that \`import … from 'vouch'\` gives. [Options](options.md) lists the options of \`createMock\`; [errors](errors.md) the codes of \`MockError\`.
Doc comments of the package, which editors show, have examples and more.
`;

function renderApi(): string {
  const all = [...exports].toSorted(
    ([one], [other]) => MAIN.indexOf(other) - MAIN.indexOf(one) || one.localeCompare(other),
  );
  const find = (name: string): Declaration | undefined => {
    const place = exports.get(name);
    return place && read(place.file).declarations.get(place.name);
  };
  const isValue = (name: string): boolean => ['function', 'class', 'const'].includes(find(name)?.kind ?? '');
  const functions = all.flatMap(([name]) =>
    isValue(name) && name !== 'MockError' ? [`### ${name}\n\n${toText(find(name)?.comment)}`] : [],
  );
  const main = MAIN.map((name) => `### ${name}\n\n${toText(find(name)?.comment)}\n\n${renderMembers(find(name))}`);
  const rest = all.flatMap(([name]) => {
    if (isValue(name) || MAIN.includes(name) || isListed(name)) return [];
    return [`| \`${name}\` | ${toSentence(toCell(find(name)?.comment))} |`];
  });
  const types = `| type | meaning |\n| --- | --- |\n${rest.join('\n')}`;
  return [
    INTRODUCTION,
    '## Functions\n',
    functions.join('\n\n'),
    '\n## Objects\n',
    main.join('\n\n'),
    '\n## Types\n',
    types,
    ...LISTED.map(([pattern, title]) => {
      const names = all.filter(([name]) => isListed(name, pattern)).map(([name]) => `\`${name}\``);
      return `\n${title}: ${names.join(', ')}.`;
    }),
    '',
  ].join('\n');
}

/** Types that other pages describe, or that only types of declarations refer to, by their names. */
const LISTED: readonly (readonly [pattern: RegExp, title: string])[] = [
  [/Options$/u, 'Of [options](options.md), and of options of the members above'],
  [/Definitions?$/u, 'Of [scenarios](scenarios.md)'],
  [
    /^(?:Recorded|Coverage)(?!Options)/u,
    'Of [recorded exchanges](recordings.md#cassettes) and of [coverage](coverage.md)',
  ],
  [
    /^(?:DeclaredHeader|DeclaredResponse|Encoding|Example|MediaType|Operation|Parameter|ParameterPlace|ParameterStyle|RequestBody|Schema|SchemaObject|Security\w+)$/u,
    'Of `mock.contract`, as the objects of OpenAPI 3.1',
  ],
  [/Of$|^Typed/u, 'Of [typed mocks](types.md), generic'],
];

function isListed(name: string, pattern?: RegExp): boolean {
  const first = LISTED.find(([each]) => each.test(name))?.[0];
  return first !== undefined && !MAIN.includes(name) && (pattern === undefined || pattern === first);
}

function renderMembers(declaration: Declaration | undefined): string {
  const rows = (declaration?.members ?? [])
    .filter(({ comment }) => comment !== '')
    .map(({ name, isMethod, comment }) => `| \`${name}${isMethod ? '()' : ''}\` | ${toCell(comment)} |`);
  return `| member | meaning |\n| --- | --- |\n${rows.join('\n')}`;
}

/** A doc comment as Markdown: the sentences, and what it throws. */
function toText(comment = ''): string {
  return (comment.split('@example')[0] ?? '')
    .trimEnd()
    .replaceAll(/@throws (?<text>(?:(?!\n\n|@)[\s\S])*)/gu, (_, text: string) => toThrown(text))
    .replaceAll(/@returns (?<text>.*)/gu, 'Returns $<text>')
    .replaceAll(/@param (?<name>\w+) - (?<text>.*)/gu, '`$<name>`: $<text>');
}

/** What is thrown: the codes; their conditions are in the doc comment and in docs/errors.md. */
function toThrown(text: string): string {
  const codes = [...text.matchAll(/`[A-Z]+(?:_[A-Z]+)+`/gu)].map(([code]) => code);
  return `Throws ${codes.length === 0 ? text.trimEnd() : `${[...new Set(codes)].join(', ')}.`}${text.endsWith('\n') ? '\n' : ''}`;
}

function toCell(comment = ''): string {
  return toText(comment).replaceAll(/\s+/gu, ' ').replaceAll('|', '\\|').trim();
}

/** The first sentence; the doc comment has the rest. */
function toSentence(cell: string): string {
  return /^.*?\.(?= [A-Z`-]|$)/u.exec(cell)?.[0] ?? cell;
}

describe('the examples in doc comments', () => {
  const folder = 'test/.api';
  const examples = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) =>
      [...readFileSync(join('src', path), 'utf8').matchAll(/@example\n\s*\* ```ts\n(?<code>[\s\S]*?)\s*\* ```/gu)].map(
        ({ groups }, i) => [`${path} ${i + 1}`, (groups?.['code'] ?? '').replaceAll(/^\s*\* ?/gmu, '')] as const,
      ),
    );

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('are there for the main functions and members', () => expect(examples.length).toBeGreaterThanOrEqual(8));

  it.each(examples)('%s runs', async (name, code) => {
    mkdirSync(folder, { recursive: true });
    const path = join(folder, `${name.replaceAll(/\W+/gu, '-')}.ts`);
    writeFileSync(path, code);
    await import(/* @vite-ignore */ join(process.cwd(), path));
  });
});
