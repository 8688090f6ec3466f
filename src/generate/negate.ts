import { isObject } from '../contract/json.js';
import { type Choice, isKeywords, type Option, type Part, SYNTHETIC } from './shape.js';

/**
 * Ways not to fit a schema, for the plain forms of `not`: one choice between the keywords that can be broken. A schema of
 * another form gives none, and the value is left to luck and the validator.
 */
export function readNegations(part: Part, follow: (reference: string) => Part | undefined): readonly Choice[] {
  const { schema, pointer } = part;
  if (schema === true) return [{ id: `${pointer}${SYNTHETIC}`, keyword: 'not', options: [], isExact: false }];
  if (!isKeywords(schema)) return [];
  const options: Option[] = [];
  const target = typeof schema.$ref === 'string' ? follow(schema.$ref) : undefined;
  if (target !== undefined && Object.keys(schema).length === 1) return readNegations(target, follow);
  const add = (keywords: object, name: string): void => {
    options.push({ add: [{ schema: { ...keywords }, pointer: `${pointer}${SYNTHETIC}${name}` }], forbid: [] });
  };
  if (Array.isArray(schema.required)) {
    for (const name of schema.required) add({ properties: { [name]: false } }, `required-${name}`);
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const inner = { schema: property, pointer: `${pointer}/properties/${name}` };
    add({ required: [name], properties: { [name]: { not: inner.schema } } }, `property-${name}`);
  }
  const types = schema.type;
  if (types !== undefined) {
    const given = new Set<unknown>(Array.isArray(types) ? types : [types]);
    const left = ['object', 'string', 'integer', 'number', 'boolean', 'array', 'null'].filter(
      (type) =>
        !given.has(type) &&
        !(type === 'integer' && given.has('number')) &&
        !(type === 'number' && given.has('integer')),
    );
    add({ type: left }, 'type');
  }
  if (schema.const !== undefined) add({ 'x-vouch-excluded': [schema.const] }, 'const');
  if (Array.isArray(schema.enum)) add({ 'x-vouch-excluded': schema.enum }, 'enum');
  if (typeof schema.minimum === 'number') add({ exclusiveMaximum: schema.minimum }, 'minimum');
  if (typeof schema.maximum === 'number') add({ exclusiveMinimum: schema.maximum }, 'maximum');
  if (typeof schema.minLength === 'number') add({ maxLength: schema.minLength - 1 }, 'minLength');
  if (typeof schema.maxLength === 'number') add({ minLength: schema.maxLength + 1 }, 'maxLength');
  if (typeof schema.minItems === 'number') add({ maxItems: schema.minItems - 1 }, 'minItems');
  if (typeof schema.maxItems === 'number') add({ minItems: schema.maxItems + 1 }, 'maxItems');
  if (Array.isArray(schema.anyOf) || Array.isArray(schema.oneOf)) {
    const branches = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
    add({ allOf: branches.map((branch) => ({ not: branch })) }, 'branches');
  }
  if (isObject(schema.not)) add({ allOf: [schema.not] }, 'not');
  return options.length === 0 ? [] : [{ id: `${pointer}${SYNTHETIC}`, keyword: 'not', options, isExact: false }];
}
