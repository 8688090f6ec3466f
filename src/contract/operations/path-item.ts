import { means } from '../../conventions/conventions.js';
import type { Report } from '../contract.js';
import { memoizeOf } from '../../base/memoize.js';
import { isObject, NO_MEMBERS, readOwn } from '../../base/json.js';
import {
  findObject,
  findObjects,
  type Located,
  readEntries,
  readExtensions,
  readPointer,
  readString,
  readStrings,
  toPointer,
} from '../pointer.js';

import { expandPath } from '../router/path-span.js';
import { readRequestBody, readResponses } from './content.js';
import { createOutlinedOperation, type OperationOutline, toPath } from './outline.js';
import {
  type DeclaredResponse,
  METHODS,
  type MediaType,
  type Operation,
  SCHEME_TYPES,
  type SecurityRequirement,
  type SecurityScheme,
} from './operation.js';
import { readParameters } from './parameter.js';
import { findUsualResponse } from './responses.js';
import { findStreaming, readExtensionStream } from './streaming.js';

/** A document and the report of its problems. */
interface DocumentSource {
  readonly document: Readonly<Record<string, unknown>>;
  readonly report: Report;
}

/** All operations under `paths` with what they inherit, in the order of the document. */
export function readOperations(source: DocumentSource): readonly Operation[] {
  const { document, report } = source;
  const ids = new Set<string>();
  const operations = readEntries(document['paths']).flatMap(([path, value]) => {
    if (path.startsWith('x-')) return [];
    const pathItem = findPathItem(document, value, toPointer('paths', path));
    return listOperations(document, pathItem).map(([key, operation]) =>
      readOperation(source, {
        method: key.toUpperCase(),
        path: toPath(path),
        pathItem,
        operation,
        ids,
      }),
    );
  });
  reportDuplicates(operations, report);
  if (operations.length === 0 && readEntries(document['paths']).length > 0) {
    const message = 'the paths of the document have no operations';
    const assumed = 'every request is answered with 404';
    report({ code: 'OPERATIONS_MISSING', severity: 'error', message, pointer: '/paths', assumed });
  }
  return addSuccesses(source, operations);
}

/**
 * Creates operations from outlines of the same document; each one is read when other members are needed.
 *
 * Their problems were reported when the outlines were made.
 */
export function readOutlined(
  document: Readonly<Record<string, unknown>>,
  outlines: readonly OperationOutline[],
): readonly Operation[] {
  const paths = isObject(document['paths']) ? document['paths'] : {};
  const source: DocumentSource = { document, report: () => undefined };
  const read = ({ id, method, key, pointer, isAssumed }: OperationOutline): Operation => {
    const value = readPointer(document, pointer);
    const pathItem = findPathItem(document, paths[key], toPointer('paths', key));
    const operation = { value: isObject(value) ? value : {}, pointer };
    const parts = { id, method, path: toPath(key), pathItem, operation, ids: new Set<string>() };
    const found = readOperation(source, parts);
    return isAssumed === true ? addSuccess(found) : found;
  };
  return outlines.map((outline) => createOutlinedOperation(outline, () => read(outline)));
}

/** A request that the service sends to its clients: a webhook, or a callback of an operation. */
export interface PushedOperation {
  /** The name of the webhook or of the callback. */
  readonly name: string;
  /** The operation whose callback it is; undefined for a webhook. */
  readonly owner: Operation | undefined;
  /** The expression of the URL of a callback; empty for a webhook. */
  readonly url: string;
  readonly operation: Operation;
}

/** The webhooks of a document, and the callbacks of its operations. */
export function readPushedOperations(
  document: Readonly<Record<string, unknown>>,
  operations: readonly Operation[],
): readonly PushedOperation[] {
  const source: DocumentSource = { document, report: () => undefined };
  const read = (
    value: unknown,
    pointer: string,
    about: Omit<PushedOperation, 'operation'>,
  ): readonly PushedOperation[] => {
    const pathItem = findPathItem(document, value, pointer);
    return listOperations(document, pathItem).map(([key, operation]) => {
      // Its path is a URL of the client.
      const parts = { method: key.toUpperCase(), path: '/', pathItem, operation, ids: new Set<string>() };
      return { ...about, operation: readOperation(source, parts) };
    });
  };
  const webhooks = readEntries(document['webhooks']).flatMap(([name, value]) =>
    read(value, toPointer('webhooks', name), { name, owner: undefined, url: '' }),
  );
  const callbacks = operations.flatMap((owner) => {
    const own = readPointer(document, owner.pointer);
    const parent = { value: isObject(own) ? own : {}, pointer: owner.pointer };
    return findObjects(document, parent, 'callbacks').flatMap(([name, { value: urls, pointer }]) =>
      readEntries(urls).flatMap(([url, value]) =>
        url.startsWith('x-') ? [] : read(value, pointer + toPointer(url), { name, owner, url }),
      ),
    );
  });
  return [...webhooks, ...callbacks];
}

/** The operations, each with a success: what declares errors only answers any JSON with the usual status of its method. */
function addSuccesses({ document, report }: DocumentSource, operations: readonly Operation[]): readonly Operation[] {
  const toTargets = ({ content }: DeclaredResponse): readonly string[] =>
    content.flatMap(({ schema, schemaPointer }) => findObject(document, schema, schemaPointer)?.pointer ?? []);
  const isError = ({ status }: DeclaredResponse): boolean => /^[45]/.test(status);
  const errors = new Set(
    operations.flatMap(({ responses }) => {
      const isBeside = responses.some(({ status }) => /^[23]/.test(status));
      return responses.filter((each) => isError(each) || (each.status === 'default' && isBeside)).flatMap(toTargets);
    }),
  );
  return operations.map((operation) => {
    const { id, method, pointer, responses } = operation;
    // A `default` is a success, unless it has the schema of an error.
    const isOnlyErrors = responses.every(
      (each) =>
        isError(each) ||
        (each.status === 'default' && toTargets(each).some((target) => isErrorSchema(errors, document, target))),
    );
    if (!isOnlyErrors || responses.length === 0) return operation;
    const message = `${id} declares no success response`;
    report({ code: 'SUCCESS_MISSING', message, pointer, assumed: `it is answered with ${readSuccess(method)}` });
    return addSuccess(operation);
  });
}

/** The operation with the success that is assumed. */
function addSuccess(operation: Operation): Operation {
  const { method, pointer, responses } = operation;
  const any = { schema: undefined, itemSchema: undefined, examples: [], encoding: {} };
  const pointers = { schemaPointer: '', itemSchemaPointer: '', pointer };
  const content = /^(DELETE|HEAD)$/.test(method) ? [] : [{ type: 'application/json', ...any, ...pointers }];
  const rest = { description: undefined, headers: [], links: {}, pointer, extensions: {} };
  const success = { status: readSuccess(method), content, isAssumed: true, ...rest };
  return { ...operation, responses: [success, ...responses] };
}

function readSuccess(method: string): string {
  return readOwn(SUCCESSES, method) ?? '200';
}

const SUCCESSES: Readonly<Record<string, string>> = { DELETE: '204', POST: '201' };

/** Whether a schema is that of errors elsewhere, or has the properties of one only. */
function isErrorSchema(known: ReadonlySet<string>, document: unknown, target: string): boolean {
  const properties = readPointer(document, `${target}/properties`);
  const names = isObject(properties) ? Object.keys(properties) : [];
  return (
    known.has(target) ||
    (names.some((name) => means(name, 'errors.sign')) && names.every((name) => means(name, 'errors.member')))
  );
}

/** A path item: its own fields, then the fields of the target of its `$ref`. A field is read from the first part that has it. */
type PathItem = readonly Located[];

function findPathItem(document: unknown, value: unknown, pointer: string): PathItem {
  const found = findObject(document, value, pointer);
  if (found === undefined) return [];
  return isObject(value) && found.pointer !== pointer ? [{ value, pointer }, found] : [found];
}

/** The part of a path item that has a field. */
function findPart(pathItem: PathItem, name: string): Located {
  return pathItem.find(({ value }) => Object.hasOwn(value, name)) ?? pathItem[0] ?? { value: {}, pointer: '' };
}

function readField(pathItem: PathItem, name: string): unknown {
  return findPart(pathItem, name).value[name];
}

/** The operations of a path item by method; `additionalOperations` has further methods (OpenAPI 3.2 section 4.9). */
function listOperations(document: unknown, pathItem: PathItem): readonly (readonly [method: string, Located])[] {
  const keys = new Set(pathItem.flatMap(({ value }) => Object.keys(value)));
  const fixed = [...keys].flatMap((key) => {
    const { value, pointer } = findPart(pathItem, key);
    const operation = METHODS.includes(key) ? findObject(document, value[key], `${pointer}/${key}`) : undefined;
    return operation === undefined ? [] : [[key, operation] as const];
  });
  const name = 'additionalOperations';
  return [...fixed, ...findObjects(document, findPart(pathItem, name), name)];
}

/** An operation in its path item, and the ids of the operations before it. */
interface OperationParts {
  readonly method: string;
  readonly path: string;
  readonly pathItem: PathItem;
  readonly operation: Located;
  readonly ids: Set<string>;
  /** The id, if it is known. */
  readonly id?: string;
}

function readOperation(source: DocumentSource, parts: OperationParts): Operation {
  const { document, report } = source;
  const { method, path, pathItem, operation } = parts;
  const { value, pointer } = operation;
  const responses = readResponses(document, operation);
  if (responses.length === 0) {
    const message = `${method} ${path} declares no response`;
    report({ code: 'RESPONSES_MISSING', message, pointer, assumed: 'the response is 200 without a body' });
  }
  const parameters = readParameters({ document, path, pathItem: findPart(pathItem, 'parameters'), operation, report });
  const extended = [...pathItem.toReversed(), operation].map((part) => readExtensions(part.value));
  const extensions = extended.every((each) => each === NO_MEMBERS) ? NO_MEMBERS : Object.assign({}, ...extended);
  const id = parts.id ?? readId(source, parts);
  const read: Omit<Operation, 'streaming'> = {
    id,
    method,
    path,
    spanned: expandPath(
      { id, path, parameters },
      ({ schema, schemaPointer }) => findObject(document, schema, schemaPointer)?.value,
    ),
    basePaths: readBasePaths(value['servers'] ?? readField(pathItem, 'servers') ?? document['servers']),
    pointer,
    summary: readString(value['summary']) ?? readString(readField(pathItem, 'summary')),
    description: readString(value['description']),
    tags: readStrings(value['tags']),
    deprecated: value['deprecated'] === true,
    parameters,
    body: readRequestBody(document, operation),
    responses: addStream(responses, readExtensionStream(extensions, pointer)),
    security: readSecurity(source, value['security'] === undefined ? undefined : operation),
    extensions,
  };
  // A spread behind the new member gives all operations one hidden class; in front of it, each has its own of 500 bytes (V8 of Node.js 20).
  return { streaming: findStreaming(document, read), ...read };
}

/** Adds a stream that an extension describes to the success response. */
function addStream(responses: Operation['responses'], stream: MediaType | undefined): Operation['responses'] {
  const usual = stream && findUsualResponse({ responses });
  if (stream === undefined || usual?.content.length === 0) return responses;
  return responses.map((each) => (each === usual ? { ...each, content: [...each.content, stream] } : each));
}

function readId({ report }: DocumentSource, { method, path, operation, ids }: OperationParts): string {
  const declared = readString(operation.value['operationId']);
  const isTaken = declared !== undefined && ids.has(declared);
  const id = declared === undefined || declared === '' || isTaken ? readFreeId(`${method} ${path}`, ids) : declared;
  ids.add(id);
  if (isTaken) {
    const message = `an earlier operation has the operationId "${declared}"`;
    const pointer = `${operation.pointer}/operationId`;
    report({ code: 'OPERATION_ID_DUPLICATE', message, pointer, assumed: `the id is "${id}"` });
  }
  return id;
}

/** Method and path are unique, except where another operation has them as its `operationId`. */
function readFreeId(wanted: string, ids: ReadonlySet<string>): string {
  let id = wanted;
  for (let i = 2; ids.has(id); i++) id = `${wanted} (${i})`;
  return id;
}

/** OpenAPI 3.1 section 4.8.10.1: the security of an operation replaces that of the document; an empty array removes it. */
function readSecurity({ document, report }: DocumentSource, own: Located | undefined): readonly SecurityRequirement[] {
  const list = (own?.value ?? document)['security'];
  if (!Array.isArray(list)) return [];
  const schemes = new Map(readEntries(readPointer(document, '/components/securitySchemes')));
  const pointer = `${own?.pointer ?? ''}/security`;
  return list.filter(isObject).flatMap((requirement) => {
    for (const name of Object.keys(requirement).filter((name) => !schemes.has(name))) {
      const message = `security scheme "${name}" is not declared`;
      report({ code: 'SECURITY_UNKNOWN', severity: 'error', message, pointer, assumed: 'it requires nothing' });
    }
    const scopes = Object.entries(requirement).map(([name, each]) => [name, readStrings(each)] as const);
    const words = new Set(scopes.flatMap(([name]) => readAuthorizationWord(schemes.get(name)) ?? []));
    if (words.size < 2) return [Object.fromEntries(scopes)];
    const message = `one requirement needs several schemes for the Authorization header: ${[...words].join(', ')}`;
    const assumed = 'they are alternatives';
    report({ code: 'SECURITY_CONTRADICTORY', message, pointer, assumed });
    return Array.from(words, (word) =>
      Object.fromEntries(
        scopes.filter(([name]) => [undefined, word].includes(readAuthorizationWord(schemes.get(name)))),
      ),
    );
  });
}

/** The word with which the `Authorization` header of a scheme begins (RFC 9110 section 11.6.2), in lower case; undefined for another place. */
function readAuthorizationWord(scheme: unknown): string | undefined {
  if (!isObject(scheme)) return undefined;
  const { type, scheme: word = 'bearer' } = scheme;
  if (type === 'oauth2' || type === 'openIdConnect') return 'bearer';
  return type === 'http' ? String(word).toLowerCase() : undefined;
}

/** The schemes under `components` by name, without schemes of an unknown type. */
export function readSecuritySchemes(
  document: Readonly<Record<string, unknown>>,
): Readonly<Record<string, SecurityScheme>> {
  const value = isObject(document['components']) ? document['components'] : {};
  const schemes = findObjects(document, { value, pointer: '/components' }, 'securitySchemes');
  return Object.fromEntries(
    schemes.flatMap(([name, found]): readonly (readonly [string, SecurityScheme])[] => {
      const type = SCHEME_TYPES.find((known) => known === found.value['type']);
      if (type === undefined) return [];
      const { scheme, in: place, name: key } = found.value;
      const isKey = type === 'apiKey';
      const read: SecurityScheme = {
        name,
        type,
        scheme: type === 'http' ? readString(scheme)?.toLowerCase() : undefined,
        in: isKey ? ((['query', 'cookie'] as const).find((known) => known === place) ?? 'header') : undefined,
        key: isKey ? (readString(key) ?? 'Authorization') : undefined,
        pointer: found.pointer,
        extensions: readExtensions(found.value),
      };
      return [[name, read]];
    }),
  );
}

function reportDuplicates(operations: readonly Operation[], report: Report): void {
  const seen = new Map<string, string>();
  for (const { method, path, pointer } of operations) {
    const key = `${method} ${path.replaceAll(/\{[^{}]*\}/gu, '{}')}`;
    const first = seen.get(key);
    seen.set(key, first ?? path);
    if (first === undefined) continue;
    const message = `${method} ${path} matches the same requests as ${first}`;
    report({ code: 'PATH_DUPLICATE', message, pointer, assumed: `${first} is used where its parameters are valid` });
  }
}

/** The maximum number of base paths from the variables of one server. */
const MAX_COMBINATIONS = 32;

/**
 * The different base paths of `servers` without trailing slash; `''` is always the last, so that paths work without a base path.
 *
 * A variable has its default and the values of its enum (OpenAPI 3.1 section 4.8.6). A relative URL is a base path.
 */
function readBasePaths(servers: unknown): readonly string[] {
  return Array.isArray(servers) ? listBasePaths(servers) : ROOT;
}

const ROOT: readonly string[] = [''];

/** Once for all operations that inherit the same servers. */
const listBasePaths = memoizeOf((servers: readonly unknown[]): readonly string[] => {
  const paths = new Set<string>();
  for (const server of servers) {
    if (!isObject(server) || typeof server['url'] !== 'string') continue;
    for (const url of expandVariables(server['url'], server['variables'])) paths.add(toBasePath(url));
  }
  paths.delete('');
  return [...paths, ''];
});

function expandVariables(url: string, variables: unknown): readonly string[] {
  let urls = [url];
  for (const [name, variable] of readEntries(variables)) {
    const values = url.includes(`{${name}}`) ? readValues(variable) : [];
    if (values.length === 0) continue;
    urls = urls
      .flatMap((text) => values.map((value) => text.replaceAll(`{${name}}`, () => value)))
      .slice(0, MAX_COMBINATIONS);
  }
  return urls;
}

function readValues(variable: unknown): readonly string[] {
  if (!isObject(variable)) return [];
  const members: readonly unknown[] = [variable['default'], variable['enum']].flat();
  // Versions such as 1.0 are often written without quotes.
  return [...new Set(members.filter((value) => typeof value === 'string' || typeof value === 'number').map(String))];
}

/** The path of a URL that may be relative, have no scheme or contain a template. */
function toBasePath(url: string): string {
  const bare = url.replace(/[?#].*$/u, '');
  const path = bare.replace(/^(?:[a-z][\w+.-]*:|\{[^}]*\}:)?\/\/[^/]*/iu, '');
  const rooted = path.startsWith('/') ? path : `/${path.replace(/^(?:\.\.?\/)+|^\.\.?$/u, '')}`;
  return rooted.replace(/\/+$/u, '');
}
