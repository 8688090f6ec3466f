import type { Contract } from './contract.js';
import type { Operation } from './operation.js';
import { decodeText } from './pointer.js';
import { isObject, type SchemaObject } from './schema.js';

/** Whether the texts of a path can be values of the parameters they stand for, in the order of the names. */
export type PathFit = (names: readonly string[], texts: readonly string[]) => boolean;

/** What a text must look like to be a value of a type or a format. */
const FORMS: Readonly<Record<string, RegExp>> = {
  integer: /^-?\d+$/,
  number: /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i,
  boolean: /^(?:true|false)$/,
  uuid: /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i,
  date: /^\d{4}-\d\d-\d\d$/,
};

/**
 * Tells path keys of one shape apart (`/files/{id}` and `/files/{name}`): OpenAPI says they are one, documents mean the one whose
 * parameters fit. Types, formats and enums tell; whatever else a schema says is left to the check of the request.
 */
export function createPathFit(operation: Operation, resolve: Contract['resolve']): PathFit {
  const schemas = new Map<string, SchemaObject>();
  for (const parameter of operation.parameters) {
    if (parameter.in !== 'path' || parameter.style !== 'simple') continue;
    const { schema } = resolve(parameter.schema, parameter.schemaPointer);
    if (isObject(schema)) schemas.set(parameter.name, schema);
  }
  return (names, texts) => names.every((name, i) => fitsSchema(decodeText(texts[i] ?? ''), schemas.get(name)));
}

function fitsSchema(text: string, schema: SchemaObject | undefined): boolean {
  if (schema === undefined) return true;
  if (Array.isArray(schema.enum)) return schema.enum.some((value) => String(value) === text);
  return [schema.type, schema.format].every((name) => typeof name !== 'string' || (FORMS[name]?.test(text) ?? true));
}
