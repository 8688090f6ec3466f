import type { Report } from '../contract.js';
import { isObject } from '../json.js';
import { findObject, type Located, readEntries, readExtensions, readString, toPointer } from '../pointer.js';
import { readRequestBody, readResponses } from './media-type.js';
import type { Operation, SecurityRequirement, SecurityScheme } from './operation.js';
import { readParameters } from './parameter.js';

/** The document and the report of its problems. */
interface ReadContext {
  readonly document: Readonly<Record<string, unknown>>;
  readonly report: Report;
}

/** The methods of a path item; `additionalOperations` adds others (OpenAPI 3.2 section 4.9). */
const METHODS: ReadonlySet<string> = new Set([
  'get',
  'put',
  'post',
  'delete',
  'options',
  'head',
  'patch',
  'trace',
  'query',
]);

/** All operations under `paths` with what they inherit, in the order of the document. */
export function readOperations(context: ReadContext): readonly Operation[] {
  const { document } = context;
  const ids = new Set<string>();
  const operations = readEntries(document['paths']).flatMap(([path, value]) => {
    if (!path.startsWith('/')) return [];
    const pathItem = findPathItem(document, value, toPointer('paths', path));
    return pathItem === undefined ? [] : readPathItem(context, path, pathItem).map((make) => make(ids));
  });
  reportDuplicates(operations, context.report);
  return operations;
}

/** A path item: its own fields, and those of the target of its `$ref`. */
interface PathItem {
  /** The own fields first: a field is read from the first part that has it. */
  readonly parts: readonly [Located, ...Located[]];
}

function findPathItem(document: unknown, value: unknown, pointer: string): PathItem | undefined {
  const found = findObject(document, value, pointer);
  if (found === undefined) return undefined;
  return isObject(value) && found.pointer !== pointer ? { parts: [{ value, pointer }, found] } : { parts: [found] };
}

/** The part of a path item that has a field. */
function findPart({ parts }: PathItem, name: string): Located {
  return parts.find(({ value }) => Object.hasOwn(value, name)) ?? parts[0];
}

function readMember(pathItem: PathItem, name: string): unknown {
  return findPart(pathItem, name).value[name];
}

type MakeOperation = (ids: Set<string>) => Operation;

function readPathItem(context: ReadContext, path: string, pathItem: PathItem): readonly MakeOperation[] {
  const keys = new Set(pathItem.parts.flatMap(({ value }) => Object.keys(value)));
  const fixed = [...keys]
    .filter((key) => METHODS.has(key))
    .map((key) => {
      const { value, pointer } = findPart(pathItem, key);
      return { method: key.toUpperCase(), value: value[key], pointer: `${pointer}/${key}` };
    });
  const further = findPart(pathItem, 'additionalOperations');
  const additional = readEntries(further.value['additionalOperations']).map(([key, value]) => ({
    method: key.toUpperCase(),
    value,
    pointer: further.pointer + toPointer('additionalOperations', key),
  }));
  return [...fixed, ...additional].flatMap(({ method, value, pointer }): readonly MakeOperation[] => {
    const operation = findObject(context.document, value, pointer);
    if (operation === undefined) return [];
    return [(ids) => readOperation(context, { method, path, pathItem, operation }, ids)];
  });
}

function readOperation(
  context: ReadContext,
  parts: { readonly method: string; readonly path: string; readonly pathItem: PathItem; readonly operation: Located },
  ids: Set<string>,
): Operation {
  const { document, report } = context;
  const { method, path, pathItem, operation } = parts;
  const { value, pointer } = operation;
  const responses = readResponses(document, operation);
  if (responses.length === 0) {
    report({
      code: 'RESPONSES_MISSING',
      severity: 'warning',
      message: `${method} ${path} declares no response`,
      pointer,
      assumed: 'the response is 200 without a body',
    });
  }
  return {
    id: readId(context, parts, ids),
    method,
    path,
    basePaths: readBasePaths(value['servers'] ?? readMember(pathItem, 'servers') ?? document['servers']),
    pointer,
    summary: readString(value['summary']) ?? readString(readMember(pathItem, 'summary')),
    tags: Array.isArray(value['tags']) ? value['tags'].filter((tag) => typeof tag === 'string') : [],
    deprecated: value['deprecated'] === true,
    parameters: readParameters({ document, path, pathItem: findPart(pathItem, 'parameters'), operation, report }),
    body: readRequestBody(document, operation),
    responses,
    security: readSecurity(context, value['security'] === undefined ? undefined : operation),
    extensions: { ...readItemExtensions(pathItem), ...readExtensions(value) },
  };
}

function readItemExtensions({ parts }: PathItem): Readonly<Record<string, unknown>> {
  return Object.fromEntries(parts.toReversed().flatMap(({ value }) => Object.entries(readExtensions(value))));
}

function readId(
  context: ReadContext,
  parts: { readonly method: string; readonly path: string; readonly operation: Located },
  ids: Set<string>,
): string {
  const { method, path, operation } = parts;
  const declared = readString(operation.value['operationId']);
  const isTaken = declared !== undefined && ids.has(declared);
  const id = declared === undefined || declared === '' || isTaken ? readFreeId(`${method} ${path}`, ids) : declared;
  ids.add(id);
  if (isTaken) {
    context.report({
      code: 'OPERATION_ID_DUPLICATE',
      severity: 'warning',
      message: `an earlier operation has the operationId "${declared}"`,
      pointer: `${operation.pointer}/operationId`,
      assumed: `the id is "${id}"`,
    });
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
function readSecurity(context: ReadContext, own: Located | undefined): readonly SecurityRequirement[] {
  const list = own === undefined ? context.document['security'] : own.value['security'];
  if (!Array.isArray(list)) return [];
  const schemes = isObject(context.document['components'])
    ? context.document['components']['securitySchemes']
    : undefined;
  return list.filter(isObject).map((requirement) => {
    for (const name of Object.keys(requirement)) {
      if (isObject(schemes) && Object.hasOwn(schemes, name)) continue;
      context.report({
        code: 'SECURITY_UNKNOWN',
        severity: 'error',
        message: `security scheme "${name}" is not declared`,
        pointer: `${own?.pointer ?? ''}/security`,
        assumed: 'it requires nothing',
      });
    }
    return Object.fromEntries(
      Object.entries(requirement).map(([name, scopes]) => [
        name,
        Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === 'string') : [],
      ]),
    );
  });
}

const SCHEME_TYPES = ['apiKey', 'http', 'mutualTLS', 'oauth2', 'openIdConnect'] as const;

/** The schemes under `components` by name, without those of an unknown type. */
export function readSecuritySchemes(context: ReadContext): Readonly<Record<string, SecurityScheme>> {
  const { document } = context;
  const schemes = isObject(document['components']) ? document['components']['securitySchemes'] : undefined;
  const entries = readEntries(schemes).flatMap(([name, value]): readonly [string, SecurityScheme][] => {
    const found = findObject(document, value, toPointer('components', 'securitySchemes', name));
    const type = SCHEME_TYPES.find((known) => known === found?.value['type']);
    if (found === undefined || type === undefined) return [];
    const place = (['query', 'header', 'cookie'] as const).find((known) => known === found.value['in']);
    return [
      [
        name,
        {
          name,
          type,
          scheme: type === 'http' ? readString(found.value['scheme'])?.toLowerCase() : undefined,
          in: type === 'apiKey' ? (place ?? 'header') : undefined,
          key: type === 'apiKey' ? (readString(found.value['name']) ?? 'Authorization') : undefined,
          pointer: found.pointer,
          extensions: readExtensions(found.value),
        },
      ],
    ];
  });
  return Object.fromEntries(entries);
}

function reportDuplicates(operations: readonly Operation[], report: Report): void {
  const seen = new Map<string, Operation>();
  for (const operation of operations) {
    const key = `${operation.method} ${operation.path.replaceAll(/\{[^{}]*\}/gu, '{}')}`;
    const first = seen.get(key);
    if (first === undefined) {
      seen.set(key, operation);
      continue;
    }
    report({
      code: 'PATH_DUPLICATE',
      severity: 'warning',
      message: `${operation.method} ${operation.path} matches the same requests as ${first.path}`,
      pointer: operation.pointer,
      assumed: `${first.path} is used where its parameters are valid`,
    });
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
  const paths = new Set<string>();
  for (const server of Array.isArray(servers) ? servers : []) {
    if (!isObject(server) || typeof server['url'] !== 'string') continue;
    for (const url of expandVariables(server['url'], server['variables'])) paths.add(toBasePath(url));
  }
  paths.delete('');
  return [...paths, ''];
}

function expandVariables(url: string, variables: unknown): readonly string[] {
  let urls = [url];
  if (!isObject(variables)) return urls;
  for (const [name, variable] of Object.entries(variables)) {
    if (!url.includes(`{${name}}`)) continue;
    const values = readValues(variable);
    if (values.length === 0) continue;
    urls = urls
      .flatMap((text) => values.map((value) => text.replaceAll(`{${name}}`, () => value)))
      .slice(0, MAX_COMBINATIONS);
  }
  return urls;
}

function readValues(variable: unknown): readonly string[] {
  if (!isObject(variable)) return [];
  const members = Array.isArray(variable['enum']) ? variable['enum'] : [];
  // Versions such as 1.0 are often written without quotes.
  return [...new Set([variable['default'], ...members].filter(isScalar).map(String))];
}

function isScalar(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

/** The path of a URL that may be relative, have no scheme or contain a template. */
function toBasePath(url: string): string {
  const bare = url.replace(/[?#].*$/u, '');
  const path = bare.replace(/^(?:[a-z][\w+.-]*:|\{[^}]*\}:)?\/\/[^/]*/iu, '');
  const rooted = path.startsWith('/') ? path : `/${path.replace(/^(?:\.\.?\/)+|^\.\.?$/u, '')}`;
  return rooted.replace(/\/+$/u, '');
}
