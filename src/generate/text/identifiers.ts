import { type SchemaObject, listExamples } from '../../base/json.js';
import { createRandom, type Random } from '../../base/random.js';
import { readWords, UUID } from '../../base/names.js';
import {
  createPatternGenerator,
  joinPieces,
  MAX_TEXT_LENGTH,
  type Pattern,
  readPattern,
  type TextGenerator,
  type TextPiece,
  DIGITS,
  LOWER,
  UPPER,
} from './pattern.js';

const HEX = '0123456789abcdef';
const MIXED: string = DIGITS + UPPER + LOWER;

/** Characters behind the prefix of an id, if the example has too few of them for many unique ids. */
const ID_LENGTH = 24;
/** An example with this many characters behind its prefix shows an id in full. */
const FULL_LENGTH = 14;

/**
 * Writes unique strings like those a schema describes: by its pattern, its format, or its examples; undefined if it has none.
 *
 * @param pattern - Instead of the schema's own.
 */
export function createIdGenerator(schema: SchemaObject, pattern?: string): TextGenerator | undefined {
  const source = pattern ?? schema.pattern;
  const wanted = source === undefined ? undefined : readPattern(source);
  const byFormat = schema.format === undefined ? undefined : ID_FORMATS.get(schema.format);
  if (byFormat !== undefined && (wanted === undefined || matchesAlways(byFormat, wanted))) return byFormat;
  const joined = wanted?.joined();
  if (wanted !== undefined && joined !== undefined) return ofLength(wanted, joined, schema);
  for (const example of listExamples(schema)) {
    const like = typeof example === 'string' ? createLikeExample(example) : undefined;
    const generate = like && fitLength(like, [schema]);
    // An id made longer than its example may not match any more.
    if (generate !== undefined && (wanted?.expression.test(generate(createRandom(0, ''))) ?? true)) return generate;
  }
  const generate = wanted && createPatternGenerator(wanted);
  return wanted && generate && ofLength(wanted, generate, schema);
}

/** Writes strings of a pattern that have the lengths of a schema where there are such strings. */
function ofLength(
  pattern: Pattern,
  generate: TextGenerator,
  { minLength = 0, maxLength = Infinity }: SchemaObject,
): TextGenerator {
  if (minLength === 0 && maxLength === Infinity) return generate;
  return (random) => {
    const text = generate(random);
    if (text.length >= minLength && text.length <= maxLength) return text;
    return pattern.sample(random, minLength, Math.min(maxLength, MAX_TEXT_LENGTH)) ?? text;
  };
}

/** Whether a pattern accepts what is written, as far as a few trials tell. */
function matchesAlways(generate: TextGenerator, { expression }: Pattern): boolean {
  return Array.from({ length: 8 }, (_, i) => generate(createRandom(i, ''))).every((text) => expression.test(text));
}

/**
 * Writes unique strings like an example id: its prefix stays, the rest is random and long enough for many ids. Undefined for
 * an example that is not an id, such as a name.
 */
export function createLikeExample(example: string): TextGenerator | undefined {
  if (UUID.test(example)) return pickUuid;
  // The first label of a host name differs between items.
  const match = /^((?:[A-Za-z][A-Za-z0-9]*[_-])*)([A-Za-z0-9]+)((?:\.[a-z-]+)*)$/.exec(example);
  if (match === null) return undefined;
  const [, prefix = '', tail = '', domain = ''] = match;
  if (prefix === '' && !/\d/.test(tail)) return undefined;
  // A short tail (`file-abc123`, `sa_456`) only illustrates the prefix.
  const isFull = tail.length >= FULL_LENGTH;
  const alphabet = isFull || /^\d+$/.test(tail) ? readAlphabet(tail) : MIXED;
  const length = isFull ? tail.length : prefix === '' ? Math.max(tail.length, 10) : ID_LENGTH;
  return joinPieces([prefix, { alphabet, minimum: length, maximum: length }, domain]);
}

/** Random characters that a prefix must leave room for. */
const MIN_RANDOM = 8;

/**
 * Writes the strings of a generator, shortened or lengthened to the lengths that all schemas allow. The prefix stays where at least 8
 * characters are left behind it.
 */
export function fitLength(generate: TextGenerator, schemas: readonly (SchemaObject | undefined)[]): TextGenerator {
  const maximum = Math.min(...schemas.map((schema) => schema?.maxLength ?? Infinity));
  const minimum = Math.min(maximum, Math.max(...schemas.map((schema) => schema?.minLength ?? 0)));
  if (maximum === Infinity && minimum === 0) return generate;
  return (random) => {
    const text = generate(random);
    if (text.length < minimum) return text + random.text(MIXED, minimum - text.length);
    if (text.length <= maximum) return text;
    const prefix = /^(?:[A-Za-z][A-Za-z0-9]*[_-])*/.exec(text)?.[0] ?? '';
    const kept = prefix.length + MIN_RANDOM <= maximum ? prefix : '';
    return kept + text.slice(kept.length + text.length - maximum);
  };
}

const octet = (random: Random): number => random.integer(1, 254);
const label = (random: Random): string => random.text(LOWER, 1) + random.text(DIGITS + LOWER, 11);

/** Formats whose values cannot be a prefix and random characters. */
const ID_FORMATS: ReadonlyMap<string, TextGenerator> = new Map<string, TextGenerator>([
  ['uuid', pickUuid],
  ['ipv4', (random) => `10.${octet(random)}.${octet(random)}.${octet(random)}`],
  ['ipv6', (random) => `2001:db8:${[4, 4, 4, 4].map((length) => random.text(HEX, length)).join(':')}::1`],
  ['email', (random) => `${label(random)}@example.com`],
  ['hostname', (random) => `${label(random)}.example.com`],
  ['uri', (random) => `https://example.com/${label(random)}`],
  ['int64', (random) => random.text('123456789', 1) + random.text(DIGITS, 11)],
]);

/** Writes unique strings with a prefix. */
export function createPrefixed(prefix: string): TextGenerator {
  return joinPieces([prefix, { alphabet: MIXED, minimum: ID_LENGTH, maximum: ID_LENGTH }]);
}

/** Writes identifiers that look exactly like an example: its prefix stays, each other character is replaced by one of its kind. */
export function createImitation(example: string): TextGenerator {
  if (UUID.test(example)) return pickUuid;
  const prefix = /^(?:[A-Za-z]+[_\-:.])+/.exec(example)?.[0] ?? '';
  const tail = example.slice(prefix.length);
  const isHex = /^(?=.*[a-f])(?=.*\d)[0-9a-f]{8,}$/.test(tail);
  const draw = (char: string): string | TextPiece => {
    const alphabet = isHex ? HEX : readAlphabet(char);
    return alphabet === '' ? char : { alphabet, minimum: 1, maximum: 1 };
  };
  return joinPieces([prefix, ...Array.from(tail, draw)]);
}

/** Words in the names of schemas that do not describe the resource. */
const GENERIC_WORDS: ReadonlySet<string> = new Set(
  'base body create created dto full get input item list mini model new object output params payload request resource response result schema update'.split(
    ' ',
  ),
);

/** An identifier for a kind of resource: `pet_x7Kd0aQ2mL1c`. */
export function pickIdentifier(kind: string, random: Random): string {
  const words = readWords(kind).filter((word) => !GENERIC_WORDS.has(word));
  const pair = words.slice(-2).join('_');
  const prefix = pair.length <= 16 ? pair : (words.at(-1) ?? '').slice(0, 16);
  const body = random.text(LOWER + UPPER + DIGITS, 12);
  return prefix === '' ? body : `${prefix}_${body}`;
}

/** A random UUID of version 4 (RFC 9562 section 5.4). */
export function pickUuid(random: Random): string {
  const digits = random.text(HEX, 31);
  const variant = random.pick(['8', '9', 'a', 'b']);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(12, 15)}-${variant}${digits.slice(15, 18)}-${digits.slice(18, 30)}`;
}

/** The kinds of characters of a string as one alphabet; empty without letters and digits. */
function readAlphabet(text: string): string {
  const isHex = text.length >= 16 && /^[0-9a-f]+$/.test(text) && /\d/.test(text);
  if (isHex) return HEX;
  return (/\d/.test(text) ? DIGITS : '') + (/[A-Z]/.test(text) ? UPPER : '') + (/[a-z]/.test(text) ? LOWER : '');
}
