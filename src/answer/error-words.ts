import { toLetters, capitalize } from '../contract/names.js';
import type { SchemaObject } from '../contract/json.js';
import { readSegments, toPointer } from '../contract/pointer.js';
import { type BodyFacts, listWords } from '../http/response/error-conditions.js';
import { memoize } from '../memoize.js';

/** How many errors of one property are known: handlers and scenarios name codes of their own. */
const MAX_KNOWN = 100;

/** The word for an error in a string: one that the document shows for its condition, else its own in the same style. */
type FindWord = (facts: BodyFacts, example: unknown, word: string) => string;

/** Creates a finder of words that looks for each word of a condition and a status once. */
export function createWordFinder(shown: readonly string[]): FindWord {
  const known = new Map<string, string>();
  return (facts, example, word) => {
    const own = typeof example === 'string' ? example : undefined;
    const key = `${facts.condition} ${facts.status} ${word} ${own ?? ''}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const found = fillWord(facts, own === undefined ? shown : [own, ...shown], word);
    if (known.size < MAX_KNOWN) known.set(key, found);
    return found;
  };
}

function fillWord(facts: BodyFacts, all: readonly string[], word: string): string {
  const isUsual = (letters: string): boolean => facts.status < 500 && /(invalid|bad)request|requesterror/.test(letters);
  const found = findMember(all, [(letters) => letters === toLetters(word), ...toTests(facts), isUsual]);
  if (typeof found === 'string') return found;
  // `status: error` is the same for every error.
  return all.length === 1 && ANY_ERROR.test(toLetters(all[0] ?? '')) ? (all[0] ?? word) : toStyle(word, all[0]);
}

/** Writes the parameter at fault in the notation of the schema or the example: `/a/0`, `#/a/0`, `$.a[0]`, `a[0][b]`, `a.0`. */
export function createParamWriter(
  { format }: SchemaObject,
  shown: readonly string[],
): (facts: BodyFacts, example: unknown) => string | undefined {
  const notationOf = memoize((example: unknown): Notation => {
    const samples = [example, ...shown];
    const isLike = (form: RegExp): boolean => samples.some((sample) => typeof sample === 'string' && form.test(sample));
    // A JSON pointer (RFC 6901) as a string, or as the fragment of a URI.
    if (format === 'json-pointer' || isLike(/^\/\w/)) return 'pointer';
    if (format === 'json-pointer-uri-fragment' || isLike(/^#\//)) return 'fragment';
    if (isLike(/^\$\./)) return 'path';
    if (!isLike(/\w\[\w*\]/)) return 'dots';
    return isLike(/\]\.|\.\w+\[/) ? 'mixed' : 'brackets';
  }, MAX_KNOWN);
  return ({ param, violation }, example) => {
    const notation = notationOf(example);
    if (param === undefined || notation === 'dots') return param;
    const steps = violation === undefined ? param.split('.') : readSegments(violation.pointer);
    if (notation === 'pointer') return toPointer(...steps);
    if (notation === 'fragment') return `#${toPointer(...steps)}`;
    const [first = '', ...rest] = steps;
    const isDotted = notation !== 'brackets';
    const tail = rest.map((step) => (isDotted && !/^\d+$/.test(step) ? `.${step}` : `[${step}]`)).join('');
    return `${notation === 'path' ? '$.' : ''}${first}${tail}`;
  };
}

/** `/a/0`, `#/a/0`, `$.a[0].b`, `a.0.b`, `a[0].b`, `a[0][b]`. */
type Notation = 'pointer' | 'fragment' | 'path' | 'dots' | 'mixed' | 'brackets';

/** Types and codes of any error. */
const ANY_ERROR = /^((api|general|generic|unknown)error|other|unknown|error|fail(ed|ure)?)$/;

/** Creates a function that chooses the member of an enum for an error, once for each kind of error. */
export function createMemberChooser(
  members: readonly unknown[],
): (facts: BodyFacts, fact: string | undefined) => unknown {
  const known = new Map<string, unknown>();
  return (facts, fact) => {
    const { status, code, condition, violation } = facts;
    const key = `${status} ${condition} ${code} ${violation?.code ?? ''} ${fact ?? ''}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const chosen = chooseMember(members, fact, facts);
    if (known.size < MAX_KNOWN) known.set(key, chosen);
    return chosen;
  };
}

/** The member of an enum that names an error: its code in any case, its status, or another word for the condition or the status. */
function chooseMember(members: readonly unknown[], fact: string | undefined, facts: BodyFacts): unknown {
  if (fact !== undefined && members.includes(fact)) return fact;
  const { status, code, violation } = facts;
  const number = members.find((member) => member === status || member === String(status));
  if (number !== undefined) return number;
  const isExact = [code, violation?.code ?? code].map((own) => (letters: string) => letters === toLetters(own));
  // Services report most errors of clients as invalid requests.
  const usual = status < 500 ? toTests({ ...facts, condition: 'invalid-request' }) : [];
  return findMember(members, [...isExact, ...toTests(facts), ...usual, (letters) => ANY_ERROR.test(letters)]);
}

export function toTests({ condition, status }: BodyFacts): readonly ((letters: string) => boolean)[] {
  return listWords(condition, status).map((word) => (letters) => word.test(letters));
}

/** The first string that passes a test, the tests in their order. */
export function findMember(members: readonly unknown[], tests: readonly ((letters: string) => boolean)[]): unknown {
  return tests
    .map((isMeant) => members.find((member) => typeof member === 'string' && isMeant(toLetters(member))))
    .find((member) => member !== undefined);
}

/** Values of a string that is not enumerated, as its schema shows them: examples, and quoted words of its description. */
export function listShown({ example, examples, description = '', ...others }: SchemaObject): readonly string[] {
  const quoted = [...description.matchAll(/[`'"]([A-Za-z][\w.:/-]*)[`'"]/g)].map((match) => match[1]);
  const open = others['x-extensible-enum'];
  const shown: readonly unknown[] = [example, ...(examples ?? []), ...(Array.isArray(open) ? open : []), ...quoted];
  return shown.filter((value) => typeof value === 'string');
}

/** A word such as `not_found` in the case and with the separators of another one. */
function toStyle(word: string, sample: string | undefined): string {
  if (sample === undefined || !/^[A-Za-z][A-Za-z0-9_-]*$/.test(sample)) return word;
  const upper = word.toUpperCase();
  if (/^[A-Z0-9_]+$/.test(sample)) return upper;
  if (/^[A-Z0-9-]+$/.test(sample)) return upper.replaceAll('_', '-');
  if (/^[a-z0-9]+(-[a-z0-9]+)+$/.test(sample)) return word.replaceAll('_', '-');
  if (!/[a-z][A-Z]|^[A-Z][a-z]/.test(sample)) return word;
  const camel = word.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return /^[A-Z]/.test(sample) ? capitalize(camel) : camel;
}
