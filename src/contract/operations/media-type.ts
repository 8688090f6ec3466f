import { isObject, type Schema } from '../json.js';
import { findObject, type Located, readEntries, readExtensions, readString, toPointer } from '../pointer.js';
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
export const ANYTHING_POINTER = '/x-vouch/anything';

/** The schema in a field, and its pointer. */
export function readSchema(parent: Located, key: string): { schema: Schema | undefined; pointer: string } {
  const value = parent.value[key];
  const pointer = parent.pointer + toPointer(key);
  return { schema: isObject(value) || typeof value === 'boolean' ? value : undefined, pointer };
}

/** The `example` and `examples` of a parameter, header or media type. */
export function readExamples(document: unknown, parent: Located): readonly Example[] {
  const examples = readEntries(parent.value['examples']).flatMap(([name, value]): readonly Example[] => {
    const example = findObject(document, value, parent.pointer + toPointer('examples', name));
    if (example === undefined || !('value' in example.value)) return [];
    const summary = readString(example.value['summary']);
    return [{ name, value: example.value['value'], summary, pointer: `${example.pointer}/value` }];
  });
  if (!('example' in parent.value)) return examples;
  const single = { name: '', value: parent.value['example'], summary: undefined, pointer: `${parent.pointer}/example` };
  return [single, ...examples];
}

/** The entries of a `content` map. */
export function readContent(document: unknown, parent: Located): readonly MediaType[] {
  return readEntries(parent.value['content']).flatMap(([key, value]): readonly MediaType[] => {
    const found = findObject(document, value, parent.pointer + toPointer('content', key));
    if (found === undefined) return [];
    const schema = readSchema(found, 'schema');
    const itemSchema = readSchema(found, 'itemSchema');
    return [
      {
        type: key.trim().toLowerCase(),
        schema: schema.schema,
        schemaPointer: schema.pointer,
        itemSchema: itemSchema.schema,
        itemSchemaPointer: itemSchema.pointer,
        examples: readExamples(document, found),
        encoding: readEncodings(document, found),
        pointer: found.pointer,
      },
    ];
  });
}

/** The request body of an operation. */
export function readRequestBody(document: unknown, parent: Located): RequestBody | undefined {
  const found = findObject(document, parent.value['requestBody'], `${parent.pointer}/requestBody`);
  if (found === undefined) return undefined;
  return { required: found.value['required'] === true, content: readContent(document, found), pointer: found.pointer };
}

/** The entries of `responses`. */
export function readResponses(document: unknown, parent: Located): readonly DeclaredResponse[] {
  return readEntries(parent.value['responses']).flatMap(([key, value]): readonly DeclaredResponse[] => {
    const status = key.toLowerCase() === 'default' ? 'default' : key.toUpperCase();
    if (!/^(?:[1-5]\d\d|[1-5]XX|default)$/u.test(status)) return [];
    const found = findObject(document, value, parent.pointer + toPointer('responses', key));
    if (found === undefined) return [];
    return [
      {
        status,
        description: readString(found.value['description']),
        headers: readHeaders(document, found),
        content: readContent(document, found),
        links: readLinks(document, found),
        pointer: found.pointer,
        extensions: readExtensions(found.value),
      },
    ];
  });
}

/** The entries of a `headers` map. OpenAPI 3.1 section 4.8.17: a response header called Content-Type is ignored. */
function readHeaders(document: unknown, parent: Located): readonly DeclaredHeader[] {
  return readEntries(parent.value['headers']).flatMap(([name, value]): readonly DeclaredHeader[] => {
    if (name.toLowerCase() === 'content-type') return [];
    const found = findObject(document, value, parent.pointer + toPointer('headers', name));
    if (found === undefined) return [];
    const content = readContent(document, found)[0];
    const schema = content?.schema === undefined ? readSchema(found, 'schema') : undefined;
    return [
      {
        name,
        required: found.value['required'] === true,
        explode: found.value['explode'] === true,
        schema: schema?.schema ?? content?.schema ?? {},
        schemaPointer: schema?.schema === undefined ? (content?.schemaPointer ?? ANYTHING_POINTER) : schema.pointer,
        examples: [...readExamples(document, found), ...(content?.examples ?? [])],
        pointer: found.pointer,
      },
    ];
  });
}

function readLinks(document: unknown, parent: Located): DeclaredResponse['links'] {
  const links = readEntries(parent.value['links']).flatMap(([name, value]) => {
    const found = findObject(document, value, parent.pointer + toPointer('links', name));
    return found === undefined ? [] : [[name, found.value] as const];
  });
  return Object.fromEntries(links);
}

function readEncodings(document: unknown, parent: Located): Readonly<Record<string, Encoding>> {
  const encodings = readEntries(parent.value['encoding']).flatMap(([name, value]): readonly [string, Encoding][] => {
    const found = findObject(document, value, parent.pointer + toPointer('encoding', name));
    return found === undefined ? [] : [[name, readEncoding(document, found)]];
  });
  return Object.fromEntries(encodings);
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
