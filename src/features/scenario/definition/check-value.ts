import { suggest } from '../../../base/errors.js';
import { isObject, filterMembers } from '../../../base/json.js';
import { readSegments } from '../../../contract/pointer.js';
import { checkNames } from '../../../schema/fields.js';
import type { Violation } from '../../../schema/violation.js';
import {
  dropExpressions,
  type Expression,
  EXPRESSION_FORMS,
  findExpressions,
  parseExpression,
} from '../../../http/request/expression.js';
import { type CheckContext, onlyOperation } from './kinds.js';
import { child, describe, report, type SourceNode } from '../../../contract/load/source-node.js';

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
  const { context, pointers, what, direction } = target;
  const [pointer] = pointers;
  if (!checkNames(node, { fieldsOf: context.fieldsOf, pointers, what }) || pointer === undefined) return;
  const partial = withoutMarks(dropExpressions(node.value));
  // Most items need no completion, and a scenario may have thousands of them.
  if (partial === undefined || context.accepts(pointer, direction)(partial)) return;
  for (const violation of context.check(pointer, direction)(context.complete(pointer, partial), 'body').slice(0, 3)) {
    const at = { ...node, pointer: node.pointer + violation.pointer };
    report(at, `${what} breaks the contract: ${violation.message}`);
  }
}

/** Checks each part of a value that is written, such as a merge patch or the body of a `when`. */
export function checkParts(node: SourceNode, target: SchemaTarget): void {
  if (checkNames(node, { ...target, fieldsOf: target.context.fieldsOf })) visitParts(node, target);
}

function visitParts(node: SourceNode, target: SchemaTarget): void {
  const fields = target.context.fieldsOf(target.pointers);
  if (Array.isArray(node.value) && fields.elements.length > 0) {
    for (const index of node.value.keys()) visitParts(child(node, index), { ...target, pointers: fields.elements });
    return;
  }
  if (!isObject(node.value)) return checkLeaf(node, target);
  for (const name of Object.keys(node.value)) {
    const pointers = fields.members.get(name);
    const part = child(node, name);
    if (part.value === null && fields.required.has(name) && target.direction === 'response') {
      if (!isNullable(pointers ?? [], target))
        report(part, `${target.what} removes ${part.label}, which the schema requires`);
    } else if (pointers !== undefined && part.value !== null) {
      visitParts(part, { ...target, pointers });
    }
  }
}

function isNullable(pointers: readonly string[], { context, direction }: SchemaTarget): boolean {
  return pointers.some((pointer) => context.check(pointer, direction)(null, 'body').length === 0);
}

/** The paths of nulls in a merge patch whose member is required and can be null; any other null removes its member. */
export function findNulls(value: unknown, target: SchemaTarget): readonly (readonly string[])[] {
  if (!isObject(value)) return [];
  const fields = target.context.fieldsOf(target.pointers);
  return Object.entries(value).flatMap(([name, member]) => {
    const pointers = fields.members.get(name) ?? [];
    if (member === null) return fields.required.has(name) && isNullable(pointers, target) ? [[name]] : [];
    return findNulls(member, { ...target, pointers }).map((path) => [name].concat(path));
  });
}

/** Checks a value that has no members of its own. */
export function checkLeaf(node: SourceNode, target: SchemaTarget): void {
  if (findExpressions(node.value).length > 0) return;
  const violation = findViolation([node.value], target, 'body');
  if (violation === undefined) return;
  const field = JSON.stringify(readSegments(node.pointer).at(-1) ?? '');
  // The validator saw the leaf alone, and names it "the answer" or "the body".
  const reason = violation.message.replace(/^the \w+/, `field ${field}`);
  report(node, `${target.what} breaks the contract: ${reason}`);
}

/** The first violation where no value matches any of the schemas; undefined if one does. */
export function findViolation(
  values: readonly unknown[],
  { context, pointers, direction }: SchemaTarget,
  place: 'body' | 'query',
): Violation | undefined {
  const checks = pointers.map((pointer) => context.check(pointer, direction));
  const results = checks.flatMap((check) => values.map((value) => check(value, place)));
  return results.some((violations) => violations.length === 0) ? undefined : results[0]?.[0];
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
  const { in: place, name } = expression;
  if (place === 'vars') checkVariable(node, name, context);
  const operation = onlyOperation(context);
  if (operation === undefined || (place !== 'path' && place !== 'query')) return;
  const names = operation.parameters.filter((each) => each.in === place).map((each) => each.name);
  if (!names.includes(name)) reportParameter(node, { name, in: place, operation: operation.id }, names);
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
  if (!isObject(value) || !Object.keys(value).some((name) => name.startsWith('$'))) return value;
  return filterMembers(value, (name) => !name.startsWith('$'));
}
