import { isFormType, isJsonType, toEssence } from '../../contract/media-type.js';
import type { Contract } from '../../contract/contract.js';
import { filterMembers, isObject, mapValues } from '../../base/json.js';
import type { MediaType, Operation, Parameter } from '../../contract/operations/operation.js';
import type { Generator } from '../../generate/generate.js';
import { createXmlWriter } from '../../http/xml.js';
import { host, isBytes } from '../../base/platform.js';
import { createSchemaReader } from '../../contract/schema-view/schema-view.js';
import { findPageInputs } from '../../resources/list/inputs.js';
import { createPagePlan } from '../../resources/list/plan.js';

/** A request as plain data, whose parts can be changed or removed. */
export interface RequestDraft {
  readonly contract: Contract;
  readonly operation: Operation;
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly header: Readonly<Record<string, unknown>>;
  readonly cookie: Readonly<Record<string, unknown>>;
  /** Undefined for no body. */
  readonly body: { readonly media: MediaType; readonly value: unknown } | undefined;
  readonly credentials: {
    readonly headers: Readonly<Record<string, string>>;
    readonly query: Readonly<Record<string, string>>;
  };
}

/** Creates a minimal valid request: required parameters, a required body without optional cursors, one security requirement. */
export function draftRequest(contract: Contract, generator: Generator, operation: Operation): RequestDraft {
  const make = (pointer: string, name: string): unknown =>
    generator.value(pointer, {
      seed: 1,
      key: `sample ${operation.id} ${name}`,
      direction: 'request',
      now: Date.UTC(2026, 0, 1),
    });
  const values = (place: Parameter['in']): Record<string, unknown> =>
    Object.fromEntries(
      operation.parameters
        .filter((parameter) => parameter.in === place && parameter.required)
        .map((parameter) => [parameter.name, make(parameter.schemaPointer, parameter.name)]),
    );
  const media = operation.body?.required === true ? pickMedia(operation.body.content) : undefined;
  const makeBody = ({ schemaPointer }: MediaType): unknown =>
    withoutCursors(contract, operation, make(schemaPointer, 'body'));
  return {
    contract,
    operation,
    path: values('path'),
    query: values('query'),
    header: values('header'),
    cookie: values('cookie'),
    body: media && {
      media,
      value: media.schema === undefined ? {} : withDefaults(contract, media, makeBody(media)),
    },
    credentials: readCredentials(contract, operation),
  };
}

/** A body without the cursors that it may leave out: only a list that was answered has one. */
function withoutCursors(contract: Contract, operation: Operation, value: unknown): unknown {
  if (!isObject(value)) return value;
  const { token, after, before } = createPagePlan(contract, operation, { item: undefined }).names;
  const optional = findPageInputs(contract, operation).filter(
    ({ name, in: place, path, required }) =>
      place === 'body' && path.length === 1 && !required && [token, after, before].includes(name),
  );
  return optional.length === 0 ? value : filterMembers(value, (name) => !optional.some((each) => each.name === name));
}

/** A body whose enumerations with a default have it: the schema of an answer often leaves out what the other values ask for, such as base64. */
function withDefaults(contract: Contract, { schemaPointer }: MediaType, value: unknown): unknown {
  if (!isObject(value)) return value;
  const properties = createSchemaReader(contract)(schemaPointer)?.members;
  return mapValues(value, (own, name) => {
    const { schema } = properties?.get(name) ?? {};
    const isMember = schema?.enum?.includes(schema.default) === true && typeof schema.default === typeof own;
    return isMember ? schema.default : own;
  });
}

/** The media type to send: JSON if there is a choice. */
function pickMedia(content: readonly MediaType[]): MediaType | undefined {
  return (
    content.find((media) => isJsonType(media.type)) ?? content.find((media) => isFormType(media.type)) ?? content[0]
  );
}

/** Made-up credentials for the first alternative of an operation. */
export function readCredentials(contract: Contract, operation: Operation): RequestDraft['credentials'] {
  const headers: Record<string, string> = {};
  const query: Record<string, string> = {};
  const cookies: string[] = [];
  for (const name of Object.keys(operation.security[0] ?? {})) {
    const scheme = contract.securitySchemes[name];
    if (scheme === undefined) continue;
    if (scheme.type !== 'apiKey')
      headers['authorization'] =
        scheme.scheme?.toLowerCase() === 'basic'
          ? `Basic ${btoa('user:secret')}`
          : `${scheme.scheme ?? 'Bearer'} secret-token`;
    else if (scheme.in === 'header') headers[(scheme.key ?? name).toLowerCase()] ??= 'secret';
    else if (scheme.in === 'query') query[scheme.key ?? name] = 'secret';
    else cookies.push(`${scheme.key ?? name}=secret`);
  }
  return { headers: cookies.length === 0 ? headers : { ...headers, cookie: cookies.join('; ') }, query };
}

/** Converts a draft to a request. */
export function toRequest(draft: RequestDraft): Request {
  const { operation } = draft;
  const parameter = (name: string, place: Parameter['in']): Parameter | undefined =>
    operation.parameters.find((candidate) => candidate.name === name && candidate.in === place);
  const [template = '', keyQuery = ''] = operation.path.split('#')[0]?.split('?') ?? [];
  // `?q={q}` in a path key only repeats a parameter.
  const fixedQuery = keyQuery.split('&').filter((pair) => !/=\{.*\}$/.test(pair));
  const path = template.replaceAll(/\{([^}]+)\}/g, (_, name: string) =>
    writePath(parameter(name, 'path'), name, draft.path[name]),
  );
  const pairs = Object.entries(draft.query).flatMap(([name, value]) =>
    writeQuery(parameter(name, 'query'), name, value),
  );
  const search = [
    ...fixedQuery,
    ...pairs,
    // Some documents declare a key as a parameter as well.
    ...Object.entries(draft.credentials.query)
      .filter(([name]) => !(name in draft.query))
      .map(([name, value]) => `${name}=${value}`),
  ]
    .filter((part) => part !== '')
    .join('&');
  const headers = new host.Headers(draft.credentials.headers);
  for (const [name, value] of Object.entries(draft.header))
    if (!/^(accept|content-type|content-length|authorization)$/i.test(name)) headers.set(name, toHeader(value));
  const cookies = Object.entries(draft.cookie).map(([name, value]) => `${name}=${encodeURIComponent(toText(value))}`);
  if (cookies.length > 0) headers.append('cookie', cookies.join('; '));
  const body = draft.body === undefined ? undefined : writeBody(draft.contract, draft.body, headers);
  const method = operation.method;
  return new host.Request(`http://mock${path}${search === '' ? '' : `?${search}`}`, {
    method,
    headers,
    ...(body === undefined || method === 'GET' || method === 'HEAD' ? {} : { body }),
  });
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

function toHeader(value: unknown): string {
  const text = Array.isArray(value) ? value.map(toText).join(',') : toText(value);
  return text.replaceAll(/[^\t\x20-\x7e]/g, '_');
}

function writePath(parameter: Parameter | undefined, name: string, value: unknown): string {
  if (isJsonType(parameter?.mediaType ?? '')) return encodeURIComponent(JSON.stringify(value));
  const items = listParts(value, parameter?.explode === true).map((item) => encodeURIComponent(toText(item)));
  if (parameter?.style === 'label') return `.${items.join(parameter.explode ? '.' : ',')}`;
  if (parameter?.style === 'matrix') return `;${name}=${items.join(',')}`;
  return items.join(',');
}

/** The items of an array, or the names and values of an object. */
function listParts(value: unknown, explode: boolean): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return [value];
  const entries = Object.entries(value);
  return explode ? entries.map(([name, inner]) => `${name}=${toText(inner)}`) : entries.flat();
}

function writeQuery(parameter: Parameter | undefined, name: string, value: unknown): readonly string[] {
  const pair = (key: string, inner: unknown): string =>
    `${encodeURIComponent(key)}=${encodeURIComponent(toText(inner))}`;
  if (parameter?.mediaType !== undefined) return [pair(name, JSON.stringify(value))];
  const isArray = Array.isArray(value);
  if (!isArray && !isObject(value)) return [pair(name, value)];
  const entries = Object.entries<unknown>(value);
  if (parameter?.style === 'deepObject') return entries.map(([key, inner]) => pair(`${name}[${key}]`, inner));
  if (parameter?.explode !== false) return entries.map(([key, inner]) => pair(isArray ? name : key, inner));
  const delimiter = isArray && { spaceDelimited: '%20', pipeDelimited: '%7C' }[parameter.style as string];
  const parts = listParts(value, false).map((part) => encodeURIComponent(toText(part)));
  return [`${encodeURIComponent(name)}=${parts.join(delimiter || ',')}`];
}

function writeBody(contract: Contract, body: NonNullable<RequestDraft['body']>, headers: Headers): string | FormData {
  const type = body.media.type.includes('*') ? 'application/json' : body.media.type;
  if (isJsonType(type)) {
    headers.set('content-type', type);
    return JSON.stringify(body.value);
  }
  if (toEssence(type) === 'application/x-www-form-urlencoded') return writeForm(body.value, headers);
  if (isFormType(type)) return writeMultipart(body.value);
  headers.set('content-type', type);
  const xml = createXmlWriter(contract)({ ...body.media, body: body.value, mediaType: type });
  if (xml !== undefined) return xml;
  return typeof body.value === 'string' ? body.value : JSON.stringify(body.value);
}

/** Serialises nested values in the style of vendors' clients: `a[b]=c`, `a[0]=b`. */
function writeForm(value: unknown, headers: Headers): string {
  headers.set('content-type', 'application/x-www-form-urlencoded');
  const pairs: string[] = [];
  const add = (key: string, inner: unknown): void => {
    if (Array.isArray(inner)) for (const [i, item] of inner.entries()) add(`${key}[${i}]`, item);
    else if (typeof inner === 'object' && inner !== null)
      for (const [name, item] of Object.entries(inner)) add(`${key}[${name}]`, item);
    else if (inner !== null && inner !== undefined)
      pairs.push(`${encodeURIComponent(key)}=${encodeURIComponent(toText(inner))}`);
  };
  for (const [name, inner] of Object.entries(value as object)) add(name, inner);
  return pairs.join('&');
}

function writeMultipart(value: unknown): FormData {
  const form = new host.FormData();
  for (const [name, inner] of Object.entries(value as object)) {
    for (const item of Array.isArray(inner) ? inner : [inner]) {
      if (isBytes(item)) form.append(name, new host.Blob([item]), 'file.bin');
      else form.append(name, toText(item));
    }
  }
  return form;
}
