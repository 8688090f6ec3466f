import type { Format } from 'ajv';

/** Formats that name a kind of value without restricting it here: how bytes or secrets are shown is the reader's business. */
const FREE =
  'binary password commonmark html sf-binary sf-boolean sf-decimal sf-integer sf-string sf-token float double double-int unixtime idn-email idn-hostname iri iri-reference'.split(
    ' ',
  );

const WHOLE_RANGES: Readonly<Record<string, readonly [number, number]>> = {
  int8: [-128, 127],
  int16: [-32_768, 32_767],
  int32: [-2_147_483_648, 2_147_483_647],
  // Doubles above 2^53 stand for several integers; the bounds themselves are the nearest doubles.
  int64: [-(2 ** 63), 2 ** 63],
  uint8: [0, 255],
  uint16: [0, 65_535],
  uint32: [0, 4_294_967_295],
  uint64: [0, 2 ** 64],
};

/** No two parts can take the same digits: a client's text of megabytes is looked at once. */
const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

const TEXTS: Readonly<Record<string, RegExp>> = {
  base64url: /^[\w-]*={0,2}$/,
  char: /^[^]$/u,
  decimal: DECIMAL,
  decimal128: DECIMAL,
  duration:
    /^P(?!$)((\d+([.,]\d+)?Y)?(\d+([.,]\d+)?M)?(\d+([.,]\d+)?D)?(T(?=\d)(\d+([.,]\d+)?H)?(\d+([.,]\d+)?M)?(\d+([.,]\d+)?S)?)?|\d+([.,]\d+)?W)$/,
  'http-date':
    /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  'media-range': /^(\*\/\*|[!#$%&'+.^`|~\w-]+\/(\*|[!#$%&'+.^`|~\w-]+))(\s*;.*)?$/,
  uuid: /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i,
};

/** The formats of OpenAPI's registry that the validator's own set lacks or reads differently; every other name is ignored. */
export function readFormats(): Readonly<Record<string, Format>> {
  const formats: Record<string, Format> = {};
  for (const name of FREE) formats[name] = true;
  for (const [name, range] of Object.entries(WHOLE_RANGES)) {
    formats[name] = {
      type: 'number',
      validate: (value: number) => Number.isInteger(value) && value >= range[0] && value <= range[1],
    };
  }
  for (const [name, expression] of Object.entries(TEXTS)) formats[name] = (text: string) => expression.test(text);
  formats['byte'] = isBase64;
  formats['url'] = isUrl;
  formats['regex'] = isRegularExpression;
  formats['date-time'] = isDateTime;
  return formats;
}

/** RFC 4648 section 4, line breaks allowed (RFC 2045), padding optional: real APIs leave it out. */
function isBase64(text: string): boolean {
  return /^[A-Za-z0-9+/\r\n]*(={1,2}[\r\n]*)?$/.test(text);
}

/** An absolute URL, of this machine too; the validator's own expression takes quadratic time, and refuses private addresses. */
function isUrl(text: string): boolean {
  return /^(?:https?|ftp):\/\/\S+$/i.test(text) && URL.canParse(text);
}

/** RFC 3339 section 5.6, to the letter: a "T" between date and time, a real day, an offset. Leap seconds are taken. */
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

function isRegularExpression(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}
