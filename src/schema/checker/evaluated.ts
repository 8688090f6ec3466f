import { isObject } from '../../base/json.js';
import { readPattern } from '../../contract/upgrade/patterns.js';
import { CALL_KEYWORD } from '../schema-unit.js';
import type { IsValid } from '../violation.js';
import type { Work } from '../work.js';

/** The parts that find the evaluated members of a value. */
interface Evaluation {
  readonly work: Work;
  /** The schema of the unit at a pointer. */
  readonly schemaOf: (pointer: string) => unknown;
  /** Builds the check of a schema. */
  readonly toCheck: (schema: unknown) => IsValid;
}

/** The names of properties, and the indices of items. */
type Members = Set<string | number>;

/**
 * The members of a value that the keywords of a schema evaluate, for its `unevaluatedProperties` and `unevaluatedItems`
 * (JSON Schema 2020-12 Core, sections 11.2 and 11.3). It assumes that the value matches those keywords.
 */
export function collectEvaluated(
  schema: Readonly<Record<string, unknown>>,
  value: unknown,
  evaluation: Evaluation,
): ReadonlySet<string | number> {
  const members: Members = new Set();
  const { unevaluatedProperties: _properties, unevaluatedItems: _items, ...others } = schema;
  collect(others, value, { ...evaluation, members });
  return members;
}

interface Collection extends Evaluation {
  readonly members: Members;
}

function collect(schema: unknown, value: unknown, collection: Collection): void {
  if (!isObject(schema)) return;
  for (const [keyword, given] of Object.entries(schema)) {
    IN_PLACE[keyword]?.(given, value, { ...collection, schema });
    if (Array.isArray(value)) OF_ITEMS[keyword]?.(given, value, { ...collection, schema });
    else if (isObject(value)) OF_PROPERTIES[keyword]?.(given, value, { ...collection, schema });
  }
}

/** Adds the members that one keyword evaluates. */
type Collect<Value> = (
  given: unknown,
  value: Value,
  collection: Collection & { readonly schema: Readonly<Record<string, unknown>> },
) => void;

const addAll: Collect<Readonly<Record<string, unknown>>> = (_, value, { members }) => {
  for (const name of Object.keys(value)) members.add(name);
};

const OF_PROPERTIES: Readonly<Record<string, Collect<Readonly<Record<string, unknown>>>>> = {
  properties: (given, value, { members }) => {
    for (const name of Object.keys(given ?? {})) if (Object.hasOwn(value, name)) members.add(name);
  },
  patternProperties: (given, value, { members, work }) => {
    const patterns = Object.keys(given ?? {}).map((text) => readPattern(text, work.spend).pattern);
    for (const name of Object.keys(value)) if (patterns.some((pattern) => pattern.test(name))) members.add(name);
  },
  // The others are evaluated by its neighbours.
  additionalProperties: addAll,
  unevaluatedProperties: addAll,
};

const addItems: Collect<readonly unknown[]> = (_, value, { members }) => {
  for (const i of value.keys()) members.add(i);
};

const OF_ITEMS: Readonly<Record<string, Collect<readonly unknown[]>>> = {
  prefixItems: (given, value, { members }) => {
    for (const i of toList(given).keys()) if (i < value.length) members.add(i);
  },
  items: addItems,
  unevaluatedItems: addItems,
  contains: (given, value, { members, toCheck }) => {
    const check = toCheck(given);
    for (const [i, item] of value.entries()) if (check(item)) members.add(i);
  },
};

const collectMatching: Collect<unknown> = (given, value, collection) => {
  for (const schema of toList(given)) if (collection.toCheck(schema)(value)) collect(schema, value, collection);
};

/** The keywords with schemas that apply to the value itself. */
const IN_PLACE: Readonly<Record<string, Collect<unknown>>> = {
  allOf: (given, value, collection) => {
    for (const schema of toList(given)) collect(schema, value, collection);
  },
  anyOf: collectMatching,
  oneOf: collectMatching,
  if: (given, value, { schema, ...collection }) => {
    const isMet = collection.toCheck(given)(value);
    if (isMet) collect(given, value, collection);
    collect(schema[isMet ? 'then' : 'else'], value, collection);
  },
  dependentSchemas: (given, value, collection) => {
    for (const [name, schema] of Object.entries(given ?? {}))
      if (isObject(value) && Object.hasOwn(value, name)) collect(schema, value, collection);
  },
  [CALL_KEYWORD]: (pointer, value, collection) => {
    collection.work.spend(1);
    collect(collection.schemaOf(String(pointer)), value, collection);
  },
};

function toList(given: unknown): readonly unknown[] {
  return Array.isArray(given) ? given : [];
}
