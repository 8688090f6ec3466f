import type { MediaType } from './operations/operation.js';

/** A parsed media type (RFC 9110 section 8.3.1). */
export interface MediaTypeText {
  /** `type/subtype`, lower case. */
  readonly essence: string;
  /** Names in lower case, values without quotes. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** `type/subtype` in lower case, without parameters. */
export function toEssence(text: string): string {
  const semicolon = text.indexOf(';');
  return (semicolon === -1 ? text : text.slice(0, semicolon)).trim().toLowerCase();
}

/** Parses a media type with parameters; malformed parameters are ignored. */
export function readMediaType(text: string): MediaTypeText {
  // RFC 9110 section 5.6.4: a backslash in a quoted string escapes the next character.
  return { essence: toEssence(text), parameters: readParameters(text, (quoted) => quoted.replace(/\\(.)/g, '$1')) };
}

/** The parameters of a field value by name in lower case; of a repeated one the first counts. */
export function readParameters(text: string, unquote: (quoted: string) => string): Record<string, string> {
  const parameters: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const match of text.matchAll(/;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\[^])*)"|([^;]*))/g)) {
    const [, name = '', quoted, plain = ''] = match;
    parameters[name.toLowerCase()] ??= quoted === undefined ? plain.trim() : unquote(quoted);
  }
  return parameters;
}

/**
 * Whether a media type is JSON, with any parameters: `application/json`, `+json` (RFC 6839), or an unregistered name that ends with the word,
 * such as `text/json`, `application/x-json` and `application/x-rpc-json-1.1`.
 */
export function isJsonType(mediaType: string): boolean {
  // The fast path of nearly every answer.
  if (mediaType === 'application/json') return true;
  const essence = toEssence(mediaType);
  return essence.includes('json') && /[/+.-]json(?:-\d+(?:\.\d+)*)?$/.test(essence);
}

/** Whether a media type is XML (RFC 7303), with any parameters. */
export function isXmlType(mediaType: string): boolean {
  const essence = toEssence(mediaType);
  return essence === 'application/xml' || essence === 'text/xml' || essence.endsWith('+xml');
}

/** Whether a media type is one of the two forms of HTML, with any parameters. */
export function isFormType(mediaType: string): boolean {
  const essence = toEssence(mediaType);
  return essence === 'application/x-www-form-urlencoded' || essence === 'multipart/form-data';
}

/** The kinds of media types; services accept one type of a kind in place of another. */
const KINDS: readonly ((essence: string) => boolean)[] = [isJsonType, isXmlType, isFormType];

/** The entries of a `content` map of the same kind as a media type: JSON, XML or a form. */
export function listKin(content: readonly MediaType[], mediaType: string): readonly MediaType[] {
  const isKind = KINDS.find((matches) => matches(mediaType));
  return isKind === undefined ? [] : content.filter(({ type }) => isKind(type));
}

/** The sequential media types: server-sent events (HTML standard), NDJSON and JSON text sequences (RFC 7464). */
const SEQUENCE_TYPES: ReadonlySet<string> = new Set([
  'text/event-stream',
  'application/jsonl',
  'application/x-jsonl',
  'application/jsonlines',
  'application/x-jsonlines',
  'application/x-ndjson',
  'application/ndjson',
  'application/json-seq',
]);

/** Whether a media type without parameters is sequential. */
export function isSequenceType(essence: string): boolean {
  return SEQUENCE_TYPES.has(essence);
}

/** Whether a browser may run scripts in a document of a media type: HTML and XML, which includes XHTML and SVG. */
export function isMarkupType(mediaType: string): boolean {
  return /^[^;]*(?:\/html|[/+]xml)\s*(?:;|$)/i.test(mediaType);
}

/** Whether a media range covers a media type, both without parameters. */
export function isCovered(essence: string, range: string): boolean {
  if (range === essence || range === '*/*' || range === '*') return true;
  return range.endsWith('/*') && essence.startsWith(range.slice(0, -1));
}

/** The precision of a range: 3 for a type, 2 for all subtypes of a type, 1 for everything. */
export function readPrecision(range: string): number {
  if (range === '*/*' || range === '*') return 1;
  return range.endsWith('/*') ? 2 : 3;
}

/**
 * The entry of a `content` map for a media type: the same type, with as many of its parameters as possible, else the most precise range
 * that covers it.
 */
export function findMedia(content: readonly MediaType[], mediaType: string): MediaType | undefined {
  const whole = mediaType.toLowerCase();
  const same = content.find(({ type }) => type === whole);
  if (same !== undefined) return same;
  const { essence, parameters } = readMediaType(mediaType);
  const rank = ({ type }: MediaType): number => {
    const declared = readMediaType(type);
    const names = Object.keys(declared.parameters);
    const equal = names.filter((name) => declared.parameters[name]?.toLowerCase() === parameters[name]?.toLowerCase());
    return readPrecision(declared.essence) * 100 + 2 * equal.length - names.length;
  };
  const covering = content.filter(({ type }) => isCovered(essence, toEssence(type)));
  return covering.toSorted((x, y) => rank(y) - rank(x))[0];
}

/** Whether the content of a media type, with any parameters, is text. */
export function isTextType(mediaType: string): boolean {
  return isJsonType(mediaType) || TEXT_TYPE.test(toEssence(mediaType));
}

const TEXT_TYPE =
  /^text\/|[/+](?:xml|json|yaml|x-yaml|javascript|x-ndjson|ndjson|jsonl|json-seq|graphql|x-www-form-urlencoded)$/;

/** Whether a value can be written in a media type, with any parameters: JSON, XML, YAML, a form, or parts. */
export function isStructuredType(mediaType: string): boolean {
  const essence = toEssence(mediaType);
  const isKnown = isJsonType(essence) || isXmlType(essence) || isFormType(essence);
  return isKnown || essence.startsWith('multipart/') || /[/+](?:x-)?yaml$/.test(essence);
}
