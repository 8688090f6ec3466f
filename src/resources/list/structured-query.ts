import { isObject } from '../../base/json.js';
import { means } from '../../conventions/conventions.js';
import { type Comparison, findTest, isRead, matches, readFiltered } from './comparisons.js';
import type { FilterExpression } from './filter-expression.js';
import { type FilterKnowledge, findProperty } from './filters.js';

/** Conditions inside of others beyond this depth have no effect. */
const MAX_DEPTH = 50;

type Test = (item: unknown) => boolean;

/** Conditions that a request sends as JSON, and how deep they are. */
interface Reader {
  readonly known: FilterKnowledge;
  readonly depth: number;
}

/**
 * Reads conditions that a request sends as JSON: `{ field, operator, value }`, alone, in an array or below `and` and `or`, and objects
 * with the names of properties: `{ email: { exact: 'a@example.com' }, size: { gte: 3 } }`.
 */
export function readStructuredQuery(value: unknown, known: FilterKnowledge): FilterExpression {
  const test = readConditions(value, { known, depth: 0 });
  return typeof test === 'string' ? { problem: test } : { test };
}

/** Whether a value is an object, or an array of objects. */
export function isStructured(value: unknown): boolean {
  return isObject(value) || (Array.isArray(value) && value.length > 0 && value.every(isObject));
}

/** The conditions of an object, or of all objects of an array; a string says what is wrong with them. */
function readConditions(value: unknown, { known, depth }: Reader): Test | string {
  if (depth > MAX_DEPTH) return 'its conditions are too deep';
  const reader = { known, depth: depth + 1 };
  if (Array.isArray(value)) return joinAll(value.map((each) => readConditions(each, reader)));
  if (!isObject(value)) return 'it is not an object with conditions';
  return readComparison(value, reader) ?? joinAll(Object.entries(value).map((entry) => readMember(entry, reader)));
}

/** `{ field, operator, value }`, or `{ operator: 'OR', value: […] }`; undefined for any other object. */
function readComparison(value: Readonly<Record<string, unknown>>, { known, depth }: Reader): Test | string | undefined {
  const entries = Object.entries(value);
  const [, operator] = entries.find(([name]) => means(name, 'operators.operator')) ?? [];
  const [, field] = entries.find(([name, own]) => means(name, 'operators.field') && typeof own === 'string') ?? [];
  const several = entries.find(([, own]) => isStructured(own) && Array.isArray(own))?.[1];
  if (typeof field !== 'string') {
    if (typeof operator !== 'string' || !Array.isArray(several)) return undefined;
    return joinGroup(operator, several, { known, depth }) ?? `"${operator}" is not an operator for several conditions`;
  }
  // Without an operator, the value equals.
  const compare = operator === undefined ? matches : typeof operator === 'string' ? findTest(operator) : undefined;
  if (compare === undefined) return `${JSON.stringify(operator)} is not an operator`;
  const wanted = entries.filter(([name]) => means(name, 'operators.value')).map(([, own]) => own);
  return toTest(field, compare, { wanted: wanted.find((each) => each !== undefined && each !== null), known });
}

/** One member of an object with conditions: a group of them, the conditions in an object, or those of one property. */
function readMember([name, value]: readonly [string, unknown], reader: Reader): Test | string {
  const group = isStructured(value) ? joinGroup(name, [value].flat(), reader) : undefined;
  if (group !== undefined) return group;
  const property = findProperty(name, reader.known);
  if (property !== undefined) return toTest(name, matches, { wanted: value, known: reader.known });
  if (isStructured(value) && means(name, 'operators.conditions')) return readConditions(value, reader);
  // What is about the page, not about items.
  if (means(name, 'queries.sort', 'queries.order', 'queries.limit', 'queries.group')) return () => true;
  return `items have no property "${name}"`;
}

/** How many of several conditions have to hold: all, one or none; undefined for any other word. */
function joinGroup(word: string, conditions: readonly unknown[], reader: Reader): Test | string | undefined {
  if (means(word, 'operators.all')) return joinAll(conditions.map((each) => readConditions(each, reader)));
  if (!means(word, 'operators.any', 'operators.not')) return undefined;
  const tests: Test[] = [];
  for (const each of conditions) {
    const test = readConditions(each, reader);
    if (typeof test === 'string') return test;
    tests.push(test);
  }
  const isWanted = means(word, 'operators.any');
  return (item) => tests.some((test) => test(item)) === isWanted;
}

function joinAll(tests: readonly (Test | string)[]): Test | string {
  const problem = tests.find((test) => typeof test === 'string');
  if (problem !== undefined) return problem;
  return (item) => tests.every((test) => typeof test !== 'string' && test(item));
}

function toTest(
  name: string,
  compare: Comparison,
  { wanted, known }: { readonly wanted: unknown; readonly known: FilterKnowledge },
): Test | string {
  const found = findProperty(name, known);
  if (found === undefined) return `items have no property "${name}"`;
  if (found.isScalar && !isRead(wanted)) return `"${name}" is compared with ${JSON.stringify(wanted)}`;
  return (item) => compare(isObject(item) ? readFiltered(item, found) : undefined, wanted);
}
