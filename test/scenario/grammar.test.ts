import { readFileSync } from 'node:fs';
import { format } from 'oxfmt';
import { expect, it } from 'vitest';
import { FAULT_NAMES, FAULTS, listSettings, PLAIN_FAULTS } from '../../src/features/scenario/definition/faults.js';
import { OBJECTS } from '../../src/features/scenario/definition/grammar.js';
import { type Field, type ObjectKind, toMember } from '../../src/features/scenario/definition/kinds.js';
import { DELAY_KIND } from '../../src/features/scenario/definition/delay.js';

// The files below are written from the grammar: run `npx vitest run test/scenario/grammar.test.ts -u` after a change of it.

const HEADER = `/*
 * The types of a scenario file, written from the table in grammar.ts by test/scenario/grammar.test.ts.
 * Nothing is trusted until it was checked at load.
 */
`;

/** The fields that an object does not share with the one it extends. */
function listOwn(kind: ObjectKind<object>, base?: ObjectKind<object>): readonly (readonly [string, Field<unknown>])[] {
  return Object.entries(kind.fields).filter(([name]) => base === undefined || !(name in base.fields));
}

/** An object whose other members are collections by name. */
const toStateType = (name: string, description: string, collection: string): string => `
/** ${description} */
export interface ${name} {
  /** Variables by name. */
  readonly vars?: Readonly<Record<string, unknown>>;
  readonly [collection: string]: ${collection} | Readonly<Record<string, unknown>> | undefined;
}
`;

function toFaultType(): string {
  const withSettings = FAULT_NAMES.filter((name) => listSettings(name).length > 0).map((name) => {
    const members = listSettings(name).map(([key, field]) => `/** ${field.description} */\n${toMember(key, field)};`);
    return `{ readonly '${name}': {\n${members.join('\n')}\n} }`;
  });
  const names = PLAIN_FAULTS.map((name) => `'${name}'`);
  return `
/** What fails on the connection: a name, or a name with its settings. */
export type FaultDefinition = ${[...names, ...withSettings].join(' | ')};
`;
}

function toTypes(): string {
  const objects = OBJECTS.map(([description, kind, base]) => {
    const members = listOwn(kind, base).map(
      ([name, field]) => `/** ${field.description} */\n${toMember(name, field)};\n`,
    );
    const parent = base === undefined ? '' : ` extends ${base.type}`;
    return `\n/** ${description} */\nexport interface ${kind.type}${parent} {\n${members.join('')}}\n`;
  });
  return [
    HEADER,
    ...objects,
    toStateType('StateChange', 'Changes of collections by name, and new values of variables.', 'CollectionChange'),
    toStateType('StateCondition', 'Conditions on collections by name, and on variables.', 'CollectionCondition'),
    toFaultType(),
    `\n/** A value, or a matcher. */\nexport type ConditionDefinition = MatcherDefinition | string | number | boolean | null | readonly unknown[] | Readonly<Record<string, unknown>>;\n`,
    `\n/** A delay: milliseconds, a duration such as \`"1.5s"\`, or a distribution. */\nexport type DelayDefinition = ${DELAY_KIND};\n`,
  ].join('');
}

/** The tables of the docs, by the name in their markers. */
const TABLES: ReadonlyMap<string, string> = new Map([
  ...OBJECTS.map(([, kind, base]): [string, string] => [
    kind.type,
    toTable(
      ['member', 'meaning'],
      listOwn(kind, base).map(([name, { description, isRequired }]) => [
        `\`${name}\``,
        isRequired === true ? `${description} Required.` : description,
      ]),
    ),
  ]),
  [
    'FaultDefinition',
    toTable(
      ['fault', 'what happens', 'settings', "what Node's `fetch` reports"],
      FAULT_NAMES.map((name) => [
        `\`${name}\``,
        FAULTS[name].description,
        listSettings(name)
          .map(([key, { description, isRequired }]) => `\`${key}\`: ${description}${isRequired ? ' Required.' : ''}`)
          .join('<br>'),
        FAULTS[name].client,
      ]),
    ),
  ],
]);

function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |')).join('\n');
}

/** The page with the current tables between its markers. */
function writeTables(page: string): string {
  return page.replaceAll(
    /(<!-- table (\w+) -->\n)(?:(?!<!--)[\s\S])*(<!-- end -->)/g,
    (_all, start: string, name: string, end: string) => `${start}${TABLES.get(name) ?? `no table ${name}`}\n${end}`,
  );
}

it('the grammar of scenario files gives the TypeScript types', async () => {
  const config = JSON.parse(readFileSync('.oxfmtrc.json', 'utf8')) as { printWidth: number; singleQuote: boolean };
  const { printWidth, singleQuote } = config;
  const { code, errors } = await format('definition.ts', toTypes(), { printWidth, singleQuote });
  expect(errors).toEqual([]);
  await expect(code).toMatchFileSnapshot('../../src/features/scenario/definition/definition.ts');
});

it('the grammar of scenario files gives the tables of docs/scenarios.md', async () => {
  const page = readFileSync('docs/scenarios.md', 'utf8');
  const marked = [...page.matchAll(/<!-- table (\w+) -->/g)].map((match) => match[1]);
  expect(new Set(marked)).toEqual(new Set(TABLES.keys()));
  await expect(writeTables(page)).toMatchFileSnapshot('../../docs/scenarios.md');
});
