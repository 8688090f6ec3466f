import type { Call } from '../http/request/call.js';
import { splitList } from '../http/text.js';

/** What a client wishes of an answer, by `Prefer` (RFC 7240) or by `?__code=` and its like. */
export interface Preferences {
  /** The status. */
  readonly code: number | undefined;
  /** The name of an example. */
  readonly example: string | undefined;
  /** Whether the body is to be generated although there are examples. */
  readonly dynamic: boolean;
  /** Makes generated values other ones. */
  readonly seed: number | undefined;
  /** What `Preference-Applied` says. */
  readonly applied: string;
  /** Values that mean nothing, as `name=value`. */
  readonly senseless: readonly string[];
}

const NAMES = ['code', 'example', 'dynamic', 'seed'] as const;

/** The wishes of a call; undefined where it has none of these. Other preferences are left to whom they concern. */
export function readPreferences(call: Call): Preferences | undefined {
  const header = call.headers.get('prefer');
  const query = call.url.includes('__') ? call.url.slice(call.url.indexOf('?') + 1) : undefined;
  if (header === null && query === undefined) return undefined;
  const wishes = new Map<string, string>();
  if (query !== undefined && call.url.includes('?')) {
    const fields = new URLSearchParams(query);
    for (const name of NAMES) {
      const value = fields.get(`__${name}`);
      if (value !== null) wishes.set(name, value);
    }
  }
  // A header is written on purpose, a query may come with a copied link: the header wins.
  for (const [name, value] of parsePrefer(header ?? '')) wishes.set(name, value);
  return toPreferences(wishes);
}

/** The preferences of a `Prefer` header, names in lower case; of a repeated one the first counts (RFC 7240 section 2). */
export function parsePrefer(header: string): ReadonlyMap<string, string> {
  const wishes = new Map<string, string>();
  for (const preference of splitList(header, ',')) {
    // What follows a semicolon are parameters of the preference, and none of ours has any.
    const [wish = ''] = splitList(preference, ';');
    const equals = wish.indexOf('=');
    const key = (equals === -1 ? wish : wish.slice(0, equals)).trim().toLowerCase();
    if (!TOKEN.test(key) || wishes.has(key)) continue;
    wishes.set(key, equals === -1 ? '' : readWord(wish.slice(equals + 1).trim()));
  }
  return wishes;
}

/** RFC 9110 section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^`|~\w-]+$/;

/** A token, or what a quoted string holds. */
function readWord(text: string): string {
  return text.startsWith('"') ? text.replace(/^"|"$/g, '').replaceAll(/\\(.)/g, '$1') : text;
}

function toPreferences(wishes: ReadonlyMap<string, string>): Preferences | undefined {
  const present = NAMES.filter((name) => wishes.has(name));
  if (present.length === 0) return undefined;
  const senseless: string[] = [];
  const read = <Value>(name: string, parse: (text: string) => Value | undefined): Value | undefined => {
    const text = wishes.get(name);
    if (text === undefined) return undefined;
    const value = parse(text);
    if (value === undefined) senseless.push(`${name}=${text}`);
    return value;
  };
  return {
    code: read('code', (text) => (/^[1-5]\d\d$/.test(text) ? Number(text) : undefined)),
    example: wishes.get('example'),
    dynamic: read('dynamic', readFlag) ?? false,
    seed: read('seed', (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : undefined)),
    applied: present.map((name) => writeWish(name, wishes.get(name) ?? '')).join(', '),
    senseless,
  };
}

/** A preference without a value is one that is wished for (RFC 7240 section 2). */
function readFlag(text: string): boolean | undefined {
  if (text === '' || text === 'true' || text === '1') return true;
  return text === 'false' || text === '0' ? false : undefined;
}

function writeWish(name: string, value: string): string {
  if (value === '') return name;
  return `${name}=${/^[\w.-]+$/.test(value) ? value : `"${value.replaceAll(/["\\]/g, '\\$&')}"`}`;
}
