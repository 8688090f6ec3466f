import type { ErrorObject } from 'ajv';
import { isObject } from '../contract/json.js';
import type { GuardedPattern } from '../contract/patterns/guarded-pattern.js';
import { escapeSegment } from '../contract/pointer.js';
import { readPattern } from '../contract/upgrade/patterns.js';
import { FORBIDDEN_KEYWORD, type Validate, type Work } from './schema-unit.js';
import type { IsValid } from './violation.js';

/** The keywords with many schemas that are checked one by one. */
export const PARTED_KEYWORDS = ['allOf', 'properties', 'patternProperties', 'prefixItems'] as const;

/** A keyword with many schemas. */
export type PartedKeyword = (typeof PARTED_KEYWORDS)[number];

/** What the check of parts depends on. */
interface PartsCheckParts {
  readonly work: Work;
  /** The pointer of a schema; undefined where it has none. */
  readonly pointerOf: (schema: unknown) => string | undefined;
  /** The check of a schema without details; undefined where it has to be compiled. */
  readonly interpret: (schema: unknown) => IsValid | undefined;
  /** The compiled schema at a pointer. */
  readonly compile: (pointer: string) => Validate;
}

/** With more schemas than this a keyword is not compiled as a whole: the code of 20,000 of them takes 600 MB. */
const MAX_PARTS = 500;

/** Whether a keyword of a schema has so many schemas that they are checked one by one. */
export function hasManyParts(schema: Readonly<Record<string, unknown>>): boolean {
  return PARTED_KEYWORDS.some((keyword) => Object.keys(schema[keyword] ?? {}).length > MAX_PARTS);
}

/** The errors after which no further part is compiled: more are not shown. */
const MAX_PART_ERRORS = 50;

/** The check of a keyword with very many schemas; undefined for any other. */
export function createPartsCheck(
  keyword: PartedKeyword,
  schema: unknown,
  { interpret, pointerOf, work, compile }: PartsCheckParts,
): Validate | undefined {
  if (!isObject(schema) && !Array.isArray(schema)) return undefined;
  const names = Object.keys(schema);
  if (names.length <= MAX_PARTS) return undefined;
  const parts = new Map<string, SchemaPart>();
  for (const name of names) {
    const part: unknown = Reflect.get(schema, name);
    if (part === true) continue;
    const [check, pointer] = [interpret(part), pointerOf(part)];
    const pattern = keyword === 'patternProperties' ? readPattern(name, work.spend) : undefined;
    // What cannot be interpreted, the compiler reports.
    if (check === undefined || pointer === undefined || name === '__proto__') return undefined;
    if (pattern?.remark !== undefined) return undefined;
    parts.set(name, { check, pointer, part, pattern: pattern?.pattern });
  }
  const list = LISTS[keyword];
  const validate: Validate = (value, at) => {
    const found: ErrorObject[] = [];
    for (const { own, member, path } of list(parts, value)) {
      if (own.check(member)) continue;
      found.push(...findErrors(own, member, { ...TOP, ...at, instancePath: `${at?.instancePath ?? ''}${path}` }));
      if (found.length >= MAX_PART_ERRORS) break;
    }
    validate.errors = found.length === 0 ? null : found;
    return found.length === 0;
  };
  const findErrors = (
    { pointer, part }: SchemaPart,
    data: unknown,
    at: NonNullable<Parameters<Validate>[1]>,
  ): readonly ErrorObject[] => {
    const { instancePath } = at;
    // The schema of the pointer is the original, without this keyword.
    if (isObject(part) && FORBIDDEN_KEYWORD in part)
      return [{ keyword: FORBIDDEN_KEYWORD, instancePath, schemaPath: '', params: {}, parentSchema: part, data }];
    const full = compile(pointer);
    work.call(full, data, at);
    return full.errors ?? [];
  };
  return validate;
}

/** One of many schemas of a keyword. */
interface SchemaPart {
  readonly check: IsValid;
  readonly pointer: string;
  readonly part: unknown;
  /** What names its properties have, for `patternProperties`. */
  readonly pattern: GuardedPattern | undefined;
}

/** A part that a value, or a member of it, has to match. */
interface Checked {
  readonly own: SchemaPart;
  readonly member: unknown;
  /** Where the member is in the value: `/name`, or nothing for the value itself. */
  readonly path: string;
}

type ListChecked = (parts: ReadonlyMap<string, SchemaPart>, value: unknown) => Iterable<Checked>;

/** What each keyword checks; the compiled code checks values of the right type only. */
const LISTS: Readonly<Record<PartedKeyword, ListChecked>> = {
  *allOf(parts, member) {
    for (const own of parts.values()) yield { own, member, path: '' };
  },
  properties: listMembers,
  prefixItems: listMembers,
  *patternProperties(parts, value) {
    const members = Object.entries(value as object);
    for (const own of parts.values()) {
      for (const [name, member] of members) {
        if (own.pattern?.test(name) === true) yield { own, member, path: `/${escapeSegment(name)}` };
      }
    }
  },
};

/** The members of an object or array that have a part of the same name. */
function* listMembers(parts: ReadonlyMap<string, SchemaPart>, value: unknown): Iterable<Checked> {
  for (const [name, member] of Object.entries(value as object)) {
    const own = parts.get(name);
    if (own !== undefined && member !== undefined) yield { own, member, path: `/${escapeSegment(name)}` };
  }
}

const TOP = { instancePath: '', parentData: {}, parentDataProperty: '', rootData: {}, dynamicAnchors: {} };
