import { addTo } from '../../base/json.js';
import type { Contract } from '../../contract/contract.js';
import { createGenerator } from '../../generate/generate.js';
import { createValidators, type Validators } from '../../schema/validate.js';
import { inferResources } from '../infer/infer.js';
import { MockError, suggest } from '../../base/errors.js';
import { memoize } from '../../base/memoize.js';
import { createFieldsReader, type FieldsReader } from '../../contract/schema-view/fields.js';
import { createSchemaReader, type ReadSchema } from '../../contract/schema-view/schema-view.js';
import { type Binding, CREATES, createsUnknown, type Resources } from './resource.js';
import { createDependents, type Dependents } from '../store/dependents.js';
import { findIdProperty } from './identity.js';
import { createItemModel, type ItemModel, type ItemModelParts } from './item-model.js';
import { createSettableFinder } from './new-values.js';
import { createGeneratedItems, type GeneratedItems } from '../store/on-demand.js';

/** The facts about the items of a contract that do not depend on the state of a mock. */
export interface ItemModels extends ItemModelParts {
  readonly resources: Resources;
  readonly read: ReadSchema;
  readonly fieldsOf: FieldsReader;
  readonly dependents: Dependents;
  /** The items that were generated on demand, whichever mock needed them first. */
  readonly generated: GeneratedItems;
  /** Whether requests can add items to a collection. */
  isCreatable(collection: string): boolean;
  /** The operations of a collection. */
  bindingsOf(collection: string): readonly Binding[];
  /** @throws MockError `COLLECTION_UNKNOWN` that names the nearest. */
  model(collection: string): ItemModel;
}

/** Infers the resources of a contract, and creates the models of their items, for what reads a document and serves no mock of it. */
export function readItemModels(contract: Contract, validators: Validators = createValidators(contract)): ItemModels {
  const generator = createGenerator(contract, validators);
  return createItemModels({ contract, validators, generator, resources: inferResources(contract) });
}

/** Creates the models of the items of a contract; each one is created when it is needed. */
export function createItemModels(
  parts: ItemModelParts & Pick<ItemModels, 'resources'> & Partial<Pick<ItemModels, 'generated'>>,
): ItemModels {
  const { resources } = parts;
  const { collections } = resources;
  const read = createSchemaReader(parts.contract);
  const byCollection = new Map<string, Binding[]>();
  for (const binding of resources.bindings.values()) addTo(byCollection, binding.collection, binding);
  const findSettable = createSettableFinder(read, resources);
  const isCreate = (binding: Binding): boolean => CREATES.has(binding.action) || createsUnknown(binding, resources);
  const bindingsOf: ItemModels['bindingsOf'] = (collection) => byCollection.get(collection) ?? [];
  return {
    generated: createGeneratedItems(),
    ...parts,
    read,
    fieldsOf: createFieldsReader(parts.contract),
    dependents: createDependents(resources, read),
    isCreatable: memoize((name) => bindingsOf(name).some(isCreate)),
    bindingsOf,
    model: memoize((name) => {
      const resource = collections.get(name);
      if (resource === undefined) throw toUnknown(name, [...collections.keys()]);
      const schema = read(resource.schema);
      const idProperty = findIdProperty(read, resource, schema);
      const facts = { idProperty, bindings: bindingsOf(name), isSettable: findSettable(name) };
      return createItemModel(resource, schema, { ...parts, read, ...facts });
    }),
  };
}

function toUnknown(name: string, names: readonly string[]): MockError {
  const known = names.length === 0 ? 'the contract has no collections' : `its collections are ${names.join(', ')}`;
  const hint = suggest(name, names) ?? known;
  return new MockError('COLLECTION_UNKNOWN', `the contract has no collection "${name}"`, { hint });
}
