import { closedObject, arrayOf, eitherOf } from '../../base/json-schema.js';
import type { Contract } from '../../contract/contract.js';
import type { Schema } from '../../base/json.js';
import { readSegments } from '../../contract/pointer.js';
import { ERROR_CONDITIONS } from '../../http/response/error-conditions.js';
import { createValidators } from '../../schema/validate.js';
import type { PageStyleName } from '../list/pagination.js';
import type { Action, CreatedSample, LifecycleHint, MissingHint, RemovedHint } from '../item/resource.js';
import type { UnknownIds } from '../store/collection.js';
import type { Item } from '../store/lists/item-list.js';

/** A parameter of the path by its name, one of the query, or the JSON pointer to a property of the body. */
export type ParameterHint = string | { readonly query: string } | { readonly body: string };

/** What an error looks like: its status instead of the usual one, and its body with placeholders. */
export interface ErrorTemplateHint {
  readonly status?: number;
  /** Without a `mediaType`, an empty string means that there is nothing to send. */
  readonly body?: unknown;
  /** The media type of a body that is sent as it is, whatever the schema of the error says; default: that of the error in the contract. */
  readonly mediaType?: string;
}

/** `x-mock` on an operation. */
export interface OperationHint {
  readonly collection?: string;
  readonly action?: Action;
  readonly id?: ParameterHint | readonly ParameterHint[];
  readonly parents?: Readonly<Record<string, ParameterHint | readonly ParameterHint[]>>;
  readonly set?: Item;
  readonly items?: string;
  readonly page?: PageStyleName;
  readonly missing?: MissingHint;
  readonly query?: 'brackets' | 'comma' | 'dots' | 'repeat';
  /** By condition, status, range of statuses, or `default`. */
  readonly errors?: Readonly<Record<string, ErrorTemplateHint>>;
  readonly stream?: string;
  /** Members of the request body that every answer repeats. */
  readonly repeats?: readonly string[];
  /** By member of the request body: the names of parameters that clients send by position. */
  readonly positions?: Readonly<Record<string, readonly string[]>>;
}

/** One collection in the `x-mock` of the document. */
export interface CollectionHint {
  readonly schema?: string;
  readonly id?: string;
  readonly idFrom?: string;
  readonly idPattern?: string;
  readonly patterns?: Readonly<Record<string, string>>;
  readonly parent?: string;
  readonly members?: string;
  readonly once?: readonly string[];
  readonly redacts?: Readonly<Record<string, string>>;
  readonly unique?: readonly string[];
  readonly detail?: readonly string[];
  readonly set?: Item;
  readonly unknownIds?: UnknownIds;
  readonly initialItems?: number;
  readonly lifecycle?: LifecycleHint;
  readonly missing?: MissingHint;
  readonly derived?: Readonly<Record<string, string>>;
  readonly removed?: RemovedHint;
  readonly alternateKeys?: readonly string[];
  readonly samples?: readonly CreatedSample[];
}

/** `x-mock` on the document. */
export interface DocumentHint {
  readonly unknownIds?: UnknownIds;
  readonly collections?: Readonly<Record<string, CollectionHint>>;
  readonly errors?: OperationHint['errors'];
  readonly conventions?: Readonly<Record<string, string | readonly string[]>>;
}

type JsonSchema = Readonly<Record<string, unknown>>;

/** The JSON Schema of the values of one type. */
interface HintKind<Value> {
  readonly schema: JsonSchema;
  /** Ties the schema to the type of its values; never set. */
  readonly value?: Value;
}

/** One property of a hint. */
interface Property<Value> {
  readonly kind: HintKind<Value>;
  /** A sentence for editors and docs/state.md. */
  readonly description: string;
  /** What applies without the hint, for docs/state.md. */
  readonly otherwise: string;
}

/** The properties of an object; the compiler checks that each one has the type of its kind. */
type Properties<Value> = { readonly [Name in keyof Value]-?: Property<NonNullable<Value[Name]>> };

const STRING: HintKind<string> = { schema: { type: 'string' } };
const STRINGS: HintKind<readonly string[]> = { schema: { type: 'array', items: STRING.schema } };
const placeOf = (name: string): JsonSchema => closedObject({ [name]: STRING.schema }, { required: [name] });
const FORMS: readonly JsonSchema[] = [STRING.schema, placeOf('query'), placeOf('body')];
const PARAMETERS: JsonSchema = { oneOf: [...FORMS, arrayOf({ oneOf: FORMS })] };
// A definition is compiled when the first hint uses it; few documents do.
const PARAMETERS_KIND: HintKind<ParameterHint | readonly ParameterHint[]> = { schema: { $ref: '#/$defs/parameters' } };
const OBJECT: HintKind<Item> = { schema: { type: 'object', additionalProperties: true } };
const FLAG: JsonSchema = { type: 'boolean' };
const oneOf = <Value extends string>(...values: readonly Value[]): HintKind<Value> => ({ schema: { enum: values } });
const mapOf = <Value>(kind: HintKind<Value>): HintKind<Readonly<Record<string, Value>>> => ({
  schema: { type: 'object', additionalProperties: kind.schema },
});

function objectOf<Value>(properties: Properties<Value>): HintKind<Value> {
  const entries = Object.entries<Property<unknown>>(properties);
  const schemas = entries.map(([name, { kind, description }]) => [name, { ...kind.schema, description }]);
  return { schema: closedObject(Object.fromEntries(schemas) as JsonSchema) };
}

const UNKNOWN_IDS: Property<UnknownIds> = {
  kind: oneOf('create', 'not-found'),
  description: 'What a request for an id without an item does: it creates the item, or is answered with 404.',
  otherwise: '`not-found` with fixtures, else `create`',
};

const MISSING: Property<MissingHint> = {
  kind: { schema: { $ref: '#/$defs/missing' } },
  description:
    'The answer to a request for an item that does not exist: `{ status: 200, body: { ok: false, error: not_found } }`; the status is 200 by default.',
  otherwise: 'the declared 404, or a success with `ok: false` where only that is declared',
};

const ERRORS: Property<NonNullable<OperationHint['errors']>> = {
  kind: { schema: { $ref: '#/$defs/errors' } },
  description:
    'What errors look like, by [condition or status](answers.md#errors): `not-found: { status: 404, body: { error: { message: "{message}" } } }`.',
  otherwise: 'the error schemas and examples of the contract',
};

const OPERATION: Properties<OperationHint> = {
  collection: {
    kind: STRING,
    description: 'The name of the collection.',
    otherwise: 'from the path: static segments, `parent.child` below an item',
  },
  action: {
    kind: oneOf(
      'list',
      'search',
      'count',
      'latest',
      'create',
      'batch',
      'batch-delete',
      'copy',
      'read',
      'replace',
      'update',
      'delete',
      'act',
      'content',
    ),
    description: 'What the operation does to the collection.',
    otherwise: 'from the method, the path and the schemas',
  },
  id: {
    kind: PARAMETERS_KIND,
    description:
      'The path parameter, or path parameters, that identify the item; `{ query: name }` for one of the query, `{ body: /item_id }` for a property of the body, which can be a key that only the answer to the create shows.',
    otherwise: 'the last one',
  },
  parents: {
    kind: mapOf(PARAMETERS_KIND),
    description: 'The parameters of the parent items by collection, outermost first; written like those of `id`.',
    otherwise: 'the path parameters before the last',
  },
  set: {
    kind: OBJECT,
    description: 'Properties that the operation sets, whatever the request says.',
    otherwise: 'for `act`: the status that the last segment suggests',
  },
  items: {
    kind: STRING,
    description: 'The property of a list response that holds the items.',
    otherwise: 'the array whose items match the collection',
  },
  page: {
    kind: oneOf('starting-after', 'cursor', 'token', 'page', 'offset', 'range', 'none'),
    description: 'The pagination style.',
    otherwise: 'from the query parameters',
  },
  missing: MISSING,
  stream: {
    kind: STRING,
    description: 'The boolean property of the body, or query parameter, that asks for the answer as a stream.',
    otherwise: 'found by its name or description',
  },
  repeats: {
    kind: STRINGS,
    description:
      'Members of the JSON body of the request that each answer has with the same value: the `id` of JSON-RPC.',
    otherwise: 'none',
  },
  positions: {
    kind: mapOf(STRINGS),
    description:
      'The names of parameters that clients send by position, by the member of the body that has them; `*` is an object with parameters: `{ params: [id, "*"] }` reads `[7, { done: true }]` as `{ id: 7, done: true }`.',
    otherwise: 'an array stays an array',
  },
  query: {
    kind: oneOf('brackets', 'comma', 'dots', 'repeat'),
    description: 'How clients serialize arrays and objects in the query.',
    otherwise: 'from the parameters',
  },
  errors: ERRORS,
};

const LIFECYCLE: Properties<Exclude<LifecycleHint, false>> = {
  property: {
    kind: STRING,
    description: 'The property that holds the status.',
    otherwise: '`status`, `state` or `phase`',
  },
  statuses: {
    kind: STRINGS,
    description: 'The statuses of a created item in their order.',
    otherwise: 'those of the enum that plainly are in progress, then the one of success',
  },
  seconds: {
    kind: { schema: { type: 'number', exclusiveMinimum: 0 } },
    description: 'How long each status lasts by the clock of the mock.',
    otherwise: 'each read of the item advances it',
  },
};

const COLLECTION: Properties<CollectionHint> = {
  schema: {
    kind: STRING,
    description: 'A JSON pointer to the schema of one item: `#/components/schemas/File`.',
    otherwise: 'that of the read, create or list response',
  },
  id: {
    kind: STRING,
    description: 'The property that is the id.',
    otherwise: 'the property with the name of the path parameter or of its last word (`{specSlug}`), else `id` or `pk`',
  },
  idFrom: {
    kind: STRING,
    description:
      'The property of a create whose value becomes the id of the item: `name`; or a template as in `derived`: `list:{name}`.',
    otherwise: 'the id itself, if the request has it, else a generated one',
  },
  idPattern: {
    kind: STRING,
    description: 'The regular expression of new ids: `^key_[0-9A-Za-z]{24}$`.',
    otherwise:
      'the `pattern`, format or examples of the id, else a prefix and 24 characters, as long as `minLength` and `maxLength` allow',
  },
  patterns: {
    kind: mapOf(STRING),
    description: 'The regular expressions of other properties that the server generates, and of such a key.',
    otherwise: 'their schemas',
  },
  parent: { kind: STRING, description: 'The parent collection.', otherwise: 'from the path' },
  members: {
    kind: STRING,
    description: 'The collection whose items these are memberships of; removing a membership leaves the item.',
    otherwise: 'the top-level collection of the same name',
  },
  once: {
    kind: STRINGS,
    description: 'Properties that only the response to the create shows.',
    otherwise: 'those that only this response requires',
  },
  redacts: {
    kind: mapOf(STRING),
    description: 'Masked properties, and the properties they are the masked form of.',
    otherwise: '`redacted_x` masks `x`',
  },
  unique: {
    kind: STRINGS,
    description: 'Properties whose values no two items share; a second one is a conflict (409).',
    otherwise: 'none',
  },
  detail: {
    kind: STRINGS,
    description: 'Properties that lists do not show, and that no schema of a list leaves out.',
    otherwise: 'none',
  },
  set: {
    kind: OBJECT,
    description: 'Properties that every created item gets.',
    otherwise: 'none',
  },
  unknownIds: UNKNOWN_IDS,
  initialItems: {
    kind: { schema: { type: 'integer', minimum: 0 } },
    description:
      'How many items each list starts with that has no fixtures, also below an item that a request created: the service creates them with it.',
    otherwise: '3, or `--initial-items`; none below an item that a request created',
  },
  lifecycle: {
    kind: { schema: { $ref: '#/$defs/lifecycle' } },
    description:
      'The statuses through which a created item advances by itself: `{ property, statuses, seconds }`; each read advances it, or, with `seconds`, the clock. `false`: it keeps its status.',
    otherwise: 'found in the enum of the status',
  },
  missing: MISSING,
  derived: {
    kind: mapOf(STRING),
    description:
      'Properties that the server makes from others: `{name}` is a copy, `{name:lower}`, `{name:upper}` and `{name:slug}` change its letters, `{items:count}` is a length, and text is joined: `/zones/{name}`.',
    otherwise: 'none',
  },
  removed: {
    kind: {
      schema: { type: 'object', additionalProperties: false, properties: { show: OBJECT.schema, listed: FLAG } },
    },
    description:
      'A removed item can still be read: `{ show: { status: expired }, listed: true }` is what it shows then, and whether lists show it.',
    otherwise: 'found in the description of the DELETE and in the parameters of reads',
  },
  alternateKeys: {
    kind: STRINGS,
    description: 'Properties whose value a path can have in place of the id: the `name` of `/networks/{id}`.',
    otherwise: 'found in the names and descriptions of the path parameters',
  },
  samples: {
    kind: {
      schema: arrayOf(
        closedObject(
          {
            path: OBJECT.schema,
            query: OBJECT.schema,
            body: OBJECT.schema,
            item: OBJECT.schema,
            at: { type: 'string', format: 'date-time' },
            generated: STRINGS.schema,
          },
          { required: ['item'] },
        ),
      ),
    },
    description:
      'The items that a service created for some requests: `{ body: { name: a }, item: { id: 7, name: a, size: 0 } }`. The same request creates the same item; members in `generated` are new in each item, and so is the id if an item has it. Times within a day of `at` are moved to the time of the request.',
    otherwise: 'none',
  },
};

const DOCUMENT: Properties<DocumentHint> = {
  unknownIds: UNKNOWN_IDS,
  collections: {
    kind: mapOf(objectOf(COLLECTION)),
    description: 'Hints for single collections, by name.',
    otherwise: 'none',
  },
  errors: ERRORS,
  conventions: {
    kind: mapOf<string | readonly string[]>({ schema: eitherOf(STRING.schema, STRINGS.schema) }),
    description:
      'Names of properties and parameters by what they mean, where the usual names do not say so: `{ pages.next: weiter }`; [conventions](conventions.md) has what they can mean.',
    otherwise: 'the usual names',
  },
};

const ERROR_TEMPLATE: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  properties: {
    status: { type: 'integer', minimum: 200, maximum: 599 },
    body: {},
    mediaType: { type: 'string', pattern: '^[a-z]+/[a-z0-9.+-]+' },
  },
  dependentSchemas: {
    mediaType: {
      required: ['body'],
      if: { properties: { mediaType: { pattern: '^(?!text/)' } } },
      else: { properties: { body: { type: 'string' } } },
    },
  },
};

const ERROR_KEYS: readonly string[] = [...ERROR_CONDITIONS, 'default'];

/** The JSON Schema of `x-mock`, as in docs/x-mock.schema.json. */
export const HINT_SCHEMA: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'x-mock',
  description: 'Hints for the inference of collections; see docs/state.md.',
  $defs: {
    document: { title: 'x-mock on the document', ...objectOf(DOCUMENT).schema },
    operation: {
      title: 'x-mock on an operation',
      description: 'false: the store does not handle the operation.',
      oneOf: [{ const: false }, objectOf(OPERATION).schema],
    },
    parameters: PARAMETERS,
    lifecycle: { oneOf: [{ const: false }, objectOf(LIFECYCLE).schema] },
    error: ERROR_TEMPLATE,
    errors: {
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(ERROR_KEYS.map((name) => [name, { $ref: '#/$defs/error' }])),
      patternProperties: { '^[45]([0-9]{2}|XX)$': { $ref: '#/$defs/error' } },
    },
    missing: {
      type: 'object',
      additionalProperties: false,
      required: ['body'],
      properties: { status: { type: 'integer', minimum: 200, maximum: 599 }, body: OBJECT.schema },
    },
  },
  anyOf: [{ $ref: '#/$defs/document' }, { $ref: '#/$defs/operation' }],
};

/** The rows of the tables in docs/state.md: property, description and default. */
export const HINT_ROWS: Readonly<Record<'collection' | 'document' | 'operation', readonly string[]>> = {
  document: toRows(DOCUMENT),
  collection: toRows(COLLECTION),
  operation: toRows(OPERATION),
};

function toRows(properties: Readonly<Record<string, Property<unknown>>>): readonly string[] {
  return Object.entries(properties).map(([name, { kind, description, otherwise }]) => {
    const values = kind.schema['enum'];
    const list = Array.isArray(values) ? ` ${values.map((value) => `\`${value}\``).join(' ')}` : '';
    return `| \`${name}\` | ${description}${list} | ${otherwise} |`;
  });
}

/** What is wrong with a hint. */
interface HintProblem {
  /** In the hint: `/collections/orders`. */
  readonly pointer: string;
  readonly message: string;
  /** The nearest valid name. */
  readonly hint: string | undefined;
}

/** Checks the `x-mock` of the document or of an operation; undefined where it is valid. */
export type CheckHint = (value: unknown, of: 'document' | 'operation') => HintProblem | undefined;

/** Creates a checker of hints. */
export function createHintChecker(contract: Contract): CheckHint {
  // The validators read the schema of hints as if it were the document.
  const at = (pointer: string): unknown =>
    readSegments(pointer).reduce<unknown>((value, name) => (value as JsonSchema)[name], HINT_SCHEMA); // pointers of the schema
  const resolve = (schema: Schema, pointer: string): ReturnType<Contract['resolve']> => ({ schema, pointer });
  const validators = createValidators({ ...contract, document: HINT_SCHEMA, operations: [], at, resolve });
  return (value, of) => {
    const [first] = validators.check(`/$defs/${of}`, 'request')(value, 'body');
    if (first === undefined) return undefined;
    const [message = '', hint] = first.message.replace(/^(the )?body/, 'x-mock').split(/; (?=did you mean )/);
    return { pointer: first.pointer, message, hint };
  };
}
