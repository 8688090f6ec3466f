import type { ProblemCode } from '../contract.js';
import type { ReferenceTarget } from '../load/references.js';

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

/** The value of a field that holds nodes: one node, a map of named nodes, or an array of them. */
export interface Field {
  readonly type: ObjectType;
  readonly shape: 'list' | 'map' | 'one';
}

const one = (type: ObjectType): Field => ({ type, shape: 'one' });
const map = (type: ObjectType): Field => ({ type, shape: 'map' });
const list = (type: ObjectType): Field => ({ type, shape: 'list' });

const EXAMPLES_AND_CONTENT: readonly [string, Field][] = [
  ['schema', one('schema')],
  ['content', map('mediaType')],
  ['examples', map('example')],
];

const fieldsOf = (names: string, field: Field): readonly [string, Field][] =>
  names.split(' ').map((name) => [name, field]);

/** The core and applicator vocabularies of JSON Schema 2020-12. */
const SCHEMA: readonly [string, Field][] = [
  ...fieldsOf('properties patternProperties $defs definitions dependentSchemas', map('schema')),
  ...fieldsOf('allOf anyOf oneOf prefixItems', list('schema')),
  ...fieldsOf(
    'items contains additionalProperties unevaluatedItems unevaluatedProperties propertyNames',
    one('schema'),
  ),
  ...fieldsOf('not if then else contentSchema', one('schema')),
];

const OPERATIONS = fieldsOf('get put post delete options head patch trace query', one('operation'));

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
  document: new Map([
    ['paths', map('pathItem')],
    ['webhooks', map('pathItem')],
    ['components', one('components')],
  ]),
  encoding: new Map([['headers', map('header')]]),
  example: new Map(),
  header: new Map(EXAMPLES_AND_CONTENT),
  link: new Map(),
  mediaType: new Map([
    ['schema', one('schema')],
    ['itemSchema', one('schema')],
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
  parameter: new Map(EXAMPLES_AND_CONTENT),
  pathItem: new Map([...OPERATIONS, ['parameters', list('parameter')], ['additionalOperations', map('operation')]]),
  requestBody: new Map([['content', map('mediaType')]]),
  response: new Map([
    ['headers', map('header')],
    ['content', map('mediaType')],
    ['links', map('link')],
  ]),
  schema: new Map(SCHEMA),
  securityScheme: new Map(),
};

const PATH_ITEM: Field = one('pathItem');

/** The field of a node; undefined where it is data. The fields of a callback are path items whose names are expressions. */
export function readField(type: ObjectType, name: string): Field | undefined {
  if (type === 'callback') return name.startsWith('x-') ? undefined : PATH_ITEM;
  return FIELDS[type].get(name);
}

/** Whether a node of this type may be a `$ref`. */
export function isReferable(type: ObjectType): boolean {
  return type !== 'components' && type !== 'document' && type !== 'encoding' && type !== 'operation';
}

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

/** A mistake at the node that is being repaired. */
interface NodeMistake {
  /** Default `SCHEMA_REPAIRED`. */
  readonly code?: ProblemCode;
  readonly severity?: 'error' | 'warning';
  readonly message: string;
  readonly assumed: string;
  /** The path from the node to the mistake. */
  readonly inside?: readonly string[];
}

/** What a repair can read and report at the node it repairs. */
export interface RepairContext {
  readonly dialect: Dialect;
  report(mistake: NodeMistake): void;
  /** Records that `to` of the bundled document comes from `from` of the file; both are paths from this node. */
  recordMove(to: readonly string[], from: readonly string[]): void;
  /** The target of a reference in this node. */
  findTarget(reference: string): ReferenceTarget | undefined;
  /** The local reference to the schema that a reference in this node points to; reports one that cannot be resolved. */
  resolveSchema(reference: string): string | undefined;
  /** A field of the root of the file: Swagger 2.0 keeps defaults there. */
  readRootField(name: string): unknown;
}

/** A copy without some fields. */
export function omit(node: Node, ...names: readonly string[]): Record<string, unknown> {
  const copy = { ...node };
  for (const name of names) delete copy[name];
  return copy;
}

/** A value as JSON in a message, cut after 60 characters. */
export function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
