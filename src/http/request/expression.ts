import { isIdValue } from '../../base/exact-number.js';
import { isObject, readOwn, setOwn } from '../../base/json.js';
import { readPointer, toPointer } from '../../contract/pointer.js';
import type { Call } from './call.js';
import { escapeMarkup } from '../../base/text.js';

/**
 * A runtime expression (OpenAPI 3.1 section 4.8.20.4): `$request.path.id`, `$request.query.after`, `$request.header.x`,
 * `$request.cookie.x`, `$request.body#/name`; and `$vars.name` for a variable of the scenarios.
 */
export interface Expression {
  readonly in: 'path' | 'query' | 'header' | 'cookie' | 'body' | 'vars';
  /** The name of a parameter or a variable; a JSON pointer in the body. */
  readonly name: string;
}

/** The values that expressions are evaluated with. */
export interface ExpressionScope {
  readonly call: Call;
  readonly vars: Readonly<Record<string, unknown>>;
}

/** The forms of an expression, for messages. */
export const EXPRESSION_FORMS =
  '$request.path.<name>, $request.query.<name>, $request.header.<name>, $request.body#/<field> or $vars.<name>';

const EMBEDDED = /\{(\$(?:request|vars)\b[^}]*)\}/g;

/** Whether a string begins like an expression. */
function looksLikeExpression(text: string): boolean {
  return /^\$(request|vars)\b/.test(text);
}

/** The expression in a string, or undefined if it is not a valid one. */
export function parseExpression(text: string): Expression | undefined {
  const body = /^\$request\.body(?:#((?:\/.*)?))?$/.exec(text);
  if (body !== null) return { in: 'body', name: body[1] ?? '' };
  const [, parameter = 'vars', name] = /^\$(?:request\.(path|query|header|cookie)|vars)\.(.+)$/.exec(text) ?? [];
  // The pattern matches no other word.
  return name === undefined ? undefined : { in: parameter as Expression['in'], name };
}

/** Every expression in a value, as it is written, with its pointer. */
export function findExpressions(
  value: unknown,
  pointer = '',
): readonly { readonly text: string; readonly pointer: string }[] {
  if (typeof value === 'string') {
    if (looksLikeExpression(value)) return [{ text: value, pointer }];
    return [...value.matchAll(EMBEDDED)].map((match) => ({ text: match[1] ?? '', pointer }));
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => findExpressions(item, `${pointer}/${index}`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, item]) => findExpressions(item, pointer + toPointer(name)));
}

/** A string with every expression evaluated, for HTML or XML: values of the request are escaped. */
export function resolveMarkup(text: string, scope: ExpressionScope): unknown {
  return replaceText(text, (expression) => {
    const value = evaluate(expression, scope);
    return typeof value === 'string' ? escapeMarkup(value) : value;
  });
}

/** The value with every expression evaluated; a member whose expression has no value is omitted. */
export function resolveExpressions(value: unknown, scope: ExpressionScope): unknown {
  return replaceExpressions(value, (expression) => evaluate(expression, scope));
}

/** The value without its expressions: what is known before there is a call. */
export function dropExpressions(value: unknown): unknown {
  return replaceExpressions(value, () => undefined);
}

function replaceExpressions(value: unknown, evaluateOne: (expression: Expression) => unknown): unknown {
  if (typeof value === 'string') return replaceText(value, evaluateOne);
  if (Array.isArray(value)) {
    return value.map((item) => replaceExpressions(item, evaluateOne)).filter((item) => item !== undefined);
  }
  if (!isObject(value)) return value;
  const replaced: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) {
    const own = replaceExpressions(item, evaluateOne);
    if (own !== undefined) setOwn(replaced, name, own);
  }
  return replaced;
}

function replaceText(text: string, evaluateOne: (expression: Expression) => unknown): unknown {
  if (!text.includes('$')) return text;
  const whole = looksLikeExpression(text) ? parseExpression(text) : undefined;
  if (whole !== undefined) return evaluateOne(whole);
  return text.replace(EMBEDDED, (written, inner: string) => {
    const expression = parseExpression(inner);
    return expression === undefined ? written : toText(evaluateOne(expression));
  });
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return isIdValue(value) ? String(value) : JSON.stringify(value);
}

/** The value of an expression; undefined without one. */
export function evaluate(expression: Expression, scope: ExpressionScope): unknown {
  const { in: place, name } = expression;
  if (place === 'vars') return readOwn(scope.vars, name);
  if (place === 'body') return readPointer(scope.call.body, name);
  if (place === 'header') return scope.call.headers.get(name.toLowerCase()) ?? undefined;
  return readOwn(scope.call[place], name);
}
