import { NOT_LIMITING } from '../contract/schema-view/keywords.js';
import type { Contract } from '../contract/contract.js';
import { isObject, COMBINING_KEYWORDS, SCHEMA_TYPES } from '../base/json.js';
import { escapeSegment, fromReference, readEntries, readSegments, readString } from '../contract/pointer.js';
import { cutMessage, LimitError } from '../base/errors.js';
import { memoize, memoizeOf, memoizeText } from '../base/memoize.js';
import type { SchemaError } from './checker/check.js';
import type { DirectedUnits } from './units.js';
import { hideQuotedSecret } from '../conventions/secret-forms.js';
import {
  type Finding,
  type ListNames,
  type PlaceWords,
  toAlternatives,
  toEnumSentence,
  toFinding,
  toSubject,
  toTypeWords,
  toWords,
} from './sentence.js';
import type { Violation, ViolationPlace } from './violation.js';
import { readMonotonic } from '../base/platform.js';

/** Explains why a value violates the schema at a pointer, with at most twenty violations. */
type Explainer = (
  pointer: string,
  value: unknown,
  place: { readonly in: ViolationPlace; readonly name: string | undefined },
) => readonly Violation[];

/** Findings of a value against the schema at a pointer. */
type Find = (pointer: string, value: unknown, context: FindContext) => readonly Finding[];

/** The unions around a value, and how much has been explained. */
interface FindContext {
  readonly depth: number;
  /** The values that were compared, and since when: only a union compares many. */
  readonly spent: { values: number; startedAt: number | undefined };
}

const MAX_VIOLATIONS = 20;

/** Creates the explainer of one direction. */
export function createExplainer(
  contract: Contract,
  parts: { readonly units: DirectedUnits; readonly by: 'client' | 'mock'; readonly strict: boolean },
): Explainer {
  const { units, by, strict } = parts;
  const listNames: ListNames = memoizeOf((data: object) => Object.keys(data));

  const find: Find = (pointer, value, context) => {
    context.spent.values++;
    if (units.check(pointer)(value)) return [];
    const findings = units.findErrors(pointer, value).flatMap((error) => {
      const owner = units.pointerOf(error.schema);
      if ((error.keyword === 'anyOf' || error.keyword === 'oneOf') && owner !== undefined) {
        return explainUnion(error, { ...context, contract, find, owner });
      }
      return toFinding(error, owner === undefined ? pointer : `${owner}/${escapeSegment(error.keyword)}`, listNames);
    });
    if (findings.length > 0) return tidy(findings);
    // An invalid value always has a finding.
    return [{ ...UNEXPLAINED, schemaPointer: pointer }];
  };

  const findAll = (pointer: string, value: unknown): readonly Finding[] => {
    try {
      return find(pointer, value, { depth: 0, spent: { values: 0, startedAt: undefined } });
    } catch (error) {
      if (error instanceof LimitError) return [{ ...UNEXPLAINED, schemaPointer: pointer }];
      throw error;
    }
  };

  /** Whether the schema that has the keyword at a pointer is that of a secret. */
  const isSecret = memoize((keyword: string): boolean => {
    const schema = contract.at(keyword.replace(/\/[^/]*$/, ''));
    return (
      isObject(schema) &&
      (schema['format'] === 'password' || schema['writeOnly'] === true || schema['x-sensitive'] === true)
    );
  });

  /** The sentence, which does not quote a secret. */
  const describe = (words: PlaceWords, pointer: string, { path, says, schemaPointer = '' }: Finding): string => {
    if (!says.includes('got ') && !says.includes('"')) return `${toSubject(words, path)} ${says}`;
    const name = isSecret(schemaPointer) ? 'password' : readValueName(pointer);
    return `${toSubject(words, path)} ${hideQuotedSecret(says, name)}`;
  };

  return (pointer, value, place) => {
    const words = { in: place.in, name: place.name, answered: by === 'mock' };
    const lead = place.name === undefined ? '' : `/${escapeSegment(place.name)}`;
    const findings = findAll(pointer, value);
    return findings.slice(0, MAX_VIOLATIONS).map((finding) => {
      const at = `${lead}${finding.path}`;
      return {
        code: finding.code,
        // The author of alternatives that overlap meant a union of them.
        severity: finding.code === 'UNION' && finding.isAmbiguous === true && !strict ? 'note' : 'error',
        in: place.in,
        pointer: at,
        message: cutMessage(describe(words, at, finding)),
        by,
        schemaPointer: finding.schemaPointer,
      };
    });
  };
}

/** The name of the value at a pointer: its last segment that is not the position of an item. */
const readValueName = memoizeText(
  (pointer) => readSegments(pointer).findLast((segment) => !/^\d+$/.test(segment)) ?? '',
);

const UNEXPLAINED = { code: 'EXCLUDED', path: '', says: 'does not match its schema' } as const;

/** Removes findings that others at the same place imply, and duplicates. */
function tidy(findings: readonly Finding[]): readonly Finding[] {
  if (findings.length === 1) return findings;
  const listed = new Set(findings.filter(({ code }) => code === 'ENUM' || code === 'CONST').map(({ path }) => path));
  const seen = new Set<string>();
  return findings.filter(({ path, code, says }) => {
    // The allowed values imply type, length, pattern and format.
    if (listed.has(path) && IMPLIED.has(code)) return false;
    const { size } = seen;
    return seen.add(`${path} ${says}`).size > size;
  });
}

const IMPLIED: ReadonlySet<Finding['code']> = new Set(['TYPE', 'LENGTH', 'PATTERN', 'FORMAT']);

interface UnionContext extends FindContext {
  readonly contract: Contract;
  readonly find: Find;
  /** The pointer of the schema with the union. */
  readonly owner: string;
}

/** The maximum depth of unions inside unions that are explained. */
const MAX_UNIONS = 4;
/** The maximum number of alternatives that are tried. */
const MAX_BRANCHES = 64;

/** The most values that are compared with alternatives: in any value, and in a large one. */
const MAX_VALUES = 1000;
const MAX_SLOW_VALUES = 20;
/** Milliseconds after which a value is large. */
const SLOW_MS = 100;

function isExhausted({ spent }: FindContext): boolean {
  const now = readMonotonic();
  spent.startedAt ??= now;
  return spent.values > MAX_VALUES || (spent.values > MAX_SLOW_VALUES && now - spent.startedAt > SLOW_MS);
}

/** Explains why a value matches no alternative, or too many, by the alternative that was meant. */
function explainUnion(error: SchemaError, context: UnionContext): readonly Finding[] {
  const { contract, owner } = context;
  const schemaPointer = `${owner}/${error.keyword}`;
  const report = (code: Finding['code'], says: string, below = ''): readonly Finding[] => [
    { code, path: `${error.path}${below}`, says, schemaPointer },
  ];
  const branches = readBranches(contract, schemaPointer);
  const passing: unknown = error.params['passing'];
  if (Array.isArray(passing) && passing.length > 0) {
    const matching: readonly unknown[] = passing;
    const both = matching.map((i) => branches[Number(i)]?.name ?? `number ${Number(i) + 1}`);
    const says = `must match exactly one of ${branches.length} alternatives, matches ${both.join(' and ')}`;
    // The alternative of all strings or numbers makes the narrower ones pointless, unless a union is meant.
    const isAmbiguous = isObject(error.value) || matching.some((i) => hasOnlyType(branches[Number(i)]?.schema));
    return [{ code: 'UNION', path: error.path, says, schemaPointer, isAmbiguous }];
  }
  if (branches.length === 0 || context.depth >= MAX_UNIONS || isExhausted(context))
    return report('UNION', 'matches none of its alternatives');

  const data: unknown = error.value;
  const tag = isObject(data) ? readTag(contract, contract.at(owner), { branches, data }) : undefined;
  if (tag === undefined || !isObject(data)) return explainBranches(branches, error, context);
  const below = `/${escapeSegment(tag.property)}`;
  if (!Object.hasOwn(data, tag.property)) {
    return report('REQUIRED', `is required: it selects one of ${tag.branches.length} alternatives`, below);
  }
  const value = data[tag.property];
  const meant = tag.branches.filter((_branch, i) => tag.values[i]?.includes(value) === true);
  if (meant.length > 0) return explainBranches(meant, error, context);
  return report('ENUM', toEnumSentence(value, [...new Set(tag.values.flat())]), below);
}

function hasOnlyType(schema: unknown): boolean {
  return isObject(schema) && Object.keys(schema).every((name) => NOT_LIMITING.test(name));
}

/** Explains by the branch that is closest to the value. */
function explainBranches(branches: readonly Branch[], error: SchemaError, context: UnionContext): readonly Finding[] {
  const inside = { ...context, depth: context.depth + 1 };
  const open = branches
    .slice(0, MAX_BRANCHES)
    .map((branch) => ({ branch, findings: context.find(branch.pointer, error.value, inside) }))
    .filter(({ findings }) => findings.length > 0);
  // A branch for another type of value is not the one that was meant.
  const close = open.filter(({ findings }) => !findings.some(isAboutType));
  const best = close.toSorted((x, y) => weigh(x.findings) - weigh(y.findings))[0];
  if (best === undefined) {
    const schemas = open.map(({ branch }) => branch.schema);
    const kinds = listAccepted(context.contract, schemas);
    const accepted = toAlternatives(kinds.length === 0 ? [`one of ${branches.length} alternatives`] : kinds);
    const code = kinds.some((kind) => /^["\d-]/.test(kind)) ? 'ENUM' : 'TYPE';
    const says = `must be ${accepted}, got ${toWords(error.value)}`;
    return [{ code, path: error.path, says, schemaPointer: `${context.owner}/${error.keyword}` }];
  }
  // With several candidates, the sentence names the branch, unless its name is only a type.
  const name = close.length > 1 && !isTypeName(best.branch.name) ? best.branch.name : undefined;
  const taken = name === undefined ? '' : ` (compared with ${name})`;
  return best.findings.map(({ code, path, says, schemaPointer, isAmbiguous = false }) => {
    return { code, path: `${error.path}${path}`, says: `${says}${taken}`, schemaPointer, isAmbiguous };
  });
}

/** A name that says no more than a type. */
function isTypeName(name = 'any'): boolean {
  const word = name.toLowerCase();
  return word === 'any' || SCHEMA_TYPES.includes(word);
}

function isAboutType({ path, code }: Finding): boolean {
  return path === '' && (code === 'TYPE' || code === 'ENUM' || code === 'CONST');
}

/** A branch that fails in few places is closer than one that fails in many; a wrong tag weighs most. */
function weigh(findings: readonly Finding[]): number {
  return findings.reduce((sum, { code, isAmbiguous }) => sum + (isAmbiguous === true ? 0 : (WEIGHTS[code] ?? 1)), 0);
}

const WEIGHTS: Readonly<Partial<Record<Finding['code'], number>>> = { CONST: 3, ENUM: 3, TYPE: 2 };

/** The values that alternatives accept, in words: `"auto"`, `"none"`, `an object`. */
function listAccepted(contract: Contract, schemas: readonly unknown[], depth = 0): readonly string[] {
  const kinds = schemas.flatMap((given) => {
    const schema = resolveSchema(contract, given);
    if (!isObject(schema) || depth > MAX_UNIONS) return [];
    if (Array.isArray(schema['enum'])) return schema['enum'].map(toWords);
    if (Object.hasOwn(schema, 'const')) return [toWords(schema['const'])];
    const types = [schema['type'] ?? []].flat().filter((type): type is string => typeof type === 'string');
    if (types.length > 0) return types.map((type) => toTypeWords([type]));
    const below = COMBINING_KEYWORDS.flatMap((keyword) => schema[keyword] ?? []);
    if (below.length > 0) return listAccepted(contract, below, depth + 1);
    return isObject(schema['properties']) ? ['an object'] : [];
  });
  // Where any string is accepted, listed strings add nothing.
  const distinct = [...new Set(kinds)];
  const shown = distinct.includes('a string') ? distinct.filter((kind) => !kind.startsWith('"')) : distinct;
  return [...shown.filter((kind) => kind !== 'null'), ...shown.filter((kind) => kind === 'null')];
}

interface Branch {
  readonly pointer: string;
  /** Its schema with references resolved, and the pointer of that. */
  readonly schema: unknown;
  readonly target: string;
  /** The name of the schema it refers to, or its title. */
  readonly name: string | undefined;
}

/** The property that distinguishes the alternatives of a union. */
interface Tag {
  readonly property: string;
  readonly branches: readonly Branch[];
  /** The values for each branch, in the order of `branches`. */
  readonly values: readonly (readonly unknown[])[];
}

/** The maximum depth of schemas in which a tag is searched. */
const MAX_TAG_DEPTH = 5;

/** The alternatives at a pointer that ends in `oneOf` or `anyOf`. */
function readBranches(contract: Contract, pointer: string): readonly Branch[] {
  const branches = contract.at(pointer);
  if (!Array.isArray(branches)) return [];
  return branches.map((branch: unknown, i) => {
    const at = `${pointer}/${i}`;
    const reference = isObject(branch) ? readString(branch['$ref']) : undefined;
    const schema = resolveSchema(contract, branch);
    const name = reference?.split('/').at(-1) ?? (isObject(schema) ? readString(schema['title']) : undefined);
    return { pointer: at, schema, target: fromReference(reference) ?? at, name };
  });
}

/** The tag of a union: its discriminator, else a property of the value that is fixed in every branch. */
function readTag(
  contract: Contract,
  owner: unknown,
  given: { readonly branches: readonly Branch[]; readonly data: Readonly<Record<string, unknown>> },
): Tag | undefined {
  const { branches, data } = given;
  const discriminator = isObject(owner) ? owner['discriminator'] : undefined;
  if (isObject(discriminator) && typeof discriminator['propertyName'] === 'string') {
    return readDeclaredTag(contract, branches, discriminator);
  }
  const objects = branches.filter(({ schema }) => listProperties(contract, schema).length > 0);
  if (objects.length < 2) return undefined;
  for (const property of listProperties(contract, objects[0]?.schema)) {
    if (!Object.hasOwn(data, property)) continue;
    const values = objects.map(({ schema }) => listFixed(contract, schema, property));
    if (values.every((fixed) => fixed.length > 0) && new Set(values.flat()).size > 1) {
      return { property, branches: objects, values };
    }
  }
  return undefined;
}

/** The tag of a discriminator. Values that a branch fixes come before the mapping, which may only repeat the names of schemas. */
function readDeclaredTag(
  contract: Contract,
  branches: readonly Branch[],
  discriminator: Readonly<Record<string, unknown>>,
): Tag | undefined {
  const property = String(discriminator['propertyName']);
  const fixed = branches.map(({ schema }) => listFixed(contract, schema, property));
  if (fixed.every((values) => values.length > 0)) return { property, branches, values: fixed };
  // Some branches fix the property: the names of the others do not decide.
  if (fixed.some((values) => values.length > 0)) return undefined;
  const values = branches.map(({ name, target }) => {
    // OpenAPI 3.1, Discriminator Object: a mapping value is a schema's name or a reference to it.
    const mapped = readEntries(discriminator['mapping']).filter(
      ([, to]) => to === name || fromReference(to) === target,
    );
    if (mapped.length > 0) return mapped.map(([key]) => key);
    return name === undefined ? [] : [name];
  });
  return { property, branches, values };
}

/** The values to which a schema and its alternatives fix a property, by `const` or `enum`; none where it is open. */
function listFixed(contract: Contract, root: unknown, property: string): readonly unknown[] {
  const list = (schema: unknown, depth: number): readonly unknown[] => {
    if (!isObject(schema) || depth > MAX_TAG_DEPTH) return [];
    const properties = schema['properties'];
    if (isObject(properties) && Object.hasOwn(properties, property)) {
      const own = resolveSchema(contract, properties[property]);
      if (isObject(own) && Object.hasOwn(own, 'const')) return [own['const']];
      if (isObject(own) && Array.isArray(own['enum'])) return own['enum'];
    }
    const listParts = (keyword: string): readonly (readonly unknown[])[] =>
      [schema[keyword] ?? []].flat().map((part) => list(resolveSchema(contract, part), depth + 1));
    for (const all of [listParts('oneOf'), listParts('anyOf')]) {
      if (all.length > 0 && all.every((values) => values.length > 0)) return all.flat();
    }
    return listParts('allOf').flat();
  };
  return list(root, 0);
}

function listProperties(contract: Contract, schema: unknown, depth = 0): readonly string[] {
  if (!isObject(schema) || depth > MAX_TAG_DEPTH) return [];
  const own = readEntries(schema['properties']).map(([name]) => name);
  const parts: readonly unknown[] = [schema['allOf'] ?? []].flat();
  return [...own, ...parts.flatMap((part) => listProperties(contract, resolveSchema(contract, part), depth + 1))];
}

/** A schema with references resolved. */
function resolveSchema(contract: Contract, schema: unknown): unknown {
  return isObject(schema) ? contract.resolve(schema, '').schema : schema;
}
