import type { Contract } from '../../contract/contract.js';
import { addTo, type Schema } from '../../base/json.js';
import { readRequestBody, readResponses, readValue } from '../../contract/operations/content.js';
import type {
  DeclaredResponse,
  MediaType,
  Operation,
  Parameter,
  RequestBody,
} from '../../contract/operations/operation.js';
import { findObject, readEntries, readPointer, readSegments, readString, toPointer } from '../../contract/pointer.js';
import { indent, type Member, NEVER, toAccess, toComment, toObject, type TypeExpression } from './expression.js';
import { createSchemaTypes, describeSchema, type SchemaTypes } from './schema-type.js';

/** A collection of a mock. */
interface CollectionShape {
  readonly name: string;
  readonly path: string;
  /** Pointer to the schema of an item; undefined where there is none. */
  readonly schema: string | undefined;
}

/** Writes the type of a schema that is not shared. */
type TypeOf = SchemaTypes['typeOf'];

/**
 * The TypeScript types of a contract: the interfaces `paths`, `operations` and `components`, in the form of openapi-typescript 7, and
 * `collections`, the items of each collection. Webhooks and callbacks, which a mock does not answer, are left out.
 */
export function writeTypes(contract: Contract, collections: readonly CollectionShape[]): string {
  const { document, title, version } = contract;
  const { typeOf, listShared } = createSchemaTypes(document);
  const operations = contract.operations.filter(isNamed).map((operation): Member => {
    return { name: operation.id, type: writeOperation(typeOf, operation), comment: describeOperation(operation) };
  });
  const paths = writePaths(typeOf, contract);
  const parts = writeShared(typeOf, document);
  const items = collections.map(({ name, path, schema: pointer }): Member => {
    const schema = pointer === undefined ? undefined : (readPointer(document, pointer) as Schema | undefined);
    const type = findShared(pointer ?? '', 'schemas') ?? typeOf(schema);
    return { name, type: type.text === 'unknown' ? { text: '{ [name: string]: unknown }' } : type, comment: [path] };
  });
  // The last ones: whatever is written before them can refer to further schemas.
  const schemas = listShared();
  const body = [
    writeInterface('paths', paths),
    'export type webhooks = Record<string, never>;\n',
    writeInterface('components', [{ name: 'schemas', type: toMembers(schemas.members) }, ...parts]),
    'export type $defs = Record<string, never>;\n',
    writeInterface('operations', operations),
    `export interface collections ${toObject(items).text}\n`,
    ...schemas.aliases,
  ].join('');
  const comment = `Types of ${title} ${version}, written by "vouch types". Changes are lost when they are written again.`;
  const helper = 'type WithRequired<T, K extends keyof T> = T & { [P in K]-?: T[P] };\n';
  return indent(`${toComment([comment])}\n${body}${body.includes('WithRequired<') ? helper : ''}`);
}

function writeInterface(name: string, members: readonly Member[]): string {
  if (members.length === 0) return `export type ${name} = Record<string, never>;\n`;
  return `export interface ${name} ${toObject(members).text}\n`;
}

/** Whether the document gives the operation its id. */
function isNamed({ id, method, path }: Operation): boolean {
  return id !== `${method} ${path}` && !id.startsWith(`${method} ${path} (`);
}

function toMembers(members: readonly Member[]): TypeExpression {
  return members.length === 0 ? NEVER : toObject(members);
}

/** A member of an operation that is left out where it has none. */
function toOptional(name: string, members: readonly Member[]): Member {
  return { name, type: toMembers(members), isOptional: members.every(({ isOptional = false }) => isOptional) };
}

/** The lines of the comment of a part. */
function toLines(...texts: readonly (string | undefined)[]): readonly string[] {
  return texts.flatMap((text) => (text === undefined ? [] : [text.trim()]));
}

const PATH_METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

function writePaths(typeOf: TypeOf, { document, operations }: Contract): readonly Member[] {
  const byPath = new Map<string, Operation[]>();
  for (const operation of operations) addTo(byPath, operation.path, operation);
  return [...byPath].map(([path, own]): Member => {
    const methods = new Set([...PATH_METHODS, ...own.map(({ method }) => method.toLowerCase())]);
    const members = [...methods].map((name): Member => {
      const operation = own.find(({ method }) => method.toLowerCase() === name);
      if (operation === undefined) return { name, type: NEVER, isOptional: true };
      const type = isNamed(operation) ? toAccess('operations', operation.id) : writeOperation(typeOf, operation);
      return { name, type, comment: describeOperation(operation) };
    });
    const parameters = writeParameters(typeOf, listShared(document, path, own));
    return { name: path, type: toObject([{ name: 'parameters', type: parameters }, ...members]) };
  });
}

/** The parameters that a path item declares for all of its operations. */
function listShared(document: unknown, path: string, operations: readonly Operation[]): readonly Parameter[] {
  const pointer = toPointer('paths', path);
  const item = findObject(document, readPointer(document, pointer), pointer);
  const declared: unknown = item?.value['parameters'];
  if (item === undefined || !Array.isArray(declared)) return [];
  const known = new Map(operations.flatMap(({ parameters }) => parameters.map((each) => [each.pointer, each])));
  return declared.flatMap((value, i) => {
    const target = findObject(document, value, `${item.pointer}/parameters/${i}`)?.pointer;
    return target === undefined ? [] : (known.get(target) ?? []);
  });
}

function describeOperation({ summary, description, deprecated }: Operation): readonly string[] {
  return [...toLines(summary, description), ...(deprecated ? ['@deprecated'] : [])];
}

function writeOperation(typeOf: TypeOf, { parameters, body, responses }: Operation): TypeExpression {
  const type = body === undefined ? NEVER : (findShared(body.pointer, 'requestBodies') ?? writeBody(typeOf, body));
  const declared = responses.filter(({ isAssumed }) => isAssumed !== true);
  const members = declared.map((response): Member => {
    const type = findShared(response.pointer, 'responses') ?? writeResponse(typeOf, response);
    return { name: response.status, type, comment: toLines(response.description) };
  });
  return toObject([
    { name: 'parameters', type: writeParameters(typeOf, parameters) },
    { name: 'requestBody', type, isOptional: body?.required !== true },
    { name: 'responses', type: toMembers(members) },
  ]);
}

function writeParameters(typeOf: TypeOf, parameters: readonly Parameter[]): TypeExpression {
  const places = ['query', 'header', 'path', 'cookie'].map((place) => {
    const own = parameters.filter((parameter) => parameter.in === place);
    const members = own.map((parameter): Member => {
      const { name, pointer, schema, required } = parameter;
      const type = findShared(pointer, 'parameters') ?? typeOf(schema, true);
      return { name, type, isOptional: place !== 'path' && !required, comment: describeParameter(parameter) };
    });
    return toOptional(place, members);
  });
  return toObject(places);
}

function describeParameter({ description, deprecated, schema }: Parameter): readonly string[] {
  const [first = '', ...more] = describeSchema(schema);
  const own = description?.trim() ?? '';
  const lines = [own === '' ? first : own, ...more].filter((line) => line !== '' && line !== '@deprecated');
  return deprecated ? [...lines, '@deprecated'] : lines;
}

function writeBody(typeOf: TypeOf, { content }: RequestBody): TypeExpression {
  const members = writeContent(content, (schema) => typeOf(schema, true));
  const none: Member = { name: '*/*', type: NEVER, isOptional: true };
  return toObject([{ name: 'content', type: toObject(members.length === 0 ? [none] : members) }]);
}

function writeContent(content: readonly MediaType[], typeOf: TypeOf): readonly Member[] {
  return content.map(({ type: name, schema }) => ({ name, type: typeOf(schema) }));
}

function writeResponse(typeOf: TypeOf, { headers, content }: DeclaredResponse): TypeExpression {
  const members = headers.map(({ name, required, schema, pointer, description }): Member => {
    const shared = findShared(pointer, 'headers');
    // A header that several responses share is never optional in openapi-typescript.
    const isOptional = shared === undefined && !required;
    return { name, type: shared ?? typeOf(schema), isOptional, comment: toLines(description) };
  });
  const type = toObject(members, '[name: string]: unknown;\n');
  return toObject([{ name: 'headers', type }, toOptional('content', writeContent(content, typeOf))]);
}

/** The type of a shared part of the document; undefined for a part that is written in place. */
function findShared(pointer: string, kind: string): TypeExpression | undefined {
  const [root, map, name, ...inside] = readSegments(pointer);
  const isShared = root === 'components' && map === kind && name !== undefined && inside.length === 0;
  return isShared ? toAccess('components', kind, name) : undefined;
}

/** The shared parts of the document besides schemas. */
function writeShared(typeOf: TypeOf, document: unknown): readonly Member[] {
  const list = (kind: string, write: (value: unknown, pointer: string) => TypeExpression | undefined): Member => {
    const entries = readEntries(readPointer(document, `/components/${kind}`));
    const members = entries.flatMap(([name, value]): readonly Member[] => {
      const type = write(value, toPointer('components', kind, name));
      const comment = toLines(readString(readPointer(value, '/description')));
      return type === undefined ? [] : [{ name, type, comment }];
    });
    return { name: kind, type: toMembers(members) };
  };
  const writeValue = (value: unknown, pointer: string, isRequest: boolean): TypeExpression | undefined => {
    const found = findObject(document, value, pointer);
    return found && typeOf(readValue(document, found).declared.schema, isRequest);
  };
  return [
    list('responses', (value) => {
      const [response] = readResponses(document, { value: { responses: { default: value } }, pointer: '' });
      return response && writeResponse(typeOf, response);
    }),
    list('parameters', (value, pointer) => writeValue(value, pointer, true)),
    list('requestBodies', (value) => {
      const body = readRequestBody(document, { value: { requestBody: value }, pointer: '' });
      return body && writeBody(typeOf, body);
    }),
    list('headers', (value, pointer) => writeValue(value, pointer, false)),
    { name: 'pathItems', type: NEVER },
  ];
}
