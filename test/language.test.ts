// @module-tag slow
import { Command } from 'commander';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path/posix';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../src/cli/command-table.js';

/**
 * Turns of phrase that must not come back, each with what to write instead (STYLE.md, "Language"). A pattern is matched against text whose
 * identifiers are split into lower-case words (`isMoment` reads `is moment`); a space in a pattern also matches a line break of a comment.
 */
const BANNED: readonly (readonly [pattern: string, instead: string])[] = [
  // Inversions
  ['(?<!there )\\b(is|are|was) no (?!longer\\b|more than\\b|less\\b)', '"is not a …"'],
  ['(?<!\\bthere )\\b(is|are) none\\b', '"is not one", or "there is no …" with the noun'],
  ['\\bnothing but\\b', '"only"'],
  ['\\bnone but\\b', '"only"'],
  ['\\bwhat is asked of\\b', '"the requirements of"'],
  ['\\bthere is one of\\b', '"a singleton"'],
  ['\\bof beginning\\b', '"initial"'],
  ['\\bone that is there\\b', '"an existing one"'],
  ['\\bbut for\\b', '"except"'],
  ['\\banswered so\\b', '"why it got this answer"'],
  ['\\bfrom (then|which|\\S+ [kmg]i?b) on\\b', '"afterwards", "of … and more"'],
  ['\\bor (the like|like (it|them))\\b', '"or similar"'],
  ['(?<!\\bin )\\b(one|all|each|none|some|any)? ?of which\\b', '"whose", "one of them", or two sentences'],
  // JSON types have one name each
  ['\\ba text\\b(?! (file|media|part|node|format|editor|response|body))', '"a string"'],
  ['\\bwhole number', '"integer"'],
  ['\\byes or no\\b', '"boolean"'],
  ['\\bfrom 0 on\\b', '"non-negative"'],
  // Metaphors
  ['\\binto being\\b', '"is created on demand"'],
  ['\\bleads? nowhere\\b', '"cannot be resolved"'],
  [
    '\\bstands? (where|there|here|in(?! for)|at|on|under|below|above|beside|before|behind|between|alone|still|among|as|under)\\b',
    '"is"',
  ],
  ['\\b(made|makes?|making) up\\b(?! of)', '"generated", "invented"'],
  ['\\bstrangers?\\b', '"unknown client", "another person"'],
  ['\\bdoors?\\b', '"entry point"'],
  ['\\bhouse\\b', '"vouch", "the repository"'],
  ['\\bheed(s|ed|ing)?\\b', '"respect", "with"'],
  ['\\bmend(s|ed|ing)?\\b', '"repair"'],
  ['\\b(lay|lays|laid) over\\b', '"merge into"'],
  ['\\b(asleep|woken|awake)\\b', '"waiting", "resumed"'],
  ['\\brun(s|ning)? away\\b', '"take exponential time"'],
  ['\\b(in|to) silence\\b', '"no response", "silently"'],
  ['\\bsights?\\b', '"occurrence"'],
  ['\\bdepartures?\\b', '"violation", "difference"'],
  ['\\b(open|closed) worlds?\\b', '"unknown ids are created" or "… not found"'],
  ['\\binnocent\\b', 'say what it is'],
  ['\\bhonest(ly)?\\b', '"correct"'],
  // Vague or archaic words
  ['\\ba thing\\b', 'name it: "an item", "a value"'],
  ['\\bthings\\b', 'name them: "items", "values"'],
  ['\\bwhoever\\b', '"a client that"'],
  ['\\b(nobody|somebody|anybody|everybody)\\b', 'name who, or use the passive'],
  ['\\banew\\b', '"again"'],
  ['\\bonce more\\b', '"again"'],
  ['\\bfor want of\\b', '"because there is no"'],
  ['\\bin vain\\b', '"without effect"'],
  ['\\b(as|for) ever\\b', '"as before", "forever"'],
  ['\\bby turns\\b', '"alternately"'],
  ['\\ball the same\\b', '"anyway"'],
  ['\\b(lest|whence|thence|hitherto|thereby|whereby)\\b', 'a plain conjunction'],
  ['\\bdoes without\\b', '"disables"'],
  ['\\bbelongs? into\\b', '"belongs in"'],
  ['\\bso to speak\\b', 'leave it out'],
  // Verbs
  ['\\bspeaks? of\\b', '"describes", "mentions"'],
  ['\\bspeaks?\\b', '"uses", "supports"'],
  ['\\bstands? for\\b', '"means", "represents", "replaces"'],
  ['\\bsa(ys?|id) of\\b', '"describes", "states about"'],
  ['\\btells? of\\b', '"reports"'],
  ['\\b(is|are|was|were|be|being) told\\b', '"is reported", "is notified"'],
  ['\\bgo(es)? on\\b', '"continue"'],
  ['\\blikes? best\\b', '"prefers"'],
  ['\\bread again\\b', '"reloaded"'],
  ['\\b(lets?|leaves?|left) (\\w+ ){0,3}alone\\b', '"ignores", "does not change"'],
  ['\\bas (it|they) (came|come|comes|were(?! (sent|written|recorded|received)))\\b', '"unchanged"'],
  ['\\bhand(s|ed)? over\\b', '"pass"'],
  ['\\b(to be|is|be) had\\b', '"available"'],
  ['\\bwish(es|ed)?\\b', '"preference", "requested"'],
  ['(?<!on[- ])\\bdemand(s|ed)?\\b', '"require"'],
  // Invented vocabulary
  ['\\b(atlas|survey|kit|pen|(?<!-)vault(?!-))s?\\b', 'see the table of STYLE.md'],
  ['\\b(is moment|moments)\\b', '"timestamp"'],
  ['\\bspots?\\b', '"position", "location"'],
];

/** Path -> text. */
type Texts = Readonly<Record<string, string>>;

const PATTERNS = BANNED.map(([pattern, instead]) => ({
  pattern: new RegExp(pattern.replaceAll(/(?<!\[[^\]]*) /gu, '\\s+'), 'gu'),
  instead,
}));

/** Text in lower case, without the markers at the start of comment lines, and with identifiers split into words. */
function toWords(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(/^\s*(?:\/\*\*|\/\/|\*\/?|[#>|-])+\s?/u, ' '))
    .join('\n')
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])|_/gu, ' ')
    .toLowerCase();
}

/** Banned phrases as `path:line "phrase": write … instead`. */
function findBanned(texts: Texts): string[] {
  return Object.entries(texts).flatMap(([path, text]) => {
    const words = toWords(text);
    return PATTERNS.flatMap(({ pattern, instead }) =>
      [...words.matchAll(pattern)].map(({ 0: phrase, index }) => {
        const line = words.slice(0, index).split('\n').length;
        return `${path}:${line} "${phrase.replaceAll(/\s+/gu, ' ').trim()}": write ${instead}`;
      }),
    );
  });
}

function readFolder(folder: string, extension: string): Texts {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(extension) && !path.includes('node_modules'))
    .map((path) => join(folder, path.replaceAll('\\', '/')));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(path, 'utf8')]));
}

function readFiles(paths: readonly string[]): Texts {
  return Object.fromEntries(paths.map((path) => [path, readFileSync(path, 'utf8')]));
}

/** The names of tests, each on its own line. */
function readTestNames(text: string): string {
  const call =
    /^.*?\b(?:test|it|describe|describeAll|describeBoth)(?:\.\w+)*(?:\([^'"`]*?\)|`[^`]*`)?\(\s*(?<name>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`)/u;
  return text
    .split('\n')
    .map((line) => call.exec(line)?.groups?.['name'] ?? '')
    .join('\n');
}

/** The `--help` output of each command and subcommand. */
async function readHelp(): Promise<Texts> {
  const help: Record<string, string> = {};
  const add = (command: Command, path: string): void => {
    help[path] = command.helpInformation();
    for (const child of command.commands) add(child, `${path} ${child.name()}`);
  };
  for (const [name, [summary, load]] of Object.entries(COMMANDS)) {
    const command = new Command(name).description(summary);
    (await load()).defineCommand(command, { write: () => undefined, writeError: () => undefined });
    add(command, `vouch ${command.name()} --help`);
  }
  return help;
}

describe('the language of', () => {
  it.each([
    ['src/', readFolder('src', '.ts')],
    ['docs/', readFolder('docs', '.md')],
    ['the other pages', readFiles(['README.md', 'CHANGELOG.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md'])],
    ['bench/', readFolder('bench', '.ts')],
    ['inspector/', { ...readFolder('inspector', '.ts'), ...readFolder('inspector', '.tsx') }],
    [
      'examples/',
      { ...readFolder('examples', '.mjs'), ...readFolder('examples', '.ts'), ...readFolder('examples', '.md') },
    ],
    [
      'spec/, fixtures/ and scenarios/',
      { ...readFolder('spec', '.yaml'), ...readFolder('fixtures', '.yaml'), ...readFolder('scenarios', '.yaml') },
    ],
  ])('%s has no banned phrase', (_, texts) => expect(findBanned(texts)).toEqual([]));

  it('command help has no banned phrase', async () => {
    const help = await readHelp();
    expect(Object.values(help).join('\n')).toContain('--port');
    expect(findBanned(help)).toEqual([]);
  });

  it('test names has no banned phrase and no vague verb', () => {
    const names = Object.fromEntries(
      Object.entries(readFolder('test', '.test.ts')).map(([path, text]) => [path, readTestNames(text)]),
    );
    const vague = Object.entries(names).flatMap(([path, text]) =>
      text.split('\n').flatMap((name, i) => (/\b(?:should|works?)\b/iu.test(name) ? [`${path}:${i + 1} ${name}`] : [])),
    );
    expect([...findBanned(names), ...vague]).toEqual([]);
  });
});

describe('the language check', () => {
  it.each([
    ['a phrase', 'x\n"a" is no URL', ['a.ts:2 "is no": write "is not a …"']],
    [
      'a phrase over two lines of a comment',
      ' * it comes into\n * being',
      ['a.ts:1 "into being": write "is created on demand"'],
    ],
    ['words of an identifier', 'const makeUpId = 1;', ['a.ts:1 "make up": write "generated", "invented"']],
    ['words of a constant', 'const TO_SILENCE = 1;', ['a.ts:1 "to silence": write "no response", "silently"']],
    ['an allowed form', 'there is no URL, and it is no longer made up of parts on demand', []],
    ['a part of a longer word', 'amend, recommend, doorstep, isNotFound', []],
  ])('judges %s', (_, text, want) => expect(findBanned({ 'a.ts': text })).toEqual(want));

  it('reads the names of tests', () => {
    const text = "test('a', () => {});\nit.each([1])('b', f);\ndescribe(\"c\", f);\nexpect('d').toBe(1);";
    expect(readTestNames(text)).toBe("'a'\n'b'\n\"c\"\n");
  });
});
