import { isObject, setOwn } from '../../base/json.js';
import { nameParameters } from '../../contract/operations/positions.js';
import type { MediaType, Operation } from '../../contract/operations/operation.js';
import { readPointer, readSegments, toPointer } from '../../contract/pointer.js';
import { memoize } from '../../base/memoize.js';
import { toAlternatives } from '../../schema/sentence.js';
import type { ValueShape } from '../../contract/schema-view/shape.js';
import type { UndeclaredFinder } from '../../schema/undeclared.js';
import {
  hasErrors,
  NO_VIOLATIONS,
  toError,
  toNote,
  toNotes,
  toStrictError,
  toUnusableNote,
  type Violation,
} from '../../schema/violation.js';
import {
  findMedia,
  isJsonType,
  isXmlType,
  listKin,
  readMediaType,
  toEssence,
  isFormType,
} from '../../contract/media-type.js';
import { splitList } from '../text.js';
import { type BodyCodec, type BodyParts, type BodyValue, decodeBinary, decodeJson, decodeText } from './body-codec.js';
import { decodeFormBody, decodeMultipartForm, decodeMultipartList } from './body-form.js';
import { decodeXml } from './body-xml.js';
import { isBytes } from '../../base/platform.js';

/** A decoded body and its media type. */
export interface ReadBody {
  readonly value: unknown;
  readonly mediaType: string | undefined;
}

/** Decodes and validates the body of one operation; violations are pushed to the array. */
export type BodyReader = (bytes: Uint8Array, contentType: string | null, violations: Violation[]) => ReadBody;

/** The parts that body readers share, created once per contract. */
interface BodyReaderParts extends BodyParts {
  readonly strict: boolean;
  readonly findUndeclared: UndeclaredFinder;
}

/** The result for a request without body. */
export const NO_BODY: ReadBody = Object.freeze({ value: undefined, mediaType: undefined });
/** The maximum number of cached Content-Types of one operation: each multipart boundary makes a new one. */
const MAX_TYPES = 32;

/** Creates the body reader of an operation. */
export function createBodyReader(operation: Operation, parts: BodyReaderParts): BodyReader {
  const content = operation.body?.content ?? [];
  const choose = memoize((contentType: string) => {
    // A header that is sent twice is joined by a comma.
    const [first = '', ...others] = splitList(contentType, ',');
    const sent = others.every((other) => other === first) ? first : contentType;
    const type = readMediaType(sent);
    const codec = findCodec(type.essence)?.decode ?? decodeBinary;
    return { type, codec, media: findMedia(content, sent), near: findNearMedia(content, type.essence, parts) };
  }, MAX_TYPES);
  // `fetch` and axios name a type for an empty string as well.
  const takes = (type: string): boolean => content.length === 0 || choose(type).media !== undefined;

  return (bytes, contentType, violations) => {
    const given = contentType?.trim() ?? '';
    if (bytes.length === 0 && !(isEmptyValue(contentType) && takes(given))) {
      requireBody(operation, violations, parts.strict);
      return NO_BODY;
    }
    if (operation.body === undefined) {
      const message = `${operation.method} ${operation.path} does not declare a body`;
      violations.push(toNote({ code: 'BODY_UNDECLARED', in: 'body', message }));
    } else if (given === '') {
      const message = `the Content-Type header is missing; ${guessType(content, bytes)} is assumed`;
      const report = { code: 'CONTENT_TYPE_MISSING', in: 'header', name: 'content-type', message } as const;
      violations.push(toStrictError(report, parts.strict));
    }
    const { type, media, near, codec } = choose(given === '' ? guessType(content, bytes) : given);
    const to = { operation, parts, violations };
    if (content.length === 0 || media !== undefined) return decodeBody(codec, { bytes, type, media }, to);
    const undeclared = toUndeclaredType(type.essence, content);
    if (near === undefined || parts.strict) {
      violations.push(undeclared);
      return { value: undefined, mediaType: type.essence };
    }
    violations.push(...toNotes([undeclared]));
    return decodeBody(near.isFile ? decodeBinary : codec, { bytes, type, media: near.media }, to);
  };
}

const ANY_BYTES = 'application/octet-stream';

/**
 * The declared media type of the same kind, or of a file: clients name the type of a file that the contract declares as any bytes. JSON is also
 * accepted where a binary type has the schema of an object: documents name the files of an upload in its place.
 */
function findNearMedia(
  content: readonly MediaType[],
  essence: string,
  { shapes }: Pick<BodyParts, 'shapes'>,
): { readonly media: MediaType; readonly isFile: boolean } | undefined {
  if (essence === '') return undefined;
  const kin = listKin(content, essence);
  /** Whether the schema describes bytes as a value. */
  const isValue = ({ type, schema, schemaPointer }: MediaType): boolean => {
    if (schema === undefined || !isJsonType(essence) || findCodec(toEssence(type)) !== undefined) return false;
    const { types } = shapes(schemaPointer);
    return (types.has('object') || types.has('array')) && !types.has('string');
  };
  const same = kin.find(({ type }) => type !== JSON_PATCH) ?? kin[0] ?? content.find(isValue);
  const media = same ?? findMedia(content, ANY_BYTES);
  return media && { media, isFile: same === undefined };
}

/** A body of an operation that is being decoded. */
interface BodyContext {
  readonly operation: Operation;
  readonly parts: BodyReaderParts;
  readonly violations: Violation[];
}

/** Decodes and validates a body. */
function decodeBody(codec: BodyCodec, input: Parameters<BodyCodec>[0], to: BodyContext): ReadBody {
  const { parts } = to;
  const mediaType = input.type.essence;
  const read = nameSent(codec(input, parts), to);
  const found = checkBody(read, input.media, to);
  if (mediaType === JSON_PATCH && read.mistake === undefined) {
    to.violations.push(...judgePatch(read.value, input.media, { found, parts }));
    return { value: read.value, mediaType };
  }
  if (!parts.strict && isFormType(mediaType) && hasErrors(found)) {
    const nearest = codec(input, { ...parts, coerce: parts.coerceLeniently });
    if (!hasErrors(checkBody(nearest, input.media, to))) {
      to.violations.push(...toNotes(found));
      return { value: nearest.value, mediaType };
    }
  }
  if (found.length > 0) to.violations.push(...found);
  return { value: read.value, mediaType };
}

/** A body with the parameters that were sent by position by name. */
function nameSent(read: BodyValue, { operation }: BodyContext): BodyValue {
  const value = nameParameters(read.value, operation);
  return value === read.value ? read : { ...read, value };
}

const JSON_PATCH = 'application/json-patch+json';

/** The violations of a JSON Patch: documents declare an object for it, and clients send that object, or a patch (RFC 6902). */
function judgePatch(
  value: unknown,
  media: MediaType | undefined,
  { found, parts }: { readonly found: readonly Violation[]; readonly parts: BodyReaderParts },
): readonly Violation[] {
  if (isObject(value)) {
    const message = 'a JSON Patch is an array of operations; the object is read as a merge patch';
    return [...found, toNote({ code: 'BODY_MALFORMED', in: 'body', message })];
  }
  if (parts.strict || media?.schema === undefined || !Array.isArray(value)) return found;
  const { types } = parts.shapes(media.schemaPointer);
  const isPatch = value.every((operation) => isObject(operation) && typeof operation['op'] === 'string');
  return isPatch && types.size > 0 && !types.has('array') ? toNotes(found) : found;
}

function checkBody(
  read: BodyValue,
  media: MediaType | undefined,
  { operation, parts }: Omit<BodyContext, 'violations'>,
): readonly Violation[] {
  // Without a declared body there is no declared format.
  if (read.mistake !== undefined) return [operation.body === undefined ? toNote(read.mistake) : toError(read.mistake)];
  const own = read.violations ?? NO_VIOLATIONS;
  if (media?.schema === undefined || read.unchecked === true) return own;
  const checked = 'checked' in read ? read.checked : read.value;
  // Bytes are not a JSON value: only a schema of type string applies to them.
  if (isBytes(read.value) && !parts.shapes(media.schemaPointer).types.has('string')) return own;
  const check = parts.validators.checkSent(media.schemaPointer);
  let found = check(checked, 'body');
  if (found.length > 0 && isFormType(media.type)) {
    const empties = findEmpties(found, media, parts);
    for (const target of new Set([checked, read.value])) for (const empty of empties) fillEmpty(target, empty);
    if (empties.length > 0) found = check(checked, 'body');
  }
  const beyond = parts.findUndeclared(checked, media.schemaPointer);
  const isWhole = parts.validators.isWhole(media.schemaPointer);
  if (isWhole && own.length + found.length + beyond.length === 0) return NO_VIOLATIONS;
  return [...own, ...found, ...(isWhole ? [] : [toUnusableNote('body', media.schemaPointer)]), ...beyond];
}

/** An empty array or object, and its path in a body. */
interface Empty {
  readonly path: readonly string[];
  readonly isList: boolean;
}

/** The required values that a form leaves out, because it cannot express an empty array or object. */
function findEmpties(found: readonly Violation[], media: MediaType, parts: BodyReaderParts): readonly Empty[] {
  return found.flatMap(({ code, pointer }): readonly Empty[] => {
    if (code !== 'REQUIRED') return [];
    const path = readSegments(pointer);
    let at: string | undefined = media.schemaPointer;
    for (const name of path) {
      const { members: properties, element: items, rest }: ValueShape = parts.shapes(at);
      at = properties.get(name) ?? items ?? rest;
      if (at === undefined) return [];
    }
    const { types } = parts.shapes(at);
    const isList = types.has('array');
    if (!isList && !types.has('object')) return [];
    const refused = hasErrors(parts.validators.checkSent(at)(isList ? [] : {}, 'body'));
    return refused ? [] : [{ path, isList }];
  });
}

/** Adds an empty value to a decoded form. */
function fillEmpty(form: unknown, { path, isList }: Empty): void {
  const parent = readPointer(form, toPointer(...path.slice(0, -1)));
  // A form is decoded into new objects.
  if (isObject(parent)) setOwn(parent as Record<string, unknown>, path.at(-1) ?? '', isList ? [] : {});
}

/** Reports a missing body where one is required. */
function requireBody(operation: Operation, violations: Violation[], strict: boolean): void {
  if (operation.body?.required !== true) return;
  const message = 'the body is required';
  const report = { code: 'BODY_REQUIRED', in: 'body', message, schemaPointer: operation.body.pointer } as const;
  // Few clients can send the body of a DELETE, and servers may ignore it (RFC 9110 section 9.3.5).
  violations.push(toStrictError(report, strict || operation.method !== 'DELETE'));
}

/** How the bodies of some media types are decoded; the first entry that matches is used. */
const CODECS: readonly {
  readonly matches: (essence: string) => boolean;
  readonly decode: BodyCodec;
  /** Whether zero bytes with this type are a value: an empty string or file is, an empty JSON text is not. */
  readonly mayBeEmpty: boolean;
}[] = [
  { matches: isJsonType, decode: decodeJson, mayBeEmpty: false },
  { matches: (essence) => essence === 'application/x-www-form-urlencoded', decode: decodeFormBody, mayBeEmpty: true },
  { matches: (essence) => essence === 'multipart/form-data', decode: decodeMultipartForm, mayBeEmpty: false },
  { matches: (essence) => essence.startsWith('multipart/'), decode: decodeMultipartList, mayBeEmpty: false },
  { matches: isXmlType, decode: decodeXml, mayBeEmpty: false },
  { matches: (essence) => essence.startsWith('text/'), decode: decodeText, mayBeEmpty: true },
];

function findCodec(essence: string): (typeof CODECS)[number] | undefined {
  return CODECS.find(({ matches }) => matches(essence));
}

function isEmptyValue(contentType: string | null): boolean {
  return contentType !== null && (findCodec(toEssence(contentType))?.mayBeEmpty ?? true);
}

/** The media type of a body without Content-Type: JSON if the body looks like it and it is declared, else the first declared one. */
function guessType(content: readonly MediaType[], bytes: Uint8Array): string {
  const json = content.find(({ type }) => isJsonType(type));
  const looksLikeJson = /^\s*[[{"\d\-tfn]/.test(Buffer.from(bytes.subarray(0, 64)).toString('latin1'));
  const first = content[0]?.type;
  if (json !== undefined && (looksLikeJson || content.length === 1)) return json.type;
  if (first === undefined || first.includes('*'))
    return looksLikeJson ? 'application/json' : 'application/octet-stream';
  return first;
}

function toUndeclaredType(essence: string, content: readonly MediaType[]): Violation {
  const declared = toAlternatives(content.map(({ type }) => type));
  const message = `the media type of the body must be ${declared}, got ${essence === '' ? 'an invalid one' : essence}`;
  return toError({ code: 'CONTENT_TYPE_UNDECLARED', in: 'header', name: 'content-type', message, status: 415 });
}
