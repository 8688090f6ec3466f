import { type Idea, means } from '../../conventions/conventions.js';
import type { Operation } from '../../contract/operations/operation.js';
import {
  findJsonMedia,
  findResponse,
  findSuccessWithBody,
  declaresStatus,
} from '../../contract/operations/responses.js';
import { isObject, readMember, readPath, withPath } from '../../base/json.js';
import type { Answer } from '../../http/answer.js';
import { isUploadedFile, type UploadedFile } from '../../http/request/body-form.js';
import type { Call } from '../../http/request/call.js';
import { type Binding, isInPart, isNamedElsewhere } from '../item/resource.js';
import { memoize } from '../../base/memoize.js';
import { NO_VIOLATIONS } from '../../schema/violation.js';
import {
  type ReadSchema,
  type PropertyView,
  type SchemaView,
  isSuccessFlag,
  listBranches,
  listProperties,
} from '../../contract/schema-view/schema-view.js';
import { toBareName } from '../../base/names.js';
import { toScope } from '../store/collection.js';
import type { StoredItem, Item, ItemContent } from '../store/lists/item-list.js';
import { type ItemLocation, toType } from '../store/on-demand.js';
import type { Exchange } from '../../answer/chain.js';
import type { ResponseChoice } from '../../answer/choose-response.js';
import type { ReadRemoved } from './removed.js';
import { type OperationContext, pass, refuse, type StateContext, type StateHandler, toNoun } from './context.js';
import { isBytes } from '../../base/platform.js';

/** Plans how the path of an operation addresses the store. */
export function createLocationFinder(context: StateContext, binding: Binding): OperationContext['findLocation'] {
  const { items } = context;
  const { schema, resource } = items.model(binding.collection);
  const { parents: links, within, places } = binding;
  const isOwn = (parameter: string | undefined): boolean => places?.[parameter ?? '']?.in === 'own';
  // Properties that hold the ids of the path: `thread_id` for `{thread_id}`, `customer` for `{customer}`.
  const named = links
    .flatMap(({ parameters }) => parameters)
    // The `id` of an item is not that of its parent.
    .filter(
      (name) =>
        !means(name, 'ids.id', 'ids.name') &&
        !isOwn(name) &&
        schema?.members.has(name) === true &&
        within?.property !== name,
    )
    .map((name) => ({ property: name, parameter: name }));
  const own =
    within?.property === undefined || isOwn(within.parameter)
      ? []
      : [{ property: within.property, parameter: within.parameter }];
  const byName = [...own, ...named].map(({ property, parameter }): KnownProperty => {
    const declared = schema?.members.get(property);
    const read = (call: Call): unknown => wrapId(context, declared, readParameter(call, parameter, places));
    return { name: property, path: property.split('.'), read };
  });
  const taken = new Set(byName.map(({ name }) => name));
  const properties = [
    ...byName,
    ...findParentProperties(context, schema, links).filter(({ name }) => !taken.has(name)),
  ];
  // The last parameter of a path can be the value of a property of its items.
  const isLast =
    within !== undefined &&
    within.isKey !== true &&
    !links.some(({ parameters }) => parameters.includes(within.parameter));
  const partOf = isLast ? undefined : links.at(-1)?.collection;
  const areNamed = links.every(({ isAny }) => isAny !== true);
  return (exchange, transaction) => {
    const { call } = exchange;
    if (links.length === 0 && within === undefined) return items.locate(transaction, binding.collection);
    const all = links.map(({ collection, parameters }) => {
      const user = isOwn(parameters[0]) ? items.findOwn(items.locate(transaction, collection)) : undefined;
      return { collection, id: user?.id ?? readId(call, parameters, places) };
    });
    const parents = areNamed ? all : all.filter((_, i) => links[i]?.isAny !== true);
    const found = items.findParents(transaction, parents);
    const { missing, isRemoved } = found;
    const ids = areNamed ? found.ids : [...found.ids, ...all.slice(parents.length).map(({ id }) => id)];
    if (missing !== undefined) {
      const parameter = links[parents.indexOf(missing)]?.parameters.at(-1);
      return {
        missing: refuseUnknown(context, exchange, { ...missing, status: 404, param: parameter, places, isRemoved }),
      };
    }
    const known = properties.reduce((all, { path, read }) => withPath(all, path, read(call, ids)), NOTHING_KNOWN);
    const path = isLast ? toScope(...ids, readId(call, [within.parameter], places)) : toScope(...ids);
    if (within === undefined || within.isKey === true)
      return { ...items.locate(transaction, binding.collection, path), known };
    // A part of a collection that is not below all parents of the path.
    const scope = toScope(...ids.slice(0, resource.parents.length));
    return { ...items.locate(transaction, binding.collection, scope), known, part: path, partOf };
  };
}

const NOTHING_KNOWN: Item = Object.freeze({});

/** A property of the items that the path of a request determines. */
interface KnownProperty {
  readonly name: string;
  readonly path: readonly string[];
  /** @param ids - Those of the parents, outermost first. */
  read(call: Call, ids: readonly string[]): unknown;
}

/**
 * The properties that hold the ids of parents whose parameters have other names: `project_id` for `/projects/{id}/issues`, also inside of an
 * object such as `attributes` or `metadata`, the `id` of an object `project`, and the `resource_id` of what belongs to any kind of parent.
 */
function findParentProperties(
  { read, items }: StateContext,
  schema: SchemaView | undefined,
  links: Binding['parents'],
): readonly KnownProperty[] {
  const places = listScalars(read, schema);
  return links.flatMap(({ collection, parameters }, parent): readonly KnownProperty[] => {
    const noun = toBareName(toNoun(collection));
    const bareNames = new Set([
      `${noun}id`,
      ...parameters.filter((name) => !means(name, 'ids.id', 'ids.name')).map(toBareName),
    ]);
    const isOfParent = ({ property: { bare } }: MemberPlace): boolean =>
      bareNames.has(bare) || (parent === links.length - 1 && means(bare, 'ids.ofParent'));
    const id = toBareName(items.model(collection).resource.idProperty ?? 'id');
    const isId = ({ bare, scalar }: PropertyView): boolean => scalar && (bare === id || bareNames.has(bare));
    const found =
      parameters.length === 1 ? (places.find(isOfParent) ?? findObjectId(read, schema, { noun, isId })) : undefined;
    if (found === undefined) return [];
    const { path, property } = found;
    return [{ name: path.join('.'), path, read: (_, ids) => toType(ids[parent] ?? '', property.schema.type) }];
  });
}

/** A member of an item. */
interface MemberPlace {
  readonly path: readonly string[];
  readonly property: PropertyView;
}

/** The id in the object of an item that has the noun of another one: `project: { id }`, `relationships: { project: { data: { id } } }`. */
function findObjectId(
  read: ReadSchema,
  schema: SchemaView | undefined,
  of: { readonly noun: string; isId(property: PropertyView): boolean },
): MemberPlace | undefined {
  for (const { path, property } of listMembers(read, schema, 'envelopes.part', 'envelopes.relations')) {
    if (property.scalar || property.bare !== of.noun) continue;
    const data = read(property.target)?.members.get('data');
    const id = listProperties(read(data?.target ?? property.target)).find(of.isId);
    if (id !== undefined) return { path: [...path, ...(data === undefined ? [] : [data.name]), id.name], property: id };
  }
  return undefined;
}

/** The scalars of an item, then those in its parts. */
function listScalars(read: ReadSchema, schema: SchemaView | undefined): readonly MemberPlace[] {
  return listMembers(read, schema, 'envelopes.part').filter(({ property }) => property.scalar);
}

/** The members of an item, then those of the objects in it with one of some meanings. */
function listMembers(
  read: ReadSchema,
  schema: SchemaView | undefined,
  ...parts: readonly Idea[]
): readonly MemberPlace[] {
  const all = listProperties(schema);
  const inner = all.filter(({ name, scalar }) => !scalar && means(name, ...parts));
  return [
    ...all.map((property) => ({ path: [property.name], property })),
    ...inner.flatMap(({ name, target }) =>
      listProperties(read(target)).map((property) => ({ path: [name, property.name], property })),
    ),
  ];
}

/** The id that parameters name; several make one composite id. */
export function readId(call: Call, parameters: readonly string[], places: Binding['places']): string {
  if (parameters.length === 1) return String(readParameter(call, parameters[0] ?? '', places));
  return parameters.map((name) => String(readParameter(call, name, places))).join('/');
}

/** The value of a parameter in the path, or where the binding says that it is. */
export function readParameter(call: Call, name: string, places: Binding['places']): unknown {
  const place = places?.[name];
  if (place === undefined) return call.path[name];
  if (place.in === 'own') return 'me';
  const whole = call.path[place.path[0] ?? name];
  if (place.segment !== undefined) return typeof whole === 'string' ? (whole.split('/')[place.segment] ?? '') : '';
  return place.in === 'query' ? call.query[place.path[0] ?? name] : readPath(call.body, place.path);
}

/** Creates the handler of an operation on a collection: it finds the list of the path and chooses the response. */
export function createCollectionHandler(
  { choose, findLocation }: OperationContext,
  handle: (exchange: Exchange, choice: ResponseChoice, location: ItemLocation) => Answer | undefined,
): StateHandler {
  return (exchange, transaction) => {
    const choice = choose(exchange.call);
    const location = findLocation(exchange, transaction);
    if ('missing' in location) return location.missing;
    return choice === undefined ? undefined : handle(exchange, choice, location);
  };
}

/** Creates the handler of an operation on one item: it finds the item and checks the preconditions. */
export function createItemHandler(
  context: OperationContext,
  handle: (exchange: Exchange, entry: StoredItem, location: ItemLocation) => Answer | undefined,
  readRemoved?: ReadRemoved,
): StateHandler {
  const { preconditions, binding, model } = context;
  // Without an operation that writes it, only fixtures have the item.
  const isFixtureOnly =
    model.resource.singleton && context.bindingsOf(binding.collection).every(({ action }) => action === 'read');
  const place = binding.places?.[binding.id[0] ?? '']?.in;
  const isOwn = place === 'own';
  return (exchange, transaction) => {
    if (place === 'query' && readParameter(exchange.call, binding.id[0] ?? '', binding.places) === undefined)
      return pass(exchange, `the query has no "${binding.id[0]}", which names the item`);
    const location = context.findLocation(exchange, transaction);
    if ('missing' in location) return location.missing;
    if (isFixtureOnly && !location.collection.started)
      return pass(exchange, `no fixture has ${location.collection.name}, and no operation writes it`);
    const id = isOwn ? (context.items.findOwn(location)?.id ?? 'me') : readItemId(context, exchange.call);
    const known = context.items.lookUp(location, id);
    const entry = known ?? findEntry(context, exchange, { location, id });
    if (entry === undefined) {
      const removed = readRemoved && context.items.recall(location, id);
      const answer = removed && readRemoved(exchange, removed);
      if (answer !== undefined) return answer;
    }
    if (entry === undefined || !isInPart(binding, entry.item, location.known))
      return answerMissing(context, exchange, { id, location });
    const current = context.items.advance(location, entry, binding.action === 'read' ? 'read' : 'clock');
    return preconditions.before(exchange, current, known === undefined) ?? handle(exchange, current, location);
  };
}

/** The id of the item: from the path, or from the body where the path does not name it. */
export function readItemId({ binding, reader, model: { resource } }: OperationContext, call: Call): string {
  if (binding.id.length > 0 || resource.singleton || call.body === undefined)
    return readId(call, binding.id, binding.places);
  return String(readMember(reader.one(call), resource.idProperty ?? 'id'));
}

/** The entry that a call names, created on demand where that is configured. */
export function findEntry(
  { items }: StateContext,
  exchange: Exchange,
  { location, id }: { readonly location: ItemLocation; readonly id: string },
): StoredItem | undefined {
  const existing = items.lookUp(location, id);
  if (existing !== undefined) return existing;
  const created = items.find(location, id);
  if (created !== undefined) {
    exchange.note(`state: created ${location.collection.name} ${JSON.stringify(id)} on demand`);
  }
  return created;
}

/** The 404 for an unknown id; undefined where the store does not know which items exist. */
export function answerMissing(
  context: OperationContext,
  exchange: Exchange,
  { id, location }: { readonly id: string; readonly location: ItemLocation },
): Answer | undefined {
  const isRemoved = context.items.recall(location, id) !== undefined;
  if (!context.items.isKnown(location) && !isRemoved)
    return pass(
      exchange,
      `no ${toNoun(context.binding.collection)} ${JSON.stringify(id)} is stored, and any id may exist`,
    );
  const { collection, places, parents, id: parameters } = context.binding;
  const parent = parents.at(-1);
  const of = parent && { collection: parent.collection, id: readId(exchange.call, parent.parameters, places) };
  const param = parameters.at(-1);
  return refuseUnknown(context, exchange, { collection, id, of, status: 404, param, places, isRemoved });
}

/** The answer to a request that names an item which does not exist. */
export function refuseUnknown(
  context: StateContext,
  exchange: Exchange,
  facts: {
    readonly collection: string;
    readonly id: string;
    readonly of?: { readonly collection: string; readonly id: string } | undefined;
    readonly status: number;
    readonly param: string | undefined;
    /** The places of parameters that are not in the path; then the status is the first declared one for unknown items. */
    readonly places?: Binding['places'];
    /** Whether the item existed. */
    readonly isRemoved?: boolean | undefined;
  },
): Answer {
  const { collection, id, of, param, places, isRemoved } = facts;
  const noun = toNoun(collection);
  const message =
    of === undefined
      ? `no ${noun} has the id ${JSON.stringify(id)}`
      : `the ${toNoun(of.collection)} ${JSON.stringify(of.id)} has no ${noun} ${JSON.stringify(id)}`;
  const { operation } = exchange.call;
  const isElsewhere = isNamedElsewhere(places);
  const given =
    answerHinted(context, exchange, collection) ?? (isElsewhere ? context.answerFailure(operation, noun) : undefined);
  if (given !== undefined) {
    exchange.note(`state: ${message}`);
    return given;
  }
  const declared = isElsewhere ? [404, 410, 400, 422].find((each) => declaresStatus(operation, each)) : undefined;
  return refuse(context, exchange, { status: declared ?? facts.status, message, code: 'not_found', param, isRemoved });
}

/** The answer that a hint gives to a request for an unknown item, where the operation declares its status. */
function answerHinted({ items, resources }: StateContext, { call }: Exchange, collection: string): Answer | undefined {
  const { operation } = call;
  const hint = resources.bindings.get(operation.id)?.missing ?? items.model(collection).resource.missing;
  const { status = 200, body } = hint ?? {};
  const response = hint === undefined ? undefined : findResponse(operation, status);
  if (response === undefined) return undefined;
  const media = findJsonMedia(response.content);
  const mediaType = media?.type.includes('*') === false ? media.type : 'application/json';
  const rest = { from: 'state', violations: NO_VIOLATIONS, onInvalid: 'fail' } as const;
  return { status, headers: {}, body, mediaType, schemaPointer: media?.schemaPointer, ...rest };
}

/** A value of the path as a property shows it: as it is, in an object where it cannot hold an id, or as an element of an array. */
function wrapId({ read }: StateContext, property: PropertyView | undefined, value: unknown): unknown {
  const type = property === undefined || property.scalar ? undefined : read(property.target)?.type;
  if (type === 'array' || type === 'object') return type === 'array' ? [value] : { id: value };
  // A document can declare a number as any text in a path.
  return typeof value === 'string' ? toType(value, property?.schema.type) : value;
}

interface Upload {
  readonly content: ItemContent;
  /** Its name, size and media type, under the usual property names. */
  readonly defaults: Item;
}

/** The first file of a form, or a body of bytes; undefined without a file. */
export function readUpload({ body, mediaType }: Call): Upload | undefined {
  if (isBytes(body)) return toUpload({ bytes: body, mediaType: mediaType ?? '', filename: undefined });
  if (!isObject(body)) return undefined;
  for (const value of Object.values(body)) {
    const first: unknown = Array.isArray(value) ? value[0] : value;
    if (isUploadedFile(first)) return toUpload(first);
  }
  return undefined;
}

function toUpload({ bytes, mediaType, filename }: UploadedFile): Upload {
  const size = bytes.byteLength;
  const named = filename === undefined ? {} : { filename, file_name: filename, fileName: filename, name: filename };
  const typed = mediaType === '' ? {} : { mime_type: mediaType, mimeType: mediaType, content_type: mediaType };
  return {
    content: { bytes, mediaType: mediaType === '' ? undefined : mediaType },
    defaults: { ...named, ...typed, bytes: size, size, file_size: size },
  };
}

/** The parts that find the shapes of failures. */
type FailureParts = Pick<StateContext, 'contract' | 'read' | 'validators'>;

/** Creates the answers that report a failure with a success status; they are planned once per operation. */
export function createFailureAnswers(parts: FailureParts): StateContext['answerFailure'] {
  const plan = memoize((operation: Operation) => planFailure(parts, operation));
  return (operation, noun) => plan(operation)?.(noun);
}

/** How a success status reports a failure: `{ "ok": false, "error": "not_found" }`. */
function planFailure(
  { contract, read, validators }: FailureParts,
  operation: Operation,
): ((noun: string) => Answer) | undefined {
  const response = findSuccessWithBody(operation);
  const media = response && findJsonMedia(response.content);
  if (response === undefined || media?.schema === undefined) return undefined;
  const branches = listBranches(contract, media.schemaPointer);
  for (const each of branches.length === 0 ? [media.schemaPointer] : branches) {
    const properties = listProperties(read(each));
    const flag = properties.find(({ name, schema: own }) => isSuccessFlag(name) && own.type === 'boolean')?.name;
    const text = properties.find(({ known, schema: own }) => means(known, 'errors.reason') && own.type === 'string');
    if (flag === undefined || text === undefined) continue;
    const reasons = (text.schema.enum ?? []).filter((value) => typeof value === 'string');
    const toBody = (reason: string): Item => ({ [flag]: false, [text.name]: reason });
    const { schemaPointer, type: mediaType } = media;
    if (validators.check(schemaPointer, 'response')(toBody(reasons[0] ?? 'not_found'), 'body').length > 0) continue;
    const common = { status: Number(response.status) || 200, headers: {}, mediaType, schemaPointer } as const;
    return (noun) => ({
      ...common,
      body: toBody(chooseReason(reasons, noun)),
      from: 'state',
      violations: NO_VIOLATIONS,
    });
  }
  return undefined;
}

/** The reason that says most exactly that an item was not found. */
function chooseReason(reasons: readonly string[], noun: string): string {
  const unknown = reasons.filter((each) => means(each, 'errors.unknownItem'));
  const invalid = reasons.find((each) => means(each, 'errors.invalid'));
  const word = noun.replaceAll(' ', '_');
  return unknown.find((each) => each.includes(word)) ?? unknown[0] ?? invalid ?? reasons[0] ?? 'not_found';
}

/** The properties that the field mask of a request names, in its query or its body: `displayName,labels`; all without a mask. */
export function applyMask({ query, body }: Call, changes: Item): Item {
  const given = [query, isObject(body) ? body : {}];
  const name = given.flatMap((part) => Object.keys(part)).find((each) => means(each, 'queries.mask'));
  const mask = name === undefined ? undefined : given.map((part) => part[name]).find((value) => value !== undefined);
  const paths = (typeof mask === 'string' ? mask.split(',') : Array.isArray(mask) ? mask.map(String) : []).map((path) =>
    path.trim().split('.'),
  );
  if (paths.length === 0 || paths.some(([first]) => first === '*' || first === '')) return changes;
  let masked: Item = {};
  for (const path of paths) {
    const steps = path.map(toBareName);
    const found = readMasked(changes, steps);
    if (found !== undefined) masked = withPath(masked, found.path, found.value);
  }
  return masked;
}

/** The value at a path whose names may have another casing: `display_name` for `displayName`. */
function readMasked(
  item: Item,
  [first, ...rest]: readonly string[],
): { readonly path: readonly string[]; readonly value: unknown } | undefined {
  const name = Object.keys(item).find((each) => toBareName(each) === first);
  if (name === undefined) return undefined;
  const value = item[name];
  if (rest.length === 0) return { path: [name], value };
  const inner = isObject(value) ? readMasked(value, rest) : undefined;
  return inner && { path: [name, ...inner.path], value: inner.value };
}
