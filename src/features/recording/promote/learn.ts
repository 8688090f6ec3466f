import { escapePattern } from '../../../base/text.js';
import { filterMembers, isObject, readMember } from '../../../base/json.js';
import type { Cassette, StoredExchange } from '../cassette/cassette.js';
import { toDoubles } from '../../../base/exact-json.js';
import { writeCanonical } from '../cassette/canonical.js';
import { DERIVATIONS, fillDerived } from '../../../generate/derived-values.js';
import { loadJson } from '../cassette/recorded-body.js';
import type { CreatedSample } from '../../../resources/item/resource.js';
import {
  type Item,
  type PromoteParts,
  isPart,
  isPut,
  isRepeated,
  readItems,
  readShown,
  readUnshownId,
  toId,
} from './promote.js';
import { isTime } from '../matching/volatile.js';
import { INVALID } from './failure.js';

/** How items are shown after their DELETE: the hint `removed`. */
interface RemovedHint {
  readonly show?: Item;
  readonly listed?: boolean;
}

/** The hints (`x-mock`) for a collection that recordings show and its contract does not have. */
interface LearnedHints {
  /** The property of a create whose value becomes the id, or a template with properties. */
  readonly idFrom?: string;
  /** Properties whose repetition was answered with 409. */
  readonly unique?: readonly string[];
  /** Properties that reads show and lists do not. */
  readonly detail?: readonly string[];
  /** Properties that are a function of sent ones. */
  readonly derived?: Readonly<Record<string, string>>;
  /** How items are shown after their DELETE. */
  readonly removed?: RemovedHint;
  /** The regular expressions of properties that end with an id of the server. */
  readonly patterns?: Readonly<Record<string, string>>;
  /** Properties whose value paths had in place of the id. */
  readonly alternateKeys?: readonly string[];
  /** What creates made. */
  readonly samples?: readonly CreatedSample[];
  /** That ids without an item are unknown, where nothing else is known of the collection. */
  readonly unknownIds?: 'not-found';
}

/** The recorded answers of one collection. */
type Witness = ReturnType<typeof createWitness>;

function createWitness() {
  return {
    /** The bodies of successful creates, with the ids of the items that they created. */
    creates: [] as { readonly sent: Item; readonly id: unknown }[],
    /** The bodies of creates that were answered with 409, or refused although they repeat one that was not. */
    conflicts: [] as Item[],
    listed: new Set<string>(),
    read: new Set<string>(),
    hasLists: false,
    /** The latest form of each item, by id. */
    shown: new Map<string, Item>(),
    /** The creates whose items no request has changed yet, by id. */
    pending: new Map<string, SentAndShown>(),
    /** The creates whose items were shown before another request changed them. */
    samples: [] as SentAndShown[],
    /** The creates whose items no answer has identified yet. */
    unnamed: [] as SentAndShown[],
    alternateKeys: new Set<string>(),
    /** Items that were removed, in their last form; undefined if that is unknown. */
    removed: new Map<string, Item | undefined>(),
    /** Removed items as reads show them, with the last form before; undefined if they were not found. */
    afterRemoval: [] as ({ readonly before: Item | undefined; readonly after: Item } | undefined)[],
    listsRemoved: false,
    /** Whether an item was not found, and whether anything else was answered. */
    isMissing: false,
    isKnown: false,
  };
}

type LearnParts = Pick<PromoteParts, 'bindings' | 'collections'>;

/** Derives hints from a cassette, by collection. */
export function learnHints(cassette: Cassette, parts: LearnParts): ReadonlyMap<string, LearnedHints> {
  const witnesses = new Map<string, Witness>();
  for (const exchange of cassette.exchanges) {
    const binding = parts.bindings.get(exchange.operation);
    if (binding === undefined || exchange.response === undefined) continue;
    const witness = witnesses.get(binding.collection) ?? createWitness();
    witnesses.set(binding.collection, witness);
    observe(witness, { cassette, exchange, parts });
  }
  const placeholders = Object.keys(cassette.manifest.redacted);
  return new Map(
    [...witnesses].map(([name, witness]) => {
      return [name, toHints(witness, { collection: parts.collections.get(name), placeholders })] as const;
    }),
  );
}

function observe(
  witness: Witness,
  from: { readonly cassette: Cassette; readonly exchange: StoredExchange; readonly parts: LearnParts },
): void {
  const { cassette, exchange, parts } = from;
  const { response, request, operation } = exchange;
  const binding = parts.bindings.get(operation);
  if (response === undefined || binding === undefined) return;
  const { collection, action } = binding;
  const { idProperty = 'id' } = parts.collections.get(collection) ?? {};
  const sent = toDoubles(request.body);
  const body = toDoubles(loadJson(cassette.folder, response));
  const id = binding.id.map((name) => toId(request.pathParams[name])).join('/');
  if (response.status < 300) witness.isKnown = true;
  else if (binding.id.length > 0 && GONE.has(response.status)) witness.isMissing = true;
  if (isPut(exchange, action)) {
    witness.removed.delete(id);
    witness.pending.set(id, { exchange, sent: isObject(sent) ? sent : {}, shown: undefined });
  } else if (action === 'create' && isObject(sent)) {
    const isTaken = witness.creates.some((each) => writeCanonical(each.sent) === writeCanonical(sent));
    if (response.status === 409 || (INVALID.has(response.status) && isTaken)) witness.conflicts.push(sent);
    if (response.status >= 300) return;
    const own = new Set([...parts.bindings.values()].flatMap((each) => (each.id.length === 1 ? each.id : [])));
    const { item, id: shown } = readShown(body, idProperty, own);
    witness.creates.push({ sent, id: item === undefined ? undefined : readMember(item, idProperty) });
    for (const name of Object.keys(item ?? {})) witness.read.add(name);
    const created = shown ?? readUnshownId(exchange, idProperty);
    if (created === undefined) {
      witness.unnamed.push({ exchange, sent, shown: undefined });
      return;
    }
    witness.removed.delete(created);
    witness.pending.set(created, { exchange, sent, shown: undefined });
    if (item !== undefined) see(witness, created, item);
  } else if (action === 'batch' && response.status < 300) {
    for (const each of [sent].flat().filter(isObject)) witness.unnamed.push({ exchange, sent: each, shown: undefined });
  } else if (action === 'read') {
    const isGone = witness.removed.has(id) && GONE.has(response.status);
    const { item } = response.status < 300 ? readShown(body, idProperty, new Set()) : { item: undefined };
    if (item !== undefined) observeRead(witness, item, { id, idProperty, isPlain: binding.id.length === 1 });
    else if (isGone) witness.afterRemoval.push(undefined);
  } else if (response.status < 300 && action === 'list') {
    const items = readItems(body, binding);
    if (items.length > 0) witness.hasLists = true;
    for (const name of items.flatMap((item) => Object.keys(item))) witness.listed.add(name);
    const ids = items.map((item) => toId(readMember(item, idProperty)));
    if (ids.some((each) => witness.removed.has(each))) witness.listsRemoved = true;
    // A list can show less than reads do.
    const isWhole = (item: Item): boolean => [...witness.read].every((name) => Object.hasOwn(item, name));
    for (const [i, item] of items.entries()) {
      const id = ids[i] ?? '';
      const made = witness.shown.has(id) ? -1 : witness.unnamed.findIndex((each) => isPart(each.sent, item));
      for (const sample of made < 0 ? [] : witness.unnamed.splice(made, 1)) witness.pending.set(id, sample);
      if (isWhole(item)) see(witness, id, item);
    }
  } else if (response.status < 300 && action === 'delete') witness.removed.set(id, witness.shown.get(id));
  // After another change, an item is not what its create made.
  else if (response.status < 300 && !isRepeated(action, sent, witness.pending.get(id)?.sent))
    witness.pending.delete(id);
}

/** @param of - `id`: the one in the path; `isPlain`: whether it has one part. */
function observeRead(
  witness: Witness,
  item: Item,
  { id, idProperty, isPlain }: { readonly id: string; readonly idProperty: string; readonly isPlain: boolean },
): void {
  for (const name of Object.keys(item)) witness.read.add(name);
  const key = toId(readMember(item, idProperty));
  const [name, ...others] = Object.keys(item).filter((each) => each !== idProperty && toId(item[each]) === id);
  if (isPlain && key !== id && name !== undefined && others.length === 0) {
    witness.alternateKeys.add(name);
    see(witness, key, item);
  } else if (witness.removed.has(id)) witness.afterRemoval.push({ before: witness.removed.get(id), after: item });
  else see(witness, id, item);
}

/** Statuses of items that do not exist. */
const GONE: ReadonlySet<number> = new Set([404, 410]);

/** Remembers the form of an item, and that it is what its create made, if no request has changed it since. */
function see({ shown, pending, samples }: Witness, id: string, item: Item): void {
  shown.set(id, item);
  const sample = pending.get(id);
  if (sample === undefined) return;
  if (sample.shown === undefined) samples.push(sample);
  sample.shown = { ...sample.shown, ...item };
}

interface HintFacts {
  readonly collection: { readonly idProperty: string | undefined } | undefined;
  /** What secrets are replaced by. */
  readonly placeholders: readonly string[];
}

function toHints(
  { creates, conflicts, listed, read, hasLists, ...witness }: Witness,
  { collection, placeholders }: HintFacts,
): LearnedHints {
  const names = [...new Set(creates.flatMap(({ sent }) => Object.keys(sent)))];
  const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
  const idFrom = names.find(
    (name) =>
      name !== (collection?.idProperty ?? 'id') &&
      creates.every((create) => isText(create.sent[name]) && create.sent[name] === create.id),
  );
  const idTemplate = idFrom === undefined ? learnId(creates, collection?.idProperty ?? 'id') : undefined;
  const taken = (name: string): readonly unknown[] => creates.map(({ sent }) => sent[name]);
  const isUnique = (name: string): boolean =>
    conflicts.length > 0 &&
    conflicts.every((sent) => isText(sent[name]) && taken(name).includes(sent[name])) &&
    new Set(taken(name)).size === creates.length;
  const [unique] = idFrom !== undefined && isUnique(idFrom) ? [idFrom] : names.filter(isUnique);
  const detail = hasLists ? [...read].filter((name) => !listed.has(name)) : [];
  const derived = learnDerived(witness.samples, collection?.idProperty ?? 'id');
  const removed = learnRemoved(witness);
  const patterns = learnPatterns(witness.samples, collection?.idProperty ?? 'id');
  const samples = learnSamples(witness.samples, placeholders);
  return {
    ...(witness.isMissing && !witness.isKnown && { unknownIds: 'not-found' as const }),
    ...(samples.length > 0 && { samples }),
    ...(witness.alternateKeys.size > 0 && { alternateKeys: [...witness.alternateKeys] }),
    ...(Object.keys(derived).length > 0 && { derived }),
    ...(removed !== undefined && { removed }),
    ...(Object.keys(patterns).length > 0 && { patterns }),
    ...((idFrom ?? idTemplate) !== undefined && { idFrom: idFrom ?? idTemplate }),
    ...(unique !== undefined && { unique: [unique] }),
    ...(detail.length > 0 && { detail }),
  };
}

/** The template of ids that the service makes of what creates send. */
function learnId(creates: Witness['creates'], idProperty: string): string | undefined {
  const samples = creates.map(({ sent, id }) => ({
    sent: filterMembers(sent, (name) => name !== idProperty),
    value: id,
  }));
  const isText = samples.every(({ value }) => typeof value === 'string');
  return isText && new Set(creates.map(({ id }) => id)).size > 1 ? findTemplate(samples) : undefined;
}

/** How items are shown after their DELETE, if each one that was read was found, and the differences agree. */
function learnRemoved({
  afterRemoval,
  listsRemoved,
}: Pick<Witness, 'afterRemoval' | 'listsRemoved'>): RemovedHint | undefined {
  if (afterRemoval.length === 0) return undefined;
  const shown: Item[] = [];
  for (const found of afterRemoval) {
    const { before, after } = found ?? {};
    // Another form than that of the item, such as `{ id, deleted: true }`, is one that the contract declares.
    if (before === undefined || after === undefined || !Object.keys(before).every((name) => name in after))
      return undefined;
    shown.push(readChanged(before, after));
  }
  const [show = {}] = shown;
  const isSame = shown.every((each) => writeCanonical(each) === writeCanonical(show));
  return { ...(isSame && Object.keys(show).length > 0 && { show }), ...(listsRemoved && { listed: true }) };
}

/** The members that have another value, without times, which differ in each run. */
function readChanged(before: Item, after: Item): Item {
  const changed = Object.entries(after).flatMap(([name, value]): readonly (readonly [string, unknown])[] => {
    const was = before[name];
    if (writeCanonical(was) === writeCanonical(value) || isTime(value)) return [];
    if (!isObject(was) || !isObject(value)) return [[name, value]];
    const below = readChanged(was, value);
    return Object.keys(below).length === 0 ? [] : [[name, below]];
  });
  return Object.fromEntries(changed);
}

/** The body of a create, and its item as the answers before the next change showed it. */
interface SentAndShown {
  readonly exchange: StoredExchange;
  readonly sent: Item;
  shown: Item | undefined;
}

/** More samples would make an overlay that is too long to be read. */
const MAX_SAMPLES = 200;

/** What creates made of their requests, without secrets. */
function learnSamples(samples: readonly SentAndShown[], placeholders: readonly string[]): readonly CreatedSample[] {
  return samples.slice(0, MAX_SAMPLES).map(({ exchange: { request, recordedAt }, sent, shown = {} }) => {
    const isSecret = (name: string): boolean => {
      const text = writeCanonical(shown[name]);
      return placeholders.some((placeholder) => text.includes(placeholder));
    };
    const generated = Object.keys(shown).filter(isSecret);
    return {
      ...(Object.keys(request.pathParams).length > 0 && { path: toDoubles(request.pathParams) as Item }),
      ...(Object.keys(request.query).length > 0 && { query: toDoubles(request.query) as Item }),
      ...(Object.keys(sent).length > 0 && { body: sent }),
      item: filterMembers(shown, (name) => !generated.includes(name)),
      at: recordedAt,
      ...(generated.length > 0 && { generated }),
    };
  });
}

/** The templates of properties that are the same function of what was sent in all samples, and not always the same value. */
function learnDerived(samples: readonly SentAndShown[], idProperty: string): Readonly<Record<string, string>> {
  const [first] = samples;
  if (first === undefined) return {};
  const isDerived = (name: string): boolean =>
    name !== idProperty &&
    samples.every(({ sent, shown = {} }) => Object.hasOwn(shown, name) && !Object.hasOwn(sent, name)) &&
    new Set(samples.map(({ shown = {} }) => writeCanonical(shown[name]))).size > 1;
  const found = Object.keys(first.shown ?? {})
    .filter(isDerived)
    .flatMap((name): readonly (readonly [string, string])[] => {
      const template = findTemplate(samples.map(({ sent, shown = {} }) => ({ sent, value: shown[name] })));
      return template === undefined ? [] : [[name, template]];
    });
  return Object.fromEntries(found);
}

/** The patterns of properties that no request sends and whose strings differ in an id at their end alone, such as the URL of another item. */
function learnPatterns(samples: readonly SentAndShown[], idProperty: string): Readonly<Record<string, string>> {
  const names = Object.keys(samples[0]?.shown ?? {}).filter(
    (name) => name !== idProperty && samples.every(({ sent }) => !Object.hasOwn(sent, name)),
  );
  const found = names.flatMap((name): readonly (readonly [string, string])[] => {
    const values = samples.map(({ shown = {} }) => String(shown[name]));
    const parts = values.map((value) => GENERATED_END.exec(value) ?? []);
    const [start, end = ''] = (parts[0] ?? []).slice(1);
    const isSame = parts.every(([, own, other]) => own === start && other?.length === end.length);
    if (start === undefined || start === '' || !isSame || new Set(values).size < 2) return [];
    return [[name, `^${escapePattern(start)}${end.replaceAll(/[0-9a-f]+/g, ({ length }) => `[0-9a-f]{${length}}`)}$`]];
  });
  return Object.fromEntries(found);
}

/** A string that ends with a UUID or with hexadecimal digits. */
const GENERATED_END = /^(.*?)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,})$/;

/** The template that gives the values for what was sent. */
function findTemplate(samples: readonly { readonly sent: Item; readonly value: unknown }[]): string | undefined {
  const [first] = samples;
  const fits = (template: string): boolean =>
    samples.every(({ sent, value: wanted }) => {
      const value = fillDerived(template, sent);
      return value !== undefined && writeCanonical(value) === writeCanonical(wanted);
    });
  return first && listTemplates(first.sent, first.value).find(fits);
}

/** The templates that give a value for what was sent once, those with the fewest parts first. */
function listTemplates(sent: Item, value: unknown): readonly string[] {
  const placeholders = Object.keys(sent).flatMap((name) => [
    `{${name}}`,
    ...Object.keys(DERIVATIONS).map((change) => `{${name}:${change}}`),
  ]);
  if (typeof value !== 'string' || /[{}]/.test(value)) return placeholders;
  const place = (template: string): readonly string[] =>
    placeholders.flatMap((placeholder) => {
      const text = fillDerived(placeholder, sent);
      // A shorter text is in many others by chance.
      if (typeof text !== 'string' || text.length < MIN_LENGTH) return [];
      // Not inside of another placeholder.
      return template.split(/(\{[^}]*\})/).flatMap((part, i, parts) => {
        if (part.startsWith('{') || !part.includes(text)) return [];
        const replaced = part.replace(text, () => placeholder);
        return [parts.with(i, replaced).join('')];
      });
    });
  const one = place(value);
  return [...placeholders, ...one, ...one.flatMap(place)];
}

const MIN_LENGTH = 3;
