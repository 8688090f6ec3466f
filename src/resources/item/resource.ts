import { isIdValue } from '../../base/exact-number.js';
import { SAYS_UPSERT } from '../../conventions/descriptions.js';
import type { Operation, Parameter } from '../../contract/operations/operation.js';
import type { ListShape } from '../list/list-shape.js';
import type { PageStyleName } from '../list/pagination.js';
import type { UnknownIds } from '../store/collection.js';
import type { Item } from '../store/lists/item-list.js';
import { NO_MEMBERS, readPath } from '../../base/json.js';
import { declaresStatus } from '../../contract/operations/responses.js';

/** The action of an operation on a collection. */
export type Action =
  | 'act'
  | 'batch'
  | 'batch-delete'
  | 'content'
  | 'copy'
  | 'count'
  | 'create'
  | 'delete'
  | 'elements'
  | 'latest'
  | 'list'
  | 'read'
  | 'replace'
  | 'search'
  | 'update';

/** A string that identifies an item to requests and that only the answer to its create shows: `access_token`. */
export interface SecretKey {
  /** The property of that answer. */
  readonly name: string;
  /** Pointer to its schema. */
  readonly schema: string;
}

/** A property of an item that holds its own URL, or that of a list in it. */
export interface OwnUrl {
  /** A path with dots where it is inside of objects: `_links.self.href`. */
  readonly property: string;
  /** `https://api.example.com/teams/{team_id}`, or a path. */
  readonly template: string;
  /** Whether a path has no origin. */
  readonly isPath?: boolean;
}

/** One collection that a contract lets clients work on. */
export interface Resource {
  readonly name: string;
  /** The path of the list, without the query of its path key. */
  readonly path: string;
  /** A singleton has one item and no id in its path: `/me`. */
  readonly singleton: boolean;
  /** The parent collections, outermost first. */
  readonly parents: readonly string[];
  /** Pointer to the schema of one item; undefined where the contract declares none. */
  readonly schema: string | undefined;
  /** The property that is the id; undefined where items have none. */
  readonly idProperty: string | undefined;
  /** The property of a create whose value becomes the id, from a hint. */
  readonly idFrom?: string | undefined;
  /** Where several path parameters identify an item: the properties they match, in their order. */
  readonly keyProperties: readonly string[];
  /** Properties that hold the values of `keyProperties` joined by `/`: the `full_name` of a repository. */
  readonly joinedKeys: readonly string[];
  /** Where the id is a full resource name: the words before the ids in it, `['projects', 'topics']` for `projects/p1/topics/t1`. */
  readonly fullName?: readonly string[] | undefined;
  /** Where the id is the URL of the item itself: its template, `https://api.example.com/teams/{team_id}`. */
  readonly selfUrl?: string | undefined;
  /** The properties of an item with an id that show its own URL, or the URLs of the lists in it, with the templates of these URLs. */
  readonly links: readonly OwnUrl[];
  /** Other properties whose value a path can have in place of the id: the `slug` of `/teams/{id_or_slug}`. */
  readonly alternateKeys: readonly string[];
  /** Identifies the items in place of their id; undefined where the id does. */
  readonly secretKey?: SecretKey | undefined;
  /** Pointer to the schema of the ids: the schema of a path parameter, or of the id in the answer to a create. */
  readonly idParameterSchema?: string | undefined;
  /** The collection whose items these are memberships of: removing a membership leaves its target. */
  readonly members?: string | undefined;
  /** The property of a create that names the target of a membership. */
  readonly memberParameter?: string | undefined;
  /** Properties that only the response to a create shows. */
  readonly once: readonly string[];
  /** Property -> the property it is the masked form of. */
  readonly redacts: Readonly<Record<string, string>>;
  /** Property -> the regular expression of new values. */
  readonly patterns: Readonly<Record<string, string>>;
  /** Properties that a request can send, even where the schema of the item declares them as read-only. */
  readonly sent: readonly string[];
  readonly unique: readonly string[];
  /** Properties that lists do not show. */
  readonly detail: readonly string[];
  /** Properties every created item gets. */
  readonly set: Item;
  readonly unknownIds?: UnknownIds | undefined;
  /** How many items each list starts with, also below a parent that a client created; from a hint. */
  readonly initialItems?: number | undefined;
  /** How statuses advance, from a hint; else it is found in the schema. */
  readonly lifecycle?: LifecycleHint | undefined;
  /** The answer to a request for an unknown item, from a hint. */
  readonly missing?: MissingHint | undefined;
  /** Property -> the text that it is made of: `{name:lower}`. From a hint. */
  readonly derived?: Readonly<Record<string, string>> | undefined;
  /** How a removed item can still be read, from a hint. */
  readonly removed?: RemovedHint | undefined;
  /** What creates made of some requests, from a hint. */
  readonly samples?: readonly CreatedSample[] | undefined;
}

/** The hint for what a create makes of one request: the item that a service showed after it. */
export interface CreatedSample {
  /** The parameters of the request. */
  readonly path?: Item;
  readonly query?: Item;
  /** Its body; default: none, or an empty object. */
  readonly body?: Item;
  readonly item: Item;
  /** When it was created: times near it are moved to the time of the request. */
  readonly at?: string;
  /** Members of the item that are new in each item, such as a secret. */
  readonly generated?: readonly string[];
}

/** The hint for items after their DELETE. */
export interface RemovedHint {
  /** The members that they show then; objects are merged. */
  readonly show?: Item;
  /** Whether lists show them; default false. */
  readonly listed?: boolean;
}

/** The hint for the answer to a request for an item that does not exist. */
export interface MissingHint {
  /** Default 200. */
  readonly status?: number;
  readonly body: Item;
}

/** The hint for the statuses through which a created item advances by itself; `false` where it does not. */
export type LifecycleHint =
  | false
  | {
      readonly property?: string;
      readonly statuses?: readonly string[];
      readonly seconds?: number;
    };

/** Parameters and the collection whose item they identify. */
export interface ParentLink {
  readonly collection: string;
  readonly parameters: readonly string[];
  /** Whether the parent can be an item of another collection too, so that every id exists. */
  readonly isAny?: boolean | undefined;
}

/** A path that shows part of a collection: items whose property has the value in the path, or that were created below that parent. */
export interface Within {
  readonly property: string | undefined;
  readonly parameter: string;
  /** Whether the value identifies one item: `/users/by-email/{email}`. */
  readonly isKey?: boolean | undefined;
}

/** Where a parameter is that is not a whole segment of the path; `own` is the id of the user of the request, which no parameter has. */
export interface ParameterPlace {
  readonly in: 'body' | 'own' | 'path' | 'query';
  /** The name in the path or in the query, or the property names in the body. */
  readonly path: readonly string[];
  /** For a path parameter of several segments: which one. */
  readonly segment?: number;
}

/** The part of an item that an operation below it reads or changes. */
export interface ElementsPlace {
  /** A path with dots where it is inside of objects. */
  readonly property: string;
  /** Names one of the elements. */
  readonly parameter: string | undefined;
  /** Whether it is one identifier of another item instead of an array. */
  readonly isOne?: boolean;
  /** The collection whose items are shown in place of their identifiers. */
  readonly of?: string | undefined;
}

/** The inferred action of one operation, and the reason for this inference. */
export interface Binding {
  readonly operation: Operation;
  readonly collection: string;
  readonly action: Action;
  /** The parameters that identify the item; several make one composite id. Empty for a list, a create or a singleton. */
  readonly id: readonly string[];
  /** By name, where the parameters are that are not whole segments of the path; undefined where all are. */
  readonly places?: Readonly<Record<string, ParameterPlace>> | undefined;
  /** Where the operation reads or changes the elements of an array of the item: its property, and the parameter that names one of them. */
  readonly elements?: ElementsPlace | undefined;
  /** The query parameter in which a create names the id of the new item. */
  readonly chosenId?: string | undefined;
  /** Outermost first. */
  readonly parents: readonly ParentLink[];
  readonly within?: Within | undefined;
  /** Properties that the operation sets, whatever the request says. */
  readonly set: Item;
  /** For an answer that is a list, or the size of one. */
  readonly list: ListShape | undefined;
  /** The pagination style of a hint. */
  readonly page?: PageStyleName | undefined;
  /** The answer to a request for an unknown item, from a hint. */
  readonly missing?: MissingHint | undefined;
  /** From 0 to 1; a hint of the document is 1. */
  readonly confidence: number;
  readonly why: string;
}

/** An operation that the store does not handle. */
export interface Unbound {
  readonly operation: Operation;
  readonly why: string;
}

/** The collections and bindings that were inferred from a contract. */
export interface Resources {
  readonly collections: ReadonlyMap<string, Resource>;
  /** By operation id. */
  readonly bindings: ReadonlyMap<string, Binding>;
  readonly unbound: readonly Unbound[];
  /** For all collections, from a hint. */
  readonly unknownIds: UnknownIds | undefined;
}

/** Whether a change creates an unknown item: its name says so, it is a replacement that declares 201, or nothing else creates items. */
export function createsUnknown({ action, operation, collection, id }: Binding, { bindings }: Resources): boolean {
  if ((action !== 'replace' && action !== 'update') || operation.method === 'PATCH') return false;
  const declares201 = declaresStatus(operation, 201);
  if (action === 'replace' && declares201) return true;
  if (id.length > 0 && SAYS_UPSERT.test(`${operation.summary ?? ''} ${operation.id}`)) return true;
  const own = [...bindings.values()].filter((each) => each.collection === collection);
  if (own.some((each) => CREATES.has(each.action))) return false;
  // What requests remove, the only request that writes it makes.
  const isRemovable =
    own.some((each) => each.action === 'delete' || each.action === 'batch-delete') && operation.method === 'PUT';
  return action === 'replace' ? operation.method === 'PUT' : declares201 || isRemovable;
}

type Actions = ReadonlySet<Action>;

const toSet = (...actions: readonly Action[]): Actions => new Set(actions);

/** Actions that add items to a collection. */
export const CREATES: Actions = toSet('batch', 'copy', 'create');

/** Actions that add an item, or put another one in its place. */
export const MAKES_ITEM: Actions = toSet('batch', 'copy', 'create', 'replace');

/** Actions that change or remove one item. */
export const CHANGES: Actions = toSet('act', 'delete', 'replace', 'update');

/** Actions whose requests send an item, or a part of one. */
export const TAKES_ITEM: Actions = toSet('act', 'batch', 'copy', 'create', 'replace', 'update');

/** Actions on one item, which the request names. */
export const ON_ITEM: Actions = toSet('act', 'content', 'copy', 'delete', 'elements', 'read', 'replace', 'update');

/** Actions that can be answered with a list of items. */
export const ANSWERS_LIST: Actions = toSet('batch', 'batch-delete', 'list', 'search');

/** Query parameters that say how a request is answered, or who sends it. */
const OF_REQUEST =
  /^(_?fields?|expand|embed|includes?|exclude|select|(update|field)_?mask|dry_?run|force|pretty|callback|(api_?)?version|api_?key|(access_?|auth_?)?token|client_(id|secret))$/i;

/** The query parameters of a write that can hold properties of its item: `POST /pets/{id}?name=Rex`. */
export function listSentInQuery({ operation, action, id, parents, places, chosenId }: Binding): readonly Parameter[] {
  if (!TAKES_ITEM.has(action) || action === 'batch') return [];
  const named = new Set([...id, ...parents.flatMap(({ parameters }) => parameters), ...Object.keys(places ?? {})]);
  return operation.parameters.filter(
    ({ in: place, name }) => place === 'query' && name !== chosenId && !named.has(name) && !OF_REQUEST.test(name),
  );
}

/** Whether an item is in the part of a collection that a path shows: the property that names the parent has the value in the path. */
export function isInPart({ within }: Pick<Binding, 'within'>, item: Item, known: Item): boolean {
  // Most bindings are not in a part, and every request on an item asks.
  if (within?.property === undefined || within.isKey === true) return true;
  const path = within.property.split('.');
  const [own, wanted] = [toText(readPath(item, path)), toText(readPath(known, path))];
  return own === undefined || wanted === undefined || own === wanted;
}

/** A string or a number as a string; undefined for any other value. */
export function toText(value: unknown): string | undefined {
  return isIdValue(value) ? String(value) : undefined;
}

/** Whether an operation names its item or its parents in the query or the body, as methods in RPC style do. */
export function isNamedElsewhere(places: Binding['places']): boolean {
  return Object.values(places ?? {}).some((place) => place.in === 'body' || place.in === 'query');
}

/** Whether the id of an item contains the ids of its parents: a full resource name, or the URL of the item. */
export function isPathId({ fullName, selfUrl }: Resource): boolean {
  return fullName !== undefined || selfUrl !== undefined;
}

/** Whether the items of a resource are not below items of another one. */
export function isTopLevel({ parents }: Resource): boolean {
  return parents.length === 0;
}

/** Creates a resource from its name alone. */
export function createResource(name: string): Resource {
  return {
    name,
    path: '',
    singleton: false,
    parents: [],
    schema: undefined,
    idProperty: 'id',
    keyProperties: [],
    joinedKeys: [],
    links: [],
    alternateKeys: [],
    once: [],
    redacts: NO_MEMBERS,
    patterns: NO_MEMBERS,
    sent: [],
    unique: [],
    detail: [],
    set: NO_MEMBERS,
  };
}

/** Actions that read items and change none. */
export const READS: Actions = toSet('content', 'count', 'latest', 'list', 'read', 'search');

/** Actions that are answered with one item. */
export const SHOWS_ITEM: Actions = toSet('act', 'copy', 'create', 'latest', 'read', 'replace', 'update');

/** Actions on an item that the word after it at the end of a path can name. */
export const BEHIND_ITEM: Actions = toSet('act', 'content', 'copy');
