import { isObject } from '../contract/json.js';
import { acceptsNumber } from './accepts.js';
import { MOMENTS } from './dates.js';
import { UNDECIDED } from './expand.js';
import { readPropertyParts } from './children.js';
import type { Run } from './run.js';
import type { Shape } from './shape.js';

/** Makes the properties of one object tell the same story: counts and lists, first and last, earlier and later. */
export function agree(run: Run, shape: Shape, value: Record<string, unknown>): void {
  const list = findList(value);
  if (list !== undefined) agreeWithList(run, shape, { value, list });
  agreeInTime(run, shape, value);
  agreeOnBounds(run, shape, value);
}

interface Listing {
  readonly value: Record<string, unknown>;
  readonly list: readonly unknown[];
}

/** The one array of objects an envelope carries. */
function findList(value: Readonly<Record<string, unknown>>): readonly unknown[] | undefined {
  const lists = Object.values(value).filter((one): one is readonly unknown[] => Array.isArray(one));
  return lists.length === 1 ? lists[0] : undefined;
}

const COUNTS: ReadonlySet<string> = new Set([
  'total',
  'count',
  'totalcount',
  'totalitems',
  'totalresults',
  'totalelements',
  'numberofelements',
  'resultcount',
]);

function agreeWithList(run: Run, shape: Shape, { value, list }: Listing): void {
  for (const [name, old] of Object.entries(value)) {
    const { plain } = run.vocabulary.about(name);
    if (COUNTS.has(plain) && typeof old === 'number') put(run, shape, { value, name, next: list.length });
    if ((plain === 'firstid' || plain === 'lastid') && typeof old === 'string') {
      const item = plain === 'firstid' ? list[0] : list.at(-1);
      const id = isObject(item) ? item['id'] : undefined;
      if (typeof id === 'string') put(run, shape, { value, name, next: id });
    }
  }
}

/** Instants that came from examples may stand the wrong way round; the later one is moved. */
function agreeInTime(run: Run, shape: Shape, value: Record<string, unknown>): void {
  let last: { readonly at: number; readonly text: unknown } | undefined;
  const times = Object.keys(value)
    .filter((name) => run.vocabulary.about(name).isTime)
    .toSorted((a, b) => rankOf(run, a) - rankOf(run, b));
  for (const name of times) {
    const at = readInstant(value[name]);
    if (at === undefined) continue;
    const isSameForm = last !== undefined && typeof last.text === typeof value[name];
    if (last !== undefined && isSameForm && at < last.at) {
      put(run, shape, { value, name, next: last.text });
    } else {
      last = { at, text: value[name] };
    }
  }
}

function rankOf(run: Run, name: string): number {
  return MOMENTS.indexOf(run.vocabulary.about(name).moment);
}

function readInstant(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT/.test(value)) return undefined;
  const instant = Date.parse(value);
  return Number.isNaN(instant) ? undefined : instant;
}

/** `min_x` is no more than `max_x`. */
function agreeOnBounds(run: Run, shape: Shape, value: Record<string, unknown>): void {
  for (const [name, least] of Object.entries(value)) {
    if (typeof least !== 'number' || !/^min/i.test(name)) continue;
    const other = Object.keys(value).find((one) => one.toLowerCase() === name.toLowerCase().replace(/^min/, 'max'));
    const most = other === undefined ? undefined : value[other];
    if (other === undefined || typeof most !== 'number' || least <= most) continue;
    put(run, shape, { value, name, next: most });
    put(run, shape, { value, name: other, next: least });
  }
}

/** Sets a property where its schema has nothing against it, as far as the schema itself tells. */
function put(
  run: Run,
  shape: Shape,
  change: { readonly value: Record<string, unknown>; readonly name: string; readonly next: unknown },
): void {
  const parts = readPropertyParts(shape, change.name);
  if (parts === undefined) return;
  const inner = run.expander.expand(parts, UNDECIDED);
  if (inner.values !== undefined || inner.patterns.length > 0) return;
  if (typeof change.next === 'number' && !acceptsNumber(inner, change.next)) return;
  change.value[change.name] = change.next;
}
