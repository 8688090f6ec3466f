import { pickInstant, type TimeKind, toTable } from './names.js';
import type { FormatWriter, TextContext } from './formats.js';

const HEX = '0123456789abcdef';
const CODE = 'abcdefghjkmnpqrstuvwxyz23456789';

const code = ({ random }: TextContext, length: number): string => random.text(CODE, length);

/** RFC 9110 section 5.6.7. */
const writeDate =
  (kind: TimeKind): FormatWriter =>
  ({ random, now }) => [new Date(pickInstant(kind, random, now)).toUTCString()];

const writeEntityTag: FormatWriter = ({ random }) => {
  const tag = `"${random.text(HEX, 16)}"`;
  return [tag, `W/${tag}`];
};

const writeCookie: FormatWriter = (context) => {
  const pair = `session=${code(context, 24)}`;
  return [`${pair}; Path=/; HttpOnly`, pair];
};

const writeSeconds: FormatWriter = ({ random }) => [String(random.integer(1, 60))];
const writeMaxAge: FormatWriter = ({ random }) => [`max-age=${random.integer(1, 60) * 60}`, 'no-store', 'no-cache'];
const writeRange: FormatWriter = () => ['bytes 0-99/200', 'bytes */200'];
const writeLink: FormatWriter = (context) => [`<https://example.com/${code(context, 6)}>; rel="self"`];
const writeChallenge: FormatWriter = () => ['Bearer realm="example"', 'Basic realm="example"', 'Bearer', 'Basic'];
const writeTrace: FormatWriter = ({ random }) => [`00-${random.text(HEX, 31)}1-${random.text(HEX, 15)}1-01`];

/**
 * Values of the fields of responses that have a form of their own, by name without separators: RFC 9110 and 9111, and the specifications
 * named at a row.
 */
export const HEADER_FIELDS: ReadonlyMap<string, FormatWriter> = toTable<FormatWriter>([
  ['etag', writeEntityTag],
  ['lastmodified', writeDate('updated')],
  ['expires', writeDate('expires')],
  // RFC 8594 and 9745.
  ['sunset', writeDate('expires')],
  ['deprecation', ({ random, now }) => [`@${pickInstant('updated', random, now) / 1000}`]],
  ['retryafter age', writeSeconds],
  // RFC 6265 section 4.1.1.
  ['setcookie', writeCookie],
  // RFC 8288 section 3.
  ['link', writeLink],
  ['location contentlocation', (context) => [`https://example.com/${code(context, 6)}`, `/${code(context, 6)}`]],
  ['allow', () => ['GET, HEAD, OPTIONS', 'GET, HEAD', 'GET']],
  ['acceptranges', () => ['bytes', 'none']],
  ['contentrange', writeRange],
  ['cachecontrol cdncachecontrol', writeMaxAge],
  ['pragma', () => ['no-cache']],
  ['vary', () => ['Accept', 'Accept-Encoding', '*']],
  ['wwwauthenticate', writeChallenge],
  ['authenticationinfo', (context) => [`nextnonce="${code(context, 16)}"`]],
  ['contentlanguage', () => ['en', 'en-US']],
  ['accept acceptpost', () => ['application/json', '*/*']],
  // RFC 5789 section 3.1.
  ['acceptpatch', () => ['application/merge-patch+json', 'application/json-patch+json', 'application/json']],
  ['acceptencoding', () => ['gzip, br', 'gzip', 'identity']],
  // RFC 6266.
  ['contentdisposition', (context) => [`attachment; filename="${code(context, 6)}"`, 'attachment', 'inline']],
  ['server', () => ['example/1.0', 'example']],
  ['via', () => ['1.1 example.com', '1.1 example']],
  // RFC 7240.
  ['preferenceapplied', () => ['return=representation', 'return=minimal', 'respond-async']],
  // RFC 6797 and 7034, and the standards of browsers.
  ['stricttransportsecurity', () => ['max-age=31536000', 'max-age=31536000; includeSubDomains']],
  ['xframeoptions', () => ['DENY', 'SAMEORIGIN']],
  ['xcontenttypeoptions', () => ['nosniff']],
  ['contentsecuritypolicy contentsecuritypolicyreportonly', () => ["default-src 'none'", "default-src 'self'"]],
  ['referrerpolicy', () => ['no-referrer', 'same-origin']],
  ['refresh', ({ random }) => [String(random.integer(1, 60))]],
  ['servertiming', ({ random }) => [`total;dur=${random.integer(1, 300)}`]],
  // RFC 7838.
  ['altsvc', () => ['clear']],
  ['traceparent', writeTrace],
]);
