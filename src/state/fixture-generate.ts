import type { Contract } from '../contract/contract.js';
import { isObject } from '../contract/json.js';
import { DEFAULT_INSTANT } from '../clock.js';
import { createRandom } from '../random.js';
import { toScope, readScope, type Collection } from './collection.js';
import { refuse, type Fixture } from './fixture-items.js';
import type { FixtureParts } from './fixtures.js';
import { createIdentity } from './identity.js';
import type { Item } from './item-list.js';
import { createItemSchemaReader, type ItemProperty, type ItemSchema } from './item-schema.js';
import { readItemKey } from './resource-facts.js';
import { toBareName, toSingular } from './resource-names.js';
import { makeWholeItem } from './whole-item.js';

/**
 * Adds the items a fixture asks for with `generate`: valid, the same for the same seed, and linked - below a parent that is
 * there, and with the ids of items that are there wherever a property is named after a collection.
 *
 * @throws MockError `FIXTURE_INVALID` where there is no schema to make them from, or no parent to put them under.
 */
export function generateItems(
  fixture: Fixture,
  collections: ReadonlyMap<string, Collection>,
  parts: FixtureParts,
): void {
  const { resource, text, generate } = fixture;
  const collection = collections.get(resource.name);
  if (generate === 0 || collection === undefined) return;
  const read = createItemSchemaReader(parts.contract);
  const schema = resource.schema === undefined ? undefined : read(resource.schema);
  if (resource.schema === undefined || schema === undefined) {
    throw refuse(
      text.place('generate'),
      `the contract does not show what an item of "${resource.name}" looks like`,
      'write the items out',
    );
  }
  const scopes = findScopes(fixture, collections);
  if (scopes.length === 0) {
    const parent = resource.parents.at(-1) ?? '';
    throw refuse(
      text.place('generate'),
      `"${parent}" has no items to put these under`,
      `add fixtures of "${parent}", or "generate" some`,
    );
  }
  const identity = createIdentity(parts.contract, resource, schema);
  const targets = resource.members === undefined ? [] : (collections.get(resource.members)?.list().entries ?? []);
  const links = findLinks(parts.contract, schema, collections);
  const property = schema.properties.get(resource.idProperty ?? '');
  const fits = ({ target }: ItemProperty, id: unknown): boolean =>
    parts.validators.check(target, 'response')(id, 'body').length === 0;
  for (let i = 0; i < generate; i++) {
    const scope = scopes[i % scopes.length] ?? '';
    const number = collection.nextNumber();
    const key = `${resource.name}\0generate\0${number}`;
    const random = createRandom(parts.seed, key);
    const free = targets.filter((target) => collection.get(target.id, scope) === undefined);
    if (resource.members !== undefined && free.length === 0) break;
    const own =
      free.length === 0 ? identity.make(collection, scope, { seed: parts.seed, number }) : random.pick(free).id;
    const id = identity.toValue(own);
    const given: Record<string, unknown> = { ...fixture.defaults };
    if (property !== undefined && fits(property, id)) given[property.name] = id;
    const linked: Record<string, unknown> = {};
    for (const { property, ids } of links) if (!Object.hasOwn(given, property)) linked[property] = random.pick(ids);
    Object.assign(linked, readParents(fixture, schema, scope));
    const item = makeWholeItem(parts, {
      schema: resource.schema,
      given,
      wished: linked,
      context: { seed: parts.seed, key, direction: 'response', now: DEFAULT_INSTANT },
    });
    // Where the schema rules out the id that was made, the item has one of its own; there may be only a few of those.
    const shown = property === undefined || free.length > 0 ? id : (item[property.name] ?? id);
    const name = readItemKey(resource, item, shown);
    if (collection.get(name, scope) === undefined) collection.add({ id: name, item }, scope);
  }
}

/** Where new items may live: at the top, or below each item of the parent. */
function findScopes(fixture: Fixture, collections: ReadonlyMap<string, Collection>): readonly string[] {
  const parent = fixture.resource.parents.at(-1);
  if (parent === undefined) return [''];
  const above = collections.get(parent);
  return (above?.scopes ?? []).flatMap((scope) =>
    (above?.list(scope).entries ?? []).map((entry) => toScope(...readScope(scope), entry.id)),
  );
}

/** Properties named like the path parameters an item lives under: `thread_id`. */
function readParents(fixture: Fixture, schema: ItemSchema, scope: string): Item {
  const names = [...fixture.resource.path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1] ?? '');
  const ids = readScope(scope);
  return Object.fromEntries(names.flatMap((name, i) => (schema.properties.has(name) ? [[name, ids[i]]] : [])));
}

interface Link {
  readonly property: string;
  readonly ids: readonly (string | number)[];
}

/** Properties that hold the id of an item of another collection: `customer`, `customer_id`, `customerId`. */
function findLinks(
  contract: Contract,
  schema: ItemSchema,
  collections: ReadonlyMap<string, Collection>,
): readonly Link[] {
  const links: Link[] = [];
  for (const property of schema.properties.values()) {
    const noun = toBareName(property.name.replace(/_?id$/i, ''));
    if (noun === '' || !takesId(contract, property)) continue;
    for (const collection of collections.values()) {
      const last = collection.name.split('.').at(-1) ?? '';
      const ids = collection.list().entries.map(({ id, item }) => (typeof item['id'] === 'number' ? item['id'] : id));
      if (toBareName(toSingular(last)) === noun && ids.length > 0) links.push({ property: property.name, ids });
    }
  }
  return links;
}

/** Whether a property can hold a bare id: a text or a number, or a union with one. */
function takesId(contract: Contract, property: ItemProperty): boolean {
  const own = contract.at(property.pointer);
  if (!isObject(own)) return false;
  const { schema } = contract.resolve(own, property.pointer);
  if (!isObject(schema)) return false;
  const isPlain = (each: unknown): boolean =>
    isObject(each) &&
    (each['type'] === 'string' || each['type'] === 'integer') &&
    each['enum'] === undefined &&
    each['format'] === undefined;
  return isPlain(schema) || [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].some(isPlain);
}
