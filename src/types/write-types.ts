import type { Contract } from '../contract/contract.js';
import { addTo, type Schema } from '../contract/json.js';
import { createDocumentObjects } from '../contract/operations/document-objects.js';
import { readRequestBody, readResponses, readValue } from '../contract/operations/content.js';
import type {
  DeclaredResponse,
  MediaType,
  Operation,
  Parameter,
  RequestBody,
} from '../contract/operations/operation.js';
import { findObject, readEntries, readPointer, readSegments, readString, toPointer } from '../contract/pointer.js';
import { type Member, NEVER, toAccess, toComment, toObject, type TypeExpression, UNKNOWN } from './expression.js';
import { createSchemaTypes, describeSchema, type SchemaTypes } from './schema-type.js';

/** What the types of the parts of operations are written with. */
interface Writer extends SchemaTypes {
  readonly document: Contract['document'];
}

/** A collection of a mock. */
interface CollectionShape {
  readonly name: string;
  readonly path: string;
  /** Pointer to the schema of an item; undefined where there is none. */
  readonly schema: string | undefined;
}

/**
 * The TypeScript types of a contract: the interfaces `paths`, `operations` and `components`, in the form of openapi-typescript 7, and
 * `collections`, the items of each collection. Webhooks and callbacks, which a mock does not answer, are left out.
 */
export function writeTypes(contract: Contract, collections: readonly CollectionShape[]): string {
  const writer: Writer = { ...createSchemaTypes(contract), document: contract.document };
  const named = contract.operations.filter(isNamed);
  const operations = named.map((operation): Member => {
    return {
      name: operation.id,
      type: writeOperation(writer, operation, 1),
      comment: describeOperation(writer, operation),
    };
  });
  const paths = writePaths(writer, contract.operations);
  const parts = writeShared(writer);
  const items = collections.map((shape): Member => {
    return { name: shape.name, type: writeItem(writer, shape), comment: [shape.path] };
  });
  // The last one: whatever is written before it can refer to further schemas.
  const schemas: Member = { name: 'schemas', type: toMembers(writer.listShared(2), 1) };
  const body = [
    writeInterface('paths', paths),
    'export type webhooks = Record<string, never>;\n',
    writeInterface('components', [schemas, ...parts]),
    'export type $defs = Record<string, never>;\n',
    writeInterface('operations', operations),
    `export interface collections ${toObject(items, 0).text}\n`,
  ].join('');
  const title = `Types of ${contract.title} ${contract.version}, written by "vouch types". Changes are lost when they are written again.`;
  const helper = 'type WithRequired<T, K extends keyof T> = T & { [P in K]-?: T[P] };\n';
  return `${toComment([title], '')}\n${body}${body.includes('WithRequired<') ? helper : ''}`;
}

function writeInterface(name: string, members: readonly Member[]): string {
  if (members.length === 0) return `export type ${name} = Record<string, never>;\n`;
  return `export interface ${name} ${toObject(members, 0).text}\n`;
}

/** The type of an item; one without properties in the document can have any. */
function writeItem(writer: Writer, { schema: pointer }: CollectionShape): TypeExpression {
  if (pointer === undefined) return ANY_ITEM;
  // The pointer is that of a schema.
  const schema = readPointer(writer.document, pointer) as Schema | undefined;
  const type = findShared(pointer, 'schemas') ?? writer.typeOf(schema, { depth: 1 });
  return type.text === UNKNOWN.text ? ANY_ITEM : type;
}

const ANY_ITEM: TypeExpression = { text: '{ [name: string]: unknown }' };

/** Whether the document gives the operation its id. */
function isNamed({ id, method, path }: Operation): boolean {
  return id !== `${method} ${path}` && !id.startsWith(`${method} ${path} (`);
}

function toMembers(members: readonly Member[], depth: number): TypeExpression {
  return members.length === 0 ? NEVER : toObject(members, depth);
}

const PATH_METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

function writePaths(writer: Writer, operations: readonly Operation[]): readonly Member[] {
  const byPath = new Map<string, Operation[]>();
  for (const operation of operations) addTo(byPath, operation.path, operation);
  return [...byPath].map(([path, own]): Member => {
    const methods = new Set([...PATH_METHODS, ...own.map(({ method }) => method.toLowerCase())]);
    const members = [...methods].map((name): Member => {
      const operation = own.find(({ method }) => method.toLowerCase() === name);
      if (operation === undefined) return { name, type: NEVER, isOptional: true };
      const type = isNamed(operation) ? toAccess('operations', operation.id) : writeOperation(writer, operation, 2);
      return { name, type, comment: describeOperation(writer, operation) };
    });
    const shared = writeParameters(writer, listShared(writer, path, own), 2);
    return { name: path, type: toObject([{ name: 'parameters', type: shared }, ...members], 1) };
  });
}

/** The parameters that a path item declares for all of its operations. */
function listShared({ document }: Writer, path: string, operations: readonly Operation[]): readonly Parameter[] {
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

function describeOperation({ document }: Writer, { summary, deprecated, pointer }: Operation): readonly string[] {
  const description = readString(readPointer(document, `${pointer}/description`));
  const texts = [summary, description].flatMap((text) => (text === undefined ? [] : [text.trim()]));
  return [...texts, ...(deprecated ? ['@deprecated'] : [])];
}

function writeOperation(writer: Writer, operation: Operation, depth: number): TypeExpression {
  const { parameters, body, responses } = operation;
  const inside = depth + 1;
  return toObject(
    [
      { name: 'parameters', type: writeParameters(writer, parameters, inside) },
      {
        name: 'requestBody',
        type: body === undefined ? NEVER : writeBody(writer, body, inside),
        isOptional: body?.required !== true,
      },
      { name: 'responses', type: writeResponses(writer, responses, inside) },
    ],
    depth,
  );
}

function writeParameters(writer: Writer, parameters: readonly Parameter[], depth: number): TypeExpression {
  const places = ['query', 'header', 'path', 'cookie'].map((name): Member => {
    const own = parameters
      .filter((parameter) => parameter.in === name)
      .map((parameter): Member => {
        const type = findShared(parameter.pointer, 'parameters') ?? writeParameter(writer, parameter, depth + 2);
        return {
          name: parameter.name,
          type,
          isOptional: name !== 'path' && !parameter.required,
          comment: describeParameter(parameter),
        };
      });
    return { name, type: toMembers(own, depth + 1), isOptional: own.every(({ isOptional }) => isOptional) };
  });
  return toObject(places, depth);
}

function writeParameter(writer: Writer, { schema }: Pick<Parameter, 'schema'>, depth: number): TypeExpression {
  return writer.typeOf(schema, { depth, isRequest: true });
}

function describeParameter({ description, deprecated, schema }: Parameter): readonly string[] {
  const [first = '', ...more] = describeSchema(schema);
  const own = description?.trim() ?? '';
  const lines = [own === '' ? first : own, ...more].filter((line) => line !== '' && line !== '@deprecated');
  return deprecated ? [...lines, '@deprecated'] : lines;
}

function writeBody(writer: Writer, body: RequestBody, depth: number): TypeExpression {
  return findShared(body.pointer, 'requestBodies') ?? writeOwnBody(writer, body, depth);
}

function writeOwnBody(writer: Writer, { content }: RequestBody, depth: number): TypeExpression {
  const types = writeContent(writer, content, { depth: depth + 2, isRequest: true });
  const none: Member = { name: '*/*', type: NEVER, isOptional: true };
  const type = toObject(types.length === 0 ? [none] : types, depth + 1);
  return toObject([{ name: 'content', type }], depth);
}

function writeContent(
  { typeOf }: Writer,
  content: readonly MediaType[],
  place: { readonly depth: number; readonly isRequest: boolean },
): readonly Member[] {
  return content.map(({ type: name, schema }) => ({ name, type: typeOf(schema, place) }));
}

function writeResponses(writer: Writer, responses: readonly DeclaredResponse[], depth: number): TypeExpression {
  const declared = responses.filter(({ isAssumed }) => isAssumed !== true);
  const members = declared.map((response): Member => {
    const type = findShared(response.pointer, 'responses') ?? writeResponse(writer, response, depth + 1);
    const comment = response.description === undefined ? [] : [response.description.trim()];
    return { name: response.status, type, comment };
  });
  return toMembers(members, depth);
}

function writeResponse(writer: Writer, { headers, content }: DeclaredResponse, depth: number): TypeExpression {
  const declared = headers.map(({ name, required, schema, pointer, description }): Member => {
    const shared = findShared(pointer, 'headers');
    const type = shared ?? writer.typeOf(schema, { depth: depth + 2 });
    const comment = description === undefined ? [] : [description.trim()];
    // A header that several responses share is never optional in openapi-typescript.
    return { name, type, isOptional: shared === undefined && !required, comment };
  });
  const types = writeContent(writer, content, { depth: depth + 2, isRequest: false });
  return toObject(
    [
      { name: 'headers', type: toObject(declared, depth + 1, '[name: string]: unknown') },
      { name: 'content', type: toMembers(types, depth + 1), isOptional: types.length === 0 },
    ],
    depth,
  );
}

/** The type of a shared part of the document; undefined for a part that is written in place. */
function findShared(pointer: string, kind: string): TypeExpression | undefined {
  const [root, map, name, ...inside] = readSegments(pointer);
  const isShared = root === 'components' && map === kind && name !== undefined && inside.length === 0;
  return isShared ? toAccess('components', kind, name) : undefined;
}

/** The shared parts of the document besides schemas. */
function writeShared(writer: Writer): readonly Member[] {
  const { document } = writer;
  const objects = createDocumentObjects(document);
  const list = (kind: string, write: (value: unknown, pointer: string) => TypeExpression | undefined): Member => {
    const members = readEntries(readPointer(document, `/components/${kind}`)).flatMap(
      ([name, value]): readonly Member[] => {
        const type = write(value, toPointer('components', kind, name));
        const description = readString(readPointer(value, '/description'))?.trim();
        return type === undefined ? [] : [{ name, type, comment: description === undefined ? [] : [description] }];
      },
    );
    return { name: kind, type: toMembers(members, 1) };
  };
  const writeValue = (value: unknown, pointer: string, isRequest: boolean): TypeExpression | undefined => {
    const found = objects.find(value, pointer);
    return found && writer.typeOf(readValue(objects, found).declared.schema, { depth: 2, isRequest });
  };
  return [
    list('responses', (value) => {
      const [response] = readResponses(objects, { value: { responses: { default: value } }, pointer: '' });
      return response && writeResponse(writer, response, 2);
    }),
    list('parameters', (value, pointer) => writeValue(value, pointer, true)),
    list('requestBodies', (value) => {
      const body = readRequestBody(objects, { value: { requestBody: value }, pointer: '' });
      return body && writeOwnBody(writer, body, 2);
    }),
    list('headers', (value, pointer) => writeValue(value, pointer, false)),
    { name: 'pathItems', type: NEVER },
  ];
}
