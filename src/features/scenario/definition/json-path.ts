import type * as jsonP3 from 'json-p3';
import { createRequire } from 'node:module';
import { readPattern } from '../../../contract/upgrade/patterns.js';
import { suggest } from '../../../base/errors.js';
import { memoize } from '../../../base/memoize.js';
import type { FieldsReader } from '../../../contract/schema-view/fields.js';
import type { Domain } from './domain.js';
import { isError } from '../../../base/platform.js';

type Library = typeof jsonP3;
type Query = InstanceType<Library['JSONPathQuery']>;
type Selector = InstanceType<Library['jsonpath']['JSONPathSelector']>;
type Expression = InstanceType<Library['jsonpath']['expressions']['FilterExpression']>;

/** A compiled JSONPath (RFC 9535). */
export interface JsonPath {
  /** Whether it selects at least one node of a value. */
  selects(value: unknown): boolean;
  /** The first part that selects nothing in any value of the schemas; undefined if there is none. */
  findMistake(target: JsonPathTarget): JsonPathMistake | undefined;
}

/** The value that a JSONPath is applied to. */
interface JsonPathTarget {
  readonly pointers: readonly string[];
  readonly fieldsOf: FieldsReader;
  domainOf(pointers: readonly string[]): Domain;
}

/** A part of a JSONPath that the schemas exclude. */
interface JsonPathMistake {
  /** The end of a sentence: `has no field "qty"`. */
  readonly says: string;
  readonly hint: string;
}

/** How many patterns of `match()` and `search()` that a value decides are kept. */
const MAX_PATTERNS = 100;

/** Compiles a JSONPath. @returns the reason if it is not a valid one. */
export function compileJsonPath(text: string): JsonPath | string {
  // Loaded on demand and synchronously: few scenarios have a JSONPath, and a scenario can be added at any time.
  const library = createRequire(import.meta.url)('json-p3') as Library;
  const environment = new library.JSONPathEnvironment();
  replacePatterns(environment.functionRegister);
  let query: Query;
  try {
    query = environment.compile(text);
  } catch (error) {
    return isError(error) ? error.message : String(error);
  }
  return {
    selects: (value) => {
      try {
        // Values of requests are JSON.
        return query.match(value as Parameters<Query['match']>[0]) !== undefined;
      } catch (error) {
        if (error instanceof library.JSONPathRecursionLimitError) return false;
        throw error;
      }
    },
    findMistake: (target) => findMistake(library.jsonpath, query, target),
  };
}

/** Makes `match()` and `search()` read patterns as the contract does, in linear time. */
function replacePatterns(functions: InstanceType<Library['JSONPathEnvironment']>['functionRegister']): void {
  const replace = (name: 'match' | 'search', toPattern: (pattern: string) => string): void => {
    const own = functions.get(name);
    if (own === undefined) return;
    const read = memoize((pattern: string) => readPattern(toPattern(pattern)).pattern, MAX_PATTERNS);
    const call = (value: unknown, pattern: unknown): boolean =>
      typeof value === 'string' && typeof pattern === 'string' && read(pattern).test(value);
    functions.set(name, { argTypes: own.argTypes, returnType: own.returnType, call });
  };
  // RFC 9535 2.4.6 and 2.4.7: `match` compares the whole string.
  replace('match', (pattern) => `^(?:${pattern})$`);
  replace('search', (pattern) => pattern);
}

/** Pointers of the schemas of the nodes that a segment selects; undefined: any value. */
type Nodes = readonly string[] | undefined;

type Report = (says: string, hint: string) => void;

/** The most schemas below a value that are followed for `..`. */
const MAX_SCHEMAS = 2000;

function findMistake(library: Library['jsonpath'], query: Query, target: JsonPathTarget): JsonPathMistake | undefined {
  let mistake: JsonPathMistake | undefined;
  const select = createSelect(target, (says, hint) => {
    mistake ??= { says, hint };
  });
  walkQuery({ ...library, ...target, select }, query, target.pointers);
  return mistake;
}

/** How the schemas of selected nodes are found. */
function createSelect({ fieldsOf, domainOf }: JsonPathTarget, report: Report) {
  const children = (pointers: readonly string[]): Nodes => {
    const { members: properties, elements: items, open } = fieldsOf(pointers);
    const below = [...properties.values()];
    const isOpen = open || below.some((each) => each.length === 0);
    if (isOpen && domainOf(pointers).types?.has('object') !== false) return undefined;
    return [...below.flat(), ...items];
  };
  const descendants = (pointers: readonly string[]): Nodes => {
    const seen = new Set(pointers);
    for (const pointer of seen) {
      const below = seen.size > MAX_SCHEMAS ? undefined : children([pointer]);
      if (below === undefined) return undefined;
      for (const each of below) seen.add(each);
    }
    return [...seen];
  };
  const name = (given: string, pointers: readonly string[]): Nodes => {
    const { members: properties, open } = fieldsOf(pointers);
    const found = properties.get(given);
    if (found !== undefined) return found.length === 0 ? undefined : found;
    const { types } = domainOf(pointers);
    const isObject = types?.has('object') !== false;
    if (open && isObject) return undefined;
    const names = [...properties.keys()];
    const known = names.length === 0 ? 'it has no fields' : `fields of the schema: ${names.slice(0, 12).join(', ')}`;
    const inArray = !isObject && types.has('array') ? `the value there is an array: write [*].${given}` : undefined;
    report(`has no field ${JSON.stringify(given)} there`, inArray ?? suggest(given, names) ?? known);
    return [];
  };
  const items = (pointers: readonly string[]): Nodes => {
    const found = fieldsOf(pointers).elements;
    return found.length === 0 ? undefined : found;
  };
  /** Checks the comparison of nodes with a string. */
  const equal = (literal: string, nodes: Nodes): void => {
    const values = nodes === undefined || nodes.length === 0 ? undefined : domainOf(nodes).values;
    if (values === undefined || values.includes(literal)) return;
    const known = `its values are ${values.map((value) => JSON.stringify(value)).join(', ')}`;
    report(`has no value ${JSON.stringify(literal)} there`, suggest(literal, values.map(String)) ?? known);
  };
  return { children, descendants, name, items, equal };
}

/** The classes of the library, the value, and how nodes are selected. */
type Walk = Library['jsonpath'] &
  Pick<JsonPathTarget, 'pointers'> & { readonly select: ReturnType<typeof createSelect> };

function walkQuery(walk: Walk, { segments }: Query, from: Nodes): Nodes {
  return segments.reduce<Nodes>((nodes, segment) => {
    // Only a descendant segment starts with two dots.
    const isDeep = nodes !== undefined && String(segment).startsWith('..');
    const pointers = isDeep ? walk.select.descendants(nodes) : nodes;
    if (pointers === undefined || pointers.length === 0) return pointers;
    const selected = segment.selectors.map((selector) => walkSelector(walk, selector, pointers));
    return selected.every((each) => each !== undefined) ? [...new Set(selected.flat())] : undefined;
  }, from);
}

function walkSelector(walk: Walk, selector: Selector, pointers: readonly string[]): Nodes {
  const { selectors, select } = walk;
  if (selector instanceof selectors.NameSelector) return select.name(selector.name, pointers);
  const children = select.children(pointers);
  if (selector instanceof selectors.FilterSelector) walkExpression(walk, selector.expression, children);
  const isIndex = selector instanceof selectors.IndexSelector || selector instanceof selectors.SliceSelector;
  return isIndex ? select.items(pointers) : children;
}

/** @param current - The nodes that `@` selects. */
function walkExpression(walk: Walk, expression: Expression, current: Nodes): Nodes {
  const { expressions: kinds, select } = walk;
  const visit = (each: Expression): Nodes => walkExpression(walk, each, current);
  if (expression instanceof kinds.RelativeQuery) return walkQuery(walk, expression.path, current);
  if (expression instanceof kinds.RootQuery) return walkQuery(walk, expression.path, walk.pointers);
  if (expression instanceof kinds.LogicalExpression) return visit(expression.expression);
  if (expression instanceof kinds.PrefixExpression) return visit(expression.right);
  if (expression instanceof kinds.FunctionExtension) expression.args.forEach(visit);
  if (!(expression instanceof kinds.InfixExpression)) return undefined;
  const { left, right, operator } = expression;
  const [ofLeft, ofRight] = [visit(left), visit(right)];
  if (operator === '==' && left instanceof kinds.StringLiteral) select.equal(left.value, ofRight);
  if (operator === '==' && right instanceof kinds.StringLiteral) select.equal(right.value, ofLeft);
  return undefined;
}
