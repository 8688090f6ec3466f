import { UNFINISHED_STATUSES, OPENING_WORDS, CONTINUING_WORDS, CLOSING_WORDS } from '../../conventions/actions.js';
import { means } from '../../conventions/conventions.js';
import { isObject, mapValues, readOwn, setOwn } from '../../base/json.js';
import { toSingular } from '../../conventions/names.js';
import { toBareName, toSnakeCase } from '../../base/names.js';
import type { Contract } from '../../contract/contract.js';
import {
  findOnlyValue,
  type PropertyView,
  listBranches,
  type ReadSchema,
} from '../../contract/schema-view/schema-view.js';
import { findText, isStreamedText, type JsonObject, splitText } from './chunks.js';

/**
 * The events that make a whole answer, in the order that its parts have: what begins, then its parts, the pieces of its texts, then what ends.
 * Where none of the types is about the answer, one event of each type; undefined where there are no two.
 */
export function writeEvents(
  writer: EventWriter,
  types: EventTypes,
  whole: JsonObject,
): readonly JsonObject[] | undefined {
  const told = writeTypedEvents(writer, types, whole);
  const events = told.length > 1 ? told : writeEachType({ writer, types }, whole);
  return events.length > 1 ? numberEvents(types, events) : undefined;
}

function writeTypedEvents(writer: EventWriter, types: EventTypes, whole: JsonObject): readonly JsonObject[] {
  const state: WriteState = { writer, types, events: [] };
  const root: Subject = { value: whole, parent: undefined, list: undefined, index: 0 };
  writeSubject(state, root);
  if (state.events.some((event) => isPhase(types, event, 'delta'))) return state.events;
  // The text is deeper in the answer than events say.
  const text = findText(whole);
  const delta = types.types.find(({ phase, properties }) => phase === 'delta' && properties.some(isCarrier));
  if (text === undefined || delta === undefined) return state.events;
  const at = state.events.findIndex((event) => isPhase(types, event, 'close'));
  const pieces = splitText(text)
    .map((piece) => buildEvent(state, delta, { subject: root, phase: 'delta', text: { name: '', piece } }))
    .filter((event) => event !== undefined);
  return state.events.toSpliced(at < 0 ? state.events.length : at, 0, ...pieces);
}

/** One event of each type in their order, with the values of the answer that have the same names. */
function writeEachType(parts: EventParts, whole: JsonObject): readonly JsonObject[] {
  const [element] = Object.values(whole).flatMap((each) => (Array.isArray(each) ? each.filter(isObject) : []));
  const subject: Subject = { value: { ...whole, ...element }, parent: undefined, list: undefined, index: 0 };
  const order: readonly Phase[] = ['open', 'delta', 'close'];
  return parts.types.types
    .toSorted((a, b) => order.indexOf(a.phase) - order.indexOf(b.phase) || a.rank - b.rank)
    .map((type) => buildEvent(parts, type, { subject, phase: 'close' }))
    .filter((event) => event !== undefined);
}

function isPhase({ property, types }: EventTypes, event: JsonObject, phase: Phase): boolean {
  return types.some((each) => each.type === event[property] && each.phase === phase);
}

function numberEvents({ property, types }: EventTypes, events: readonly JsonObject[]): readonly JsonObject[] {
  return events.map((event, i) => {
    const type = types.find((each) => each.type === event[property]);
    const counter = type?.properties.find(isCounter);
    return counter === undefined ? event : { ...event, [counter.name]: i };
  });
}

interface WriteState extends EventParts {
  readonly events: JsonObject[];
}

/** The events of one subject. */
interface SubjectState extends WriteState {
  readonly subject: Subject;
  readonly related: readonly EventType[];
  /** The types of the events with its texts. */
  readonly used: Set<EventType>;
}

function writeSubject(parts: WriteState, subject: Subject): void {
  const { types } = parts.types;
  const own = types.filter((type) => isAbout(parts, type, subject));
  const subjects = new Set(own.map((type) => type.subject));
  const related = types.filter(
    (type) => own.includes(type) || (subjects.has(type.subject) && !hasOwnSubject(parts.writer, type)),
  );
  const ordered = related.toSorted((a, b) => a.rank - b.rank);
  const state: SubjectState = { ...parts, subject, related, used: new Set() };
  for (const type of ordered) if (type.phase === 'open') push(state, type, { phase: 'open' });
  for (const [name, value] of Object.entries(subject.value)) writeMember(state, name, value);
  const rest = ordered.filter((type) => !state.used.has(type));
  // A change of the subject itself, which has no text: `message_delta` with the reason of the end.
  const changes = rest.filter((type) => type.phase === 'delta' && !carriesText(type, subject));
  const ends = rest.filter(({ phase }) => phase === 'close');
  for (const type of [...changes, ...ends]) push(state, type, { phase: 'close' });
}

function push(state: SubjectState, type: EventType, change: Omit<Moment, 'subject'>): void {
  const event = buildEvent(state, type, { ...change, subject: state.subject });
  if (event !== undefined) state.events.push(event);
}

function writeMember(state: SubjectState, name: string, value: unknown): void {
  const { subject, used } = state;
  if (isObject(value) && subject.parent === undefined && !Object.hasOwn(subject.value, `${name}s`)) {
    // The parts of an object count as parts of its owner: `message.content`.
    for (const [key, each] of Object.entries(value)) if (Array.isArray(each)) writeList(state, key, each);
  }
  if (Array.isArray(value)) return writeList(state, name, value);
  const isText = isStreamedText(name, value);
  const text = isText ? value : isObject(value) ? JSON.stringify(value) : '';
  const delta = text === '' ? undefined : findDelta(state, name, isText);
  if (delta === undefined) return;
  used.add(delta);
  for (const piece of splitText(text)) push(state, delta, { phase: 'delta', text: { name, piece } });
  const closing = state.types.types.filter(
    (type) =>
      type.phase === 'close' && type.subject === delta.subject && type.properties.some((each) => each.name === name),
  );
  for (const type of closing.toSorted((a, b) => a.rank - b.rank)) {
    used.add(type);
    push(state, type, { phase: 'close', text: { name, piece: text } });
  }
}

function writeList(state: SubjectState, list: string, value: readonly unknown[]): void {
  for (const [index, each] of value.entries())
    if (isObject(each)) writeSubject(state, { value: each, parent: state.subject, list, index });
}

/** The type of the events with the pieces of text: that of its subject, or the one that is named after the kind of the subject and the text. */
function findDelta(
  { types: { types }, writer, subject, related }: SubjectState,
  name: string,
  isText: boolean,
): EventType | undefined {
  const kind = toSnakeCase(readKind(subject.value));
  const text = toSnakeCase(name);
  const endings = [...(kind === '' ? [] : [`${kind}_${text}`, kind]), ...(subject.parent === undefined ? [text] : [])];
  const deltas = types.filter(({ phase }) => phase === 'delta');
  const canSay = (type: EventType): boolean => {
    const closing = types.find((each) => each.phase === 'close' && each.subject === type.subject);
    const isSaid = closing === undefined || closing.properties.some((each) => each.name === name);
    return isText && isSaid && type.properties.some(isCarrier);
  };
  for (const ending of endings) {
    const found = deltas.find(
      (type) => canSay(type) && (type.subject === ending || type.subject.endsWith(`_${ending}`)),
    );
    if (found !== undefined) return found;
  }
  const own = related.filter(({ phase }) => phase === 'delta');
  const carrier = own.find((type) =>
    type.properties.some((each) => carry(writer, each.target, { name, piece: '' }) !== undefined),
  );
  if (carrier !== undefined) return carrier;
  const isRoot = subject.parent === undefined && isStreamedText(name, '');
  return isRoot ? deltas.find((type) => canSay(type)) : undefined;
}

function carriesText(type: EventType, { value }: Subject): boolean {
  const carriers = type.properties.filter(isCarrier);
  return carriers.length > 0 && !carriers.some(({ name }) => Object.hasOwn(value, name));
}

/** Whether an event shows its subject, is about elements of its list, or about its kind. */
function isAbout({ writer }: EventParts, type: EventType, subject: Subject): boolean {
  if (type.properties.some((property) => shows(writer, property, subject))) return true;
  if (hasOwnSubject(writer, type)) return false;
  const { value, list, parent } = subject;
  if (parent === undefined && type.subject === '') return type.phase !== 'delta';
  const isNamed = (name: string): boolean => type.subject === name || type.subject.endsWith(`_${name}`);
  const kind = toSnakeCase(readKind(value));
  if (kind !== '' && isNamed(kind) && !type.properties.some(isCarrier)) return true;
  const name = list === undefined ? '' : toSnakeCase(list);
  return name !== '' && (type.subject === name || type.subject === toSnakeCase(toSingular(name)));
}

/** Whether an event shows an object of its own kind, so that it is not about any other. */
function hasOwnSubject(writer: EventWriter, { properties, phase }: EventType): boolean {
  return (
    phase !== 'delta' &&
    properties.some(
      ({ target, required, scalar }) => required && !scalar && (writer.read(target)?.members.size ?? 0) > 2,
    )
  );
}

/** One type of the events of a stream. */
interface EventType {
  readonly pointer: string;
  /** The value of the property that distinguishes the types. */
  readonly type: string;
  /** The subject of the event: `response_output_text` of `response.output_text.delta`. */
  readonly subject: string;
  readonly phase: Phase;
  /** The order of events of one phase. */
  readonly rank: number;
  readonly properties: readonly PropertyView[];
}

/** When an event is sent: before the parts of its subject, for each piece of it, or after all of them. */
type Phase = 'open' | 'delta' | 'close';

/** The types of events that a schema distinguishes. */
export interface EventTypes {
  /** The property that has the type. */
  readonly property: string;
  readonly types: readonly EventType[];
}

/** Reads the types of events; undefined where the schema does not distinguish several. */
export function readEventTypes(contract: Contract, read: ReadSchema, pointer: string): EventTypes | undefined {
  const branches = listLeaves(contract, pointer);
  const property = findDiscriminator(read, branches.length > 1 ? branches : [pointer]);
  if (property === undefined) return undefined;
  const types = (branches.length > 1 ? branches : [pointer]).flatMap((each) => {
    const properties = [...(read(each)?.members.values() ?? [])];
    const own = properties.find(({ name }) => name === property);
    const only = own && findOnlyValue(own);
    const values = only === undefined ? (own?.schema.enum ?? []) : [only];
    return values.flatMap((type) => (typeof type === 'string' ? toEventType(type, { pointer: each, properties }) : []));
  });
  return types.length > 1 ? { property, types } : undefined;
}

/** Pointers to the branches of a union, also of the unions in it; the pointer itself where the schema is not a union. */
function listLeaves(contract: Contract, pointer: string, depth = 0): readonly string[] {
  const branches = depth > 4 ? [] : listBranches(contract, pointer);
  return branches.length === 0 ? [pointer] : branches.flatMap((each) => listLeaves(contract, each, depth + 1));
}

/** The property that has a constant in each branch, or one of several types in a single schema. */
function findDiscriminator(read: ReadSchema, branches: readonly string[]): string | undefined {
  const [first, ...others] = branches.map((each) => read(each)?.members);
  const names = [...(first?.keys() ?? [])];
  if (others.length > 0) {
    const isConstant = (name: string, properties: typeof first): boolean => {
      const own = properties?.get(name);
      return own !== undefined && typeof findOnlyValue(own) === 'string';
    };
    return names.find((name) => [first, ...others].every((properties) => isConstant(name, properties)));
  }
  return names.find((name) => {
    const words = (first?.get(name)?.schema.enum ?? []).map((value) => toSnakeCase(String(value)));
    const phases = new Set(words.map((each) => readPhase(each)?.phase));
    return means(name, 'streams.type') && phases.has('delta') && phases.has('close');
  });
}

function readPhase(words: string): Pick<EventType, 'phase' | 'rank' | 'subject'> | undefined {
  if (means(words, 'streams.unwanted')) return undefined;
  for (const [phase, list] of [
    ['open', OPENING_WORDS],
    ['delta', CONTINUING_WORDS],
    ['close', CLOSING_WORDS],
  ] as const) {
    const word = list.find((each) => words === each || words.endsWith(`_${each}`));
    if (word !== undefined) return { phase, rank: list.indexOf(word), subject: words.slice(0, -word.length - 1) };
  }
  // Another state of its subject: `searching`.
  return { phase: 'open', rank: OPENING_WORDS.length, subject: words.slice(0, Math.max(0, words.lastIndexOf('_'))) };
}

function toEventType(type: string, about: Pick<EventType, 'pointer' | 'properties'>): readonly EventType[] {
  const read = readPhase(toSnakeCase(type));
  return read === undefined ? [] : [{ ...about, type, ...read }];
}

/** The parts that write events. */
export interface EventWriter {
  readonly contract: Contract;
  readonly read: ReadSchema;
  /** Whether a value fits the schema at a pointer. */
  fits(pointer: string, value: unknown): boolean;
  /** A partial value with what its schema requires; the same every time. */
  complete(pointer: string, partial: unknown): unknown;
}

/** An object of the whole answer that events are about. */
interface Subject {
  readonly value: JsonObject;
  readonly parent: Subject | undefined;
  /** The array that it is an element of, and its place there. */
  readonly list: string | undefined;
  readonly index: number;
}

/** The content of one event. */
interface Moment {
  readonly subject: Subject;
  readonly phase: Phase;
  /** A piece of text, or all of it, and the property that it belongs to. */
  readonly text?: { readonly name: string; readonly piece: string };
}

/** The parts that one event is built with. */
interface EventParts {
  readonly writer: EventWriter;
  readonly types: EventTypes;
}

/** One event; undefined where its schema allows none for the subject. */
function buildEvent(parts: EventParts, type: EventType, moment: Moment): JsonObject | undefined {
  const { writer, types } = parts;
  const event: Record<string, unknown> = {};
  for (const property of type.properties) {
    const value = property.name === types.property ? type.type : readValue(writer, property, moment);
    if (value !== undefined) setOwn(event, property.name, value);
  }
  if (writer.fits(type.pointer, event)) return event;
  const completed = writer.complete(type.pointer, event);
  return isObject(completed) && writer.fits(type.pointer, completed) ? completed : undefined;
}

function readValue(writer: EventWriter, property: PropertyView, { subject, phase, text }: Moment): unknown {
  const { name, target, pointer, schema, required, scalar } = property;
  const only = findOnlyValue(property);
  if (only !== undefined) return only;
  if (isCounter(property)) return 0;
  if (text !== undefined) {
    if (phase === 'delta' && isCarrier(property)) return text.piece;
    if (phase === 'close' && name === text.name) return text.piece;
    const carried = phase === 'delta' && !scalar ? carry(writer, target, text) : undefined;
    if (carried !== undefined) return carried;
  }
  if (shows(writer, property, subject))
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
function carry(
  writer: EventWriter,
  pointer: string,
  text: { readonly name: string; readonly piece: string; readonly depth?: number },
): JsonObject | undefined {
  const { depth = 0 } = text;
  if (depth > 3) return undefined;
  const leaves = listLeaves(writer.contract, pointer);
  const found = leaves.map((leaf) => ({ leaf, properties: [...(writer.read(leaf)?.members.values() ?? [])] }));
  const constants = (properties: readonly PropertyView[]): JsonObject =>
    Object.fromEntries(
      properties.flatMap((each) =>
        each.required && findOnlyValue(each) !== undefined ? [[each.name, findOnlyValue(each)]] : [],
      ),
    );
  const isString = ({ schema }: PropertyView): boolean =>
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

/** The initial values that a member may have, the best one first. */
function listBeginnings(name: string, own: unknown): readonly unknown[] {
  if (/^(status|state)$/i.test(name)) return UNFINISHED_STATUSES;
  if (isStreamedText(name, own)) return [''];
  if (Array.isArray(own) && own.some(isObject)) return [[], own.map(withoutText)];
  const bare = toBareName(name);
  const isLater = means(bare, 'streams.late');
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

/** The kind that an object names in `type` or `object`. */
function readKind({ type, object }: JsonObject): string {
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
    const names = writer.read(pointer)?.members;
    if (!isObject(value) || names === undefined || names.size === 0) return value;
  }
  if (!isObject(value)) return undefined;
  const properties = [...(writer.read(pointer)?.members.values() ?? [])];
  const members = properties.flatMap(({ name, pointer: at }): readonly (readonly [string, unknown])[] => {
    const own = Object.hasOwn(value, name) ? pick(writer, at, value[name]) : undefined;
    return own === undefined ? [] : [[name, own]];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

/** Whether a property holds a piece of text. */
function isCarrier({ name, schema, scalar }: PropertyView): boolean {
  return (
    scalar &&
    schema.enum === undefined &&
    !('const' in schema) &&
    [schema.type].flat().includes('string') &&
    isStreamedText(name, '')
  );
}

/** Whether a property of an event shows a subject. */
function shows(writer: EventWriter, { target, scalar, pointer }: PropertyView, { value }: Subject): boolean {
  if (scalar || writer.read(target)?.type !== 'object') return false;
  const names = new Set(
    listLeaves(writer.contract, pointer).flatMap((each) => Array.from(writer.read(each)?.members.keys() ?? [])),
  );
  const known = Object.keys(value).filter((name) => names.has(name));
  return known.length > 0 && known.length * 2 >= Object.keys(value).length && writer.fits(pointer, value);
}

/** Whether a property counts events. */
function isCounter({ name, schema }: PropertyView): boolean {
  return [schema.type].flat().includes('integer') && means(name, 'streams.sequence');
}
