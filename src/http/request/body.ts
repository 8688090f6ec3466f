import type { MediaType, Operation } from '../../contract/operations/operation.js';
import { toAlternatives } from '../../schema/sentence.js';
import type { UndeclaredFinder } from '../../schema/undeclared.js';
import { toError, toNote, toStrictError, toUnusableNote, type Violation } from '../../schema/violation.js';
import {
  isCovered,
  isJsonType,
  isXmlType,
  type MediaTypeText,
  readMediaType,
  readPrecision,
  toEssence,
} from '../media-type.js';
import { type BodyCodec, type BodyParts, type BodyValue, decodeBinary, decodeJson, decodeText } from './body-codec.js';
import { decodeFormBody } from './body-form.js';
import { multipartCodecOf } from './body-multipart.js';
import { decodeXml } from './body-xml.js';

/** A body as a call shows it. */
export interface ReadBody {
  readonly value: unknown;
  readonly mediaType: string | undefined;
}

/** Decodes and checks the body of one operation; departures are pushed to the list. */
export type BodyReader = (bytes: Uint8Array, contentType: string | null, violations: Violation[]) => ReadBody;

/** What reading bodies needs, made once per contract. */
interface BodyReaderParts extends BodyParts {
  readonly strict: boolean;
  readonly findUndeclared: UndeclaredFinder;
}

/** What there is where no body came. */
export const NO_BODY: ReadBody = Object.freeze({ value: undefined, mediaType: undefined });
/** How many Content-Type texts of one operation are remembered: a multipart boundary is a new one each time. */
const MOST_TYPES = 32;

/** Prepares the reading of an operation's body. */
export function createBodyReader(operation: Operation, parts: BodyReaderParts): BodyReader {
  const content = operation.body?.content ?? [];
  const choices = new Map<string, Choice>();
  const choose = (contentType: string): Choice => {
    const known = choices.get(contentType);
    if (known !== undefined) return known;
    const type = readMediaType(contentType);
    const choice = { type, media: findMedia(content, type), codec: codecOf(type.essence) };
    if (choices.size < MOST_TYPES) choices.set(contentType, choice);
    return choice;
  };

  return (bytes, contentType, violations) => {
    if (bytes.length === 0 && isNothing(contentType)) {
      demandBody(operation, violations);
      return NO_BODY;
    }
    if (operation.body === undefined) {
      const message = `${operation.method} ${operation.path} declares no body, and one came`;
      violations.push(toNote({ code: 'BODY_UNDECLARED', in: 'body', message }));
    } else if (contentType === null || contentType.trim() === '') {
      const message = `the body came without a Content-Type header; it is taken for ${guessType(content, bytes)}`;
      violations.push(
        toStrictError({ code: 'CONTENT_TYPE_MISSING', in: 'header', name: 'content-type', message }, parts.strict),
      );
    }
    const choice = choose(contentType === null || contentType.trim() === '' ? guessType(content, bytes) : contentType);
    const { type, media, codec } = choice;
    if (operation.body !== undefined && content.length > 0 && media === undefined) {
      violations.push(toUndeclaredType(type.essence, content));
      return { value: undefined, mediaType: type.essence };
    }
    const read = codec({ bytes, type, media }, parts);
    checkBody(read, { media, isJson: isJsonType(type.essence) }, violations);
    return { value: read.value, mediaType: type.essence };
  };

  function checkBody(
    read: BodyValue,
    { media, isJson }: { readonly media: MediaType | undefined; readonly isJson: boolean },
    violations: Violation[],
  ): void {
    if (read.mistake !== undefined) {
      // Nobody promised a format where no body is declared.
      violations.push(operation.body === undefined ? toNote(read.mistake) : toError(read.mistake));
      return;
    }
    if (read.violations !== undefined) violations.push(...read.violations);
    if (media?.schema === undefined || read.unchecked === true) return;
    const checked = 'checked' in read ? read.checked : read.value;
    // Bytes are no JSON value; only a schema that takes text has something to say of them.
    if (read.value instanceof Uint8Array && !parts.shapes(media.schemaPointer).types.has('string')) return;
    const found = parts.validators.check(media.schemaPointer, 'request')(checked, 'body');
    if (found.length > 0) violations.push(...found);
    if (!parts.validators.isWhole(media.schemaPointer)) violations.push(toUnusableNote('body', media.schemaPointer));
    const beyond = parts.findUndeclared(isJson ? read.value : checked, media.schemaPointer);
    if (beyond.length > 0) violations.push(...beyond);
  }
}

/** Files the absence of a body, if that is a departure. */
export function demandBody(operation: Operation, violations: Violation[]): void {
  if (operation.body?.required !== true) return;
  const message = 'the body is required, and there is none';
  violations.push(toError({ code: 'BODY_REQUIRED', in: 'body', message, schemaPointer: operation.body.pointer }));
}

interface Choice {
  readonly type: MediaTypeText;
  readonly media: MediaType | undefined;
  readonly codec: BodyCodec;
}

/** Whether no bytes at all are no body: an empty text or file is one, an empty JSON text is not. */
function isNothing(contentType: string | null): boolean {
  if (contentType === null) return true;
  const codec = codecOf(toEssence(contentType));
  return codec !== decodeText && codec !== decodeBinary && codec !== decodeFormBody;
}

/** The declared media type for one that came: the same one first, then the narrowest range. */
function findMedia(content: readonly MediaType[], { essence, parameters }: MediaTypeText): MediaType | undefined {
  const covering = content.filter(({ type }) => isCovered(essence, toEssence(type)));
  const rank = ({ type }: MediaType): number => {
    const declared = readMediaType(type);
    const names = Object.keys(declared.parameters);
    const same = names.filter((name) => declared.parameters[name]?.toLowerCase() === parameters[name]?.toLowerCase());
    return readPrecision(declared.essence) * 100 + same.length - (names.length - same.length);
  };
  return covering.toSorted((x, y) => rank(y) - rank(x))[0];
}

function codecOf(essence: string): BodyCodec {
  if (isJsonType(essence)) return decodeJson;
  if (essence === 'application/x-www-form-urlencoded') return decodeFormBody;
  if (essence.startsWith('multipart/')) return multipartCodecOf(essence);
  if (isXmlType(essence)) return decodeXml;
  if (essence.startsWith('text/')) return decodeText;
  return decodeBinary;
}

/** The media type of a body that does not say its own: JSON if it looks like it and is declared, else the first declared one. */
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
  const message = `the body is ${essence === '' ? 'of no readable media type' : essence}, and the operation takes ${declared}`;
  return toError({ code: 'CONTENT_TYPE_UNDECLARED', in: 'header', name: 'content-type', message, status: 415 });
}
