import { isObject, type Schema } from '../json.js';
import { escapeSegment, type Located, readExtensions, readString } from '../pointer.js';
import type { DocumentObjects } from './document-objects.js';
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
function readExamples(objects: DocumentObjects, parent: Located): readonly Example[] {
  const examples: Example[] = [];
  if ('example' in parent.value)
    examples.push({
      name: '',
      value: parent.value['example'],
      summary: undefined,
      pointer: `${parent.pointer}/example`,
    });
  for (const [name, { value, pointer }] of objects.list(parent, 'examples')) {
    if (!('value' in value)) continue;
    examples.push({ name, value: value['value'], summary: readString(value['summary']), pointer: `${pointer}/value` });
  }
  return examples;
}

/** The entries of a `content` map. */
function readContent(objects: DocumentObjects, parent: Located): readonly MediaType[] {
  return objects.list(parent, 'content').map(([key, found]): MediaType => {
    const schema = readSchema(found, 'schema');
    const itemSchema = readSchema(found, 'itemSchema');
    return {
      type: key.trim().toLowerCase(),
      schema: schema.schema,
      schemaPointer: schema.pointer,
      itemSchema: itemSchema.schema,
      itemSchemaPointer: itemSchema.pointer,
      examples: readExamples(objects, found),
      encoding: Object.fromEntries(
        objects.list(found, 'encoding').map(([name, encoding]) => [name, readEncoding(objects, encoding)]),
      ),
      pointer: found.pointer,
    };
  });
}

/** The request body of an operation. */
export function readRequestBody(objects: DocumentObjects, parent: Located): RequestBody | undefined {
  const found = objects.find(parent.value['requestBody'], `${parent.pointer}/requestBody`);
  if (found === undefined) return undefined;
  const required = found.value['required'] === true;
  return objects.read('body', found, () => ({
    required,
    content: readContent(objects, found),
    pointer: found.pointer,
  }));
}

/** The entries of `responses`. */
export function readResponses(objects: DocumentObjects, parent: Located): readonly DeclaredResponse[] {
  const responses: DeclaredResponse[] = [];
  for (const [key, found] of objects.list(parent, 'responses')) {
    const status = key.toLowerCase() === 'default' ? 'default' : key.toUpperCase();
    if (!/^(?:[1-5]\d\d|[1-5]XX|default)$/u.test(status)) continue;
    responses.push(objects.read(`response ${status}`, found, () => readResponse(objects, found, status)));
  }
  return responses;
}

function readResponse(objects: DocumentObjects, found: Located, status: string): DeclaredResponse {
  return {
    status,
    description: readString(found.value['description']),
    headers: readHeaders(objects, found),
    content: readContent(objects, found),
    links: Object.fromEntries(objects.list(found, 'links').map(([name, link]) => [name, link.value])),
    pointer: found.pointer,
    extensions: readExtensions(found.value),
  };
}

/** The entries of a `headers` map. OpenAPI 3.1 section 4.8.17: a response header called Content-Type is ignored. */
function readHeaders(objects: DocumentObjects, parent: Located): readonly DeclaredHeader[] {
  const headers = objects.list(parent, 'headers').filter(([name]) => name.toLowerCase() !== 'content-type');
  return headers.map(([name, found]) => objects.read(`header ${name}`, found, () => readHeader(objects, found, name)));
}

function readHeader(objects: DocumentObjects, found: Located, name: string): DeclaredHeader {
  const { required, explode, description } = found.value;
  const { declared } = readValue(objects, found);
  return {
    name,
    required: required === true,
    explode: explode === true,
    description: readString(description),
    ...declared,
  };
}

/** What a parameter or header has in `schema` or, with a media type, in `content`; without a schema it accepts anything. */
export function readValue(
  objects: DocumentObjects,
  found: Located,
): {
  readonly mediaType: string | undefined;
  readonly declared: Pick<DeclaredHeader, 'schema' | 'schemaPointer' | 'examples' | 'pointer'>;
} {
  const own = readSchema(found, 'schema');
  const content = own.schema === undefined ? readContent(objects, found)[0] : undefined;
  const schema = own.schema ?? content?.schema;
  const schemaPointer = schema === undefined ? ANYTHING_POINTER : (content?.schemaPointer ?? own.pointer);
  const examples = [...readExamples(objects, found), ...(content?.examples ?? [])];
  return {
    mediaType: content?.type,
    declared: { schema: schema ?? {}, schemaPointer, examples, pointer: found.pointer },
  };
}

function readEncoding(objects: DocumentObjects, found: Located): Encoding {
  const { style, explode, allowReserved, contentType } = found.value;
  return {
    contentType: readString(contentType),
    headers: readHeaders(objects, found),
    // Checked where it is used: an unknown style is read like `form`.
    style: readString(style) as ParameterStyle | undefined,
    explode: typeof explode === 'boolean' ? explode : undefined,
    allowReserved: allowReserved === true,
  };
}
