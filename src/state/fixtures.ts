import type { Contract } from '../contract/contract.js';
import { MockError, nearest } from '../errors.js';
import type { Validators } from '../schema/validate.js';
import { createCollection, readScope, toScope, type Collection } from './collection.js';
import { readFixtureFolder, readFixtureValues, type FixtureText } from './fixture-file.js';
import { generateItems } from './fixture-generate.js';
import { readFixture, refuse, type Fixture, type FixtureItem } from './fixture-items.js';
import { createIdentity, type Identity } from './identity.js';
import { readItemKey } from './resource-facts.js';
import { createItemSchemaReader } from './item-schema.js';
import type { Item } from './item-list.js';
import type { Resource, Resources } from './resource.js';
import type { StoreDefinition } from './store.js';
import type { ValueMaker } from './whole-item.js';

/** What fixtures are read with. */
export interface FixtureParts {
  readonly contract: Contract;
  readonly resources: Resources;
  readonly validators: Validators;
  readonly generator: ValueMaker;
  readonly seed: number;
}

/**
 * The state every store of a mock starts from.
 *
 * @param source - A folder with one file per collection, or the collections themselves; undefined for none.
 * @throws MockError `FIXTURE_INVALID`, `FIXTURE_UNREADABLE`.
 */
export async function loadFixtures(
  source: string | Readonly<Record<string, unknown>> | undefined,
  parts: FixtureParts,
): Promise<StoreDefinition> {
  const texts = await readTexts(source);
  const fixtures = await Promise.all(texts.map((text) => readFixture(text, findResource(text, parts.resources))));
  const collections = new Map<string, Collection>();
  const secrets: Record<string, readonly string[]> = {};
  for (const { name, once } of parts.resources.collections.values()) if (once.length > 0) secrets[name] = once;
  // Parents first, so that what lives under them finds them; what is made comes last, so that it can name everything else.
  const sorted = sortByDepth(fixtures);
  for (const fixture of sorted) collections.set(fixture.resource.name, fillCollection(fixture, parts));
  for (const fixture of sorted) generateItems(fixture, collections, parts);
  for (const fixture of fixtures) checkReferences(fixture, collections, parts.resources);
  const readOwnKey = (name: string, item: Item): string | undefined => {
    const resource = parts.resources.collections.get(name);
    return resource === undefined ? undefined : readKey(resource, item);
  };
  return { collections, secrets, readKey: readOwnKey };
}

async function readTexts(
  source: string | Readonly<Record<string, unknown>> | undefined,
): Promise<readonly FixtureText[]> {
  if (source === undefined) return [];
  return typeof source === 'string' ? readFixtureFolder(source) : readFixtureValues(source);
}

function findResource(text: FixtureText, resources: Resources): Resource {
  const resource = resources.collections.get(text.name);
  if (resource !== undefined) return resource;
  const names = [...resources.collections.keys()];
  const meant = nearest(text.name, names);
  const known = names.length > 12 ? `${names.slice(0, 12).join(', ')}, …` : names.join(', ');
  throw new MockError('FIXTURE_INVALID', `the contract has no collection "${text.name}"`, {
    at: text.place(),
    hint: meant === undefined ? `its collections are ${known || '(none)'}` : `did you mean "${meant}"?`,
  });
}

function sortByDepth(fixtures: readonly Fixture[]): readonly Fixture[] {
  return fixtures.toSorted((a, b) => a.resource.parents.length - b.resource.parents.length);
}

function fillCollection(fixture: Fixture, parts: FixtureParts): Collection {
  const { resource, defaults, world } = fixture;
  const collection = createCollection({ name: resource.name, defaults, world, started: true });
  const schema = resource.schema === undefined ? undefined : createItemSchemaReader(parts.contract)(resource.schema);
  const identity = createIdentity(parts.contract, resource, schema);
  for (const given of fixture.items) {
    const item = addId(given, { fixture, collection, identity, seed: parts.seed });
    checkItem(item, { given, fixture, validators: parts.validators });
    const by = { seed: parts.seed, number: collection.list(given.scope).size + 1 };
    const id = given.id ?? readKey(resource, item) ?? String(identity.make(collection, given.scope, by));
    if (given.id !== undefined && collection.get(id, given.scope) !== undefined) {
      throw refuse(fixture.text.place(...given.segments, '$id'), `two items have the id ${JSON.stringify(id)}`);
    }
    collection.add({ id, item, content: given.content }, given.scope);
  }
  return collection;
}

/** An item with its id: its own, or one made from the seed where it has none. */
function addId(
  given: FixtureItem,
  into: {
    readonly fixture: Fixture;
    readonly collection: Collection;
    readonly identity: Identity;
    readonly seed: number;
  },
): Item {
  const { resource, text } = into.fixture;
  if (resource.singleton || resource.idProperty === undefined) return given.item;
  const id = given.item[resource.idProperty];
  if (id === undefined) {
    const number = into.collection.nextNumber();
    return {
      [resource.idProperty]: into.identity.make(into.collection, given.scope, { seed: into.seed, number }),
      ...given.item,
    };
  }
  if (typeof id !== 'string' && typeof id !== 'number') {
    throw refuse(text.place(...given.segments, resource.idProperty), 'an id is a text or a number');
  }
  if (into.collection.get(String(id), given.scope) !== undefined) {
    throw refuse(text.place(...given.segments, resource.idProperty), `two items have the id ${JSON.stringify(id)}`);
  }
  return given.item;
}

/** The key of an item in its collection; undefined where the item does not say it. */
function readKey(resource: Resource, item: Item): string | undefined {
  if (resource.singleton) return '';
  const id = item[resource.idProperty ?? 'id'];
  return id === undefined && resource.keyProperties.length === 0 ? undefined : readItemKey(resource, item, id);
}

function checkItem(
  item: Item,
  at: { readonly given: FixtureItem; readonly fixture: Fixture; readonly validators: Validators },
): void {
  const { given, fixture, validators } = at;
  if (fixture.resource.schema === undefined) return;
  const [first] = validators.check(fixture.resource.schema, 'response')(item, 'body');
  if (first === undefined) return;
  const steps = first.pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  throw refuse(
    fixture.text.place(...given.segments, ...steps),
    first.message.replace(/^(answer|body) property\b/, 'property').replace(/^(answer|body)\b/, 'the item'),
    `the item has to fit #${fixture.resource.schema}`,
  );
}

/** Whether parents and targets that other fixtures list are there. */
function checkReferences(fixture: Fixture, collections: ReadonlyMap<string, Collection>, resources: Resources): void {
  const { resource, text } = fixture;
  const parent = resource.parents.at(-1);
  const target = resource.members === undefined ? undefined : collections.get(resource.members);
  for (const { item, id: own, scope, segments } of fixture.items) {
    const above = parent === undefined ? undefined : collections.get(parent);
    const ids = readScope(scope);
    const id = ids.at(-1);
    if (above !== undefined && id !== undefined && above.get(id, scopeOf(ids, resources, parent)) === undefined) {
      throw refuse(
        text.place(...segments.slice(0, -1)),
        `"${parent}" has no item ${JSON.stringify(id)}`,
        suggest(id, above),
      );
    }
    const member = own ?? readKey(resource, item);
    if (target !== undefined && member !== undefined && target.get(member) === undefined) {
      throw refuse(
        text.place(...segments),
        `"${target.name}" has no item ${JSON.stringify(member)}`,
        suggest(member, target),
      );
    }
  }
}

/** The scope that a parent itself stands in. */
function scopeOf(ids: readonly string[], resources: Resources, parent: string | undefined): string {
  const depth = parent === undefined ? 0 : (resources.collections.get(parent)?.parents.length ?? 0);
  return toScope(...ids.slice(0, depth));
}

function suggest(id: string, collection: Collection): string | undefined {
  const ids = collection.scopes.flatMap((scope) => collection.list(scope).entries.map((entry) => entry.id));
  const meant = nearest(id, ids);
  return meant === undefined ? undefined : `did you mean "${meant}"?`;
}
