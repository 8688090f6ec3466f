import { memoizeText } from '../base/memoize.js';
import { toBareName } from '../base/names.js';
import type { Convention } from './convention.js';
import { ENVELOPES } from './rows/envelopes.js';
import { ERRORS } from './rows/errors.js';
import { HEADERS } from './rows/headers.js';
import { IDS } from './rows/ids.js';
import { LINKS } from './rows/links.js';
import { PAGES } from './rows/pages.js';
import { PEOPLE } from './rows/people.js';
import { OPERATORS, QUERIES } from './rows/queries.js';
import { REMOVED } from './rows/removed.js';
import { SECRETS } from './rows/secrets.js';
import { SEGMENTS } from './rows/segments.js';
import { STATUSES } from './rows/statuses.js';
import { STREAMS } from './rows/streams.js';
import { TIMES } from './rows/times.js';
import { TECHNICAL, VALUES } from './rows/values.js';
import { VERBS } from './rows/verbs.js';

interface Tables {
  readonly envelopes: typeof ENVELOPES;
  readonly errors: typeof ERRORS;
  readonly headers: typeof HEADERS;
  readonly ids: typeof IDS;
  readonly links: typeof LINKS;
  readonly operators: typeof OPERATORS;
  readonly pages: typeof PAGES;
  readonly people: typeof PEOPLE;
  readonly queries: typeof QUERIES;
  readonly removed: typeof REMOVED;
  readonly secrets: typeof SECRETS;
  readonly segments: typeof SEGMENTS;
  readonly statuses: typeof STATUSES;
  readonly streams: typeof STREAMS;
  readonly technical: typeof TECHNICAL;
  readonly times: typeof TIMES;
  readonly values: typeof VALUES;
  readonly verbs: typeof VERBS;
}

const TABLES: Tables & Readonly<Record<string, Readonly<Record<string, Convention>>>> = {
  envelopes: ENVELOPES,
  errors: ERRORS,
  headers: HEADERS,
  ids: IDS,
  links: LINKS,
  operators: OPERATORS,
  pages: PAGES,
  people: PEOPLE,
  queries: QUERIES,
  removed: REMOVED,
  secrets: SECRETS,
  segments: SEGMENTS,
  statuses: STATUSES,
  streams: STREAMS,
  technical: TECHNICAL,
  times: TIMES,
  values: VALUES,
  verbs: VERBS,
};

/** A meaning of a name: a table and the key of one of its rows, such as `pages.next`. */
export type Idea = { [T in keyof Tables]: `${T}.${keyof Tables[T] & string}` }[keyof Tables];

/** A row, ready to be asked. */
interface CompiledRow {
  /** The names without a star, in the order of the row. */
  readonly names: ReadonlyMap<string, number>;
  readonly pattern: RegExp | undefined;
  readonly unless: RegExp | undefined;
}

/** Whether a name has one of some meanings. Case and separators do not matter: `nextPage`, `next_page` and `Next-Page` are equal. */
export function means(name: string, ...ideas: readonly Idea[]): boolean {
  const bare = toKey(name);
  return ideas.some((idea) => {
    const { names, pattern, unless } = findRow(idea);
    return (names.has(bare) || pattern?.test(bare) === true) && unless?.test(bare) !== true;
  });
}

/** Returns the names that have a meaning, in the order of the row. */
export function rankNames(names: Iterable<string>, idea: Idea): readonly string[] {
  const row = findRow(idea);
  const rank = (name: string): number => row.names.get(toKey(name)) ?? Infinity;
  const known = Array.from(names).filter((name) => rank(name) < Infinity);
  return known.toSorted((one, other) => rank(one) - rank(other));
}

/** The likeliest name of a property or parameter with a meaning; undefined where the row has no such names, or only parts of them. */
export function readFirstName(idea: string): string | undefined {
  const { where } = CONVENTIONS.get(idea) ?? {};
  return where === 'property' || where === 'parameter' ? [...findRow(idea).names.keys()][0] : undefined;
}

/** The rows by their meanings: `pages.next`. */
export const CONVENTIONS: ReadonlyMap<string, Convention> = new Map(
  Object.entries(TABLES).flatMap(([table, rows]) =>
    Object.entries(rows).map(([key, row]): [string, Convention] => [`${table}.${key}`, row]),
  ),
);

/** Compiled when it is first asked for, so that a mock does not pay for words that no document of it needs. */
const findRow = memoizeText((idea): CompiledRow => compileRow(CONVENTIONS.get(idea)));

function compileRow(row: Convention | undefined): CompiledRow {
  const names = splitNames(row?.names);
  const starred = names.filter((name) => name.includes('*'));
  const exact = names.flatMap((name) => (name.includes('*') ? [] : expandName(name)));
  const excluded = splitNames(row?.unless);
  return {
    names: new Map(exact.map((name, i) => [name, i])),
    pattern: starred.length === 0 ? undefined : toPattern(starred),
    unless: excluded.length === 0 ? undefined : toPattern(excluded),
  };
}

function splitNames(names = ''): readonly string[] {
  return names.split(/\s+/).filter((name) => name !== '');
}

function toPattern(names: readonly string[]): RegExp {
  return new RegExp(`^(?:${names.join('|').replaceAll('*', '.*')})$`);
}

/** All names that one without a star means: `total` and `totalcount` for `total(count)?`. */
function expandName(name: string): readonly string[] {
  const [whole, choices, optional] = /\(([^()]*)\)(\?)?|[^()]\?/.exec(name) ?? [];
  if (whole === undefined) return [name];
  const all =
    choices === undefined ? [whole.charAt(0), ''] : [...choices.split('|'), ...(optional === '?' ? [''] : [])];
  return all.flatMap((choice) => expandName(name.replace(whole, choice)));
}

/** The bare name; one with `@` before it keeps that, and one of separators only is its own. */
const toKey = memoizeText((name: string): string => {
  const bare = toBareName(name);
  return name.startsWith('@') ? `@${bare}` : bare || name;
});
