import { readSegments } from '../contract/pointer.js';
import type { ViolationPlace } from './violation.js';

/** The place of a violation, in the terms of the person who sent or wrote the value. */
export interface PlaceWords {
  readonly in: ViolationPlace;
  /** Of the parameter or header; undefined for a body. */
  readonly name: string | undefined;
  /** Whether the value is part of an answer. */
  readonly answered: boolean;
}

const PLACE_NAMES: Readonly<Record<ViolationPlace, string>> = {
  path: 'path parameter',
  query: 'query parameter',
  header: 'header',
  cookie: 'cookie',
  body: 'body',
  security: 'credential',
  method: 'method',
  status: 'status',
};

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
};

/** The subject of a sentence: `query parameter "limit"`, `body property "owner.role"`, `the body`. */
export function toSubject(place: PlaceWords, path: string): string {
  const inside = toDotted(path);
  const noun = PLACE_NAMES[place.in];
  if (place.name !== undefined) {
    const whole = `${place.answered ? 'answer ' : ''}${noun} "${place.name}"`;
    return inside === '' ? whole : `"${inside}" in ${whole}`;
  }
  const body = place.answered ? 'answer' : noun;
  if (inside === '') return `the ${body}`;
  return inside.startsWith('[') ? `${body} item ${inside}` : `${body} property "${inside}"`;
}

/** A pointer as people write it: `/messages/0/role` is `messages[0].role`. */
function toDotted(pointer: string): string {
  let text = '';
  for (const segment of readSegments(pointer)) {
    if (/^(0|[1-9]\d*)$/.test(segment)) text += `[${segment}]`;
    else if (/^[\w$-]+$/.test(segment)) text += text === '' ? segment : `.${segment}`;
    else text += `[${JSON.stringify(segment)}]`;
  }
  return text;
}

/** A value in a sentence: short JSON, or only its kind where that would be long. */
export function toWords(value: unknown): string {
  if (typeof value === 'string') return toQuoted(value);
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  // Infinity stands for a number that is too large to be one; JSON has no word for it.
  if (typeof value === 'number') return String(value);
  // What is left of JSON is a flag, null or nothing.
  return JSON.stringify(value) ?? 'nothing';
}

function toQuoted(text: string): string {
  const quoted = JSON.stringify(text);
  return quoted.length <= 80 ? quoted : `${quoted.slice(0, 60)}…" (${text.length} characters)`;
}

/** The words for JSON types: `a string or null`. */
export function toTypeWords(types: readonly string[]): string {
  return toAlternatives(types.map((type) => TYPE_NAMES[type] ?? type));
}

/** Alternatives in a sentence: `a, b or c`; the rest is counted where there are more than twelve. */
export function toAlternatives(items: readonly string[]): string {
  const shown = items.length > 12 ? [...items.slice(0, 11), `${items.length - 11} more`] : items;
  if (shown.length < 2) return shown.join('');
  return `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`;
}

/** A count with its noun: `1 item`, `3 items`. */
export function toCount(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`;
  return `${count} ${noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`}`;
}
