import { closedObject } from '../../../base/json-schema.js';
import { joinWords, suggest } from '../../../base/errors.js';
import { DEFAULT_INSTANT, DAY_MS } from '../../../base/clock.js';
import type { Contract } from '../../../contract/contract.js';
import { isObject, setOwn } from '../../../base/json.js';
import type { Operation } from '../../../contract/operations/operation.js';
import type { Generator } from '../../../generate/generate.js';
import type { FieldsReader } from '../../../contract/schema-view/fields.js';
import type { Validators } from '../../../schema/validate.js';
import { child, readMembers, reject, report, type SourceNode } from '../../../contract/load/source-node.js';

/** The context that scenarios are checked against. */
export interface ScenarioContext {
  readonly contract: Contract;
  /** The validator of one schema; the same function every time. */
  readonly check: Validators['check'];
  readonly accepts: Validators['accepts'];
  readonly fieldsOf: FieldsReader;
  /** Completes a partial value from its schema, with a fixed seed. */
  complete(schemaPointer: string, partial: unknown): unknown;
  readonly collections: readonly CollectionShape[];
}

/** The context of one contract. @param parts - `collections` are those that were inferred from it. */
export function createScenarioContext(parts: {
  readonly contract: Contract;
  readonly validators: Validators;
  readonly generator: Generator;
  readonly fieldsOf: FieldsReader;
  readonly collections: Iterable<CollectionShape>;
}): ScenarioContext {
  const { contract, validators, generator, fieldsOf, collections } = parts;
  const about = { seed: 1, direction: 'response', now: DEFAULT_INSTANT } as const;
  const complete: ScenarioContext['complete'] = (pointer, partial) =>
    generator.complete(pointer, partial, { ...about, key: pointer });
  const { check, accepts } = validators;
  return { contract, check, accepts, fieldsOf, complete, collections: [...collections] };
}

/** A collection that scenarios can change. */
export interface CollectionShape {
  readonly name: string;
  /** The pointer of its item schema; undefined if it has none. */
  readonly schema: string | undefined;
  /** The property that is the id; undefined if items have none. */
  readonly idProperty?: string | undefined;
  /** The ids of all items before the first scenario; undefined if requests or other code can add items. */
  readonly ids?: ReadonlySet<string> | undefined;
}

/** The context that one value of a scenario is checked against. */
export interface CheckContext extends ScenarioContext {
  /** The operations that the rule is for: one, or all of them for `*`. */
  readonly operations: readonly Operation[];
  /** Whether the rule breaks the contract on purpose. */
  readonly violates: boolean;
  /** Names of the variables that the scenario, an extended one, or one of their rules sets. */
  readonly variables: ReadonlySet<string>;
  /** The ids of the items that scenarios add, by collection; `any` if one of them is generated or an expression. */
  readonly added: ReadonlyMap<string, ReadonlySet<string> | 'any'>;
  /** The collection whose items are read. */
  readonly collection?: CollectionShape | undefined;
  /** The value of a call that a condition is about. */
  readonly value: ValueTarget;
}

/** The only operation that a rule is for; undefined for a rule of `*`. */
export function onlyOperation({ operations }: CheckContext): Operation | undefined {
  return operations.length === 1 ? operations[0] : undefined;
}

/** A value of a call: a parameter, a body, or a part of one. */
export interface ValueTarget {
  /** Pointers of its schemas; it matches one of them. Undefined if it can be anything. */
  readonly pointers: readonly string[] | undefined;
  /** How messages name it: `query parameter "order"`. */
  readonly what: string;
  /** How messages name the parameter or the body that it is in. */
  readonly whole: string;
  /** Whether it is a parameter, so that numbers can be written as strings, and an array as one of its items. */
  readonly isText: boolean;
  /** Whether the condition is below `not`. */
  readonly isNegated?: boolean;
}

/** A value about which nothing is known. */
export const UNKNOWN_VALUE: ValueTarget = {
  pointers: undefined,
  what: 'the value',
  whole: 'the value',
  isText: false,
};

/** A JSON Schema (draft 2020-12) as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** How a value is written: with parts left out, as a merge patch, or with matchers. */
export type SchemaPart = 'partial' | 'patch' | 'condition';

/** The inputs of the JSON Schema of scenario files. */
export interface SchemaContext {
  readonly collections: readonly CollectionShape[];
  /** The collection whose items are described. */
  readonly collection?: CollectionShape;
  /** The schema of the rules of one operation, by operation id. */
  readonly operations: Readonly<Record<string, JsonSchema>>;
  /** A reference to a schema of the contract. */
  use(schemaPointer: string, part: SchemaPart): JsonSchema;
  /** A reference to a schema that is written once, under `$defs`. */
  share(name: string, make: () => JsonSchema): JsonSchema;
}

/** One kind of value: its TypeScript type, how it is checked and read, and its JSON Schema. */
export interface Kind<Value> {
  /** The TypeScript type of what an author writes. */
  readonly type: string;
  /** Reports what is wrong; the result counts only in a scenario without mistakes. */
  read(node: SourceNode, context: CheckContext): Value | undefined;
  schema(context: SchemaContext): JsonSchema;
}

/** A member of an object: its kind and one sentence for the docs, the types and editors. */
export interface Field<Value> {
  readonly kind: Kind<Value>;
  readonly description: string;
  readonly isRequired?: boolean;
  /** The value if the member is absent. */
  readonly absent?: Value;
}

/** A field that can be left out. @param absent - Its value then; default undefined. */
export function optional<Value>(kind: Kind<Value>, description: string, absent?: Value): Field<Value> {
  return absent === undefined ? { kind, description } : { kind, description, absent };
}

/** A field that must be there. */
export function required<Value>(kind: Kind<Value>, description: string): Field<Value> {
  return { kind, description, isRequired: true };
}

/** The fields of an object that is read as a `Value`. */
export type Fields<Value> = { readonly [Name in keyof Value]-?: Field<Exclude<Value[Name], undefined>> };

/** An object with a closed set of members. */
export interface ObjectKind<Value> extends Kind<Value> {
  readonly fields: Readonly<Record<string, Field<unknown>>>;
}

interface ObjectOptions<Value> {
  /** How messages name it; default the key it belongs to. */
  readonly label?: string;
  /** The name of its TypeScript type; default: written in place. */
  readonly type?: string;
  /** The name of its JSON Schema under `$defs`; default: written in place. */
  readonly share?: string;
  readonly fields: Fields<Value>;
  /** The hint for an unknown key; default: the closest key, or all of them. */
  hint?(name: string): string;
  /** Checks that need more than one member. */
  check?(value: Value, node: SourceNode, context: CheckContext): void;
}

/** An object whose members are all optional, except for those that say otherwise. */
export function object<Value extends object>(options: ObjectOptions<Value>): ObjectKind<Value> {
  const { label, fields, share } = options;
  const entries = Object.entries<Field<unknown>>(fields);
  const names = entries.map(([name]) => name);
  const read = (given: SourceNode, context: CheckContext): Value | undefined => {
    const node = label === undefined ? given : { ...given, label };
    if (!isObject(node.value)) return reject(node, 'must be an object');
    for (const name of Object.keys(node.value)) {
      if (names.includes(name)) continue;
      const known = names.length === 0 ? undefined : `allowed keys: ${names.join(', ')}`;
      const hint = options.hint?.(name) ?? suggest(name, names) ?? known;
      report(child(node, name), `unknown key ${JSON.stringify(name)} in ${node.label}`, hint);
    }
    const members: Record<string, unknown> = {};
    for (const [name, field] of entries) members[name] = readField(child(node, name), field, context);
    // The fields are the members of `Value`, each of the type of its member.
    const value = members as Value;
    options.check?.(value, node, context);
    return value;
  };
  const write = (context: SchemaContext): JsonSchema => {
    const properties = entries.map(([name, { kind, description }]) => [name, { description, ...kind.schema(context) }]);
    const requiredNames = entries.filter(([, field]) => field.isRequired).map(([name]) => name);
    return closedObject(
      Object.fromEntries(properties) as JsonSchema,
      requiredNames.length > 0 ? { required: requiredNames } : {},
    );
  };
  return {
    type: options.type ?? `{ ${entries.map(([name, field]) => toMember(name, field)).join('; ')} }`,
    fields: Object.fromEntries(entries),
    read,
    schema: (context) => (share === undefined ? write(context) : context.share(share, () => write(context))),
  };
}

function readField(node: SourceNode, field: Field<unknown>, context: CheckContext): unknown {
  if (node.value === undefined && field.isRequired !== true) return field.absent;
  return field.kind.read(node, context);
}

/** A member in a TypeScript type. */
export function toMember(name: string, field: Field<unknown>): string {
  return `readonly ${name}${field.isRequired === true ? '' : '?'}: ${field.kind.type}`;
}

/** An object with any names, each with a value of one kind. @param toName - The name once it is read. */
export function map<Value>(
  value: Kind<Value>,
  readMember: (member: SourceNode, context: CheckContext, name: string) => Value | undefined = value.read,
  toName: (name: string) => string = (name) => name,
): Kind<Readonly<Record<string, Value>>> {
  return {
    type: `Readonly<Record<string, ${value.type}>>`,
    read: (node, context) => {
      const result: Record<string, Value> = {};
      for (const [name, member] of readMembers(node)) {
        const read = readMember(member, context, name);
        // A member without a value belongs to a scenario with a mistake.
        if (read !== undefined) setOwn(result, toName(name), read);
      }
      return result;
    },
    schema: (context) => ({ type: 'object', additionalProperties: value.schema(context) }),
  };
}

/** An array of one kind. */
export function list<Item>(item: Kind<Item>, minItems = 0): Kind<readonly Item[]> {
  return {
    type: item.type.includes(' | ') ? `readonly (${item.type})[]` : `readonly ${item.type}[]`,
    read: (node, context) => {
      if (!Array.isArray(node.value)) return reject(node, 'must be an array');
      if (node.value.length < minItems) return reject(node, `must have at least ${minItems} item`);
      const items: Item[] = [];
      const label = `an item of ${node.label}`;
      for (const index of node.value.keys()) {
        const read = item.read(child(node, index, label), context);
        // An item without a value belongs to a scenario with a mistake.
        if (read !== undefined) items.push(read);
      }
      return items;
    },
    schema: (context) => ({ type: 'array', ...(minItems > 0 && { minItems }), items: item.schema(context) }),
  };
}

/** One value, or an array of them. */
export function oneOrMany<Item>(item: Kind<Item>): Kind<readonly Item[]> {
  const many = list(item);
  return {
    type: `${item.type} | ${many.type}`,
    read: (node, context) => {
      if (Array.isArray(node.value)) return many.read(node, context);
      const only = item.read(node, context);
      return only === undefined ? undefined : [only];
    },
    schema: (context) => ({ anyOf: [many.schema(context), item.schema(context)] }),
  };
}

/** The same kind whose values are converted once they are read. @param to - Returns undefined if it reports a mistake instead. */
export function convert<From, To, Given extends Kind<From>>(
  kind: Given & Kind<From>,
  to: (value: From, node: SourceNode, context: CheckContext) => To | undefined,
): Omit<Given, 'read'> & Kind<To> {
  return {
    ...kind,
    read: (node, context) => {
      const value = kind.read(node, context);
      return value === undefined ? undefined : to(value, node, context);
    },
  };
}

/** The same kind with a check of its own after the value was read without a mistake. */
export function checked<Value>(
  kind: Kind<Value>,
  check: (node: SourceNode, context: CheckContext, value: Value) => void,
): Kind<Value> {
  return convert(kind, (value, node, context) => {
    check(node, context, value);
    return value;
  });
}

/** Any JSON value. An editor completes nothing for the schema `true`, so it is `{}`. */
export const ANY_KIND: Kind<unknown> = { type: 'unknown', read: ({ value }) => value, schema: () => ({}) };

/** A string that is not blank. */
export const TEXT_KIND: Kind<string> = {
  type: 'string',
  read: (node) =>
    typeof node.value === 'string' && node.value.trim() !== ''
      ? node.value
      : reject(node, 'must be a non-empty string'),
  schema: () => ({ type: 'string', minLength: 1 }),
};

/** `true` or `false`. */
export const FLAG_KIND: Kind<boolean> = {
  type: 'boolean',
  read: (node) => (typeof node.value === 'boolean' ? node.value : reject(node, 'must be true or false')),
  schema: () => ({ type: 'boolean' }),
};

/** One of several strings. */
export function word<Word extends string>(words: readonly Word[]): Kind<Word> {
  return {
    type: words.map((each) => `'${each}'`).join(' | '),
    read: (node) => {
      const hint = typeof node.value === 'string' ? suggest(node.value, words) : undefined;
      return words.find((each) => each === node.value) ?? reject(node, `must be ${joinWords(words)}`, hint);
    },
    schema: () => ({ enum: words }),
  };
}

/** An integer from `minimum` to `maximum`. */
export function integer(minimum: number, maximum: number = Infinity): Kind<number> {
  return {
    type: 'number',
    read: (node) => {
      const { value } = node;
      const isFine = typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum;
      return isFine ? value : reject(node, `must be ${describeRange(minimum, maximum)}`);
    },
    schema: () => ({ type: 'integer', minimum, ...(maximum !== Infinity && { maximum }) }),
  };
}

function describeRange(minimum: number, maximum: number): string {
  if (maximum !== Infinity) return `an integer from ${minimum} to ${maximum}`;
  return minimum === 0 ? 'a non-negative integer' : 'a positive integer';
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: DAY_MS };

/** Milliseconds: `300`, `"300ms"`, `"1.5s"`, `"2m"`, `"1h"`, `"1d"`. */
export const DURATION: Kind<number> = {
  type: 'number | string',
  read: (node) => readDuration(node),
  schema: () => ({
    anyOf: [
      { type: 'number', minimum: 0 },
      { type: 'string', pattern: '^\\d+(\\.\\d+)? ?(ms|s|m|h|d)$' },
    ],
  }),
};

/** Milliseconds of a duration. @param hint - The suggested fix if it is not one. */
export function readDuration(node: SourceNode, hint?: string): number | undefined {
  const { value } = node;
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  if (typeof value === 'number' && value < 0) return reject(node, 'must not be negative', hint);
  const match = typeof value === 'string' ? /^(\d+(?:\.\d+)?) ?(ms|s|m|h|d)$/.exec(value) : null;
  if (match === null) return reject(node, 'must be milliseconds or a string such as "1.5s"', hint);
  return Number(match[1]) * (UNITS[match[2] ?? ''] ?? 1);
}
