import { type Event, EVENT_ID, getScalarValue, parseEvents } from 'js-yaml';
import { readSegments, toPointer } from '../pointer.js';
import { indentFlowLines, isFlowIndent } from './flow-indent.js';
import { MAX_NESTING } from './parse.js';

/** The number of a file and a pointer in it. */
type SourceLocation = { readonly file: number; readonly pointer: string };

/** Maps pointers of the bundled document to the files it was bundled from. */
export interface SourceMap {
  /** Records that the value at a pointer of the bundled document, and everything below it, comes from there. */
  add(inner: string, origin: SourceLocation): void;
  /** Where the value at a pointer of the bundled document comes from. */
  find(inner: string): SourceLocation;
  /** The recorded locations as plain data, for the cache. */
  list(): readonly (readonly [inner: string, file: number, pointer: string])[];
}

/** Creates a source map in which everything comes from the same pointer of the main file, until it is recorded otherwise. */
export function createSourceMap(entries: ReturnType<SourceMap['list']> = []): SourceMap {
  const byInner = new Map(
    entries.map(([inner, file, pointer]): [string, SourceLocation] => [inner, { file, pointer }]),
  );
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

/** Finds the line and column, both from 1, of the key or item at a JSON pointer, or of its closest ancestor in the text. */
type LineFinder = (pointer: string) => { readonly line: number; readonly column: number } | undefined;

/** The events of a YAML parser, and for each one the index of the first event after its node. */
interface Outline {
  readonly text: string;
  readonly events: readonly Event[];
  readonly ends: Int32Array;
  /** The event of each anchor. */
  readonly anchors: ReadonlyMap<string, number>;
  /** The event of the root node. */
  readonly root: number;
}

/** Creates a finder for one YAML or JSON text, which is read and parsed at its first call. */
export function createLineFinder(text: string | (() => string)): LineFinder {
  let outline: Outline | undefined;
  let starts: readonly number[] | undefined;
  return (pointer) => {
    try {
      outline ??= readOutline(typeof text === 'string' ? text : text());
    } catch {
      // JSON.parse accepts some texts that the YAML parser does not: the problem has no line then.
      return undefined;
    }
    starts ??= [0, ...Array.from(outline.text.matchAll(/\n/gu), ({ index }) => index + 1)];
    const offset = findOffset(outline, readSegments(pointer));
    const line = starts.findLastIndex((start) => start <= offset);
    return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 };
  };
}

function readOutline(source: string): Outline {
  const options = { maxDepth: MAX_NESTING };
  let text = source;
  let events: Event[];
  try {
    events = parseEvents(source, options);
  } catch (error) {
    const indented = isFlowIndent(error) ? indentFlowLines(source, options) : undefined;
    if (indented === undefined) throw error;
    text = indented.text;
    events = parseEvents(text, options);
  }
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
    if (event.type !== EVENT_ID.SCALAR && event.type !== EVENT_ID.ALIAS) open.push(index);
    if (event.type === EVENT_ID.DOCUMENT || event.type === EVENT_ID.ALIAS || event.anchorStart < 0) return;
    anchors.set(text.slice(event.anchorStart, event.anchorEnd), index);
  });
  return { text, events, ends, anchors, root: events.findIndex(({ type }) => type !== EVENT_ID.DOCUMENT) };
}

/** The offset of the key or item at a path, or of its closest ancestor. */
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

/** A child node, and the event whose position it has: its key in a mapping, itself in a sequence. */
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
