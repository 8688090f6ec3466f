import { addTo, isObject, mapValues, parseOrKeep, readOwn } from '../../base/json.js';
import type { Encoding } from '../../contract/operations/operation.js';
import type { ValueShape } from '../../contract/schema-view/shape.js';
import { toAlternatives } from '../../schema/sentence.js';
import { toError, type Violation } from '../../schema/violation.js';
import { isCovered, isJsonType, readMediaType, toEssence } from '../../contract/media-type.js';
import { isBytes } from '../../base/platform.js';
import { buildTree, decodeForm, type Pair, readBrackets, readPairs } from '../text.js';
import { type MultipartPart, readMultipart } from '../multipart.js';
import {
  type BodyCodec,
  type BodyParts,
  type BodyValue,
  countCharacter,
  decodeBytes,
  readJsonField,
  toCheckedText,
  toMalformed,
} from './body-codec.js';
import { splitRaw } from './style.js';

/** `application/x-www-form-urlencoded`, with the contract's `encoding` (OpenAPI 3.1, Encoding Object) and the brackets of SDKs. */
export const decodeFormBody: BodyCodec = ({ bytes, type, media }, parts) => {
  const text = decodeBytes(bytes, type.parameters['charset']);
  if (text === undefined) return toMalformed('the body is not UTF-8 text');
  const shape = media?.schema === undefined ? undefined : parts.shapes(media.schemaPointer);
  // A schema of a string describes the whole text.
  if (shape?.types.size === 1 && shape.types.has('string')) return { value: text };
  const entries: Field[] = [];
  if (countCharacter(text, '&') >= MAX_FIELDS) return toMalformed(`the form has more than ${MAX_FIELDS} fields`);
  for (const pair of readPairs(text)) {
    const read = readPair(pair, { shape, encoding: media?.encoding ?? {}, parts });
    if (read === undefined) return toMalformed(`the form field "${pair.name}" has malformed percent-encoding`);
    entries.push(...read);
  }
  const tree = entries.length === 0 ? {} : buildTree(entries);
  if (media?.schema === undefined) return { value: tree };
  const value = parts.coerce(tree, media.schemaPointer);
  if (!isObject(value)) return { value };
  const readField = (field: unknown, name: string): unknown => {
    const pointer = shape?.members.get(name);
    return pointer === undefined ? field : readJsonField(field, parts.shapes(pointer), parts);
  };
  return { value: mapValues(value, readField) };
};

/** One field of a form. */
type Field = { readonly path: readonly string[]; readonly text: string };

/** The maximum number of fields of a form. */
const MAX_FIELDS = 100_000;

function readPair(
  { name, raw = '', broken }: Pair,
  how: {
    readonly shape: ValueShape | undefined;
    readonly encoding: Readonly<Record<string, Encoding>>;
    readonly parts: BodyParts;
  },
): readonly Field[] | undefined {
  const text = decodeForm(raw);
  if (broken || text === undefined) return undefined;
  const path = toFieldPath(name, how.shape);
  const encoding = readOwn(how.encoding, path[0] ?? '');
  const style = encoding?.style ?? 'form';
  const explode = encoding?.explode ?? style === 'form';
  const pointer = how.shape?.members.get(path[0] ?? '');
  if (explode || path.length > 1 || pointer === undefined || !how.parts.shapes(pointer).types.has('array')) {
    return [{ path, text }];
  }
  return splitRaw(raw, style).map((item) => ({ path: [...path, ''], text: decodeForm(item) ?? item }));
}

/** The path of a field: the property `a[b]` where the schema has it, else `b` in `a`. */
function toFieldPath(name: string, shape: ValueShape | undefined): readonly string[] {
  return shape?.members.has(name) === true ? [name] : readBrackets(name);
}

/** A file of a multipart body. */
export interface UploadedFile {
  readonly filename: string | undefined;
  /** As the part says it, or `application/octet-stream`. */
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** Whether a value of a body is a file. */
export function isUploadedFile(value: unknown): value is UploadedFile {
  return isObject(value) && isBytes(value['bytes']) && typeof value['mediaType'] === 'string';
}

/** The value of one part, and the value that its schema checks. */
interface Leaf {
  readonly path: readonly string[];
  /** Undefined for a file or a JSON part. */
  readonly text: string | undefined;
  readonly value: unknown;
  readonly checked: unknown;
}

/** `multipart/form-data`: an object of texts, JSON values and files (OpenAPI 3.1, Encoding Object). */
export const decodeMultipartForm: BodyCodec = ({ bytes, type, media }, parts) => {
  const reading = readMultipart(bytes, type.parameters['boundary']);
  if ('mistake' in reading) return toMalformed(`the body is not ${type.essence}: ${reading.mistake}`);
  const nameless = reading.parts.findIndex(({ name }) => name === undefined);
  if (nameless !== -1) return toMalformed(`the body is not form data: part ${nameless + 1} has no name`);
  const shape = media?.schema === undefined ? undefined : parts.shapes(media.schemaPointer);
  const violations: Violation[] = [];
  const byField = new Map<string, Leaf[]>();
  for (const part of reading.parts) {
    const path = toFieldPath(part.name ?? '', shape);
    const field = path[0] ?? '';
    const encoding = media && readOwn(media.encoding, field);
    if (encoding !== undefined) violations.push(...checkPart(part, { field, encoding, parts }));
    const pointer = shape?.members.get(field);
    const own = pointer === undefined ? undefined : parts.shapes(pointer);
    addTo(byField, field, toLeaf(part, path, { encoding, shape: own, parts }));
  }
  const joinAll = (side: 'value' | 'checked'): unknown =>
    Object.fromEntries(
      [...byField].map(([field, leaves]) => {
        const pointer = shape?.members.get(field) ?? shape?.rest;
        return [field, joinLeaves(leaves, { side, pointer, parts })];
      }),
    );
  return { value: joinAll('value'), checked: joinAll('checked'), violations };
};

/** `multipart/mixed` and its kin: a list of parts. */
export const decodeMultipartList: BodyCodec = ({ bytes, type, media }, parts): BodyValue => {
  const reading = readMultipart(bytes, type.parameters['boundary']);
  if ('mistake' in reading) return toMalformed(`the body is not ${type.essence}: ${reading.mistake}`);
  const leaves = reading.parts.map((part) => toLeaf(part, [], { encoding: undefined, shape: undefined, parts }));
  const isList = media?.schema !== undefined && parts.shapes(media.schemaPointer).types.has('array');
  return { value: leaves.map(({ value }) => value), checked: leaves.map(({ checked }) => checked), unchecked: !isList };
};

/** The value of one part: a file by its filename or content, JSON by its type or schema, else a string. */
function toLeaf(
  part: MultipartPart,
  path: readonly string[],
  how: { readonly encoding: Encoding | undefined; readonly shape: ValueShape | undefined; readonly parts: BodyParts },
): Leaf {
  const declared = how.encoding?.contentType?.split(',')[0]?.trim();
  const said = part.contentType ?? (declared?.includes('*') === true ? undefined : declared);
  const { essence, parameters } = readMediaType(said ?? 'text/plain');
  const file = (): Leaf => {
    const mediaType = said ?? 'application/octet-stream';
    const value: UploadedFile = { filename: part.filename, mediaType, bytes: part.bytes };
    return { path, text: undefined, value, checked: toCheckedText(part.bytes) };
  };
  if (part.filename !== undefined && !(isJsonType(essence) && wantsValue(how.shape))) return file();
  const text = decodeBytes(part.bytes, parameters['charset']);
  if (text === undefined) return file();
  const isText = isJsonType(essence) || essence.startsWith('text/') || isField(essence, how.shape, how.parts);
  if (part.contentType !== undefined && !isText) return file();
  const value = isJsonType(essence) ? parseOrKeep(text) : readJsonPart(text, how.shape, how.parts);
  return { path, text: value === text ? text : undefined, value, checked: value };
}

/** Whether a part without a filename is a field although its type is that of bytes, as some clients send every part. */
function isField(essence: string, shape: ValueShape | undefined, { at }: BodyParts): boolean {
  if (essence !== 'application/octet-stream' || shape === undefined || shape.types.size === 0) return false;
  const schema = at(shape.pointer);
  return isObject(schema) && schema['format'] !== 'binary' && schema['contentMediaType'] === undefined;
}

/** The value of a part that must be JSON to fit: the whole field, or one item of a list that comes in several parts. */
function readJsonPart(text: string, shape: ValueShape | undefined, parts: BodyParts): unknown {
  if (shape === undefined) return text;
  const value = readJsonField(text, shape, parts);
  return value === text && shape.element !== undefined
    ? readJsonField(text, parts.shapes(shape.element), parts)
    : value;
}

/** Whether a schema needs a value that is not a string. */
function wantsValue(shape: ValueShape | undefined): boolean {
  return shape !== undefined && shape.types.size > 0 && !shape.types.has('string');
}

/** The parts of one field by its schema: an array where parts are repeated or the schema is an array. */
function joinLeaves(
  leaves: readonly Leaf[],
  how: { readonly side: 'value' | 'checked'; readonly pointer: string | undefined; readonly parts: BodyParts },
): unknown {
  const { side, pointer, parts } = how;
  const texts = leaves.flatMap(({ path, text }) => (text === undefined ? [] : [{ path: path.slice(1), text }]));
  if (texts.length === leaves.length) {
    const tree = buildTree(texts);
    return pointer === undefined ? tree : parts.coerce(tree, pointer);
  }
  const shape = pointer === undefined ? undefined : parts.shapes(pointer);
  const [only] = leaves;
  const items = shape?.element;
  const toValue = (leaf: Leaf): unknown =>
    leaf.text === undefined || items === undefined ? leaf[side] : parts.coerce(leaf.text, items);
  if (leaves.length > 1) return leaves.map(toValue);
  const wrap = shape?.types.has('array') === true && !Array.isArray(only?.[side]);
  return wrap ? [only?.[side]] : only?.[side];
}

/** Checks a part's type and headers against the contract's `encoding`. */
function checkPart(
  part: MultipartPart,
  as: { readonly field: string; readonly encoding: Encoding; readonly parts: BodyParts },
): readonly Violation[] {
  const { field, encoding, parts } = as;
  const violations: Violation[] = [];
  const allowed = encoding.contentType?.split(',').map((type) => type.trim()) ?? [];
  const came = part.contentType;
  const isAllowed = (type: string): boolean =>
    allowed.length === 0 || allowed.some((range) => isCovered(toEssence(type), toEssence(range)));
  if (came !== undefined && !isAllowed(came)) {
    const message = `body property "${field}" is sent as ${toEssence(came)}, and must be ${toAlternatives(allowed)}`;
    violations.push(toError({ code: 'CONTENT_TYPE_UNDECLARED', in: 'body', name: field, message }));
  }
  for (const { name, required, schemaPointer } of encoding.headers) {
    const text = part.headers.get(name.toLowerCase());
    if (text !== undefined) {
      const check = parts.validators.checkSent(schemaPointer);
      violations.push(...check(parts.coerce(text, schemaPointer), 'header', name));
    } else if (required) {
      const message = `the part "${field}" of the body must have the header "${name}"`;
      violations.push(toError({ code: 'HEADER_REQUIRED', in: 'body', name: field, message }));
    }
  }
  return violations;
}
