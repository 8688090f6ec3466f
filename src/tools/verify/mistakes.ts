import type { Contract } from '../../contract/contract.js';
import type { Parameter } from '../../contract/operations/operation.js';
import { isObject, type Schema, type SchemaObject } from '../../base/json.js';
import type { RequestDraft } from '../../features/inspector/sample-request.js';

/** A request that breaks the contract in one way. */
export interface BrokenDraft {
  readonly mistake: string;
  readonly draft: RequestDraft;
}

/** Creates one request for each simple mistake of a client. */
export function breakRequest(contract: Contract, draft: RequestDraft): readonly BrokenDraft[] {
  const broken: BrokenDraft[] = [];
  const add = (mistake: string, change: Partial<RequestDraft>): void => {
    broken.push({ mistake, draft: { ...draft, ...change } });
  };
  for (const parameter of draft.operation.parameters) {
    if (parameter.in === 'querystring' || /^(accept|content-type|content-length|authorization)$/i.test(parameter.name))
      continue;
    const values = draft[parameter.in];
    if (parameter.required && parameter.in !== 'path')
      add(`without ${parameter.in} ${parameter.name}`, {
        [parameter.in]: without(values, parameter.name),
        credentials: withoutKey(draft.credentials, parameter.name),
      });
    for (const wrong of [wrongText(contract, parameter), ...listBeyond(plain(contract, parameter.schema))]) {
      if (wrong === undefined || (typeof wrong === 'string' && wrong.length > MAX_URL_TEXT)) continue;
      const text = String(wrong).length > 40 ? `${String(wrong).length} characters` : String(wrong);
      add(`${parameter.in} ${parameter.name}=${text}`, { [parameter.in]: { ...values, [parameter.name]: wrong } });
    }
  }
  if (draft.body === undefined) return broken;
  // Few clients can send the body of a DELETE, so that leaving it out is not a mistake.
  if (draft.operation.method !== 'DELETE') add('without a body', { body: undefined });
  const { media, value } = draft.body;
  if (!isObject(value) || media.schema === undefined) return broken;
  const { schema } = contract.resolve(media.schema, media.schemaPointer);
  if (typeof schema === 'boolean') return broken;
  for (const name of schema.required ?? []) {
    if (isReadOnly(contract, schema, name)) continue;
    // A form cannot express an empty array or object, so that leaving one out is not a mistake.
    if (FORM.test(media.type) && mayBeEmpty(contract, schema.properties?.[name])) continue;
    add(`body without ${name}`, { body: { media, value: without(value, name) } });
  }
  for (const name of Object.keys(value)) {
    const wrong = wrongValue(contract, schema.properties?.[name], /json/.test(media.type));
    const isForm = FORM.test(media.type);
    const beyond = isForm ? [] : listBeyond(plain(contract, schema.properties?.[name] ?? true));
    for (const each of [wrong, ...beyond]) {
      if (each === undefined) continue;
      const text = JSON.stringify(each);
      const shown = text.length > 40 ? `${text.length - 2} characters` : text;
      add(`body ${name}: ${shown}`, { body: { media, value: { ...value, [name]: each } } });
    }
  }
  return broken;
}

const FORM = /^(multipart\/form-data|application\/x-www-form-urlencoded)\b/;

function mayBeEmpty(contract: Contract, property: Schema | undefined): boolean {
  const schema = property === undefined ? undefined : plain(contract, property);
  if (schema?.type === 'array') return (schema.minItems ?? 0) === 0;
  return schema?.type === 'object' && (schema.minProperties ?? 0) === 0 && (schema.required ?? []).length === 0;
}

function without(values: Readonly<Record<string, unknown>>, name: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => key !== name));
}

/** Credentials without one that a parameter declares as well. */
function withoutKey({ headers, query }: RequestDraft['credentials'], name: string): RequestDraft['credentials'] {
  const keep = <Value>(values: Readonly<Record<string, Value>>): Record<string, Value> =>
    Object.fromEntries(Object.entries(values).filter(([key]) => key.toLowerCase() !== name.toLowerCase()));
  return { headers: keep(headers), query: keep(query) };
}

function isReadOnly(contract: Contract, schema: SchemaObject, name: string): boolean {
  const property = schema.properties?.[name];
  if (property === undefined) return false;
  const target = contract.resolve(property, '').schema;
  return (
    (typeof property !== 'boolean' && property.readOnly === true) ||
    (typeof target !== 'boolean' && target.readOnly === true)
  );
}

/** A string that the schema of the parameter clearly forbids, or undefined. */
function wrongText(contract: Contract, parameter: Parameter): string | undefined {
  const schema = plain(contract, parameter.schema);
  if (schema === undefined || parameter.mediaType !== undefined) return undefined;
  if (isClosed(schema)) return 'no-such-member';
  return ['integer', 'number', 'boolean'].includes(String(schema.type)) ? 'abc' : undefined;
}

/** A value that the schema of the property clearly forbids, or undefined. */
function wrongValue(contract: Contract, property: Schema | undefined, isJson: boolean): unknown {
  const schema = property === undefined ? undefined : plain(contract, property);
  if (schema === undefined) return undefined;
  if (isClosed(schema)) return 'no-such-member';
  if (['integer', 'number', 'boolean'].includes(String(schema.type))) return 'abc';
  // All values of a form are strings.
  if (isJson && schema.type === 'string') return 12_345;
  if (isJson && (schema.type === 'array' || schema.type === 'object')) return 'abc';
  return undefined;
}

/** Longer texts are not put in a URL. */
const MAX_URL_TEXT = 1000;

/** Values just beyond the bounds of a schema. */
function listBeyond(schema: SchemaObject | undefined): readonly (number | string)[] {
  if (schema === undefined || schema.enum !== undefined) return [];
  const { type, minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength, maxLength, format, pattern } = schema;
  if (type === 'integer' || type === 'number') {
    const low =
      typeof exclusiveMinimum === 'number' ? exclusiveMinimum : minimum === undefined ? undefined : minimum - 1;
    const high =
      typeof exclusiveMaximum === 'number' ? exclusiveMaximum : maximum === undefined ? undefined : maximum + 1;
    return [low, high].flatMap((value) => (value !== undefined && Number.isSafeInteger(value) ? [value] : []));
  }
  if (type !== 'string' || format !== undefined || pattern !== undefined) return [];
  const short = minLength === undefined || minLength < 2 ? [] : ['a'.repeat(minLength - 1)];
  return maxLength === undefined || maxLength > MAX_BODY_TEXT ? short : [...short, 'a'.repeat(maxLength + 1)];
}

const MAX_BODY_TEXT = 10_000;

/** A schema of one type without unions, for which invalid values are easy to find. */
function plain(contract: Contract, given: Schema): SchemaObject | undefined {
  const { schema } = contract.resolve(given, '');
  if (typeof schema === 'boolean' || typeof schema.type !== 'string') return undefined;
  return schema.oneOf === undefined && schema.anyOf === undefined && schema.allOf === undefined ? schema : undefined;
}

function isClosed(schema: SchemaObject): boolean {
  return schema.type === 'string' && schema.enum !== undefined && !schema.enum.includes('no-such-member');
}
