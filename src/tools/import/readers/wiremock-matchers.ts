import { mapScalars, parseOrKeep } from '../../../base/json.js';
import { compileJsonPath } from '../../../features/scenario/definition/json-path.js';
import { escapePattern } from '../../../base/text.js';
import { type Condition, NotCarried, readObject, readText, toTextValue } from '../stub.js';
import { toBodyPointer, toNested } from '../templates.js';

type Members = Readonly<Record<string, unknown>>;

/** The condition of a matcher of a header, a query parameter, a cookie or a part of a path. @throws NotCarried */
export function toTextCondition(value: unknown): Condition {
  const given = readObject(value);
  const all = readList(given['and']);
  if (all !== undefined) return joinConditions(all, toTextCondition);
  const alternatives = readList(given['or'] ?? given['includes']);
  if (alternatives !== undefined) return { oneOf: alternatives.map(toTextCondition) };
  for (const [name, convert] of Object.entries(TEXT_MATCHERS)) {
    const operand = given[name];
    if (operand !== undefined) return convert(operand, given);
  }
  throw new NotCarried(`the matcher ${Object.keys(given).join(', ')} has no counterpart`);
}

function toPattern(text: string, isCaseInsensitive: boolean): Condition {
  return { matches: `${isCaseInsensitive ? '(?i)' : ''}^(?:${text})$` };
}

/** The matchers of strings by their names in WireMock. */
const TEXT_MATCHERS: Readonly<Record<string, (operand: unknown, given: Members) => Condition>> = {
  equalTo: (operand, { caseInsensitive }) => {
    const text = readText(operand) ?? '';
    return caseInsensitive === true ? toPattern(escapePattern(text), true) : { equals: text };
  },
  contains: (operand) => ({ contains: readText(operand) }),
  doesNotContain: (operand) => ({ not: { contains: readText(operand) } }),
  matches: (operand) => toPattern(readText(operand) ?? '', false),
  doesNotMatch: (operand) => ({ not: toPattern(readText(operand) ?? '', false) }),
  // Whatever its value is, also false.
  absent: () => ({ present: false }),
  before: (operand) => toDate('lt', operand),
  after: (operand) => toDate('gt', operand),
  hasExactly: (operand) => {
    const [only, ...others] = readList(operand) ?? [];
    if (others.length > 0) throw new NotCarried('hasExactly with several values has no counterpart');
    return toTextCondition(only);
  },
  not: (operand) => ({ not: toTextCondition(operand) }),
};

function toDate(name: 'gt' | 'lt', operand: unknown): Condition {
  const text = readText(operand) ?? '';
  if (!Number.isNaN(Date.parse(text))) return { [name]: text };
  throw new NotCarried(`the date ${text} is relative to the time of the request`);
}

function readList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** Conditions that must all be true, as one. */
function joinConditions<Given>(all: readonly Given[], read: (given: Given) => Condition): Condition {
  let joined: Condition;
  for (const each of all) {
    const condition = read(each);
    joined = joined === undefined ? condition : merge(joined, condition);
    if (joined === undefined) throw new NotCarried('several matchers of one value cannot be combined');
  }
  return joined;
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

/** The condition of the patterns of a body, all of which must match; undefined condition without patterns. @throws NotCarried */
export function toBodyCondition(patterns: unknown): BodyCondition {
  let isExact = false;
  const condition = joinConditions(readList(patterns) ?? [], (pattern) => {
    const given = readObject(pattern);
    if (given['equalToJson'] !== undefined) {
      isExact ||= given['ignoreExtraElements'] !== true;
      return toJsonCondition(given['equalToJson'], given);
    }
    if (given['matchesJsonPath'] !== undefined) return toPathCondition(given['matchesJsonPath']);
    const unknown = ['matchesXPath', 'equalToXml', 'binaryEqualTo', 'matchesJsonSchema'].find(
      (name) => given[name] !== undefined,
    );
    if (unknown !== undefined) throw new NotCarried(`the matcher ${unknown} has no counterpart`);
    return toTextBody(given);
  });
  return { condition, isExact };
}

/** A matcher of the text of a body: of a JSON body only a whole value can be compared. */
function toTextBody(given: Members): Condition {
  const { equalTo } = given;
  const value = typeof equalTo === 'string' ? parseOrKeep(equalTo) : undefined;
  if (typeof value === 'object' && value !== null) return value;
  toTextCondition(given);
  throw new NotCarried('the text of a JSON body cannot be matched; bodies are compared as values');
}

function toJsonCondition(value: unknown, { ignoreArrayOrder }: Members): Condition {
  const json = typeof value === 'string' ? parseOrKeep(value) : value;
  const hasList = JSON.stringify(json).includes('[');
  if (ignoreArrayOrder === true && hasList)
    throw new NotCarried('ignoreArrayOrder has no counterpart: the items of an array are compared in their order');
  return mapScalars(json, replacePlaceholder);
}

/** Placeholders of JsonUnit, such as `${json-unit.any-string}`, as matchers. */
function replacePlaceholder(value: unknown): Condition {
  if (typeof value !== 'string') return value;
  const regex = /^\$\{json-unit\.regex\}(.*)$/s.exec(value)?.[1];
  if (regex !== undefined) return toPattern(regex, false);
  return /^\$\{json-unit\.(?:any|ignore)/.test(value) ? { present: true } : value;
}

function toPathCondition(value: unknown): Condition {
  if (typeof value === 'string') return toPathTest(value);
  const { expression, ...matcher } = readObject(value);
  const path = readText(expression) ?? '';
  const pointer = toBodyPointer(path);
  const inner = toInnerCondition(matcher);
  if (pointer !== undefined) return toNested(pointer, inner);
  throw new NotCarried(`the JSONPath ${path} with a matcher selects more than one value`);
}

function toInnerCondition(matcher: Members): Condition {
  const { equalToJson, equalTo } = matcher;
  if (equalToJson !== undefined) return toJsonCondition(equalToJson, matcher);
  // WireMock compares the selected value as text.
  if (typeof equalTo === 'string') return toTextValue(equalTo);
  return toTextCondition(matcher);
}

const COMPARISON = /^@((?:\.[\w-]+|\['[^']+'\])+)\s*(?:(==|!=|<=|>=|<|>|=~)\s*(.+))?$/;
const OPERATORS: Readonly<Record<string, string>> = { '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte' };

/** A JSONPath alone: it selects something. */
function toPathTest(text: string): Condition {
  // WireMock's library applies a filter of the root to the root itself; RFC 9535 applies it to its members.
  const filter = /^\$\[\?\((.+)\)\]$/.exec(text)?.[1];
  if (filter !== undefined) return joinConditions(filter.split('&&'), (part) => toComparison(part.trim(), text));
  const pointer = toBodyPointer(text);
  if (pointer !== undefined && pointer !== '') return toNested(pointer, { present: true });
  const mistake = compileJsonPath(text);
  if (typeof mistake !== 'string') return { jsonPath: text };
  throw new NotCarried(`the JSONPath ${text} is not one of RFC 9535 (${mistake})`);
}

function toComparison(part: string, whole: string): Condition {
  const [, path = '', operator, written = ''] = COMPARISON.exec(part) ?? [];
  const pointer = path === '' ? undefined : toBodyPointer(`$${path}`);
  const failure = new NotCarried(`the filter of the JSONPath ${whole} has no counterpart`);
  if (pointer === undefined || /\|\|/.test(part)) throw failure;
  if (operator === undefined) return toNested(pointer, { present: true });
  if (operator === '=~') {
    const [, source, flags] = /^\/(.*)\/([a-z]*)$/.exec(written) ?? [];
    if (source === undefined) throw failure;
    return toNested(pointer, toPattern(source, flags === 'i'));
  }
  const quoted = /^'(.*)'$/.exec(written)?.[1];
  const value: unknown = quoted ?? parseOrKeep(written);
  if (quoted === undefined && value === written) throw failure;
  const name = OPERATORS[operator];
  const own = name === undefined ? (operator === '!=' ? { not: value } : value) : { [name]: value };
  return toNested(pointer, own);
}
