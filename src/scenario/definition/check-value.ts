import { suggest } from '../../errors.js';
import type { Contract } from '../../contract/contract.js';
import { isObject, type Schema } from '../../contract/json.js';
import { escapeSegment, readSegments } from '../../contract/pointer.js';
import {
  dropExpressions,
  type Expression,
  EXPRESSION_FORMS,
  findExpressions,
  parseExpression,
} from '../rules/expression.js';
import type { CheckContext } from './kinds.js';
import { child, describe, report, type SourceNode } from './source.js';

/** The schemas that a value is checked against. */
export interface SchemaTarget {
  readonly context: CheckContext;
  /** Pointers of the schemas; the value must match one of them. */
  readonly pointers: readonly string[];
  readonly direction: 'request' | 'response';
  /** How messages name the whole value: `the body of 404`. */
  readonly what: string;
}

/** Checks a value that may leave out what the schema can supply: completed, it must be valid. */
export function checkPartial(node: SourceNode, target: SchemaTarget): void {
  const [pointer] = target.pointers;
  if (!checkNames(node, target) || pointer === undefined) return;
  const partial = withoutMarks(dropExpressions(node.value));
  const whole = partial === undefined ? undefined : target.context.complete(pointer, partial);
  if (whole === undefined) return;
  for (const violation of target.context.check(pointer, target.direction)(whole, 'body').slice(0, 3)) {
    const at = { ...node, pointer: node.pointer + violation.pointer };
    report(at, `${target.what} breaks the contract: ${violation.message}`);
  }
}

/** Checks each part of a value that is written, such as a merge patch or the body of a `when`. */
export function checkParts(node: SourceNode, target: SchemaTarget): void {
  if (checkNames(node, target)) visitParts(node, target);
}

/** Reports names that no branch of the schema has; returns whether there are none. */
function checkNames(node: SourceNode, target: SchemaTarget): boolean {
  const { value } = node;
  if (typeof value !== 'object' || value === null) return true;
  const fields = readFields(target.context.contract, target.pointers);
  if (Array.isArray(value)) {
    if (fields.items.length === 0) return true;
    const items = value.map((_, i) => checkNames(child(node, i), { ...target, pointers: fields.items }));
    return items.every(Boolean);
  }
  // `$parent`, `$content` and the like are marks of the store, not fields.
  const names = Object.keys(value).filter((name) => !name.startsWith('$'));
  const checks = names.map((name) => {
    const pointers = fields.properties.get(name);
    if (pointers !== undefined) return checkNames(child(node, name), { ...target, pointers });
    if (fields.open) return true;
    const known = [...fields.properties.keys()];
    const hint = suggest(name, known) ?? `fields of the schema: ${known.slice(0, 12).join(', ')}`;
    report(child(node, name), `${target.what} has no field ${JSON.stringify(name)}`, hint);
    return false;
  });
  return checks.every(Boolean);
}

function visitParts(node: SourceNode, target: SchemaTarget): void {
  const fields = readFields(target.context.contract, target.pointers);
  if (Array.isArray(node.value) && fields.items.length > 0) {
    for (const index of node.value.keys()) visitParts(child(node, index), { ...target, pointers: fields.items });
    return;
  }
  if (!isObject(node.value)) return checkLeaf(node, target);
  for (const name of Object.keys(node.value)) {
    const pointers = fields.properties.get(name);
    const part = child(node, name);
    if (part.value === null && fields.required.has(name) && target.direction === 'response') {
      report(part, `${target.what} removes ${part.label}, which the schema requires`);
    } else if (pointers !== undefined && part.value !== null) {
      visitParts(part, { ...target, pointers });
    }
  }
}

function checkLeaf(node: SourceNode, { context, pointers, direction, what }: SchemaTarget): void {
  if (pointers.length === 0 || findExpressions(node.value).length > 0) return;
  const results = pointers.map((pointer) => context.check(pointer, direction)(node.value, 'body'));
  if (results.some((violations) => violations.length === 0)) return;
  const field = JSON.stringify(readSegments(node.pointer).at(-1) ?? '');
  // The validator saw the leaf alone, and names it "the answer" or "the body".
  const reason = results[0]?.[0]?.message.replace(/^the \w+/, `field ${field}`) ?? `field ${field} does not match`;
  report(node, `${what} breaks the contract: ${reason}`);
}

/** Reports expressions that cannot be parsed, or that name an unknown parameter or variable. */
export function checkExpressions(node: SourceNode, context: CheckContext): void {
  for (const found of findExpressions(node.value)) {
    const at = { ...node, pointer: node.pointer + found.pointer };
    const expression = parseExpression(found.text);
    if (expression === undefined) {
      report(at, `${describe(found.text)} is not a valid runtime expression`, `write ${EXPRESSION_FORMS}`);
    } else {
      checkExpression(at, expression, context);
    }
  }
}

function checkExpression(node: SourceNode, expression: Expression, context: CheckContext): void {
  if (expression.kind === 'variable') checkVariable(node, expression.name, context);
  if (expression.kind !== 'request' || expression.in === 'header' || expression.in === 'cookie') return;
  for (const operation of context.operations.length === 1 ? context.operations : []) {
    const names = operation.parameters.filter((each) => each.in === expression.in).map((each) => each.name);
    if (!names.includes(expression.name)) {
      reportParameter(node, { name: expression.name, in: expression.in, operation: operation.id }, names);
    }
  }
}

/** Reports a variable that nothing sets. */
export function checkVariable(node: SourceNode, name: string, { variables }: CheckContext): void {
  if (variables.has(name)) return;
  const hint = suggest(name, variables) ?? 'give it an initial value under "vars" at the top of the file';
  report(node, `unknown variable ${JSON.stringify(name)}`, hint);
}

/** Reports a parameter that an operation does not declare. */
export function reportParameter(
  node: SourceNode,
  parameter: { readonly name: string; readonly in: string; readonly operation: string },
  names: readonly string[],
): void {
  const { name, in: place, operation } = parameter;
  const known = names.length === 0 ? `it has no ${place} parameters` : `${place} parameters: ${names.join(', ')}`;
  const message = `${place} parameter ${JSON.stringify(name)} is not declared for ${JSON.stringify(operation)}`;
  report(node, message, suggest(name, names) ?? known);
}

/** An item without the marks of the store (`$parent`, `$content`). */
function withoutMarks(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !name.startsWith('$')));
}

/** The properties that an object can have by its schemas, in any branch. */
interface Fields {
  /** Pointers of the schemas of each property, by name. */
  readonly properties: Map<string, readonly string[]>;
  /** Pointers of the schemas of array items. */
  readonly items: string[];
  /** Whether other names are allowed explicitly (`additionalProperties`, `patternProperties`), or none is declared. */
  open: boolean;
  /** Names that every branch requires. */
  readonly required: Set<string>;
  /** Pointers of the schemas that were read. */
  readonly seen: Set<string>;
}

/** The fields of several schemas together, through `$ref`, `allOf`, `anyOf` and `oneOf`. */
function readFields(contract: Contract, pointers: readonly string[]): Fields {
  const draft: Fields = { properties: new Map(), items: [], required: new Set(), open: false, seen: new Set() };
  for (const pointer of pointers) collectFields(contract, { pointer, isBranch: false }, draft);
  return { ...draft, open: draft.open || draft.properties.size === 0 };
}

function collectFields(
  contract: Contract,
  { pointer, isBranch }: { readonly pointer: string; readonly isBranch: boolean },
  draft: Fields,
): void {
  if (draft.seen.has(pointer)) return;
  draft.seen.add(pointer);
  // The pointers are those of schemas of the contract.
  const schema = contract.at(pointer) as Schema | undefined;
  if (typeof schema !== 'object' || schema === null) {
    draft.open ||= schema === true;
    return;
  }
  if (schema.$ref !== undefined) {
    collectFields(contract, { pointer: contract.resolve(schema, pointer).pointer, isBranch }, draft);
  }
  for (const name of Object.keys(schema.properties ?? {})) {
    const pointers = draft.properties.get(name) ?? [];
    draft.properties.set(name, [...pointers, `${pointer}/properties/${escapeSegment(name)}`]);
  }
  if (!isBranch) for (const name of schema.required ?? []) draft.required.add(name);
  if (schema.items !== undefined) draft.items.push(`${pointer}/items`);
  const { patternProperties, additionalProperties = false } = schema;
  draft.open ||= patternProperties !== undefined || additionalProperties !== false;
  for (const keyword of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const index of (schema[keyword] ?? []).keys()) {
      const branch = { pointer: `${pointer}/${keyword}/${index}`, isBranch: isBranch || keyword !== 'allOf' };
      collectFields(contract, branch, draft);
    }
  }
}
