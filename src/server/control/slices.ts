import { isBytes, readMonotonic, setImmediate } from '../../platform.js';
import type { Steps } from '../../steps.js';

/** Long work of the control API in short slices, between which the mock answers requests. */
export interface Slices {
  /** Waits for the next slice where this one has lasted long enough; undefined while it has time left. */
  pause(): Promise<void> | undefined;
  /** Waits for the next slice in any case. */
  rest(): Promise<void>;
}

/** How long one slice lasts. */
const SLICE_MS = 10;

/** Creates the slices of one control API: those of all its requests take turns, so that together they block no longer than one. */
export function createTurns(): () => Slices {
  let last: Promise<void> = Promise.resolve();
  const nextTurn = (): Promise<void> => {
    last = last.then(() => new Promise((resolve) => void setImmediate(resolve)));
    return last;
  };
  return () => {
    let startedAt = readMonotonic();
    const rest = (): Promise<void> => nextTurn().then(() => void (startedAt = readMonotonic()));
    return { rest, pause: () => (readMonotonic() - startedAt < SLICE_MS ? undefined : rest()) };
  };
}

/** Runs steps in slices, those of one request after those of another: what is prepared for each of them takes memory. */
export function createQueue(startSlices: () => Slices): <Result>(steps: Steps<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (steps) => {
    const own = last.then(() => runInSlices(steps, startSlices()));
    last = own.catch(() => undefined);
    return own;
  };
}

/** The members of a JSON object, as text, of which some are arrays whose elements are made one by one. */
export async function* writeJson(
  members: Readonly<Record<string, unknown>>,
  slices: Slices,
): AsyncGenerator<string, void, undefined> {
  let text = '{';
  for (const [i, [name, value]] of Object.entries(members).entries()) {
    text += `${i === 0 ? '' : ','}${JSON.stringify(name)}:`;
    if (!isElements(value)) {
      text += JSON.stringify(value);
      continue;
    }
    text += '[';
    let isFirst = true;
    for await (const element of value) {
      text += `${isFirst ? '' : ','}${JSON.stringify(element)}`;
      isFirst = false;
      if (text.length < MIN_PIECE) continue;
      yield text;
      text = '';
      await slices.pause();
    }
    text += ']';
  }
  yield `${text}}`;
}

/** A JSON value that is too long to be written at once, as text in pieces; undefined for one that is short. */
export function writeLong(value: unknown, slices: Slices): AsyncIterable<string> | undefined {
  return typeof value !== 'object' || value === null || isBytes(value) || isElements(value) || isShort(value)
    ? undefined
    : joinParts(listParts(value), slices);
}

/** Short strings as long ones, which are made in slices. */
export async function* joinParts(parts: Iterable<string>, slices: Slices): AsyncGenerator<string, void, undefined> {
  let text = '';
  for (const part of parts) {
    text += part;
    if (text.length >= MIN_PIECE) {
      yield text;
      text = '';
    }
    await slices.pause();
  }
  yield text;
}

/** The text of a value, in parts that are written at once. */
function* listParts(value: unknown): Generator<string, void, undefined> {
  if (typeof value !== 'object' || value === null || 'toJSON' in value || isShort(value)) {
    yield JSON.stringify(value) ?? 'null';
    return;
  }
  const isList = Array.isArray(value);
  let before = isList ? '[' : '{';
  for (const [name, member] of Object.entries(value) as Iterable<readonly [string, unknown]>) {
    if (!isList && member === undefined) continue;
    yield isList ? before : `${before}${JSON.stringify(name)}:`;
    yield* listParts(member);
    before = ',';
  }
  yield `${before === ',' ? '' : before}${isList ? ']' : '}'}`;
}

/** Values that are written at once. */
const MAX_VALUES = 2000;

function isShort(value: object): boolean {
  let left = MAX_VALUES;
  const count = (inner: unknown): void => {
    left -= 1;
    if (typeof inner !== 'object' || inner === null || left <= 0) return;
    for (const name in inner) {
      count((inner as Readonly<Record<string, unknown>>)[name]);
      if (left <= 0) return;
    }
  };
  count(value);
  return left > 0;
}

/** Pieces of text between two others. */
export async function* wrap(
  before: string,
  pieces: AsyncIterable<string>,
  after: string,
): AsyncGenerator<string, void, undefined> {
  yield before;
  yield* pieces;
  yield after;
}

/** Characters that are sent together. */
const MIN_PIECE = 64 * 1024;

function isElements(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** Converts the elements of an array one by one. */
export async function* mapInSlices<Element, Result>(
  elements: Iterable<Element>,
  convert: (element: Element) => Result,
  slices: Slices,
): AsyncGenerator<Result, void, undefined> {
  for (const element of elements) {
    yield convert(element);
    await slices.pause();
  }
}

/** Runs the steps of a generator. @returns what it returns. */
export async function runInSlices<Result>(steps: Steps<Result>, slices: Slices): Promise<Result> {
  // What was done for the request before, such as reading its body, took its time too.
  await slices.rest();
  let step = steps.next();
  while (step.done !== true) {
    await slices.pause();
    step = steps.next();
  }
  return step.value;
}
