import { EVENT_ID, getScalarValue, parseEvents, type Event } from 'js-yaml';
import { NESTING_LIMIT } from './parse.js';
import { readSegments } from './pointer.js';

/** A line and a column, both from 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Finds where a JSON pointer stands in a text. */
export interface LineFinder {
  /** The key or item the pointer names; the closest ancestor that the text holds where the pointer leads nowhere. */
  find(pointer: string): TextPosition | undefined;
}

/** One node of the text: its offset, and its children by key, filled when it is walked. */
interface Spot {
  readonly offset: number;
  readonly children: Map<string, Spot> | undefined;
}

/**
 * A finder over one YAML or JSON text (JSON is YAML to the event parser). The text is parsed on the first question and never if there
 * is none.
 */
export function createLineFinder(text: string): LineFinder {
  let root: Spot | undefined;
  let starts: readonly number[] | undefined;
  return {
    find: (pointer) => {
      try {
        root ??= readSpots(text);
      } catch {
        // A text that JSON.parse takes and the event parser does not: the mistake is shown without its line.
        return undefined;
      }
      starts ??= readLineStarts(text);
      return toPosition(findSpot(root, pointer).offset, starts);
    },
  };
}

function findSpot(root: Spot, pointer: string): Spot {
  let spot = root;
  for (const segment of readSegments(pointer)) {
    const child = spot.children?.get(segment);
    if (child === undefined) break;
    spot = child;
  }
  return spot;
}

function readSpots(text: string): Spot {
  const events = parseEvents(text, { maxDepth: NESTING_LIMIT });
  const anchors = new Map<string, Spot>();
  let next = 0;
  const remember = (event: Exclude<Event, { type: 1 | 6 }>, spot: Spot): Spot => {
    if (event.anchorStart >= 0 && event.type !== EVENT_ID.ALIAS) {
      anchors.set(text.slice(event.anchorStart, event.anchorEnd), spot);
    }
    return spot;
  };
  const readSequence = (spot: Spot): void => {
    for (let index = 0; events[next] !== undefined && events[next]?.type !== EVENT_ID.POP; index++) {
      spot.children?.set(String(index), readNode());
    }
    next++;
  };
  const readMapping = (spot: Spot): void => {
    while (events[next] !== undefined && events[next]?.type !== EVENT_ID.POP) {
      const keyEvent = events[next];
      const key = readNode();
      const value = readNode();
      const name = keyEvent?.type === EVENT_ID.SCALAR ? getScalarValue(text, keyEvent) : '';
      // The place of a member is its key; what is inside comes from the value.
      spot.children?.set(name, { offset: key.offset, children: value.children });
    }
    next++;
  };
  const readNode = (): Spot => {
    const event = events[next++];
    if (event === undefined || event.type === EVENT_ID.POP || event.type === EVENT_ID.DOCUMENT) {
      return { offset: 0, children: undefined };
    }
    if (event.type === EVENT_ID.ALIAS) {
      const target = anchors.get(text.slice(event.anchorStart, event.anchorEnd));
      return { offset: event.anchorStart - 1, children: target?.children };
    }
    if (event.type === EVENT_ID.SCALAR) return remember(event, { offset: event.valueStart, children: undefined });
    const spot = remember(event, { offset: event.start, children: new Map() });
    if (event.type === EVENT_ID.SEQUENCE) readSequence(spot);
    else readMapping(spot);
    return spot;
  };
  while (events[next]?.type === EVENT_ID.DOCUMENT) next++;
  return readNode();
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
