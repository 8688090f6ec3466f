import { means } from '../../conventions/conventions.js';
import { isObject } from '../../base/json.js';
import {
  findOnlyValue,
  type PropertyView,
  type SchemaView,
  type ReadSchema,
} from '../../contract/schema-view/schema-view.js';
import { toBareName } from '../../base/names.js';

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a string is text that a stream sends in pieces. */
export function isStreamedText(name: string, value: unknown): value is string {
  const bare = toBareName(name);
  return typeof value === 'string' && means(bare, 'streams.text') && !means(bare, 'streams.fixed');
}

/** At most this many pieces of one string. */
const MAX_PIECES = 24;

/** The pieces of text, in words; they add up to it. */
export function splitText(text: string): readonly string[] {
  const words = text.match(/\s*\S+|\s+$/gu) ?? [];
  if (words.length > 1) {
    const size = Math.ceil(words.length / MAX_PIECES);
    return Array.from({ length: Math.ceil(words.length / size) }, (_, i) =>
      words.slice(i * size, (i + 1) * size).join(''),
    );
  }
  const letters = Array.from(text);
  const half = Math.ceil(letters.length / 2);
  return letters.length < 2 ? [text] : [letters.slice(0, half).join(''), letters.slice(half).join('')];
}

/** A property that says that the stream is over. */
interface End {
  /** Undefined: left out until then. */
  readonly before: unknown;
  readonly after: unknown;
}

function readEnd({ name, schema, nullable }: PropertyView, own: unknown): End | undefined {
  const bare = toBareName(name);
  if (schema.type === 'boolean') return means(bare, 'streams.end') ? { before: false, after: true } : undefined;
  const values = schema.enum?.filter((value) => typeof value === 'string');
  if (means(bare, 'streams.reason'))
    return { before: nullable ? null : undefined, after: own ?? (nullable ? null : values?.[0]) };
  const running = values?.find((value) => means(value, 'statuses.queued', 'statuses.running', 'statuses.partial'));
  const isStatus = /^(status|state)$/.test(bare) && running !== undefined && typeof own === 'string';
  return isStatus && own !== running ? { before: running, after: own } : undefined;
}

/** `delta`: an object of changes; `inner`: an object in it; `base`: any other. In the first two, what does not change is sent once. */
type Mode = 'base' | 'delta' | 'inner';

/** Splits a value into chunks of an object schema that add up to it; undefined where the chunks have no part of its text. */
export function splitIntoChunks(
  read: ReadSchema,
  pointer: string,
  whole: JsonObject,
): readonly JsonObject[] | undefined {
  const chunks = splitObject(read, pointer, { value: whole, mode: 'base', whole });
  if (chunks.length < 2) return undefined;
  // Chunks are numbered in a property that the whole value does not have.
  const counter = [...(read(pointer)?.members.values() ?? [])].find(
    ({ name, schema }) =>
      means(name, 'streams.counter') && [schema.type].flat().includes('integer') && !Object.hasOwn(whole, name),
  );
  return counter === undefined ? chunks : chunks.map((chunk, i) => ({ ...chunk, [counter.name]: i }));
}

interface Source {
  readonly value: JsonObject;
  readonly mode: Mode;
  /** The whole answer, of the object that is split first. */
  readonly whole?: JsonObject;
}

/** The members of the chunks of one object: of all, the first, the last, all before the last, and parts that are sent one after the other. */
interface ChunkDraft {
  readonly always: Record<string, unknown>;
  readonly first: Record<string, unknown>;
  readonly last: Record<string, unknown>;
  readonly before: Record<string, unknown>;
  readonly parts: {
    readonly name: string;
    readonly values: readonly unknown[];
    readonly required: boolean;
    readonly isDelta: boolean;
  }[];
}

function splitObject(read: ReadSchema, pointer: string, source: Source): readonly JsonObject[] {
  const schema = read(pointer);
  const { mode } = source;
  if (schema === undefined || schema.members.size === 0) return [source.value];
  const draft: ChunkDraft = { always: {}, first: {}, last: {}, before: {}, parts: [] };
  for (const property of schema.members.values()) addProperty(read, draft, { property, schema, source });
  const { always, first, last, before, parts } = draft;
  // The changes of an answer are in its delta; what else grows is whole at the end.
  const delta = parts.find(({ isDelta }) => isDelta);
  if (delta !== undefined) {
    for (const { name } of parts.splice(0)) if (name !== delta.name) last[name] = source.value[name];
    parts.push(delta);
  }
  const opening = mode === 'delta' && typeof parts[0]?.values[0] === 'string' ? [{ [parts[0].name]: '' }] : [];
  const changes = [...opening, ...parts.flatMap(({ name, values }) => values.map((value) => ({ [name]: value })))];
  // The end comes after the last change.
  if (mode === 'delta' && parts.length > 0) changes.push({});
  if (changes.length === 0) changes.push({});
  const empty = Object.fromEntries(
    parts.filter(({ required }) => required).map(({ name, values: [value] }) => [name, toEmpty(value)]),
  );
  return changes.map((change, i) => {
    const isEnd = i === changes.length - 1;
    return Object.assign({}, always, i === 0 ? first : {}, isEnd ? last : before, empty, change) as JsonObject;
  });
}

function toEmpty(value: unknown): unknown {
  if (typeof value !== 'object') return '';
  return Array.isArray(value) ? [] : {};
}

/** A property of the schema of chunks. */
interface Member {
  readonly property: PropertyView;
  readonly schema: SchemaView;
  readonly source: Source;
}

function addProperty(read: ReadSchema, draft: ChunkDraft, member: Member): void {
  const { property, source } = member;
  const { name, required, target, nullable } = property;
  const { value, mode } = source;
  const own = value[name];
  const only = findOnlyValue(property);
  const end = mode === 'base' ? readEnd(property, own) : undefined;
  const once = mode === 'base' || required ? draft.always : draft.first;
  if (only !== undefined) {
    if (required || Object.hasOwn(value, name)) once[name] = only;
  } else if (end !== undefined) {
    if (end.before !== undefined) draft.before[name] = end.before;
    if (end.after !== undefined) draft.last[name] = end.after;
  } else {
    const found = own === undefined ? findCounterpart(read, member) : own;
    if (found === null && nullable && required) draft.always[name] = null;
    if (found === undefined || found === null) return;
    const isRenamed = own === undefined || /delta|diff/i.test(name);
    const inner: Mode = mode === 'base' ? (isRenamed ? 'delta' : 'base') : 'inner';
    const values = splitValue(read, { name, target, found }, inner);
    if (values.length > 1)
      draft.parts.push({ name, values, required, isDelta: inner === 'delta' && isObject(values[0]) });
    else if (typeof found === 'object' && !required) draft.last[name] = values[0];
    else once[name] = values[0];
  }
}

/** The values of one property in the chunks; one where it does not change. */
function splitValue(
  read: ReadSchema,
  { name, target, found }: { readonly name: string; readonly target: string; readonly found: unknown },
  mode: Mode,
): readonly unknown[] {
  if (isStreamedText(name, found)) {
    const pieces = splitText(found);
    // One letter is one piece and then nothing, so that it counts as streamed.
    return found === '' || pieces.length > 1 ? pieces : [...pieces, ''];
  }
  if (isObject(found)) return splitObject(read, target, { value: found, mode });
  const items = read(target)?.element;
  if (!Array.isArray(found) || items === undefined || !found.every(isObject)) return [found];
  const hasIndex = read(items)?.members.has('index') === true;
  const elements = found.map((each, i) => {
    const chunks = splitObject(read, items, { value: each, mode });
    return hasIndex ? chunks.map((chunk) => ({ index: i, ...chunk })) : chunks;
  });
  return elements.some((chunks) => chunks.length > 1) ? elements.flat().map((chunk) => [chunk]) : [found];
}

/** Finds the member of the whole value that has another name: `message` for `delta`, the text for `delta` or `token`. */
function findCounterpart(read: ReadSchema, { property, schema, source }: Member): unknown {
  const { value, whole } = source;
  const others = Object.entries(value).filter(([name]) => !schema.members.has(name));
  const names = [...(read(property.target)?.members.keys() ?? [])];
  if (names.length > 0) {
    const count = (each: JsonObject): number => names.filter((name) => Object.hasOwn(each, name)).length;
    const objects = others.flatMap(([, each]) => (isObject(each) && count(each) > 0 ? [each] : []));
    return objects.toSorted((a, b) => count(b) - count(a))[0];
  }
  if (!isStreamedText(property.name, '')) return undefined;
  const texts = others.flatMap(([name, each]) => (isStreamedText(name, each) ? [each] : []));
  return texts[0] ?? (whole === undefined ? undefined : findText(whole));
}

/** The first text in a value that is streamed. */
export function findText(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const members = Object.entries(value);
  const own = members.find(([name, each]) => each !== '' && isStreamedText(name, each));
  if (own !== undefined) return String(own[1]);
  for (const [, each] of members) {
    const found = findText(each);
    if (found !== undefined) return found;
  }
  return undefined;
}
