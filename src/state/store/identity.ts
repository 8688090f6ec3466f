import type { Contract } from '../../contract/contract.js';
import { isObject, type SchemaObject } from '../../contract/json.js';
import { createIdGenerator, createLikeExample, createPrefixed } from '../../generate/text/identifiers.js';
import type { TextGenerator } from '../../generate/text/pattern.js';
import { createRandom } from '../../random.js';

import type { ItemSchema } from '../item-schema.js';
import { type Resource, toSingular } from '../resource.js';
import type { Collection, Item } from './collection.js';

/** What an id is generated from. */
interface IdSource {
  readonly seed: number;
  readonly number: number;
  /** Distinguishes lists that show parts of one collection. */
  readonly part?: string;
}

/** Generates and converts the ids of one collection. */
export interface Identity {
  /** The id of create number `number`: a function of the seed, the collection and that number, unused in this scope. */
  generateId(collection: Collection, scope: string, source: IdSource): string | number;
  /** The id in the form of an item: a number where the schema requires one. */
  toValue(id: string | number): string | number;
}

/** Creates ids from the pattern, format or examples of the id, else with a prefix from the name of the resource. */
export function createIdentity(contract: Contract, resource: Resource, schema: ItemSchema | undefined): Identity {
  const property = schema?.properties.get(resource.idProperty ?? '');
  const shown = property?.schema ?? readSchema(contract, resource.idParameterSchema) ?? {};
  const whole = isInteger(shown);
  const idProperty = resource.idProperty ?? '';
  const pattern = Object.hasOwn(resource.patterns, idProperty) ? resource.patterns[idProperty] : undefined;
  const form = whole ? undefined : findForm(contract, { resource, schema, shown, pattern });
  return {
    toValue: (id) => (whole && /^-?\d+$/.test(String(id)) ? Number(id) : whole ? id : String(id)),
    generateId: (collection, scope, { seed, number, part = '' }) => {
      const list = collection.list(scope);
      if (form === undefined) {
        // The next number after the existing items, so that numbers stay small; `number` skips those that were removed.
        let next = Math.max(list.size + 1, number);
        while (list.recall(String(next)) !== undefined) next += 1;
        return next;
      }
      for (let attempt = 0; ; attempt++) {
        const key = `${collection.name}\0${scope}${part}\0${number}${attempt === 0 ? '' : `\0${attempt}`}`;
        const id = form(createRandom(seed, key));
        // A pattern may allow only few ids: then the number is appended.
        if (list.recall(id) === undefined) return id;
        if (attempt > 20) return `${id}${number}`;
      }
    },
  };
}

/** The id of an item in its collection: the id property, or, where several parameters identify an item, their values joined by `/`. */
export function readItemKey({ keyProperties }: Resource, item: Item, id: unknown): string {
  if (keyProperties.length === 0) return typeof id === 'string' ? id : String(id);
  return keyProperties.map((name) => String(item[name])).join('/');
}

function findForm(
  contract: Contract,
  known: {
    readonly resource: Resource;
    readonly schema: ItemSchema | undefined;
    readonly shown: SchemaObject;
    readonly pattern: string | undefined;
  },
): TextGenerator {
  const { resource, schema, shown, pattern } = known;
  const own = createIdGenerator(shown, pattern);
  if (own !== undefined) return own;
  const id = resource.idProperty ?? 'id';
  const examples = [schema?.schema.example, ...(Array.isArray(schema?.schema.examples) ? schema.schema.examples : [])];
  for (const example of examples) {
    const form = isObject(example) && typeof example[id] === 'string' ? createLikeExample(example[id]) : undefined;
    if (form !== undefined) return form;
  }
  const parameter = readSchema(contract, resource.idParameterSchema);
  const named = parameter === undefined ? undefined : createIdGenerator(parameter);
  return named ?? createPrefixed(`${toSingular(resource.name.split('.').at(-1) ?? 'item')}_`);
}

function readSchema(contract: Contract, pointer: string | undefined): SchemaObject | undefined {
  const schema = pointer === undefined ? undefined : contract.at(pointer);
  if (!isObject(schema) || pointer === undefined) return undefined;
  const resolved = contract.resolve(schema, pointer).schema;
  return isObject(resolved) ? resolved : undefined;
}

function isInteger(schema: SchemaObject): boolean {
  return (
    schema.type === 'integer' ||
    schema.type === 'number' ||
    (Array.isArray(schema.type) && schema.type.includes('integer'))
  );
}
