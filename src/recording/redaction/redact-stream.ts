import type { TextFilter } from '../cassette/exchange.js';
import type { JsonPlace, SecretWalk, VisitText } from './secret-walk.js';

/** An object or array that has begun. */
interface Open {
  readonly isObject: boolean;
  readonly place: JsonPlace;
  /** In an object: the name of the next value; undefined before it. */
  name: string | undefined;
  /** In an object: the value of its member `name` or `key`. */
  label: string | undefined;
  /** In an array. */
  index: number;
}

/**
 * Replaces the secrets of JSON that is too large for memory while it is read: strings and numbers whose name or schema makes them
 * secret. JSON may have other text around it, such as the fields of events.
 *
 * @param root - The place of each JSON value.
 * @returns a filter of text in Latin-1, which maps every byte of UTF-8 to one character.
 */
export function createJsonFilter(root: JsonPlace, walk: SecretWalk, visit: VisitText): TextFilter {
  const structure = createStructure(root, walk, visit);
  const scalar = createScalar(structure.replace);
  let state: 'between' | 'string' | 'scalar' = 'between';
  let isEscaped = false;

  /** What a part has at `at`, and what is written for it. */
  const read = (part: string, at: number): readonly [read: string, written: string] => {
    if (state === 'between') {
      const space = match(structure.isOpen() ? BETWEEN : OUTSIDE, part, at);
      if (space !== '') return [space, space];
      const mark = part.charAt(at);
      if (mark === '"') state = 'string';
      else if (!MARKS.has(mark)) state = 'scalar';
      else structure.advance(mark);
      return state === 'between'
        ? [mark, mark]
        : [state === 'string' ? mark : '', scalar.add(mark === '"' ? mark : '')];
    }
    const text = isEscaped ? part.charAt(at) : match(state === 'string' ? STRING : SCALAR, part, at);
    isEscaped = false;
    if (text !== '') return [text, scalar.add(text)];
    const next = part.charAt(at);
    if (state === 'string' && next === '\\') {
      // The escape continues in the next part.
      isEscaped = true;
      return [next, scalar.add(next)];
    }
    const isString = state === 'string';
    state = 'between';
    if (!isString) return ['', scalar.end('')];
    if (next === '"') return [next, scalar.end(next)];
    // A line ends inside of the string: this is not JSON.
    structure.reset();
    return ['', scalar.end('')];
  };

  return {
    write: (part) => {
      let written = '';
      for (let at = 0; at < part.length;) {
        const [found, text] = read(part, at);
        at += found.length;
        written += text;
      }
      return written;
    },
    // The end of a string is missing if the body was cut off.
    end: () => (state === 'string' ? scalar.end('"').slice(0, -1) : scalar.end('')),
  };
}

const OUTSIDE = /[^{[]*/y;
const BETWEEN = /[\s:]*/y;
const STRING = /[^"\\\n\r]*(?:\\[^\n\r][^"\\\n\r]*)*/y;
const SCALAR = /[^\s,:[\]{}"]*/y;
const MARKS: ReadonlySet<string> = new Set('{}[],');

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

/** More objects and arrays inside of each other are not JSON. */
const MAX_DEPTH = 1000;

/** Follows the objects and arrays that are open, to know the place of each scalar. */
function createStructure(root: JsonPlace, walk: SecretWalk, visit: VisitText) {
  let open: Open[] = [];
  const readPlace = (parent: Open, value: unknown): JsonPlace =>
    parent.isObject
      ? walk.member(parent.place, parent.name ?? '', { value, label: parent.label })
      : walk.item(parent.place, parent.index);
  const begin = (isObject: boolean): void => {
    if (open.length >= MAX_DEPTH) open = [];
    const parent = open.at(-1);
    const place = parent === undefined ? root : readPlace(parent, isObject ? {} : []);
    open.push({ isObject, place, name: undefined, label: undefined, index: 0 });
  };
  return {
    isOpen: () => open.length > 0,
    reset: () => void (open = []),
    advance: (mark: string): void => {
      const parent = open.at(-1);
      if (mark === '{' || mark === '[') begin(mark === '{');
      else if (mark !== ',') open.pop();
      else if (parent !== undefined) {
        parent.name = undefined;
        parent.index += 1;
      }
    },
    /** The text of a scalar, without its secret. */
    replace: (text: string): string => {
      const parent = open.at(-1);
      const value = parent === undefined ? undefined : readScalar(text);
      if (parent === undefined || value === undefined) return text;
      if (parent.isObject && parent.name === undefined) {
        parent.name = typeof value === 'string' ? value : text;
        return text;
      }
      if (parent.isObject) parent.label ??= walk.readLabel(parent.name ?? '', value);
      const place = readPlace(parent, value);
      const clean = place.rule === undefined ? value : walk.scalar(value, place, visit);
      return clean === value ? text : Buffer.from(JSON.stringify(clean)).toString('latin1');
    },
  };
}

/** A longer string is a secret, or not, by its beginning. */
const MAX_STRING = 65_536;

/** Collects a string or another scalar that may begin in one part and end in another; both functions return what is written. */
function createScalar(replace: (text: string) => string): { add(text: string): string; end(last: string): string } {
  let token = '';
  // What happens to the rest of one that is too long.
  let rest: 'written' | 'dropped' | undefined;
  return {
    add: (text) => {
      if (rest !== undefined) return rest === 'written' ? text : '';
      token += text;
      if (token.length <= MAX_STRING) return '';
      // Without an escape that is not complete.
      const start = `${token.replace(/\\+(?:u[\da-f]{0,3})?$/i, '')}"`;
      const clean = replace(start);
      rest = clean === start ? 'written' : 'dropped';
      const written = rest === 'written' ? token : clean.slice(0, -1);
      token = '';
      return written;
    },
    end: (last) => {
      const written = rest === undefined ? replace(token + last) : last;
      [token, rest] = ['', undefined];
      return written;
    },
  };
}

/** The value of a scalar; undefined if it is not one. */
function readScalar(text: string): unknown {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'latin1').toString('utf8'));
    return value ?? undefined;
  } catch {
    return undefined;
  }
}
