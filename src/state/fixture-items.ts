import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isObject } from '../contract/json.js';
import { MockError, nearest, type Place } from '../errors.js';
import { toScope } from './collection.js';
import type { FixtureText } from './fixture-file.js';
import type { Item, ItemContent } from './item-list.js';
import type { Resource, World } from './resource.js';

/** One item of a fixture, before it is checked. */
export interface FixtureItem {
  readonly item: Item;
  readonly scope: string;
  readonly content: ItemContent | undefined;
  /** What `$id` says it is asked for by; undefined where the item says that itself. */
  readonly id: string | undefined;
  /** The steps to it in its file. */
  readonly segments: readonly (string | number)[];
}

/** A fixture with its forms told apart. */
export interface Fixture {
  readonly text: FixtureText;
  readonly resource: Resource;
  readonly defaults: Item;
  readonly items: readonly FixtureItem[];
  /** How many more items are to be made. */
  readonly generate: number;
  readonly world: World | undefined;
}

const MEMBERS: readonly string[] = ['defaults', 'items', 'generate', 'world'];

/** Reads a fixture: a list, one object for a singleton, or a mapping with `items`. @throws MockError `FIXTURE_INVALID`. */
export async function readFixture(text: FixtureText, resource: Resource): Promise<Fixture> {
  const { value } = text;
  const bare = { text, resource, defaults: {}, generate: 0, world: undefined };
  if (Array.isArray(value)) return { ...bare, items: await readItems(text, resource, { value, segments: [] }) };
  if (!isObject(value)) throw refuse(text.place(), 'a fixture is a list of items, or a mapping with "items"');
  if (resource.singleton && !MEMBERS.some((member) => Object.hasOwn(value, member))) {
    return { ...bare, items: await readItems(text, resource, { value: [value], segments: [] }) };
  }
  for (const member of Object.keys(value)) {
    if (MEMBERS.includes(member)) continue;
    const meant = nearest(member, MEMBERS);
    throw refuse(
      text.place(member),
      `"${member}" is no member of a fixture`,
      meant === undefined
        ? `the members are ${MEMBERS.join(', ')}; items go under "items"`
        : `did you mean "${meant}"?`,
    );
  }
  const { defaults = {}, items = [], generate = 0, world } = value;
  if (!isObject(defaults)) throw refuse(text.place('defaults'), '"defaults" is a mapping of properties to values');
  if (typeof generate !== 'number' || !Number.isInteger(generate) || generate < 0 || generate > 1_000_000) {
    throw refuse(text.place('generate'), '"generate" is a whole number from 0 to 1000000');
  }
  if (world !== undefined && world !== 'open' && world !== 'closed') {
    throw refuse(text.place('world'), '"world" is "open" or "closed"');
  }
  const read = await readItems(text, resource, { value: items, segments: ['items'] });
  return { text, resource, defaults, items: read, generate, world };
}

async function readItems(
  text: FixtureText,
  resource: Resource,
  from: { readonly value: unknown; readonly segments: readonly (string | number)[] },
): Promise<readonly FixtureItem[]> {
  if (isObject(from.value)) {
    if (resource.parents.length === 0) {
      throw refuse(text.place(...from.segments), `"${resource.name}" lives under nothing, so its items are a list`);
    }
    const lists = Object.entries(from.value).map(([parent, value]) => ({
      value,
      scope: toParentScope(resource, parent),
      segments: [...from.segments, parent],
    }));
    return (await Promise.all(lists.map((list) => readList(text, resource, list)))).flat();
  }
  return readList(text, resource, { ...from, scope: undefined });
}

async function readList(
  text: FixtureText,
  resource: Resource,
  from: {
    readonly value: unknown;
    readonly scope: string | undefined;
    readonly segments: readonly (string | number)[];
  },
): Promise<readonly FixtureItem[]> {
  if (!Array.isArray(from.value)) throw refuse(text.place(...from.segments), 'items are a list');
  return Promise.all(
    from.value.map(async (value: unknown, index) => {
      const segments = [...from.segments, index];
      if (!isObject(value)) throw refuse(text.place(...segments), 'an item is a mapping of properties to values');
      const item = withoutMarks(value, resource);
      const scope = from.scope ?? readParent(text, resource, { value, segments });
      const id = showsMark(resource) ? undefined : readOwnId(text, value, segments);
      return { item, scope, id, content: await readContent(text, value, segments), segments };
    }),
  );
}

const MARKS: ReadonlySet<string> = new Set(['$content', '$contentType', '$id', '$parent']);

/** An item without what is said about it: `$parent`, `$content`. */
export function withoutMarks(given: Item, resource: Resource): Item {
  const isMark = (name: string): boolean => MARKS.has(name) && !(name === '$id' && showsMark(resource));
  return Object.fromEntries(Object.entries(given).filter(([name]) => !isMark(name)));
}

/** Some services have a property that is called `$id`; a thing there is one of is asked for by none. */
function showsMark({ idProperty, singleton }: Resource): boolean {
  return singleton || idProperty === '$id';
}

function readOwnId(text: FixtureText, value: Item, segments: readonly (string | number)[]): string | undefined {
  const id = value['$id'];
  if (id === undefined || typeof id === 'string') return id;
  if (typeof id === 'number') return String(id);
  throw refuse(text.place(...segments, '$id'), '"$id" is a text or a number');
}

/** The scope a flat item names with `$parent`, or with a property called like the parent's id parameter. */
function readParent(
  text: FixtureText,
  resource: Resource,
  from: { readonly value: Item; readonly segments: readonly (string | number)[] },
): string {
  const { value, segments } = from;
  if (resource.parents.length === 0) return '';
  const parent = value['$parent'];
  if (typeof parent === 'string' || typeof parent === 'number') return toParentScope(resource, String(parent));
  if (Array.isArray(parent) && parent.length === resource.parents.length) return toScope(...parent.map(String));
  if (isObject(parent)) {
    const ids = resource.parents.map((name) => parent[name]);
    if (ids.every((id) => typeof id === 'string' || typeof id === 'number')) return toScope(...ids.map(String));
  }
  const names = [...resource.path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1] ?? '');
  const ids = names.map((name) => value[name]);
  if (ids.length > 0 && ids.every((id) => typeof id === 'string' || typeof id === 'number')) {
    return toScope(...ids.map(String));
  }
  throw refuse(
    text.place(...segments),
    `an item of "${resource.name}" lives under one of "${resource.parents.join('", "')}", and this one does not say which`,
    'add "$parent: <id>", or put the items under that id: "items: { <id>: [...] }"',
  );
}

/** The scope below one parent, or below several whose ids stand one after the other: `thread_1/run_2`. */
function toParentScope(resource: Resource, parent: string): string {
  return resource.parents.length > 1 ? toScope(...parent.split('/')) : toScope(parent);
}

async function readContent(
  text: FixtureText,
  value: Item,
  segments: readonly (string | number)[],
): Promise<ItemContent | undefined> {
  const content = value['$content'];
  if (content === undefined) return undefined;
  const type = value['$contentType'];
  if (type !== undefined && typeof type !== 'string') {
    throw refuse(text.place(...segments, '$contentType'), '"$contentType" is a media type');
  }
  if (typeof content === 'string') return { bytes: new TextEncoder().encode(content), mediaType: type };
  const at = [...segments, '$content'];
  if (isObject(content) && typeof content['base64'] === 'string') {
    const plain = content['base64'].replaceAll(/\s/g, '');
    if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(plain)) throw refuse(text.place(...at), 'the content is no base64');
    return { bytes: new Uint8Array(Buffer.from(plain, 'base64')), mediaType: type };
  }
  if (isObject(content) && typeof content['path'] === 'string') {
    return { bytes: await readBytes(text, content['path'], at), mediaType: type };
  }
  throw refuse(text.place(...at), 'content is a text, { base64: … } or { path: … }');
}

async function readBytes(text: FixtureText, path: string, at: readonly (string | number)[]): Promise<Uint8Array> {
  const file = resolve(text.folder, path);
  try {
    return new Uint8Array(await readFile(file));
  } catch (cause) {
    throw new MockError('FIXTURE_INVALID', `the content ${JSON.stringify(path)} cannot be read`, {
      at: text.place(...at),
      hint: `the path starts from the fixture's folder; ${file} was looked for`,
      cause,
    });
  }
}

/** The error for a mistake in a fixture. */
export function refuse(at: Place, message: string, hint?: string): MockError {
  return new MockError('FIXTURE_INVALID', message, hint === undefined ? { at } : { at, hint });
}
