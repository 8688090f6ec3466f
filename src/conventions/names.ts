import { means } from './conventions.js';
import type { SchemaObject } from '../base/json.js';
import { toBareName } from '../base/names.js';

/** The singular of an English noun, precise enough to compare names: `batches` -> `batch`, `policies` -> `policy`. */
export function toSingular(noun: string): string {
  const irregular = /^(.*)(people|children)$/.exec(noun);
  if (irregular !== null) return `${irregular[1]}${irregular[2] === 'people' ? 'person' : 'child'}`;
  if (noun.endsWith('ies')) return noun.replace(/ies$/, 'y');
  if (/(ss|x|ch|sh|z|ias|tus|rus|nus|pus)es$/.test(noun)) return noun.replace(/es$/, '');
  return /[^s]s$/.test(noun) ? noun.replace(/s$/, '') : noun;
}

/** The bare singular of a word: `pettype` for `pet_types`. */
export function toBareNoun(word: string | undefined): string {
  return toBareName(toSingular(word ?? ''));
}

/** The bare noun of the items of a collection: `file` for `folders.files`. */
export function toItemNoun(collection: string): string {
  return toBareNoun(collection.split('.').at(-1));
}

/** The bare name of a flag without the `is` before it: `archived` for `isArchived`. */
export function toFlagName(bare: string): string {
  return bare.replace(/^is(?=[a-z]{4})/, '');
}

/** Whether the name of an id names what it identifies: `taskUid`, which is not the `uid` of any item. */
export function isOwnIdName(name: string): boolean {
  return means(name, 'ids.ending') && !means(name, 'ids.id', 'ids.name');
}

/** Whether a property has the name of a parameter, in the plural, or with what kind of value it is: `tags` and `tag_name` for `{tag}`. */
export function isNamedAfter(property: string, parameter: string): boolean {
  const [own, wanted] = [toBareName(property), toBareName(parameter)];
  if (own === wanted || toSingular(own) === wanted) return true;
  return own.startsWith(wanted) && means(own.slice(wanted.length), 'ids.id', 'ids.name', 'ids.address');
}

/** The names of the parameters in a path. */
export function listParameters(path: string): readonly string[] {
  return Array.from(path.matchAll(/\{([^}]+)\}/g), ([, name = '']) => name);
}

/** Usual values of a status. Words of a description are values only if one of them is usual: not in "the state, such as `Texas`". */
const USUAL_STATUS =
  /pend|activ|open|draft|new|cancel|fail|complet|clos|succe|paid|approv|process|progress|enabl|disabl|verif|reject|schedul|ready|running|queue/i;

/** The values of a status: its enum, or the words that its description writes in quotes or in capitals. */
export function listStatuses({ enum: values, description }: SchemaObject): readonly string[] {
  if (values !== undefined) return values.filter((each) => typeof each === 'string');
  const words = (description ?? '').matchAll(/["'`]([A-Za-z][\w-]{2,})["'`]|\b([A-Z][A-Z_]{3,})\b/g);
  const named = [...new Set(Array.from(words, ([, quoted, capital]) => quoted ?? capital ?? ''))];
  return named.length > 1 && named.some((each) => USUAL_STATUS.test(each)) ? named : [];
}
