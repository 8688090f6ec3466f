import type { Faker } from '@faker-js/faker';
import { createRequire } from 'node:module';
import { isObject, mapValues } from '../../contract/json.js';
import type { Random } from '../../random.js';

/** faker with the random stream of one value. */
export type LendFaker = (random: Random, now: number) => Faker;

/**
 * Creates an instance of faker, loaded when it is first needed: the English locale alone takes 18 ms to read.
 *
 * The shared instance of the package may be used by the user too, so it is never seeded.
 */
export function createLendFaker(): LendFaker {
  let faker: Faker | undefined;
  let stream: Random | undefined;
  const load = (): Faker => {
    // The entry exports one instance, its type is that of the package's main entry.
    const { faker: shared } = createRequire(import.meta.url)('@faker-js/faker/locale/en') as { readonly faker: Faker };
    const Own = shared.constructor as new (options: object) => Faker;
    const randomizer = { next: () => stream?.next() ?? 0, seed: () => undefined };
    return new Own({ locale: shared.rawDefinitions, randomizer });
  };
  return (random, now) => {
    faker ??= load();
    stream = random;
    faker.setDefaultRefDate(now);
    return faker;
  };
}

/** Calls the faker method that `x-faker` names, such as `person.firstName`; undefined if it does not exist or throws. */
export function readFakerMethod(faker: Faker, keyword: unknown): unknown {
  const { path, given } = readFakerCall(keyword);
  // The names come from the document, so every step is checked.
  let owner: unknown;
  let call: unknown = faker;
  for (const step of path.replace(/^faker\./, '').split('.')) {
    owner = call;
    call = readOwn(owner, step);
  }
  if (typeof call !== 'function') return undefined;
  try {
    const value: unknown = Reflect.apply(call, owner, limitSizes(path, given));
    return value instanceof Date ? value.toISOString() : typeof value === 'bigint' ? Number(value) : value;
  } catch {
    return undefined;
  }
}

/** The largest length or count that is passed to faker, which does not stop before the memory is full. */
const MAX_FAKER_SIZE = 5000;

/** The arguments of a call of faker, with sizes limited; the numbers of these methods are values, except those named below. */
function limitSizes(path: string, given: readonly unknown[]): readonly unknown[] {
  const isValue = /^(?:faker\.)?(?:number|date|location|commerce|datatype|finance\.amount|image)\b/.test(path);
  const limit = (value: unknown, isSize: boolean): unknown => {
    if (typeof value === 'number') return isSize ? Math.min(value, MAX_FAKER_SIZE) : value;
    // A template or a pattern: `{{string.alpha(9)}}`, `[a-z]{9}`.
    if (typeof value === 'string')
      return path.includes('helpers.') ? value.replaceAll(/\d{5,}/g, String(MAX_FAKER_SIZE)) : value;
    if (Array.isArray(value)) return value.map((item) => limit(item, isSize));
    if (!isObject(value)) return value;
    return mapValues(value, (item, name) => limit(item, isSize || /^(?:count|length|fractionDigits|dec)$/.test(name)));
  };
  return given.map((value) => limit(value, !isValue));
}

/** A call (`'a.b'`, `'a.b(1, {"x": 2})'`, `{ 'a.b': arguments }`, `{ method, args }`); the path is empty if invalid. */
function readFakerCall(keyword: unknown): { readonly path: string; readonly given: readonly unknown[] } {
  if (typeof keyword === 'string') {
    const [, path = '', given = ''] = /^([\w.]+)(?:\((.*)\))?$/s.exec(keyword.trim()) ?? [];
    return { path, given: readArguments(given) };
  }
  if (!isObject(keyword)) return { path: '', given: [] };
  const { method, args, arguments: more } = keyword;
  if (typeof method === 'string') return { path: method, given: toList(args ?? more) };
  const [[path, given] = ['', []]] = Object.entries(keyword);
  return { path, given: toList(given) };
}

function readArguments(text: string): readonly unknown[] {
  try {
    return toList(JSON.parse(`[${text.replaceAll("'", '"')}]`));
  } catch {
    return [];
  }
}

function toList(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function readOwn(owner: unknown, name: string): unknown {
  if (typeof owner !== 'object' || owner === null || name.startsWith('_') || name === 'constructor') return undefined;
  return (owner as Readonly<Record<string, unknown>>)[name];
}
