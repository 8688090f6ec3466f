import type { ProblemCode } from '../contract.js';
import { setOwn } from '../../base/json.js';
import { METHODS } from '../operations/operation.js';

/** The version of the specification a file follows: 2.0, 3.0, or 3.1 and later. */
export type Dialect = 20 | 30 | 31;

/** An object of a document; it is never changed, repairs return shallow copies. */
export type Node = Readonly<Record<string, unknown>>;

/** The type of a node: an object of the OpenAPI specification, or a schema. */
export type ObjectType =
  | 'callback'
  | 'components'
  | 'document'
  | 'encoding'
  | 'example'
  | 'header'
  | 'link'
  | 'mediaType'
  | 'operation'
  | 'parameter'
  | 'pathItem'
  | 'requestBody'
  | 'response'
  | 'schema'
  | 'securityScheme';

/** The keywords of a schema whose members are schemas with names of the author. */
export const SCHEMA_MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'] as const;

/** Whether a description says that only the server sets a property: "Output only. …", "[Output Only] …", "Read-only". */
export function isOfServer(description: unknown): boolean {
  return typeof description === 'string' && OF_SERVER.test(description);
}

const OF_SERVER = /^\W{0,4}(output[- ]only|read[- ]?only)\s{0,2}([.:;,\])*]|$)/i;

/** The value of a field that holds nodes: one node, a map of named nodes, or an array of them. */
export interface Field {
  readonly type: ObjectType;
  readonly shape: 'list' | 'map' | 'one';
}

const one = (type: ObjectType): Field => ({ type, shape: 'one' });
const map = (type: ObjectType): Field => ({ type, shape: 'map' });
const list = (type: ObjectType): Field => ({ type, shape: 'list' });

/** Fields of one kind; `names` are separated by spaces. */
const fields = (names: string, field: Field): readonly [string, Field][] =>
  names.split(' ').map((name) => [name, field]);

const PARAMETER_FIELDS: ReadonlyMap<string, Field> = new Map([
  ...fields('schema', one('schema')),
  ...fields('content', map('mediaType')),
  ...fields('examples', map('example')),
]);
/**
 * The fields of each object that hold nodes (OpenAPI 3.0 to 3.2, section 4). All other fields are data or extensions and stay as they are:
 * a `$ref` in an example value is a value.
 */
const FIELDS: Readonly<Record<ObjectType, ReadonlyMap<string, Field>>> = {
  callback: new Map(),
  components: new Map([
    ['schemas', map('schema')],
    ['responses', map('response')],
    ['parameters', map('parameter')],
    ['examples', map('example')],
    ['requestBodies', map('requestBody')],
    ['headers', map('header')],
    ['securitySchemes', map('securityScheme')],
    ['links', map('link')],
    ['callbacks', map('callback')],
    ['pathItems', map('pathItem')],
    ['mediaTypes', map('mediaType')],
  ]),
  document: new Map([...fields('paths webhooks', map('pathItem')), ['components', one('components')]]),
  encoding: new Map([['headers', map('header')]]),
  example: new Map(),
  header: PARAMETER_FIELDS,
  link: new Map(),
  mediaType: new Map([
    ...fields('schema itemSchema', one('schema')),
    ['examples', map('example')],
    ['encoding', map('encoding')],
    ['itemEncoding', one('encoding')],
    ['prefixEncoding', list('encoding')],
  ]),
  operation: new Map([
    ['parameters', list('parameter')],
    ['requestBody', one('requestBody')],
    ['responses', map('response')],
    ['callbacks', map('callback')],
  ]),
  parameter: PARAMETER_FIELDS,
  pathItem: new Map([
    ...fields(METHODS.join(' '), one('operation')),
    ['parameters', list('parameter')],
    ['additionalOperations', map('operation')],
  ]),
  requestBody: new Map([['content', map('mediaType')]]),
  response: new Map([
    ['headers', map('header')],
    ['content', map('mediaType')],
    ['links', map('link')],
  ]),
  // The core and applicator vocabularies of JSON Schema 2020-12.
  schema: new Map([
    ...fields(SCHEMA_MAPS.join(' '), map('schema')),
    ...fields('allOf anyOf oneOf prefixItems', list('schema')),
    ...fields('items contains additionalProperties unevaluatedItems unevaluatedProperties', one('schema')),
    ...fields('propertyNames not if then else contentSchema', one('schema')),
  ]),
  securityScheme: new Map(),
};

const PATH_ITEM: Field = one('pathItem');

/** The field of a node; undefined where it is data. The fields of a callback are path items whose names are expressions. */
export function readField(type: ObjectType, name: string): Field | undefined {
  if (type === 'callback') return name.startsWith('x-') ? undefined : PATH_ITEM;
  return FIELDS[type].get(name);
}

/** Whether a node of this type may be a `$ref`; documents of several files have it in place of operations, too. */
export function isReferable(type: ObjectType): boolean {
  return type !== 'components' && type !== 'document' && type !== 'encoding';
}

const TEXT_FIELDS = ['description', 'summary', 'title'];

/** Fields with data that documents of several files keep in a file of its own, so that a `$ref` is in their place. */
export const REFERABLE_DATA: Readonly<Partial<Record<ObjectType, readonly string[]>>> = {
  document: ['info', 'servers', 'tags', 'security'],
  example: ['value', 'summary', 'description'],
  header: ['description', 'example'],
  mediaType: ['example'],
  operation: [...TEXT_FIELDS, 'servers', 'tags', 'security'],
  parameter: ['description', 'example'],
  pathItem: [...TEXT_FIELDS, 'servers'],
  requestBody: ['description'],
  response: ['description'],
  schema: [
    ...TEXT_FIELDS,
    ...'type format pattern enum required example minimum maximum minLength maxLength minItems maxItems'.split(' '),
  ],
};

/** Data whose members may be references, too: `info: { version: { $ref: version.yaml } }`. */
export const MEMBERS: ReadonlySet<string> = new Set(['info', 'security', 'servers', 'tags']);

/** The type of the node at a pointer of a document, and whether it is inside a schema; undefined where it is data. */
export function readObjectType(
  segments: readonly string[],
): { readonly type: ObjectType; readonly insideSchema: boolean } | undefined {
  let type: ObjectType = 'document';
  let insideSchema = false;
  for (let i = 0; i < segments.length; i++) {
    insideSchema ||= type === 'schema';
    const field = readField(type, segments[i] ?? '');
    if (field === undefined) return undefined;
    if (field.shape !== 'one') i++;
    if (i >= segments.length) return undefined;
    type = field.type;
  }
  return { type, insideSchema };
}

/** The context of a repair: it reads the document at the node, and takes reports. */
export interface RepairContext {
  readonly dialect: Dialect;
  /**
   * Reports a mistake and what is assumed instead.
   *
   * @param more - `code` defaults to `SCHEMA_REPAIRED`; `inside` is the path from the node to the mistake.
   */
  report(
    message: string,
    assumed: string,
    more?: { readonly code?: ProblemCode; readonly severity?: 'error'; readonly inside?: readonly string[] },
  ): void;
  /** Records that `to` of the bundled document comes from `from` of the file; both are paths from this node. */
  recordMove(to: readonly string[], from: readonly string[]): void;
  /** The value that a reference in this node points to. */
  findTarget(reference: string): unknown;
  /** The local reference to the target of a reference in this node; reports one that cannot be resolved. */
  resolveReference(type: ObjectType, reference: string): string | undefined;
  /** A field of the root of the file: Swagger 2.0 keeps defaults there. */
  readRootField(name: string): unknown;
  /** The pointer of the node, or of something inside it, in the bundled document. */
  pointerOf(inside?: readonly string[]): string;
  /** The target of a reference in this node; reports one that cannot be resolved. @param inside - The path from the node to the `$ref`. */
  requireTarget(
    reference: string,
    inside?: readonly string[],
    assumed?: string,
  ): { readonly file: number; readonly pointer: string; readonly value: unknown } | undefined;
}

/** A copy without some fields. */
export function omit(node: Node, ...names: readonly string[]): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  // Deleting from a whole copy would make it an object that V8 is slow with.
  for (const name in node) if (!names.includes(name)) setOwn(copy, name, node[name]);
  return copy;
}

/** A value as JSON in a message, cut after 60 characters. */
export function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
