import { isObject, readOwn, type Schema, type SchemaObject, COMBINING_KEYWORDS } from '../../base/json.js';
import { fromReference, readPointer } from '../../contract/pointer.js';

/** The schemas of a list. */
export function toSchemas(value: unknown): readonly Schema[] {
  return Array.isArray(value) ? value.filter((item) => isObject(item) || typeof item === 'boolean') : [];
}

/** The schema that another one refers to, also where a validator cannot follow the reference, since it leads back to its own schema. */
export function readTarget(schema: SchemaObject): string | undefined {
  return fromReference(schema.$ref ?? schema['x-vouch-unresolved']);
}

/** A schema, what it refers to and what it has in these keywords, with all that those refer to. */
export function listParts(
  document: unknown,
  schema: unknown,
  keywords: readonly ('allOf' | 'anyOf' | 'items' | 'oneOf')[] = COMBINING_KEYWORDS,
): readonly SchemaObject[] {
  const found = new Set<SchemaObject>();
  const visit = (part: unknown): void => {
    if (!isObject(part) || found.has(part)) return;
    found.add(part);
    const target = readTarget(part);
    if (target !== undefined) visit(readPointer(document, target));
    for (const inner of keywords.flatMap((keyword) => part[keyword])) visit(inner);
  };
  visit(schema);
  return [...found];
}

/** Keywords that say more about the type than the reference beside them. */
const BESIDE_REFERENCE = ['properties', 'required', 'allOf', 'anyOf', 'oneOf', 'enum', 'const'];

/** Whether a schema has the type of the schema that it refers to. */
export function isReference(schema: SchemaObject): boolean {
  return readTarget(schema) !== undefined && !BESIDE_REFERENCE.some((keyword) => keyword in schema);
}

/** How the type of a schema needs another one: as the same value by alternatives, also by schemas that it extends, or in an array. */
type Way = 0 | 1 | 2;

/** The shared schemas that TypeScript resolves for the type of one, since they are not in an object; each as `${Way} ${pointer}`. */
export function listNeeded(document: unknown, pointer: string): ReadonlySet<string> {
  const found = new Set<string>();
  const follow = (target: string, way: Way): void => {
    if (found.has(`${way} ${target}`)) return;
    found.add(`${way} ${target}`);
    if (way === 0) found.add(`1 ${target}`);
    visit(readPointer(document, target), way);
  };
  const visit = (schema: unknown, way: Way): void => {
    if (!isObject(schema)) return;
    const extended = way === 0 ? 1 : way;
    const target = readTarget(schema);
    if (target !== undefined) follow(target, isReference(schema) ? way : extended);
    for (const part of [schema['anyOf'], schema['oneOf']].flat()) visit(part, way);
    for (const part of toSchemas(schema['allOf'])) visit(part, extended);
    for (const part of [schema['items'], schema['prefixItems']].flat()) visit(part, 2);
  };
  follow(pointer, 0);
  return found;
}

/** Whether a schema does not say what is in its value: an object or array of anything. */
export function isVague(document: unknown, schema: Schema): boolean {
  return !listParts(document, schema, [...COMBINING_KEYWORDS, 'items']).some(isTelling);
}

/** Whether a schema says that an object can have any further properties. */
export function isFree(schema: Schema): boolean {
  const { additionalProperties: others } = isObject(schema) ? schema : {};
  return others === true || (isObject(others) && Object.keys(others).length === 0);
}

const TELLING = ['patternProperties', 'prefixItems', 'enum', 'const'];

function isTelling(part: SchemaObject): boolean {
  const { type = [], properties = {}, additionalProperties = false } = part;
  const isOpen = type.length === 0 || type.includes('object') || type.includes('array');
  if (!isOpen) return type !== 'null';
  if (Object.keys(properties).length > 0 || (additionalProperties !== false && !isFree(part))) return true;
  return [...TELLING, ...(type.length === 0 ? ['required', 'not', 'if'] : [])].some((keyword) => keyword in part);
}

/** The schema of a member of a value: `items`, `additionalProperties`, or a property by its name after a dot. */
function readMember(part: SchemaObject, key: string): Schema | undefined {
  return key.startsWith('.') ? readOwn(part.properties ?? {}, key.slice(1)) : (part[key] as Schema | undefined);
}

/** The schemas of a member, from all schemas of the same value. */
export function listMembers(document: unknown, schemas: readonly Schema[], key: string): readonly Schema[] {
  const parts = schemas.flatMap((schema) => listParts(document, schema));
  return parts.map((part) => readMember(part, key)).filter((member) => member !== undefined);
}

/** Whether a schema is vague, in itself or in a member, where others of the same value are not. */
export function isCompleted(document: unknown, whole: Schema, others: readonly Schema[]): boolean {
  const seen = new Set<Schema>();
  const visit = (schema: Schema | undefined, beside: readonly Schema[]): boolean => {
    if (schema === undefined || beside.length === 0 || seen.has(schema)) return false;
    seen.add(schema);
    if (isVague(document, schema)) return !isFree(schema) && beside.some((other) => !isVague(document, other));
    return listParts(document, schema).some((part) => {
      const keys = ['items', 'additionalProperties', ...Object.keys(part.properties ?? {}).map((name) => `.${name}`)];
      return keys.some((key) => visit(readMember(part, key), listMembers(document, beside, key)));
    });
  };
  return visit(whole, others);
}
