import { isIdValue } from '../base/exact-number.js';
import { isObject } from '../base/json.js';
import { isToken } from '../contract/operations/parameter.js';
import { isJsonType } from '../contract/media-type.js';
import type { DeclaredHeader, DeclaredResponse } from '../contract/operations/operation.js';
import type { GenerateContext, Generator } from '../generate/generate.js';
import type { Answer } from '../http/answer.js';
import type { Call } from '../http/request/call.js';
import { memoize } from '../base/memoize.js';
import type { Validators } from '../schema/validate.js';

/** Header fields by name, in lower case. */
type HeaderFields = Answer['headers'];

/** Declared headers that are not sent: of the connection, message framing (RFC 9110 7.6.1, RFC 9112 6), or the server itself. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    'connection content-encoding content-length content-type date keep-alive proxy-authenticate proxy-connection te ' +
    'trailer transfer-encoding upgrade'
  ).split(' '),
);

/** Whether a declared header may be sent. */
export function isSendable(name: string): boolean {
  return isToken(name) && !RESERVED.has(name.toLowerCase()) && !name.toLowerCase().startsWith('access-control-');
}

const NONE: HeaderFields = {};

/** Writes a value for each header that a response declares and that is not given, from its examples or its schema. */
type WriteDeclaredHeaders = (response: DeclaredResponse, context: GenerateContext, given: object) => HeaderFields;

/** Creates the writer of declared headers. */
export function createDeclaredHeaders(generator: Generator, validators: Validators): WriteDeclaredHeaders {
  const findExample = memoize(({ schemaPointer, examples }: DeclaredHeader): unknown => {
    const check = validators.check(schemaPointer, 'response');
    return examples.find(({ value }) => value !== null && check(value, 'header').length === 0)?.value;
  });
  return (response, context, given) => {
    if (response.headers.length === 0) return NONE;
    const fields: Record<string, string | readonly string[]> = {};
    for (const header of response.headers) {
      const name = header.name.toLowerCase();
      if (!isSendable(name) || Object.hasOwn(given, name)) continue;
      const key = `${context.key}\nheader ${name}`;
      const about = { ...context, key, name: header.name, isHeader: true };
      fields[name] = writeField(name, findExample(header) ?? generator.value(header.schemaPointer, about), header);
    }
    return fields;
  };
}

/** The `Location` of a created resource, if the response declares it and the body has an id (RFC 9110 15.3.2). */
export function locateCreated(
  call: Call,
  response: DeclaredResponse,
  answer: Pick<Answer, 'body' | 'status'>,
): HeaderFields {
  const isDeclared = response.headers.some(({ name }) => name.toLowerCase() === 'location');
  if (answer.status !== 201 || !isDeclared || !isObject(answer.body)) return NONE;
  const { id } = answer.body;
  if (!isIdValue(id)) return NONE;
  const path = call.url.split('?')[0] ?? '';
  return { location: `${path.replace(/\/$/, '')}/${encodeURIComponent(String(id).toWellFormed())}` };
}

function writeField(name: string, value: unknown, { mediaType, explode }: DeclaredHeader): string | readonly string[] {
  if (mediaType !== undefined && isJsonType(mediaType)) return writeAscii(JSON.stringify(value));
  // RFC 9110 section 5.3: cookies cannot be joined in one line.
  if (name === 'set-cookie' && Array.isArray(value)) return value.map(toText);
  return writeSimple(value, explode);
}

/** JSON whose characters outside of ASCII are escaped, as fields cannot have them. */
function writeAscii(json: string): string {
  return json.replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A value in the `simple` style, the only one for headers (OpenAPI 3.1 section 4.8.12.3). */
function writeSimple(value: unknown, explode: boolean): string {
  if (Array.isArray(value)) return value.map(toText).join(',');
  if (!isObject(value)) return toText(value);
  const mark = explode ? '=' : ',';
  return Object.entries(value)
    .map(([name, one]) => `${name}${mark}${toText(one)}`)
    .join(',');
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return '';
  // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- only scalars are left, which another rule cannot see
  return typeof value === 'object' ? JSON.stringify(value) : String(value as boolean | number | string);
}
