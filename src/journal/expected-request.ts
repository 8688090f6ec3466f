import { ExactNumber, isIdValue } from '../base/exact-number.js';
import { isObject, readOwn } from '../base/json.js';
import { escapeSegment, readPointer, readSegments, toPointer } from '../contract/pointer.js';
import { suggest, cutCountedText, countOf } from '../base/errors.js';
import type { InteractionRequest } from './interaction.js';
import { lowerNames } from '../http/header-fields.js';

/**
 * The expected parts of a request. In an object only the named members are compared; an array must have as many
 * elements. A value can be a regular expression, a function that returns a boolean, or an asymmetric matcher such as `expect.any(String)`;
 * undefined means that the member is absent.
 */
export interface ExpectedRequest {
  /** The decoded body. */
  readonly body?: unknown;
  /** Decoded query parameters, by name. */
  readonly query?: object;
  /** Decoded path parameters, by name. */
  readonly path?: object;
  /** Header fields, by name in any case. */
  readonly headers?: object;
}

/** The parts of a request that can be expected, in the order of messages. */
export const REQUEST_PARTS = ['path', 'query', 'headers', 'body'] as const;

type Shown = Readonly<Partial<Pick<InteractionRequest, (typeof REQUEST_PARTS)[number]>>>;

/** The differences between a request and the expected one, one line for each value. */
interface Difference {
  /** How many of the expected values differ. */
  readonly count: number;
  /** `body /name: expected "ci", got "cd"`, without secrets. */
  readonly lines: readonly string[];
}

/** Whether a request is what was expected. */
export function isExpected(request: InteractionRequest, expected: ExpectedRequest): boolean {
  return compareRequest(request, expected, () => request).count === 0;
}

/**
 * Compares a request with what was expected of it.
 *
 * @param show - Reads the request without its secrets, if a value of it has to be shown.
 */
export function compareRequest(request: InteractionRequest, expected: ExpectedRequest, show: () => Shown): Difference {
  const found = REQUEST_PARTS.flatMap((part) => {
    if (!Object.hasOwn(expected, part)) return [];
    const wanted: unknown = expected[part];
    const isHeaders = part === 'headers' && isObject(wanted);
    const want = isHeaders ? lowerNames(wanted) : wanted;
    const list = findDifferences({ want, got: request[part], pointer: '' });
    return list.map((mismatch) => ({ part, mismatch }));
  });
  if (found.length === 0) return NO_DIFFERENCE;
  const shown = show();
  const lines = found.map(({ part, mismatch }) => describeMismatch(part, mismatch, shown));
  return { count: found.reduce((sum, { mismatch }) => sum + countValues(mismatch.want), 0), lines };
}

/** How many values an expected value has. */
function countValues(want: unknown): number {
  if (typeof want !== 'object' || want === null || isAsymmetric(want) || isPattern(want)) return 1;
  return Math.max(
    1,
    Object.values(want).reduce((sum: number, each) => sum + countValues(each), 0),
  );
}

const NO_DIFFERENCE: Difference = { count: 0, lines: [] };

interface Comparison {
  readonly want: unknown;
  readonly got: unknown;
  /** A JSON pointer inside of the part. */
  readonly pointer: string;
}

/** A value that is not the expected one. */
interface Mismatch extends Comparison {
  /** The expected and the actual size, where the sizes differ and not a value: `3 elements`. */
  readonly size?: readonly [want: number, got: number];
  /** The names that the object has, where a member is absent. */
  readonly names?: readonly string[];
}

function findDifferences(given: Comparison): readonly Mismatch[] {
  const { want, pointer } = given;
  const got = toComparable(given.got);
  const judged = judge(want, got);
  if (judged !== undefined) return judged ? [] : [given];
  if (Array.isArray(want)) {
    if (!Array.isArray(got)) return [given];
    if (want.length !== got.length) return [{ ...given, size: [want.length, got.length] }];
    return want.flatMap((each, i) => findDifferences({ want: each, got: got[i], pointer: `${pointer}/${i}` }));
  }
  // Only objects are left: all other values were judged.
  const members = want as Readonly<Record<string, unknown>>;
  if (!isObject(got)) return [given];
  return Object.entries(members).flatMap(([name, each]) => {
    const below = { want: each, got: readOwn(got, name), pointer: `${pointer}/${escapeSegment(name)}` };
    if (Object.hasOwn(got, name) || each === undefined) return findDifferences(below);
    return judge(each, undefined) === true ? [] : [{ ...below, names: Object.keys(got) }];
  });
}

/** Whether a value is as expected; undefined where its parts have to be compared. */
function judge(want: unknown, got: unknown): boolean | undefined {
  if (isAsymmetric(want)) return want.asymmetricMatch(got) === true;
  if (typeof want === 'function') return (want as (value: unknown) => unknown)(got) === true;
  if (isPattern(want)) return isIdValue(got) && matches(want, String(got));
  if (ArrayBuffer.isView(got)) return isSameBytes(want, got);
  if (typeof want === 'object' && want !== null) return undefined;
  if (typeof want === 'bigint') return String(want) === String(got);
  if (got instanceof ExactNumber) return Object.is(want, Number(got));
  return Object.is(want, got);
}

/** An asymmetric matcher of vitest, Jest or Playwright. */
interface Asymmetric {
  asymmetricMatch(value: unknown): unknown;
  toAsymmetricMatcher?(): string;
}

function isAsymmetric(value: unknown): value is Asymmetric {
  return isObject(value) && 'asymmetricMatch' in value && typeof value['asymmetricMatch'] === 'function';
}

/** Whether a value is a regular expression, also one of another realm, such as that of jsdom. */
function isPattern(value: unknown): value is RegExp {
  return Object.prototype.toString.call(value) === '[object RegExp]';
}

/** Without the position that a global expression remembers. */
function matches({ source, flags }: RegExp, text: string): boolean {
  return new RegExp(source, flags.replace(/[gy]/g, '')).test(text);
}

/** A body that is not JSON is expected as bytes or as the string that they are in UTF-8. */
function isSameBytes(want: unknown, got: ArrayBufferView): boolean {
  const bytes = Buffer.from(got.buffer, got.byteOffset, got.byteLength);
  if (typeof want === 'string') return bytes.toString('utf8') === want;
  return ArrayBuffer.isView(want) && bytes.equals(Buffer.from(want.buffer, want.byteOffset, want.byteLength));
}

/** A date or an exact number as the value that JSON has for it. */
function toComparable(value: unknown): unknown {
  if (!isObject(value) || typeof value['toJSON'] !== 'function') return value;
  return (value['toJSON'] as () => unknown).call(value);
}

function describeMismatch(part: (typeof REQUEST_PARTS)[number], mismatch: Mismatch, shown: Shown): string {
  const { pointer, want, got, size, names } = mismatch;
  const place = describePlace(part, pointer);
  if (size !== undefined) return `${place}: expected ${countOf(size[0], 'element')}, got ${size[1]}`;
  if (names !== undefined) {
    const near = suggest(readSegments(pointer).at(-1) ?? '', names);
    return `${place}: expected ${describeWanted(want)}, but it is absent${near === undefined ? '' : `; ${near}`}`;
  }
  if (got === undefined) return `${place}: expected ${describeWanted(want)}, but there is none`;
  const text = write(readPointer(shown[part], pointer));
  // A secret is hidden on both sides: the expected one may be the same as that of another request.
  if (isHidden(text)) return `${place}: expected another value, got ${text}, which is a secret`;
  return `${place}: expected ${describeWanted(want)}, got ${text}`;
}

/** `body`, `body /name`, `query "limit"`, `header "accept"`. */
function describePlace(part: (typeof REQUEST_PARTS)[number], pointer: string): string {
  if (part === 'body') return pointer === '' ? 'body' : `body ${pointer}`;
  const kind = part === 'headers' ? 'header' : part === 'path' ? 'path parameter' : 'query parameter';
  const [name, ...rest] = readSegments(pointer);
  // Without a name where the function or matcher is for all of them.
  if (name === undefined) return `${kind}s`;
  return [kind, JSON.stringify(name), toPointer(...rest)].filter((word) => word !== '').join(' ');
}

function describeWanted(want: unknown): string {
  if (want === undefined) return 'no value';
  if (isAsymmetric(want)) return want.toAsymmetricMatcher?.() ?? 'a value that the matcher accepts';
  if (isPattern(want)) return `a value that matches ${String(want)}`;
  return typeof want === 'function' ? 'a value that the function accepts' : write(want);
}

function isHidden(text: string): boolean {
  return text.includes('[redacted]');
}

/** How many characters of a value are shown. */
const MAX_SHOWN = 160;

function write(value: unknown): string {
  if (ArrayBuffer.isView(value)) return `<${value.byteLength} bytes>`;
  return cutCountedText(writeValue(value), MAX_SHOWN);
}

function writeValue(value: unknown): string {
  try {
    const replace = (_: string, each: unknown): unknown =>
      typeof each === 'bigint' || typeof each === 'function' || isPattern(each) || isAsymmetric(each)
        ? `<${describeInner(each)}>`
        : each;
    return JSON.stringify(value, replace) ?? String(value);
  } catch {
    // It refers to itself.
    return '<an object that JSON cannot express>';
  }
}

function describeInner(value: unknown): string {
  return typeof value === 'bigint' ? String(value) : describeWanted(value);
}
