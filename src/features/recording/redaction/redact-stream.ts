import { readJson } from '../../../base/exact-json.js';
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
  /** In an array: the place of the items without a schema of their own. */
  rest: JsonPlace | undefined;
}

/** Text before the first object or array, or the mark that begins it. */
const OUTSIDE = /[^{[]+|[{[]/y;
/** White space with colons, a mark, a string or another scalar; the group is the end of a string. */
const INSIDE = /[\s:]+|[{}[\],]|"[^"\\\n\r]*(?:\\[^][^"\\\n\r]*)*("?)|[^\s,:[\]{}"]+/y;
/** The rest of a string, after its beginning. */
const REST = /[^"\\\n\r]*(?:\\[^][^"\\\n\r]*)*("?)/y;
const MARKS: ReadonlySet<string> = new Set('{}[],');

/** A longer string is a secret, or not, by its beginning. */
const MAX_STRING = 65_536;

/**
 * Replaces the secrets of JSON in its own layout, and of JSON that is too large for memory while it is read: strings and numbers whose name or
 * schema makes them secret. JSON may have other text around it, such as the fields of events.
 *
 * @param root - The place of each JSON value.
 * @returns a filter of text in Latin-1, which maps every byte of UTF-8 to one character.
 */
export function createJsonFilter(root: JsonPlace, walk: SecretWalk, visit: VisitText): TextFilter {
  const structure = createStructure(root, walk, visit);
  let waiting = '';
  // Whether the rest of a string that is too long is written.
  let rest: 'written' | 'dropped' | undefined;

  /** The characters to write for the part of a string that has arrived. */
  const writePart = (token: string): string => {
    if (rest !== undefined) return rest === 'written' ? token : '';
    // Without an escape that is not complete.
    const start = `${token.replace(/\\+(?:u[\da-f]{0,3})?$/i, '')}"`;
    const clean = structure.replace(start);
    rest = clean === start ? 'written' : 'dropped';
    return rest === 'written' ? token : clean.slice(0, -1);
  };
  const writeEnd = (token: string, quote: string): string => {
    const isDropped = rest === 'dropped';
    const isWhole = rest === undefined && quote !== '';
    rest = undefined;
    // A line ends inside of the string: this is not JSON.
    if (quote === '') structure.reset();
    return isDropped ? quote : isWhole ? structure.replace(token) : token;
  };
  const flush = (isLast: boolean): string => {
    let written = '';
    let at = 0;
    while (at < waiting.length) {
      const isOpen = structure.isOpen();
      const pattern = rest !== undefined ? REST : isOpen ? INSIDE : OUTSIDE;
      pattern.lastIndex = at;
      const [token = '', quote = ''] = pattern.exec(waiting) ?? [];
      const isString = rest !== undefined || (isOpen && token.startsWith('"'));
      const isScalar = isString || (isOpen && !MARKS.has(token) && !/^[\s:]/.test(token));
      const end = at + token.length;
      // Few tokens are at the end: the pattern costs as much as the token.
      const isLastOne = isScalar && quote === '' && end >= waiting.length - 1;
      const isCut = isLastOne && /^(?:$|\\$)/.test(waiting.slice(end, end + 2));
      // The end is in the next part.
      if (isCut && rest === undefined && !isLast && token.length <= MAX_STRING) break;
      at = end;
      if (isString && isCut) {
        written += writePart(token);
        break;
      }
      if (isString) written += writeEnd(token, quote);
      else written += isScalar ? structure.replace(token) : token;
      if (!isScalar) structure.advance(token);
    }
    waiting = waiting.slice(at);
    return written;
  };

  return {
    write: (part) => {
      waiting += part;
      return flush(false);
    },
    end: () => flush(true) + (rest === 'dropped' ? '' : waiting),
  };
}

/** More objects and arrays inside of each other are not JSON. */
const MAX_DEPTH = 1000;

/** Follows the objects and arrays that are open, to know the place of each scalar. */
function createStructure(root: JsonPlace, walk: SecretWalk, visit: VisitText) {
  let open: Open[] = [];
  const readPlace = (parent: Open, value: unknown): JsonPlace => {
    if (parent.isObject) return walk.member(parent.place, parent.name ?? '', { value, label: parent.label });
    if (parent.rest !== undefined) return parent.rest;
    // A long array takes a third of the time.
    if (parent.index >= walk.countOwnItems(parent.place)) parent.rest = walk.item(parent.place, parent.index);
    return parent.rest ?? walk.item(parent.place, parent.index);
  };
  const begin = (isObject: boolean): void => {
    if (open.length >= MAX_DEPTH) open = [];
    const parent = open.at(-1);
    const place = parent === undefined ? root : readPlace(parent, isObject ? {} : []);
    open.push({ isObject, place, name: undefined, label: undefined, index: 0, rest: undefined });
  };
  return {
    isOpen: () => open.length > 0,
    reset: () => void (open = []),
    /** Other text than a mark changes nothing. */
    advance: (mark: string): void => {
      const parent = open.at(-1);
      if (mark === '{' || mark === '[') begin(mark === '{');
      else if (mark === '}' || mark === ']') open.pop();
      else if (mark === ',' && parent !== undefined) {
        parent.name = undefined;
        parent.index += 1;
      }
    },
    /** The text of a scalar, without its secret. */
    replace: (text: string): string => {
      const parent = open.at(-1);
      // Only the schema makes an item a secret: most are not even read.
      if (parent?.isObject === false && readPlace(parent, undefined).rule === undefined) return text;
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

/** The value of a scalar; undefined if it is not one. */
function readScalar(text: string): unknown {
  try {
    return readJson(Buffer.from(text, 'latin1').toString('utf8')) ?? undefined;
  } catch {
    return undefined;
  }
}
