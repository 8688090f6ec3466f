import { VERSION, PREFIX, CHOSEN_VERSION, ID_PART } from '../../conventions/forms.js';
import { type Idea, means } from '../../conventions/conventions.js';
import type { Operation } from '../../contract/operations/operation.js';
import { toPlainPath } from '../../contract/router/path-span.js';
import { toBareNoun, toSingular } from '../../conventions/names.js';
import { readOwn } from '../../base/json.js';
import { readWords, toBareName } from '../../base/names.js';

/** One group of a path: static segments and the parameters after them, which identify one item. */
export interface PathGroup {
  /** The static segments before the parameters: `['organization', 'projects']`. */
  readonly words: readonly string[];
  /** Empty where the path ends in words. */
  readonly parameters: readonly string[];
}

/** A group with the keys of the path that ends in it. */
export interface KeyedGroup extends PathGroup {
  /** Without its parameters: the key of a collection. */
  readonly key: string;
  /** With its parameters: the key of an item. */
  readonly itemKey: string;
}

/** A path template as groups: `/v1/customers/{customer}/cards` has two. */
export interface PathShape extends DraftShape {
  readonly groups: readonly KeyedGroup[];
}

/** A path whose groups can still change. */
interface DraftShape {
  readonly groups: readonly PathGroup[];
  /** The template without query and fragment. */
  readonly template: string;
  /** Parameters replaced by `{}`: two paths that differ only in the names of parameters have the same. */
  readonly key: string;
  /** The parameter that the path leaves out, since it means the user of the request: `user_id` for `/me/posts`. */
  readonly own?: string | undefined;
  /** Whether the path has a verb that is not in its groups: `/get-agent/{id}`. */
  readonly hasVerb?: boolean;
}

/** The shapes of the paths of a contract; undefined where a segment mixes text and parameters. */
type PathShapes = ReadonlyMap<Operation, PathShape | undefined>;

type DraftShapes = ReadonlyMap<Operation, DraftShape | undefined>;

/** Reads the paths of all operations; other versions, and ids of parents in front of the id, are read as the same path. */
export function readPathShapes(
  operations: readonly Operation[],
  isList: (operation: Operation, noun: string | undefined) => boolean,
  isSame: (one: Operation, other: Operation) => boolean,
): PathShapes {
  const shapes = unifyOwn(splitGroups(unifyVerbs(unifyVersions(operations)), isList), { isList, isSame });
  return new Map(
    Array.from(shapes, ([operation, shape]) => [operation, shape && { ...shape, groups: withKeys(shape.groups) }]),
  );
}

function withKeys(groups: readonly PathGroup[]): readonly KeyedGroup[] {
  let above = '';
  return groups.map(({ words, parameters }): KeyedGroup => {
    const key = `${above}/${words.join('/')}`;
    above = key + '/{}'.repeat(parameters.length);
    return { words, parameters, key, itemKey: above };
  });
}

/** Reads `/me` as one of the `/users/{id}`, and `/me/posts` as `/users/{id}/posts`, where both exist and show the same. */
function unifyOwn(
  shapes: DraftShapes,
  {
    isList,
    isSame,
  }: {
    isList(operation: Operation, noun: string | undefined): boolean;
    isSame(one: Operation, other: Operation): boolean;
  },
): DraftShapes {
  if (!Array.from(shapes.values()).some((shape) => findOwnWord(shape) >= 0)) return shapes;
  const reads = new Map<string, Operation>();
  const bases = new Map<string, PathGroup>();
  for (const [operation, shape] of shapes) {
    if (operation.method === 'GET' && shape !== undefined) reads.set(shape.key, operation);
    const [first] = shape?.groups ?? [];
    if (first?.parameters.length === 1 && means(first.words.at(-1) ?? '', 'people.collection'))
      bases.set(first.words.join('/'), first);
  }
  const find = (shape: DraftShape): DraftShape | undefined => {
    const at = findOwnWord(shape);
    const [{ words, parameters } = { words: [], parameters: [] }, ...rest] = shape.groups;
    const after = words.slice(at + 1);
    if (at < 0 || (after.length === 0 && parameters.length > 0)) return undefined;
    const before = words.slice(0, at).join('/');
    const base = bases.get(before) ?? [...bases.values()].find((each) => each.words.slice(0, -1).join('/') === before);
    if (base === undefined) return undefined;
    const below: readonly PathGroup[] = after.length === 0 ? [] : [{ words: after, parameters }];
    const whole = toGroupKey([base, ...below], after.length === 0 ? 'itemKey' : 'key');
    const plain = `/${words.join('/')}`;
    const [own, other] = [reads.get(plain), reads.get(whole)];
    const isItem = after.length === 0 || reads.has(`${whole}/{}`) || reads.has(`${plain}/{}`);
    if (own === undefined || other === undefined || !isItem || !isSame(own, other)) return undefined;
    // `GET /user` beside `/user/{id}` lists all of them.
    if (after.length === 0 && isList(own, undefined)) return undefined;
    const groups = [base, ...below, ...rest];
    return { groups, template: '', key: toGroupKey(groups, 'itemKey'), own: base.parameters[0] };
  };
  return new Map(Array.from(shapes, ([operation, shape]) => [operation, (shape && find(shape)) ?? shape]));
}

/** The index of the word for the user of the request, one of the last two of the first group; -1 for none. */
function findOwnWord(shape: DraftShape | undefined): number {
  const words = shape?.groups[0]?.words ?? [];
  return words.findLastIndex((word, i) => i >= words.length - 2 && means(word, 'people.own'));
}

/** Reads `POST /v10/projects` as `/v9/projects`, as `GET /v9/projects/{id}` has it, where no operation of a noun has two versions. */
function unifyVersions(operations: readonly Operation[]): DraftShapes {
  const shapes = new Map(operations.map((operation) => [operation, readPathShape(operation)] as const));
  const byNoun = new Map<string, { readonly version: string; readonly seen: Set<string>; isRepeated: boolean }>();
  for (const [{ method }, shape] of shapes) {
    const versioned = shape && readVersion(shape);
    if (shape === undefined || versioned === undefined) continue;
    const { noun, version } = versioned;
    const known = byNoun.get(noun) ?? { version, seen: new Set(), isRepeated: false };
    byNoun.set(noun, known);
    const operation = `${method} ${withVersion(shape, '').key}`;
    known.isRepeated ||= known.seen.has(operation);
    known.seen.add(operation);
  }
  if (byNoun.size === 0) return shapes;
  const unify = (shape: DraftShape): DraftShape => {
    const versioned = readVersion(shape);
    const known = versioned && byNoun.get(versioned.noun);
    return known === undefined || known.isRepeated || known.version === versioned?.version
      ? shape
      : withVersion(shape, known.version);
  };
  return new Map(Array.from(shapes, ([operation, shape]) => [operation, shape && unify(shape)]));
}

/** Reads `POST /create-agent` and `GET /get-agent/{id}` as `/agents` and `/agents/{id}`, where a create and a read have such paths. */
function unifyVerbs(shapes: DraftShapes): DraftShapes {
  const byKey = new Map<string, Map<Operation, DraftShape>>();
  const keys = new Set<string>();
  for (const [operation, shape] of shapes) {
    if (shape !== undefined) keys.add(shape.key);
    const plain = shape && readVerbPath(operation, shape);
    if (plain === undefined) continue;
    const key = toGroupKey(plain.groups, 'key');
    byKey.set(key, (byKey.get(key) ?? new Map()).set(operation, plain));
  }
  const whole = [...byKey].filter(([key, own]) => {
    const made = new Set(Array.from(own, ([{ method }, shape]) => `${method} ${shape.key}`));
    const isOnce = made.size === own.size && !keys.has(key) && !keys.has(`${key}/{}`);
    return isOnce && made.has(`POST ${key}`) && made.has(`GET ${key}/{}`);
  });
  if (whole.length === 0) return shapes;
  const plain = new Map(whole.flatMap(([, own]) => [...own]));
  return new Map(Array.from(shapes, ([operation, shape]) => [operation, plain.get(operation) ?? shape]));
}

/** The verbs before a noun, by method and by whether an id is behind it. */
const PATH_VERBS: Readonly<Record<string, Idea>> = {
  'POST ': 'verbs.create',
  'GET ': 'verbs.list',
  'GET id': 'verbs.read',
  'DELETE id': 'verbs.remove',
  'PATCH id': 'verbs.update',
  'PUT id': 'verbs.update',
  'POST id': 'verbs.update',
};

/** The path of the collection or of the item that a verb and a noun mean; undefined for any other path. */
function readVerbPath({ method }: Operation, { groups, template }: DraftShape): DraftShape | undefined {
  const [group] = groups;
  if (group === undefined || groups.length > 1 || group.parameters.length > 1) return undefined;
  const [verb = '', ...nouns] = readWords(group.words.at(-1) ?? '');
  const idea = readOwn(PATH_VERBS, `${method} ${group.parameters.length === 0 ? '' : 'id'}`);
  if (nouns.length === 0 || idea === undefined || !means(verb, idea)) return undefined;
  const words = [...group.words.slice(0, -1), `${toSingular(nouns.join('-'))}s`];
  const own = [{ words, parameters: group.parameters }];
  return { groups: own, template, key: toGroupKey(own, 'itemKey'), hasVerb: true };
}

function readVersion({ groups }: DraftShape): { readonly noun: string; readonly version: string } | undefined {
  const words = groups[0]?.words ?? [];
  const at = words.findIndex((word) => VERSION.test(word));
  const version = words[at];
  if (version === undefined) return undefined;
  return { version, noun: `${words.slice(0, at).join('/')}/${words[at + 1] ?? ''}` };
}

function withVersion(shape: DraftShape, version: string): DraftShape {
  const [first, ...rest] = shape.groups;
  if (first === undefined) return shape;
  const words = first.words.map((word) => (VERSION.test(word) ? version : word));
  const segments = shape.key.split('/');
  const at = segments.findIndex((segment) => VERSION.test(segment));
  return { ...shape, groups: [{ ...first, words }, ...rest], key: segments.with(at, version).join('/') };
}

/** Reads parameters that identify parents as groups of their own: `/flags/{projectKey}/{flagKey}` as `/projects/{projectKey}/flags/{flagKey}`. */
function splitGroups(
  shapes: DraftShapes,
  isList: (operation: Operation, noun: string | undefined) => boolean,
): DraftShapes {
  const isSplit = ({ parameters }: PathGroup): boolean => parameters.length > 1;
  if (!Array.from(shapes.values()).some((shape) => shape?.groups.some(isSplit))) return shapes;
  // By bare singular, the first of each.
  const nouns = new Map<string, string>();
  const byKey = new Map<string, Map<string, Operation>>();
  for (const noun of listNouns(shapes)) {
    const singular = toBareNoun(noun);
    if (singular !== '' && !nouns.has(singular)) nouns.set(singular, noun);
  }
  for (const [operation, shape] of shapes) {
    if (shape !== undefined) byKey.set(shape.key, (byKey.get(shape.key) ?? new Map()).set(operation.method, operation));
  }
  const isListed = (key: string, noun: string | undefined): boolean => {
    const read = byKey.get(key)?.get('GET');
    return read !== undefined && isList(read, noun);
  };
  const splits = new Map<string, readonly string[]>();
  for (const shape of shapes.values()) {
    for (const [i, { words, parameters }] of shape?.groups.entries() ?? []) {
      if (parameters.length < 2) continue;
      const key = toGroupKey(shape?.groups.slice(0, i + 1) ?? [], 'key');
      // What is created without a parent has all of the ids.
      if (byKey.get(key)?.has('POST') === true) continue;
      const noun = findNoun(words);
      // The noun can be that of the first parent: `/orgs/{org}/{repo}`.
      const isOfParent = isIdOf(parameters[0] ?? '', noun ?? '');
      const own = isOfParent ? undefined : noun;
      const named = parameters.map((name) => (isIdOf(name, noun ?? '') ? undefined : nouns.get(toBareStem(name))));
      const count = Math.max(
        parameters.findLastIndex((_, at) => at < parameters.length - 1 && isListed(key + '/{}'.repeat(at + 1), noun)) +
          1,
        byKey.has(key) ? 0 : [...named, undefined].indexOf(undefined),
      );
      // A path with the ids of other items only is that of a membership.
      const isMembership = noun !== undefined && count === parameters.length;
      if (isMembership || count < (splits.get(key)?.length ?? 1)) continue;
      const nameAt = (name: string, at: number): string =>
        (at === 0 && isOfParent ? noun : named[at]) ?? toParameterNoun(name);
      splits.set(key, [...parameters.slice(0, count).map(nameAt), own ?? nameAt(parameters[count] ?? '', count)]);
    }
  }
  if (splits.size === 0) return shapes;
  return new Map(Array.from(shapes, ([operation, shape]) => [operation, shape && splitShape(shape, splits)]));
}

/** The last words of the groups with one parameter, which name items. */
function listNouns(shapes: DraftShapes): ReadonlySet<string> {
  const nouns = new Set<string>();
  for (const shape of shapes.values())
    for (const { words, parameters } of shape?.groups ?? []) if (parameters.length === 1) nouns.add(words.at(-1) ?? '');
  return nouns;
}

/** A shape with the parameters of some groups split into groups, each with one of the given nouns. */
function splitShape(shape: DraftShape, splits: ReadonlyMap<string, readonly string[]>): DraftShape {
  const groups: PathGroup[] = [];
  for (const [i, { words, parameters }] of shape.groups.entries()) {
    const nouns = splits.get(toGroupKey(shape.groups.slice(0, i + 1), 'key')) ?? [];
    const count = Math.max(0, Math.min(nouns.length - 1, parameters.length));
    const start = count === 0 || findNoun(words) === undefined ? words : words.slice(0, -1);
    const before = groups.at(-1);
    // Words after a group without parameters belong to it.
    const prefix = before?.parameters.length === 0 ? [...(groups.pop()?.words ?? []), ...start] : start;
    for (let at = 0; at < count; at++)
      groups.push({ words: [...(at === 0 ? prefix : []), nouns[at] ?? ''], parameters: parameters.slice(at, at + 1) });
    const own = count === 0 ? prefix : [nouns[count] ?? ''];
    groups.push({ words: own, parameters: parameters.slice(count) });
  }
  return groups.length === shape.groups.length ? shape : { ...shape, groups, key: toGroupKey(groups, 'itemKey') };
}

/** The last word of a group; undefined where it names no items. */
function findNoun(words: readonly string[]): string | undefined {
  return words.findLast((word, i) => i === words.length - 1 && !PREFIX.test(word));
}

/** The noun of the items that a parameter identifies: `shops` for `{shopId}`. */
function toParameterNoun(parameter: string): string {
  return `${parameter.replace(ID_PART, '') || 'item'}s`;
}

/** Whether a parameter identifies the items of a noun: `{project_id_or_slug}` those of `projects`. */
function isIdOf(parameter: string, noun: string): boolean {
  const singular = toBareNoun(noun);
  return singular !== '' && toBareStem(parameter) === singular;
}

/** The bare name of a parameter without the part that says what kind of id it is. */
function toBareStem(parameter: string): string {
  return toBareName(parameter.replace(ID_PART, ''));
}

/** Reads the path of an operation; undefined where a segment mixes text and parameters. */
function readPathShape({ path, spanned }: Operation): DraftShape | undefined {
  const template = toTemplate(path);
  // Some APIs write the media type behind each path: `/messages/{id}.json`, `/containers/{id}/json`.
  const plain = toTemplate(spanned?.path ?? toPlainPath(path)).replaceAll(
    /(?:\.(json|xml)(?=\/|$))|(?<=.)\/json$/gi,
    '',
  );
  const segments = plain.split('/').filter((segment) => segment !== '');
  // A version that the client chooses names no item, unless it is an item itself: `/apps/{app}/versions/{version}`.
  for (const [i, segment] of segments.slice(0, -1).entries()) {
    const isVersion = segment.startsWith('v{') || segments.slice(0, i).every((each) => PREFIX.test(each));
    if (isVersion && CHOSEN_VERSION.test(segment)) segments[i] = 'v0';
  }
  const groups: { words: string[]; parameters: string[] }[] = [];
  for (const segment of segments) {
    const read = readSegment(segment);
    if (read === undefined) return undefined;
    const last = groups.at(-1);
    if (read.parameter === undefined) {
      if (last === undefined || last.parameters.length > 0) groups.push({ words: [segment], parameters: [] });
      else last.words.push(segment);
      continue;
    }
    // A path that is only a parameter belongs to no collection.
    if (segments.length === 1) return undefined;
    if (last === undefined) groups.push({ words: [toParameterNoun(read.parameter)], parameters: [read.parameter] });
    else last.parameters.push(read.parameter);
    if (read.verb !== undefined) groups.push({ words: [read.verb], parameters: [] });
  }
  const isBare = segments[0]?.startsWith('{') === true;
  const key = isBare ? toGroupKey(groups, 'itemKey') : `/${segments.join('/')}`.replaceAll(/\{[^}]*\}/g, '{}');
  return { groups, template, key };
}

/** A path key without its query, its fragment and a slash at its end. */
function toTemplate(path: string): string {
  return path.replace(/\?.*$|#(?![^{}]*\}).*$/, '').replace(/(?<=.)\/$/, '');
}

/** Whether the last word of a path reads a list, by GET or by POST: `/customers/search`, `/orders/batch-retrieve`. */
export function isSearchWord(word: string): boolean {
  return means(word, 'segments.search') || means(word, 'segments.several');
}

/** The key of a path, with or without the parameters of its last group. */
function toGroupKey(groups: readonly PathGroup[], part: 'itemKey' | 'key'): string {
  return withKeys(groups).at(-1)?.[part] ?? '';
}

/** The keys of the paths without the last word, and without the last two: `/users/by` and `/users` for `/users/by/name`. */
export function listShorterKeys(groups: readonly KeyedGroup[]): readonly string[] {
  const { key = '' } = groups.at(-1) ?? {};
  const shorter = key.slice(0, key.lastIndexOf('/'));
  return [shorter, shorter.slice(0, shorter.lastIndexOf('/'))];
}

function readSegment(
  segment: string,
): { readonly parameter?: string | undefined; readonly verb?: string | undefined } | undefined {
  if (!segment.includes('{')) return {};
  // `{id}` identifies an item; `{id}:cancel` an item and an action.
  const match = /^\{([^{}]+)\}(?::([\w-]+))?$/.exec(segment);
  return match === null ? undefined : { parameter: match[1], verb: match[2] };
}
