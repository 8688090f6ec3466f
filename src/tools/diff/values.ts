import { isEqualJson } from '../../base/json.js';
import { countOf, joinWords } from '../../base/errors.js';
import type { Constraints } from '../../contract/schema-view/constraints.js';
import { INTEGER_RANGES, readFormatCheck } from '../../schema/checker/formats.js';
import type { Change, DiffCode } from './change.js';

/** What a value had to fit, and has to fit now. */
export interface ConstraintPair {
  readonly old: Constraints;
  readonly now: Constraints;
  /** Whether the value is sent as text: in a parameter, a header or a form. */
  readonly isText: boolean;
}

const SCALARS: ReadonlySet<string> = new Set(['string', 'integer', 'number', 'boolean']);

/** Compares the types of a value. */
export function compareTypes({ old, now, isText }: ConstraintPair): readonly Change[] {
  const isCovered = (type: string, by: Constraints): boolean =>
    by.types.has(type) || (isText && SCALARS.has(type) && isAnyText(by));
  const removed = [...old.types].filter((type) => !isCovered(type, now));
  const added = [...now.types].filter((type) => !isCovered(type, old));
  if (removed.length + added.length === 0) return [];
  const isOther = removed.length > 0 && added.length > 0;
  const code = isOther ? 'TYPE_CHANGED' : removed.length > 0 ? 'TYPE_NARROWED' : 'TYPE_WIDENED';
  const text = `the type was ${showTypes(old)} and is ${showTypes(now)}`;
  return [{ code, text, old: old.place('type'), now: now.place('type') }];
}

/** Whether any text fits. */
function isAnyText({ types, values, patterns, formats, limits }: Constraints): boolean {
  return types.has('string') && values === undefined && patterns.size + formats.size + limits.size === 0;
}

function showTypes({ types }: Constraints): string {
  // `false`, and parts that contradict each other.
  if (types.size === 0) return 'none';
  // All but null.
  if (types.size >= 6) return 'any';
  return joinWords([...types].filter((type) => type !== 'integer' || !types.has('number')));
}

/** Compares values of a type that stays: `enum`, formats, patterns and limits. */
export function compareValues(pair: ConstraintPair): readonly Change[] {
  const isWritten = pair.old.values === undefined && pair.now.values === undefined;
  // Listed values say more than limits.
  return [
    ...compareLists(pair),
    ...(isWritten ? [...compareFormats(pair), ...comparePatterns(pair)] : []),
    ...compareLimits(pair),
  ];
}

function compareLists({ old, now }: ConstraintPair): readonly Change[] {
  const [was, is] = [listValues(old), listValues(now)];
  const at = { old: old.place('enum'), now: now.place('enum') };
  if (was === undefined || is === undefined) {
    if (was === is) return [];
    if (was === undefined) return [{ ...at, code: 'ENUM_ADDED', text: `only ${showValues(is ?? [])} is valid` }];
    return [{ ...at, code: 'ENUM_REMOVED', text: `not only ${showValues(was)} is valid` }];
  }
  const removed = without(was, is);
  const added = without(is, was);
  if (removed.length === was.length && added.length === is.length && was.length + is.length > 0) {
    return [{ ...at, code: 'ENUM_CHANGED', text: `the value was ${showValues(was)} and is ${showValues(is)}` }];
  }
  const toText = (values: readonly unknown[], verb: string): string =>
    values.length === 1
      ? `the value ${showValues(values)} was ${verb}`
      : `${countOf(values.length, 'value')} were ${verb}: ${showValues(values, 'and')}`;
  return [
    ...(removed.length === 0 ? [] : [{ ...at, code: 'ENUM_VALUE_REMOVED', text: toText(removed, 'removed') } as const]),
    ...(added.length === 0 ? [] : [{ ...at, code: 'ENUM_VALUE_ADDED', text: toText(added, 'added') } as const]),
  ];
}

function listValues({ values, types }: Constraints): readonly unknown[] | undefined {
  return values ?? (types.size === 1 && types.has('boolean') ? [true, false] : undefined);
}

function without(values: readonly unknown[], others: readonly unknown[]): readonly unknown[] {
  const known = new Set(others);
  return values.filter((value) => !known.has(value) && !others.some((other) => isEqualJson(other, value)));
}

/** A sentence names so many values at most. */
const MAX_SHOWN = 12;

function showValues(values: readonly unknown[], word = 'or'): string {
  const shown = values.slice(0, MAX_SHOWN).map((value) => JSON.stringify(value));
  const more = values.length - shown.length;
  const words = more > 0 ? [...shown, `${more} more`] : shown;
  return words.length === 0 ? 'no value' : joinWords(words).replace(/ or (?=[^ ]*$|\d+ more$)/, ` ${word} `);
}

/** Formats that are not checked, but that clients read values by. */
const READ_FORMATS: ReadonlySet<string> = new Set(['float', 'double', 'binary']);

function listFormats({ formats }: Constraints): readonly string[] {
  return [...formats].filter((name) => READ_FORMATS.has(name) || readFormatCheck(name) !== undefined).toSorted();
}

function compareFormats({ old, now }: ConstraintPair): readonly Change[] {
  const [was, is] = [listFormats(old), listFormats(now)];
  const added = is.filter((name) => !was.includes(name));
  const removed = was.filter((name) => !is.includes(name));
  if (added.length + removed.length === 0) return [];
  const at = { old: old.place('format'), now: now.place('format') };
  if (was.length === 0) return [{ ...at, code: 'FORMAT_ADDED', text: `the format ${joinWords(is)} was added` }];
  if (is.length === 0) return [{ ...at, code: 'FORMAT_REMOVED', text: `the format ${joinWords(was)} was removed` }];
  const text = `the format was ${joinWords(was)} and is ${joinWords(is)}`;
  const isInside = (some: readonly string[], others: readonly string[]): boolean =>
    others.every((other) => some.some((name) => isPart(name, other)));
  const code: DiffCode = isInside(was, is)
    ? 'FORMAT_WIDENED'
    : isInside(is, was)
      ? 'FORMAT_NARROWED'
      : 'FORMAT_CHANGED';
  return [{ ...at, code, text }];
}

/** Whether all values of a format are values of another one. */
function isPart(format: string, other: string): boolean {
  if (format === other || (format === 'float' && other === 'double')) return true;
  const [own, whole] = [INTEGER_RANGES.get(format), INTEGER_RANGES.get(other)];
  return own !== undefined && whole !== undefined && own[0] >= whole[0] && own[1] <= whole[1];
}

function comparePatterns({ old, now }: ConstraintPair): readonly Change[] {
  const added = [...now.patterns].filter((pattern) => !old.patterns.has(pattern));
  const removed = [...old.patterns].filter((pattern) => !now.patterns.has(pattern));
  if (added.length + removed.length === 0) return [];
  const at = { old: old.place('pattern'), now: now.place('pattern') };
  if (removed.length === 0)
    return [{ ...at, code: 'PATTERN_ADDED', text: `the pattern ${added.join(' and ')} was added` }];
  if (added.length === 0)
    return [{ ...at, code: 'PATTERN_REMOVED', text: `the pattern ${removed.join(' and ')} was removed` }];
  const text = `the pattern was ${removed.join(' and ')} and is ${added.join(' and ')}`;
  return [{ ...at, code: 'PATTERN_CHANGED', text }];
}

/** A bound, and by how little it is stricter than its number. */
type Bound = readonly [limit: number, isExclusive: number];

/** The bounds that are given by one keyword, or by one of two. */
const BOUNDS = [
  ['minLength'],
  ['minItems'],
  ['minProperties'],
  ['minContains'],
  ['minimum', 'exclusiveMinimum'],
  ['maxLength'],
  ['maxItems'],
  ['maxProperties'],
  ['maxContains'],
  ['maximum', 'exclusiveMaximum'],
] as const;

function compareLimits({ old, now }: ConstraintPair): readonly Change[] {
  const changes: Change[] = [];
  for (const [keyword, exclusive = ''] of BOUNDS) {
    const sign = keyword.startsWith('min') ? 1 : -1;
    const [was, is] = [readBound(old, [keyword, exclusive], sign), readBound(now, [keyword, exclusive], sign)];
    const order = compareBounds(is, was);
    if (order === 0) continue;
    const [before, after] = [showBound(old, [keyword, exclusive]), showBound(now, [keyword, exclusive])];
    const at = { old: old.place(before[0]), now: now.place(after[0]) };
    const text = `${after[0] === 'none' ? before[0] : after[0]} was ${before[1]} and is ${after[1]}`;
    changes.push({ ...at, code: order > 0 ? 'LIMIT_NARROWED' : 'LIMIT_WIDENED', text });
  }
  return [...changes, ...compareMultiples(old, now), ...compareUnique(old, now)];
}

/** The stricter of the bounds, as one that is stricter the greater it is. */
function readBound({ limits }: Constraints, [keyword, exclusive]: readonly [string, string], sign: number): Bound {
  const all = [keyword, exclusive].flatMap((name, i): readonly Bound[] => {
    const value = limits.get(name);
    return value === undefined ? [] : [[sign * value, i]];
  });
  return all.toSorted(compareBounds).at(-1) ?? [-Infinity, 0];
}

function compareBounds(one: Bound, other: Bound): number {
  if (one[0] === other[0]) return one[1] - other[1];
  return one[0] > other[0] ? 1 : -1;
}

function showBound({ limits }: Constraints, keywords: readonly string[]): readonly [keyword: string, text: string] {
  const known = keywords.filter((keyword) => limits.has(keyword));
  const [first = 'none'] = known;
  return [first, known.map((keyword) => String(limits.get(keyword))).join(' and ') || 'not set'];
}

function compareMultiples(old: Constraints, now: Constraints): readonly Change[] {
  const [was, is] = [old.limits.get('multipleOf'), now.limits.get('multipleOf')];
  if (was === is) return [];
  const at = { old: old.place('multipleOf'), now: now.place('multipleOf') };
  const text = `multipleOf was ${was ?? 'not set'} and is ${is ?? 'not set'}`;
  const isNarrower = is !== undefined && (was === undefined || was % is !== 0);
  const isWider = was !== undefined && (is === undefined || is % was !== 0);
  return [
    ...(isNarrower ? [{ ...at, code: 'LIMIT_NARROWED', text } as const] : []),
    ...(isWider ? [{ ...at, code: 'LIMIT_WIDENED', text } as const] : []),
  ];
}

function compareUnique(old: Constraints, now: Constraints): readonly Change[] {
  if (old.isUnique === now.isUnique) return [];
  const at = { old: old.place('uniqueItems'), now: now.place('uniqueItems') };
  if (now.isUnique) return [{ ...at, code: 'LIMIT_NARROWED', text: 'the items must be unique now' }];
  return [{ ...at, code: 'LIMIT_WIDENED', text: 'the items need not be unique any more' }];
}
