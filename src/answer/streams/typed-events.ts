import { isObject } from '../../contract/json.js';
import { toSingular } from '../../state/names.js';
import { findText, isStreamedText, type JsonObject, splitText } from './chunks.js';
import { type EventType, type EventTypes, type Phase } from './event-types.js';
import { toSnakeCase } from '../../contract/names.js';
import {
  buildEvent,
  carry,
  type Change,
  type EventParts,
  type EventWriter,
  isCarrier,
  isCounter,
  readKind,
  shows,
  type Subject,
} from './event-values.js';

/**
 * The events that make a whole answer, in the order that its parts have: what begins, then its parts, the pieces of its texts, then what ends.
 * Undefined where none of the types is about the answer.
 */
export function writeTypedEvents(
  writer: EventWriter,
  types: EventTypes,
  whole: JsonObject,
): readonly JsonObject[] | undefined {
  const state: WriteState = { writer, types, events: [] };
  const root: Subject = { value: whole, parent: undefined, list: undefined, index: 0 };
  writeSubject(state, root);
  if (!state.events.some((event) => isPhase(types, event, 'delta'))) {
    // The text is deeper in the answer than events say.
    const text = findText(whole);
    const delta = types.types.find(({ phase, properties }) => phase === 'delta' && properties.some(isCarrier));
    const at = state.events.findIndex((event) => isPhase(types, event, 'close'));
    if (text !== undefined && delta !== undefined) {
      const pieces = splitText(text).flatMap((piece): readonly JsonObject[] => {
        const event = buildEvent(state, delta, {
          subject: root,
          change: { phase: 'delta', text: { name: '', piece } },
        });
        return event === undefined ? [] : [event];
      });
      state.events.splice(at < 0 ? state.events.length : at, 0, ...pieces);
    }
  }
  return state.events.length > 1 ? numberEvents(types, state.events) : undefined;
}

/** One event of each type in their order, with the values of the answer that have the same names. */
export function writeEachType(
  writer: EventWriter,
  types: EventTypes,
  whole: JsonObject,
): readonly JsonObject[] | undefined {
  const [element] = Object.values(whole).flatMap((each) => (Array.isArray(each) ? each.filter(isObject) : []));
  const subject: Subject = { value: { ...whole, ...element }, parent: undefined, list: undefined, index: 0 };
  const order: readonly Phase[] = ['open', 'delta', 'close'];
  const sorted = types.types.toSorted((a, b) => order.indexOf(a.phase) - order.indexOf(b.phase) || a.rank - b.rank);
  const events = sorted.flatMap((type): readonly JsonObject[] => {
    const event = buildEvent({ writer, types }, type, { subject, change: { phase: 'close' } });
    return event === undefined ? [] : [event];
  });
  return events.length > 1 ? numberEvents(types, events) : undefined;
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

function writeSubject(state: WriteState, subject: Subject): void {
  const { types } = state.types;
  const own = types.filter((type) => isAbout(state, type, subject));
  const subjects = new Set(own.map((type) => type.subject));
  const related = types.filter(
    (type) => own.includes(type) || (subjects.has(type.subject) && !hasOwnSubject(state, type)),
  );
  const push = (type: EventType, change: Change): void => {
    const event = buildEvent(state, type, { subject, change });
    if (event !== undefined) state.events.push(event);
  };
  const inOrder = (phase: Phase): readonly EventType[] =>
    related.filter((type) => type.phase === phase).toSorted((a, b) => a.rank - b.rank);
  for (const type of inOrder('open')) push(type, { phase: 'open' });
  const used = new Set<EventType>();
  for (const [name, value] of Object.entries(subject.value)) {
    writeMember(state, { subject, name, value }, { related, used, push });
  }
  // A change of the subject itself, which has no text: `message_delta` with the reason of the end.
  for (const type of inOrder('delta').filter((each) => !used.has(each) && !carriesText(each, subject)))
    push(type, { phase: 'close' });
  for (const type of inOrder('close').filter((each) => !used.has(each))) push(type, { phase: 'close' });
}

function writeMember(
  state: WriteState,
  { subject, name, value }: { readonly subject: Subject; readonly name: string; readonly value: unknown },
  {
    related,
    used,
    push,
  }: {
    readonly related: readonly EventType[];
    readonly used: Set<EventType>;
    push(type: EventType, change: Change): void;
  },
): void {
  if (isObject(value) && subject.parent === undefined && !Object.hasOwn(subject.value, `${name}s`)) {
    // The parts of an object count as those of its owner: `message.content`.
    for (const [key, each] of Object.entries(value))
      if (Array.isArray(each)) writeList(state, { subject, name: key, value: each });
  }
  if (Array.isArray(value)) return writeList(state, { subject, name, value });
  const isText = isStreamedText(name, value);
  const text = isText ? value : isObject(value) ? JSON.stringify(value) : '';
  const delta = text === '' ? undefined : findDelta(state, { subject, name, related, isText });
  if (delta === undefined) return;
  used.add(delta);
  for (const piece of splitText(text)) push(delta, { phase: 'delta', text: { name, piece } });
  const closing = state.types.types.filter(
    (type) =>
      type.phase === 'close' && type.subject === delta.subject && type.properties.some((each) => each.name === name),
  );
  for (const type of closing.toSorted((a, b) => a.rank - b.rank)) {
    used.add(type);
    push(type, { phase: 'close', text: { name, piece: text } });
  }
}

function writeList(
  state: WriteState,
  { subject, name, value }: { readonly subject: Subject; readonly name: string; readonly value: readonly unknown[] },
): void {
  for (const [index, each] of value.entries()) {
    if (isObject(each)) writeSubject(state, { value: each, parent: subject, list: name, index });
  }
}

/** The type of the events with the pieces of text: that of its subject, or the one that is named after the kind of the subject and the text. */
function findDelta(
  { types: { types }, writer }: WriteState,
  {
    subject,
    name,
    related,
    isText,
  }: {
    readonly subject: Subject;
    readonly name: string;
    readonly related: readonly EventType[];
    readonly isText: boolean;
  },
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
function isAbout(state: EventParts, type: EventType, subject: Subject): boolean {
  if (type.properties.some((property) => shows(state, property, subject))) return true;
  if (hasOwnSubject(state, type)) return false;
  const { value, list, parent } = subject;
  if (parent === undefined && type.subject === '') return type.phase !== 'delta';
  const isNamed = (name: string): boolean => type.subject === name || type.subject.endsWith(`_${name}`);
  const kind = toSnakeCase(readKind(value));
  if (kind !== '' && isNamed(kind) && !type.properties.some(isCarrier)) return true;
  const name = list === undefined ? '' : toSnakeCase(list);
  return name !== '' && (type.subject === name || type.subject === toSnakeCase(toSingular(name)));
}

/** Whether an event shows an object of its own kind, so that it is not about any other. */
function hasOwnSubject({ writer }: EventParts, { properties, phase }: EventType): boolean {
  return (
    phase !== 'delta' &&
    properties.some(
      ({ target, required, scalar }) => required && !scalar && (writer.read(target)?.properties.size ?? 0) > 2,
    )
  );
}
