import type { Contract } from '../../contract/contract.js';
import { isIdValue } from '../../base/exact-number.js';
import { isObject } from '../../base/json.js';
import type { Operation } from '../../contract/operations/operation.js';
import { readPointer, toPointer } from '../../contract/pointer.js';
import { createRouter } from '../../contract/router/router.js';
import type { CallParts } from '../../features/recording/matching/exchange-index.js';
import { createGenerator, type Generator } from '../../generate/generate.js';
import { createCallDecoder } from '../../http/request/call.js';
import { describeBinding, type OperationReport } from '../../resources/answer/report.js';
import { inferResources } from '../../resources/infer/infer.js';
import { createItemModels, type ItemModels } from '../../resources/item/item-models.js';
import type { Resource } from '../../resources/item/resource.js';
import { createItems } from '../../resources/store/items.js';
import { createValidators } from '../../schema/validate.js';

/** A collection with what its operations do. */
export interface VerifiedCollection {
  readonly resource: Resource;
  readonly operations: readonly OperationReport[];
}

/** What verifying needs of a document. */
export interface VerifyContext extends CallParts, ItemModels {
  /** Parents come before what belongs to them. */
  readonly collections: readonly VerifiedCollection[];
  reportOf(
    operation: string,
  ): { readonly report: OperationReport; readonly collection: VerifiedCollection } | undefined;
}

function withSeed(generator: Generator, seed: number): Generator {
  return {
    ...generator,
    value: (pointer, context) => generator.value(pointer, { ...context, seed }),
    complete: (pointer, partial, context) => generator.complete(pointer, partial, { ...context, seed }),
  };
}

const BODY_LIMIT_BYTES = 64 * 1024 * 1024;

/** Reads a document for its verification. @param seed - Decides the generated values. */
export function createVerifyContext(contract: Contract, seed = 1): VerifyContext {
  const resources = inferResources(contract);
  const validators = createValidators(contract);
  const generator = withSeed(createGenerator(contract, validators), seed);
  const models = createItemModels({ contract, resources, validators, generator });
  const reporting = { ...models, items: createItems(models) };
  const collections = [...resources.collections.values()]
    .map((resource): VerifiedCollection => {
      const own = models.bindingsOf(resource.name);
      return { resource, operations: own.map((binding) => describeBinding(reporting, binding)) };
    })
    .toSorted((one, other) => one.resource.parents.length - other.resource.parents.length);
  const byOperation = new Map(
    collections.flatMap((collection) =>
      collection.operations.map((report) => [report.operation, { report, collection }]),
    ),
  );
  return {
    ...models,
    decoder: createCallDecoder(contract, validators, { bodyLimitBytes: BODY_LIMIT_BYTES }),
    router: createRouter(contract.operations, contract.resolve),
    collections,
    reportOf: (operation) => byOperation.get(operation),
  };
}

/** An item of the service: its ids, those of its parents first. */
export interface KnownItem {
  readonly ids: readonly string[];
  /** Whether this run has created it, so that it may be changed and removed. */
  readonly isOwn: boolean;
}

/** The items that answers have shown, by collection. */
export interface ItemPool {
  add(collection: string, item: KnownItem): void;
  /** An item below these parents. @param mustBeOwn - Only one that this run has created. */
  find(collection: string, parents: readonly string[], mustBeOwn: boolean): KnownItem | undefined;
  remove(collection: string, item: KnownItem): void;
}

/** Creates an empty pool. */
export function createPool(): ItemPool {
  const items = new Map<string, KnownItem[]>();
  const toKey = ({ ids }: KnownItem): string => ids.join('\0');
  const others = (collection: string, item: KnownItem): KnownItem[] =>
    (items.get(collection) ?? []).filter((each) => toKey(each) !== toKey(item));
  return {
    add: (collection, item) => void items.set(collection, [...others(collection, item), item]),
    find: (collection, parents, mustBeOwn) =>
      items
        .get(collection)
        ?.find(({ ids, isOwn }) => (isOwn || !mustBeOwn) && parents.every((parent, i) => ids[i] === parent)),
    remove: (collection, item) => void items.set(collection, others(collection, item)),
  };
}

/** The ids that the path of an operation needs, from the pool; undefined if one is not known. */
export function findPlace(
  context: VerifyContext,
  pool: ItemPool,
  { report, mustBeOwn }: { readonly report: OperationReport; readonly mustBeOwn: boolean },
): { readonly ids: readonly string[]; readonly values: Readonly<Record<string, string>> } | undefined {
  const ids: string[] = [];
  const isMade = report.action === 'create';
  for (const { collection } of report.parents) {
    const parent = pool.find(collection, ids, mustBeOwn && !isMade);
    if (parent === undefined) return undefined;
    ids.push(...parent.ids.slice(ids.length));
  }
  if (report.id.length > 0 && !isMade) {
    const collection = context.reportOf(report.operation)?.collection.resource.name ?? '';
    const item = pool.find(collection, ids, mustBeOwn);
    if (item === undefined) return undefined;
    ids.push(...item.ids.slice(ids.length));
  }
  return { ids, values: placeIds(report, ids) };
}

/** The parameters of a path with these ids, those of the parents first. */
export function placeIds(report: OperationReport, ids: readonly string[]): Readonly<Record<string, string>> {
  const names = [...report.parents.flatMap(({ parameters }) => parameters), ...report.id];
  return Object.fromEntries(
    names.flatMap(({ in: place, name }, i) => {
      const id = ids[i];
      return place === 'path' && id !== undefined ? [[name, id]] : [];
    }),
  );
}

/** The id of an item as its path has it; undefined where the item does not show it. */
export function readItemId(
  { idProperty = 'id', keyProperties }: Resource,
  item: unknown,
): readonly string[] | undefined {
  if (!isObject(item)) return undefined;
  const names = keyProperties.length > 0 ? keyProperties : [idProperty];
  const values = names.map((name) => readPointer(item, toPointer(...name.split('.'))));
  if (!values.every(isIdValue)) return undefined;
  return values.map(String).map((value) => (/^https?:/.test(value) ? (value.split('/').at(-1) ?? '') : value));
}

/** The operation of a report. */
export function operationOf({ contract }: VerifyContext, { operation: id }: OperationReport): Operation {
  const operation = contract.operation(id);
  if (operation === undefined) throw new Error(`the document has no operation ${id}`);
  return operation;
}
