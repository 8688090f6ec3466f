import { mapScalars, mapValues, parseOrKeep } from '../../../base/json.js';
import { compileJsonPath } from '../../../features/scenario/definition/json-path.js';
import { escapePattern } from '../../../base/text.js';
import { joinConditions } from '../conditions.js';
import {
  type Condition,
  type Conditions,
  listOthers,
  NotCarried,
  readConditionMembers,
  readObject,
  readText,
  toTextValue,
} from '../stub.js';
import { toBodyPointer, toNested } from '../templates.js';

type Members = Readonly<Record<string, unknown>>;

/** The condition of a matcher of a header, a query parameter, a cookie or a part of a path. @throws NotCarried */
export function toTextCondition(value: unknown): Condition {
  const given = readObject(value);
  const name = Object.keys(TEXT_MATCHERS).find((each) => given[each] !== undefined);
  const convert = name === undefined ? undefined : TEXT_MATCHERS[name];
  if (name === undefined || convert === undefined)
    throw new NotCarried(`the matcher ${Object.keys(given).join(', ')} has no counterpart`);
  rejectOthers(given, name, name === 'equalTo' ? ['caseInsensitive'] : []);
  return convert(given[name], given);
}

/** A matcher with a member that is not read would match more than the old one. @throws NotCarried */
function rejectOthers(given: Members, matcher: string, known: readonly string[]): void {
  const others = listOthers(given, new Set([matcher, ...known]));
  if (others.length > 0) throw new NotCarried(`${others.join(', ')} of the matcher ${matcher} has no counterpart`);
}

/** The conditions of the fields of a form by their names, as those of a body. @throws NotCarried */
export function toFormCondition(fields: unknown): Conditions {
  return mapValues(readConditionMembers(fields, 'formParameters'), (matcher) => toInnerCondition(readObject(matcher)));
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
  // One condition of a parameter is true if one of its values meets it.
  hasExactly: (operand) => toTextCondition(readOnly('hasExactly', operand)),
  includes: (operand) => toTextCondition(readOnly('includes', operand)),
  not: (operand) => ({ not: toTextCondition(operand) }),
  and: (operand) => joinConditions(readMatcherList('and', operand), toTextCondition),
  or: (operand) => ({ oneOf: readMatcherList('or', operand).map(toTextCondition) }),
};

function readOnly(name: string, operand: unknown): unknown {
  const [only, ...others] = readMatcherList(name, operand);
  if (others.length > 0) throw new NotCarried(`${name} with several values has no counterpart`);
  return only;
}

function readMatcherList(name: string, operand: unknown): readonly unknown[] {
  const list = readList(operand) ?? [];
  if (list.length === 0) throw new NotCarried(`${name} without matchers has no counterpart`);
  return list;
}

function toDate(name: 'gt' | 'lt', operand: unknown): Condition {
  const text = readText(operand) ?? '';
  if (!Number.isNaN(Date.parse(text))) return { [name]: text };
  throw new NotCarried(`the date ${text} is relative to the time of the request`);
}

function readList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** The condition of a body. */
interface BodyCondition {
  readonly condition: Condition;
  /** Whether other properties do not match. */
  readonly isExact: boolean;
}

/** The condition of the patterns of a body, which must all match; undefined condition without patterns. @throws NotCarried */
export function toBodyCondition(patterns: unknown): BodyCondition {
  const all = patterns === undefined ? [] : readList(patterns);
  if (all === undefined) throw new NotCarried('bodyPatterns is not a list');
  let isExact = false;
  const condition = joinConditions(all, (pattern) => {
    const given = readObject(pattern);
    if (given['equalToJson'] !== undefined) {
      isExact ||= given['ignoreExtraElements'] !== true;
      rejectOthers(given, 'equalToJson', ['ignoreExtraElements', 'ignoreArrayOrder']);
      return toJsonCondition(given['equalToJson'], given);
    }
    if (given['matchesJsonPath'] !== undefined) {
      rejectOthers(given, 'matchesJsonPath', []);
      return toPathCondition(given['matchesJsonPath']);
    }
    isExact = true;
    return toTextBody(given);
  });
  return { condition, isExact };
}

/** A matcher of the text of a body: of a JSON body only a whole value can be compared. */
function toTextBody(given: Members): Condition {
  const { equalTo } = given;
  const value = typeof equalTo === 'string' ? parseOrKeep(equalTo) : undefined;
  if (typeof value === 'object' && value !== null && Object.keys(given).length === 1) return value;
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
  const { equalToJson, equalTo, ...others } = matcher;
  if (equalToJson !== undefined) {
    rejectOthers(matcher, 'equalToJson', ['ignoreExtraElements', 'ignoreArrayOrder']);
    const condition = toJsonCondition(equalToJson, matcher);
    if (others['ignoreExtraElements'] !== true && JSON.stringify(condition).includes('{')) {
      const hint = 'add "ignoreExtraElements": true, or match the whole body';
      throw new NotCarried('equalToJson for an object within the body has no counterpart', hint);
    }
    return condition;
  }
  // WireMock compares the selected value as text.
  if (typeof equalTo === 'string' && Object.keys(others).length === 0) return toTextValue(equalTo);
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
