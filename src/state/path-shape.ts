import type { Operation } from '../contract/operations/operation.js';

/** One group of a path: a noun, and the parameters behind it that name one item of it. */
export interface PathGroup {
  /** The static segments before the parameters: `['organization', 'projects']`. */
  readonly words: readonly string[];
  /** Empty where the path ends in words. */
  readonly parameters: readonly string[];
}

/** A path template read as a walk through collections: `/v1/customers/{customer}/cards` has two groups. */
export interface PathShape {
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
export function toPathShape(operation: Operation): PathShape | undefined {
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
