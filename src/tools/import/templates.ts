import { toPointer } from '../../contract/pointer.js';
import { type HeaderFields, joinRepeated, listFields } from '../../http/header-fields.js';
import type { StubBody } from './stub.js';

/** A body in which tags are replaced by runtime expressions, and the tags that have none. */
interface Converted {
  readonly body: StubBody;
  /** The tags without a counterpart, as they are written. */
  readonly left: readonly string[];
}

/** The runtime expression of a tag, such as `$request.query.limit`; undefined if there is none. */
type ToExpression = (tag: string) => string | undefined;

const TAG = /\{\{\{?([^{}]*)\}\}\}?/g;
/** Marks values that the schema supplies; a private character, which no template has. */
const LEFT = '\uE000';

/** Whether a string has tags of a template. */
export function hasTags(text: string): boolean {
  return text.includes('{{');
}

/** Replaces the tags of a Handlebars template by runtime expressions; values without a counterpart are left to the schema. */
export function convertTemplate(text: string, toExpression: ToExpression): Converted {
  const left: string[] = [];
  const pieces: string[] = [];
  let isInString = false;
  let end = 0;
  for (const match of text.matchAll(TAG)) {
    const [written, tag = ''] = match;
    const before = text.slice(end, match.index);
    end = match.index + written.length;
    if (hasOddQuotes(before)) isInString = !isInString;
    const expression = toExpression(tag.trim());
    if (expression === undefined) left.push(written);
    const inside = expression === undefined ? LEFT : isInString ? `{${expression}}` : expression;
    pieces.push(before, isInString ? inside : `"${inside}"`);
  }
  pieces.push(text.slice(end));
  // A block repeats or omits what is between its tags.
  if (left.some((tag) => /^\{\{\{?\s*[#/^>]|^\{\{\s*else\b/.test(tag))) return { body: { kind: 'generated' }, left };
  try {
    const value: unknown = JSON.parse(pieces.join(''));
    const known = withoutLeft(value);
    return { body: known === undefined ? { kind: 'generated' } : { kind: 'json', value: known }, left };
  } catch {
    if (left.length > 0) return { body: { kind: 'generated' }, left };
    const plain = text.replaceAll(TAG, (_, tag: string) => `{${toExpression(tag.trim()) ?? ''}}`);
    return { body: { kind: 'text', text: plain }, left };
  }
}

/** The header fields of an answer with expressions in place of tags; those with a tag that has no counterpart are left out. */
export function convertHeaders(
  headers: HeaderFields,
  toExpression: ToExpression,
): { readonly headers: HeaderFields; readonly left: readonly string[] } {
  const left: string[] = [];
  const kept = listFields(headers).flatMap(([name, text]): [string, string][] => {
    const tags = [...text.matchAll(TAG)].filter(([, tag = '']) => toExpression(tag.trim()) === undefined);
    left.push(...tags.map(([written]) => written));
    return tags.length > 0
      ? []
      : [[name, text.replaceAll(TAG, (_, tag: string) => `{${toExpression(tag.trim()) ?? ''}}`)]];
  });
  return { headers: joinRepeated(kept), left };
}

function hasOddQuotes(json: string): boolean {
  return (json.replaceAll(/\\./gs, '').match(/"/g)?.length ?? 0) % 2 === 1;
}

/** A value without the strings that have a tag without a counterpart. */
function withoutLeft(value: unknown): unknown {
  if (typeof value === 'string') return value.includes(LEFT) ? undefined : value;
  if (Array.isArray(value)) return value.map(withoutLeft).filter((item) => item !== undefined);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, member]): [string, unknown] => [name, withoutLeft(member)]);
  return Object.fromEntries(entries.filter(([, member]) => member !== undefined));
}

/** `$.a.b[0]` or `a.b.0` as the pointer `/a/b/0`; undefined for a path that selects more than one value. */
export function toBodyPointer(path: string): string | undefined {
  const plain = path.replace(/^\$\.?/, '').replaceAll(/\[(?:'([^']*)'|"([^"]*)"|(\d+))\]/g, '.$1$2$3');
  if (/[*?@()[\]:]|\.\./.test(plain)) return undefined;
  const segments = plain.split('.').filter((segment) => segment !== '');
  return toPointer(...segments);
}

/** The condition of a body in which one value, named by a pointer, meets a condition. */
export function toNested(pointer: string, condition: unknown): unknown {
  const segments = pointer.split('/').slice(1);
  return segments.reduceRight((inner: unknown, name) => ({ [name]: inner }), condition);
}
