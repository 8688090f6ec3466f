import { type Event, EVENT_ID, getScalarValue, parseEvents } from 'js-yaml';
import { readSegments, toPointer } from '../pointer.js';
import { NESTING_LIMIT } from './parse.js';

/** Where something stands in the text: a file by its number, and a pointer in it. */
interface Origin {
  readonly file: number;
  readonly pointer: string;
}

/** The way back from the inner document to the files it was made of. */
export interface Origins {
  /** Notes that what stands at a pointer of the inner document, and below it, came from there. */
  add(inner: string, origin: Origin): void;
  /** Where a pointer of the inner document came from. */
  find(inner: string): Origin;
  /** Plain data, for a cache. */
  list(): readonly (readonly [inner: string, file: number, pointer: string])[];
}

/** Origins that start with the main file as it stands; only what was moved is noted. */
export function createOrigins(entries: ReturnType<Origins['list']> = []): Origins {
  const byInner = new Map(entries.map(([inner, file, pointer]): [string, Origin] => [inner, { file, pointer }]));
  return {
    add: (inner, origin) => void byInner.set(inner, origin),
    find: (inner) => {
      if (byInner.size === 0) return { file: 0, pointer: inner };
      const segments = readSegments(inner);
      for (let length = segments.length; length >= 0; length--) {
        const origin = byInner.get(toPointer(...segments.slice(0, length)));
        if (origin !== undefined) return { ...origin, pointer: origin.pointer + toPointer(...segments.slice(length)) };
      }
      return { file: 0, pointer: inner };
    },
    list: () => [...byInner].map(([inner, { file, pointer }]) => [inner, file, pointer] as const),
  };
}

/** A line and a column, both from 1. */
interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Finds where a JSON pointer stands in a text. */
interface LineFinder {
  /** The key or item the pointer names; the closest ancestor that the text holds where the pointer leads nowhere. */
  find(pointer: string): TextPosition | undefined;
}

/** The events of a text, and for each one where the events after its node begin. */
interface Outline {
  readonly text: string;
  readonly events: readonly Event[];
  readonly ends: Int32Array;
  /** Where the node of each anchor begins. */
  readonly anchors: ReadonlyMap<string, number>;
  /** Where the node of the document begins. */
  readonly root: number;
}

/**
 * A finder over one YAML or JSON text (JSON is YAML to the event parser). The text is parsed on the first question and never if there
 * is none; a question walks from the root and reads only the keys it passes.
 */
export function createLineFinder(text: string): LineFinder {
  let outline: Outline | undefined;
  let starts: readonly number[] | undefined;
  return {
    find: (pointer) => {
      try {
        outline ??= readOutline(text);
      } catch {
        // A text that JSON.parse takes and the event parser does not: the mistake is shown without its line.
        return undefined;
      }
      starts ??= readLineStarts(text);
      return toPosition(findOffset(outline, readSegments(pointer)), starts);
    },
  };
}

function readOutline(text: string): Outline {
  const events = parseEvents(text, { maxDepth: NESTING_LIMIT });
  const ends = new Int32Array(events.length);
  const anchors = new Map<string, number>();
  const open: number[] = [];
  events.forEach((event, index) => {
    ends[index] = index + 1;
    if (event.type === EVENT_ID.POP) {
      const start = open.pop();
      if (start !== undefined) ends[start] = index + 1;
      return;
    }
    if (event.type === EVENT_ID.DOCUMENT || event.type === EVENT_ID.SEQUENCE || event.type === EVENT_ID.MAPPING)
      open.push(index);
    if (event.type === EVENT_ID.DOCUMENT || event.type === EVENT_ID.ALIAS || event.anchorStart < 0) return;
    anchors.set(text.slice(event.anchorStart, event.anchorEnd), index);
  });
  return { text, events, ends, anchors, root: events.findIndex(({ type }) => type !== EVENT_ID.DOCUMENT) };
}

/** The offset of the key or item the steps lead to, or of the last step that the text holds. */
function findOffset(outline: Outline, segments: readonly string[]): number {
  let node = outline.root;
  let offset = readOffset(outline, node);
  for (const segment of segments) {
    const found = findChild(outline, followAlias(outline, node), segment);
    if (found === undefined) break;
    node = found.node;
    offset = readOffset(outline, found.place);
  }
  return offset;
}

/** A child node, and what stands for it in the text: its key in a mapping, itself in a list. */
function findChild(outline: Outline, parent: number, segment: string): { node: number; place: number } | undefined {
  const { text, events, ends } = outline;
  const type = events[parent]?.type;
  if (type !== EVENT_ID.MAPPING && type !== EVENT_ID.SEQUENCE) return undefined;
  const end = (ends[parent] ?? 0) - 1;
  let index = 0;
  for (let at = parent + 1; at < end; index++) {
    const after = ends[at] ?? end;
    if (type === EVENT_ID.SEQUENCE) {
      if (String(index) === segment) return { node: at, place: at };
      at = after;
      continue;
    }
    const key = events[at];
    if (key?.type === EVENT_ID.SCALAR && getScalarValue(text, key) === segment) return { node: after, place: at };
    at = ends[after] ?? end;
  }
  return undefined;
}

function followAlias({ text, events, anchors }: Outline, node: number): number {
  const event = events[node];
  if (event?.type !== EVENT_ID.ALIAS) return node;
  return anchors.get(text.slice(event.anchorStart, event.anchorEnd)) ?? node;
}

function readOffset({ events }: Outline, node: number): number {
  const event = events[node];
  if (event === undefined || event.type === EVENT_ID.DOCUMENT || event.type === EVENT_ID.POP) return 0;
  if (event.type === EVENT_ID.SCALAR) return event.valueStart;
  // The anchor of an alias begins after its star.
  return event.type === EVENT_ID.ALIAS ? event.anchorStart - 1 : event.start;
}

function readLineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

function toPosition(offset: number, starts: readonly number[]): TextPosition {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
}
