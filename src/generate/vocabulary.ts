import { type Moment, pickInstant, readMoment, toTimestamp } from './dates.js';
import { createFake, readFakerMethod } from './fake.js';
import { FORMATS, type FormatWriter } from './formats.js';
import { imitateIdentifier, pickIdentifier } from './identifiers.js';
import { findByName, readPlainName, readWords } from './names.js';
import { pickPerson, pickPlace, type Place } from './people.js';
import { QUANTITIES, type Quantity } from './quantities.js';
import type { Spot, Task } from './run.js';
import { FORMAT_NAMES, type Pen, pickSentence, pickSlug, pickTitle, type Word, WORDS } from './words.js';

/** What values look like: by `x-faker`, by format, by the name of the property. */
export interface Vocabulary {
  /** The value `x-faker` asks for; undefined where nothing does, or where faker has no such method. */
  fake(task: Task): unknown;
  /** Texts to try for a place, the most fitting first. */
  texts(task: Task): Iterable<string>;
  number(task: Task, type: 'integer' | 'number'): number | undefined;
  flag(spot: Spot, run: Task['run']): boolean;
  /** What a name says; read once for each. */
  about(name: string): NameFacts;
}

/** What the name of a property says about its value. */
export interface NameFacts {
  readonly plain: string;
  readonly words: readonly string[];
  /** Whether it stands for one thing among many, so that no two values of it may be the same. */
  readonly isIdentifier: boolean;
  readonly moment: Moment;
  /** Whether it is plainly the name of a time. */
  readonly isTime: boolean;
  readonly format: FormatWriter | undefined;
  readonly word: Word | undefined;
  readonly quantity: Quantity | undefined;
}

/** Names remembered: documents have thousands, and clients may send any. */
const MAXIMUM_NAMES = 20_000;

/** Creates the vocabulary of one mock. */
export function createVocabulary(): Vocabulary {
  const lend = createFake();
  const names = new Map<string, NameFacts>();
  const about = (name: string): NameFacts => {
    const known = names.get(name);
    if (known !== undefined) return known;
    if (names.size >= MAXIMUM_NAMES) names.clear();
    const facts = readFacts(name);
    names.set(name, facts);
    return facts;
  };
  return {
    fake: ({ run, spot, shape }) =>
      shape.faker === undefined ? undefined : readFakerMethod(lend(run.random(spot.stream), run.now), shape.faker),
    *texts(task) {
      const { shape } = task;
      const pen = openPen(task, lend);
      for (const format of shape.formats) yield* FORMATS.get(format)?.(pen) ?? [];
      if (shape.formats.some((format) => FORMATS.has(format))) return;
      if (shape.contentEncoding === 'base64') yield* FORMATS.get('byte')?.(pen) ?? [];
      const { isIdentifier, format, word, words } = about(pen.name);
      if (isIdentifier) yield* writeIdentifiers(task, pen, words);
      if (format !== undefined) yield* format(pen);
      if (word !== undefined && pen.fresh < 3) yield word(pen);
      yield* writePlain(pen);
    },
    number: ({ run, spot, shape }, type) => {
      const random = run.random(spot.stream);
      const { moment, isTime, quantity } = about(spot.name);
      const isStamp = shape.formats.some((format) => format.startsWith('unix') || format === 'timestamp');
      if (isStamp || (isTime && type === 'integer')) {
        return toTimestamp(pickInstant(moment, random, run.now), spot.name, shape.suggestions[0]);
      }
      const place = (): Place => pickPlace(run.random(spot.owner, 'place'));
      const value = quantity?.({ random, now: run.now, index: spot.index, isWhole: type === 'integer', place });
      return value === undefined || (type === 'integer' && !Number.isInteger(value)) ? undefined : value;
    },
    flag: (spot, run) => {
      const { words } = about(spot.name);
      if (words.some((word) => QUIET_FLAGS.has(word))) return false;
      if (words.some((word) => SET_FLAGS.has(word))) return true;
      return run.random(spot.stream).next() < 0.5;
    },
    about,
  };
}

/** What a text is written with: the place it is for, and where its parts come from. */
function openPen({ run, spot, shape }: Task, lend: ReturnType<typeof createFake>): Pen {
  const random = run.random(spot.stream);
  return {
    random,
    now: run.now,
    name: spot.name,
    kind: spot.kind,
    fresh: spot.fresh,
    minLength: shape.minLength,
    maxLength: shape.maxLength,
    person: () => pickPerson(run.random(spot.owner, 'person')),
    place: () => pickPlace(run.random(spot.owner, 'place')),
    faker: () => lend(random, run.now),
  };
}

function readFacts(name: string): NameFacts {
  const words = readWords(name);
  const last = words.at(-1);
  const { moment, isPlain } = readMoment(name);
  // A list is called by the plural of its items.
  const single = last !== undefined && /[^s]s$/.test(last) ? name.slice(0, -1) : name;
  const find = <Entry>(table: ReadonlyMap<string, Entry>): Entry | undefined =>
    findByName(table, name) ?? (single === name ? undefined : findByName(table, single));
  const format = find(FORMAT_NAMES) ?? (isPlain ? 'date-time' : undefined);
  return {
    plain: readPlainName(name),
    words,
    isIdentifier: last === 'id' || last === 'uuid' || last === 'guid' || last === 'ids',
    moment,
    isTime: isPlain,
    format: format === undefined ? undefined : FORMATS.get(format),
    word: find(WORDS),
    quantity: find(QUANTITIES),
  };
}

/** Flags that are down, and flags that are up, while nothing is the matter. */
const QUIET_FLAGS: ReadonlySet<string> = new Set(
  'more archived blocked banned cancelled canceled disabled error expired failed hidden locked suspended revoked test'.split(
    ' ',
  ),
);
const SET_FLAGS: ReadonlySet<string> = new Set('active enabled ok success valid available deleted live'.split(' '));

function* writeIdentifiers(task: Task, pen: Pen, words: readonly string[]): Iterable<string> {
  for (const example of task.shape.suggestions) {
    if (typeof example === 'string' && example !== '' && example.length <= 80)
      yield imitateIdentifier(example, pen.random);
  }
  yield pickIdentifier(words.length > 1 ? words.slice(0, -1).join(' ') : pen.kind, pen.random);
  yield pickIdentifier('', pen.random);
}

/** Words that go with anything, as long as the schema lets them be. */
function* writePlain(pen: Pen): Iterable<string> {
  const slug = pen.fresh < 2 ? pickSlug(pen) : `${pickSlug(pen)}-${pen.random.text('0123456789', 6)}`;
  yield slug;
  if (pen.maxLength < slug.length) {
    const short = pen.fresh < 2 ? slug : pen.random.text('abcdefghijklmnopqrstuvwxyz0123456789', pen.maxLength);
    yield short.slice(0, pen.maxLength).replace(/-$/, 'x');
  }
  if (pen.minLength > slug.length) yield grow(pen);
}

function grow(pen: Pen): string {
  let text = pickTitle(pen);
  while (text.length < pen.minLength && text.length < 400) text += ` ${pickSentence(pen)}`;
  return text
    .padEnd(pen.minLength, ' and so on')
    .slice(0, Math.max(pen.minLength, Math.min(pen.maxLength, text.length)));
}
