import type { Contract } from '../../contract/contract.js';
import { isObject } from '../../contract/json.js';
import type { Operation } from '../../contract/operations/operation.js';
import type { ItemSchema, ReadItemSchema } from '../item-schema.js';
import { type ListShape, readListShape } from '../pages/list-shape.js';
import { findJsonMedia, findSuccessMedia } from '../../contract/operations/responses.js';

/** A place in the tree of paths where a collection may be, before it is known what it holds. */
export interface Draft {
  /** The key of the collection's path. */
  readonly key: string;
  /** The key of an item's path; undefined where no path names one item. */
  readonly itemKey: string | undefined;
  /** Up to and with the group of this collection. */
  readonly groups: readonly PathGroup[];
  /** Where the schema of an item stands. */
  readonly schema: string | undefined;
  /** Whether any operation works on the collection itself or on one of its items. */
  readonly real: boolean;
  /** One thing and no list of things: `/me`, `/customers/{id}/discount`. */
  readonly singleton: boolean;
}

/** A contract with the questions that inference asks of it, each one answered once. */
export interface Survey {
  readonly contract: Contract;
  readonly read: ReadItemSchema;
  /** The operations of a path key, by method. */
  operationsAt(key: string): ReadonlyMap<string, Operation>;
  shape(operation: Operation): PathShape | undefined;
  /** The list an operation answers with. */
  list(operation: Operation): ListShape | undefined;
  /** What an operation answers with when all is well, where that is JSON. */
  answer(operation: Operation): ItemSchema | undefined;
  /** What an operation takes as its body. */
  body(operation: Operation): ItemSchema | undefined;
}

/** Indexes the operations of a contract by path. */
export function createSurvey(contract: Contract, read: ReadItemSchema): Survey {
  const shapes = new Map(contract.operations.map((operation) => [operation, toPathShape(operation)]));
  const byKey = new Map<string, Map<string, Operation>>();
  for (const [operation, shape] of shapes) {
    if (shape === undefined) continue;
    const methods = byKey.get(shape.key) ?? new Map<string, Operation>();
    byKey.set(shape.key, methods);
    // A path key with a query or a fragment is a variant; the plain one speaks for the path.
    if (!methods.has(operation.method) || operation.path === shape.template) methods.set(operation.method, operation);
  }
  const lists = new Map<Operation, ListShape | undefined>();
  const none: ReadonlyMap<string, Operation> = new Map();
  const list = (operation: Operation): ListShape | undefined => {
    if (lists.has(operation)) return lists.get(operation);
    const noun = shapes.get(operation)?.groups.at(-1)?.words.at(-1);
    const found = readListShape({ contract, read, operation, noun });
    lists.set(operation, found);
    return found;
  };
  return {
    contract,
    read,
    operationsAt: (key) => byKey.get(key) ?? none,
    shape: (operation) => shapes.get(operation),
    list,
    answer: (operation) => {
      const media = findSuccessMedia(operation);
      return media?.schema === undefined ? undefined : read(media.schemaPointer);
    },
    body: (operation) => {
      const content = operation.body?.content ?? [];
      const media = findJsonMedia(content) ?? content.find(({ schema }) => schema !== undefined);
      return media === undefined ? undefined : read(media.schemaPointer);
    },
  };
}

/** Every collection the paths of a contract speak of, outer ones before those that live under them. */
export function draftCollections(survey: Survey): ReadonlyMap<string, Draft> {
  const drafts = new Map<string, Draft>();
  for (const operation of survey.contract.operations) {
    const shape = survey.shape(operation);
    for (const groups of shape === undefined ? [] : readItemGroups(shape)) addItemDraft(survey, drafts, groups);
  }
  for (const operation of survey.contract.operations) addListDraft(survey, drafts, operation);
  for (const operation of survey.contract.operations) addSingletonDraft(survey, drafts, operation);
  return new Map([...drafts].toSorted(([, a], [, b]) => a.groups.length - b.groups.length));
}

/** The beginnings of a path that end in parameters: each one names an item of something. */
function readItemGroups(shape: PathShape): readonly (readonly PathGroup[])[] {
  return shape.groups.flatMap(({ parameters }, i) => (parameters.length > 0 ? [shape.groups.slice(0, i + 1)] : []));
}

function addItemDraft(survey: Survey, drafts: Map<string, Draft>, groups: readonly PathGroup[]): void {
  const key = toGroupKey(groups, 'collection');
  const known = drafts.get(key);
  const itemKey = toGroupKey(groups, 'item');
  if (known !== undefined && !isBetterItem(survey, { known, groups, itemKey })) return;
  const real = survey.operationsAt(key).size + survey.operationsAt(itemKey).size > 0;
  drafts.set(key, { key, itemKey, groups, real, singleton: false, schema: findSchema(survey, key, itemKey) });
}

const CHANGES = ['DELETE', 'PATCH', 'PUT'];

/**
 * Whether another path names the items of a collection better: the one with more parameters, but where the shorter one is changed.
 * Of `/gists/{id}`, which is edited and removed, and `/gists/{id}/{version}`, the shorter is the item.
 */
function isBetterItem(
  survey: Survey,
  of: { readonly known: Draft; readonly groups: readonly PathGroup[]; readonly itemKey: string },
): boolean {
  const count = (groups: readonly PathGroup[]): number => groups.at(-1)?.parameters.length ?? 0;
  const more = count(of.groups) - count(of.known.groups);
  if (more === 0) return false;
  const methods = survey.operationsAt(more > 0 ? (of.known.itemKey ?? '') : of.itemKey);
  const isShorter = CHANGES.some((method) => methods.has(method));
  return more > 0 ? !isShorter : isShorter;
}

/** A path that answers with a list is a collection, even where no path names one of its items. */
function addListDraft(survey: Survey, drafts: Map<string, Draft>, operation: Operation): void {
  const shape = survey.shape(operation);
  if (shape === undefined || operation.method !== 'GET' || drafts.has(shape.key)) return;
  if (shape.groups.at(-1)?.parameters.length !== 0) return;
  const list = survey.list(operation);
  const items = list?.itemSchema === undefined ? undefined : survey.read(list.itemSchema);
  if (items === undefined || items.properties.size === 0 || isSearchOf(drafts, shape, items.pointer)) return;
  const schema = findSchema(survey, shape.key, undefined) ?? items.pointer;
  drafts.set(shape.key, {
    key: shape.key,
    itemKey: undefined,
    groups: shape.groups,
    real: true,
    singleton: false,
    schema,
  });
}

/** Whether a list is another view of the collection it stands below: `/customers/search`, `/pet/findByStatus`. */
function isSearchOf(drafts: ReadonlyMap<string, Draft>, shape: PathShape, schema: string): boolean {
  const parent = drafts.get(shape.key.slice(0, shape.key.lastIndexOf('/')));
  return parent !== undefined && parent.schema === schema && (shape.groups.at(-1)?.words.length ?? 0) > 1;
}

const SELF = /^(me|self|current|whoami|profile|account|settings|config|configuration|preferences|balance)$/i;

/** A path without parameters at its end that is read as one object, and written as well or named like something there is one of. */
function addSingletonDraft(survey: Survey, drafts: Map<string, Draft>, operation: Operation): void {
  const shape = survey.shape(operation);
  const last = shape?.groups.at(-1);
  if (shape === undefined || last === undefined || last.parameters.length > 0) return;
  if (operation.method !== 'GET' || drafts.has(shape.key) || survey.list(operation) !== undefined) return;
  const answer = survey.answer(operation);
  if (answer === undefined || answer.type !== 'object' || answer.properties.size === 0) return;
  const methods = survey.operationsAt(shape.key);
  const written = ['PUT', 'PATCH', 'DELETE'].some((method) => methods.has(method));
  const post = methods.get('POST');
  const posted = post !== undefined && survey.answer(post)?.pointer === answer.pointer;
  if (!written && !posted && !SELF.test(last.words.at(-1) ?? '')) return;
  const { key, groups } = shape;
  drafts.set(key, { key, itemKey: key, groups, real: true, singleton: true, schema: answer.pointer });
}

/** What an item looks like: what reading one answers, else creating one, else what the list holds, else changing one. */
function findSchema(survey: Survey, key: string, itemKey: string | undefined): string | undefined {
  const collection = survey.operationsAt(key);
  const item = itemKey === undefined ? new Map<string, Operation>() : survey.operationsAt(itemKey);
  const list = collection.get('GET');
  const listed = list === undefined ? undefined : survey.list(list)?.itemSchema;
  const common = listed === undefined ? undefined : findCommon(survey, item.get('GET'), listed);
  if (common !== undefined) return common;
  const candidates = [
    toObject(survey, item.get('GET')),
    toObject(survey, collection.get('POST')),
    listed === undefined ? undefined : survey.read(listed),
    ...['PATCH', 'POST', 'PUT'].map((method) => toObject(survey, item.get(method))),
  ];
  return candidates.find((schema) => schema !== undefined && schema.properties.size > 0)?.pointer;
}

/** Where reading and listing both answer with one of several schemas: the first they have in common. */
function findCommon(survey: Survey, reading: Operation | undefined, listed: string): string | undefined {
  const media = reading === undefined ? undefined : findSuccessMedia(reading);
  const shown = new Set(readBranches(survey, listed));
  if (media?.schema === undefined || shown.size < 2) return undefined;
  return readBranches(survey, media.schemaPointer).find((branch) => shown.has(branch));
}

function readBranches(survey: Survey, pointer: string): readonly string[] {
  const schema = survey.contract.at(pointer);
  if (!isObject(schema)) return [];
  const target = survey.contract.resolve(schema, pointer);
  if (!isObject(target.schema)) return [];
  const keyword = target.schema.anyOf === undefined ? 'oneOf' : 'anyOf';
  const branches = target.schema[keyword];
  if (branches === undefined) return [target.pointer];
  return branches.map((branch, i) => survey.contract.resolve(branch, `${target.pointer}/${keyword}/${i}`).pointer);
}

function toObject(survey: Survey, operation: Operation | undefined): ItemSchema | undefined {
  if (operation === undefined || survey.list(operation) !== undefined) return undefined;
  return survey.answer(operation);
}

/** One group of a path: a noun, and the parameters behind it that name one item of it. */
export interface PathGroup {
  /** The static segments before the parameters: `['organization', 'projects']`. */
  readonly words: readonly string[];
  /** Empty where the path ends in words. */
  readonly parameters: readonly string[];
}

/** A path template read as a walk through collections: `/v1/customers/{customer}/cards` has two groups. */
interface PathShape {
  readonly groups: readonly PathGroup[];
  /** The template without query and fragment. */
  readonly template: string;
  /** Parameters replaced by `{}`: two paths that differ only in the names of parameters have the same. */
  readonly key: string;
}

/** Reads a path template; undefined where a segment mixes words and parameters in a way that names no item. */
function readPathShape(path: string): PathShape | undefined {
  const template = path.replace(/[?#].*$/, '').replace(/(?<=.)\/$/, '');
  const segments = template.split('/').filter((segment) => segment !== '');
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
    // A path that begins with a parameter names items of nothing.
    if (last === undefined) return undefined;
    last.parameters.push(read.parameter);
    if (read.verb !== undefined) groups.push({ words: [read.verb], parameters: [] });
  }
  return { groups, template, key: template.replaceAll(/\{[^}]*\}/g, '{}') };
}

/** The path shape of an operation. */
function toPathShape(operation: Operation): PathShape | undefined {
  return readPathShape(operation.path);
}

/** The key of the first `count` groups, with or without the parameters of the last one. */
export function toGroupKey(groups: readonly PathGroup[], part: 'collection' | 'item'): string {
  return groups
    .map(({ words, parameters }, i) => {
      const named = part === 'item' || i < groups.length - 1 ? parameters.map(() => '/{}').join('') : '';
      return `/${words.join('/')}${named}`;
    })
    .join('');
}

function readSegment(
  segment: string,
): { readonly parameter?: string | undefined; readonly verb?: string | undefined } | undefined {
  if (!segment.includes('{')) return {};
  // `{id}` names an item; `{id}:cancel` names an item and what is done to it.
  const match = /^\{([^{}]+)\}(?::([\w-]+))?$/.exec(segment);
  return match === null ? undefined : { parameter: match[1], verb: match[2] };
}
