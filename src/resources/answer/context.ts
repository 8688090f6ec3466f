import { isScalarType } from '../../base/json.js';
import type { MediaType, Operation } from '../../contract/operations/operation.js';
import { findSuccessWithBody, toStatus, declaresStatus } from '../../contract/operations/responses.js';
import type { Answer } from '../../http/answer.js';
import { isJsonType, isMarkupType, isStructuredType } from '../../contract/media-type.js';
import type { Call } from '../../http/request/call.js';
import { memoize } from '../../base/memoize.js';
import { NO_VIOLATIONS } from '../../schema/violation.js';
import type { DeclaredMembers } from '../item/declared-members.js';
import type { ReadSchema } from '../../contract/schema-view/schema-view.js';
import { toSingular } from '../../conventions/names.js';
import type { Binding, Resource, Resources } from '../item/resource.js';
import { readScope } from '../store/collection.js';
import type { StoredItem, Item, ListedForm } from '../store/lists/item-list.js';
import type { ItemModel } from '../item/item-model.js';
import type { Items } from '../store/items.js';
import type { ItemLocation } from '../store/on-demand.js';
import type { Transaction } from '../store/store.js';
import type { Exchange, SourceParts } from '../../answer/chain.js';
import { chooseResponse, MAX_ACCEPT_HEADERS, type ResponseChoice } from '../../answer/choose-response.js';
import type { ErrorAnswers } from '../../answer/error-answers.js';

/** The parts that the handlers of all operations share. */
export interface StateContext extends SourceParts {
  readonly resources: Resources;
  readonly items: Items;
  readonly read: ReadSchema;
  readonly declared: DeclaredMembers;
  /** The ids of the operations that declare entity tags. */
  readonly tagged: readonly string[];
  /** The answer that reports an unknown item with a success status, where the contract of an operation reports failures so. */
  answerFailure(operation: Operation, noun: string): Answer | undefined;
  /** The operations of a collection. */
  bindingsOf(collection: string): readonly Binding[];
  /** The collections that references in the contract can mean; read when first needed. */
  targets(): Targets;
}

/** The collections that references in a contract can mean: all by the noun of an item, top-level ones also by the schema of an item. */
export interface Targets {
  readonly byNoun: ReadonlyMap<string, readonly Resource[]>;
  readonly bySchema: ReadonlyMap<string, string>;
}

/** The parts that the handler of one operation works with. */
export interface OperationContext extends StateContext {
  readonly binding: Binding;
  readonly model: ItemModel;
  readonly choose: ChooseResponse;
  readonly bodies: BodyWriters;
  readonly reader: BodyReader;
  readonly preconditions: Preconditions;
  readonly references: References;
  /** Finds the list of items that a call addresses, or the 404 for a parent that does not exist. */
  findLocation(exchange: Exchange, transaction: Transaction): ItemLocation | { readonly missing: Answer };
}

/** Writes an item as the body that one schema describes. */
export type WriteBody = (entry: StoredItem, exchange: Exchange) => unknown;

/** How the bodies of one operation show items. */
export interface BodyWriters {
  /** The body for the schema at a pointer: the item itself, the part of it that the schema describes, or an envelope around that. */
  project(schemaPointer: string | undefined): WriteBody;
  /** The properties that a body shows of an item and that items do not have: they belong to one request. */
  listUnstored(schemaPointer: string | undefined): readonly string[];
  /** The item in a body that `project` has written. */
  unwrap(schemaPointer: string | undefined, body: unknown): unknown;
  /** The body that shows a removed item, where the schema has a branch for it. */
  removed(schemaPointer: string): WriteBody | undefined;
  /** The body of the answer to a delete. */
  report(schemaPointer: string): WriteBody | undefined;
}

/** Reads the items in the body of a request in the form in which they are stored. */
export interface BodyReader {
  /** The item in a body, without uploaded files; an empty one where the body is not an object. */
  one(call: Call): Item;
  /** The properties of the item that a body of a media type can set; undefined where its schema does not determine them. */
  names(mediaType: string | undefined): ReadonlySet<string> | undefined;
  /** The items of a request that can have one or several: those of an array, none where it has one item. */
  several(call: Call): readonly Item[];
  /** The items of a batch request: the body, or the first array in it. */
  many(call: Call): readonly Item[];
}

/** The items of other collections that a request creates by what it sends inside of an item. */
export interface References {
  /** Creates items of collections at the top level, and returns the objects of the new item that show them. */
  create(transaction: Transaction, body: Item): Item;
  /** A new item whose parts are items of the collections below it. */
  adopt(location: ItemLocation, entry: StoredItem): StoredItem;
}

/** Conditional requests on one operation (RFC 9110 section 13), where the contract declares them. */
export interface Preconditions {
  /** The answer to a failed condition: 412, or 304 for a read. @param isNew - Whether this request created the item: a client may know any version. */
  before(exchange: Exchange, entry: StoredItem | undefined, isNew?: boolean): Answer | undefined;
  /** The `ETag` of an item, where the resource has entity tags. */
  headers(entry: StoredItem): Answer['headers'];
}

/** Answers one operation from state, within one transaction of the store; undefined leaves it to the sources below. */
export type StateHandler = (exchange: Exchange, transaction: Transaction) => Answer | undefined;

/** Chooses a response that an item can be the body of. */
type ChooseResponse = (call: Call) => ResponseChoice | undefined;

/** A chooser of responses that keeps its choice for each `Accept` header. */
export function createChoice(operation: Operation, status?: number): ChooseResponse {
  const find = (accept: string | null): ResponseChoice | undefined =>
    readUsable(chooseResponse(operation, accept, status));
  const choose = memoize(find, MAX_ACCEPT_HEADERS);
  return ({ accept }) => choose(accept);
}

/** As `createChoice`, for creates: the success that has a body; of a range 201, with which clients find the item (RFC 9110 9.3.3). */
export function createCreatedChoice(operation: Operation): ChooseResponse {
  const { status } = findSuccessWithBody(operation) ?? {};
  const isRange = status === '2XX';
  return createChoice(operation, status === undefined ? undefined : isRange ? 201 : toStatus(status));
}

/** A context for items that exist: a PUT answers 204 for them where the contract declares 201 and 204 (RFC 9110 9.3.4). */
export function asChange(context: OperationContext): OperationContext {
  const { operation } = context.binding;
  const declares = (status: number): boolean => declaresStatus(operation, status);
  const isOther = operation.method === 'PUT' && declares(201) && declares(204) && !declares(200);
  return isOther ? { ...context, choose: createChoice(operation, 204) } : context;
}

/** As another choice, with JSON where nothing is declared about the answers of a resource: a service without one has a 204. */
export function withPlainJson(choose: ChooseResponse): ChooseResponse {
  const find = memoize((choice: ResponseChoice): ResponseChoice => ({ ...choice, mediaType: 'application/json' }));
  return (call) => {
    const choice = choose(call);
    return choice === undefined || choice.mediaType !== undefined || choice.status === 204 ? choice : find(choice);
  };
}

/** A success with a media type that an item can be serialized to. */
function readUsable(choice: ResponseChoice | undefined): ResponseChoice | undefined {
  if (choice === undefined || choice.status >= 400) return undefined;
  const { media, mediaType } = choice;
  const type = typeof media?.schema === 'object' ? media.schema.type : undefined;
  const text = media?.schema === undefined || isScalarType(type);
  if (mediaType === undefined || text || isStructuredType(mediaType)) return choice;
  return media?.isJson === true ? choice : undefined;
}

/** The origin that a request is sent to. */
export function readOrigin({ headers }: Call): string {
  return `http://${headers.get('host') ?? 'localhost'}`;
}

/** The answer that shows an item. */
export function answerItem(context: OperationContext, exchange: Exchange, entry: StoredItem): Answer | undefined {
  const choice = context.choose(exchange.call);
  if (choice === undefined) return undefined;
  const body = context.bodies.project(choice.media?.schemaPointer)(entry, exchange);
  return toAnswer(choice, body, context.preconditions.headers(entry));
}

/** No header fields. */
export const NO_HEADERS: Answer['headers'] = Object.freeze({});

/** Creates a success answer. */
export function toAnswer(choice: ResponseChoice, body: unknown, headers: Answer['headers'] = NO_HEADERS): Answer {
  const { media, mediaType, status } = choice;
  return {
    status,
    headers,
    body: mediaType === undefined ? undefined : (body ?? findUnknownBody(media)),
    mediaType,
    // No spread, and all members present: answers of one hidden class are copied several times as fast.
    schemaPointer: media?.schema === undefined ? undefined : media.schemaPointer,
    from: 'state',
    violations: NO_VIOLATIONS,
    onInvalid: undefined,
  };
}

/** The body where nothing is known about it but its media type: the example of the document, or an empty object instead of no JSON. */
function findUnknownBody(media: MediaType | undefined): unknown {
  if (media === undefined || media.schema !== undefined) return undefined;
  const [example] = media.examples;
  if (example !== undefined) return example.value;
  return isJsonType(media.type) ? {} : undefined;
}

/** The entries of a list as a writer shows them: made again only where another list showed an entry in between. */
export function listForms(entries: readonly StoredItem[], write: WriteBody, exchange: Exchange): readonly ListedForm[] {
  return entries.map((entry) => {
    const known = entry.listed;
    if (known !== undefined && known.by === write && known.of === entry.item) return known;
    const form: ListedForm = { by: write, of: entry.item, item: write(entry, exchange), text: undefined };
    entry.listed = form;
    return form;
  });
}

/** Leaves a call to the sources below, and says why in the trace. */
export function pass(exchange: Exchange, reason: string): undefined {
  exchange.note(`state: ${reason}`);
}

/** Creates an error answer and notes its message in the trace. */
export function refuse(
  { errors }: Pick<StateContext, 'errors'>,
  exchange: Exchange,
  facts: Omit<Parameters<ErrorAnswers['answer']>[1], 'from'>,
): Answer {
  exchange.note(`state: ${facts.message}`);
  return errors.answer(exchange.call.operation, { from: 'state', call: exchange.call, ...facts });
}

/** Writes where a new item is read, which may be at another path than where it is created (RFC 9110 10.2.2). */
export function createLocationWriter({ binding, bindingsOf, model }: OperationContext): WriteLocation {
  const { operation, collection, action } = binding;
  const reads = bindingsOf(collection).filter((each) => each.action === 'read' && each.places === undefined);
  const below = reads.find((each) => each.operation.path.startsWith(`${operation.path.replace(/\/$/, '')}/{`));
  const word = readLastWord(operation.path);
  const read = reads.find((each) => readLastWord(each.operation.path) === word) ?? reads[0];
  const isBelow = below !== undefined || action === 'copy' || read === undefined;
  // Some paths end in a slash, also paths of items.
  const end = below?.operation.path.endsWith('/') === true ? '/' : '';
  const depth = operation.path.split('/').length;
  return ({ call }, entry, { scope }) => {
    const [path = ''] = call.url.split('?');
    const ids = model.resource.keyProperties.length > 1 ? entry.id.split('/') : [entry.id];
    const own = ids.map((id) => encodeURIComponent(id.toWellFormed()));
    const segments = path.split('/');
    if (isBelow) {
      const start = action === 'copy' ? segments.slice(0, -2).join('/') : path.replace(/\/$/, '');
      return { location: `${start}/${own.join('/')}${end}` };
    }
    const above = read.parents.map(({ parameters }, i) => [parameters[0] ?? '', readScope(scope)[i]] as const);
    const values: Readonly<Record<string, unknown>> = { ...Object.fromEntries(above), ...call.path };
    const known = new Map(read.id.map((name, i) => [name, own[i]]));
    const filled = read.operation.path.replaceAll(
      /\{([^}]+)\}/g,
      (_, name: string) => known.get(name) ?? encodeURIComponent(String(values[name])),
    );
    // A server of the contract may have a path of its own.
    return { location: segments.slice(0, segments.length - depth + 1).join('/') + filled };
  };
}

/** The last segment of a path that is not a parameter. */
function readLastWord(path: string): string | undefined {
  return path.split('/').findLast((segment) => segment !== '' && !segment.startsWith('{'));
}

type WriteLocation = (exchange: Exchange, entry: StoredItem, location: ItemLocation) => Answer['headers'];

/** The first of some statuses that an operation declares, else the last of them. */
export function chooseDeclared(
  { binding }: { readonly binding: Pick<Binding, 'operation'> },
  statuses: readonly number[],
): number {
  return statuses.find((status) => declaresStatus(binding.operation, status)) ?? statuses.at(-1) ?? 400;
}

/** The noun for one item of a collection: `folders.files` -> `file`. */
export function toNoun(collection: string): string {
  return toSingular(collection.split('.').at(-1) ?? 'item').replaceAll(/[_-]+/g, ' ');
}

/** The answer with a header that keeps a browser from running scripts of what a client has uploaded. */
export function isolate(answer: Answer): Answer {
  if (answer.mediaType === undefined || !isMarkupType(answer.mediaType)) return answer;
  return { ...answer, headers: { ...answer.headers, 'content-security-policy': 'sandbox' } };
}
