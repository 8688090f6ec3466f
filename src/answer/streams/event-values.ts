import type { Contract } from '../../contract/contract.js';
import { isObject, mapValues, readOwn, setOwn } from '../../contract/json.js';
import { findOnlyValue, type ItemProperty, type ReadItemSchema } from '../../state/item-schema.js';
import { toSingular } from '../../state/names.js';
import { toBareName, toSnakeCase } from '../../contract/names.js';
import { isStreamedText, type JsonObject } from './chunks.js';
import { type EventType, type EventTypes, listLeaves, type Phase } from './event-types.js';

/** What events are written from. */
export interface EventWriter {
  readonly contract: Contract;
  readonly read: ReadItemSchema;
  /** Whether a value fits the schema at a pointer. */
  fits(pointer: string, value: unknown): boolean;
  /** A partial value with what its schema requires; the same every time. */
  complete(pointer: string, partial: unknown): unknown;
}

/** An object of the whole answer that events are about. */
export interface Subject {
  readonly value: JsonObject;
  readonly parent: Subject | undefined;
  /** The array that it is an element of, and its place there. */
  readonly list: string | undefined;
  readonly index: number;
}

/** What one event says beside its subject. */
export interface Change {
  readonly phase: Phase;
  /** A piece of text, or all of it, and the property that it belongs to. */
  readonly text?: { readonly name: string; readonly piece: string };
}

/** What one event is built with. */
export interface EventParts {
  readonly writer: EventWriter;
  readonly types: EventTypes;
}

/** One event; undefined where its schema allows none for the subject. */
export function buildEvent(
  state: EventParts,
  type: EventType,
  { subject, change }: { readonly subject: Subject; readonly change: Change },
): JsonObject | undefined {
  const { writer, types } = state;
  const event: Record<string, unknown> = {};
  for (const property of type.properties) {
    const value = property.name === types.property ? type.type : readValue(state, property, { subject, change });
    if (value !== undefined) setOwn(event, property.name, value);
  }
  if (writer.fits(type.pointer, event)) return event;
  const completed = writer.complete(type.pointer, event);
  return isObject(completed) && writer.fits(type.pointer, completed) ? completed : undefined;
}

function readValue(
  state: EventParts,
  property: ItemProperty,
  { subject, change }: { readonly subject: Subject; readonly change: Change },
): unknown {
  const { writer } = state;
  const { name, target, pointer, schema, required, scalar } = property;
  const { phase, text } = change;
  const only = findOnlyValue(property);
  if (only !== undefined) return only;
  if (isCounter(property)) return 0;
  if (text !== undefined) {
    if (phase === 'delta' && isCarrier(property)) return text.piece;
    if (phase === 'close' && name === text.name) return text.piece;
    const carried = phase === 'delta' && !scalar ? carry(writer, target, text) : undefined;
    if (carried !== undefined) return carried;
  }
  if (shows(state, property, subject))
    return phase === 'open' ? toOpened(writer, pointer, subject.value) : subject.value;
  if ([schema.type].flat().includes('integer') && /index$/i.test(name)) return readIndex(name, subject);
  if (scalar && /id$/i.test(name)) return readId(name, subject);
  if (schema.type === 'array' && phase === 'delta') return required ? [] : undefined;
  if (phase === 'open' && isCarrier(property)) return required ? '' : undefined;
  const own = readOwn(subject.value, name) ?? readOwn(findRoot(subject).value, name);
  if (own !== undefined && phase !== 'delta' && (phase === 'close' || scalar)) return pick(writer, pointer, own);
  return phase === 'close' && text === undefined && /delta/i.test(name)
    ? pick(writer, pointer, subject.value)
    : undefined;
}

/** A piece of text in an object, where a schema has the text: `{ type: 'text_delta', text: piece }`. */
export function carry(
  writer: EventWriter,
  pointer: string,
  text: { readonly name: string; readonly piece: string; readonly depth?: number },
): JsonObject | undefined {
  const { depth = 0 } = text;
  if (depth > 3) return undefined;
  const leaves = listLeaves(writer.contract, pointer);
  const found = leaves.map((leaf) => ({ leaf, properties: [...(writer.read(leaf)?.properties.values() ?? [])] }));
  const constants = (properties: readonly ItemProperty[]): JsonObject =>
    Object.fromEntries(
      properties.flatMap((each) =>
        each.required && findOnlyValue(each) !== undefined ? [[each.name, findOnlyValue(each)]] : [],
      ),
    );
  const isString = ({ schema }: ItemProperty): boolean =>
    schema.type === 'string' && schema.enum === undefined && !('const' in schema);
  for (const { properties } of found) {
    const own = properties.find((each) => each.name === text.name && isString(each));
    if (own !== undefined) return { ...constants(properties), [text.name]: text.piece };
  }
  for (const { properties } of found) {
    // Named after the text, which is in another property: `input_json_delta` with `partial_json` for `input`.
    const isNamed = Object.values(constants(properties)).some((value) =>
      toSnakeCase(String(value)).startsWith(`${toSnakeCase(text.name)}_`),
    );
    const [only, ...others] = properties.filter(isString);
    if (isNamed && only !== undefined && others.length === 0)
      return { ...constants(properties), [only.name]: text.piece };
  }
  for (const { properties } of found) {
    for (const { name, target, scalar } of properties) {
      const inner = scalar ? undefined : carry(writer, target, { ...text, depth: depth + 1 });
      if (inner !== undefined) return { ...constants(properties), [name]: inner };
    }
  }
  return undefined;
}

const UNFINISHED = ['in_progress', 'running', 'processing', 'generating', 'queued', 'pending', 'created', 'incomplete'];

/** A subject as it is at first: without text, parts, an end and what is only known then, as far as its schema allows. */
function toOpened(writer: EventWriter, pointer: string, value: JsonObject): JsonObject {
  let opened = value;
  for (const [name, own] of Object.entries(value)) {
    for (const next of listBeginnings(name, own)) {
      const { [name]: _, ...others } = opened;
      const changed = next === undefined ? others : { ...opened, [name]: next };
      if (!writer.fits(pointer, changed)) continue;
      opened = changed;
      break;
    }
  }
  return opened;
}

/** What a member may be at first, the best one first. */
function listBeginnings(name: string, own: unknown): readonly unknown[] {
  if (/^(status|state)$/i.test(name)) return UNFINISHED;
  if (isStreamedText(name, own)) return [''];
  if (Array.isArray(own) && own.some(isObject)) return [[], own.map(withoutText)];
  const bare = toBareName(name);
  const isLater = /^usage$|reason$|sequence$|(completed|finished|ended)(at|on|time)$/.test(bare);
  return isLater && own !== null ? [null, undefined] : [];
}

function withoutText(value: unknown): unknown {
  if (!isObject(value)) return value;
  return mapValues(value, (each, name) => (isStreamedText(name, each) ? '' : each));
}

function findRoot(subject: Subject): Subject {
  return subject.parent === undefined ? subject : findRoot(subject.parent);
}

function listPath(subject: Subject): readonly Subject[] {
  return subject.parent === undefined ? [subject] : [...listPath(subject.parent), subject];
}

/** The place of the subject, or of one that it is in: `output_index` in `output`, `index` in the innermost list. */
function readIndex(name: string, subject: Subject): number | undefined {
  const path = listPath(subject).filter(({ list }) => list !== undefined);
  const stem = toBareName(name).replace(/index$/, '');
  const named = path.find(
    ({ list = '' }) => toSingular(toBareName(list)) === toSingular(stem) || toBareName(list) === stem,
  );
  return (named ?? (stem === '' ? path.at(-1) : undefined))?.index;
}

/** What an object says that it is. */
export function readKind({ type, object }: JsonObject): string {
  if (typeof type === 'string') return type;
  return typeof object === 'string' ? object : '';
}

/** The id of the subject, or of the next one around it that has one; `response_id` is that of the object of this kind. */
function readId(name: string, subject: Subject): unknown {
  const path = listPath(subject).filter(({ value }) => value['id'] !== undefined);
  const stem = toBareName(name).replace(/id$/, '');
  const isNamed = ({ value, list = '' }: Subject): boolean =>
    stem !== '' && [readKind(value), toSingular(list)].some((each) => toBareName(each).endsWith(stem));
  const own = readOwn(subject.value, name) ?? readOwn(findRoot(subject).value, name);
  return own ?? (path.findLast(isNamed) ?? path.at(-1))?.value['id'];
}

/** A value, or the members of it that a schema declares. */
function pick(writer: EventWriter, pointer: string, value: unknown): unknown {
  if (writer.fits(pointer, value)) {
    const names = writer.read(pointer)?.properties;
    if (!isObject(value) || names === undefined || names.size === 0) return value;
  }
  if (!isObject(value)) return undefined;
  const properties = [...(writer.read(pointer)?.properties.values() ?? [])];
  const members = properties.flatMap(({ name, pointer: at }): readonly (readonly [string, unknown])[] => {
    const own = Object.hasOwn(value, name) ? pick(writer, at, value[name]) : undefined;
    return own === undefined ? [] : [[name, own]];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

/** Whether a property holds a piece of text. */
export function isCarrier({ name, schema, scalar }: ItemProperty): boolean {
  return (
    scalar &&
    schema.enum === undefined &&
    !('const' in schema) &&
    [schema.type].flat().includes('string') &&
    isStreamedText(name, '')
  );
}

/** Whether a property of an event shows a subject. */
export function shows({ writer }: EventParts, { target, scalar, pointer }: ItemProperty, { value }: Subject): boolean {
  if (scalar || writer.read(target)?.type !== 'object') return false;
  const names = new Set(
    listLeaves(writer.contract, pointer).flatMap((each) => Array.from(writer.read(each)?.properties.keys() ?? [])),
  );
  const known = Object.keys(value).filter((name) => names.has(name));
  return known.length > 0 && known.length * 2 >= Object.keys(value).length && writer.fits(pointer, value);
}

/** Whether a property counts events. */
export function isCounter({ name, schema }: ItemProperty): boolean {
  return [schema.type].flat().includes('integer') && /^seq(uence)?(no|num|number|id|index)?$/.test(toBareName(name));
}
