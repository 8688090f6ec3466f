import { isObject, mapValues, readOwn } from '../../contract/json.js';
import type { Encoding } from '../../contract/operations/operation.js';
import type { Shape } from '../../schema/shape.js';
import { buildTree, decodeForm, type Pair, readBrackets, readPairs } from '../text.js';
import {
  type BodyCodec,
  type BodyParts,
  countCharacter,
  decodeBytes,
  readJsonField,
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
    const pointer = shape?.properties.get(name);
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
    readonly shape: Shape | undefined;
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
  const pointer = how.shape?.properties.get(path[0] ?? '');
  if (explode || path.length > 1 || pointer === undefined || !how.parts.shapes(pointer).types.has('array')) {
    return [{ path, text }];
  }
  return splitRaw(raw, style).map((item) => ({ path: [...path, ''], text: decodeForm(item) ?? item }));
}

/** The path of a field: the property `a[b]` where the schema has it, else `b` in `a`. */
export function toFieldPath(name: string, shape: Shape | undefined): readonly string[] {
  return shape?.properties.has(name) === true ? [name] : readBrackets(name);
}
