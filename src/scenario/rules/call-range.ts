import { describe } from '../definition/read.js';

/** Which numbers are meant: from one to another (both included), or every n-th. */
export type CallRange =
  | { readonly kind: 'range'; readonly from: number; readonly to: number }
  | { readonly kind: 'every'; readonly every: number };

/** How a range may be written, for messages. */
const RANGE_FORMS = '3, "2..4", "3..", "..3" or "every 5"';

/** `3`, `"2..4"`, `"3.."`, `"..3"`, `"every 5"`; a text says what is wrong with anything else. */
export function readCallRange(value: unknown, lowest: number): CallRange | string {
  if (typeof value === 'number') {
    if (!Number.isInteger(value) || value < lowest) return `must be a whole number from ${lowest} on, not ${value}`;
    return { kind: 'range', from: value, to: value };
  }
  if (typeof value !== 'string') return `must be ${RANGE_FORMS}, not ${describe(value)}`;
  const every = /^every (\d+)$/.exec(value);
  if (every !== null) {
    const count = Number(every[1]);
    return count > 0 ? { kind: 'every', every: count } : 'must be "every 1" or more';
  }
  const range = /^(\d*)\.\.(\d*)$/.exec(value);
  if (range === null || value === '..') return `must be ${RANGE_FORMS}, not ${JSON.stringify(value)}`;
  const from = range[1] === '' ? lowest : Number(range[1]);
  const to = range[2] === '' ? Infinity : Number(range[2]);
  if (from < lowest) return `must start at ${lowest} or above, not ${from}`;
  if (to < from) return `ends before it starts: ${JSON.stringify(value)}`;
  return { kind: 'range', from, to };
}

/** Whether a number is one of those meant. */
export function isInRange(range: CallRange, count: number): boolean {
  return range.kind === 'every' ? count % range.every === 0 : count >= range.from && count <= range.to;
}

/** A range in words: `3`, `2..4`, `every 5`. */
export function formatRange(range: CallRange): string {
  if (range.kind === 'every') return `every ${range.every}`;
  if (range.from === range.to) return String(range.from);
  return `${range.from}..${range.to === Infinity ? '' : range.to}`;
}
