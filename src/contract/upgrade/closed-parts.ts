import type { Finding } from '../contract.js';
import { changeAt, isObject } from '../../base/json.js';
import type { SourceMap } from '../load/source-map.js';
import { fromReference, readPointer, readSegments, readStrings, toPointer } from '../pointer.js';
import { type Node, omit } from './node.js';

/** Keywords that forbid all properties that are not declared beside them, or in the same schema. */
const CLOSING = ['additionalProperties', 'unevaluatedProperties'] as const;

const UNIONS = ['anyOf', 'oneOf'] as const;

/** Keywords that apply a schema to the same value only in some cases. */
const CONDITIONS = ['if', 'then', 'else', 'dependentSchemas'] as const;

/** Keywords that apply further schemas to the same value. */
const APPLICATORS = ['$ref', 'allOf', ...UNIONS, ...CONDITIONS] as const;

/** A schema that applies to a value together with others. */
export interface JoinedSchema {
  readonly schema: Node;
  readonly pointer: string;
}

/** A required property that another part forbids. */
interface Contradiction {
  readonly name: string;
  /** The part that forbids it. */
  readonly by: JoinedSchema;
}

/** Whether a schema may be one that no object fits, since it requires what it, or a part of it, forbids. */
export function isSuspect(schema: Node): boolean {
  if (Array.isArray(schema['allOf'])) return true;
  if (
    ('$ref' in schema || '$dynamicRef' in schema) &&
    ('required' in schema || schema['additionalProperties'] === false)
  )
    return true;
  if (schema['additionalProperties'] !== false) return false;
  const { properties } = schema;
  return (
    UNIONS.some((keyword) => Array.isArray(schema[keyword])) ||
    readStrings(schema['required']).some((name) => !isObject(properties) || !Object.hasOwn(properties, name))
  );
}

/**
 * Repairs schemas that no object fits, because they, or a part of them, forbid a property that is required.
 *
 * Many documents write `additionalProperties: false` into base schemas and into those that extend them by `allOf`. It is meant for all parts
 * together, as `unevaluatedProperties: false` beside `allOf` (JSON Schema 2020-12 core sections 10.3.2.3 and 11.3). A part that is referred
 * to is copied, since it stays closed elsewhere. A property that is required and declared nowhere is not required, as in a
 * document with a misspelled name. Schemas that some object fits stay as they are.
 *
 * @param pointers - The schemas that are suspect.
 * @returns the document, and a finding for each schema that was repaired.
 */
export function repairClosedSchemas(
  document: Node,
  pointers: readonly string[],
  origins: SourceMap,
): { readonly document: Node; readonly findings: readonly Finding[] } {
  const findings: Finding[] = [];
  const left = new Set(pointers);
  let current = document;
  const repair = (pointer: string): void => {
    left.delete(pointer);
    const schema = readPointer(current, pointer);
    if (!isObject(schema)) return;
    // The schemas that it refers to come first, so that a mistake is repaired where it is.
    for (const part of listParts(current, { schema, pointer })) if (left.has(part.pointer)) repair(part.pointer);
    const whole = { schema: readPointer(current, pointer) as Node, pointer };
    const found = findContradiction(current, whole);
    if (found === undefined) return;
    const { name, by } = found;
    const declared = readDeclared(current, whole);
    const message = `no object fits the schema: the property "${name}" is required, and #${by.pointer} forbids it`;
    const isDeclared = declared === undefined || declared.has(name);
    const assumed = isDeclared ? 'the properties of all parts are allowed' : `"${name}" is not required`;
    findings.push({ code: 'SCHEMA_REPAIRED', message, pointer, assumed });
    const opened = createOpener(current, { whole, declared, origins })(whole);
    const keyword = APPLICATORS.some((each) => each in opened) ? 'unevaluatedProperties' : 'additionalProperties';
    // Only a schema inside the document changes.
    current = changeAt(current, readSegments(pointer), () => ({ ...opened, [keyword]: false })) as Node;
  };
  for (const pointer of left) repair(pointer);
  return { document: current, findings };
}

/** The first required property that a part forbids; undefined where some object may fit the schema. */
function findContradiction(document: Node, whole: JoinedSchema): Contradiction | undefined {
  const parts = listParts(document, whole);
  if (parts.some(({ schema }) => !acceptsObjects(schema))) return undefined;
  const found = findForbidden(document, parts, parts);
  if (found !== undefined) return found;
  for (const { schema, pointer } of parts) {
    for (const keyword of UNIONS) {
      const options = listBelow({ schema, pointer }, keyword).map((option) => listParts(document, option));
      const each = options.map(
        (option) => findForbidden(document, parts, option) ?? findForbidden(document, option, parts),
      );
      if (each.length > 0 && each.every((one) => one !== undefined)) return each[0];
    }
  }
  return undefined;
}

/** The first property that some parts require and others forbid. */
function findForbidden(
  document: Node,
  closing: readonly JoinedSchema[],
  requiring: readonly JoinedSchema[],
): Contradiction | undefined {
  const required = [...new Set(requiring.flatMap(({ schema }) => readStrings(schema['required'])))];
  if (required.length === 0) return undefined;
  for (const part of closing) {
    const allowed = readAllowed(document, part);
    const name = allowed && required.find((each) => !allowed.has(each));
    if (name !== undefined) return { name, by: part };
  }
  return undefined;
}

/** The only properties that a part allows; undefined where it allows others, or has `patternProperties`. */
function readAllowed(document: Node, part: JoinedSchema): ReadonlySet<string> | undefined {
  const declaring =
    part.schema['additionalProperties'] === false
      ? [part]
      : part.schema['unevaluatedProperties'] === false
        ? listParts(document, part)
        : undefined;
  if (declaring === undefined || declaring.some(({ schema }) => declaresMore(schema))) return undefined;
  return new Set(declaring.flatMap(({ schema }) => readNames(schema)));
}

/** The properties that a schema declares, in one of its parts or alternatives; undefined where it allows others as well. */
function readDeclared(document: Node, whole: JoinedSchema): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  const seen = new Set<string>();
  const all = [whole];
  // The list grows while it is read.
  for (const each of all) {
    for (const part of listParts(document, each)) {
      const { schema, pointer } = part;
      if (seen.has(pointer)) continue;
      seen.add(pointer);
      if (declaresOthers(schema)) return undefined;
      for (const name of readNames(schema)) names.add(name);
      for (const keyword of UNIONS) all.push(...listBelow(part, keyword));
    }
  }
  return names;
}

/** Whether a schema has properties by a pattern, or in some cases only. */
export function declaresOthers(schema: Node): boolean {
  return isObject(schema['patternProperties']) || CONDITIONS.some((keyword) => keyword in schema);
}

function readNames({ properties }: Node): readonly string[] {
  return isObject(properties) ? Object.keys(properties) : [];
}

/** Whether a schema allows properties other than its `properties`. Properties below a union count for `unevaluatedProperties` only. */
function declaresMore(schema: Node): boolean {
  if (isObject(schema['patternProperties'])) return true;
  return schema['additionalProperties'] !== false && [...UNIONS, ...CONDITIONS].some((keyword) => keyword in schema);
}

function acceptsObjects({ type }: Node): boolean {
  return type === undefined || [type].flat().includes('object');
}

/** A schema, the target of its reference and the schemas of its `allOf`, each with its own parts: all that an object must fit. */
export function listParts(document: Node, whole: JoinedSchema): readonly JoinedSchema[] {
  const parts: JoinedSchema[] = [];
  const seen = new Set<string>();
  const add = (part: JoinedSchema): void => {
    if (seen.has(part.pointer)) return;
    seen.add(part.pointer);
    parts.push(part);
    const target = follow(document, part.schema);
    if (target !== undefined) add(target);
    listBelow(part, 'allOf').forEach(add);
  };
  add(whole);
  return parts;
}

function listBelow({ schema, pointer }: JoinedSchema, keyword: string): readonly JoinedSchema[] {
  const below = schema[keyword];
  if (!Array.isArray(below)) return [];
  return below.flatMap((each: unknown, i) =>
    isObject(each) ? [{ schema: each, pointer: pointer + toPointer(keyword, i) }] : [],
  );
}

/** The target of the reference of a schema. */
export function follow(document: Node, schema: Node): JoinedSchema | undefined {
  const pointer = fromReference(schema['$ref']);
  const target = pointer === undefined ? undefined : readPointer(document, pointer);
  return pointer !== undefined && isObject(target) ? { schema: target, pointer } : undefined;
}

/** Creates the function that copies a schema without what closes its parts. Parts that close nothing stay references. */
function createOpener(
  document: Node,
  {
    whole,
    declared,
    origins,
  }: { readonly whole: JoinedSchema; readonly declared: ReadonlySet<string> | undefined; readonly origins: SourceMap },
): (part: JoinedSchema) => Node {
  const outer = listParts(document, whole);
  // An alternative stays closed where it declares all that the schema around it requires.
  const conflicts = (option: JoinedSchema): boolean =>
    findForbidden(document, listParts(document, option), outer) !== undefined;
  const isClosed = (part: JoinedSchema): boolean =>
    listParts(document, part).some(
      (each) =>
        CLOSING.some((keyword) => each.schema[keyword] === false) ||
        UNIONS.some((keyword) => listBelow(each, keyword).some(conflicts)),
    );
  const openBelow = (part: JoinedSchema, keyword: string, isOpened: (below: JoinedSchema) => boolean): Node => {
    const below = part.schema[keyword];
    if (!Array.isArray(below)) return {};
    const openOne = (schema: unknown, i: number): unknown => {
      const one = isObject(schema) ? { schema, pointer: part.pointer + toPointer(keyword, i) } : undefined;
      return one !== undefined && isOpened(one) ? open(one) : schema;
    };
    return { [keyword]: below.map(openOne) };
  };
  const open = (part: JoinedSchema): Node => {
    const { schema, pointer } = part;
    const closing = CLOSING.filter((keyword) => schema[keyword] === false);
    const own = { ...omit(schema, ...closing), ...openBelow(part, 'allOf', isClosed) };
    const { required } = schema;
    if (declared !== undefined && Array.isArray(required))
      own['required'] = readStrings(required).filter((name) => declared.has(name));
    for (const keyword of UNIONS) Object.assign(own, openBelow(part, keyword, conflicts));
    const target = follow(document, schema);
    if (target === undefined || !isClosed(target)) return own;
    const rest = omit(own, '$ref');
    const others = Array.isArray(rest['allOf']) ? (rest['allOf'] as readonly unknown[]) : [];
    const isBare = Object.keys(rest).length === 0;
    const place = isBare ? pointer : pointer + toPointer('allOf', others.length);
    origins.add(place, origins.find(target.pointer));
    const opened = open({ schema: target.schema, pointer: place });
    return isBare ? opened : { ...rest, allOf: [...others, opened] };
  };
  return open;
}
