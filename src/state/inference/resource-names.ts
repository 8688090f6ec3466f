import type { PathGroup } from './draft.js';

/**
 * Names for collections by the key of their path: the last word of each group, `parent.child` below an item
 * (`folders.files`). Where two paths would have one name, both take more of their words (`checkout.sessions`).
 */
export function nameCollections(paths: ReadonlyMap<string, readonly PathGroup[]>): ReadonlyMap<string, string> {
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

/** The singular of an English noun, near enough to compare names: `batches` -> `batch`, `policies` -> `policy`. */
export function toSingular(noun: string): string {
  if (noun.endsWith('ies')) return noun.replace(/ies$/, 'y');
  if (/(ss|x|ch|sh|z)es$/.test(noun)) return noun.replace(/es$/, '');
  return /[^s]s$/.test(noun) ? noun.replace(/s$/, '') : noun;
}

/** Letters and digits alone, in lower case: `petId`, `pet_id` and `pet-id` are one. */
export function toBareName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
