import { toPointer } from '../contract/pointer.js';
import { isObject } from '../contract/json.js';
import { ExactNumber, writeCanonical, writeJson } from './exact-json.js';
import type { RequestFacts } from './request-facts.js';

/** One place in which a request differs from a recorded one. */
export interface Difference {
  readonly in: 'method' | 'path' | 'query' | 'header' | 'body';
  readonly pointer: string;
  /** What was recorded; undefined: nothing. */
  readonly recorded: unknown;
  /** What came; undefined: nothing. */
  readonly came: unknown;
}

/** The places in which two requests of one operation differ. */
export function listDifferences(recorded: RequestFacts, came: RequestFacts): readonly Difference[] {
  const differences: Difference[] = [];
  for (const place of ['method', 'path', 'query', 'header', 'body'] as const) {
    compare(recorded[place], came[place], { place, pointer: '', differences });
  }
  return differences;
}

/** A difference as a line of text: `body /name: recorded "ci", came "cd"`. */
export function formatDifference({ in: place, pointer, recorded, came }: Difference): string {
  return `${place}${pointer === '' ? '' : ` ${pointer}`}: recorded ${toWords(recorded)}, came ${toWords(came)}`;
}

interface Walk {
  readonly place: Difference['in'];
  readonly pointer: string;
  readonly differences: Difference[];
}

function compare(recorded: unknown, came: unknown, walk: Walk): void {
  if (isPlain(recorded) && isPlain(came)) {
    for (const name of new Set([...Object.keys(recorded), ...Object.keys(came)])) {
      compare(recorded[name], came[name], { ...walk, pointer: walk.pointer + toPointer(name) });
    }
    return;
  }
  if (Array.isArray(recorded) && Array.isArray(came)) {
    for (let i = 0; i < Math.max(recorded.length, came.length); i++) {
      compare(recorded[i], came[i], { ...walk, pointer: walk.pointer + toPointer(i) });
    }
    return;
  }
  if (recorded === undefined && came === undefined) return;
  if (recorded !== undefined && came !== undefined && writeCanonical(recorded) === writeCanonical(came)) return;
  walk.differences.push({ in: walk.place, pointer: walk.pointer, recorded, came });
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !(value instanceof ExactNumber);
}

const SHOWN_CHARACTERS = 60;

function toWords(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = writeJson(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS - 1)}…` : text;
}
