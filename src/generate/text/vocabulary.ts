import { means } from '../../conventions/conventions.js';
import { memoize } from '../../base/memoize.js';
import type { Random } from '../../base/random.js';
import type { MergedSchema, ValuePlace } from '../values/shape.js';
import { FORMATS, type FormatWriter, type TextContext } from './formats.js';
import { HEADER_FIELDS } from './header-fields.js';
import { isUrl, varyUrl } from './urls.js';
import { createImitation, pickIdentifier } from './identifiers.js';
import { findTechnicalWord } from './technical.js';
import { findByWords, pickInstant, readTimeKind, type TimeKind, toTimestamp } from './names.js';
import { toBareName, readWords } from '../../base/names.js';
import { pickLocation, pickPerson } from './people.js';
import {
  ADDRESSES,
  FORMATS_BY_NAME,
  NUMBERS,
  type PickNumber,
  pickSentence,
  pickSlug,
  pickTitle,
  TEXTS,
  WORDS,
  type WriteWord,
} from './words.js';
import type { Faker } from '@faker-js/faker';
import { createRequire } from 'node:module';
import { isObject, mapValues } from '../../base/json.js';

/** Chooses realistic values: by `x-faker`, by format, by the name of the property. */
export interface Vocabulary {
  /** The value `x-faker` describes; undefined without it, or if faker has no such method. */
  fake(wanted: WantedValue): unknown;
  /** Strings to try, the best one first. */
  strings(wanted: WantedValue): Iterable<string>;
  number(wanted: WantedValue, type: 'integer' | 'number'): number | undefined;
  boolean(wanted: WantedValue): boolean;
  /** A value other than an example, for names, sentences, amounts and times; undefined where only the document knows the form. */
  vary(wanted: WantedValue, example: unknown): number | string | undefined;
  /** Reads the facts about a value from its name, once for each name. */
  about(name: string): NameFacts;
}

/** The attempt, place and shape of a value. */
interface WantedValue {
  readonly attempt: {
    /** Milliseconds since 1970. */
    readonly now: number;
    /** Whether the whole value is a field of a response. */
    readonly isHeader: boolean;
    random(stream: number, purpose?: string): Random;
  };
  readonly place: ValuePlace;
  readonly shape: MergedSchema;
}

/** The facts about a value that follow from the name of its property. */
interface NameFacts {
  readonly plain: string;
  readonly words: readonly string[];
  /** Whether the value identifies a resource, so that it is unique. */
  readonly isIdentifier: boolean;
  readonly timeKind: TimeKind;
  /** Whether it clearly is the name of a time. */
  readonly isTime: boolean;
  readonly format: FormatWriter | undefined;
  readonly word: WriteWord | undefined;
  /** The value of a technical name. */
  readonly technical: WriteWord | undefined;
  /** A value in which items differ. */
  readonly address: WriteWord | undefined;
  /** Whether the value is a URL. */
  readonly isLink: boolean;
  /** Whether people know items by it. */
  readonly isNaturalKey: boolean;
  /** Whether the word is a name or a sentence for people, which any other can replace. */
  readonly isText: boolean;
  readonly number: PickNumber | undefined;
}

/** Names whose facts are kept: documents have thousands, and clients may send any. */
const MAX_NAMES = 20_000;

/** Creates the vocabulary of one mock. */
export function createVocabulary(): Vocabulary {
  const lendFaker = createLendFaker();
  const about = memoize(readFacts, MAX_NAMES);
  const pickNumber = createNumberPicker(about, lendFaker);
  return {
    fake: ({ attempt, place, shape }) =>
      shape.faker === undefined
        ? undefined
        : readFakerMethod(lendFaker(attempt.random(place.stream), attempt.now), shape.faker),
    strings: createStringWriter(about, lendFaker),
    number: pickNumber,
    boolean: ({ attempt, place }) => {
      const { words } = about(place.name);
      if (words.some((word) => means(word, 'values.falseWord'))) return false;
      if (words.some((word) => means(word, 'values.trueWord'))) return true;
      return attempt.random(place.stream).next() < 0.5;
    },
    vary: (wanted, example) => {
      if (typeof example === 'number') {
        const type = Number.isInteger(example) ? 'integer' : 'number';
        const random = wanted.attempt.random(wanted.place.stream);
        const most = about(wanted.place.name).isNaturalKey ? Infinity : VARIED_NUMBERS[1];
        return pickNumber(wanted, type) ?? varyNumber(example, random, most);
      }
      const facts = about(wanted.place.name);
      const { word, isText, words, timeKind } = facts;
      const own =
        typeof example === 'string' ? varyKey(createContext(wanted, facts, lendFaker), facts, example) : undefined;
      if (own !== undefined) return own;
      // An id, a code or a constant: only the document knows which others exist.
      if (typeof example !== 'string' || /^[\w-]*[_\d][\w-]*$/.test(example))
        return varyTime(wanted, example, timeKind);
      const isEmail = wanted.shape.formats.includes('email') || /^e?mail$/.test(words.at(-1) ?? '');
      const isCode = example.length <= 3;
      const maxLength = isCode ? example.length : wanted.shape.maxLength;
      const context = createContext(wanted, { words, timeKind, maxLength }, lendFaker);
      if (isEmail) return [...(FORMATS.get('email')?.(context) ?? [])][0];
      if (wanted.shape.formats.length > 0 || word === undefined || !isText) return varyTime(wanted, example, timeKind);
      const text = word(context);
      if (isCode && text.length !== example.length) return undefined;
      return example === example.toLowerCase() ? text.toLowerCase() : text;
    },
    about,
  };
}

function createStringWriter(about: Vocabulary['about'], lendFaker: LendFaker): Vocabulary['strings'] {
  // The examples come from the document.
  const imitate = memoize(createImitation, MAX_NAMES);
  return function* writeStrings(wanted) {
    const { formats, contentEncoding, suggestions } = wanted.shape;
    const facts = about(wanted.place.name);
    const { format, word } = facts;
    const context = createContext(wanted, facts, lendFaker);
    for (const each of formats) yield* FORMATS.get(each)?.(context) ?? [];
    if (formats.some((each) => FORMATS.has(each))) return;
    const { attempt, place } = wanted;
    const field = attempt.isHeader && place.depth === 0 ? HEADER_FIELDS.get(facts.plain) : undefined;
    if (field !== undefined) yield* field(context);
    if (contentEncoding === 'base64') yield* FORMATS.get('byte')?.(context) ?? [];
    if (facts.isIdentifier) {
      for (const example of suggestions.filter(isIdentifierExample)) yield imitate(example)(context.random);
      yield pickOwnIdentifier(context);
      yield pickIdentifier('', context.random);
    }
    if (facts.technical !== undefined && context.repeats < 3) yield facts.technical(context);
    if (format !== undefined) yield* format(context);
    if (word !== undefined && context.repeats < 3) yield word(context);
    yield* writeNeutral(context);
  };
}

/** A time like an example, where the schema says that it is one. */
function varyTime({ attempt, place, shape }: WantedValue, example: unknown, kind: TimeKind): string | undefined {
  const format = shape.formats.find((each) => each === 'date-time' || each === 'date');
  if (format === undefined || typeof example !== 'string') return undefined;
  const instant = pickInstant(kind, attempt.random(place.stream), attempt.now);
  const text = new Date(instant).toISOString();
  return format === 'date' ? text.slice(0, 10) : text.replace('.000Z', 'Z');
}

/** A string in which items differ, in the form of an example: a URL, a hash, a technical value, or what people know an item by. */
function varyKey(
  context: TextContext,
  { address, isNaturalKey, isLink }: NameFacts,
  example: string,
): string | undefined {
  if (isUrl(example) || (isLink && example.startsWith('/'))) return varyUrl(example, context);
  const lower = example.toLowerCase();
  if (HASH_FORM.test(lower)) {
    const hash = createImitation(lower)(context.random);
    return example === example.toUpperCase() ? hash.toUpperCase() : hash;
  }
  if (address !== undefined) return /^[\w-]+([.:][\w-]*)+(\/\d+)?$/.test(example) ? address(context) : undefined;
  if (!isNaturalKey) return undefined;
  if (/^[a-z]+(?:-[a-z]+)+$/.test(example)) return writeSlug(context);
  // The letters of a key for people (`AB-1001`) are those of its kind.
  const digits = example.replaceAll(/\d/g, () => context.random.text('0123456789', 1));
  if (digits !== example || !/^[A-Z]{2,10}$/.test(example)) return digits === example ? undefined : digits;
  return context.random.text('ABCDEFGHJKLMNPQRSTUVWXYZ', example.length);
}

const HASH_FORM = /^(?=.*[a-f])(?=.*\d)[\da-f]{16,}$/;

/** Smaller numbers are levels and versions, much larger ones times. */
const VARIED_NUMBERS = [10, 1e8] as const;

/** A number of the size of an example, with as many decimals and zeros at the end. */
function varyNumber(example: number, random: Random, most: number): number | undefined {
  const size = Math.abs(example);
  if (size < VARIED_NUMBERS[0] || size > most) return undefined;
  const decimals = (String(size).split('.')[1] ?? '').length;
  const step = decimals > 0 ? 10 ** -decimals : 10 ** (/0*$/.exec(String(size))?.[0].length ?? 0);
  const value = Math.sign(example) * Math.max(1, Math.round((size * (0.5 + random.next())) / step)) * step;
  return Number(value.toFixed(decimals));
}

function createNumberPicker(about: Vocabulary['about'], lendFaker: LendFaker): Vocabulary['number'] {
  return (wanted, type) => {
    const { attempt, place, shape } = wanted;
    const { words, timeKind, isTime, number } = about(place.name);
    const isTimestamp = shape.formats.some((format) => format.startsWith('unix') || format === 'timestamp');
    if (isTimestamp || (isTime && type === 'integer')) {
      const instant = pickInstant(timeKind, attempt.random(place.stream), attempt.now);
      return toTimestamp(instant, place.name, shape.suggestions[0]);
    }
    if (number === undefined) return undefined;
    const value = number(createContext(wanted, { words, timeKind, isWhole: type === 'integer' }, lendFaker));
    return type === 'integer' && !Number.isInteger(value) ? undefined : value;
  };
}

/** Creates the inputs of one generated value. */
function createContext(
  { attempt, place, shape }: WantedValue,
  facts: Pick<NameFacts, 'timeKind' | 'words'> & { readonly isWhole?: boolean; readonly maxLength?: number },
  lendFaker: LendFaker,
): TextContext {
  const { words, timeKind, isWhole = false, maxLength = shape.maxLength } = facts;
  const random = attempt.random(place.stream);
  return {
    now: attempt.now,
    name: place.name,
    kind: place.kind,
    repeats: place.repeats,
    index: place.index,
    minLength: shape.minLength,
    maxLength,
    words,
    timeKind,
    isWhole,
    random,
    person: () => pickPerson(attempt.random(place.ownerStream, 'person')),
    shared: (purpose) => attempt.random(place.ownerStream, purpose),
    location: () => pickLocation(attempt.random(place.ownerStream, 'place')),
    faker: () => lendFaker(random, attempt.now),
  };
}

function readFacts(name: string): NameFacts {
  const words = readWords(name);
  const last = words.at(-1);
  const { kind: timeKind, isClear: isTime } = readTimeKind(words);
  // A list has the plural of the name of its items.
  const singular = last !== undefined && /[^s]s$/.test(last) ? readWords(name.slice(0, -1)) : undefined;
  const find = <Entry>(table: ReadonlyMap<string, Entry>): Entry | undefined =>
    findByWords(table, words) ?? (singular && findByWords(table, singular));
  const technical = findTechnicalWord(name);
  const format = find(FORMATS_BY_NAME) ?? (isTime ? 'date-time' : undefined);
  return {
    plain: toBareName(name),
    words,
    isIdentifier: last === 'id' || last === 'uuid' || last === 'guid' || last === 'ids',
    timeKind,
    isTime,
    format: format === undefined ? undefined : FORMATS.get(format),
    word: find(WORDS),
    technical: technical?.write,
    address: technical?.isAddress === true ? technical.write : find(ADDRESSES),
    isLink: format === 'uri',
    isNaturalKey: means(name, 'ids.natural'),
    isText: find(TEXTS) !== undefined,
    number: find(NUMBERS),
  };
}

function isIdentifierExample(example: unknown): example is string {
  return typeof example === 'string' && example !== '' && example.length <= 80;
}

/** The id of what the property, or the object with it, is named after. */
function pickOwnIdentifier({ random, kind, words }: TextContext): string {
  return pickIdentifier(words.length > 1 ? words.slice(0, -1).join(' ') : kind, random);
}

function writeSlug(context: TextContext): string {
  return context.repeats < 2 ? pickSlug(context) : `${pickSlug(context)}-${context.random.text('0123456789', 6)}`;
}

/** Neutral words, fitted to the length that the schema allows. */
function* writeNeutral(context: TextContext): Iterable<string> {
  const { random, repeats, minLength, maxLength } = context;
  const slug = writeSlug(context);
  yield slug;
  if (maxLength < slug.length) {
    const short = repeats < 2 ? slug : random.text('abcdefghijklmnopqrstuvwxyz0123456789', maxLength);
    yield short.slice(0, maxLength).replace(/-$/, 'x');
  }
  if (minLength > slug.length) yield writeLong(context);
}

function writeLong(context: TextContext): string {
  const { minLength, maxLength } = context;
  let text = pickTitle(context);
  while (text.length < minLength && text.length < 400) text += ` ${pickSentence(context)}`;
  return text.padEnd(minLength, ' and so on').slice(0, Math.max(minLength, Math.min(maxLength, text.length)));
}

/** faker with the random stream of one value. */
type LendFaker = (random: Random, now: number) => Faker;

/**
 * Creates an instance of faker, loaded when it is first needed: the English locale alone takes 18 ms to read.
 *
 * The shared instance of the package may be used by the user too, so it is never seeded.
 */
function createLendFaker(): LendFaker {
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

/** Calls the faker method that `x-faker` names, such as `person.firstName`; undefined if it does not exist or throws. */
function readFakerMethod(faker: Faker, keyword: unknown): unknown {
  const { path, given } = readFakerCall(keyword);
  // The names come from the document, so every step is checked.
  let owner: unknown;
  let call: unknown = faker;
  for (const step of path.replace(/^faker\./, '').split('.')) {
    owner = call;
    call = readOwn(owner, step);
  }
  if (typeof call !== 'function') return undefined;
  try {
    const value: unknown = Reflect.apply(call, owner, limitSizes(path, given));
    return value instanceof Date ? value.toISOString() : typeof value === 'bigint' ? Number(value) : value;
  } catch {
    return undefined;
  }
}

/** The largest length or count that is passed to faker, which does not stop before the memory is full. */
const MAX_FAKER_SIZE = 5000;

/** The arguments of a call of faker, with sizes limited; the numbers of these methods are values, except those named below. */
function limitSizes(path: string, given: readonly unknown[]): readonly unknown[] {
  const isValue = /^(?:faker\.)?(?:number|date|location|commerce|datatype|finance\.amount|image)\b/.test(path);
  const limit = (value: unknown, isSize: boolean): unknown => {
    if (typeof value === 'number') return isSize ? Math.min(value, MAX_FAKER_SIZE) : value;
    // A template or a pattern: `{{string.alpha(9)}}`, `[a-z]{9}`.
    if (typeof value === 'string')
      return path.includes('helpers.') ? value.replaceAll(/\d{5,}/g, String(MAX_FAKER_SIZE)) : value;
    if (Array.isArray(value)) return value.map((item) => limit(item, isSize));
    if (!isObject(value)) return value;
    return mapValues(value, (item, name) => limit(item, isSize || /^(?:count|length|fractionDigits|dec)$/.test(name)));
  };
  return given.map((value) => limit(value, !isValue));
}

/** A call (`'a.b'`, `'a.b(1, {"x": 2})'`, `{ 'a.b': arguments }`, `{ method, args }`); the path is empty if invalid. */
function readFakerCall(keyword: unknown): { readonly path: string; readonly given: readonly unknown[] } {
  if (typeof keyword === 'string') {
    const [, path = '', given = ''] = /^([\w.]+)(?:\((.*)\))?$/s.exec(keyword.trim()) ?? [];
    return { path, given: readArguments(given) };
  }
  if (!isObject(keyword)) return { path: '', given: [] };
  const { method, args, arguments: more } = keyword;
  if (typeof method === 'string') return { path: method, given: toList(args ?? more) };
  const [[path, given] = ['', []]] = Object.entries(keyword);
  return { path, given: toList(given) };
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
