import type { Format } from 'ajv';
import type * as formats from 'ajv-formats/dist/formats.js';
import { createRequire } from 'node:module';
import { URL } from 'node:url';
import { readOwn } from '../../base/json.js';
import { UUID } from '../../base/names.js';

// An import of a CommonJS package makes Node.js load its lexer, which takes 10 ms.
const { fullFormats } = createRequire(import.meta.url)('ajv-formats/dist/formats.js') as typeof formats;

/** The check of a format, `true` for none, and the noun phrase after "must be"; the name of the format where this is missing. */
type FormatDefinition = { readonly check?: Format; readonly words?: string };

/** Formats that name a kind of value without restricting it. */
const FREE_FORMATS: readonly string[] = (
  'binary password commonmark html sf-binary sf-boolean sf-decimal sf-integer sf-string sf-token float double ' +
  'double-int unixtime idn-email idn-hostname iri iri-reference'
).split(' ');

// No two parts of it match the same digits, so that a long string takes linear time.
const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** The least and the greatest value of each format of integers. A double above 2^53 represents several integers; the bounds are the nearest doubles. */
export const INTEGER_RANGES: ReadonlyMap<string, readonly [minimum: number, maximum: number]> = new Map([
  ['int8', [-128, 127]],
  ['int16', [-32_768, 32_767]],
  ['int32', [-2_147_483_648, 2_147_483_647]],
  ['int64', [-(2 ** 63), 2 ** 63]],
  ['uint8', [0, 255]],
  ['uint16', [0, 65_535]],
  ['uint32', [0, 4_294_967_295]],
  ['uint64', [0, 2 ** 64]],
]);

/**
 * The formats of OpenAPI's registry that ajv-formats lacks, reads differently or that need a name in sentences; formats that are in
 * neither are not checked.
 */
const FORMATS: Readonly<Record<string, FormatDefinition>> = {
  ...Object.fromEntries(FREE_FORMATS.map((name) => [name, { check: true }])),
  base64url: { check: /^[\w-]*={0,2}$/ },
  // RFC 4648 section 4, line breaks allowed (RFC 2045), padding optional: real APIs leave it out.
  byte: { check: /^[A-Za-z0-9+/\r\n]*(={1,2}[\r\n]*)?$/, words: 'base64' },
  char: { check: /^[^]$/u },
  date: { words: 'a date such as 2026-01-31' },
  'date-time': { check: isDateTime, words: 'a date and time such as 2026-01-31T12:00:00Z' },
  decimal: { check: DECIMAL },
  decimal128: { check: DECIMAL },
  duration: {
    check:
      /^P(?!$)((\d+([.,]\d+)?Y)?(\d+([.,]\d+)?M)?(\d+([.,]\d+)?D)?(T(?=\d)(\d+([.,]\d+)?H)?(\d+([.,]\d+)?M)?(\d+([.,]\d+)?S)?)?|\d+([.,]\d+)?W)$/,
  },
  email: { check: isMailbox, words: 'an e-mail address' },
  hostname: { words: 'a host name' },
  'http-date': {
    check:
      /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  },
  int8: { check: inRange('int8'), words: 'an 8-bit integer' },
  int16: { check: inRange('int16'), words: 'a 16-bit integer' },
  int32: { check: inRange('int32'), words: 'a 32-bit integer' },
  int64: { check: inRange('int64'), words: 'a 64-bit integer' },
  uint8: { check: inRange('uint8') },
  uint16: { check: inRange('uint16') },
  uint32: { check: inRange('uint32') },
  uint64: { check: inRange('uint64') },
  ipv4: { words: 'an IPv4 address' },
  ipv6: { words: 'an IPv6 address' },
  'media-range': { check: /^(\*\/\*|[!#$%&'+.^`|~\w-]+\/(\*|[!#$%&'+.^`|~\w-]+))(\s*;.*)?$/ },
  regex: { check: isRegularExpression, words: 'a regular expression' },
  time: { words: 'a time such as 12:00:00Z' },
  uri: { check: isUri, words: 'an absolute URI' },
  url: { check: isUrl, words: 'an absolute URL' },
  uuid: { check: UUID, words: 'a UUID' },
};

/** The checks of all formats that are checked, as ajv takes them. */
export const FORMAT_CHECKS: Readonly<Record<string, Format>> = {
  ...fullFormats,
  ...Object.fromEntries(
    Object.entries(FORMATS).flatMap(([name, { check }]) => (check === undefined ? [] : [[name, check]])),
  ),
};

/** The check of a format and the type of the values it applies to; undefined for a format that is not checked. */
export function readFormatCheck(
  name: string,
):
  | { readonly type: 'string'; readonly check: (value: string) => boolean }
  | { readonly type: 'number'; readonly check: (value: number) => boolean }
  | undefined {
  const format = readOwn(FORMAT_CHECKS, name);
  if (format === undefined || typeof format === 'boolean' || typeof format === 'string') return undefined;
  if (format instanceof RegExp) return { type: 'string', check: (value) => format.test(value) };
  if (typeof format === 'function') return { type: 'string', check: format };
  const { validate, type } = format;
  // A definition with a type for numbers validates numbers; no format here is asynchronous.
  if (type === 'number') return { type, check: validate as (value: number) => boolean };
  const check = validate as RegExp | ((value: string) => boolean);
  return { type: 'string', check: check instanceof RegExp ? (value) => check.test(value) : check };
}

/** A format in a sentence: `must be a date such as 2026-01-31`. */
export function toFormatWords(format: string): string {
  return readOwn(FORMATS, format)?.words ?? `of format "${format}"`;
}

function inRange(format: string): Format {
  const [minimum, maximum] = INTEGER_RANGES.get(format) ?? [-Infinity, Infinity];
  const validate = (value: number): boolean => Number.isInteger(value) && value >= minimum && value <= maximum;
  return { type: 'number', validate };
}

/** The usual form of a URI, which the expression of ajv-formats allows as well. */
const PLAIN_URI = /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9.-]+(?::\d+)?(?:\/[\w.~!$&'()*+,;=:@/?-]*)?$/i;

/** RFC 3986. The expression of ajv-formats takes milliseconds to compile, and most processes need none of it. */
function isUri(text: string): boolean {
  return PLAIN_URI.test(text) || checkUri(text);
}

const checkUri = fullFormats.uri as (text: string) => boolean;

/** An absolute URL, private addresses included; the expression of ajv-formats takes quadratic time and refuses those. */
function isUrl(text: string): boolean {
  return /^(?:https?|ftp):\/\/\S+$/i.test(text) && URL.canParse(text);
}

/** RFC 3339 section 5.6: a "T" between date and time, an existing day, an offset; leap seconds are allowed. */
function isDateTime(text: string): boolean {
  const match = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(\.\d+)?([Zz]|[+-](\d\d):(\d\d))$/.exec(text);
  if (match === null) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const offset = [Number(match[9] ?? 0), Number(match[10] ?? 0)] as const;
  // Day 0 of the next month is the last of this one.
  const days = month >= 1 && month <= 12 ? new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate() : 0;
  const inDay = hour < 24 && minute < 60 && second <= 60 && offset[0] < 24 && offset[1] < 60;
  return day >= 1 && day <= days && inDay;
}

// No two parts of these match the same characters, so that a long string takes linear time.
const LOCAL_PART = /^(?:[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*|"(?:[ !#-[\]-~]|\\[ -~])*")$/;
const MAIL_DOMAIN = /^[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*(?:\.[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*)*$/;
const IP_LITERAL = /^\[(?:IPv6:([\da-f:.]+)|([\d.]+))\]$/i;

/** RFC 5321 section 4.1.2: a dotted or quoted local part, and a domain or an address in brackets. */
function isMailbox(text: string): boolean {
  const at = text.lastIndexOf('@');
  if (at === -1 || !LOCAL_PART.test(text.slice(0, at))) return false;
  const domain = text.slice(at + 1);
  if (MAIL_DOMAIN.test(domain)) return true;
  const [, version6, version4 = ''] = IP_LITERAL.exec(domain) ?? [];
  return version6 === undefined ? IPV4.test(version4) : IPV6.test(version6);
}

const { ipv4: IPV4, ipv6: IPV6 } = fullFormats as { readonly ipv4: RegExp; readonly ipv6: RegExp };

function isRegularExpression(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}
