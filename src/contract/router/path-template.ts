import { URLSearchParams } from 'node:url';
import { decodeText } from '../pointer.js';
import { toPlainPath } from './path-span.js';

/** One segment of a path template, between two slashes: literals around and between its parameters. */
export interface TemplateSegment {
  /** `literal` has no parameter, `parameter` is only a parameter, `mixed` has both: `{id}:cancel`. */
  readonly kind: 'literal' | 'mixed' | 'parameter';
  /** The segment as written; percent-decoded for a literal, so that `ü` and `%C3%BC` are equal. */
  readonly text: string;
  readonly names: readonly string[];
  /** The literals before, between and after the parameters: one more than there are names. */
  readonly literals: readonly string[];
}

/** A name of a query and its value; undefined for any value. */
export type QueryPair = readonly [name: string, value: string | undefined];

/** A parsed path key. */
interface PathTemplate {
  readonly segments: readonly TemplateSegment[];
  readonly trailingSlash: boolean;
  /** Pairs of a query that is part of the key (`/messages?beta=true`), decoded. */
  readonly query: readonly QueryPair[];
  /** Pairs after a `#`, which is never sent: preferred if the query has them, never required. */
  readonly fragment: readonly QueryPair[];
  /** The segments of a key with a `#` for requests that send it percent-encoded (`/token%23refresh`). */
  readonly encodedSegments: readonly TemplateSegment[] | undefined;
}

/** Parses a path key. Only this file knows the syntax. */
export function readTemplate(key: string): PathTemplate {
  const [beforeHash, afterHash] = splitHash(toPlainPath(key));
  const [path, query] = splitQuery(beforeHash);
  return {
    segments: readTemplateSegments(path),
    encodedSegments: afterHash === '' ? undefined : readTemplateSegments(`${path}#${afterHash.replaceAll('/', '%2F')}`),
    trailingSlash: path.length > 1 && path.endsWith('/'),
    query: readPairs(query),
    fragment: readPairs(afterHash),
  };
}

/** The names of a path key's parameters, in order. */
export function readParameterNames(key: string): readonly string[] {
  return readTemplate(key).segments.flatMap((segment) => segment.names);
}

/**
 * The values of a mixed segment's parameters, or undefined if it does not match.
 *
 * A parameter has at least one character, and an earlier one takes as many as possible: `{name}.{extension}` matches `a.b.c` as `a.b` and `c`.
 * Every literal is searched once, from the right, so the time is linear in the length of the segment.
 */
export function matchMixed(literals: readonly string[], segment: string): readonly string[] | undefined {
  const prefix = literals[0] ?? '';
  const suffix = literals.at(-1) ?? '';
  if (!segment.startsWith(prefix) || !segment.endsWith(suffix)) return undefined;
  const values: string[] = [];
  let end = segment.length - suffix.length;
  for (let i = literals.length - 2; i > 0; i--) {
    const literal = literals[i] ?? '';
    const at = segment.lastIndexOf(literal, end - 1 - literal.length);
    if (at <= prefix.length) return undefined;
    values[i] = segment.slice(at + literal.length, end);
    end = at;
  }
  if (end <= prefix.length) return undefined;
  values[0] = segment.slice(prefix.length, end);
  return values;
}

/** An empty segment between two slashes has to be in the request too; a trailing slash does not start one. */
function readTemplateSegments(path: string): readonly TemplateSegment[] {
  const parts = path.split('/');
  return parts.filter((part, i) => part !== '' || (i > 0 && i < parts.length - 1)).map(readSegment);
}

/** Pairs with a fixed value, and names alone (`?acl`): `?q={q}` only repeats a parameter. */
function readPairs(query: string): readonly QueryPair[] {
  // Most keys have no query, and URLSearchParams is not free.
  if (query === '') return [];
  return query.split('&').flatMap((text): readonly QueryPair[] => {
    const [[name, value] = ['', '']] = new URLSearchParams(text);
    if (name === '' || /^\{.*\}$/u.test(value)) return [];
    return [[name, text.includes('=') ? value : undefined]];
  });
}

function readSegment(segment: string): TemplateSegment {
  if (!segment.includes('{')) return { kind: 'literal', text: decodeText(segment), names: [], literals: [segment] };
  // Most parameters are a whole segment.
  if (segment.lastIndexOf('{') === 0 && segment.indexOf('}') === segment.length - 1 && segment.length > 2)
    return { kind: 'parameter', text: segment, names: [segment.slice(1, -1)], literals: ['', ''] };
  const names: string[] = [];
  const literals: string[] = [];
  let at = 0;
  for (const match of segment.matchAll(/\{([^{}]+)\}/gu)) {
    literals.push(segment.slice(at, match.index));
    names.push(match[1] ?? '');
    at = match.index + match[0].length;
  }
  literals.push(segment.slice(at));
  // A brace that is not closed is part of the literal.
  if (names.length === 0) return { kind: 'literal', text: decodeText(segment), names, literals };
  const bare = names.length === 1 && literals.every((literal) => literal === '');
  return { kind: bare ? 'parameter' : 'mixed', text: segment, names, literals };
}

/** Splits a key at the first `#` outside of a parameter. */
function splitHash(key: string): readonly [string, string] {
  const at = key.search(/#(?![^{}]*\})/);
  return at < 0 ? [key, ''] : [key.slice(0, at), key.slice(at + 1)];
}

function splitQuery(text: string): readonly [string, string] {
  const at = text.indexOf('?');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
