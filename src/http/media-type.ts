import type { MediaType } from '../contract/operations/operation.js';

/** A media type taken apart (RFC 9110 section 8.3.1). */
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

/** Takes a Content-Type or a value like it apart; what is not well-formed is left out. */
export function readMediaType(text: string): MediaTypeText {
  const parameters: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const match of text.matchAll(/;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g)) {
    const [, name = '', quoted, plain = ''] = match;
    // RFC 9110 section 5.6.4: a backslash in a quoted string stands for the character after it.
    parameters[name.toLowerCase()] ??= quoted === undefined ? plain.trim() : quoted.replace(/\\(.)/g, '$1');
  }
  return { essence: toEssence(text), parameters };
}

/** Whether a media type's format is JSON: `application/json`, or any `+json` (RFC 6839); parameters do not count. */
export function isJsonType(mediaType: string): boolean {
  // Asked with every answer, and nearly always of this one.
  if (mediaType === 'application/json') return true;
  const essence = toEssence(mediaType);
  return essence === 'application/json' || essence.endsWith('+json') || essence === 'text/json';
}

/** Whether a media type's format is XML (RFC 7303); parameters do not count. */
export function isXmlType(mediaType: string): boolean {
  const essence = toEssence(mediaType);
  return essence === 'application/xml' || essence === 'text/xml' || essence.endsWith('+xml');
}

/** The sequential media types: server-sent events (HTML standard), NDJSON and JSON text sequences (RFC 7464). */
const SEQUENCE_TYPES: ReadonlySet<string> = new Set([
  'text/event-stream',
  'application/jsonl',
  'application/x-ndjson',
  'application/ndjson',
  'application/json-seq',
]);

/** Whether a media type is a sequence of items; given without parameters. */
export function isSequenceType(essence: string): boolean {
  return SEQUENCE_TYPES.has(essence);
}

/** Whether a media range (all, `text/…`, `text/plain`) covers a media type; parameters do not count. */
export function isCovered(essence: string, range: string): boolean {
  if (range === essence || range === '*/*' || range === '*') return true;
  return range.endsWith('/*') && essence.startsWith(range.slice(0, -1));
}

/** How exactly a range names a type: 3 itself, 2 `type/*`, 1 everything. */
export function readPrecision(range: string): number {
  if (range === '*/*' || range === '*') return 1;
  return range.endsWith('/*') ? 2 : 3;
}

/** The entry of a `content` map that describes a concrete media type: the type itself, then the narrowest range. */
export function findMedia(content: readonly MediaType[], mediaType: string): MediaType | undefined {
  const essence = toEssence(mediaType);
  const whole = mediaType.toLowerCase();
  const [type = ''] = essence.split('/');
  return (
    content.find((media) => media.type === whole) ??
    content.find((media) => toEssence(media.type) === essence) ??
    content.find((media) => media.type === `${type}/*`) ??
    content.find((media) => media.type === '*/*' || media.type === '*')
  );
}
