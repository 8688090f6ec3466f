import type { Contract } from '../contract/contract.js';
import { isObject } from '../contract/json.js';
import { MockError, nearest } from '../errors.js';
import type { Generator } from '../generate/generate.js';
import type { Validators } from '../schema/validate.js';
import { NO_VIOLATIONS, type Violation } from '../schema/violation.js';
import { withoutMarks } from '../state/fixtures/fixture-items.js';
import { createItemSchemaReader } from '../state/item-schema.js';
import type { Resource, Resources } from '../state/resource.js';
import { readScope, toScope } from '../state/store/collection.js';
import { createIdentity, type Identity } from '../state/store/identity.js';
import type { Item, ItemContent, NewEntry } from '../state/store/item-list.js';
import { createItemPlan, type ItemPlan } from '../state/store/item-plan.js';
import type { Session } from './session.js';

/** What items are written with. */
export interface ItemWriterParts {
  readonly contract: Contract;
  readonly resources: Resources;
  readonly validators: Validators;
  readonly generator: Generator;
}

/** The part of a session that items are written in. */
export type ItemWorld = Pick<Session, 'store' | 'clock' | 'seed'>;

/** Makes entries of one collection out of what somebody wrote down. */
export interface ItemWriter {
  readonly resource: Resource;
  /** The scope an item says it lives in with `$parent`; undefined where the collection has parents and it says none. */
  readScope(given: Item): string | undefined;
  /** The entry for an item as it is, its id made where it has none. */
  toEntry(world: ItemWorld, given: Item, scope: string): NewEntry;
  /** The same for an item that may leave out what its schema can supply. */
  completeEntry(world: ItemWorld, given: Item, scope: string): NewEntry;
  check(item: Item): readonly Violation[];
}

/** The writers of all collections, each made when it is first asked for. */
export interface ItemWriters {
  readonly names: readonly string[];
  /** @throws MockError `COLLECTION_UNKNOWN` that names the nearest. */
  get(collection: string): ItemWriter;
}

/** The writers of the collections of one contract. */
export function createItemWriters(parts: ItemWriterParts): ItemWriters {
  const read = createItemSchemaReader(parts.contract);
  const known = new Map<string, ItemWriter>();
  const names = [...parts.resources.collections.keys()];
  return {
    names,
    get: (name) => {
      const writer = known.get(name);
      if (writer !== undefined) return writer;
      const resource = parts.resources.collections.get(name);
      if (resource === undefined) throw toUnknown(name, names);
      const schema = resource.schema === undefined ? undefined : read(resource.schema);
      const check = resource.schema === undefined ? undefined : parts.validators.check(resource.schema, 'response');
      const maker = {
        check: (item: Item) => check?.(item, 'body') ?? NO_VIOLATIONS,
        complete: (item: Item, by: { readonly seed: number; readonly key: string; readonly now: number }): Item =>
          // The schema of a collection's items describes objects.
          parts.generator.complete(resource.schema ?? '', item, { ...by, direction: 'response' }) as Item,
      };
      const made = createItemWriter({
        resource,
        identity: createIdentity(parts.contract, resource, schema),
        plan: createItemPlan(resource, { schema, maker }),
        check: maker.check,
      });
      known.set(name, made);
      return made;
    },
  };
}

interface Tools {
  readonly resource: Resource;
  readonly identity: Identity;
  readonly plan: ItemPlan;
  check(item: Item): readonly Violation[];
}

function createItemWriter({ resource, identity, plan, check }: Tools): ItemWriter {
  const idProperty = resource.idProperty;
  const findId = (world: ItemWorld, item: Item, scope: string): unknown => {
    const given = idProperty === undefined ? undefined : item[idProperty];
    if (resource.singleton) return '';
    if (given !== undefined) return given;
    const collection = world.store.collection(resource.name);
    return identity.make(collection, scope, { seed: world.seed, number: collection.nextNumber() });
  };
  return {
    resource,
    check,
    readScope: (given) => {
      if (resource.parents.length === 0) return '';
      const parent = given['$parent'];
      if (typeof parent === 'string' || typeof parent === 'number') return toScope(...readScope(String(parent)));
      return undefined;
    },
    toEntry: (world, given, scope) => {
      const item = withoutMarks(given, resource);
      const id = findId(world, item, scope);
      const named = idProperty === undefined || resource.singleton ? {} : { [idProperty]: id };
      return { id: identity.toKey(id), item: { ...named, ...item }, content: readContent(given) };
    },
    completeEntry: (world, given, scope) => {
      const item = withoutMarks(given, resource);
      const id = findId(world, item, scope);
      const collection = world.store.collection(resource.name);
      const made = plan.create({
        // An id is a text or a number: `make` gives no other, and the check below refuses what was given otherwise.
        id: resource.singleton ? undefined : (id as string | number),
        body: {},
        fixed: item,
        defaults: collection.defaults,
        seed: world.seed,
        key: `${resource.name}\0${scope}\0${String(id)}`,
        now: world.clock.now(),
      });
      const hidden = resource.once.filter((name) => Object.hasOwn(made, name) && !Object.hasOwn(item, name));
      const shown = { ...made, ...item };
      for (const name of hidden) delete shown[name];
      const secrets = Object.fromEntries(hidden.map((name) => [name, made[name]]));
      return { id: identity.toKey(id), item: shown, secrets, content: readContent(given) };
    },
  };
}

/** `$content`: a text, or `{ base64 }`, as in a fixture. */
function readContent(given: Item): ItemContent | undefined {
  const content = given['$content'];
  const type = given['$contentType'];
  const mediaType = typeof type === 'string' ? type : undefined;
  if (typeof content === 'string') return { bytes: new TextEncoder().encode(content), mediaType };
  if (!isObject(content) || typeof content['base64'] !== 'string') return undefined;
  return { bytes: new Uint8Array(Buffer.from(content['base64'], 'base64')), mediaType };
}

function toUnknown(name: string, names: readonly string[]): MockError {
  const meant = nearest(name, names);
  const known = names.length === 0 ? 'the contract has no collections' : `its collections are ${names.join(', ')}`;
  return new MockError('COLLECTION_UNKNOWN', `the contract has no collection "${name}"`, {
    hint: meant === undefined ? known : `did you mean "${meant}"?`,
  });
}
