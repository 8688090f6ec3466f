import { isObject } from '../../../contract/json.js';
import type { Answer } from '../../../http/answer.js';
import type { ItemProperty } from '../../../state/item-schema.js';
import { toBareName, toSingular } from '../../../state/names.js';
import type { Resource } from '../../../state/resource.js';
import type { Entry, Item } from '../../../state/store/collection.js';
import type { Transaction } from '../../../state/store/store.js';
import type { Exchange } from '../../chain.js';
import { chooseDeclared, type OperationContext, type References, type StateHandler } from './context.js';
import { refuseUnknown } from './request.js';

/** A property of a request body that names an item of another collection. */
interface Reference {
  /** The property of the body: `customer`, `customer_id`, `project`. */
  readonly name: string;
  readonly collection: string;
  /** The object of the item that shows the other item: `role` for `role_id`; its property names. */
  readonly shown: { readonly name: string; readonly names: readonly string[] } | undefined;
}

const NO_PROPERTIES: Item = Object.freeze({});

/** Of an operation whose bodies name no other items. */
export const NO_REFERENCES: References = { embed: () => NO_PROPERTIES };

/** Plans the references in the bodies of an operation. */
export function createReferences(context: OperationContext): References {
  const references = findReferences(context).filter(({ shown }) => shown !== undefined);
  if (references.length === 0) return NO_REFERENCES;
  return {
    embed: (transaction, body) => {
      const embedded: Record<string, unknown> = {};
      for (const { name, collection, shown } of references) {
        const [id] = readIds(body[name]);
        const entry = id === undefined ? undefined : findExisting(context, transaction, { collection, id });
        if (entry === undefined || shown === undefined || isWhole(body[shown.name])) continue;
        const parts = shown.names.filter((each) => Object.hasOwn(entry.item, each));
        embedded[shown.name] = Object.fromEntries(parts.map((each) => [each, entry.item[each]]));
      }
      return embedded;
    },
  };
}

/** Whether a request sends an object itself instead of its id. */
function isWhole(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length > 1;
}

/** Refuses a request whose body names an item that does not exist, where the store knows which items exist. */
export function withReferences(context: OperationContext, handler: StateHandler): StateHandler {
  const { action } = context.binding;
  if (!['act', 'create', 'replace', 'update'].includes(action) || !declaresRefusal(context)) return handler;
  const references = findReferences(context);
  if (references.length === 0) return handler;
  return (exchange, transaction) =>
    findMissing(context, references, { exchange, transaction }) ?? handler(exchange, transaction);
}

/** Whether the contract declares a status for a request that cannot be carried out. */
function declaresRefusal({ binding }: OperationContext): boolean {
  return binding.operation.responses.some(({ status }) => /^(404|422|400|4XX|default)$/i.test(status));
}

function findMissing(
  context: OperationContext,
  references: readonly Reference[],
  { exchange, transaction }: { readonly exchange: Exchange; readonly transaction: Transaction },
): Answer | undefined {
  const { items, reader } = context;
  const body = reader.one(exchange.call);
  for (const { name, collection } of references) {
    const ids = readIds(body[name]);
    // Where unknown ids are created, every id is that of an item.
    if (ids.length === 0 || items.unknownIds(items.locate(transaction, collection)) === 'create') continue;
    const parents = ids.map((id) => ({ collection, id }));
    const missing = parents.find((each) => items.findParents(transaction, [each]).missing !== undefined);
    if (missing === undefined) continue;
    const status = chooseDeclared(context, [404, 422, 400]);
    return refuseUnknown(context, exchange, { ...missing, status, param: name });
  }
  return undefined;
}

function findExisting(
  { items }: OperationContext,
  transaction: Transaction,
  { collection, id }: { readonly collection: string; readonly id: string },
): Entry | undefined {
  const location = items.locate(transaction, collection);
  return location.collection.get(id, location.scope);
}

/** The ids that a value holds: itself, the `id` of an object, or those of the elements of an array. */
function readIds(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(readIds);
  const id = isObject(value) ? value['id'] : value;
  return (typeof id === 'string' && id !== '') || typeof id === 'number' ? [String(id)] : [];
}

function findReferences(context: OperationContext): readonly Reference[] {
  const { binding, read, resources, model } = context;
  const nouns = readNouns([...resources.collections.values()]);
  const readProperties = (pointer: string): readonly ItemProperty[] => [...(read(pointer)?.properties.values() ?? [])];
  const roots = (binding.operation.body?.content ?? []).flatMap(({ schemaPointer }) => readProperties(schemaPointer));
  const nested = roots.flatMap(({ target }) => readProperties(target));
  const found = new Map<string, Reference>();
  for (const property of [...roots, ...nested]) {
    const { name } = property;
    const collection = nouns.get(toNounOf(context, property));
    // The target of a membership is checked when it is created.
    const isOwn = collection === binding.collection || name === model.resource.memberParameter;
    if (collection === undefined || isOwn || found.has(name)) continue;
    found.set(name, { name, collection, shown: findShown(context, name) });
  }
  return [...found.values()];
}

/** The collections at the top level by the bare noun of their items; a noun of two collections names none. */
function readNouns(resources: readonly Resource[]): ReadonlyMap<string, string> {
  const nouns = new Map<string, string>();
  const twice = new Set<string>();
  for (const { name, parents, singleton, idProperty } of resources) {
    if (parents.length > 0 || singleton || idProperty === undefined) continue;
    const noun = toBareName(toSingular(name.split('.').at(-1) ?? ''));
    if (nouns.has(noun)) twice.add(noun);
    nouns.set(noun, name);
  }
  return new Map([...nouns].filter(([noun]) => !twice.has(noun)));
}

/** The bare noun that a property of a body names an item of: of `customer_id`, of an expandable `customer`, and of `project: { id }`. */
function toNounOf({ read, model }: OperationContext, { name, schema, target }: ItemProperty): string {
  const bare = toBareName(name);
  if (schema.enum !== undefined || schema.type === 'boolean') return '';
  const stem = /^(.+?)ids?$/.exec(bare)?.[1];
  if (stem !== undefined) return stem;
  const inner = read(target);
  const isReference =
    inner !== undefined &&
    inner.properties.has('id') &&
    [...inner.properties.values()].every(({ name: each }) => /^(id|type)$/.test(each));
  const shown = model.schema?.properties.get(name);
  const isExpandable = shown?.scalar === true && shown.branches.length > 1;
  const isId = schema.type === 'string' && /\b(ids?|identifier)\b/i.test(schema.description ?? '');
  return isReference || isExpandable || isId ? bare : '';
}

/** The object of an item that shows what a property of a request names by its id. */
function findShown({ model, read }: OperationContext, name: string): Reference['shown'] {
  const stem = toBareName(name).replace(/id$/, '');
  const property = [...(model.schema?.properties.values() ?? [])].find((each) => toBareName(each.name) === stem);
  const names = property === undefined || property.scalar ? [] : [...(read(property.target)?.properties.keys() ?? [])];
  return property === undefined || names.length === 0 ? undefined : { name: property.name, names };
}
