import { isObject } from '../contract/json.js';
import type { Survey } from './draft.js';
import { checkBinding, checkDocumentHint, checkOperationHint, checkResource, refuseCollection } from './hint-check.js';
import type { Action, Binding, ParentLink, Resource, Resources, Unbound, World } from './resource.js';

/** What was inferred, with what the document itself says (`x-mock`) in its place. */
export function applyHints(survey: Survey, inferred: Resources): Resources {
  const { contract } = survey;
  const root = contract.document['x-mock'];
  if (root !== undefined) checkDocumentHint(contract, root);
  const hints = isObject(root) ? root : {};
  const hinted = isObject(hints['collections']) ? hints['collections'] : {};
  const collections = new Map(inferred.collections);
  for (const [name, hint] of Object.entries(hinted)) {
    if (isObject(hint)) collections.set(name, applyCollectionHint(collections.get(name) ?? createResource(name), hint));
  }
  const bindings = new Map(inferred.bindings);
  let unbound: readonly Unbound[] = inferred.unbound;
  for (const operation of survey.contract.operations) {
    const hint = operation.extensions['x-mock'];
    if (hint === undefined) continue;
    checkOperationHint(contract, operation, hint);
    // How a query is written says nothing of collections.
    if (isObject(hint) && Object.keys(hint).every((member) => member === 'query')) continue;
    unbound = unbound.filter((each) => each.operation !== operation);
    if (!isObject(hint)) {
      bindings.delete(operation.id);
      unbound = [...unbound, { operation, why: 'the document says so (x-mock: false)' }];
      continue;
    }
    const binding = applyOperationHint(survey, { operation, hint, inferred: bindings.get(operation.id) });
    bindings.set(operation.id, binding);
    if (!collections.has(binding.collection)) collections.set(binding.collection, createResource(binding.collection));
  }
  checkNames(survey, { inferred, collections, bindings, hinted });
  return { collections, bindings, unbound, world: (hints['world'] as World | undefined) ?? inferred.world };
}

/** Fails at start-up, not at the first request: every name a hint uses has to be there. */
function checkNames(
  survey: Survey,
  made: {
    readonly inferred: Resources;
    readonly collections: ReadonlyMap<string, Resource>;
    readonly bindings: ReadonlyMap<string, Binding>;
    readonly hinted: Hint;
  },
): void {
  const { contract } = survey;
  const names = new Set(made.collections.keys());
  const bindings = [...made.bindings.values()];
  const used = new Set(bindings.map(({ collection }) => collection));
  for (const { parents } of bindings) for (const { collection } of parents) used.add(collection);
  for (const name of Object.keys(made.hinted)) {
    const resource = made.collections.get(name);
    if (!made.inferred.collections.has(name) && !used.has(name))
      throw refuseCollection(contract, name, made.inferred.collections.keys());
    if (resource !== undefined) checkResource(contract, resource, { read: survey.read, names });
  }
  for (const binding of bindings) {
    if (binding.operation.extensions['x-mock'] !== undefined) checkBinding(contract, binding, names);
  }
}

type Hint = Readonly<Record<string, unknown>>;

function applyCollectionHint(resource: Resource, hint: Hint): Resource {
  // The members were checked against the schema of x-mock, so each one is of the type its name has here.
  const given = hint as Partial<Resource> & {
    readonly id?: string;
    readonly idPattern?: string;
    readonly parent?: string;
  };
  const schema = typeof given.schema === 'string' ? given.schema.replace(/^#/, '') : resource.schema;
  const idProperty = given.id ?? resource.idProperty;
  const idPattern = given.idPattern === undefined || idProperty === undefined ? {} : { [idProperty]: given.idPattern };
  return {
    ...resource,
    schema,
    idProperty,
    parents: given.parent === undefined ? resource.parents : [given.parent],
    members: given.members ?? resource.members,
    once: given.once ?? resource.once,
    redacts: given.redacts ?? resource.redacts,
    patterns: { ...resource.patterns, ...given.patterns, ...idPattern },
    unique: given.unique ?? resource.unique,
    set: given.set ?? resource.set,
    world: given.world ?? resource.world,
  };
}

function createResource(name: string): Resource {
  return {
    name,
    path: '',
    singleton: false,
    parents: [],
    schema: undefined,
    idProperty: 'id',
    keyProperties: [],
    idParameterSchema: undefined,
    members: undefined,
    memberParameter: undefined,
    once: [],
    redacts: {},
    patterns: {},
    unique: [],
    set: {},
    world: undefined,
  };
}

function applyOperationHint(
  survey: Survey,
  given: { readonly operation: Binding['operation']; readonly hint: Hint; readonly inferred: Binding | undefined },
): Binding {
  const { operation, hint, inferred } = given;
  const parameters = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
  const action = (hint['action'] as Action | undefined) ?? inferred?.action ?? 'read';
  const lists = action === 'list' || action === 'search';
  const named = typeof hint['id'] === 'string' ? [hint['id']] : (hint['id'] as readonly string[] | undefined);
  const bare = lists || action === 'create' || action === 'batch';
  const id = named ?? (bare ? [] : (inferred?.id ?? parameters.slice(-1)));
  const parents = isObject(hint['parents']) ? toLinks(hint['parents']) : (inferred?.parents ?? []);
  const list = lists ? survey.list(operation) : undefined;
  return {
    operation,
    collection: (hint['collection'] as string | undefined) ?? inferred?.collection ?? operation.id,
    action,
    id,
    parents,
    within: hint['parents'] === undefined ? inferred?.within : undefined,
    set: (hint['set'] as Binding['set'] | undefined) ?? inferred?.set ?? {},
    list: typeof hint['items'] === 'string' && list !== undefined ? { ...list, items: hint['items'] } : list,
    page: hint['page'] as Binding['page'],
    confidence: 1,
    why: 'the document says so (x-mock)',
  };
}

function toLinks(parents: Hint): readonly ParentLink[] {
  return Object.entries(parents).map(([collection, parameter]) => ({
    collection,
    parameters: typeof parameter === 'string' ? [parameter] : (parameter as readonly string[]),
  }));
}
