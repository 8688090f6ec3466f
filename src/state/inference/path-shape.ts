import type { Operation } from '../../contract/operations/operation.js';
import { toPlainPath } from '../../contract/router/path-span.js';

/** One group of a path: static segments and the parameters after them, which identify one item. */
export interface PathGroup {
  /** The static segments before the parameters: `['organization', 'projects']`. */
  readonly words: readonly string[];
  /** Empty where the path ends in words. */
  readonly parameters: readonly string[];
}

/** A path template as groups: `/v1/customers/{customer}/cards` has two. */
export interface PathShape {
  readonly groups: readonly PathGroup[];
  /** The template without query and fragment. */
  readonly template: string;
  /** Parameters replaced by `{}`: two paths that differ only in the names of parameters have the same. */
  readonly key: string;
}

/** A segment that is a version of the API. */
const VERSION = /^v\d+(\.\d+)*((alpha|beta|rc)\d*)?$/i;

/**
 * Reads the paths of all operations; undefined where a segment mixes text and parameters.
 *
 * Some APIs give each operation a version of its own: `POST /v10/projects` creates what `GET /v9/projects/{id}` reads. Where no
 * operation of a noun has two versions, all of them are read as its first one.
 */
export function readPathShapes(operations: readonly Operation[]): ReadonlyMap<Operation, PathShape | undefined> {
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
  const unify = (shape: PathShape): PathShape => {
    const versioned = readVersion(shape);
    const known = versioned && byNoun.get(versioned.noun);
    return known === undefined || known.isRepeated || known.version === versioned?.version
      ? shape
      : withVersion(shape, known.version);
  };
  return new Map([...shapes].map(([operation, shape]) => [operation, shape && unify(shape)]));
}

function readVersion({ groups }: PathShape): { readonly noun: string; readonly version: string } | undefined {
  const words = groups[0]?.words ?? [];
  const at = words.findIndex((word) => VERSION.test(word));
  const version = words[at];
  const before = words.slice(0, Math.max(at, 0)).join('/');
  return version === undefined ? undefined : { version, noun: `${before}/${words[at + 1] ?? ''}` };
}

/** A path with another version. */
function withVersion(shape: PathShape, version: string): PathShape {
  const [first, ...rest] = shape.groups;
  if (first === undefined) return shape;
  const words = first.words.map((word) => (VERSION.test(word) ? version : word));
  const segments = shape.key.split('/');
  const at = segments.findIndex((segment) => VERSION.test(segment));
  return { ...shape, groups: [{ ...first, words }, ...rest], key: segments.with(at, version).join('/') };
}

/** Reads the path of an operation; undefined where a segment mixes text and parameters. */
function readPathShape({ path, spanned }: Operation): PathShape | undefined {
  const template = toTemplate(path);
  // Some APIs write the media type behind each path: `/messages/{id}.json`.
  const plain = toTemplate(spanned?.path ?? toPlainPath(path)).replaceAll(/\.(json|xml)(?=\/|$)/gi, '');
  const segments = plain.split('/').filter((segment) => segment !== '');
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
    // A path that begins with a parameter belongs to no collection.
    if (last === undefined) return undefined;
    last.parameters.push(read.parameter);
    if (read.verb !== undefined) groups.push({ words: [read.verb], parameters: [] });
  }
  return { groups, template, key: plain.replaceAll(/\{[^}]*\}/g, '{}') };
}

/** A path key without its query, its fragment and a slash at its end. */
function toTemplate(path: string): string {
  return path.replace(/\?.*$|#(?![^{}]*\}).*$/, '').replace(/(?<=.)\/$/, '');
}

/** Whether the last word of a path reads a list, by GET or by POST: `/customers/search`. */
export function isSearchWord(word: string): boolean {
  return /^(_?search|query|list|filter|find|lookup)/i.test(word);
}

/** The key of a path, with or without the parameters of its last group. */
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
  // `{id}` identifies an item; `{id}:cancel` an item and an action.
  const match = /^\{([^{}]+)\}(?::([\w-]+))?$/.exec(segment);
  return match === null ? undefined : { parameter: match[1], verb: match[2] };
}
