import { means } from '../../conventions/conventions.js';
import type { Faker } from '@faker-js/faker';
import type { Random } from '../../base/random.js';
import { pickUuid } from './identifiers.js';
import { toTable, pickInstant, type TimeKind } from './names.js';
import { type Location, type Person, toPlainLetters } from './people.js';

/** The inputs of a generated string or number. */
export interface TextContext {
  readonly random: Random;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The name of the property, its words, and which time it may be. */
  readonly name: string;
  readonly words: readonly string[];
  readonly timeKind: TimeKind;
  readonly minLength: number;
  readonly maxLength: number;
  /** How often the string was a duplicate of another one. */
  readonly repeats: number;
  /** The same person and location for all properties of one object. */
  person(): Person;
  location(): Location;
  /** A random stream that all properties of one object share, for each purpose. */
  shared(purpose: string): Random;
  /** The title or name of the schema the property belongs to. */
  readonly kind: string;
  /** The position in the nearest array. */
  readonly index: number;
  /** Whether a number is an integer. */
  readonly isWhole: boolean;
  faker(): Faker;
}

/** Strings of one format, the usual one first; the others are for schemas with other lengths or patterns. */
export type FormatWriter = (context: TextContext) => Iterable<string>;

/** Without the zero, so that no group begins with one. */
const HEX = '123456789abcdef';

const instant = ({ timeKind, random, now, repeats }: TextContext): number =>
  repeats < 2 ? pickInstant(timeKind, random, now) : Math.floor(random.next() * 4_000_000_000) * 1000;
const iso = (context: TextContext): string => new Date(instant(context)).toISOString();
const slug = ({ words }: TextContext): string => words.filter((word) => !means(word, 'links.word')).join('-');
const digits = (context: TextContext, count: number): string => context.random.text('0123456789', count);

function* writeDateTime(context: TextContext): Iterable<string> {
  const text = iso(context);
  yield text.replace('.000Z', 'Z');
  yield text;
  yield text.replace('.000Z', '+00:00');
  yield text.replace('Z', '000Z');
  yield text.replace('.000Z', '+0000');
  yield text.replace('.000Z', '');
  yield text.replace('T', ' ').replace('.000Z', 'Z');
}

function* writeEmail(context: TextContext): Iterable<string> {
  const { first, last } = context.person();
  const [one, two] = [toPlainLetters(first), toPlainLetters(last)];
  if (context.repeats > 0) yield `${one}.${two}${digits(context, 5)}@example.com`;
  yield `${one}.${two}@example.com`;
  yield `${one}@example.com`;
  yield `${context.random.text('abcdefghijklmnopqrstuvwxyz', 1)}@ex.io`;
  yield `${one}.${two}`.padEnd(context.minLength - 12, 'x').slice(0, 64) + writeHost('@', context.minLength - 64);
}

function* writeUri(context: TextContext): Iterable<string> {
  const path = slug(context);
  const code = context.random.text('abcdefghjkmnpqrstuvwxyz23456789', 6);
  yield `https://example.com/${path === '' ? '' : `${path}/`}${code}`;
  yield `https://example.com/${code}`;
  yield 'https://ex.io';
  yield 'a:b';
  yield `https://example.com/${code}`.padEnd(context.minLength, 'x');
}

function* writeHostname(context: TextContext): Iterable<string> {
  if (context.repeats > 1) yield `host-${digits(context, 6)}.example.com`;
  yield `${toPlainLetters(context.person().last)}.example.com`;
  yield 'a.io';
  yield 'a';
  yield writeHost('', context.minLength);
}

function* writePhone(context: TextContext): Iterable<string> {
  yield `${context.location().phone}555${digits(context, 4)}`;
  yield `+1555${digits(context, 7)}`;
  yield digits(context, 10);
}

function writeDuration({ random }: TextContext): readonly string[] {
  return [`PT${random.integer(1, 59)}M`, 'P1D', `PT${random.integer(1, 9)}H${random.integer(1, 59)}M`];
}

/** An address for documentation (RFC 5737), a private one if there have to be many. */
function writeIpv4({ random, repeats }: TextContext): readonly string[] {
  const wide = (): string => `10.${random.integer(0, 255)}.${random.integer(0, 255)}.${random.integer(1, 254)}`;
  return [repeats < 2 ? `192.0.2.${random.integer(1, 254)}` : wide(), '10.0.0.1'];
}

/** Base64 of a few readable words, then of the length that the schema requires. */
function* writeBase64(context: TextContext): Iterable<string> {
  yield Buffer.from(`sample ${digits(context, 4)} of ${context.name || 'data'}`).toString('base64');
  yield '';
  const length = Math.ceil(Math.min(context.minLength, context.maxLength) / 4) * 4;
  yield Buffer.alloc((length / 4) * 3, 'vouch').toString('base64');
}

/** By format: the formats of JSON Schema and of the OpenAPI registry, and others that documents use. */
export const FORMATS: ReadonlyMap<string, FormatWriter> = toTable<FormatWriter>([
  ['date-time', writeDateTime],
  ['date', (context) => [iso(context).slice(0, 10)]],
  ['time', (context) => [`${iso(context).slice(11, 19)}Z`, iso(context).slice(11), iso(context).slice(11, 19)]],
  ['partial-time', (context) => [iso(context).slice(11, 19)]],
  ['date-time-local', (context) => [iso(context).slice(0, 19)]],
  ['duration', writeDuration],
  ['email idn-email', writeEmail],
  ['hostname idn-hostname', writeHostname],
  ['ipv4', writeIpv4],
  ['ip', ({ random }) => [`192.0.2.${random.integer(1, 254)}`]],
  ['ipv6', ({ random }) => [`2001:db8::${random.text(HEX, 4)}:${random.text(HEX, 4)}`, '::1']],
  ['uri url iri', writeUri],
  ['uri-reference iri-reference', (context) => [...writeUri(context), '/a']],
  ['uri-template', () => ['https://example.com/items/{id}', '/{id}']],
  ['uuid guid', ({ random }) => [pickUuid(random)]],
  ['json-pointer', ({ name }) => [`/${name || 'items'}/0`, '', '/a']],
  ['relative-json-pointer', () => ['0/items', '0']],
  ['regex', () => ['^[a-z]+$', 'a']],
  ['byte base64', writeBase64],
  [
    'base64url',
    (context) => Array.from(writeBase64(context), (text) => Buffer.from(text, 'base64').toString('base64url')),
  ],
  ['password', ({ random }) => [`sample-${random.text('abcdefghjkmnpqrstuvwxyz23456789', 10)}`]],
  ['char', ({ random }) => [random.text('ABCDEFGHJKLMNPQRSTUVWXYZ', 1)]],
  ['decimal', ({ random }) => [(random.integer(100, 99_999) / 100).toFixed(2), '1.5', '1']],
  ['decimal128', ({ random }) => [(random.integer(100, 99_999) / 100).toFixed(2), '1']],
  ['int32', (context) => [digits(context, 3).replace(/^0+(?=.)/, '')]],
  ['int64', (context) => [digits(context, 6).replace(/^0+(?=.)/, '')]],
  ['http-date', (context) => [new Date(instant(context)).toUTCString()]],
  ['media-range', () => ['application/json', '*/*']],
  ['phone phone-number tel', writePhone],
  ['currency', ({ location }) => [location().currency]],
  ['country country-code', ({ location }) => [location().countryCode]],
  ['language', ({ location }) => [location().locale.slice(0, 2)]],
  ['locale', ({ location }) => [location().locale]],
  ['timezone', ({ location }) => [location().timezone]],
  ['color', ({ random }) => [`#${random.text('0123456789abcdef', 6)}`]],
  ['unix-time', (context) => [String(instant(context) / 1000)]],
  ['semver', ({ random }) => [`${random.integer(0, 4)}.${random.integer(0, 20)}.${random.integer(0, 9)}`]],
  ['ulid', ({ random }) => [`01${random.text('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 24)}`]],
]);

/** A host name of about that length: labels have 63 characters at most (RFC 1123 section 2.1). */
function writeHost(before: string, length: number): string {
  const labels = 'a'.repeat(Math.max(1, length - 12)).match(/.{1,60}/g) ?? ['a'];
  return `${before}${labels.join('.')}.example.com`;
}
