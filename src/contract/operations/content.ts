import { isJsonType, isStructuredType, isSequenceType } from '../media-type.js';
import {
  followBareReferences,
  readPointer,
  escapeSegment,
  findObject,
  findObjects,
  type Located,
  readExtensions,
  readString,
} from '../pointer.js';
import { NO_MEMBERS, isObject, type Schema } from '../../base/json.js';
import type {
  DeclaredHeader,
  DeclaredResponse,
  Encoding,
  Example,
  MediaType,
  ParameterStyle,
  RequestBody,
} from './operation.js';

/** The pointer of a schema that accepts anything. */
const ANYTHING_POINTER = '/x-vouch/anything';

/** The schema in a field, and its pointer. */
function readSchema(parent: Located, key: string): { schema: Schema | undefined; pointer: string } {
  const value = parent.value[key];
  const pointer = `${parent.pointer}/${escapeSegment(key)}`;
  return { schema: isObject(value) || typeof value === 'boolean' ? value : undefined, pointer };
}

/** The `example` and `examples` of a parameter, header or media type. */
function readExamples(document: unknown, parent: Located): readonly Example[] {
  const examples: Example[] = [];
  if ('example' in parent.value)
    examples.push({
      name: '',
      value: parent.value['example'],
      summary: undefined,
      pointer: `${parent.pointer}/example`,
    });
  for (const [name, { value, pointer }] of findObjects(document, parent, 'examples')) {
    if (!('value' in value)) continue;
    examples.push({ name, value: value['value'], summary: readString(value['summary']), pointer: `${pointer}/value` });
  }
  return examples;
}

/** An object with each object of a map as it is read. */
function mapObjects<Result>(
  objects: ReturnType<typeof findObjects>,
  read: (object: Located) => Result,
): Readonly<Record<string, Result>> {
  if (objects.length === 0) return NO_MEMBERS;
  return Object.fromEntries(objects.map(([name, object]) => [name, read(object)]));
}

/** The entries of a `content` map. */
function readContent(document: unknown, parent: Located): readonly MediaType[] {
  return findObjects(document, parent, 'content').map(([key, found]): MediaType => {
    const schema = readSchema(found, 'schema');
    const itemSchema = readSchema(found, 'itemSchema');
    return {
      type: key.trim().toLowerCase(),
      schema: schema.schema,
      schemaPointer: schema.pointer,
      itemSchema: itemSchema.schema,
      itemSchemaPointer: itemSchema.schema === undefined ? '' : itemSchema.pointer,
      examples: readExamples(document, found),
      encoding: mapObjects(findObjects(document, found, 'encoding'), (encoding) => readEncoding(document, encoding)),
      pointer: found.pointer,
    };
  });
}

/** The request body of an operation. */
export function readRequestBody(document: unknown, parent: Located): RequestBody | undefined {
  const found = findObject(document, parent.value['requestBody'], `${parent.pointer}/requestBody`);
  if (found === undefined) return undefined;
  const required = found.value['required'] === true;
  return { required, content: readContent(document, found), pointer: found.pointer };
}

/** The entries of `responses`. */
export function readResponses(document: unknown, parent: Located): readonly DeclaredResponse[] {
  return findObjects(document, parent, 'responses')
    .map(([key, found]) => ({ status: key.toLowerCase() === 'default' ? 'default' : key.toUpperCase(), found }))
    .filter(({ status }) => /^(?:[1-5]\d\d|[1-5]XX|default)$/u.test(status))
    .map(({ status, found }) => readResponse(document, found, status));
}

function readResponse(document: unknown, found: Located, status: string): DeclaredResponse {
  return {
    status,
    description: readString(found.value['description']),
    headers: readHeaders(document, found),
    content: sortByStructure(document, readContent(document, found)).map((media) => withLabel(document, media)),
    links: mapObjects(findObjects(document, found, 'links'), ({ value }) => value),
    pointer: found.pointer,
    extensions: readExtensions(found.value),
  };
}

/**
 * JSON before other types that can show an object or an array, and these before those that cannot, where that is what the schema describes:
 * documents of ASP.NET list `text/plain` first for every object, others XML. Streams stay where they are.
 */
function sortByStructure(document: unknown, content: readonly MediaType[]): readonly MediaType[] {
  const [first] = content;
  if (first === undefined || isJsonType(first.type) || isSequenceType(first.type)) return content;
  if (content.length === 1 || !isStructure(document, first)) return content;
  const rank = ({ type }: MediaType): number => (isJsonType(type) ? 0 : isStructuredType(type) ? 1 : 2);
  return content.toSorted((one, other) => rank(one) - rank(other));
}

/** Marks text, and ranges, that the schema describes as an object or an array. */
function withLabel(document: unknown, media: MediaType): MediaType {
  if (media.schema === undefined || !/^(?:text\/(?:plain|html)|(?:application|\*)\/\*)(?:;|$)/.test(media.type))
    return media;
  const target = readPointer(document, followBareReferences(document, media.schemaPointer));
  const isNamed = isObject(target) && (target['type'] !== undefined || target['properties'] !== undefined);
  return isNamed && isStructure(document, media) ? { ...media, isJson: true } : media;
}

function isStructure(document: unknown, { schema, schemaPointer }: MediaType): boolean {
  if (schema === undefined) return false;
  const target = readPointer(document, followBareReferences(document, schemaPointer));
  const type = isObject(target) ? target['type'] : undefined;
  if (type === undefined) return isObject(target) && target['enum'] === undefined && Object.keys(target).length > 0;
  return [type].flat().some((each) => each === 'object' || each === 'array');
}

/** The entries of a `headers` map. OpenAPI 3.1 section 4.8.17: a response header called Content-Type is ignored. */
function readHeaders(document: unknown, parent: Located): readonly DeclaredHeader[] {
  const headers = findObjects(document, parent, 'headers').filter(([name]) => name.toLowerCase() !== 'content-type');
  return headers.map(([name, found]) => readHeader(document, found, name));
}

function readHeader(document: unknown, found: Located, name: string): DeclaredHeader {
  const { required, explode, description } = found.value;
  const { mediaType, declared } = readValue(document, found);
  return {
    name,
    mediaType,
    required: required === true,
    explode: explode === true,
    description: readString(description),
    ...declared,
  };
}

/** Reads the schema and examples of a parameter or header, from `content` with a media type; without a schema it accepts anything. */
export function readValue(
  document: unknown,
  found: Located,
): {
  readonly mediaType: string | undefined;
  readonly declared: Pick<DeclaredHeader, 'schema' | 'schemaPointer' | 'examples' | 'pointer'>;
} {
  const own = readSchema(found, 'schema');
  const content = own.schema === undefined ? readContent(document, found)[0] : undefined;
  const schema = own.schema ?? content?.schema;
  const schemaPointer = schema === undefined ? ANYTHING_POINTER : (content?.schemaPointer ?? own.pointer);
  const examples = [...readExamples(document, found), ...(content?.examples ?? [])];
  return {
    mediaType: content?.type,
    declared: { schema: schema ?? {}, schemaPointer, examples, pointer: found.pointer },
  };
}

function readEncoding(document: unknown, found: Located): Encoding {
  const { style, explode, allowReserved, contentType } = found.value;
  return {
    contentType: readString(contentType),
    headers: readHeaders(document, found),
    // Checked where it is used: an unknown style is read like `form`.
    style: readString(style) as ParameterStyle | undefined,
    explode: typeof explode === 'boolean' ? explode : undefined,
    allowReserved: allowReserved === true,
  };
}
