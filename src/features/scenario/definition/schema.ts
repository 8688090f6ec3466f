import { arrayOf, closedObject, eitherOf } from '../../../base/json-schema.js';
import type { Contract } from '../../../contract/contract.js';
import { isObject, type Schema } from '../../../base/json.js';
import type { DeclaredResponse, Operation, ParameterPlace } from '../../../contract/operations/operation.js';
import { listExampleNames, listMedia } from '../../../contract/operations/responses.js';
import { escapeSegment, fromReference, readPointer, readSegments } from '../../../contract/pointer.js';
import type { CollectionShape, JsonSchema, SchemaContext, SchemaPart } from './kinds.js';
import { SCENARIO } from './grammar.js';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/**
 * The JSON Schema (draft 2020-12) of the scenario files of one contract, from which an editor completes operation ids,
 * documented statuses, names of examples, and fields of bodies and items.
 */
export function scenarioSchema(contract: Contract, collections: readonly CollectionShape[]): JsonSchema {
  const pool = createSchemaPool(contract);
  const operations: Record<string, JsonSchema> = {};
  for (const operation of contract.operations) {
    operations[operation.id] = narrowRules(operation, pool);
    pool.complete();
  }
  const root = SCENARIO.schema({ ...pool, collections, operations });
  pool.complete();
  return { $schema: DIALECT, title: `Scenario for ${contract.title}`, ...root, $defs: pool.definitions };
}

/** The JSON Schema of the fixture file of one collection. */
export function fixtureSchema(contract: Contract, { name, schema }: CollectionShape): JsonSchema {
  const pool = createSchemaPool(contract);
  const item = schema === undefined ? {} : pool.use(schema, 'partial');
  const items = arrayOf(item);
  const description = 'Items by the id of their parent item.';
  const byParent = { type: 'object', description, additionalProperties: items };
  pool.complete();
  const properties = {
    defaults: item,
    items: eitherOf(items, byParent),
    generate: { type: 'integer', minimum: 0 },
    unknownIds: { enum: ['create', 'not-found'] },
  };
  const mapping = closedObject(properties);
  return {
    $schema: DIALECT,
    title: `Fixture of ${name} for ${contract.title}`,
    ...eitherOf(mapping, items, ...(schema === undefined ? [] : [item])),
    $defs: pool.definitions,
  };
}

/** The schema of the rules of one operation: the schema of the grammar, narrowed to the declarations of the contract. */
function narrowRules(operation: Operation, pool: SchemaPool): JsonSchema {
  const media = operation.body?.content.find((each) => each.schema !== undefined);
  const places = ['path', 'query', 'header', 'cookie'] as const;
  const parameters = places.map((place) => [place, narrowParameters(operation, place, pool)]);
  const body = media === undefined ? {} : pool.use(media.schemaPointer, 'condition');
  const when = { ...Object.fromEntries(parameters), body };
  const respond = narrowRespond(operation, pool);
  const answers = { respond, sequence: { items: eitherOf({ const: 'engine' }, respond) } };
  const narrowed = {
    properties: { when: { properties: when } },
    // A rule that breaks the contract on purpose may answer anything.
    if: { not: { required: ['violates'] } },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { properties: answers },
  };
  // Not beside each other: editors replace the members of a schema with those of its `$ref`.
  const rule = { allOf: [{ $ref: '#/$defs/rule' }, narrowed] };
  const title = [`${operation.method} ${operation.path}`, operation.summary].filter((text) => text !== undefined);
  return { description: title.join(': '), ...eitherOf(arrayOf(rule), rule) };
}

/** The schema of matchers, which the rules of the grammar define. */
const MATCHER_REFERENCE: JsonSchema = { $ref: '#/$defs/matcher' };

function narrowParameters(operation: Operation, place: ParameterPlace, pool: SchemaPool): JsonSchema {
  const written = { type: ['string', 'number', 'boolean', 'null'] };
  const entries = operation.parameters
    .filter((parameter) => parameter.in === place)
    .map(({ name, description, schemaPointer }): [string, JsonSchema] => {
      const either = eitherOf(pool.use(schemaPointer, 'partial'), MATCHER_REFERENCE, written);
      return [name, { ...(description !== undefined && { description }), ...either }];
    });
  return { properties: Object.fromEntries(entries) };
}

/** The schema of the answers of a rule: the documented statuses, examples, headers and bodies. */
function narrowRespond(operation: Operation, pool: SchemaPool): JsonSchema {
  const { responses } = operation;
  const examples = listExampleNames(listMedia(operation, undefined));
  const bodies = responses.flatMap((response) => narrowBody(response, pool));
  const headers = responses.flatMap((response) => response.headers.map((header) => [header.name.toLowerCase(), {}]));
  return {
    properties: {
      status: narrowStatus(responses),
      example: examples.length === 0 ? { not: {} } : { description: 'An example of the contract.', enum: examples },
      headers: { properties: Object.fromEntries(headers) as JsonSchema },
    },
    ...(bodies.length > 0 && { allOf: bodies }),
  };
}

function narrowStatus(responses: readonly DeclaredResponse[]): JsonSchema {
  const explicit = responses.filter((response) => /^\d+$/.test(response.status));
  if (responses.some((response) => response.status === 'default')) {
    return { examples: explicit.map((response) => Number(response.status)) };
  }
  const statuses = explicit.map(({ status, description = `Status ${status}` }) => {
    return { const: Number(status), description };
  });
  const ranges = responses
    .filter((response) => response.status.endsWith('XX'))
    .map((response) => Number(response.status[0]) * 100)
    .map((from) => ({ type: 'integer', minimum: from, maximum: from + 99 }));
  return { anyOf: [...statuses, ...ranges] };
}

/** The status decides which fields the body has and which examples there are. */
function narrowBody(response: DeclaredResponse, pool: SchemaPool): readonly JsonSchema[] {
  const status = Number(response.status);
  if (!Number.isInteger(status)) return [];
  const media = response.content.find((each) => each.schema !== undefined);
  const examples = listExampleNames(response.content);
  const known = {
    body: media === undefined ? {} : pool.use(media.schemaPointer, 'partial'),
    ...(examples.length > 0 && { example: { enum: examples } }),
  };
  const named = { properties: { status: { const: status } }, required: ['status'] };
  // Without a status, the status is one of success.
  const unnamed = { not: { anyOf: [{ required: ['status'] }, { required: ['example'] }] } };
  const isSuccess = response.status.startsWith('2');
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  return [{ if: isSuccess ? { anyOf: [named, unnamed] } : named, then: { properties: known } }];
}

type Definitions = Readonly<Record<string, JsonSchema>>;

/** Schemas under `$defs`, each written once. */
interface SchemaPool extends Pick<SchemaContext, 'use' | 'share'> {
  readonly definitions: Definitions;
  /** Writes the definitions of the schemas that are used. */
  complete(): void;
}

/**
 * A pool of the schemas of one contract, changed so that they match parts of a value: nothing is required, a scalar can be a
 * runtime expression, and in a `patch` a member can be null.
 */
function createSchemaPool(contract: Contract): SchemaPool {
  const definitions: Record<string, JsonSchema> = {};
  const names = new Map<string, string>();
  const pending = new Map<string, () => JsonSchema>();
  const share: SchemaPool['share'] = (name, make) => {
    if (!Object.hasOwn(definitions, name)) {
      // Reserved first: a schema can refer to itself.
      definitions[name] = {};
      definitions[name] = make();
    }
    return { $ref: `#/$defs/${name}` };
  };
  const use: SchemaPool['use'] = (pointer, part) => {
    // It is a schema pointer of the contract.
    const target = contract.resolve(contract.at(pointer) as Schema, pointer);
    const key = `${part} ${target.pointer}`;
    const known = names.get(key);
    const name = known ?? toFreeName(target.pointer, part, definitions);
    names.set(key, name);
    if (known === undefined) {
      definitions[name] = {};
      pending.set(name, () => toPartSchema(target.schema, { pointer: target.pointer, part, use }));
    }
    return { $ref: `#/$defs/${name}` };
  };
  const complete = (): void => {
    // A schema adds those that it uses.
    for (const [name, write] of pending) {
      definitions[name] = write();
      pending.delete(name);
    }
  };
  return { use, share, definitions, complete };
}

function toFreeName(pointer: string, part: string, taken: Definitions): string {
  const words = readSegments(pointer).filter((segment) => segment !== 'components' && segment !== 'schemas');
  const base = `${part}.${words.slice(-3).join('.')}`.replaceAll(/[^\w.-]/g, '_');
  if (!Object.hasOwn(taken, base)) return base;
  for (let i = 2; ; i++) if (!Object.hasOwn(taken, `${base}-${i}`)) return `${base}-${i}`;
}

/** Keywords that mean the same for a part of a value as for the whole. */
const KEPT: readonly string[] = (
  'type const enum format pattern minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf ' +
  'maxItems title description deprecated default examples'
).split(' ');

interface PartSchema {
  readonly pointer: string;
  readonly part: SchemaPart;
  readonly use: SchemaPool['use'];
}

function toPartSchema(schema: Schema, from: PartSchema): JsonSchema {
  if (typeof schema === 'boolean') return schema ? {} : { not: {} };
  const at = (step: string): JsonSchema => toChildSchema(schema, step, from);
  const result: Record<string, unknown> = {};
  for (const keyword of KEPT) if (Object.hasOwn(schema, keyword)) result[keyword] = schema[keyword];
  const { properties, items, additionalProperties, allOf = [], anyOf, oneOf } = schema;
  if (properties !== undefined) {
    const names = Object.keys(properties);
    result['properties'] = Object.fromEntries(names.map((name) => [name, at(`properties/${escapeSegment(name)}`)]));
  }
  if (items !== undefined) result['items'] = at('items');
  if (isObject(additionalProperties)) result['additionalProperties'] = at('additionalProperties');
  const all = allOf.map((_, i) => at(`allOf/${i}`));
  const target = fromReference(schema.$ref);
  if (target !== undefined) all.push(from.use(target, from.part));
  if (all.length > 0) result['allOf'] = all;
  // A part of a value can match several branches of a oneOf.
  const keyword = anyOf === undefined ? 'oneOf' : 'anyOf';
  const branches = (anyOf ?? oneOf)?.map((_, i) => at(`${keyword}/${i}`));
  if (branches !== undefined) result['anyOf'] = branches;
  return loosen(result, from.part);
}

function toChildSchema(parent: Exclude<Schema, boolean>, step: string, from: PartSchema): JsonSchema {
  // Keywords that hold schemas hold schemas.
  const schema = readPointer(parent, `/${step}`) as Schema;
  const target = isObject(schema) ? fromReference(schema['$ref']) : undefined;
  if (target !== undefined) return from.use(target, from.part);
  return toPartSchema(schema, { ...from, pointer: `${from.pointer}/${step}` });
}

/** A runtime expression, alone or within a string. */
const EXPRESSION: JsonSchema = { type: 'string', pattern: '\\$(request|vars)\\b' };

/** The schema of a value that can also be an expression, in a patch null, and in a condition a matcher. */
function loosen(schema: JsonSchema, part: SchemaPart): JsonSchema {
  const others: JsonSchema[] = [];
  // Conditions have no expressions.
  if (part === 'condition') others.push(MATCHER_REFERENCE);
  else if (isNarrow(schema)) others.push(EXPRESSION);
  if (part === 'patch' && Object.keys(schema).length > 0) others.push({ type: 'null' });
  return others.length === 0 ? schema : { anyOf: [schema, ...others] };
}

/** Whether a schema is one of scalars that does not match every string. */
function isNarrow(schema: JsonSchema): boolean {
  const types = new Set([schema['type']].flat());
  if (types.has('object') || types.has('array') || schema['properties'] !== undefined) return false;
  const isAnyString =
    types.has('string') && !['enum', 'const', 'pattern', 'format', 'maxLength'].some((name) => name in schema);
  return !isAnyString && (schema['type'] !== undefined || 'enum' in schema || 'const' in schema);
}
