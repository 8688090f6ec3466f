import { createRequire } from 'node:module';
import type { Faker } from '@faker-js/faker';
import type { Random } from '../random.js';

/** faker, for one value: it draws from that value's random stream alone. */
export type Fake = (random: Random, now: number) => Faker;

/**
 * Creates an own faker, loaded when a word first needs it: the English locale alone takes 18 ms to read.
 *
 * The shared instance of the package is the user's too, so it is never seeded; ours draws from whichever stream it is lent.
 */
export function createFake(): Fake {
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

/** The value of `x-faker`: a method such as `person.firstName`, or one with its arguments; undefined where there is none. */
export function readFakerMethod(faker: Faker, wish: unknown): unknown {
  const [path, given] = readWish(wish);
  if (path === undefined) return undefined;
  const steps = path.replace(/^faker\./, '').split('.');
  const method = steps.pop() ?? '';
  // Looked up by names of the document, so every step is checked.
  let owner: unknown = faker;
  for (const step of steps) owner = readOwn(owner, step);
  const call = readOwn(owner, method);
  if (typeof call !== 'function') return undefined;
  try {
    const value: unknown = Reflect.apply(call, owner, given);
    return value instanceof Date ? value.toISOString() : typeof value === 'bigint' ? Number(value) : value;
  } catch {
    return undefined;
  }
}

/** `'a.b'`, `'a.b(1, {"x": 2})'`, `{ 'a.b': arguments }` and `{ method, args }` all mean a call. */
function readWish(wish: unknown): readonly [path: string | undefined, given: readonly unknown[]] {
  if (typeof wish === 'string') {
    const found = /^([\w.]+)(?:\((.*)\))?$/s.exec(wish.trim());
    if (found === null) return [undefined, []];
    return [found[1], readArguments(found[2] ?? '')];
  }
  if (typeof wish !== 'object' || wish === null || Array.isArray(wish)) return [undefined, []];
  const { method, args, arguments: more } = wish as Readonly<Record<string, unknown>>;
  if (typeof method === 'string') return [method, toList(args ?? more)];
  const [entry] = Object.entries(wish);
  return entry === undefined ? [undefined, []] : [entry[0], toList(entry[1])];
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
