import type { Contract } from '../../contract/contract.js';
import { filterMembers, isObject, type Schema, type SchemaObject } from '../../base/json.js';
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
  for (const { in: place, name, required, schema: given, mediaType } of draft.operation.parameters) {
    if (place === 'querystring' || /^(accept|content-type|content-length|authorization)$/i.test(name)) continue;
    const values = draft[place];
    if (required && place !== 'path') {
      const credentials = withoutKey(draft.credentials, name);
      add(`without ${place} ${name}`, { [place]: without(values, name), credentials });
    }
    const schema = plain(contract, given);
    for (const wrong of [...(mediaType === undefined ? listWrong(schema, false) : []), ...listBeyond(schema)]) {
      const text = String(wrong);
      if (typeof wrong === 'string' && text.length > MAX_URL_TEXT) continue;
      const shown = text.length > 40 ? `${text.length} characters` : text;
      add(`${place} ${name}=${shown}`, { [place]: { ...values, [name]: wrong } });
    }
  }
  if (draft.body === undefined) return broken;
  // Few clients can send the body of a DELETE, so that leaving it out is not a mistake.
  if (draft.operation.method !== 'DELETE') add('without a body', { body: undefined });
  const { media, value } = draft.body;
  if (!isObject(value) || media.schema === undefined) return broken;
  const { schema } = contract.resolve(media.schema, media.schemaPointer);
  if (typeof schema === 'boolean') return broken;
  const isForm = /^(multipart\/form-data|application\/x-www-form-urlencoded)\b/.test(media.type);
  for (const name of schema.required ?? []) {
    const property = schema.properties?.[name] ?? true;
    const isReadOnly = [property, contract.resolve(property, '').schema].some(
      (each) => typeof each !== 'boolean' && each.readOnly === true,
    );
    // A form cannot express an empty array or object, so that leaving one out is not a mistake.
    if (isReadOnly || (isForm && mayBeEmpty(plain(contract, property)))) continue;
    add(`body without ${name}`, { body: { media, value: without(value, name) } });
  }
  for (const name of Object.keys(value)) {
    const own = plain(contract, schema.properties?.[name] ?? true);
    for (const each of [...listWrong(own, /json/.test(media.type)), ...(isForm ? [] : listBeyond(own))]) {
      const text = JSON.stringify(each);
      const shown = text.length > 40 ? `${text.length - 2} characters` : text;
      add(`body ${name}: ${shown}`, { body: { media, value: { ...value, [name]: each } } });
    }
  }
  return broken;
}

/** Longer texts are not put in a URL. */
const MAX_URL_TEXT = 1000;

function mayBeEmpty(schema: SchemaObject | undefined): boolean {
  if (schema?.type === 'array') return (schema.minItems ?? 0) === 0;
  return schema?.type === 'object' && (schema.minProperties ?? 0) === 0 && (schema.required ?? []).length === 0;
}

function without<Value>(values: Readonly<Record<string, Value>>, name: string): Readonly<Record<string, Value>> {
  return filterMembers(values, (each) => each !== name);
}

/** Credentials without one that a parameter declares as well. */
function withoutKey({ headers, query }: RequestDraft['credentials'], name: string): RequestDraft['credentials'] {
  const isOther = (key: string): boolean => key.toLowerCase() !== name.toLowerCase();
  return { headers: filterMembers(headers, isOther), query: filterMembers(query, isOther) };
}

/** A value of another type than a schema has, or of no member of its enumeration; none where that is not clear. */
function listWrong(schema: SchemaObject | undefined, isJson: boolean): readonly (number | string)[] {
  const { type, enum: members } = schema ?? {};
  if (type === 'string' && members !== undefined && !members.includes('no-such-member')) return ['no-such-member'];
  if (type === 'integer' || type === 'number' || type === 'boolean') return ['abc'];
  // All values of a form are strings.
  if (!isJson) return [];
  return type === 'string' ? [12_345] : type === 'array' || type === 'object' ? ['abc'] : [];
}

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
