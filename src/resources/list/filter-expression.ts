import { isIdValue } from '../../base/exact-number.js';
import { isObject } from '../../base/json.js';
import { toBareName } from '../../base/names.js';
import type { SchemaView } from '../../contract/schema-view/schema-view.js';
import { holds } from './comparisons.js';

/** The test of a filter expression, or the reason why it has no effect. */
export type FilterExpression =
  | { readonly test: (item: unknown) => boolean; readonly problem?: undefined }
  | { readonly test?: undefined; readonly problem: string };

/** Longer expressions, and those with more parentheses inside each other, have no effect. */
const MAX_LENGTH = 4000;
const MAX_DEPTH = 50;

/**
 * Reads a filter expression: comparisons of properties with `and`, `or`, `not` and parentheses.
 *
 * It reads what the languages of OData 4 (`startswith(name,'A') and size gt 3`, part 2 section 5.1.1), SCIM (`emails.value co "x"`, RFC 7644
 * section 3.4.2.2) and Google's APIs (`state = ACTIVE AND size >= 3`, AIP-160) have in common, whichever the document means.
 */
export function readFilterExpression(text: string, schema: SchemaView | undefined): FilterExpression {
  const tokens = text.length > MAX_LENGTH ? undefined : readTokens(text);
  if (tokens === undefined) return NOT_READ;
  const reader: Reader = { tokens, at: 0, depth: 0, names: [], flags: new Set() };
  const test = readAlternatives(reader);
  if (test === undefined || reader.at < tokens.length) return NOT_READ;
  const problem = schema === undefined || schema.members.size === 0 ? undefined : findProblem(schema, reader);
  return problem === undefined ? { test: (item) => test({ item, element: undefined }) } : { problem };
}

const NOT_READ: FilterExpression = { problem: 'the expression cannot be read' };

/** Why an expression says nothing about items of a schema. */
function findProblem({ members: properties }: SchemaView, { names, flags }: Reader): string | undefined {
  for (const name of names) {
    const bare = toBareName(name);
    const declared = properties.get(name) ?? [...properties.values()].find((property) => property.bare === bare);
    if (declared === undefined) return `items have no property "${name}"`;
    const isFlag = [declared.schema.type ?? 'boolean'].flat().includes('boolean');
    if (flags.has(name) && !isFlag) return `"${name}" is compared with nothing`;
  }
  return undefined;
}

interface Token {
  readonly kind: 'sign' | 'string' | 'word';
  readonly text: string;
}

const DATE = String.raw`\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)?`;
/** A date, a string with or without the name of its type (`guid'…'`), an operator, or a word. */
const TOKEN = new RegExp(
  String.raw`\s*(?:(?<date>${DATE})|[\w.]*'(?<single>(?:[^']|'')*)'|"(?<double>(?:[^"\\]|\\.)*)"|(?<sign><=|>=|!=|<>|==|[()=<>:~,])|(?<word>[^\s()=<>:~,!'"]+))`,
  'gy',
);

/** Undefined where the text has something else. */
function readTokens(text: string): readonly Token[] | undefined {
  const tokens: Token[] = [];
  let end = 0;
  for (const {
    0: { length },
    groups = {},
  } of text.matchAll(TOKEN)) {
    const { date, single, double, sign, word } = groups;
    end += length;
    if (sign !== undefined) tokens.push({ kind: 'sign', text: sign });
    else if (single !== undefined) tokens.push({ kind: 'string', text: single.replaceAll("''", "'") });
    else if (double !== undefined) tokens.push({ kind: 'string', text: double.replaceAll(/\\(.)/gs, '$1') });
    else tokens.push({ kind: 'word', text: date ?? word ?? '' });
  }
  return text.slice(end).trim() === '' ? tokens : undefined;
}

/** The input of a test: the item, and the element of an array that `any` and `all` look at. */
interface Scope {
  readonly item: unknown;
  readonly element: { readonly name: string; readonly value: unknown } | undefined;
}

type Test = (scope: Scope) => boolean;
type Operand = (scope: Scope) => unknown;

interface Reader {
  readonly tokens: readonly Token[];
  at: number;
  depth: number;
  /** The properties that are compared, without properties of elements. */
  readonly names: string[];
  /** The properties that are not compared with a value. */
  readonly flags: Set<string>;
}

/** Reads a token if it is one of some signs or words, which have no case. */
function take(reader: Reader, ...texts: readonly string[]): string | undefined {
  const token = reader.tokens[reader.at];
  if (token === undefined || token.kind === 'string') return undefined;
  const text = token.text.toLowerCase();
  if (!texts.includes(text)) return undefined;
  reader.at++;
  return text;
}

function readAlternatives(reader: Reader, element?: string): Test | undefined {
  const tests: Test[] = [];
  do {
    const test = readTerms(reader, element);
    if (test === undefined) return undefined;
    tests.push(test);
  } while (take(reader, 'or', '||') !== undefined);
  return (scope) => tests.some((test) => test(scope));
}

/** Terms that all have to hold; AIP-160 leaves `AND` out. */
function readTerms(reader: Reader, element: string | undefined): Test | undefined {
  const tests: Test[] = [];
  for (;;) {
    const test = readTerm(reader, element);
    if (test === undefined) return undefined;
    tests.push(test);
    const next = reader.tokens[reader.at];
    const isNext = take(reader, 'and', '&&') !== undefined;
    if (isNext) continue;
    const isWord = next?.kind === 'word' && !/^(or|\|\|)$/i.test(next.text);
    if (!isWord) return (scope) => tests.every((each) => each(scope));
  }
}

function readTerm(reader: Reader, element: string | undefined): Test | undefined {
  if (reader.depth >= MAX_DEPTH) return undefined;
  reader.depth++;
  const test = readWholeTerm(reader, element);
  reader.depth--;
  return test;
}

function readWholeTerm(reader: Reader, element: string | undefined): Test | undefined {
  if (take(reader, 'not') !== undefined) {
    const test = readTerm(reader, element);
    return test && ((scope) => !test(scope));
  }
  if (take(reader, '(') !== undefined) {
    const test = readAlternatives(reader, element);
    return take(reader, ')') === undefined ? undefined : test;
  }
  return readCall(reader, element) ?? readComparison(reader, element);
}

/** The functions of two strings; `substringof` of OData 3 has the property last. */
const FUNCTIONS: ReadonlyMap<string, (text: string, part: string) => boolean> = new Map([
  ['contains', (text, part) => text.includes(part)],
  ['startswith', (text, part) => text.startsWith(part)],
  ['endswith', (text, part) => text.endsWith(part)],
  ['substringof', (part, text) => text.includes(part)],
]);

/** `startswith(name,'A')`, `tags/any(t:t eq 'a')`; undefined, with nothing read, for anything else. */
function readCall(reader: Reader, element: string | undefined): Test | undefined {
  const [name, open] = reader.tokens.slice(reader.at, reader.at + 2);
  if (name?.kind !== 'word' || open?.kind !== 'sign' || open.text !== '(') return undefined;
  const start = reader.at;
  reader.at += 2;
  const lambda = /^(.+)\/(any|all)$/i.exec(name.text);
  const found = FUNCTIONS.get(name.text.toLowerCase());
  const test =
    lambda?.[1] !== undefined
      ? readLambda(reader, toOperand(reader, lambda[1], element), lambda[2]?.toLowerCase() === 'all')
      : found && readTextTest(reader, element, found);
  if (test === undefined) reader.at = start;
  return test;
}

/** `contains(name,'a')`, also with `eq true` or `eq false` after it. */
function readTextTest(
  reader: Reader,
  element: string | undefined,
  compare: (text: string, part: string) => boolean,
): Test | undefined {
  const first = readArgument(reader, element);
  const second = take(reader, ',') === undefined ? undefined : readArgument(reader, element);
  if (first === undefined || second === undefined || take(reader, ')') === undefined) return undefined;
  const wanted = take(reader, 'eq') === undefined ? 'true' : take(reader, 'true', 'false');
  if (wanted === undefined) return undefined;
  return (scope) => {
    const isFound = listValues(first(scope)).some((one) =>
      listValues(second(scope)).some((other) => compare(toLowerText(one), toLowerText(other))),
    );
    return isFound === (wanted === 'true');
  };
}

function readLambda(reader: Reader, list: Operand, isForAll: boolean): Test | undefined {
  if (take(reader, ')') !== undefined) return (scope) => listElements(list(scope)).length > 0;
  const name = reader.tokens[reader.at++]?.text ?? '';
  const test = take(reader, ':') === undefined ? undefined : readAlternatives(reader, name);
  if (test === undefined || take(reader, ')') === undefined) return undefined;
  return (scope) => {
    const elements = listElements(list(scope));
    const holdsFor = (value: unknown): boolean => test({ ...scope, element: { name, value } });
    return isForAll ? elements.every(holdsFor) : elements.some(holdsFor);
  };
}

/** The operators of comparisons, with the signs of `holds`. */
const OPERATORS: ReadonlyMap<string, string> = new Map(
  ['= eq = == has', ': :', '~ ~ co', '> > gt', '>= >= ge', '< < lt', '<= <= le'].flatMap((line) => {
    const [sign = '', ...names] = line.split(' ');
    return names.map((name) => [name, sign] as const);
  }),
);

/** A property alone is a flag: `enabled and not archived`. */
function readComparison(reader: Reader, element: string | undefined): Test | undefined {
  const before = reader.names.length;
  const own = readProperty(reader, element);
  if (own === undefined) return undefined;
  if (take(reader, 'pr') !== undefined) return (scope) => listElements(own(scope)).length > 0;
  if (take(reader, 'in') !== undefined) {
    const wanted = readList(reader);
    return wanted && ((scope) => listValues(own(scope)).some((value) => wanted.some((each) => isEqual(value, each))));
  }
  const operator = take(reader, 'ne', '!=', '<>', 'sw', 'ew', ...OPERATORS.keys());
  if (operator === undefined) {
    for (const name of reader.names.slice(before)) reader.flags.add(name);
    return (scope) => own(scope) === true;
  }
  const wanted = readLiteral(reader);
  return wanted === undefined ? undefined : toComparison(own, operator, wanted);
}

function toComparison(own: Operand, operator: string, wanted: string): Test {
  const some =
    (test: (value: unknown) => boolean): Test =>
    (scope) =>
      listValues(own(scope)).some(test);
  const equals = some((value) => isEqual(value, wanted));
  // AIP-160: `name:*` is any value, and `name = "a*"` what begins with it.
  if (wanted === '*') return some((value) => value !== undefined && value !== null);
  const start = operator === 'sw' ? wanted : /^(.+)\*$/s.exec(operator === '=' ? wanted : '')?.[1];
  if (start !== undefined) return some((value) => toLowerText(value).startsWith(start.toLowerCase()));
  if (operator === 'ew') return some((value) => toLowerText(value).endsWith(wanted.toLowerCase()));
  const sign = OPERATORS.get(operator);
  if (sign === undefined) return (scope) => !equals(scope);
  if (sign === '=') return equals;
  if (sign === ':') return some((value) => isEqual(value, wanted) || holds(value, '~', wanted));
  return some((value) => holds(value, sign, wanted));
}

/** Compares strings without case, as SCIM does for most attributes, and most services do with OData. */
function isEqual(value: unknown, wanted: string): boolean {
  return holds(value, '=', wanted) || (typeof value === 'string' && toLowerText(value) === wanted.toLowerCase());
}

/** The values of `in ('a','b')`. */
function readList(reader: Reader): readonly string[] | undefined {
  if (take(reader, '(') === undefined) return undefined;
  const values: string[] = [];
  do {
    const value = readLiteral(reader);
    if (value === undefined) return undefined;
    values.push(value);
  } while (take(reader, ',') !== undefined);
  return take(reader, ')') === undefined ? undefined : values;
}

/** Functions that change the case of a string, which comparisons ignore. */
const CASE = /^(tolower|toupper|trim|lower|upper)$/i;

/** Reads what is in `tolower(…)`, or the same without a function. */
function inCase<Result>(reader: Reader, read: () => Result | undefined): Result | undefined {
  const [name, open] = reader.tokens.slice(reader.at, reader.at + 2);
  if (name?.kind !== 'word' || open?.text !== '(' || !CASE.test(name.text)) return read();
  reader.at += 2;
  const result = read();
  return take(reader, ')') === undefined ? undefined : result;
}

function readArgument(reader: Reader, element: string | undefined): Operand | undefined {
  const token = reader.tokens[reader.at];
  if (token?.kind !== 'string') return readProperty(reader, element);
  reader.at++;
  return () => token.text;
}

/** A string, a number, a date, `true`, `null`, or a word. */
function readLiteral(reader: Reader): string | undefined {
  return inCase(reader, () => {
    const token = reader.tokens[reader.at++];
    return token?.kind === 'sign' ? undefined : token?.text;
  });
}

function readProperty(reader: Reader, element: string | undefined): Operand | undefined {
  return inCase(reader, () => {
    const token = reader.tokens[reader.at++];
    return token?.kind === 'word' ? toOperand(reader, token.text, element) : undefined;
  });
}

/** The value of a path (`address/city`, `name.familyName`) in an item, or in the element that `any` and `all` look at. */
function toOperand(reader: Reader, text: string, element: string | undefined): Operand {
  const path = text.includes('/') ? text.split('/') : [text];
  if (element !== undefined && path[0] === element) return (scope) => readDeep(scope.element?.value, path.slice(1));
  const [first = '', ...rest] = path[0]?.startsWith('@') === true ? path : path.flatMap((step) => step.split('.'));
  reader.names.push(first);
  return ({ item }) => readDeep(item, [first, ...rest]);
}

/** The value at a path; in arrays, the values of all elements. Names have no case, as in SCIM, unless a property has exactly this name. */
function readDeep(value: unknown, path: readonly string[]): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  if (Array.isArray(value)) return value.flatMap((each) => readDeep(each, path));
  if (!isObject(value)) return undefined;
  const own = Object.hasOwn(value, name)
    ? name
    : Object.keys(value).find((key) => toBareName(key) === toBareName(name));
  return own === undefined ? undefined : readDeep(value[own], rest);
}

/** An array, or the only value of one. */
function listValues(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** The elements of an array, or the value; none for no value. */
function listElements(value: unknown): readonly unknown[] {
  return listValues(value).filter((each) => each !== undefined && each !== null);
}

function toLowerText(value: unknown): string {
  return isIdValue(value) ? String(value).toLowerCase() : '';
}
