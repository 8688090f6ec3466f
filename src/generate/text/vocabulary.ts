import type { Faker } from '@faker-js/faker';
import { createRequire } from 'node:module';
import type { Random } from '../../random.js';
import type { Spot, Task } from '../values/run.js';
import { type Moment, pickInstant, readMoment, toTimestamp } from './dates.js';
import { FORMATS, type FormatWriter } from './formats.js';
import { imitateIdentifier, pickIdentifier } from './identifiers.js';
import { findByName, readPlainName, readWords } from './names.js';
import { pickPerson, pickPlace, type Place } from './people.js';
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
interface NameFacts {
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

/** faker, for one value: it draws from that value's random stream alone. */
type Fake = (random: Random, now: number) => Faker;

/**
 * Creates an own faker, loaded when a word first needs it: the English locale alone takes 18 ms to read.
 *
 * The shared instance of the package is the user's too, so it is never seeded; ours draws from whichever stream it is lent.
 */
function createFake(): Fake {
  let faker: Faker | undefined;
  let stream: Random | undefined;
  const load = (): Faker => {
    // The entry exports one instance, its type is that of the package's main entry.
    const { faker: shared } = createRequire(import.meta.url)('@faker-js/faker/locale/en') as { readonly faker: Faker };
    const Own = shared.constructor as new (options: object) => Faker;
    const randomizer = { next: () => stream?.next() ?? 0, seed: () => undefined };
    return new Own({ locale: shared.rawDefinitions, randomizer });
  };
  return (random, now) => {
    faker ??= load();
    stream = random;
    faker.setDefaultRefDate(now);
    return faker;
  };
}

/** The value of `x-faker`: a method such as `person.firstName`, or one with its arguments; undefined where there is none. */
function readFakerMethod(faker: Faker, wish: unknown): unknown {
  const [path, given] = readWish(wish);
  if (path === undefined) return undefined;
  const steps = path.replace(/^faker\./, '').split('.');
  const method = steps.pop() ?? '';
  // Looked up by names of the document, so every step is checked.
  let owner: unknown = faker;
  for (const step of steps) owner = readOwn(owner, step);
  const call = readOwn(owner, method);
  if (typeof call !== 'function') return undefined;
  try {
    const value: unknown = Reflect.apply(call, owner, given);
    return value instanceof Date ? value.toISOString() : typeof value === 'bigint' ? Number(value) : value;
  } catch {
    return undefined;
  }
}

/** `'a.b'`, `'a.b(1, {"x": 2})'`, `{ 'a.b': arguments }` and `{ method, args }` all mean a call. */
function readWish(wish: unknown): readonly [path: string | undefined, given: readonly unknown[]] {
  if (typeof wish === 'string') {
    const found = /^([\w.]+)(?:\((.*)\))?$/s.exec(wish.trim());
    if (found === null) return [undefined, []];
    return [found[1], readArguments(found[2] ?? '')];
  }
  if (typeof wish !== 'object' || wish === null || Array.isArray(wish)) return [undefined, []];
  const { method, args, arguments: more } = wish as Readonly<Record<string, unknown>>;
  if (typeof method === 'string') return [method, toList(args ?? more)];
  const [entry] = Object.entries(wish);
  return entry === undefined ? [undefined, []] : [entry[0], toList(entry[1])];
}

function readArguments(text: string): readonly unknown[] {
  try {
    return toList(JSON.parse(`[${text.replaceAll("'", '"')}]`));
  } catch {
    return [];
  }
}

function toList(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function readOwn(owner: unknown, name: string): unknown {
  if (typeof owner !== 'object' || owner === null || name.startsWith('_') || name === 'constructor') return undefined;
  return (owner as Readonly<Record<string, unknown>>)[name];
}

/** What a number may be made of. */
interface Scale {
  readonly random: Random;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The position in the nearest array. */
  readonly index: number;
  readonly isWhole: boolean;
  place(): Place;
}

/** Writes the number of a property of a certain name. */
type Quantity = (scale: Scale) => number;

const cents = ({ random, isWhole }: Scale): number =>
  isWhole ? random.integer(5, 500) * 100 : random.integer(500, 50_000) / 100;
const share = ({ random, isWhole }: Scale): number => (isWhole ? random.integer(1, 100) : random.integer(1, 99) / 100);
const between =
  (least: number, most: number): Quantity =>
  ({ random }) =>
    random.integer(least, most);

/** One line per word; the same line may serve several spellings. */
const QUANTITIES: ReadonlyMap<string, Quantity> = new Map<string, Quantity>([
  ...words('price amount total subtotal cost balance fee tax discount revenue salary unitamount', cents),
  ...words('percent percentage rate ratio share probability confidence', share),
  ...words('quantity qty count size items copies seats guests', between(1, 12)),
  ...words('age', between(18, 80)),
  ...words('year', ({ now }) => new Date(now).getUTCFullYear()),
  ...words('expyear', ({ now, random }) => new Date(now).getUTCFullYear() + random.integer(1, 5)),
  ...words('month expmonth', between(1, 12)),
  ...words('day dayofmonth', between(1, 28)),
  ...words('hour hours', between(0, 23)),
  ...words('minute minutes second seconds', between(0, 59)),
  ...words('expiresin ttl timeout maxage', () => 3600),
  ...words('duration elapsed durationms', between(30, 900)),
  ...words('latitude lat', ({ place }) => place().latitude),
  ...words('longitude lng lon', ({ place }) => place().longitude),
  ...words('width height', between(2, 20)),
  ...words('bytes filesize contentlength sizebytes', between(1000, 90_000)),
  ...words('port', between(1024, 9999)),
  ...words('page pagenumber currentpage', () => 1),
  ...words('limit pagesize perpage', () => 20),
  ...words('offset skip', () => 0),
  ...words('index position order rank sortorder sequence', ({ index }) => index),
  ...words('status statuscode httpstatus', () => 200),
  ...words('rating score stars', between(1, 5)),
  ...words('progress completion', between(0, 100)),
  ...words('version revision', between(1, 5)),
  ...words('weight', between(1, 50)),
  ...words('temperature topp', ({ random }) => random.integer(1, 10) / 10),
]);

function words(names: string, quantity: Quantity): readonly (readonly [string, Quantity])[] {
  return names.split(' ').map((name) => [name, quantity] as const);
}
