import { parseOrKeep } from '../../contract/json.js';
import { compileJsonPath } from '../../scenario/definition/json-path.js';
import { escapePattern } from '../../contract/patterns/guarded-pattern.js';
import { type Condition, readObject, readText, toTextValue } from '../stub.js';
import { toBodyPointer, toNested } from '../templates.js';

/** A condition, or why there is none. */
export type Converted = { readonly condition: Condition } | { readonly why: string };

type Members = Readonly<Record<string, unknown>>;

/** The condition of a matcher of a header, a query parameter, a cookie or a part of a path. */
export function toTextCondition(value: unknown): Converted {
  const given = readObject(value);
  const all = readList(given['and']);
  if (all !== undefined) return joinConditions(all.map(toTextCondition));
  const alternatives = readList(given['or'] ?? given['includes']);
  if (alternatives !== undefined) {
    const read = alternatives.map(toTextCondition);
    const failed = read.find((each) => 'why' in each);
    return failed ?? { condition: { oneOf: read.map((each) => ('condition' in each ? each.condition : undefined)) } };
  }
  for (const [name, convert] of Object.entries(TEXT_MATCHERS)) {
    const operand = given[name];
    if (operand !== undefined) return convert(operand, given);
  }
  return { why: `the matcher ${Object.keys(given).join(', ')} has no counterpart` };
}

function toPattern(text: string, isCaseInsensitive: boolean): Condition {
  return { matches: `${isCaseInsensitive ? '(?i)' : ''}^(?:${text})$` };
}

/** The matchers of strings by their names in WireMock. */
const TEXT_MATCHERS: Readonly<Record<string, (operand: unknown, given: Members) => Converted>> = {
  equalTo: (operand, { caseInsensitive }) => {
    const text = readText(operand) ?? '';
    return { condition: caseInsensitive === true ? toPattern(escapePattern(text), true) : { equals: text } };
  },
  contains: (operand) => ({ condition: { contains: readText(operand) } }),
  doesNotContain: (operand) => ({ condition: { not: { contains: readText(operand) } } }),
  matches: (operand) => ({ condition: toPattern(readText(operand) ?? '', false) }),
  doesNotMatch: (operand) => ({ condition: { not: toPattern(readText(operand) ?? '', false) } }),
  // Whatever its value is, also false.
  absent: () => ({ condition: { present: false } }),
  before: (operand) => toDate('lt', operand),
  after: (operand) => toDate('gt', operand),
  hasExactly: (operand) => {
    const [only, ...others] = readList(operand) ?? [];
    return others.length === 0 ? toTextCondition(only) : { why: 'hasExactly with several values has no counterpart' };
  },
  not: (operand) => {
    const inner = toTextCondition(operand);
    return 'why' in inner ? inner : { condition: { not: inner.condition } };
  },
};

function toDate(name: 'gt' | 'lt', operand: unknown): Converted {
  const text = readText(operand) ?? '';
  return Number.isNaN(Date.parse(text))
    ? { why: `the date ${text} is relative to the time of the request` }
    : { condition: { [name]: text } };
}

function readList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** Conditions that must all be true, as one. */
function joinConditions(read: readonly Converted[]): Converted {
  let joined: Condition;
  for (const each of read) {
    if ('why' in each) return each;
    joined = joined === undefined ? each.condition : merge(joined, each.condition);
    if (joined === undefined) return { why: 'several matchers of one value cannot be combined' };
  }
  return { condition: joined };
}

/** Two conditions as one object; undefined where both have the same member. */
function merge(one: Condition, other: Condition): Condition {
  const [first, second] = [readObject(one), readObject(other)];
  const shared = Object.keys(first).filter((name) => Object.hasOwn(second, name));
  const inner = shared.map((name): [string, unknown] => [name, merge(first[name], second[name])]);
  if (inner.some(([name, value]) => value === undefined || typeof first[name] !== 'object')) return undefined;
  return { ...first, ...second, ...Object.fromEntries(inner) };
}

/** The condition of a body. */
interface BodyCondition {
  readonly condition: Condition;
  /** Whether other properties do not match. */
  readonly isExact: boolean;
}

/** The condition of the patterns of a body, all of which must match; undefined condition without patterns. */
export function toBodyCondition(patterns: unknown): BodyCondition | { readonly why: string } {
  let isExact = false;
  const read = (readList(patterns) ?? []).map((pattern): Converted => {
    const given = readObject(pattern);
    if (given['equalToJson'] !== undefined) {
      isExact ||= given['ignoreExtraElements'] !== true;
      return toJsonCondition(given['equalToJson'], given);
    }
    if (given['matchesJsonPath'] !== undefined) return toPathCondition(given['matchesJsonPath']);
    const unknown = ['matchesXPath', 'equalToXml', 'binaryEqualTo', 'matchesJsonSchema'].find(
      (name) => given[name] !== undefined,
    );
    if (unknown !== undefined) return { why: `the matcher ${unknown} has no counterpart` };
    return toTextBody(given);
  });
  const joined = joinConditions(read);
  return 'why' in joined ? joined : { condition: joined.condition, isExact };
}

/** A matcher of the text of a body: of a JSON body only a whole value can be compared. */
function toTextBody(given: Members): Converted {
  const { equalTo } = given;
  const value = typeof equalTo === 'string' ? parseOrKeep(equalTo) : undefined;
  if (typeof value === 'object' && value !== null) return { condition: value };
  const read = toTextCondition(given);
  if ('why' in read) return read;
  return { why: 'the text of a JSON body cannot be matched; bodies are compared as values' };
}

function toJsonCondition(value: unknown, { ignoreArrayOrder }: Members): Converted {
  const json = typeof value === 'string' ? parseOrKeep(value) : value;
  const hasList = JSON.stringify(json).includes('[');
  if (ignoreArrayOrder === true && hasList)
    return { why: 'ignoreArrayOrder has no counterpart: the items of an array are compared in their order' };
  return { condition: replacePlaceholders(json) };
}

/** Placeholders of JsonUnit, such as `${json-unit.any-string}`, as matchers. */
function replacePlaceholders(value: unknown): Condition {
  if (typeof value === 'string') {
    const regex = /^\$\{json-unit\.regex\}(.*)$/s.exec(value)?.[1];
    if (regex !== undefined) return toPattern(regex, false);
    return /^\$\{json-unit\.(?:any|ignore)/.test(value) ? { present: true } : value;
  }
  if (Array.isArray(value)) return value.map(replacePlaceholders);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replacePlaceholders(member)]));
}

function toPathCondition(value: unknown): Converted {
  if (typeof value === 'string') return toPathTest(value);
  const { expression, ...matcher } = readObject(value);
  const path = readText(expression) ?? '';
  const pointer = toBodyPointer(path);
  const inner = toInnerCondition(matcher);
  if ('why' in inner) return inner;
  if (pointer === undefined) return { why: `the JSONPath ${path} with a matcher selects more than one value` };
  return { condition: toNested(pointer, inner.condition) };
}

function toInnerCondition(matcher: Members): Converted {
  const { equalToJson, equalTo } = matcher;
  if (equalToJson !== undefined) return toJsonCondition(equalToJson, matcher);
  // WireMock compares the selected value as text.
  if (typeof equalTo === 'string') return { condition: toTextValue(equalTo) };
  return toTextCondition(matcher);
}

const COMPARISON = /^@((?:\.[\w-]+|\['[^']+'\])+)\s*(?:(==|!=|<=|>=|<|>|=~)\s*(.+))?$/;
const OPERATORS: Readonly<Record<string, string>> = { '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte' };

/** A JSONPath alone: it selects something. */
function toPathTest(text: string): Converted {
  // WireMock's library applies a filter of the root to the root itself; RFC 9535 applies it to its members.
  const filter = /^\$\[\?\((.+)\)\]$/.exec(text)?.[1];
  if (filter !== undefined) return joinConditions(filter.split('&&').map((part) => toComparison(part.trim(), text)));
  const pointer = toBodyPointer(text);
  if (pointer !== undefined && pointer !== '') return { condition: toNested(pointer, { present: true }) };
  const mistake = compileJsonPath(text);
  return typeof mistake === 'string'
    ? { why: `the JSONPath ${text} is not one of RFC 9535 (${mistake})` }
    : { condition: { jsonPath: text } };
}

function toComparison(part: string, whole: string): Converted {
  const [, path = '', operator, written = ''] = COMPARISON.exec(part) ?? [];
  const pointer = path === '' ? undefined : toBodyPointer(`$${path}`);
  const why = `the filter of the JSONPath ${whole} has no counterpart`;
  if (pointer === undefined || /\|\|/.test(part)) return { why };
  if (operator === undefined) return { condition: toNested(pointer, { present: true }) };
  if (operator === '=~') {
    const [, source, flags] = /^\/(.*)\/([a-z]*)$/.exec(written) ?? [];
    return source === undefined ? { why } : { condition: toNested(pointer, toPattern(source, flags === 'i')) };
  }
  const quoted = /^'(.*)'$/.exec(written)?.[1];
  const value: unknown = quoted ?? parseOrKeep(written);
  if (quoted === undefined && value === written) return { why };
  const name = OPERATORS[operator];
  const own = name === undefined ? (operator === '!=' ? { not: value } : value) : { [name]: value };
  return { condition: toNested(pointer, own) };
}
