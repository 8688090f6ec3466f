import { isObject } from '../../contract/json.js';
import type { Cassette, StoredExchange } from '../cassette/cassette.js';
import { toDoubles } from '../cassette/exact-json.js';
import { readContentType } from '../../http/header-fields.js';
import { loadBody, readText, writeBody } from '../cassette/recorded-body.js';
import { type Item, type PromoteParts, readItems, readShown } from './promote.js';

/** What recordings show about a collection that its contract does not say: hints (`x-mock`) for it. */
export interface LearnedHints {
  /** The property of a create whose value becomes the id. */
  readonly idFrom?: string;
  /** Properties whose repetition was answered with 409. */
  readonly unique?: readonly string[];
  /** Properties that reads show and lists do not. */
  readonly detail?: readonly string[];
}

/** Errors in text that a client without credentials got, by status: templates (`x-mock.errors`), because scenarios apply after them. */
export function learnTextErrors(cassette: Cassette): Readonly<Record<string, { body: string; mediaType: string }>> {
  const texts = cassette.exchanges.flatMap(({ response }) => {
    if (response === undefined || !REFUSALS.has(response.status)) return [];
    const mediaType = readContentType(response.headers) ?? '';
    const bytes = mediaType.startsWith('text/') ? writeBody(cassette.folder, response) : undefined;
    const body = bytes && readText(bytes);
    // Braces are placeholders.
    return body === undefined || /[{}]/.test(body) ? [] : [[String(response.status), { body, mediaType }] as const];
  });
  return Object.fromEntries(texts);
}

const REFUSALS: ReadonlySet<number> = new Set([401, 403]);

/** What one collection has answered. */
interface Witness {
  /** The bodies of successful creates, with the ids of what they created. */
  readonly creates: { readonly sent: Item; readonly id: unknown }[];
  /** The bodies of creates that were answered with 409. */
  readonly conflicts: Item[];
  readonly listed: Set<string>;
  readonly read: Set<string>;
  hasLists: boolean;
}

type LearnParts = Pick<PromoteParts, 'bindings' | 'collections'>;

/** Derives hints from a cassette, by collection. */
export function learnHints(cassette: Cassette, parts: LearnParts): ReadonlyMap<string, LearnedHints> {
  const witnesses = new Map<string, Witness>();
  for (const exchange of cassette.exchanges) {
    const binding = parts.bindings.get(exchange.operation);
    if (binding === undefined || exchange.response === undefined) continue;
    const known = witnesses.get(binding.collection);
    const witness = known ?? { creates: [], conflicts: [], listed: new Set(), read: new Set(), hasLists: false };
    witnesses.set(binding.collection, witness);
    observe(witness, { cassette, exchange, parts });
  }
  return new Map(
    [...witnesses].map(([name, witness]) => [name, toHints(witness, parts.collections.get(name))] as const),
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
  const body = toDoubles(loadBody(cassette.folder, response).body);
  if (action === 'create' && isObject(sent)) {
    if (response.status === 409) witness.conflicts.push(sent);
    if (response.status >= 300) return;
    const { item, id } = readShown(body, idProperty, new Set());
    witness.creates.push({ sent, id });
    for (const name of Object.keys(item ?? {})) witness.read.add(name);
  } else if (response.status < 300 && action === 'list') {
    const items = readItems(body, binding);
    if (items.length > 0) witness.hasLists = true;
    for (const name of items.flatMap((item) => Object.keys(item))) witness.listed.add(name);
  } else if (response.status < 300 && action === 'read') {
    for (const name of Object.keys(readShown(body, idProperty, new Set()).item ?? {})) witness.read.add(name);
  }
}

function toHints(
  { creates, conflicts, listed, read, hasLists }: Witness,
  collection: { readonly idProperty: string | undefined } | undefined,
): LearnedHints {
  const names = [...new Set(creates.flatMap(({ sent }) => Object.keys(sent)))];
  const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
  const idFrom = names.find(
    (name) =>
      name !== (collection?.idProperty ?? 'id') &&
      creates.every((create) => isText(create.sent[name]) && create.sent[name] === create.id),
  );
  const taken = (name: string): readonly unknown[] => creates.map(({ sent }) => sent[name]);
  const isUnique = (name: string): boolean =>
    conflicts.length > 0 &&
    conflicts.every((sent) => isText(sent[name]) && taken(name).includes(sent[name])) &&
    new Set(taken(name)).size === creates.length;
  const [unique] = idFrom !== undefined && isUnique(idFrom) ? [idFrom] : names.filter(isUnique);
  const detail = hasLists ? [...read].filter((name) => !listed.has(name)) : [];
  return {
    ...(idFrom !== undefined && { idFrom }),
    ...(unique !== undefined && { unique: [unique] }),
    ...(detail.length > 0 && { detail }),
  };
}
