import type { ProblemCode } from '../contract.js';
import type { ReferenceTarget } from '../load/references.js';

/** What a node of a document is: an object of the OpenAPI specification, or a schema. */
export type Kind =
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

/** What stands under a member: one node, a map of named nodes, or a list of them. */
export interface Member {
  readonly kind: Kind;
  readonly shape: 'list' | 'map' | 'one';
}

const one = (kind: Kind): Member => ({ kind, shape: 'one' });
const map = (kind: Kind): Member => ({ kind, shape: 'map' });
const list = (kind: Kind): Member => ({ kind, shape: 'list' });

const EXAMPLES_AND_CONTENT: readonly [string, Member][] = [
  ['schema', one('schema')],
  ['content', map('mediaType')],
  ['examples', map('example')],
];

/** The same member under several names. */
const under = (names: string, member: Member): readonly [string, Member][] =>
  names.split(' ').map((name) => [name, member]);

/** JSON Schema 2020-12 core and applicator vocabularies; the names in a map are never keywords. */
const SCHEMA: readonly [string, Member][] = [
  ...under('properties patternProperties $defs definitions dependentSchemas', map('schema')),
  ...under('allOf anyOf oneOf prefixItems', list('schema')),
  ...under('items contains additionalProperties unevaluatedItems unevaluatedProperties propertyNames', one('schema')),
  ...under('not if then else contentSchema', one('schema')),
];

const OPERATIONS = under('get put post delete options head patch trace query', one('operation'));

/**
 * Which members of which node hold nodes (OpenAPI 3.0 to 3.2, section 4). Every other member is data, or an extension, and is never looked into: a
 * `$ref` in an example value is a value.
 */
const MEMBERS: Readonly<Record<Kind, ReadonlyMap<string, Member>>> = {
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

const PATH_ITEM: Member = one('pathItem');

/** What stands under a member of a node; undefined where it is data. A callback's members are path items, named by expressions. */
export function readMember(kind: Kind, name: string): Member | undefined {
  if (kind === 'callback') return name.startsWith('x-') ? undefined : PATH_ITEM;
  return MEMBERS[kind].get(name);
}

/** Which kinds may be a `$ref` instead of themselves. */
export function isReferable(kind: Kind): boolean {
  return kind !== 'components' && kind !== 'document' && kind !== 'encoding' && kind !== 'operation';
}

/**
 * What stands at a pointer of a document, and whether the way there goes through a schema; undefined where it is data.
 */
export function readKind(
  segments: readonly string[],
): { readonly kind: Kind; readonly insideSchema: boolean } | undefined {
  let kind: Kind = 'document';
  let insideSchema = false;
  for (let i = 0; i < segments.length; i++) {
    insideSchema ||= kind === 'schema';
    const member = readMember(kind, segments[i] ?? '');
    if (member === undefined) return undefined;
    if (member.shape !== 'one') i++;
    if (i >= segments.length) return undefined;
    kind = member.kind;
  }
  return { kind, insideSchema };
}

/** The version of the specification a file follows: 2.0, 3.0, or 3.1 and later. */
export type Dialect = 20 | 30 | 31;

/** A node as it is repaired: shallow copies are made of it, nothing is written into it. */
export type Node = Readonly<Record<string, unknown>>;

/** A mistake at the node that is being repaired. */
interface Mistake {
  readonly code?: ProblemCode;
  readonly severity?: 'error' | 'warning';
  readonly message: string;
  readonly assumed: string;
  /** The steps from the node to the mistake. */
  readonly inside?: readonly string[];
}

/** What a repair may know and tell about the place it works at. */
export interface Site {
  readonly dialect: Dialect;
  /** Notes a mistake; the code is `SCHEMA_REPAIRED` unless it says otherwise. */
  report(mistake: Mistake): void;
  /** Notes that what stands at `to` of the inner document came from `from` of the text, both in steps from this node. */
  moved(to: readonly string[], from: readonly string[]): void;
  /** What a reference written here leads to. */
  find(reference: string): ReferenceTarget | undefined;
  /** The reference of the inner document to the schema a reference written here leads to; reports it where there is none. */
  toInnerSchema(reference: string): string | undefined;
  /** A member of the root of the file, for the defaults Swagger 2.0 keeps there. */
  readRoot(name: string): unknown;
}

/** A copy without some members. */
export function omit(node: Node, ...names: readonly string[]): Record<string, unknown> {
  const copy = { ...node };
  for (const name of names) delete copy[name];
  return copy;
}

/** A value as it is quoted in a message, cut where it is long. */
export function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
