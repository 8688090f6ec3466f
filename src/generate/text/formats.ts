import type { Random } from '../../random.js';
import { pickInstant, readMoment } from './dates.js';
import { pickUuid } from './identifiers.js';
import { readWords } from './names.js';
import { type Person, type Place, toPlainLetters } from './people.js';

/** What a text may be made of. */
export interface Ink {
  readonly random: Random;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The name of the property. */
  readonly name: string;
  readonly minLength: number;
  readonly maxLength: number;
  /** How often such a text was taken already. */
  readonly fresh: number;
  /** Who and where the owner of the property is; the same for all its properties. */
  person(): Person;
  place(): Place;
}

/** Texts of one format, the usual first; the later ones are for schemas that ask for another length or spelling. */
export type FormatWriter = (ink: Ink) => Iterable<string>;

const instant = ({ name, random, now, fresh }: Ink): number =>
  fresh < 2 ? pickInstant(readMoment(name).moment, random, now) : Math.floor(random.next() * 4_000_000_000) * 1000;
const iso = (ink: Ink): string => new Date(instant(ink)).toISOString();
const slug = (ink: Ink): string =>
  readWords(ink.name)
    .filter((word) => !/^(url|uri|link|href)$/.test(word))
    .join('-');
const digits = (ink: Ink, count: number): string => ink.random.text('0123456789', count);

function* writeDateTime(ink: Ink): Iterable<string> {
  const text = iso(ink);
  yield text.replace('.000Z', 'Z');
  yield text;
  yield text.replace('.000Z', '+00:00');
  yield text.replace('Z', '000Z');
  yield text.replace('.000Z', '+0000');
  yield text.replace('.000Z', '');
  yield text.replace('T', ' ').replace('.000Z', 'Z');
}

function* writeEmail(ink: Ink): Iterable<string> {
  const { first, last } = ink.person();
  const [one, two] = [toPlainLetters(first), toPlainLetters(last)];
  if (ink.fresh > 0) yield `${one}.${two}${digits(ink, 5)}@example.com`;
  yield `${one}.${two}@example.com`;
  yield `${one}@example.com`;
  yield `${ink.random.text('abcdefghijklmnopqrstuvwxyz', 1)}@ex.io`;
  yield lengthen(`${one}.${two}`, ink.minLength - 12, 'x').slice(0, 64) + writeHost('@', ink.minLength - 64);
}

function* writeUri(ink: Ink): Iterable<string> {
  const path = slug(ink);
  const code = ink.random.text('abcdefghjkmnpqrstuvwxyz23456789', 6);
  yield `https://example.com/${path === '' ? '' : `${path}/`}${code}`;
  yield `https://example.com/${code}`;
  yield 'https://ex.io';
  yield 'a:b';
  yield lengthen(`https://example.com/${code}`, ink.minLength, 'x');
}

function* writeHostname(ink: Ink): Iterable<string> {
  if (ink.fresh > 1) yield `host-${digits(ink, 6)}.example.com`;
  yield `${toPlainLetters(ink.person().last)}.example.com`;
  yield 'a.io';
  yield 'a';
  yield writeHost('', ink.minLength);
}

function* writePhone(ink: Ink): Iterable<string> {
  yield `${ink.place().phone}555${digits(ink, 4)}`;
  yield `+1555${digits(ink, 7)}`;
  yield digits(ink, 10);
}

/** Base64 of a few readable words, as long as it has to be. */
function* writeBase64(ink: Ink): Iterable<string> {
  yield Buffer.from(`sample ${digits(ink, 4)} of ${ink.name || 'data'}`).toString('base64');
  yield '';
  const length = Math.ceil(Math.min(ink.minLength, ink.maxLength) / 4) * 4;
  yield Buffer.alloc((length / 4) * 3, 'vouch').toString('base64');
}

const one =
  (write: (ink: Ink) => string): FormatWriter =>
  (ink) => [write(ink)];

/** One line per format: JSON Schema's, then those of the OpenAPI registry and the ones documents use all the same. */
export const FORMATS: ReadonlyMap<string, FormatWriter> = new Map<string, FormatWriter>([
  ['date-time', writeDateTime],
  ['date', one((ink) => iso(ink).slice(0, 10))],
  ['time', (ink) => [iso(ink).slice(11, 19) + 'Z', iso(ink).slice(11), iso(ink).slice(11, 19)]],
  ['partial-time', one((ink) => iso(ink).slice(11, 19))],
  ['date-time-local', one((ink) => iso(ink).slice(0, 19))],
  [
    'duration',
    ({ random }) => [`PT${random.integer(1, 59)}M`, 'P1D', `PT${random.integer(1, 9)}H${random.integer(1, 59)}M`],
  ],
  ['email', writeEmail],
  ['idn-email', writeEmail],
  ['hostname', writeHostname],
  ['idn-hostname', writeHostname],
  [
    'ipv4',
    ({ random, fresh }) => [
      fresh < 2
        ? `192.0.2.${random.integer(1, 254)}`
        : `10.${random.integer(0, 255)}.${random.integer(0, 255)}.${random.integer(1, 254)}`,
      '10.0.0.1',
    ],
  ],
  ['ip', ({ random }) => [`192.0.2.${random.integer(1, 254)}`]],
  [
    'ipv6',
    ({ random }) => [`2001:db8::${random.text('123456789abcdef', 4)}:${random.text('123456789abcdef', 4)}`, '::1'],
  ],
  ['uri', writeUri],
  ['url', writeUri],
  ['iri', writeUri],
  ['uri-reference', (ink) => [...writeUri(ink), '/a']],
  ['iri-reference', (ink) => [...writeUri(ink), '/a']],
  ['uri-template', () => ['https://example.com/items/{id}', '/{id}']],
  ['uuid', ({ random }) => [pickUuid(random)]],
  ['guid', ({ random }) => [pickUuid(random)]],
  ['json-pointer', (ink) => [`/${ink.name || 'items'}/0`, '', '/a']],
  ['relative-json-pointer', () => ['0/items', '0']],
  ['regex', () => ['^[a-z]+$', 'a']],
  ['byte', writeBase64],
  ['base64', writeBase64],
  [
    'base64url',
    (ink) => [...writeBase64(ink)].map((text) => text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')),
  ],
  ['password', one((ink) => `sample-${ink.random.text('abcdefghjkmnpqrstuvwxyz23456789', 10)}`)],
  ['char', one(({ random }) => random.text('ABCDEFGHJKLMNPQRSTUVWXYZ', 1))],
  ['decimal', ({ random }) => [(random.integer(100, 99_999) / 100).toFixed(2), '1.5', '1']],
  ['decimal128', ({ random }) => [(random.integer(100, 99_999) / 100).toFixed(2), '1']],
  ['int32', (ink) => [digits(ink, 3).replace(/^0+(?=.)/, '')]],
  ['int64', (ink) => [digits(ink, 6).replace(/^0+(?=.)/, '')]],
  ['http-date', one((ink) => new Date(instant(ink)).toUTCString())],
  ['media-range', () => ['application/json', '*/*']],
  ['phone', writePhone],
  ['phone-number', writePhone],
  ['tel', writePhone],
  ['currency', (ink) => [ink.place().currency]],
  ['country', (ink) => [ink.place().countryCode]],
  ['country-code', (ink) => [ink.place().countryCode]],
  ['language', (ink) => [ink.place().locale.slice(0, 2)]],
  ['locale', (ink) => [ink.place().locale]],
  ['timezone', (ink) => [ink.place().timezone]],
  ['color', one(({ random }) => `#${random.text('0123456789abcdef', 6)}`)],
  ['unix-time', one((ink) => String(instant(ink) / 1000))],
  ['semver', ({ random }) => [`${random.integer(0, 4)}.${random.integer(0, 20)}.${random.integer(0, 9)}`]],
  ['ulid', one(({ random }) => `01${random.text('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 24)}`)],
]);

/** A text grown to a length with a letter. */
function lengthen(text: string, length: number, letter: string): string {
  return text.padEnd(Math.max(text.length, length), letter);
}

/** A host name of about that length: labels have 63 characters at most (RFC 1123 section 2.1). */
function writeHost(before: string, length: number): string {
  const labels = 'a'.repeat(Math.max(1, length - 12)).match(/.{1,60}/g) ?? ['a'];
  return `${before}${labels.join('.')}.example.com`;
}
