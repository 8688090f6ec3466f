import { ENDED_STATUSES } from '../../conventions/actions.js';
import { means, type Idea } from '../../conventions/conventions.js';
import type { Generator } from '../../generate/generate.js';
import { type PropertyView, type SchemaView, listProperties } from '../../contract/schema-view/schema-view.js';
import { toBareName } from '../../base/names.js';
import type { Binding, LifecycleHint, Resource } from './resource.js';
import type { Item } from '../store/lists/item-list.js';
import { isAnswered, type NewValueInput } from './new-values.js';
import { createTimestampWriter, isInstant, isStatus } from './server-values.js';
import { readOwn } from '../../base/json.js';

/** How the status of an item that a request created advances without further requests: `queued`, `in_progress`, `completed`. */
export interface Lifecycle {
  /** The property that holds the status. */
  readonly property: string;
  readonly initial: unknown;
  /** How long each status lasts; undefined where each read of the item advances it. */
  readonly stepMs: number | undefined;
  /** Whether an item only gets a property with its last status. */
  isResult(name: string): boolean;
  /** Whether an item has the last status. */
  isDone(item: Item): boolean;
  /** The item with its next status; undefined where it has the last one, or one that only a request changes. */
  advance(item: Item, input: NewValueInput): Item | undefined;
}

/** The sources of a lifecycle. */
interface LifecycleParts {
  readonly resource: Resource;
  readonly schema: SchemaView | undefined;
  readonly generator: Pick<Generator, 'value'>;
  readonly bindings: readonly Binding[];
  readonly isSettable: (name: string) => boolean;
}

/** Statuses of work that is not done, in the order in which work has them. */
const PROGRESS = [
  'statuses.begun',
  'statuses.queued',
  'statuses.preparing',
  'statuses.running',
  'statuses.finishing',
] as const satisfies readonly Idea[];

/** Finds the statuses through which an item advances by itself, or takes them from a hint. */
export function createLifecycle(parts: LifecycleParts): Lifecycle | undefined {
  const { resource, schema, isSettable, bindings } = parts;
  const { lifecycle: hint } = resource;
  if (hint === false || schema === undefined) return undefined;
  const property = findStatusProperty(schema, hint);
  if (property === undefined) return undefined;
  const values = property.schema.enum?.filter((value) => typeof value === 'string') ?? [];
  const chain = hint?.statuses ?? findChain(values);
  // Whether requests can set the property is read last: it takes the bodies of all operations of the resource.
  if (chain.length < 2 || (hint === undefined && isSettable(property.name))) return undefined;
  const blocked = hint === undefined ? findBlocked(bindings, property.name) : new Set<unknown>();
  const stepMs = hint?.seconds === undefined ? undefined : hint.seconds * 1000;
  const isPending = !isAnswered(bindings);
  const isResult = (name: string): boolean => isPending && means(name, 'statuses.result') && !isSettable(name);
  const write = createStageWriter(parts, schema, isResult);
  const initial = property.schema.default ?? chain[0];
  return {
    property: property.name,
    initial,
    stepMs,
    isResult,
    isDone: (item) => item[property.name] === chain.at(-1),
    advance: (item, input) => {
      const before = item[property.name];
      const i = chain.indexOf(String(before));
      const next = i < 0 ? findEnd(before, values) : chain[i + 1];
      if (next === undefined || blocked.has(next)) return undefined;
      return { ...item, ...write(item, { isDone: next === chain.at(-1), input }), [property.name]: next };
    },
  };
}

/** An item whose work is done: with its last status. */
export function completeWork(lifecycle: Lifecycle | undefined, item: Item, input: NewValueInput): Item {
  const next = lifecycle?.advance(item, input);
  return next === undefined ? item : completeWork(lifecycle, next, input);
}

function findStatusProperty(
  schema: SchemaView,
  hint: Exclude<LifecycleHint, false> | undefined,
): PropertyView | undefined {
  if (hint?.property !== undefined) return schema.members.get(hint.property);
  return listProperties(schema).find((each) => isStatus(each.name) && (each.schema.enum ?? hint) !== undefined);
}

/** The statuses of work in their order: those in progress, then the one of success; empty where the values are not plainly such statuses. */
function findChain(values: readonly string[]): readonly string[] {
  const rank = (value: string): number => PROGRESS.findIndex((stage) => means(value, stage));
  const progress = values.filter((value) => rank(value) >= 0);
  const ranks = progress.map(rank);
  const isOrdered = ranks.every((each, i) => each >= (ranks[i - 1] ?? 0));
  const ordered = isOrdered ? progress : progress.toSorted((a, b) => rank(a) - rank(b));
  const isSetup = progress.some((value) => means(value, 'statuses.setup'));
  const done =
    values.find((value) => means(value, 'statuses.done')) ??
    (isSetup ? values.find((value) => means(value, 'statuses.setUp')) : undefined);
  // Work that waits for its client is not plain, unless it begins in a queue.
  const waits = values.some((value) => means(value, 'statuses.waiting'));
  const isQueued = ranks.includes(1);
  if (done === undefined || (waits && !isQueued)) return [];
  const before = ordered.filter((value) => value !== done);
  return before.some((value) => !means(value, 'statuses.begun')) ? [...before, done] : [];
}

/** The statuses that actions set: they are not reached without the action, but work that was interrupted continues by itself. */
function findBlocked(bindings: readonly Binding[], property: string): ReadonlySet<unknown> {
  const acts = bindings.filter(({ action, operation }) => action === 'act' && !means(operation.path, 'verbs.resume'));
  return new Set(acts.map(({ set }) => set[property]).filter((value) => value !== undefined));
}

function findEnd(status: unknown, values: readonly string[]): string | undefined {
  const word = toBareName(String(status));
  return readOwn(ENDED_STATUSES, word)?.flatMap((end) => values.find((value) => toBareName(value) === end) ?? [])[0];
}

/** Writes what comes with a status besides the status: when work began or ended, and its results. */
function createStageWriter(
  { generator, isSettable }: LifecycleParts,
  schema: SchemaView,
  isResult: (name: string) => boolean,
): (item: Item, stage: { readonly isDone: boolean; readonly input: NewValueInput }) => Item {
  const own = listProperties(schema).filter(({ name }) => !isSettable(name));
  const stamps = own.filter(isInstant).map((property) => ({ property, write: createTimestampWriter(property) }));
  return (item, { isDone, input }) => {
    const written: Record<string, unknown> = {};
    const isEmpty = (name: string): boolean => item[name] === undefined || item[name] === null;
    for (const { property, write } of stamps) {
      const { name } = property;
      if (means(name, isDone ? 'times.finished' : 'times.started') && isEmpty(name)) written[name] = write(input.now);
    }
    if (!isDone) return written;
    for (const { name, target, schema: declared } of own) {
      const { key, now, seed } = input;
      if (means(name, 'statuses.doneFlag') && declared.type === 'boolean') written[name] = true;
      if (/^(progress|percent)/i.test(name) && item[name] === 0) written[name] = declared.maximum ?? 100;
      if (isResult(name) && isEmpty(name))
        written[name] = generator.value(target, { seed, key: `${key}\0${name}`, now, direction: 'response', name });
    }
    return written;
  };
}
