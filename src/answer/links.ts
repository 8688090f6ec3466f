import type { Contract } from '../contract/contract.js';
import { isObject, readOwn } from '../base/json.js';
import type { DeclaredResponse, Operation, Parameter } from '../contract/operations/operation.js';
import { fromReference, readPointer } from '../contract/pointer.js';
import { readTemplate } from '../contract/router/path-template.js';
import type { Answer } from '../http/answer.js';
import type { Call } from '../http/request/call.js';
import { isBytes } from '../base/platform.js';
import type { Exchange } from './chain.js';

/** A link that the contract declares for an answer (OpenAPI 3.1 section 4.8.20). */
export interface LinkPlan {
  readonly name: string;
  /** The target of the link in one answer. */
  resolve(scope: ExpressionScope): LinkTarget;
}

/** A path with its query, or why there is none. */
type LinkTarget = { readonly target: string } | { readonly reason: string };

/** Plans the links that a response declares; their operations are looked up once. */
export function planLinks(contract: Contract, response: DeclaredResponse | undefined): readonly LinkPlan[] {
  return Object.entries(response?.links ?? {}).map(([name, link]) => planLink(contract, name, link));
}

/** Adds links to the `Link` header (RFC 8288) of an answer; the trace says why one without a target is left out. */
export function addLinks(exchange: Exchange, links: readonly LinkPlan[], answer: Answer): Answer {
  const fields: string[] = [];
  for (const { name, resolve } of links) {
    const found = resolve({ call: exchange.call, answer });
    if ('target' in found) fields.push(`<${found.target}>; rel="${name.replaceAll(/["\\]/g, '\\$&')}"`);
    else exchange.note(`link "${name}" is left out: ${found.reason}`);
  }
  if (fields.length === 0) return answer;
  const { link = [] } = answer.headers;
  const own = typeof link === 'string' ? [link] : link;
  return { ...answer, headers: { ...answer.headers, link: [...own, ...fields].join(', ') } };
}

function planLink(contract: Contract, name: string, link: DeclaredResponse['links'][string]): LinkPlan {
  const operation = findOperation(contract, link);
  if (typeof operation === 'string') return { name, resolve: () => ({ reason: operation }) };
  const given = Object.entries(isObject(link['parameters']) ? link['parameters'] : {});
  return {
    name,
    resolve: (scope) => {
      const values = new Map<Parameter, unknown>();
      for (const [key, value] of given) {
        const parameter = findParameter(operation, key);
        if (parameter === undefined) return { reason: `${operation.id} has no parameter "${key}"` };
        const resolved = resolveRuntimeValue(value, scope);
        if ('missing' in resolved) return { reason: `${resolved.missing} has no value here` };
        values.set(parameter, resolved.value);
      }
      return writeTarget(operation, values, readPrefix(scope));
    },
  };
}

/** The operation of a link, or why there is none. */
function findOperation(contract: Contract, link: Readonly<Record<string, unknown>>): Operation | string {
  const { operationId: id, operationRef: reference } = link;
  if (typeof id === 'string') return contract.operation(id) ?? `no operation has the operationId "${id}"`;
  const pointer = fromReference(reference);
  const found = contract.operations.find((operation) => operation.pointer === pointer);
  return found ?? `its operationRef ${JSON.stringify(reference) ?? 'is missing and'} does not point to an operation`;
}

/** `id`, or `path.id` if parameters in two places share a name (OpenAPI 3.1 section 4.8.20.1). */
function findParameter({ parameters }: Operation, key: string): Parameter | undefined {
  return parameters.find((one) => `${one.in}.${one.name}` === key) ?? parameters.find((one) => one.name === key);
}

/** The prefix of the operation's path in a call: a session, a base path. */
function readPrefix({ call }: ExpressionScope): string {
  const [path = ''] = call.url.split('?', 1);
  const steps = path.split('/').filter((step) => step !== '');
  const own = readTemplate(call.operation.spanned?.path ?? call.operation.path).segments.length;
  return steps
    .slice(0, Math.max(0, steps.length - own))
    .map((step) => `/${step}`)
    .join('');
}

/** Path and query of an operation with these values; a link cannot contain headers and cookies. */
function writeTarget(operation: Operation, values: ReadonlyMap<Parameter, unknown>, prefix: string): LinkTarget {
  const { segments, trailingSlash, query } = readTemplate(operation.path);
  const texts = new Map<string, string>();
  const pairs = query.map(([name, value]) =>
    [name, ...(value === undefined ? [] : [value])].map(encodeURIComponent).join('='),
  );
  for (const [parameter, value] of values) {
    const items = toTexts(value);
    if (items === undefined) return { reason: `an object cannot be written as the parameter "${parameter.name}"` };
    if (parameter.in === 'path') texts.set(parameter.name, writePathText(parameter, items));
    if (parameter.in === 'query') pairs.push(...writePairs(parameter, items));
  }
  const missing = segments.flatMap(({ names }) => names).find((name) => (texts.get(name) ?? '') === '');
  if (missing !== undefined) return { reason: `it gives no value for the path parameter "${missing}"` };
  const path = segments.map(
    ({ names, literals }) => `/${literals.map((literal, i) => literal + (texts.get(names[i] ?? '') ?? '')).join('')}`,
  );
  const search = pairs.length === 0 ? '' : `?${pairs.join('&')}`;
  return { target: `${prefix}${path.join('')}${trailingSlash ? '/' : ''}${search}` };
}

function toTexts(value: unknown): readonly string[] | undefined {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (items.some((item) => typeof item === 'object' && item !== null)) return undefined;
  return items.map((item) => encodeURIComponent(String(item).toWellFormed()));
}

/** OpenAPI 3.1 section 4.8.12.3, Style Values; the default is `simple`. */
function writePathText({ name, style, explode }: Parameter, items: readonly string[]): string {
  if (style === 'label') return `.${items.join(explode ? '.' : ',')}`;
  if (style !== 'matrix') return items.join(',');
  return explode ? items.map((item) => `;${name}=${item}`).join('') : `;${name}=${items.join(',')}`;
}

function writePairs({ name, style, explode }: Parameter, items: readonly string[]): readonly string[] {
  const key = encodeURIComponent(name);
  if (explode) return items.map((item) => `${key}=${item}`);
  const mark = style === 'spaceDelimited' ? '%20' : style === 'pipeDelimited' ? '%7C' : ',';
  return [`${key}=${items.join(mark)}`];
}

/** The values of runtime expressions. */
export interface ExpressionScope {
  readonly call: Call;
  readonly answer: Answer;
}

/** A value with its expressions evaluated, or the first expression without a value. */
type ResolvedValue = { readonly value: unknown } | { readonly missing: string };

const EMBEDDED = /\{(\$[^{}]+)\}/g;

/**
 * Evaluates the runtime expressions of a value (OpenAPI 3.1 section 4.8.20.4): an expression becomes its value, a string with expressions in
 * braces becomes a string, and all other values stay the same.
 */
function resolveRuntimeValue(value: unknown, scope: ExpressionScope): ResolvedValue {
  if (typeof value !== 'string') return { value };
  if (value.startsWith('$')) {
    const found = readRuntimeExpression(value, scope);
    return found === undefined || found === null ? { missing: value } : { value: found };
  }
  let missing: string | undefined;
  const text = value.replace(EMBEDDED, (_whole, expression: string) => {
    const found = readRuntimeExpression(expression, scope);
    if (found === undefined || found === null) missing ??= expression;
    return typeof found === 'string' ? found : JSON.stringify(found ?? '');
  });
  return missing === undefined ? { value: text } : { missing };
}

/** The value of one expression, such as `$response.body#/id`; undefined where it is not valid or has no value. */
function readRuntimeExpression(expression: string, { call, answer }: ExpressionScope): unknown {
  if (expression === '$url') return call.url;
  if (expression === '$method') return call.method;
  if (expression === '$statusCode') return answer.status;
  const [, message, source = ''] = /^\$(request|response)\.(.+)$/s.exec(expression) ?? [];
  if (message === undefined) return undefined;
  const body = /^body(?:#(.*))?$/s.exec(source);
  if (body !== null) return readBodyMember(message === 'request' ? call.body : answer.body, body[1] ?? '');
  const dot = source.indexOf('.');
  const [place, name] = [source.slice(0, dot), source.slice(dot + 1)];
  if (message === 'response') return place === 'header' ? readAnswerHeader(answer, name) : undefined;
  if (place === 'header') return call.headers.get(name.toLowerCase()) ?? undefined;
  if (place !== 'path' && place !== 'query') return undefined;
  return readOwn(call[place], name);
}

/** Bytes and streams have no members. */
function readBodyMember(body: unknown, pointer: string): unknown {
  if (pointer === '') return isBytes(body) ? undefined : body;
  return isObject(body) || Array.isArray(body) ? readPointer(body, pointer) : undefined;
}

function readAnswerHeader({ headers, mediaType }: Answer, name: string): string | undefined {
  const key = name.toLowerCase();
  if (key === 'content-type') return mediaType;
  const value = readOwn(headers, key);
  return typeof value === 'string' || value === undefined ? value : value[0];
}
