import { isObject } from '../../contract/json.js';
import { rankTime } from '../text/names.js';
import type { Task } from './attempt.js';
import { acceptsNumber, readPropertyParts } from './shape.js';

/** A generated object whose properties are made consistent. */
type Draft = Pick<Task, 'attempt' | 'shape'> & { readonly value: Record<string, unknown> };

/** Makes the properties of one object consistent: counts and lists, first and last ids, times, bounds. */
export function makeConsistent(draft: Draft): void {
  const { attempt, value } = draft;
  const lists: (readonly unknown[])[] = [];
  const times: string[] = [];
  let hasBounds = false;
  for (const name of Object.keys(value)) {
    const own = value[name];
    if (Array.isArray(own)) lists.push(own);
    if (typeof own !== 'number' && typeof own !== 'string') continue;
    if (attempt.vocabulary.about(name).isTime) times.push(name);
    hasBounds ||= typeof own === 'number' && MINIMUM.test(name);
  }
  const [list] = lists;
  // The only array of an envelope.
  if (list !== undefined && lists.length === 1) alignWithList(draft, list);
  if (times.length > 1) alignTimes(draft, times);
  if (hasBounds) alignBounds(draft);
}

const MINIMUM = /^min/i;

const COUNTS: ReadonlySet<string> = new Set(
  'total count totalcount totalitems totalresults totalelements numberofelements resultcount'.split(' '),
);

function alignWithList(draft: Draft, list: readonly unknown[]): void {
  for (const [name, old] of Object.entries(draft.value)) {
    const { plain } = draft.attempt.vocabulary.about(name);
    if (COUNTS.has(plain) && typeof old === 'number') setIfAllowed(draft, name, list.length);
    if ((plain === 'firstid' || plain === 'lastid') && typeof old === 'string') {
      const item = plain === 'firstid' ? list[0] : list.at(-1);
      const id = isObject(item) ? item['id'] : undefined;
      if (typeof id === 'string') setIfAllowed(draft, name, id);
    }
  }
}

/** Times from examples may be in the wrong order; then the later one is moved. */
function alignTimes(draft: Draft, times: readonly string[]): void {
  const { attempt, value } = draft;
  let last: { readonly at: number; readonly text: unknown } | undefined;
  const rankOf = (name: string): number => rankTime(attempt.vocabulary.about(name).timeKind);
  for (const name of times.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    const at = readInstant(value[name]);
    const isEarlier = last !== undefined && at !== undefined && at < last.at;
    if (isEarlier && typeof last?.text === typeof value[name]) setIfAllowed(draft, name, last?.text);
    else if (at !== undefined) last = { at, text: value[name] };
  }
}

function readInstant(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT/.test(value)) return undefined;
  const instant = Date.parse(value);
  return Number.isNaN(instant) ? undefined : instant;
}

/** Swaps `min_x` and `max_x` if they are in the wrong order. */
function alignBounds(draft: Draft): void {
  const { value } = draft;
  for (const [name, least] of Object.entries(value)) {
    if (typeof least !== 'number' || !MINIMUM.test(name)) continue;
    const other = Object.keys(value).find((one) => one.toLowerCase() === name.toLowerCase().replace(MINIMUM, 'max'));
    const most = other === undefined ? undefined : value[other];
    if (other === undefined || typeof most !== 'number' || least <= most) continue;
    setIfAllowed(draft, name, most);
    setIfAllowed(draft, other, least);
  }
}

/** Sets a property if its schema allows the value. */
function setIfAllowed({ attempt, shape, value }: Draft, name: string, next: unknown): void {
  const parts = readPropertyParts(shape, name);
  if (parts === undefined) return;
  const inner = attempt.merge(parts);
  if (inner.values !== undefined || inner.patterns.length > 0) return;
  if (typeof next !== 'number' || acceptsNumber(inner, next)) value[name] = next;
}
