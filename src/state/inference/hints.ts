import type { Contract } from '../../contract/contract.js';
import { isObject } from '../../contract/json.js';
import type { Operation } from '../../contract/operations/operation.js';
import { toPointer } from '../../contract/pointer.js';
import { MockError, nearest } from '../../errors.js';
import { createPatternGenerator, readPattern } from '../../generate/text/pattern.js';
import type { ReadItemSchema } from '../item-schema.js';
import type { Action, Binding, ParentLink, Resource, Resources, Unbound } from '../resource.js';
import type { UnknownIds } from '../store/collection.js';
import type { Survey } from './draft.js';
import { DOCUMENT_HINT, findHintMistake, type HintSchema, OPERATION_HINT } from './hint-schema.js';

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
  return {
    collections,
    bindings,
    unbound,
    unknownIds: (hints['unknownIds'] as UnknownIds | undefined) ?? inferred.unknownIds,
  };
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
    unknownIds: given.unknownIds ?? resource.unknownIds,
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
    unknownIds: undefined,
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

/** @throws MockError `HINT_INVALID` where the `x-mock` of the document is not of its form. */
function checkDocumentHint(contract: Contract, hint: unknown): void {
  checkForm(contract, { value: hint, pointer: '/x-mock', schema: DOCUMENT_HINT });
}

/** @throws MockError `HINT_INVALID` where the `x-mock` of an operation is not of its form. */
function checkOperationHint(contract: Contract, operation: Operation, hint: unknown): void {
  checkForm(contract, { value: hint, pointer: toHintPointer(contract, operation), schema: OPERATION_HINT });
}

/** @throws MockError `HINT_INVALID` where a collection's hint names a schema, a property or a pattern that is not there. */
function checkResource(
  contract: Contract,
  resource: Resource,
  known: { readonly read: ReadItemSchema; readonly names: ReadonlySet<string> },
): void {
  const at = toPointer('x-mock', 'collections', resource.name);
  const schema = resource.schema === undefined ? undefined : known.read(resource.schema);
  if (resource.schema !== undefined && schema === undefined) {
    throw refuse(contract, `${at}/schema`, {
      message: `nothing stands at #${resource.schema}`,
      hint: findSchemaName(contract, resource),
    });
  }
  for (const [member, pattern] of Object.entries(resource.patterns)) {
    if (createPatternGenerator(readPattern(pattern)) !== undefined) continue;
    throw refuse(contract, at, {
      message: `no string was found that matches the pattern of "${member}": ${pattern}`,
      hint: 'use a pattern such as "^key_[0-9A-Za-z]{24}$"',
    });
  }
  for (const [member, other] of [
    ['members', resource.members],
    ['parent', resource.parents.at(-1)],
  ] as const) {
    if (other !== undefined && !known.names.has(other)) {
      throw refuse(contract, `${at}/${member}`, {
        message: `there is no collection "${other}"`,
        hint: suggest(other, known.names),
      });
    }
  }
  if (schema === undefined || schema.properties.size === 0 || !schema.closed) return;
  for (const name of [...resource.once, ...resource.unique, ...Object.keys(resource.redacts)]) {
    if (schema.properties.has(name)) continue;
    throw refuse(contract, at, {
      message: `an item of "${resource.name}" has no property "${name}"`,
      hint: suggest(name, schema.properties.keys()),
    });
  }
}

/** @throws MockError `HINT_INVALID` where an operation's hint names a parameter or a collection that is not there. */
function checkBinding(contract: Contract, binding: Binding, collections: ReadonlySet<string>): void {
  const { operation } = binding;
  const at = toHintPointer(contract, operation);
  const names = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
  for (const name of [...binding.id, ...binding.parents.flatMap(({ parameters }) => parameters)]) {
    if (names.includes(name)) continue;
    throw refuse(contract, at, {
      message: `${operation.id} has no path parameter "${name}"`,
      hint: suggest(name, names),
    });
  }
  for (const { collection } of binding.parents) {
    if (collections.has(collection)) continue;
    throw refuse(contract, at, {
      message: `there is no collection "${collection}"`,
      hint: suggest(collection, collections),
    });
  }
  if ((binding.action === 'list' || binding.action === 'search') && binding.list === undefined) {
    throw refuse(contract, at, {
      message: `${operation.id} cannot be a list: its answer holds none`,
      hint: 'name its property with "items"',
    });
  }
}

/** The mistake of a hint for a collection that no operation works on. */
function refuseCollection(contract: Contract, name: string, names: Iterable<string>): MockError {
  const at = toPointer('x-mock', 'collections', name);
  return refuse(contract, at, { message: `no operation works on a collection "${name}"`, hint: suggest(name, names) });
}

function checkForm(
  contract: Contract,
  of: { readonly value: unknown; readonly pointer: string; readonly schema: HintSchema },
): void {
  const mistake = findHintMistake(of.value, of.schema);
  if (mistake !== undefined)
    throw refuse(contract, of.pointer + toPointer(...mistake.segments), {
      message: mistake.message,
      hint: mistake.hint,
    });
}

/** Where the hint of an operation stands: on itself, or on its path item. */
function toHintPointer(contract: Contract, operation: Operation): string {
  const own = `${operation.pointer}/x-mock`;
  return contract.at(own) === undefined ? own.replace(/\/[a-z]+\/x-mock$/, '/x-mock') : own;
}

function findSchemaName(contract: Contract, resource: Resource): string | undefined {
  const schemas = contract.at('/components/schemas');
  const names = typeof schemas === 'object' && schemas !== null ? Object.keys(schemas) : [];
  const meant = nearest(resource.schema?.split('/').at(-1) ?? '', names);
  return meant === undefined ? undefined : `did you mean "#/components/schemas/${meant}"?`;
}

function suggest(given: string, names: Iterable<string>): string | undefined {
  const all = [...names];
  const meant = nearest(given, all);
  if (meant !== undefined) return `did you mean "${meant}"?`;
  return all.length === 0 ? undefined : `there is ${all.slice(0, 10).join(', ')}${all.length > 10 ? ', …' : ''}`;
}

function refuse(
  contract: Contract,
  pointer: string,
  of: { readonly message: string; readonly hint: string | undefined },
): MockError {
  const at = contract.locate(pointer);
  return new MockError('HINT_INVALID', of.message, of.hint === undefined ? { at } : { at, hint: of.hint });
}
