import { URLSearchParams } from 'node:url';
import { readOwn } from '../../contract/json.js';
import type { Call } from '../../http/request/call.js';
import { describe } from '../../contract/load/source-node.js';
import { isSubset, type Matcher } from './matcher.js';
import type { CallRange, When } from './rule.js';
import { splitCookies } from '../../http/request/parameters.js';

/** The collections of a session, as conditions read them. */
export interface CollectionView {
  count(name: string): number;
  has(name: string, id: string): boolean;
}

/** Why a call does not match the conditions of a rule, `call` excepted; undefined if it does. */
export function findMismatch(
  when: When,
  call: Call,
  session: { readonly collections: CollectionView; readonly vars: Readonly<Record<string, unknown>> },
): string | undefined {
  return (
    findIn('path', when.path, (name) => readOwn(call.path, name)) ??
    findIn('query', when.query, (name) => readQuery(call, name)) ??
    findIn('header', when.header, (name) => call.headers.get(name.toLowerCase()) ?? undefined) ??
    findIn('cookie', when.cookie, (name) => readCookie(call, name)) ??
    (when.body?.test(call.body) !== false ? undefined : 'the body does not match') ??
    findCollectionMismatch(when.state, session.collections) ??
    findVarMismatch(when.state.vars, session.vars)
  );
}

function findIn(
  place: string,
  wanted: Readonly<Record<string, Matcher>>,
  read: (name: string) => unknown,
): string | undefined {
  for (const name of Object.keys(wanted)) {
    const actual = read(name);
    const matcher = wanted[name];
    if (matcher?.test(actual) === false) {
      return `${place} ${JSON.stringify(name)} is ${actual === undefined ? 'absent' : describe(actual)}, not ${describe(matcher.written)}`;
    }
  }
  return undefined;
}

/** The decoded value of a declared parameter, the raw text of any other. */
function readQuery(call: Call, name: string): unknown {
  if (Object.hasOwn(call.query, name)) return call.query[name];
  const start = call.url.indexOf('?');
  return start === -1 ? undefined : (new URLSearchParams(call.url.slice(start)).get(name) ?? undefined);
}

function readCookie(call: Call, name: string): unknown {
  if (Object.hasOwn(call.cookie, name)) return call.cookie[name];
  return splitCookies(call.headers.get('cookie') ?? '').find((cookie) => cookie.name === name)?.raw;
}

function findCollectionMismatch({ collections }: When['state'], view: CollectionView): string | undefined {
  for (const { name, count, has, lacks } of collections) {
    if (count !== undefined && !isInRange(count, view.count(name))) {
      return `${name} has ${view.count(name)} items, not ${formatRange(count)}`;
    }
    const missing = has.find((id) => !view.has(name, id));
    if (missing !== undefined) return `${name} has no item ${JSON.stringify(missing)}`;
    const present = lacks.find((id) => view.has(name, id));
    if (present !== undefined) return `${name} has the item ${JSON.stringify(present)}`;
  }
  return undefined;
}

function findVarMismatch(wanted: When['state']['vars'], vars: Readonly<Record<string, unknown>>): string | undefined {
  const name = Object.keys(wanted).find((each) => !(Object.hasOwn(vars, each) && isSubset(wanted[each], vars[each])));
  return name === undefined
    ? undefined
    : `variable ${JSON.stringify(name)} is ${describe(vars[name])}, not ${describe(wanted[name])}`;
}

/** Whether a range selects a number. */
export function isInRange(range: CallRange, count: number): boolean {
  return range.kind === 'every' ? count % range.every === 0 : count >= range.from && count <= range.to;
}

/** A range as it is written: `3`, `2..4`, `every 5`. */
export function formatRange(range: CallRange): string {
  if (range.kind === 'every') return `every ${range.every}`;
  if (range.from === range.to) return String(range.from);
  return `${range.from}..${range.to === Infinity ? '' : range.to}`;
}
