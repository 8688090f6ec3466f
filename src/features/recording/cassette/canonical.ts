import { writeJson } from '../../../base/exact-json.js';
import { ExactNumber } from '../../../base/exact-number.js';
import { readOwn } from '../../../base/json.js';
import { toPointer } from '../../../contract/pointer.js';

/** The first 60 characters of a value as JSON, for messages; undefined without a value. */
export function toShortText(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const text = writeJson(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** A JSON text that is the same for all equal values: members are sorted by name. */
export function writeCanonical(value: unknown): string {
  if (value instanceof ExactNumber) return value.source;
  if (Array.isArray(value)) return `[${value.map(writeCanonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([x], [y]) => (x < y ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeCanonical(member)}`).join(',')}}`;
}

/** Two values that differ at the same pointer; undefined if one of them is missing. */
export interface JsonDifference {
  readonly pointer: string;
  readonly one: unknown;
  readonly other: unknown;
}

/** Lists the differences between two JSON values; `isLeaf` keeps a pair of objects or arrays together. */
export function listDifferences(
  one: unknown,
  other: unknown,
  isLeaf: (one: object, other: object) => boolean = () => false,
): readonly JsonDifference[] {
  const differences: JsonDifference[] = [];
  const compare = (x: unknown, y: unknown, pointer: string): void => {
    if (isContainer(x) && isContainer(y) && Array.isArray(x) === Array.isArray(y) && !isLeaf(x, y)) {
      for (const name of new Set([...Object.keys(x), ...Object.keys(y)])) {
        compare(readOwn(x, name), readOwn(y, name), pointer + toPointer(name));
      }
    } else if ((x === undefined) !== (y === undefined) || writeCanonical(x) !== writeCanonical(y)) {
      differences.push({ pointer, one: x, other: y });
    }
  };
  compare(one, other, '');
  return differences;
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !(value instanceof ExactNumber);
}
