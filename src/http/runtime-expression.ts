import { isObject, readOwn } from '../contract/json.js';
import { readPointer } from '../contract/pointer.js';
import type { Answer } from './answer.js';
import type { Call } from './request/call.js';
import { isBytes } from '../platform.js';

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
export function resolveRuntimeValue(value: unknown, scope: ExpressionScope): ResolvedValue {
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
