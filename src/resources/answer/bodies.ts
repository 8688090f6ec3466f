import { isIdValue, toNumber } from '../../base/exact-number.js';
import { type Binding, listSentInQuery, type Resource } from '../item/resource.js';
import { means } from '../../conventions/conventions.js';
import { listMissing, listUnfit } from '../../schema/fields.js';
import { isOnlyAmbiguous } from '../../schema/validate.js';
import { isObject, listExamples, readMember, readPath, setOwn, filterMembers, withPath } from '../../base/json.js';
import { findMedia } from '../../contract/media-type.js';
import { findBodyMedia } from '../../contract/operations/responses.js';
import { memoize, memoizeOf } from '../../base/memoize.js';
import type { Session } from '../../session/session.js';
import {
  findOnlyValue,
  findPropertyAt,
  isSuccessFlag,
  findValueArray,
  type PropertyView,
  type ReadSchema,
  type ValueArray,
  type SchemaView,
  listBranches,
  listProperties,
  toParameterSchema,
} from '../../contract/schema-view/schema-view.js';
import { createItemEnvelope, listOptionalMembers } from '../list/envelope.js';
import {
  findItemPlace,
  findListPositions,
  findItemPositions,
  isEnvelope,
  isPart,
  isSameItem,
  type ItemPlace,
} from '../item/positions.js';
import {
  createProjection,
  findLinks,
  type Projection,
  type PropertyLink,
  type SchemaPair,
} from '../item/projection.js';
import { toBareNoun, toItemNoun } from '../../conventions/names.js';
import { toBareName } from '../../base/names.js';
import { createNewSecrets } from '../item/identity.js';
import type { StoredItem, Item } from '../store/lists/item-list.js';
import { type ItemModel, omitInvalid, omitInvalidParts } from '../item/item-model.js';
import { isUploadedFile } from '../../http/request/body-form.js';
import type { Call } from '../../http/request/call.js';
import type { Exchange } from '../../answer/chain.js';
import { findRemovedBranch } from './removed.js';
import { readParameter } from './request.js';
import type { BodyReader, BodyWriters, OperationContext, StateContext, WriteBody } from './context.js';
import { isBytes } from '../../base/platform.js';

/** Plans the part of an answer that shows several items, where one or an array of them can be there; undefined where only one can. */
export function createSeveralWriter(
  context: OperationContext,
  pointer: string,
): ((shown: unknown, entries: readonly StoredItem[], exchange: Exchange) => unknown) | undefined {
  const { bodies, contract, model, read } = context;
  const { path, isInArray } = locateItem(context, model, pointer);
  const whole = read(pointer);
  const place = path.length === 0 || whole === undefined ? { pointer } : findPropertyAt(read, whole, path.join('.'));
  const array = listBranches(contract, place?.pointer ?? pointer).find((branch) => read(branch)?.type === 'array');
  if (isInArray) return undefined;
  if (array === undefined) return createListBranchWriter(context, pointer);
  const project = bodies.project(read(array)?.element);
  return (shown, entries, exchange) => {
    const items = entries.map((entry) => project(entry, exchange));
    return path.length === 0 ? items : withPath(isObject(shown) ? shown : {}, path, items);
  };
}

/** Plans the alternative of an answer that has a list in place of one item: `{ lamps: […] }` beside `{ lamp: {…} }`. */
function createListBranchWriter(context: OperationContext, pointer: string): ReturnType<typeof createSeveralWriter> {
  const { bodies, contract, model, read } = context;
  const { schema: item } = model;
  const [found] = listBranches(contract, pointer).flatMap((branch) =>
    findListPositions(read, branch).flatMap(({ path, element, schema }) =>
      element.length === 0 && item !== undefined && isSameItem(read, item, schema) ? [{ branch, path, schema }] : [],
    ),
  );
  if (found === undefined) return undefined;
  const project = bodies.project(found.schema.pointer);
  return (_, entries, exchange) => {
    const body = withPath(
      {},
      found.path,
      entries.map((entry) => project(entry, exchange)),
    );
    return completeBody(context, exchange, { pointer: found.branch, body, key: `${pointer}\0${entries[0]?.id ?? ''}` });
  };
}

/** Creates the writers of a resource: each body is planned once. */
export function createBodyWriters(context: StateContext, model: ItemModel, isCreate: boolean): BodyWriters {
  const locate = memoize((pointer: string) => locateItem(context, model, pointer));
  const write = (pointer: string): WriteBody => createWriter(context, model, { ...locate(pointer), pointer, isCreate });
  return {
    project: memoize((pointer) => (pointer === undefined ? writeItem : write(pointer))),
    listUnstored: memoize((pointer) => {
      const shown = pointer === undefined || model.schema === undefined ? undefined : locate(pointer).schema;
      return listProperties(shown).flatMap(({ name, writeOnly }) =>
        writeOnly || model.schema?.members.has(name) === true ? [] : [name],
      );
    }),
    unwrap: (pointer, body) => {
      if (pointer === undefined) return body;
      const { path, isInArray } = locate(pointer);
      const found = readPath(body, path);
      return isInArray && Array.isArray(found) ? (found[0] as unknown) : found;
    },
    removed: memoize((pointer) => {
      const { path, isInArray } = locate(pointer);
      const schema = findRemovedBranch(context, { pointer, path });
      return schema && createDeleteReport(context, model, { path, schema, pointer, isInArray });
    }),
    report: memoize((pointer) => createDeleteReport(context, model, { ...locate(pointer), pointer })),
  };
}

const writeItem: WriteBody = ({ item }) => item;

/** Writes whole items as their own schema declares them. */
function createItemWriter({ declared }: StateContext, pointer: string): WriteBody {
  const filter = declared.inside(pointer);
  if (filter === undefined) return writeItem;
  return (entry) => {
    const { item } = entry;
    if (entry.isDeclared === true) return item;
    const left = filter(item);
    entry.isDeclared = left === item;
    return left;
  };
}

function createCompletion(
  context: StateContext,
  pointer: string,
  write: (entry: StoredItem, exchange: Exchange) => Omit<PartialBody, 'pointer'>,
): WriteBody {
  // For each session: an item that was generated belongs to several, and what is generated beside it follows from the session.
  const writtenFor = memoizeOf((_session: Session) => new WeakMap<Item, unknown>());
  return (entry, exchange) => {
    const written = writtenFor(exchange.session);
    const known = written.get(entry.item);
    if (known !== undefined) return known;
    const partial = write(entry, exchange);
    const result = completeBody(context, exchange, { pointer, ...partial });
    // To complete takes long; an entry for each of the others would cost more than it saves.
    if (result !== partial.body) written.set(entry.item, result);
    return result;
  };
}

interface PlannedBody extends ItemPlace {
  readonly pointer: string;
  /** Whether it has to show at least the id of the item. */
  readonly isCreate?: boolean;
}

/** Finds the item in the bodies of a schema; the whole body where nothing in it is like the item. */
export function locateItem(
  { read }: Pick<StateContext, 'read'>,
  { schema }: Pick<ItemModel, 'schema'>,
  pointer: string,
): ItemPlace {
  const found = schema === undefined ? undefined : findItemPlace(read, schema, pointer);
  // The object in an envelope is about the item, also where it has none of its properties: `{ "data": { "member_id": 1 } }`.
  if (found !== undefined) return found;
  const inner = findItemPositions(read, pointer).find((each) => !isEnvelope(read, each.schema));
  const root: ItemPlace = { path: [], schema: read(pointer), isInArray: false };
  if (inner === undefined) return root;
  if (schema !== undefined && isPart(read, schema, inner)) return root;
  return { path: inner.path, schema: inner.schema, isInArray: false };
}

function createWriter(context: StateContext, model: ItemModel, body: PlannedBody): WriteBody {
  const { pointer, path, schema, isInArray, isCreate = false } = body;
  const whole = context.read(pointer);
  if (whole === undefined) return writeItem;
  if (whole.pointer === model.resource.schema) return createItemWriter(context, pointer);
  const own = path.length === 0 && !isInArray ? pointer : (schema?.pointer ?? pointer);
  const one = createPartWriter(context, model, { pointer: own, isCreate });
  const part: WriteBody = isInArray ? (entry, exchange) => [one(entry, exchange)] : one;
  if (path.length === 0) return part;
  const wrap = createItemEnvelope(context.read, whole, path);
  const fill = createOptionalMembers(context, whole, path);
  const repeated = listMembersOfItem(whole, model);
  return createCompletion(context, pointer, (entry, exchange) => {
    const key = `${pointer}\0${entry.id}`;
    const known = { ...pick(entry.item, repeated, {}), ...readPlaced(context, exchange.call) };
    return { body: fill(wrap(part(entry, exchange)), { session: exchange.session, key }), key, known };
  });
}

/** What an envelope has to repeat of its item: `{ "number": "p1", "title": "Fog", "page": { "number": "p1", … } }`. An `id` can be that of the request. */
function listMembersOfItem(whole: SchemaView, { schema, resource }: ItemModel): readonly string[] {
  return listProperties(whole).flatMap(({ name, required, scalar, schema: own }) => {
    const isOfItem = required && scalar && name !== 'id' && schema?.members.has(name) === true;
    const isShown = own.enum !== undefined || listExamples(own).some((value) => value !== undefined);
    const isOfEnvelope = name !== resource.idProperty && (isShown || means(name, 'envelopes.member'));
    return isOfItem && !isOfEnvelope ? [name] : [];
  });
}

/** The ids by which a request names its item and the parents, where they are not in the path. */
function readPlaced({ resources }: StateContext, call: Call): Item {
  const { places } = resources.bindings.get(call.operation.id) ?? {};
  const values = Object.keys(places ?? {}).map((name) => [name, readParameter(call, name, places)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** Plans the optional members of an envelope, which generated answers have as well: what the function gets as known stays as it is. */
export function createOptionalMembers(
  { read, generator }: Pick<StateContext, 'generator' | 'read'>,
  schema: SchemaView | undefined,
  path: readonly string[],
): (body: Item, at: { readonly session: Session; readonly key: string; readonly known?: Item }) => Item {
  const members = listOptionalMembers(read, schema, path);
  return (body, { session: { seed, clock }, key, known = body }) =>
    members.reduce((filled, { path: at, property: { name, target } }) => {
      if (readPath(known, at) !== undefined) return filled;
      const now = clock.now();
      const value = generator.value(target, { seed, key: `${key}\0${at.join('.')}`, direction: 'response', now, name });
      return withPath(filled, at, value);
    }, body);
}

/** Writes the part of an item that a schema describes: properties of the same meaning, completed. */
function createPartWriter(
  context: StateContext,
  { schema, resource }: ItemModel,
  { pointer, isCreate }: { readonly pointer: string; readonly isCreate: boolean },
): WriteBody {
  const target = context.read(pointer);
  if (target === undefined) return writeItem;
  if (target.pointer === resource.schema) return createItemWriter(context, pointer);
  if (isCreate && isIdSchema(target)) return (entry) => readIdAs(target, resource, entry);
  const pair = schema && { from: schema, to: target, collection: resource.name };
  const linked = new Set(pair && findLinks(context.read, pair).map(({ to: [name] }) => name));
  // A property of the same name can mean something else, such as the `id` beside a `member_id`.
  const names = [...target.members.keys()].filter((name) => linked.has(name) || schema?.members.has(name) !== true);
  const convert = pair && createProjection(context.read, pair);
  const constants = readConstants(target, schema, isCreate);
  // An `id` without a schema is that of the call.
  const hasOwn = [...linked].some((name) => Object.keys(target.members.get(name ?? '')?.schema ?? {}).length > 0);
  const only =
    isCreate && !hasOwn
      ? findOnlyId(context, target, resource)
      : schema !== undefined && resource.idProperty === undefined
        ? findShownKey(context, target, schema)
        : undefined;
  const filter = context.declared.inside(pointer) ?? ((item) => item);
  const createSecrets = isCreate && schema !== undefined ? createNewSecrets(target, schema) : undefined;
  return createCompletion(context, pointer, (entry, exchange) => {
    const item = filter(entry.item);
    const shown = only === undefined ? item : { ...item, [only.name]: readIdAs(only.value, resource, entry) };
    const same = target.members.size === 0 ? item : pick(shown, names, constants);
    const key = `${resource.name}\0${entry.id}`;
    const own = createSecrets === undefined ? same : { ...createSecrets(exchange.session.seed, key), ...same };
    return { body: convert === undefined ? own : { ...own, ...convert(item) }, key, item: entry.item };
  });
}

/** Writes items as elements of a list: the ids of items where the elements are strings or numbers. */
export function createElementOfList({ read, bodies, model }: OperationContext, pointer: string | undefined): WriteBody {
  const target = read(pointer);
  const isId = target !== undefined && isIdSchema(target) && !means(target.schema.format ?? '', 'ids.otherFormat');
  return isId ? (entry) => readIdAs(target, model.resource, entry) : bodies.project(pointer);
}

/** Whether a body, or a part of it, can be an id. */
function isIdSchema({ type, schema }: SchemaView): boolean {
  return (type === 'string' || type === 'integer') && schema.enum === undefined && !('const' in schema);
}

function readIdAs(
  { type, schema }: SchemaView,
  { idProperty = 'id', selfUrl }: Resource,
  { item, id }: StoredItem,
): unknown {
  // An answer without the format of a URL holds its last segment.
  const isOwn = selfUrl === undefined || schema.format?.startsWith('ur') === true;
  const value = isOwn ? (readMember(item, idProperty) ?? id) : id;
  if (!isIdValue(value)) return value;
  return type === 'integer' ? toNumber(String(value)) : String(value);
}

/** The only property of an answer to a create that can be the id: `{ "result": "a1", "ok": true }`. */
function findOnlyId(
  { read }: StateContext,
  target: SchemaView,
  { name }: Resource,
): { readonly name: string; readonly value: SchemaView } | undefined {
  const noun = toItemNoun(name);
  const found = listProperties(target).flatMap((property) => {
    const value = read(property.target);
    const bare = toBareName(property.name);
    const isNamed = bare === noun || means(bare, 'ids.created');
    return value !== undefined && isNamed && isIdSchema(value) ? [{ name: property.name, value }] : [];
  });
  return found.length === 1 ? found[0] : undefined;
}

/** The property with which an answer names items that do not have their id themselves: `name` for `/indexes/{index_name}`. */
function findShownKey(
  { read }: StateContext,
  target: SchemaView,
  item: SchemaView,
): { readonly name: string; readonly value: SchemaView } | undefined {
  const keys = listProperties(target).filter(({ known }) => means(known, 'ids.id', 'ids.name'));
  const name = keys.find((each) => !item.members.has(each.name))?.name;
  const value = read(name === undefined ? undefined : target.members.get(name)?.target);
  return name !== undefined && value !== undefined && isIdSchema(value) ? { name, value } : undefined;
}

/** What of a body is not of the item and has one right value: `ok`, `result: true` in place of an item, or `result: created`. */
function readConstants(target: SchemaView, item: SchemaView | undefined, isCreate: boolean): Item {
  const constants: Record<string, unknown> = {};
  for (const property of listProperties(target)) {
    const { name, schema } = property;
    const isFlag = schema.type === 'boolean';
    if (item?.members.has(name) === true || !(isFlag || (schema.enum?.length ?? 0) > 1)) continue;
    const done = schema.enum?.find((value) => means(String(value), isCreate ? 'statuses.made' : 'statuses.changed'));
    const only = isFlag && means(name, 'envelopes.wrapper') ? true : (done ?? findOnlyValue(property));
    if (only !== undefined) setOwn(constants, name, only);
  }
  return constants;
}

function pick(item: Item, names: readonly string[], constants: Item): Item {
  const picked: Record<string, unknown> = { ...constants };
  for (const name of names) if (Object.hasOwn(item, name)) setOwn(picked, name, item[name]);
  return picked;
}

interface PartialBody {
  readonly pointer: string;
  readonly body: Item;
  /** Its name for the random generator. */
  readonly key: string;
  readonly item?: Item;
  /** Values for missing members of the same names. */
  readonly known?: Item;
}

/** A body as it is where it is valid; else with its invalid and missing properties generated. */
export function completeBody(
  { contract, validators, generator }: StateContext,
  { session, call }: Exchange,
  { pointer, body, key, item, known: others }: PartialBody,
): unknown {
  const accepts = validators.accepts(pointer, 'response');
  if (accepts(body)) return body;
  const sent = item === undefined ? body : isObject(call.body) ? { ...item, ...call.body } : item;
  const complete = (valid: Item, known: Item): unknown =>
    generator.complete(pointer, valid, {
      seed: session.seed,
      key,
      direction: 'response',
      now: session.clock.now(),
      known: { ...others, ...known, ...call.path },
    });
  // In most bodies it is enough to look at each member, for which nothing is compiled.
  if (listMissing(contract, pointer, body).length > 0) {
    const completed = complete(body, sent);
    if (accepts(completed)) return completed;
  }
  const invalid = validators.check(pointer, 'response')(body, 'body');
  // What would make the whole body fit one alternative only is a wrong member of another one.
  const isWhole = invalid.every((violation) => violation.pointer === '');
  if (isWhole && isOnlyAmbiguous(validators, invalid, { schemaPointer: pointer, body })) return body;
  const unfit = listUnfit(contract, validators, { schemaPointer: pointer, body });
  const isFit = (name: string): boolean => !unfit.includes(name);
  for (const valid of [omitInvalidParts(body, invalid), filterMembers(body, isFit)]) {
    const completed = complete(valid, filterMembers(sent, isFit));
    if (accepts(completed)) return completed;
  }
  return complete(omitInvalid(body, invalid), sent);
}

/** Plans the body of the answer to a delete: the item, or its id and what reports the deletion. */
function createDeleteReport(context: StateContext, model: ItemModel, body: PlannedBody): WriteBody | undefined {
  const { resource } = model;
  const { pointer, path } = body;
  const whole = context.read(pointer);
  const { schema = whole } = body;
  if (whole === undefined || schema === undefined) return undefined;
  const isSame = model.schema !== undefined && isSameItem(context.read, model.schema, schema);
  if (isSame || schema.pointer === resource.schema) return createWriter(context, model, body);
  const wrap = path.length === 0 ? undefined : createItemEnvelope(context.read, whole, path);
  // `true` alone says that it was removed.
  if (schema.type === 'boolean') return () => (wrap === undefined ? true : wrap(true));
  const constants: Record<string, unknown> = {};
  const ids: string[] = [];
  const isDone = findDoneFlags(schema);
  for (const property of listProperties(schema)) {
    const { name } = property;
    const removed = property.schema.enum?.find((value) => means(String(value), 'statuses.removed'));
    const only = removed ?? findOnlyValue(property);
    if (only !== undefined) setOwn(constants, name, only);
    else if (isDone(property)) setOwn(constants, name, true);
    else if (isRemovedCount(property)) setOwn(constants, name, 1);
    else if (isEmptyResult(context.read, property)) setOwn(constants, name, {});
    else if (/^((deleted|removed).*)?id$/.test(toBareName(name)) || name === resource.idProperty) {
      // Keeps the position of the property.
      constants[name] = undefined;
      ids.push(name);
    }
  }
  return (entry, exchange) => {
    const report: Record<string, unknown> = { ...constants };
    for (const name of ids) report[name] = readMember(entry.item, resource.idProperty ?? 'id') ?? entry.id;
    // `wrap` gives objects.
    const wrapped = wrap === undefined ? report : wrap(report);
    const known = readPlaced(context, exchange.call);
    return completeBody(context, exchange, { pointer, body: wrapped, key: `${pointer}\0${entry.id}`, known });
  };
}

/** Whether a number says how many items were removed: `deleted`, `deleted_count`. */
function isRemovedCount({ name, schema }: PropertyView): boolean {
  return schema.type === 'integer' && means(name.replace(/_?count$/i, ''), 'removed.report');
}

/** Whether an object has nothing in place of an item: `{ "data": {} }`. */
function isEmptyResult(read: ReadSchema, { name, target, schema }: PropertyView): boolean {
  return schema.type === 'object' && means(name, 'envelopes.wrapper') && read(target)?.members.size === 0;
}

/** Finds the flags that say that an item was removed: by their names, `result: true` in place of an item, or the only flag that reports no failure. */
function findDoneFlags(schema: SchemaView): (property: PropertyView) => boolean {
  const isFlag = ({ name, schema: own }: PropertyView): boolean => own.type === 'boolean' && !isSuccessFlag(name);
  const [only, ...others] = listProperties(schema).filter(isFlag);
  return (property) => {
    if (!isFlag(property)) return false;
    const { name } = property;
    if (means(name, 'removed.report', 'statuses.doneFlag', 'envelopes.wrapper')) return true;
    return property === only && others.length === 0 && !means(name, 'statuses.failed', 'pages.hasMore');
  };
}

/** How one form of a request body is read. */
interface BodyForm extends ItemPlace {
  readonly convert: Projection | undefined;
}

/** Plans in which forms the bodies of a media type can hold the items of an operation. */
function createFormFinder(
  context: StateContext,
  binding: Binding,
  model: ItemModel,
): (mediaType: string | undefined) => readonly BodyForm[] {
  const { schema } = model;
  const { collection } = binding;
  const { resources } = context;
  const content = binding.operation.body?.content ?? [];
  const toForm = (pointer: string): BodyForm => {
    const place = locateItem(context, model, pointer);
    const from = place.schema;
    const isKnown = schema !== undefined && from !== undefined && from.members.size > 0;
    return {
      ...place,
      convert: isKnown ? createProjection(context.read, { from, to: schema, collection, resources }) : undefined,
    };
  };
  return memoize((mediaType: string | undefined): readonly BodyForm[] => {
    const media = mediaType === undefined ? undefined : findMedia(content, mediaType);
    if (media?.schema === undefined || schema === undefined) return [PLAIN_FORM];
    const branches = listBranches(context.contract, media.schemaPointer).map(toForm);
    const others = branches.filter(({ path, isInArray }) => isInArray || path.length === 0);
    // A form with an envelope comes first: it is recognized by the envelope.
    return [toForm(media.schemaPointer), ...others].toSorted((a, b) => b.path.length - a.path.length);
  });
}

/** Plans how the request bodies of an operation are read: without their envelope, with the names of the item. */
export function createBodyReader(context: StateContext, binding: Binding, model: ItemModel): BodyReader {
  const { schema } = model;
  const { collection } = binding;
  const find = createFormFinder(context, binding, model);
  const spread = createSpread(context, binding);
  const readItems = ({ body, mediaType }: Call): readonly Item[] => {
    const isMultipart = mediaType?.startsWith('multipart/') === true;
    for (const { path, convert } of find(mediaType)) {
      const found = readPath(body, path);
      const items = Array.isArray(found) ? found.filter(isObject) : isObject(found) ? (spread(found) ?? [found]) : [];
      if (items.length === 0 || isBytes(found)) continue;
      const own = isMultipart ? items.map(withoutFiles) : items;
      return convert === undefined ? own : own.map((item) => Object.assign({}, item, convert(item)));
    }
    return [];
  };
  const readQuery = createQueryReader(context, binding, schema);
  const bodySchema = context.read(findBodyMedia(binding.operation)?.schemaPointer);
  const values =
    binding.action === 'batch'
      ? findValueArray(context.read, bodySchema, { item: schema, parameter: model.resource.memberParameter })
      : undefined;
  return {
    names: (mediaType) => {
      const from = find(mediaType)[0]?.schema;
      if (schema === undefined || from === undefined || from.members.size === 0) return undefined;
      const own = [...from.members.keys()];
      return new Set([
        ...own,
        ...findLinks(context.read, { from, to: schema, collection }).flatMap(({ to }) => to[0] ?? []),
      ]);
    },
    one: (call) => {
      const sent = readItems(call)[0] ?? {};
      return readQuery === undefined ? sent : { ...readQuery(call), ...sent };
    },
    several: (call) => {
      const isArray = ({ path, isInArray }: BodyForm): boolean =>
        !isInArray && Array.isArray(readPath(call.body, path));
      return find(call.mediaType).some(isArray) || spread(call.body) !== undefined ? readItems(call) : [];
    },
    many: (call) => {
      const { body, mediaType } = call;
      const isLocated = find(mediaType).some(({ isInArray }) => isInArray);
      const list = isLocated || !isObject(body) ? undefined : Object.values(body).find(Array.isArray);
      if (values === undefined || !isObject(body)) return list?.filter(isObject) ?? readItems(call);
      const { [values.name]: several, ...same } = body;
      return (Array.isArray(several) ? several : []).map((value) => ({ ...same, [values.property]: value }));
    },
  };
}

/**
 * Plans how one form of a create names several items, beside another one for a single item: `names` and `name`. It returns an item for each
 * value; undefined for any other body.
 */
function createSpread(
  { contract, read }: StateContext,
  { operation }: Binding,
): (body: unknown) => readonly Item[] | undefined {
  const forms = listBranches(contract, findBodyMedia(operation)?.schemaPointer ?? '').map((each) => read(each));
  const single = forms.flatMap((form) =>
    listProperties(form).flatMap(({ name, required, target }) => {
      const isOne = ({ bare, scalar, name: own }: PropertyView): boolean =>
        scalar && bare === toBareNoun(name) && form?.members.has(own) === false;
      const property = required && read(target)?.type === 'array' && forms.flatMap(listProperties).find(isOne)?.name;
      return property ? [{ name, property }] : [];
    }),
  );
  return (body) => {
    const isMeant = ({ name, property }: ValueArray): boolean =>
      isObject(body) && Array.isArray(body[name]) && body[property] === undefined;
    const array = single.find(isMeant);
    if (array === undefined || !isObject(body)) return undefined;
    const { [array.name]: values, ...same } = body;
    return (values as readonly unknown[]).map((value) => ({ ...same, [array.property]: value }));
  };
}

/** Which query parameters of a write are properties of its item; undefined where it can have none. */
export function findQueryLinks(
  { contract, read }: Pick<StateContext, 'contract' | 'read'>,
  binding: Binding,
  to: SchemaView | undefined,
): { readonly pair: SchemaPair; readonly links: readonly PropertyLink[] } | undefined {
  const { operation, collection } = binding;
  // Beside a body, a parameter is a property only by its exact name.
  const sent = listSentInQuery(binding).filter(({ name }) => operation.body === undefined || to?.members.has(name));
  if (to === undefined || sent.length === 0) return undefined;
  const from = toParameterSchema(contract, `${operation.pointer}/parameters`, sent);
  const pair = { from, to, collection };
  return { pair, links: findLinks(read, pair) };
}

/** Plans how the properties of an item are read that the query of a write has; undefined where it can have none. */
function createQueryReader(
  context: StateContext,
  binding: Binding,
  to: SchemaView | undefined,
): ((call: Call) => Item) | undefined {
  const { pair, links = [] } = findQueryLinks(context, binding, to) ?? {};
  if (pair === undefined || links.length === 0) return undefined;
  const convert = createProjection(context.read, { ...pair, resources: context.resources });
  const names = new Set(links.flatMap(({ from }) => from[0] ?? []));
  return ({ query }) => convert?.(query) ?? filterMembers(query, (name) => names.has(name));
}

const PLAIN_FORM: BodyForm = { path: [], schema: undefined, isInArray: false, convert: undefined };

function withoutFiles(body: Item): Item {
  const isFile = (value: unknown): boolean => isUploadedFile(Array.isArray(value) ? value[0] : value);
  return Object.values(body).some(isFile) ? filterMembers(body, (_, value) => !isFile(value)) : body;
}
