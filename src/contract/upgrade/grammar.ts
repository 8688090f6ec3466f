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
