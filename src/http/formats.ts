import type { Format } from 'ajv';

/** Formats that name a kind of value without restricting it here: how bytes or secrets are shown is the reader's business. */
const FREE = [
  ...['binary', 'password', 'commonmark', 'html', 'sf-binary', 'sf-boolean', 'sf-decimal', 'sf-integer', 'sf-string'],
  ...['sf-token', 'float', 'double', 'double-int', 'unixtime', 'idn-email', 'idn-hostname', 'iri', 'iri-reference'],
];

const WHOLE_RANGES: Readonly<Record<string, readonly [number, number]>> = {
  int8: [-128, 127],
  int16: [-32_768, 32_767],
  int32: [-2_147_483_648, 2_147_483_647],
  // Doubles above 2^53 stand for several integers; the bounds themselves are the nearest doubles.
  int64: [-9_223_372_036_854_775_808, 9_223_372_036_854_775_807],
  uint8: [0, 255],
  uint16: [0, 65_535],
  uint32: [0, 4_294_967_295],
  uint64: [0, 18_446_744_073_709_551_615],
};

const TEXTS: Readonly<Record<string, RegExp>> = {
  base64url: /^[\w-]*={0,2}$/,
  char: /^[^]$/u,
  decimal: /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/,
  decimal128: /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/,
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
  formats['regex'] = isRegularExpression;
  return formats;
}

/** RFC 4648 section 4, line breaks allowed (RFC 2045), padding optional: real APIs leave it out. */
function isBase64(text: string): boolean {
  return /^[A-Za-z0-9+/\r\n]*={0,2}[\r\n]*$/.test(text);
}

function isRegularExpression(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}
