const SNAKE_CASE = /^[a-z0-9]+(?:_[a-z0-9]+)*$/;

/** The words of a name in lower case: `pet`, `id` for `petId`, `pet_id`, `Pet-ID` and `PETId`. */
export function readWords(name: string): readonly string[] {
  if (SNAKE_CASE.test(name)) return name.split('_');
  return name
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu}+)(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());
}

/** The words of a name with `_` between them: `content_block_delta` for `contentBlockDelta` and `content-block.delta`. */
export function toSnakeCase(name: string): string {
  return readWords(name).join('_');
}

/** Letters and digits only, in lower case: `petId`, `pet_id` and `Pet-ID` are equal. */
export function toBareName(name: string): string {
  if (BARE.test(name)) return name;
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

const BARE = /^[a-z0-9]*$/;

/** The letters from a to z only, in lower case: `notfound` for `404_NOT_FOUND`. */
export function toLetters(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, '');
}

/** A string whose first letter is a capital one. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The form of a UUID (RFC 9562 section 4), of any version and in either case. */
export const UUID: RegExp = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
