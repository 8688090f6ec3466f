import { CONVENTIONS, readFirstName } from '../../conventions/conventions.js';
import type { Contract } from '../../contract/contract.js';
import { isObject } from '../../base/json.js';
import type { Operation, Parameter } from '../../contract/operations/operation.js';
import { findResponse } from '../../contract/operations/responses.js';
import { readSegments, toPointer } from '../../contract/pointer.js';
import { MockError, nearest, suggest } from '../../base/errors.js';
import { createPatternGenerator, readPattern } from '../../generate/text/pattern.js';
import { listProperties, type SchemaView, type ReadSchema } from '../../contract/schema-view/schema-view.js';
import { findItemsAt, planList, readCountShape } from '../list/list-shape.js';
import { isStatus } from '../item/server-values.js';
import {
  createResource,
  type Action,
  type Binding,
  type ParameterPlace,
  type Resource,
  type Resources,
  ON_ITEM,
  ANSWERS_LIST,
} from '../item/resource.js';
import type { ContractIndex } from './contract-index.js';
import {
  type CheckHint,
  type CollectionHint,
  createHintChecker,
  type DocumentHint,
  type OperationHint,
  type ParameterHint,
} from './hint-grammar.js';
import { findIdProperty } from '../item/identity.js';

/** Applies the hints of the document (`x-mock`) to what was inferred. @throws MockError `HINT_INVALID`. */
export function applyHints(index: ContractIndex, inferred: Resources): Resources {
  const { contract } = index;
  const check = createHintChecker(contract);
  const hints = readHint(contract, check, { value: contract.document['x-mock'], pointer: '/x-mock' });
  const collections = new Map(inferred.collections);
  for (const [name, hint] of Object.entries(hints.collections ?? {})) {
    collections.set(name, applyCollectionHint(collections.get(name) ?? createResource(name), hint));
  }
  checkConventions(contract, hints);
  const bindings = new Map(inferred.bindings);
  const unbound = new Map(inferred.unbound.map((each) => [each.operation, each]));
  for (const operation of contract.operations) {
    const value = operation.extensions['x-mock'];
    if (value === undefined) continue;
    const hint = readHint(contract, check, { value, pointer: toHintPointer(contract, operation), operation });
    if (!isOfCollection(hint)) continue;
    unbound.delete(operation);
    if (hint === false) {
      bindings.delete(operation.id);
      unbound.set(operation, { operation, why: 'x-mock: false in the document' });
      continue;
    }
    const binding = applyOperationHint(index, { operation, hint, inferred: bindings.get(operation.id) });
    bindings.set(operation.id, binding);
    if (!collections.has(binding.collection)) collections.set(binding.collection, createResource(binding.collection));
  }
  const own = new Map<string, Binding[]>();
  for (const binding of bindings.values()) {
    const others = own.get(binding.collection);
    if (others === undefined) own.set(binding.collection, [binding]);
    else others.push(binding);
  }
  for (const [name, resource] of collections) {
    if (resource.secretKey === undefined) collections.set(name, withSecretKey(index, resource, own.get(name) ?? []));
  }
  checkNames(index, { inferred, collections, bindings, hinted: Object.keys(hints.collections ?? {}) });
  const unknownIds = hints.unknownIds ?? inferred.unknownIds;
  return { collections, bindings, unbound: [...unbound.values()], unknownIds };
}

/** Whether the hint of an operation says what it does to a collection. */
function isOfCollection(hint: unknown): boolean {
  return !isObject(hint) || Object.keys(hint).some((name) => !OF_MESSAGES.has(name));
}

/** Hints about requests and answers alone. */
const OF_MESSAGES: ReadonlySet<string> = new Set(['errors', 'query', 'positions', 'repeats']);

interface GivenHint {
  readonly value: unknown;
  readonly pointer: string;
  readonly operation?: Operation;
}

function readHint(
  contract: Contract,
  check: CheckHint,
  of: GivenHint & { readonly operation: Operation },
): OperationHint | false;
function readHint(contract: Contract, check: CheckHint, of: GivenHint): DocumentHint;
function readHint(contract: Contract, check: CheckHint, of: GivenHint): DocumentHint | OperationHint | false {
  if (of.value === undefined) return {};
  const problem = check(of.value, of.operation === undefined ? 'document' : 'operation');
  if (problem !== undefined) {
    throw toHintError(contract, of.pointer + problem.pointer, problem);
  }
  // The value is valid against the schema that the types belong to.
  return of.value as DocumentHint | OperationHint | false;
}

/** Checks that conventions are about what a property or a parameter can mean. */
function checkConventions(contract: Contract, { conventions = {} }: DocumentHint): void {
  for (const idea of Object.keys(conventions)) {
    if (readFirstName(idea) !== undefined) continue;
    const known = [...CONVENTIONS.keys()].filter((each) => readFirstName(each) !== undefined);
    const message = `no property or parameter can mean ${JSON.stringify(idea)}`;
    throw toHintError(contract, toPointer('x-mock', 'conventions', idea), { message, hint: suggestOne(idea, known) });
  }
}

/** Checks that every name in a hint exists. */
function checkNames(
  index: ContractIndex,
  made: {
    readonly inferred: Resources;
    readonly collections: ReadonlyMap<string, Resource>;
    readonly bindings: ReadonlyMap<string, Binding>;
    readonly hinted: readonly string[];
  },
): void {
  const { contract } = index;
  const names = new Set(made.collections.keys());
  const bindings = [...made.bindings.values()];
  const used = new Set(bindings.map(({ collection }) => collection));
  for (const { parents } of bindings) for (const { collection } of parents) used.add(collection);
  for (const name of made.hinted) {
    const resource = made.collections.get(name);
    if (!made.inferred.collections.has(name) && !used.has(name)) {
      const at = toPointer('x-mock', 'collections', name);
      const message = `no operation uses a collection "${name}"`;
      throw toHintError(contract, at, { message, hint: suggestOne(name, made.inferred.collections.keys()) });
    }
    if (resource !== undefined) checkResource(contract, resource, { read: index.read, names });
  }
  for (const binding of bindings) {
    if (!isOfCollection(binding.operation.extensions['x-mock'] ?? {})) continue;
    checkBinding(contract, binding, names);
    checkPlaces(index, binding);
    checkIdentified(contract, binding, made.collections.get(binding.collection));
  }
}

function applyCollectionHint(resource: Resource, hint: CollectionHint): Resource {
  const { schema, id, idPattern, patterns, parent, ...same } = hint;
  const idProperty = id ?? resource.idProperty;
  const idPatterns = idPattern === undefined || idProperty === undefined ? {} : { [idProperty]: idPattern };
  return {
    ...resource,
    ...same,
    schema: schema === undefined ? resource.schema : schema.replace(/^#/, ''),
    idProperty,
    selfUrl: idProperty === resource.idProperty ? resource.selfUrl : undefined,
    links: idProperty === resource.idProperty ? resource.links : [],
    parents: parent === undefined ? resource.parents : [parent],
    patterns: { ...resource.patterns, ...patterns, ...idPatterns },
  };
}

/** The resource with the key by which hints identify its items: a string that its creates show, and that items do not have. */
function withSecretKey(index: ContractIndex, resource: Resource, bindings: readonly Binding[]): Resource {
  const { idProperty, schema } = resource;
  const members = index.read(schema)?.members;
  const hinted = bindings.filter(({ operation }) => isObject(operation.extensions['x-mock']));
  const names = new Set(hinted.flatMap(({ id, places }) => id.filter((name) => places?.[name]?.in === 'body')));
  const creates = bindings.filter(({ action }) => action === 'create');
  const key = creates
    .flatMap(({ operation }) => listProperties(index.answer(operation)))
    .find(({ name, schema }) => schema.type === 'string' && names.has(name) && members?.has(name) === false);
  if (key === undefined) return resource;
  const alternateKeys = idProperty === undefined ? [] : [idProperty];
  return { ...resource, secretKey: { name: key.name, schema: key.target }, alternateKeys };
}

function applyOperationHint(
  index: ContractIndex,
  given: { readonly operation: Operation; readonly hint: OperationHint; readonly inferred: Binding | undefined },
): Binding {
  const { operation, hint, inferred } = given;
  const parameters = listNames(operation, 'path');
  const action = hint.action ?? inferred?.action ?? 'read';
  const places: Record<string, ParameterPlace> = { ...inferred?.places };
  const place = (given: ParameterHint | readonly ParameterHint[]): readonly string[] =>
    [given].flat().map((each) => placeParameter(places, each));
  const parents = Object.entries(hint.parents ?? {}).map(([collection, given]) => ({
    collection,
    parameters: place(given),
  }));
  const ids = hint.id === undefined ? undefined : place(hint.id);
  return {
    operation,
    collection: hint.collection ?? inferred?.collection ?? operation.id,
    action,
    id: ids ?? (ON_ITEM.has(action) ? (inferred?.id ?? parameters.slice(-1)) : []),
    places: Object.keys(places).length === 0 ? undefined : places,
    parents: hint.parents === undefined ? (inferred?.parents ?? []) : parents,
    within: hint.parents === undefined ? inferred?.within : undefined,
    set: hint.set ?? inferred?.set ?? {},
    list: readHintedList(index, { operation, action, items: hint.items }),
    page: hint.page,
    missing: hint.missing,
    confidence: 1,
    why: 'x-mock in the document',
  };
}

/** Notes where a hinted parameter is that is not in the path; the name that the binding knows it by. */
function placeParameter(places: Record<string, ParameterPlace>, given: ParameterHint): string {
  if (typeof given === 'string') return given;
  const path = 'query' in given ? [given.query] : readSegments(given.body);
  const name = path.join('.');
  places[name] = { in: 'query' in given ? 'query' : 'body', path };
  return name;
}

/** The list of an operation; a hint names the array, with dots where it is inside of another object. */
function readHintedList(
  index: ContractIndex,
  of: { readonly operation: Operation; readonly action: Action; readonly items: string | undefined },
): Binding['list'] {
  const { read } = index;
  const { operation, action, items } = of;
  if (action === 'count') return readCountShape(read, operation);
  if (!ANSWERS_LIST.has(action)) return undefined;
  const found = items === undefined ? index.list(operation) : findItemsAt(read, operation, items.split('.'));
  return planList(read, operation, found);
}

/** Checks the schema, properties and patterns in the hint of a collection. @throws MockError `HINT_INVALID`. */
function checkResource(
  contract: Contract,
  resource: Resource,
  known: { readonly read: ReadSchema; readonly names: ReadonlySet<string> },
): void {
  const at = toPointer('x-mock', 'collections', resource.name);
  const schema = known.read(resource.schema);
  if (resource.schema !== undefined && schema === undefined) {
    const message = `the reference #${resource.schema} cannot be resolved`;
    const schemas = contract.at('/components/schemas');
    const meant = nearest(resource.schema.split('/').at(-1) ?? '', isObject(schemas) ? Object.keys(schemas) : []);
    const hint = meant === undefined ? undefined : `did you mean "#/components/schemas/${meant}"?`;
    throw toHintError(contract, `${at}/schema`, { message, hint });
  }
  checkLifecycle(contract, resource, schema);
  for (const [member, pattern] of Object.entries(resource.patterns)) {
    if (createPatternGenerator(readPattern(pattern)) !== undefined) continue;
    throw toHintError(contract, at, {
      message: `no string was found that matches the pattern of "${member}": ${pattern}`,
      hint: 'use a pattern such as "^key_[0-9A-Za-z]{24}$"',
    });
  }
  for (const [member, name] of Object.entries({ members: resource.members, parent: resource.parents.at(-1) })) {
    if (name !== undefined) requireCollection(contract, `${at}/${member}`, { name, names: known.names });
  }
  if (schema === undefined || schema.members.size === 0) return;
  checkIdHint(contract, resource, { schema, read: known.read });
  if (!schema.closed) return;
  for (const name of [
    ...resource.once,
    ...resource.unique,
    ...Object.keys({ ...resource.redacts, ...resource.derived }),
  ]) {
    const message = `an item of "${resource.name}" has no property "${name}"`;
    requireName(contract, at, { name, names: schema.members.keys(), message });
  }
}

/** Checks that the property which a hint gives as the id is one of the item. @throws MockError `HINT_INVALID`. */
function checkIdHint(
  contract: Contract,
  resource: Resource,
  { schema, read }: { readonly schema: SchemaView; readonly read: ReadSchema },
): void {
  const at = toPointer('x-mock', 'collections', resource.name, 'id');
  const { idProperty } = resource;
  if (contract.at(at) === undefined || idProperty === undefined) return;
  if (findIdProperty(read, resource, schema) !== undefined) return;
  const message = `an item of "${resource.name}" has no property "${idProperty}"`;
  throw toHintError(contract, at, { message, hint: suggestOne(idProperty, schema.members.keys()) });
}

/** Checks that the status in a hint can have its values. @throws MockError `HINT_INVALID`. */
function checkLifecycle(contract: Contract, { name, lifecycle }: Resource, schema: ReturnType<ReadSchema>): void {
  if (lifecycle === undefined || lifecycle === false) return;
  const at = toPointer('x-mock', 'collections', name, 'lifecycle');
  const names = [...(schema?.members.keys() ?? [])];
  const status = names.find((each) =>
    lifecycle.property === undefined ? isStatus(each) : each === lifecycle.property,
  );
  if (status === undefined) {
    const property = lifecycle.property ?? 'status';
    const message = `an item of "${name}" has no property "${property}"`;
    throw toHintError(contract, at, { message, hint: suggestOne(property, names) });
  }
  const values = schema?.members.get(status)?.schema.enum;
  const wrong = values === undefined ? undefined : lifecycle.statuses?.find((each) => !values.includes(each));
  if (wrong === undefined) return;
  const message = `"${wrong}" is not a value of "${status}"`;
  throw toHintError(contract, `${at}/statuses`, { message, hint: suggestOne(wrong, (values ?? []).map(String)) });
}

/** Checks the parameters and collections in the hint of an operation. @throws MockError `HINT_INVALID`. */
function checkBinding(contract: Contract, binding: Binding, collections: ReadonlySet<string>): void {
  const { operation } = binding;
  const at = toHintPointer(contract, operation);
  const names = listNames(operation, 'path');
  for (const name of [...binding.id, ...binding.parents.flatMap(({ parameters }) => parameters)]) {
    if (binding.places?.[name] !== undefined) continue;
    requireName(contract, at, { name, names, message: `${operation.id} has no path parameter "${name}"` });
  }
  for (const { collection: name } of binding.parents) requireCollection(contract, at, { name, names: collections });
  const { status = 200 } = binding.missing ?? {};
  if (binding.missing !== undefined && findResponse(operation, status) === undefined) {
    const hint = `it declares ${operation.responses.map((each) => each.status).join(', ')}`;
    throw toHintError(contract, `${at}/missing`, { message: `${operation.id} declares no status ${status}`, hint });
  }
  const missing = COUNTED[binding.action];
  if (missing !== undefined && binding.list === undefined)
    throw toHintError(contract, at, { ...missing, message: `${operation.id} ${missing.message}` });
}

const NO_ARRAY = {
  message: 'cannot be a list: its response has no array of items',
  hint: 'set "items" to the property that holds them',
};

/** What is wrong with an operation whose response does not show what its action says. */
const COUNTED: Readonly<Partial<Record<Action, { readonly message: string; readonly hint: string }>>> = {
  list: NO_ARRAY,
  search: NO_ARRAY,
  count: {
    message: 'cannot be a count: its response has no number of items',
    hint: 'choose an action that the response fits',
  },
};

/** Checks that the parameters of a query and the properties of a body in the hint of an operation exist. */
function checkPlaces({ contract, read }: ContractIndex, { operation, places = {} }: Binding): void {
  const query = listNames(operation, 'query');
  const schemas = (operation.body?.content ?? []).map(({ schemaPointer }) => read(schemaPointer));
  for (const { in: part, path } of Object.values(places)) {
    if (part === 'own') continue;
    const [first = ''] = path;
    const names = part === 'query' ? query : schemas.flatMap((schema) => [...(schema?.members.keys() ?? [])]);
    const isAny = part === 'body' && schemas.some((schema) => schema?.members.size === 0 && !schema.closed);
    if (isAny) continue;
    const message = `${operation.id} has no ${part === 'query' ? 'query parameter' : 'property in its body'} "${first}"`;
    requireName(contract, toHintPointer(contract, operation), { name: first, names, message });
  }
}

/** Checks that an operation on one item can know which: by a parameter, by its body, or since there is only one. */
function checkIdentified(contract: Contract, binding: Binding, resource: Resource | undefined): void {
  const { operation, action, id } = binding;
  if (!ON_ITEM.has(action) || id.length > 0 || operation.body !== undefined || resource?.singleton === true) return;
  throw toHintError(contract, toHintPointer(contract, operation), {
    message: `${operation.id} has no parameter that identifies an item`,
    hint: 'set "id", for example to { query: name } or { body: /name }',
  });
}

interface HintedName {
  readonly name: string;
  readonly names: Iterable<string>;
}

/** Checks that a name is one of those that exist. @throws MockError `HINT_INVALID`. */
function requireName(
  contract: Contract,
  at: string,
  { name, names, message }: HintedName & { readonly message: string },
): void {
  const all = [...names];
  if (!all.includes(name)) throw toHintError(contract, at, { message, hint: suggestOne(name, all) });
}

function requireCollection(contract: Contract, at: string, { name, names }: HintedName): void {
  requireName(contract, at, { name, names, message: `there is no collection "${name}"` });
}

function listNames({ parameters }: Operation, place: Parameter['in']): readonly string[] {
  return parameters.filter((parameter) => parameter.in === place).map(({ name }) => name);
}

/** The pointer to the hint of an operation: in the operation, or in its path item. */
export function toHintPointer(contract: Contract, operation: Operation): string {
  const own = `${operation.pointer}/x-mock`;
  return contract.at(own) === undefined ? own.replace(/\/[a-z]+\/x-mock$/, '/x-mock') : own;
}

function suggestOne(given: string, names: Iterable<string>): string | undefined {
  const all = [...names];
  const known = all.length === 0 ? undefined : `known: ${all.slice(0, 10).join(', ')}${all.length > 10 ? ', …' : ''}`;
  return suggest(given, all) ?? known;
}

/** The error for a hint at a pointer of the document. */
export function toHintError(
  contract: Contract,
  pointer: string,
  of: { readonly message: string; readonly hint?: string | undefined },
): MockError {
  const at = contract.locate(pointer);
  return new MockError('HINT_INVALID', of.message, of.hint === undefined ? { at } : { at, hint: of.hint });
}
