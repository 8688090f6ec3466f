import type { Contract } from '../../contract/contract.js';
import { isObject, type Schema } from '../../contract/json.js';
import { escapeSegment, readSegments, toPointer } from '../../contract/pointer.js';
import type { Ground, Reading } from '../ground.js';
import {
  dropExpressions,
  type Expression,
  EXPRESSION_FORMS,
  findExpressions,
  readExpression,
} from '../rules/expression.js';
import { describe, type Given, member } from './read.js';
import { didYouMean } from './source.js';

/** Which schemas a value is held against, and in what role. */
export interface Against {
  readonly ground: Ground;
  /** Where the schemas stand; the value must suit one of them. */
  readonly pointers: readonly string[];
  readonly direction: 'request' | 'response';
  /** How messages call the whole: `the body of 404`. */
  readonly what: string;
}

/** Notes names that no branch of the schema knows; says whether all was well. */
function checkNames(given: Given, against: Against): boolean {
  if (Array.isArray(given.value)) {
    const items = readFields(against.ground.contract, against.pointers).items;
    if (items.length === 0) return true;
    return given.value.map((_, i) => checkNames(member(given, i), { ...against, pointers: items })).every(Boolean);
  }
  if (!isObject(given.value)) return true;
  const fields = readFields(against.ground.contract, against.pointers);
  let fine = true;
  for (const name of Object.keys(given.value)) {
    const places = fields.properties.get(name);
    // `$parent`, `$content` and the like are marks of the store, not fields.
    if (name.startsWith('$')) continue;
    if (places !== undefined) {
      fine = checkNames(member(given, name), { ...against, pointers: places }) && fine;
    } else if (!fields.open) {
      const names = [...fields.properties.keys()];
      const hint = didYouMean(name, names, `the schema knows ${names.slice(0, 12).join(', ')}`);
      given.notes.wrong(given.pointer + toPointer(name), `${against.what} has no field ${JSON.stringify(name)}`, hint);
      fine = false;
    }
  }
  return fine;
}

/** A value that may leave out what the schema can supply: completed, it must be valid. */
export function checkPartial(given: Given, against: Against): void {
  if (!checkNames(given, against)) return;
  const [pointer] = against.pointers;
  if (pointer === undefined) return;
  const partial = withoutMarks(dropExpressions(given.value));
  const whole = partial === undefined ? undefined : against.ground.complete(pointer, partial);
  if (whole === undefined) return;
  for (const violation of against.ground.check(pointer, against.direction)(whole, 'body').slice(0, 3)) {
    given.notes.wrong(given.pointer + violation.pointer, `${against.what} breaks the contract: ${violation.message}`);
  }
}

/** A value of which every part that is written must suit the schema, such as a merge patch or the body of a `when`. */
export function checkParts(given: Given, against: Against): void {
  if (!checkNames(given, against)) return;
  visitParts(given, against);
}

function visitParts(given: Given, against: Against): void {
  const fields = readFields(against.ground.contract, against.pointers);
  if (isObject(given.value)) {
    for (const name of Object.keys(given.value)) {
      const places = fields.properties.get(name);
      const part = member(given, name);
      if (part.value === null && fields.required.has(name) && against.direction === 'response') {
        given.notes.wrong(
          part.pointer,
          `${against.what} takes ${JSON.stringify(name)} away, which the schema requires`,
        );
      } else if (places !== undefined && part.value !== null) {
        visitParts(part, { ...against, pointers: places });
      }
    }
    return;
  }
  if (Array.isArray(given.value) && fields.items.length > 0) {
    for (const index of given.value.keys()) visitParts(member(given, index), { ...against, pointers: fields.items });
    return;
  }
  checkLeaf(given, against);
}

function checkLeaf(given: Given, against: Against): void {
  if (against.pointers.length === 0 || findExpressions(given.value).length > 0) return;
  const results = against.pointers.map((pointer) =>
    against.ground.check(pointer, against.direction)(given.value, 'body'),
  );
  if (results.some((violations) => violations.length === 0)) return;
  const first = results[0]?.[0];
  const field = JSON.stringify(readSegments(given.pointer).at(-1) ?? '');
  // The check saw the leaf alone and calls it "the answer" or "the body".
  const reason = first?.message.replace(/^the \w+/, `field ${field}`) ?? `field ${field} does not fit`;
  given.notes.wrong(given.pointer, `${against.what} breaks the contract: ${reason}`);
}

/** Notes expressions that cannot be read, or that name a parameter or var that is not there. */
export function checkExpressions(given: Given, reading: Reading): void {
  for (const found of findExpressions(given.value)) {
    const pointer = given.pointer + found.pointer;
    const expression = readExpression(found.text);
    if (expression === undefined) {
      given.notes.wrong(pointer, `${describe(found.text)} is no expression`, `write ${EXPRESSION_FORMS}`);
    } else {
      checkExpression(expression, { ...given, pointer }, reading);
    }
  }
}

function checkExpression(expression: Expression, given: Given, reading: Reading): void {
  if (expression.kind === 'var') {
    if (reading.vars.has(expression.name)) return;
    const hint = didYouMean(expression.name, reading.vars, 'give it a first value under "vars" at the top of the file');
    given.notes.wrong(given.pointer, `no var is called ${JSON.stringify(expression.name)}`, hint);
  }
  if (expression.kind !== 'request' || expression.in === 'header' || expression.in === 'cookie') return;
  for (const operation of reading.operations.length === 1 ? reading.operations : []) {
    const names = operation.parameters.filter((each) => each.in === expression.in).map((each) => each.name);
    if (names.includes(expression.name)) continue;
    const message = `${expression.in} parameter ${JSON.stringify(expression.name)} is not declared for ${JSON.stringify(operation.id)}`;
    given.notes.wrong(
      given.pointer,
      message,
      didYouMean(expression.name, names, knownParameters(names, expression.in)),
    );
  }
}

/** Which parameters there are, as a hint. */
export function knownParameters(names: readonly string[], place: string): string {
  return names.length === 0 ? `it has no ${place} parameters` : `it knows ${names.join(', ')}`;
}

/** An item without the store's own marks (`$parent`, `$content`). */
function withoutMarks(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !name.startsWith('$')));
}

/** The names an object may have as far as its schema says, whatever branch is taken. */
interface Fields {
  /** By name: where the schemas of the property stand. */
  readonly properties: ReadonlyMap<string, readonly string[]>;
  /** Where the schemas of list items stand. */
  readonly items: readonly string[];
  /** Whether other names are invited: `additionalProperties` or `patternProperties` is written, or no property is. */
  readonly open: boolean;
  /** Names that must be there in every branch. */
  readonly required: ReadonlySet<string>;
}

interface Draft {
  readonly properties: Map<string, string[]>;
  readonly items: string[];
  readonly required: Set<string>;
  open: boolean;
}

/** The fields of the schemas at these pointers together; `$ref`, `allOf`, `anyOf` and `oneOf` are followed. */
function readFields(contract: Contract, pointers: readonly string[]): Fields {
  const draft: Draft = { properties: new Map(), items: [], required: new Set(), open: false };
  const seen = new Set<string>();
  for (const pointer of pointers) collect(contract, { pointer, optional: false }, { draft, seen });
  return { ...draft, open: draft.open || draft.properties.size === 0 };
}

function collect(
  contract: Contract,
  from: { readonly pointer: string; readonly optional: boolean },
  into: { readonly draft: Draft; readonly seen: Set<string> },
): void {
  const { draft, seen } = into;
  if (seen.has(from.pointer)) return;
  seen.add(from.pointer);
  // Pointers come from the contract and from keywords that hold schemas, so a schema stands there.
  const schema = contract.at(from.pointer) as Schema | undefined;
  if (typeof schema !== 'object' || schema === null) {
    draft.open ||= schema === true;
    return;
  }
  if (schema.$ref !== undefined) {
    collect(contract, { pointer: contract.resolve(schema, from.pointer).pointer, optional: from.optional }, into);
  }
  for (const name of Object.keys(schema.properties ?? {})) {
    const places = draft.properties.get(name) ?? [];
    draft.properties.set(name, [...places, `${from.pointer}/properties/${escapeSegment(name)}`]);
  }
  if (!from.optional) for (const name of schema.required ?? []) draft.required.add(name);
  if (schema.items !== undefined) draft.items.push(`${from.pointer}/items`);
  if (schema.patternProperties !== undefined || isInviting(schema.additionalProperties)) draft.open = true;
  for (const keyword of ['allOf', 'anyOf', 'oneOf'] as const) {
    const optional = from.optional || keyword !== 'allOf';
    (schema[keyword] ?? []).forEach((_, index) =>
      collect(contract, { pointer: `${from.pointer}/${keyword}/${index}`, optional }, into),
    );
  }
}

function isInviting(schema: Schema | undefined): boolean {
  return schema !== undefined && schema !== false;
}
