import type { Contract } from '../../../contract/contract.js';
import { isObject } from '../../../contract/json.js';
import type { Operation } from '../../../contract/operations/operation.js';
import { findSuccessWithBody, toStatus } from '../../../contract/operations/responses.js';
import type { Generator } from '../../../generate/generate.js';
import type { Answer } from '../../../http/answer.js';
import type { Call } from '../../../http/request/call.js';
import type { Validators } from '../../../schema/validate.js';
import { NO_VIOLATIONS } from '../../../schema/violation.js';
import { toSingular } from '../../../state/inference/resource-names.js';
import { createItemSchemaReader, type ItemSchema, type ReadItemSchema } from '../../../state/item-schema.js';
import type { Binding, Resource, Resources, World } from '../../../state/resource.js';
import type { Collection } from '../../../state/store/collection.js';
import { createIdentity, type Identity } from '../../../state/store/identity.js';
import type { Entry, Item } from '../../../state/store/item-list.js';
import { createItemPlan, type ItemPlan } from '../../../state/store/item-plan.js';
import type { Exchange } from '../../chain.js';
import { chooseResponse, type ResponseChoice } from '../../choose-response.js';
import type { ErrorAnswers } from '../../error-answers.js';
import { dropWrong } from './body.js';

/** What the source of state is made of. */
export interface StateParts {
  readonly contract: Contract;
  readonly resources: Resources;
  readonly validators: Validators;
  readonly generator: Generator;
  readonly errors: ErrorAnswers;
  /** For all collections that say nothing themselves; default: closed where fixtures started it, else open. */
  readonly world?: World | undefined;
  /** How many items an open collection shows before anybody created one; default 3. */
  readonly items?: number | undefined;
}

/** Answers one operation from state; undefined leaves it to the sources below. */
export type StateHandler = (exchange: Exchange) => Answer | undefined;

/** A resource with everything that is worked out once from its schema. */
export interface ResourceKit {
  readonly resource: Resource;
  readonly schema: ItemSchema | undefined;
  readonly identity: Identity;
  readonly plan: ItemPlan;
  /** The item with its version in it, for resources that show one (`etag`). */
  tagged(item: Item, revision: number): Item;
}

/** What the handlers of all operations share. */
export interface StateKit extends StateParts {
  readonly read: ReadItemSchema;
  kit(collection: string): ResourceKit;
  worldOf(resource: Resource, collection: Collection): World;
  /** Whether the store can say which items there are: not for things that the contract does not describe and nobody gave. */
  isKnown(resource: Resource, collection: Collection): boolean;
}

/** Shows an item the way one schema wants it. */
type ShowItem = (entry: Entry, exchange: Exchange) => unknown;

/** Creates what the handlers share; kits of resources are made when they are first asked for. */
export function createStateKit(parts: StateParts): StateKit {
  const read = createItemSchemaReader(parts.contract);
  const kits = new Map<string, ResourceKit>();
  return {
    ...parts,
    read,
    kit: (name) => {
      const known = kits.get(name);
      if (known !== undefined) return known;
      const kit = createResourceKit(parts, read, name);
      kits.set(name, kit);
      return kit;
    },
    worldOf: (resource, collection) =>
      collection.world ??
      resource.world ??
      parts.world ??
      parts.resources.world ??
      (collection.started || resource.schema === undefined ? 'closed' : 'open'),
    isKnown: (resource, collection) =>
      collection.started || resource.schema !== undefined || (resource.world ?? parts.world) !== undefined,
  };
}

function createResourceKit(parts: StateParts, read: ReadItemSchema, name: string): ResourceKit {
  const resource = parts.resources.collections.get(name);
  // Bindings name collections of the same inference, which gives every one of them a resource.
  if (resource === undefined) throw new Error(`no resource is called "${name}"`);
  const schema = resource.schema === undefined ? undefined : read(resource.schema);
  const identity = createIdentity(parts.contract, resource, schema);
  const pointer = resource.schema ?? '';
  const check = resource.schema === undefined ? () => NO_VIOLATIONS : parts.validators.check(pointer, 'response');
  const plan = createItemPlan(resource, {
    schema,
    maker: {
      check: (item) => check(item, 'body'),
      complete: (item, { seed, key, now }) =>
        // A schema of objects gives an object.
        parts.generator.complete(pointer, item, { seed, key, direction: 'response', now }) as Item,
    },
  });
  const tag = schema?.properties.get('etag');
  const shows = tag !== undefined && !('const' in tag.schema) && tag.schema.type !== 'object';
  const tagged = (item: Item, revision: number): Item => (shows ? { ...item, etag: String(revision) } : item);
  return { resource, schema, identity, plan, tagged };
}

/** A chooser of responses that remembers its choice for each `Accept` it has seen. */
export function createChoice(operation: Operation, status?: number): (call: Call) => ResponseChoice | undefined {
  const known = new Map<string | null, ResponseChoice | undefined>();
  return (call) => {
    const accept = call.headers.get('accept');
    if (known.has(accept)) return known.get(accept);
    const choice = readUsable(chooseResponse(operation, { status, accept }));
    // Headers are the client's: their number is bounded here, not by it.
    if (known.size < 64) known.set(accept, choice);
    return choice;
  };
}

/** As `createChoice`, for operations that create: of several successes the one that has a body, so that the item is shown. */
export function createCreatedChoice(operation: Operation): (call: Call) => ResponseChoice | undefined {
  const success = findSuccessWithBody(operation);
  return createChoice(operation, success === undefined ? undefined : toStatus(success.status));
}

/** The media types that an item can be written in. */
const STRUCTURED =
  /^(application|text)\/([\w.+-]*\+)?(json|xml|yaml|x-yaml)\b|^application\/x-www-form-urlencoded|^multipart\//;

/** A choice that a success from the store can be answered with: no mistake, and no type that no item can be written in. */
function readUsable(choice: ResponseChoice | undefined): ResponseChoice | undefined {
  if (choice === undefined || choice.status >= 400) return undefined;
  const { media, mediaType } = choice;
  const type = typeof media?.schema === 'object' ? media.schema.type : undefined;
  const text = type === 'string' || media?.schema === undefined;
  return mediaType === undefined || text || STRUCTURED.test(mediaType) ? choice : undefined;
}

/** Shows items as the schema at a pointer wants them: as they are where it is the schema of the resource. */
export function createShower(kit: StateKit, resource: Resource): (pointer: string | undefined) => ShowItem {
  const known = new Map<string | undefined, ShowItem>();
  return (pointer) => {
    const seen = known.get(pointer);
    if (seen !== undefined) return seen;
    const show = createShow(kit, resource, pointer);
    known.set(pointer, show);
    return show;
  };
}

function createShow(kit: StateKit, resource: Resource, pointer: string | undefined): ShowItem {
  const target = pointer === undefined ? undefined : kit.read(pointer);
  if (pointer === undefined || target === undefined || target.pointer === resource.schema) return (entry) => entry.item;
  const check = kit.validators.check(pointer, 'response');
  const names = [...target.properties.keys()];
  const shown = new WeakMap<Item, unknown>();
  return (entry, { session, call }) => {
    if (shown.has(entry.item)) return shown.get(entry.item);
    const part = names.length === 0 ? entry.item : pick(entry.item, names);
    const context = {
      seed: session.seed,
      key: `${resource.name}\0${entry.id}`,
      direction: 'response' as const,
      now: session.clock.now(),
      known: { ...entry.item, ...(isObject(call.body) ? call.body : {}), ...call.path },
    };
    const wrong = check(part, 'body');
    // What the item says and this schema cannot show is made anew; what fits stays.
    const item = wrong.length === 0 ? part : kit.generator.complete(pointer, dropWrong(part, wrong), context);
    shown.set(entry.item, item);
    return item;
  };
}

function pick(item: Item, names: readonly string[]): Item {
  const picked: Record<string, unknown> = {};
  for (const name of names) if (Object.hasOwn(item, name)) picked[name] = item[name];
  return picked;
}

/** The first of some statuses that an operation declares, or, where it declares none of them, the last. */
export function chooseDeclared(binding: Binding, statuses: readonly number[]): number {
  const declared = new Set(binding.operation.responses.map(({ status }) => status));
  return statuses.find((status) => declared.has(String(status))) ?? statuses.at(-1) ?? 400;
}

/** An answer from state. */
export function toAnswer(choice: ResponseChoice, body: unknown, headers: Answer['headers'] = {}): Answer {
  const { media, mediaType, status } = choice;
  const bare = media === undefined || mediaType === undefined;
  return {
    status,
    headers,
    body: bare ? undefined : body,
    mediaType: bare ? undefined : mediaType,
    // No spread, and room for what is set later: answers of one shape are copied several times as fast.
    schemaPointer: bare || media.schema === undefined ? undefined : media.schemaPointer,
    from: 'state',
    violations: NO_VIOLATIONS,
    onInvalid: undefined,
  };
}

/** The words for one item of a collection: `folders.files` -> `file`. */
export function toWords(collection: string): string {
  return toSingular(collection.split('.').at(-1) ?? 'item').replaceAll(/[_-]+/g, ' ');
}
