import { isObject } from '../../contract/json.js';
import { nearest } from '../../errors.js';

/** The part of JSON Schema that describes hints. */
export interface HintSchema {
  readonly $schema?: string;
  readonly $id?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: 'array' | 'number' | 'object' | 'string';
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, HintSchema>>;
  readonly additionalProperties?: HintSchema | boolean;
  readonly items?: HintSchema;
  readonly oneOf?: readonly HintSchema[];
}

const TEXT: HintSchema = { type: 'string' };
const TEXTS: HintSchema = { type: 'array', items: TEXT };
const TEXT_MAP: HintSchema = { type: 'object', additionalProperties: TEXT };
const TEXT_OR_TEXTS: HintSchema = { oneOf: [TEXT, TEXTS] };
const ANY_OBJECT: HintSchema = { type: 'object', additionalProperties: true };
const UNKNOWN_IDS: HintSchema = {
  enum: ['create', 'not-found'],
  description: 'What a request for an id without an item does: it creates the item, or is answered with 404.',
};

/** What `x-mock` may say on an operation. */
export const OPERATION_HINT: HintSchema = {
  title: 'x-mock on an operation',
  description: 'false: the store never answers this operation.',
  oneOf: [
    { const: false },
    {
      type: 'object',
      additionalProperties: false,
      properties: {
        collection: { ...TEXT, description: 'The collection it works on.' },
        action: {
          enum: ['act', 'batch', 'content', 'copy', 'create', 'delete', 'list', 'read', 'replace', 'search', 'update'],
          description: 'What it does there.',
        },
        id: { ...TEXT_OR_TEXTS, description: 'The path parameter, or parameters, that name the item.' },
        parents: {
          type: 'object',
          additionalProperties: TEXT_OR_TEXTS,
          description: 'Collection to path parameter, outermost first.',
        },
        set: { ...ANY_OBJECT, description: 'Properties it writes, whatever the request says.' },
        items: { ...TEXT, description: 'The property of the envelope that carries the items.' },
        page: {
          enum: ['cursor', 'none', 'offset', 'page', 'starting-after', 'token'],
          description: 'The pagination style.',
        },
        query: {
          enum: ['brackets', 'comma', 'dots', 'repeat'],
          description: 'How its callers write lists and objects into the query.',
        },
      },
    },
  ],
};

/** What `x-mock` may say on the document. */
export const DOCUMENT_HINT: HintSchema = {
  title: 'x-mock on the document',
  type: 'object',
  additionalProperties: false,
  properties: {
    unknownIds: UNKNOWN_IDS,
    collections: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        properties: {
          schema: { ...TEXT, description: 'A pointer to the schema of one item: "#/components/schemas/File".' },
          id: { ...TEXT, description: 'The property that is the id.' },
          idPattern: { ...TEXT, description: 'The regular expression that new ids are made from.' },
          patterns: { ...TEXT_MAP, description: 'Property to the regular expression that new values are made from.' },
          parent: { ...TEXT, description: 'The collection whose items it lives under.' },
          members: { ...TEXT, description: 'The collection its items are taken from; removing one leaves the target.' },
          once: { ...TEXTS, description: 'Properties that only the answer to a create shows.' },
          redacts: { ...TEXT_MAP, description: 'Property to the property it is the masked form of.' },
          unique: { ...TEXTS, description: 'Properties that no two items share.' },
          set: { ...ANY_OBJECT, description: 'Properties every created item gets.' },
          unknownIds: UNKNOWN_IDS,
        },
      },
    },
  },
};

/** The JSON Schema of both hints, as it stands in docs/x-mock.schema.json. */
export const HINT_SCHEMA: Readonly<Record<string, unknown>> = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'x-mock',
  description: 'What a document says about its collections; see docs/state.md.',
  $defs: { document: DOCUMENT_HINT, operation: OPERATION_HINT },
  anyOf: [{ $ref: '#/$defs/document' }, { $ref: '#/$defs/operation' }],
};

/** One thing that is wrong with a hint. */
interface HintMistake {
  /** The steps to it inside the hint. */
  readonly segments: readonly string[];
  readonly message: string;
  readonly hint: string | undefined;
}

/** The first thing that is wrong with a hint, or undefined. */
export function findHintMistake(
  value: unknown,
  schema: HintSchema,
  segments: readonly string[] = [],
): HintMistake | undefined {
  const wrong = (message: string, hint?: string): HintMistake => ({ segments, message, hint });
  const name = segments.length === 0 ? 'x-mock' : `"${segments.join('.')}"`;
  if (schema.oneOf !== undefined) {
    const branch = schema.oneOf.find((each) => hasType(value, each));
    if (branch !== undefined) return findHintMistake(value, branch, segments);
    return wrong(`${name} is ${schema.oneOf.map(describe).join(' or ')}, not ${JSON.stringify(value)}`);
  }
  if (schema.enum !== undefined) {
    if (schema.enum.includes(String(value))) return undefined;
    const meant = nearest(String(value), schema.enum);
    const known = `it is one of ${schema.enum.join(', ')}`;
    return wrong(
      `${name} cannot be ${JSON.stringify(value)}`,
      meant === undefined ? known : `did you mean "${meant}"?`,
    );
  }
  if (!hasType(value, schema)) return wrong(`${name} is ${describe(schema)}, not ${JSON.stringify(value)}`);
  if (Array.isArray(value) && schema.items !== undefined)
    return findFirst(value.entries(), () => schema.items, segments);
  if (!isObject(value)) return undefined;
  const { properties = {}, additionalProperties } = schema;
  for (const member of Object.keys(value)) {
    if (Object.hasOwn(properties, member) || additionalProperties !== false) continue;
    const meant = nearest(member, Object.keys(properties));
    const message = `${name} has no member "${member}"`;
    const known = `its members are ${Object.keys(properties).join(', ')}`;
    return { segments: [...segments, member], message, hint: meant === undefined ? known : `did you mean "${meant}"?` };
  }
  const other = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  return findFirst(Object.entries(value), (member) => properties[member] ?? other, segments);
}

function findFirst(
  entries: Iterable<readonly [string | number, unknown]>,
  find: (member: string) => HintSchema | undefined,
  segments: readonly string[],
): HintMistake | undefined {
  for (const [member, value] of entries) {
    const schema = find(String(member));
    const mistake = schema === undefined ? undefined : findHintMistake(value, schema, [...segments, String(member)]);
    if (mistake !== undefined) return mistake;
  }
  return undefined;
}

function hasType(value: unknown, schema: HintSchema): boolean {
  if ('const' in schema) return value === schema.const;
  if (schema.type === 'array') return Array.isArray(value);
  if (schema.type === 'object') return isObject(value);
  return schema.type === undefined || typeof value === schema.type;
}

function describe(schema: HintSchema): string {
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.type === 'array') return 'a list';
  if (schema.type === 'object') return 'a mapping';
  return schema.type === 'string' ? 'a text' : 'a value';
}
