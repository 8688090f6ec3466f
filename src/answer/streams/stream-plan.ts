import { ASKING_VERB } from '../../conventions/forms.js';
import { LAST_EVENT } from '../../conventions/descriptions.js';
import { means } from '../../conventions/conventions.js';
import { isObject, readOwn, readPath, filterMembers } from '../../base/json.js';
import type { MediaType, Operation } from '../../contract/operations/operation.js';
import type { GenerateContext } from '../../generate/generate.js';
import { type ItemPlan, planItems } from '../../http/stream-items.js';
import { toEssence } from '../../contract/media-type.js';
import type { Call } from '../../http/request/call.js';
import { memoize } from '../../base/memoize.js';
import { createSchemaReader, type PropertyView, type ReadSchema } from '../../contract/schema-view/schema-view.js';
import { toBareName } from '../../base/names.js';
import type { SourceParts } from '../chain.js';
import { type JsonObject, splitIntoChunks } from './chunks.js';
import { createWholeEvents } from './whole-event.js';
import { type EventTypes, type EventWriter, readEventTypes, writeEvents } from './typed-events.js';

/** How the stream of one operation is made from its whole answer. */
interface StreamPlan {
  readonly items: ItemPlan;
  /** The schema of a line, or of the data of an event. */
  readonly schemaPointer: string;
  readonly types: EventTypes | undefined;
  /** The data of the last event that the text of the document names: `[DONE]`. */
  readonly marker: string | undefined;
  /** The properties of chunks that are only sent where a property of the request asks for them. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
}

/** The items of a stream that add up to a whole answer; undefined where the schema of the stream does not show how. */
export type WriteStream = (call: Call, whole: unknown, context: GenerateContext) => readonly unknown[] | undefined;

/** Plans how a whole answer becomes the stream of a media type; undefined where nothing describes its items. */
export function planStream(parts: SourceParts, operation: Operation, media: MediaType): WriteStream | undefined {
  const { contract } = parts;
  const essence = toEssence(media.type);
  const items = planItems(contract, media, essence);
  if (items === undefined) return undefined;
  const read = createSchemaReader(contract);
  const schemaPointer = readDataPointer(items);
  const plan: StreamPlan = {
    items,
    schemaPointer,
    types: readEventTypes(contract, read, schemaPointer),
    marker: isOfData(items) ? findMarker(parts, operation, { media, read }) : undefined,
    flags: findFlags(read, operation, schemaPointer),
  };
  return (call, whole, context) => {
    const writer = createWriter(parts, read, context);
    const written = writeItems(writer, plan, { call, whole });
    if (written === undefined) return undefined;
    const events = toEvents(parts, { plan: items, types: plan.types, read, context }, written);
    return plan.marker === undefined ? events : [...events, { data: plan.marker }];
  };
}

/** Whether the items are events that are made of their data alone. */
function isOfData({ form, json }: ItemPlan): boolean {
  return form === 'data' || json !== undefined;
}

function readDataPointer({ schemaPointer, json }: ItemPlan): string {
  return json?.schemaPointer ?? schemaPointer;
}

function createWriter(
  { contract, generator, validators }: SourceParts,
  read: ReadSchema,
  context: GenerateContext,
): EventWriter {
  return {
    contract,
    read,
    fits: (pointer, value) =>
      validators
        .check(pointer, 'response')(value, 'body')
        .every(({ severity }) => severity === 'note'),
    complete: (pointer, partial) => generator.complete(pointer, partial, context),
  };
}

/** A stream with more types is a feed, not one answer. */
const MAX_TYPES = 24;

/** Creates a generator of streams whose events have types, in their order; undefined for other streams. */
export function createEventGenerator(
  parts: SourceParts,
): (items: ItemPlan, context: GenerateContext) => readonly unknown[] | undefined {
  const read = createSchemaReader(parts.contract);
  const find = memoize((pointer: string) => readEventTypes(parts.contract, read, pointer));
  return (plan, context) => {
    const types = find(readDataPointer(plan));
    if (types === undefined || types.types.length > MAX_TYPES) return undefined;
    const writer = createWriter(parts, read, context);
    // An event at the end that shows an object shows the whole of it.
    const shown = types.types.flatMap(({ phase, properties }) => (phase === 'close' ? properties : []));
    const { target } = shown.find((each) => !each.scalar && (read(each.target)?.members.size ?? 0) > 1) ?? {};
    const value = target === undefined ? undefined : parts.generator.value(target, context);
    const whole = isObject(value) ? value : {};
    const events = writeEvents(writer, types, whole);
    return events && toEvents(parts, { plan, types, read, context }, events);
  };
}

/** Events of their data, each with its type in the field `event`, where it has one; whole events with what their schema adds to them. */
function toEvents(
  { generator }: SourceParts,
  of: Pick<StreamPlan, 'types'> & {
    readonly plan: ItemPlan;
    readonly read: ReadSchema;
    readonly context: GenerateContext;
  },
  all: readonly unknown[],
): readonly unknown[] {
  const { plan, types, read, context } = of;
  if (plan.form === 'value') return all;
  const complete = plan.form === 'event' ? createWholeEvents({ generator, read }, plan, context) : undefined;
  return all.map((data, index) => {
    if (plan.form === 'event' && plan.json === undefined) return isObject(data) ? complete?.(data, index) : data;
    const type = types === undefined || !isObject(data) ? undefined : data[types.property];
    const event = typeof type === 'string' ? { event: type, data } : { data };
    return complete === undefined ? event : complete(event, index);
  });
}

function writeItems(
  writer: EventWriter,
  plan: StreamPlan,
  { call, whole }: { readonly call: Call; readonly whole: unknown },
): readonly unknown[] | undefined {
  const { schemaPointer } = plan;
  const list = listElements(whole);
  if (list?.every((each) => writer.fits(schemaPointer, each)) === true) return list;
  if (!isObject(whole)) return undefined;
  if (plan.types !== undefined) return writeEvents(writer, plan.types, whole);
  const shown = list && showElements(writer, schemaPointer, list);
  if (shown !== undefined) return shown;
  const chunks = splitIntoChunks(writer.read, schemaPointer, whole);
  if (chunks === undefined) return undefined;
  const completed = chunks.map((chunk) =>
    writer.fits(schemaPointer, chunk) ? chunk : writer.complete(schemaPointer, chunk),
  );
  const sent = addRequested(writer, plan, { call, whole, chunks: completed.filter(isObject) });
  return sent.every((chunk) => writer.fits(schemaPointer, chunk)) ? sent : undefined;
}

/** Events that show the elements of a list, one each, as their first kind of event: `{ type: ADDED, object: item }`. */
function showElements(writer: EventWriter, pointer: string, list: readonly unknown[]): readonly unknown[] | undefined {
  const members = [...(writer.read(pointer)?.members.values() ?? [])];
  const holder = members.find(
    ({ scalar, pointer: at, target }) =>
      !scalar &&
      writer.read(target)?.type === 'object' &&
      list.every((each) => isObject(each) && writer.fits(at, each)),
  );
  if (holder === undefined) return undefined;
  const kinds = members.flatMap(({ name, required, schema }): readonly (readonly [string, unknown])[] =>
    required && schema.enum !== undefined ? [[name, schema.enum[0]]] : [],
  );
  const first = Object.fromEntries(kinds);
  const events = list.map((each) => writer.complete(pointer, { ...first, [holder.name]: each }));
  return events.every((event) => writer.fits(pointer, event)) ? events : undefined;
}

/** The elements of a list, or of the only list in an object. */
function listElements(whole: unknown): readonly unknown[] | undefined {
  if (Array.isArray(whole)) return whole;
  const lists = isObject(whole) ? Object.values(whole).filter((each) => Array.isArray(each)) : [];
  return lists.length === 1 && lists[0]?.length !== 0 ? lists[0] : undefined;
}

/** Chunks with what the request asks for, in a last chunk whose lists are empty where the schema allows that; without it if it does not ask. */
function addRequested(
  writer: EventWriter,
  { flags, schemaPointer }: StreamPlan,
  { call, whole, chunks }: { readonly call: Call; readonly whole: JsonObject; readonly chunks: readonly JsonObject[] },
): readonly JsonObject[] {
  let result = chunks;
  for (const [name, path] of flags) {
    const last = result.at(-1) ?? {};
    const { [name]: own, ...rest } = last;
    if (writer.fits(schemaPointer, rest)) result = result.map((chunk) => omit(chunk, name));
    if (readPath(call.body, path) !== true) continue;
    const target = writer.read(schemaPointer)?.members.get(name)?.target;
    const value = own ?? whole[name] ?? (target === undefined ? undefined : writer.complete(target, undefined));
    const emptied = Object.entries(rest).map(([key, each]) => [key, Array.isArray(each) ? [] : each] as const);
    const extra = { ...Object.fromEntries(emptied), [name]: value };
    const isAllowed = emptied.some(([, each]) => Array.isArray(each)) && writer.fits(schemaPointer, extra);
    result = isAllowed ? [...result, extra] : [...result.slice(0, -1), { ...rest, [name]: value }];
  }
  return result;
}

function omit(chunk: JsonObject, name: string): JsonObject {
  return filterMembers(chunk, (key) => key !== name);
}

/** The properties of chunks that a boolean in the request is named after: `stream_options.include_usage`. */
function findFlags(read: ReadSchema, operation: Operation, pointer: string): StreamPlan['flags'] {
  const names = new Map([...(read(pointer)?.members.keys() ?? [])].map((name) => [toBareName(name), name]));
  const flags = new Map<string, readonly string[]>();
  const add = (schemaPointer: string, path: readonly string[]): void => {
    for (const { name, schema, target } of read(schemaPointer)?.members.values() ?? []) {
      const bare = toBareName(name);
      const found = ASKING_VERB.test(bare) ? names.get(bare.replace(ASKING_VERB, '')) : undefined;
      if (found !== undefined && [schema.type].flat().includes('boolean')) flags.set(found, [...path, name]);
      else if (path.length === 0 && schema.type === 'object') add(target, [name]);
    }
  };
  for (const { schemaPointer } of operation.body?.content.slice(0, 1) ?? []) add(schemaPointer, []);
  return flags;
}

/** The data that ends a stream: an extension of the stream gives it, or a description names it. */
function findMarker(
  { contract }: SourceParts,
  operation: Operation,
  { media, read }: { readonly media: MediaType; readonly read: ReadSchema },
): string | undefined {
  const stream = contract.at(media.pointer);
  const extensions = { ...operation.extensions, ...(isObject(stream) ? stream : {}) };
  const given = Object.entries(extensions).find(
    ([name, value]) => means(name, 'streams.sentinel') && typeof value === 'string',
  );
  if (given !== undefined) return String(given[1]);
  const { schema } =
    media.schema === undefined ? { schema: undefined } : contract.resolve(media.schema, media.schemaPointer);
  const list = (pointer: string): readonly PropertyView[] => Array.from(read(pointer)?.members.values() ?? []);
  const own = (operation.body?.content ?? []).flatMap(({ schemaPointer }) => list(schemaPointer));
  const inner = own.flatMap(({ name, target }) => (/stream/i.test(name) ? list(target) : []));
  const requested = own
    .concat(inner)
    .flatMap(({ schema, pointer }) => [schema.description, readDescription(contract.at(pointer))]);
  const texts = [
    readDescription(contract.at(operation.pointer)),
    operation.summary,
    ...operation.responses.map(({ description }) => description),
    readDescription(schema),
    ...operation.parameters.map(({ description }) => description),
    ...media.examples.map(({ value }) => (typeof value === 'string' ? value : '')),
    ...requested,
  ];
  const found = LAST_EVENT.exec(texts.join('\n'));
  return found?.[1] ?? found?.[2];
}

function readDescription(value: unknown): string {
  const text = isObject(value) ? readOwn(value, 'description') : undefined;
  return typeof text === 'string' ? text : '';
}
