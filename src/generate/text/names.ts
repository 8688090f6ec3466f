/** The words of a name in lower case: `petId`, `pet_id`, `Pet-ID` and `PETId` are all `pet`, `id`. */
export function readWords(name: string): readonly string[] {
  return name
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu}+)(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());
}

/** A name without the marks of its spelling: `pet_id`, `petId` and `Pet-ID` are one. */
export function readPlainName(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase();
}

/** The entry of a table for a name: the whole name first, then its last words, then its last word. */
export function findByName<Entry>(table: ReadonlyMap<string, Entry>, name: string): Entry | undefined {
  const whole = table.get(readPlainName(name));
  if (whole !== undefined) return whole;
  const words = readWords(name);
  for (let i = 1; i < words.length; i++) {
    const found = table.get(words.slice(i).join(''));
    if (found !== undefined) return found;
  }
  return undefined;
}
