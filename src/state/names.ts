/** The singular of an English noun, precise enough to compare names: `batches` -> `batch`, `policies` -> `policy`. */
export function toSingular(noun: string): string {
  if (noun.endsWith('ies')) return noun.replace(/ies$/, 'y');
  if (/(ss|x|ch|sh|z)es$/.test(noun)) return noun.replace(/es$/, '');
  return /[^s]s$/.test(noun) ? noun.replace(/s$/, '') : noun;
}

/** Letters and digits only, in lower case: `petId`, `pet_id` and `pet-id` are equal. */
export function toBareName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/** Objects that hold properties of the item around them: JSON:API has `attributes`, others have `properties` or `fields`. */
export const PART_NAME: RegExp = /^(attributes|properties|fields|spec|values|details|data|metadata)$/i;

/** Objects of a request that hold properties which the item itself has: `options: { webhook }`. */
export const OPTIONS_NAME: RegExp = /^(options|settings|params|parameters|config|configuration)$/i;
