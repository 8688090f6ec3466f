import type { Contract } from '../../contract/contract.js';
import type { Operation } from '../../contract/operations/operation.js';
import { createItemSchemaReader } from '../item-schema.js';
import { describeResource, findMembers } from '../resource-facts.js';
import {
  type Binding,
  type ParentLink,
  type Resource,
  type Resources,
  toBareName,
  toSingular,
  type Unbound,
} from '../resource.js';
import {
  bindCollectionOperation,
  bindCollectionWord,
  bindItemOperation,
  bindItemWord,
  bindSingletonOperation,
} from './bind.js';
import { createSurvey, type Draft, draftCollections, type PathGroup, type Survey, toGroupKey } from './draft.js';
import type { Finding } from './finding.js';
import { applyHints } from './hints.js';

/**
 * Works out which operations of a contract make one resource, from paths, methods, schemas and answers alone.
 *
 * `x-mock` hints in the document override what was worked out; see docs/state.md.
 *
 * @throws MockError `HINT_INVALID` for a hint that makes no sense.
 */
export function inferResources(contract: Contract): Resources {
  const survey = createSurvey(contract, createItemSchemaReader(contract));
  const drafts = draftCollections(survey);
  const atlas = createAtlas(survey, drafts);
  const bindings = new Map<string, Binding>();
  const unbound: Unbound[] = [];
  for (const operation of contract.operations) {
    const finding = findBinding(survey, atlas, operation);
    if (typeof finding === 'string') unbound.push({ operation, why: finding });
    else bindings.set(operation.id, toBinding(survey, atlas, { operation, finding }));
  }
  const collections = new Map<string, Resource>();
  for (const draft of drafts.values()) {
    if (atlas.at(draft.key) !== draft) continue;
    const name = atlas.name(draft);
    if (collections.has(name)) continue;
    collections.set(name, describeResource(survey, draft, { name, parents: atlas.parents(draft).map(atlas.name) }));
  }
  for (const [name, members] of findMembers(collections, bindings, survey)) {
    const resource = collections.get(name);
    if (resource !== undefined) collections.set(name, { ...resource, ...members });
  }
  return applyHints(survey, { collections, bindings, unbound, unknownIds: undefined });
}

/** The drafts by path, with those that are only another way to one of them led there. */
interface Atlas {
  /** The draft of a path key; of a path that is another way to a collection, that collection. */
  at(key: string): Draft | undefined;
  name(draft: Draft): string;
  parents(draft: Draft): readonly Draft[];
  /** For a list below a parent that is part of a collection at the top: the property that names the parent. */
  within(key: string): { readonly property: string; readonly parameter: string } | undefined;
}

function createAtlas(survey: Survey, drafts: ReadonlyMap<string, Draft>): Atlas {
  const within = new Map<string, { readonly property: string; readonly parameter: string }>();
  const aliases = new Map<string, Draft>();
  const all = [...drafts.values()];
  const tops = all.filter((draft) => draft.groups.length === 1 && draft.real);
  for (const draft of all) {
    // Of two ways none of which is the first, neither leads to the other.
    const other = isSecondWay(survey, draft)
      ? all.find((each) => !isSecondWay(survey, each) && isSameThing(each, draft))
      : undefined;
    if (other !== undefined) aliases.set(draft.key, other);
    const whole = draft.groups.length > 1 ? findWhole(survey, tops, draft) : undefined;
    if (whole === undefined) continue;
    aliases.set(draft.key, whole.draft);
    within.set(draft.key, whole.within);
  }
  const own = all.filter((draft) => !aliases.has(draft.key));
  const names = nameCollections(new Map(own.map((draft) => [draft.key, draft.groups])));
  const at = (key: string): Draft | undefined => aliases.get(key) ?? drafts.get(key);
  return {
    at,
    name: (draft) => names.get(at(draft.key)?.key ?? draft.key) ?? draft.key,
    parents: (draft) =>
      draft.groups.slice(0, -1).flatMap((_, i) => at(toGroupKey(draft.groups.slice(0, i + 1), 'collection')) ?? []),
    within: (key) => within.get(key),
  };
}

/** Whether a path only leads to what another path shows: nothing reads or lists an item below it. */
function isSecondWay(survey: Survey, draft: Draft): boolean {
  if (!draft.real) return true;
  return !survey.operationsAt(draft.key).has('GET') && !survey.operationsAt(draft.itemKey ?? '').has('GET');
}

/** Two paths of the same nouns: `/customers/{customer}` and `/test_helpers/customers/{id}`. */
function isSameThing(other: Draft, draft: Draft): boolean {
  if (!other.real || other.key === draft.key || other.groups.length !== draft.groups.length || other.singleton)
    return false;
  if (draft.schema !== undefined && draft.schema !== other.schema) return false;
  return other.groups.every(({ words, parameters }, i) => {
    const group = draft.groups[i];
    return group?.words.at(-1) === words.at(-1) && group?.parameters.length === parameters.length;
  });
}

/** The top collection that a list below a parent shows a part of: same schema, and a property that names the parent. */
function findWhole(
  survey: Survey,
  tops: readonly Draft[],
  draft: Draft,
): { readonly draft: Draft; readonly within: { readonly property: string; readonly parameter: string } } | undefined {
  const parent = draft.groups.at(-2);
  const parameter = parent?.parameters.at(-1);
  if (parent === undefined || parameter === undefined || draft.schema === undefined) return undefined;
  const top = tops.find((each) => each.schema === draft.schema && each.itemKey !== undefined);
  if (top === undefined) return undefined;
  const noun = toSingular(parent.words.at(-1) ?? '');
  const wanted = new Set([parameter, noun, `${noun}_id`, `${noun}Id`].map(toBareName));
  const property = [...(survey.read(draft.schema)?.properties.keys() ?? [])].find((name) =>
    wanted.has(toBareName(name)),
  );
  return property === undefined ? undefined : { draft: top, within: { property, parameter } };
}

/** What an operation does, or a sentence that says why the store cannot tell. */
function findBinding(survey: Survey, atlas: Atlas, operation: Operation): Finding | string {
  const shape = survey.shape(operation);
  if (shape === undefined) return 'a segment of the path mixes words and parameters';
  if (operation.method === 'OPTIONS' || operation.method === 'TRACE') return `${operation.method} asks for no resource`;
  if (!declaresSuccess(operation)) return 'the contract declares no answer for a success';
  const last = shape.groups.at(-1);
  if (last === undefined) return 'the path has no words';
  const key = toGroupKey(shape.groups, 'collection');
  const draft = atlas.at(key);
  if (last.parameters.length > 0) {
    if (draft === undefined || (draft.groups.at(-1)?.parameters.length ?? 0) !== last.parameters.length) {
      return 'the path names only a part of what identifies an item';
    }
    return bindItemOperation(survey, draft, operation);
  }
  if (draft?.singleton === true) return bindSingletonOperation(survey, draft, operation);
  if (draft !== undefined) return bindCollectionOperation(survey, draft, operation);
  return bindWord(survey, atlas, operation);
}

/** Whether there is an answer to give when all went well; where nothing at all is declared, any answer will do. */
function declaresSuccess({ responses }: Operation): boolean {
  return responses.length === 0 || responses.some(({ status }) => /^[23]|^default$/.test(status));
}

/** What an operation does on a path that ends in a word which names no collection. */
function bindWord(survey: Survey, atlas: Atlas, operation: Operation): Finding | string {
  const groups = survey.shape(operation)?.groups ?? [];
  const last = groups.at(-1);
  const above = groups.slice(0, -1);
  if (above.length > 0 && last?.words.length === 1) {
    const item = atlas.at(toGroupKey(above, 'collection'));
    if (item !== undefined) return bindItemWord(survey, item, operation);
  }
  const shorter = [...above, { words: last?.words.slice(0, -1) ?? [], parameters: [] }];
  const collection = (last?.words.length ?? 0) > 1 ? atlas.at(toGroupKey(shorter, 'collection')) : undefined;
  if (collection !== undefined) return bindCollectionWord(survey, collection, operation);
  return 'the path is neither a collection nor below one';
}

function toBinding(
  survey: Survey,
  atlas: Atlas,
  found: { readonly operation: Operation; readonly finding: Finding },
): Binding {
  const { operation, finding } = found;
  const groups = survey.shape(operation)?.groups ?? [];
  const itemIndex = findItemIndex(groups, finding);
  const links: readonly ParentLink[] = groups.slice(0, itemIndex).flatMap(({ parameters }, i) => {
    const parent = atlas.at(toGroupKey(groups.slice(0, i + 1), 'collection'));
    return parent === undefined ? [] : [{ collection: atlas.name(parent), parameters }];
  });
  return {
    operation,
    collection: atlas.name(finding.draft),
    action: finding.action,
    id: groups[itemIndex]?.parameters ?? [],
    parents: links,
    within: atlas.within(toGroupKey(groups.slice(0, itemIndex + 1), 'collection')),
    set: finding.set,
    list: finding.action === 'list' || finding.action === 'search' ? survey.list(operation) : undefined,
    page: undefined,
    confidence: finding.confidence,
    why: finding.why,
  };
}

/** Which group of the path names the item or the collection: the last one, or the one before a word that acts on it. */
function findItemIndex(groups: readonly PathGroup[], finding: Finding): number {
  const behindItem = finding.action === 'act' || finding.action === 'content' || finding.action === 'copy';
  const last = groups.at(-1);
  return behindItem && last?.parameters.length === 0 ? groups.length - 2 : groups.length - 1;
}

/**
 * Names for collections by the key of their path: the last word of each group, `parent.child` below an item
 * (`folders.files`). Where two paths would have one name, both take more of their words (`checkout.sessions`).
 */
function nameCollections(paths: ReadonlyMap<string, readonly PathGroup[]>): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const depths = new Map([...paths.keys()].map((key) => [key, 1]));
  const longest = Math.max(1, ...[...paths.values()].map((groups) => Math.max(...groups.map((g) => g.words.length))));
  for (let round = 1; round <= longest; round++) {
    for (const [key, groups] of paths) names.set(key, toName(groups, depths.get(key) ?? 1));
    const clashes = findClashes(names);
    if (clashes.size === 0) return names;
    for (const key of clashes) depths.set(key, (depths.get(key) ?? 1) + 1);
  }
  // Words alone cannot tell them apart (`/a/{x}/b` and `/a/b`): a number does, in the order of the document.
  const seen = new Map<string, number>();
  for (const [key, name] of names) {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    if (count > 1) names.set(key, `${name}.${count}`);
  }
  return names;
}

function toName(groups: readonly PathGroup[], words: number): string {
  return groups
    .map((group, i) => group.words.slice(i === groups.length - 1 ? -words : -1).join('.'))
    .join('.')
    .replaceAll(/[^\w.-]+/g, '_');
}

/** The paths that have to take a longer name: of those with one name all but the shortest, or all where none is. */
function findClashes(names: ReadonlyMap<string, string>): ReadonlySet<string> {
  const byName = new Map<string, string[]>();
  for (const [key, name] of names) byName.set(name, [...(byName.get(name) ?? []), key]);
  const clashes = [...byName.values()].filter((keys) => keys.length > 1);
  return new Set(clashes.flatMap((keys) => withoutShortest(keys)));
}

function withoutShortest(keys: readonly string[]): readonly string[] {
  const lengths = keys.map((key) => key.split('/').length);
  const least = Math.min(...lengths);
  if (lengths.filter((length) => length === least).length > 1) return keys;
  return keys.filter((_, i) => lengths[i] !== least);
}
