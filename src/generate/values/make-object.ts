import { means } from '../../conventions/conventions.js';
import { isObject, readOwn, setOwn, readJsonType } from '../../base/json.js';
import { hashText } from '../../base/random.js';
import { rankTime } from '../text/names.js';
import { type Attempt, ENDLESS, IMPOSSIBLE, isMistaken, MAX_EXAMPLE_DEPTH, type ValueTask } from './attempt.js';
import {
  acceptsNumber,
  isSent,
  listProperties,
  type SchemaPart,
  planProperty,
  type PropertyPlan,
  readCycleKey,
  readKind,
  readPropertyParts,
  type MergedSchema,
  SYNTHETIC,
  type ValuePlace,
} from './shape.js';

/** Generates an object: required and given properties, and those of its example or the optional ones that keep it small. */
export function makeObject(wanted: ValueTask): unknown {
  const task = withHint(wanted);
  const { shape, attempt, place } = task;
  const properties = chooseProperties(task, NONE);
  if (shape.dependentSchemas.size === 0) return fill(task, properties);
  const added = listDependents(task, properties);
  if (added.length === 0) return fill(task, properties);
  // `dependentSchemas` apply to the whole object, so it is generated for all of them together.
  const value = attempt.make([...task.parts, ...added], place);
  if (value !== IMPOSSIBLE) return value;
  const rest = chooseProperties(task, new Set(shape.dependentSchemas.keys()));
  return listDependents(task, rest).length === 0 ? fill(task, rest) : IMPOSSIBLE;
}

const NONE: ReadonlySet<string> = new Set();

function listDependents({ shape, parts }: ValueTask, properties: readonly PropertyPlan[]): readonly SchemaPart[] {
  const pointers = new Set(parts.map(({ pointer }) => pointer));
  return properties
    .flatMap(({ name }) => shape.dependentSchemas.get(name) ?? [])
    .filter(({ pointer }) => !pointers.has(pointer));
}

function fill(task: ValueTask, properties: readonly PropertyPlan[]): unknown {
  const { shape, place, attempt, parts } = task;
  const value: Record<string, unknown> = {};
  const context: ObjectContext = {
    task,
    given: isObject(place.given) ? place.given : undefined,
    hint: isObject(place.hint) ? place.hint : undefined,
    isHintUsed: place.isHintUsed,
    followed: readFollowed(task),
    ancestors: [...place.ancestors, readCycleKey(parts)],
    kind: readKind(shape, parts),
  };
  for (const property of properties) {
    const made = makeProperty(context, property);
    if (made !== IMPOSSIBLE) setOwn(value, property.name, made);
    else if (property.isRequired && isSent(attempt.merge, property, attempt.direction)) return IMPOSSIBLE;
  }
  addUntilEnough(context, value);
  const isOwn = place.given === undefined && context.followed === undefined && !isMistaken(attempt, place);
  if (isOwn) makeConsistent({ attempt, shape, value });
  return shape.minProperties > 0 && Object.keys(value).length < shape.minProperties ? IMPOSSIBLE : value;
}

interface ObjectContext {
  readonly task: ValueTask;
  readonly given: Readonly<Record<string, unknown>> | undefined;
  readonly hint: Readonly<Record<string, unknown>> | undefined;
  readonly isHintUsed: boolean;
  readonly followed: Readonly<Record<string, unknown>> | undefined;
  readonly ancestors: readonly string[];
  readonly kind: string;
}

function makeProperty(context: ObjectContext, { name, segment, parts }: PropertyPlan): unknown {
  const { task, given, hint, kind, ancestors, isHintUsed } = context;
  const { attempt, place, shape } = task;
  const own = given && readOwn(given, name);
  if (parts === undefined) return own === undefined ? IMPOSSIBLE : own;
  // Only the example knows what an undeclared property is.
  if (own === undefined && parts.length === 0 && hint !== undefined && Object.hasOwn(hint, name)) return hint[name];
  const preset = shape.presets.get(name);
  if (own === undefined && preset !== undefined && allowsPreset(attempt, parts, preset)) return preset;
  const path = place.path + segment;
  const known = own === undefined && attempt.known.size > 0 ? readKnown(task, name, path) : undefined;
  const child: ValuePlace = {
    path,
    stream: hashText(segment, place.stream),
    ownerStream: place.stream,
    name,
    kind,
    depth: place.depth + 1,
    index: place.index,
    ancestors,
    given: own === undefined ? known : own,
    hint: hint && readOwn(hint, name),
    isHintUsed,
    exact: place.exact,
    repeatsRequest: place.repeatsRequest && isWrapped(shape, name),
    repeats: place.repeats,
    minimal: place.minimal && place.depth > 0,
  };
  const made = attempt.make(parts, child);
  if (made !== IMPOSSIBLE) return made;
  // A given value stays even if it breaks the schema; one known from the request does not.
  if (own !== undefined) return own;
  return known === undefined ? IMPOSSIBLE : attempt.make(parts, { ...child, given: undefined });
}

/** Adds undeclared properties until there are as many as required; a map gets two. */
function addUntilEnough(context: ObjectContext, value: Record<string, unknown>): void {
  const { task } = context;
  const { shape, place } = task;
  const isMap =
    shape.properties.size === 0 && (shape.additionalProperties.length > 0 || shape.patternProperties.length > 0);
  const isFree = isMap && place.given === undefined && context.followed === undefined;
  const wanted = isFree && !place.minimal && place.depth < 3 ? 2 : 0;
  const target = Math.min(Math.max(shape.minProperties, wanted), shape.maxProperties);
  if (target === 0) return;
  let missing = target - Object.keys(value).length;
  if (missing <= 0) return;
  const { merge, direction } = task.attempt;
  const isAbsent = ({ name }: PropertyPlan): boolean => shape.properties.has(name) && !Object.hasOwn(value, name);
  const optional = listProperties(shape).filter((each) => isAbsent(each) && isSent(merge, each, direction));
  for (const each of [...optional, ...generateNames(task, target)]) {
    if (missing <= 0) return;
    const property = typeof each === 'string' ? planProperty(shape, each) : each;
    if (Object.hasOwn(value, property.name) || property.parts === undefined) continue;
    const made = makeProperty(context, property);
    if (made === IMPOSSIBLE) continue;
    setOwn(value, property.name, made);
    missing -= 1;
  }
}

/** Names that `propertyNames` and `patternProperties` allow, longer and longer ones. */
function* generateNames(task: ValueTask, target: number): Generator<string> {
  const { attempt, place, shape } = task;
  const tries = Math.min(target * 4 + 8, 4000);
  for (let i = 0; i < tries; i++) {
    const matching = shape.patternProperties[i % Math.max(1, shape.patternProperties.length)];
    const own = matching === undefined ? [] : [toNamePart(matching.pattern.source, Math.floor(i / 2) % 24)];
    const parts = [...shape.propertyNames, ...own];
    if (parts.length === 0) yield `key${i + 1}`;
    else {
      const path = `${place.path}/{name}`;
      const stream = hashText(`/{${i}}`, place.stream);
      const child = { ...place, path, stream, name: 'key', given: undefined, hint: undefined, repeats: i };
      const name = attempt.make(parts, child);
      if (typeof name === 'string') yield name;
    }
  }
}

/** A schema for names that match a pattern and have a minimum length. */
function toNamePart(pattern: string, minLength: number): SchemaPart {
  return { schema: { type: 'string', pattern, minLength }, pointer: `${SYNTHETIC}name ${minLength} ${pattern}` };
}

/** The value of the request for a property of the same name near the top, unless it proved wrong. */
function readKnown(task: ValueTask, name: string, path: string): unknown {
  const { attempt, place } = task;
  if (!place.repeatsRequest || attempt.mistakes.has(path)) return undefined;
  return attempt.known.get(attempt.vocabulary.about(name).plain);
}

/** Whether a property wraps the resource, as `data` does in `{ "data": { "id": … } }`. */
function isWrapped(shape: MergedSchema, name: string): boolean {
  if (shape.properties.has('id')) return false;
  return shape.properties.size === 1 || means(name, 'envelopes.wrapper');
}

/** The task with an object to follow: the hint, or one of the objects among the schema's examples. */
function withHint(task: ValueTask): ValueTask {
  const { place } = task;
  const { hint, isHintUsed } = readHint(task);
  const isSame = hint === place.hint && isHintUsed === place.isHintUsed;
  return isSame ? task : { ...task, place: { ...place, hint, isHintUsed } };
}

function readHint({ attempt, shape, place }: ValueTask): Pick<ObjectContext, 'hint' | 'isHintUsed'> {
  if (isObject(place.hint)) return { hint: place.hint, isHintUsed: place.isHintUsed };
  if (shape.suggestions.length === 0) return { hint: undefined, isHintUsed: attempt.isVaried };
  if (!attempt.isVaried) return { hint: shape.suggestions.find(isObject), isHintUsed: false };
  const objects = shape.suggestions.filter(isObject);
  return { hint: objects[place.index % Math.max(1, objects.length)], isHintUsed: place.index >= objects.length };
}

/** The example whose properties an object has, and no other optional ones; an item of the state has all of them. */
function readFollowed({ attempt, place, shape }: ValueTask): Readonly<Record<string, unknown>> | undefined {
  const { hint, exact, depth } = place;
  if (!isObject(hint) || exact) return isObject(hint) ? hint : undefined;
  if (depth >= MAX_EXAMPLE_DEPTH || isMistaken(attempt, place)) return undefined;
  return attempt.isVaried && depth === 0 && shape.properties.size > 0 ? undefined : hint;
}

function allowsPreset(attempt: Attempt, parts: readonly SchemaPart[], preset: string): boolean {
  const { values, types } = attempt.merge(parts);
  return values === undefined ? types === undefined || types.has(readJsonType(preset)) : values.includes(preset);
}

/**
 * The properties of the object in the order of the document: given, required, and chosen optional ones.
 *
 * @param excluded - Optional properties that are left out.
 */
function chooseProperties(task: ValueTask, excluded: ReadonlySet<string>): readonly PropertyPlan[] {
  const { shape, place, attempt } = task;
  const { merge, direction } = attempt;
  if (place.given === undefined && readFollowed(task) === undefined && shape.dependentRequired.size === 0) {
    const chosen = listProperties(shape).filter(
      (property) =>
        (isNeeded(shape, property) || (!excluded.has(property.name) && includesOptional(task, property))) &&
        isSent(merge, property, direction),
    );
    if (chosen.length <= shape.maxProperties) return chosen;
  }
  const given = isObject(place.given) ? place.given : {};
  const isGiven = ({ name }: PropertyPlan): boolean => Object.hasOwn(given, name) && given[name] !== undefined;
  const names = listNames(task, excluded, given);
  const wanted = names
    .map((name) => planProperty(shape, name))
    .filter((each) => isGiven(each) || isSent(merge, each, direction));
  if (wanted.length <= shape.maxProperties) return wanted;
  const isKept = (each: PropertyPlan): boolean =>
    isGiven(each) || (isNeeded(shape, each) && isSent(merge, each, direction));
  const needed = new Set(wanted.filter(isKept).map(({ name }) => name));
  addDependents(shape, needed);
  const spare = wanted.filter(({ name }) => !needed.has(name));
  const kept = new Set(spare.slice(0, Math.max(0, shape.maxProperties - needed.size)));
  return wanted.filter((each) => needed.has(each.name) || kept.has(each));
}

/** Whether an object always has a property: a discriminator counts as required, even where the document does not say so (OpenAPI 3.1 section 4.8.25). */
function isNeeded(shape: MergedSchema, { name, isRequired }: PropertyPlan): boolean {
  return isRequired || shape.presets.has(name);
}

/** The names of all properties that the object can have: given, required, and chosen optional ones, with what they require. */
function listNames(
  task: ValueTask,
  excluded: ReadonlySet<string>,
  given: Readonly<Record<string, unknown>>,
): readonly string[] {
  const { shape, place, attempt } = task;
  const names = new Set<string>(Object.keys(given).filter((name) => given[name] !== undefined));
  const isPartial = place.given !== undefined && !attempt.full;
  for (const property of listProperties(shape)) {
    const { name } = property;
    if (!shape.properties.has(name)) continue;
    if (isNeeded(shape, property) || (!isPartial && !excluded.has(name) && includesOptional(task, property)))
      names.add(name);
  }
  for (const name of Object.keys(readFollowed(task) ?? {})) names.add(name);
  for (const name of shape.required) names.add(name);
  addDependents(shape, names);
  const order = [...shape.properties.keys()].filter((name) => names.has(name));
  return [...order, ...[...names].filter((name) => !shape.properties.has(name))];
}

/** Adds what the properties require (`dependentRequired`), and removes those whose requirement is not allowed. */
function addDependents(shape: MergedSchema, names: Set<string>): void {
  if (shape.dependentRequired.size === 0) return;
  // The iteration includes names that are added meanwhile.
  for (const name of names) {
    const needs = shape.dependentRequired.get(name) ?? [];
    if (shape.required.has(name) || needs.every((need) => readPropertyParts(shape, need) !== undefined)) {
      for (const need of needs) names.add(need);
    } else {
      names.delete(name);
    }
  }
}

/** Whether an optional property is included: all of them near the top, only flat ones further down, no cycles. */
function includesOptional(task: ValueTask, { name, parts }: PropertyPlan): boolean {
  const { attempt, place, shape } = task;
  if (place.minimal || parts === undefined) return false;
  const followed = readFollowed(task);
  // Most properties are decided about before their schemas are merged.
  if (followed === undefined && (place.depth >= 3 || place.ancestors.includes(readCycleKey(parts)))) return false;
  const inner = attempt.merge(parts);
  if (inner.isImpossible) return false;
  if (!shape.propertyNames.every((part) => attempt.fits(part, name))) return false;
  if (followed !== undefined) return Object.hasOwn(followed, name);
  const depth = attempt.minimumDepth(inner);
  if (place.depth === 0) return depth < ENDLESS;
  return place.depth === 1 ? depth <= 1 : isFlatOption(inner);
}

function isFlatOption(shape: MergedSchema): boolean {
  if (shape.choices.length > 0) return false;
  if (shape.values !== undefined) return true;
  return shape.types !== undefined && ![...shape.types].some((type) => type === 'object' || type === 'array');
}

/** A generated object whose properties are made consistent. */
type ObjectDraft = Pick<ValueTask, 'attempt' | 'shape'> & { readonly value: Record<string, unknown> };

/** Makes the properties of one object consistent: counts and lists, first and last ids, times, bounds. */
function makeConsistent(draft: ObjectDraft): void {
  const { attempt, value } = draft;
  const lists: (readonly unknown[])[] = [];
  const times: string[] = [];
  let hasBounds = false;
  for (const name of Object.keys(value)) {
    const own = value[name];
    if (Array.isArray(own)) lists.push(own);
    if (typeof own !== 'number' && typeof own !== 'string') continue;
    if (attempt.vocabulary.about(name).isTime) times.push(name);
    hasBounds ||= typeof own === 'number' && MINIMUM.test(name);
  }
  const [list] = lists;
  // The only array of an envelope.
  if (list !== undefined && lists.length === 1) alignWithList(draft, list);
  if (times.length > 1) alignTimes(draft, times);
  if (hasBounds) alignBounds(draft);
}

const MINIMUM = /^min/i;

function alignWithList(draft: ObjectDraft, list: readonly unknown[]): void {
  for (const [name, old] of Object.entries(draft.value)) {
    const { plain } = draft.attempt.vocabulary.about(name);
    if (means(plain, 'values.listLength') && typeof old === 'number') setIfAllowed(draft, name, list.length);
    if ((plain === 'firstid' || plain === 'lastid') && typeof old === 'string') {
      const item = plain === 'firstid' ? list[0] : list.at(-1);
      const id = isObject(item) ? item['id'] : undefined;
      if (typeof id === 'string') setIfAllowed(draft, name, id);
    }
  }
}

/** Times from examples may be in the wrong order; then the later one is moved. */
function alignTimes(draft: ObjectDraft, times: readonly string[]): void {
  const { attempt, value } = draft;
  let last: { readonly at: number; readonly text: unknown } | undefined;
  const rankOf = (name: string): number => rankTime(attempt.vocabulary.about(name).timeKind);
  for (const name of times.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    const at = readInstant(value[name]);
    const isEarlier = last !== undefined && at !== undefined && at < last.at;
    if (isEarlier && typeof last?.text === typeof value[name]) setIfAllowed(draft, name, last?.text);
    else if (at !== undefined) last = { at, text: value[name] };
  }
}

function readInstant(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT/.test(value)) return undefined;
  const instant = Date.parse(value);
  return Number.isNaN(instant) ? undefined : instant;
}

/** Swaps `min_x` and `max_x` if they are in the wrong order. */
function alignBounds(draft: ObjectDraft): void {
  const { value } = draft;
  for (const [name, least] of Object.entries(value)) {
    if (typeof least !== 'number' || !MINIMUM.test(name)) continue;
    const other = Object.keys(value).find((one) => one.toLowerCase() === name.toLowerCase().replace(MINIMUM, 'max'));
    const most = other === undefined ? undefined : value[other];
    if (other === undefined || typeof most !== 'number' || least <= most) continue;
    setIfAllowed(draft, name, most);
    setIfAllowed(draft, other, least);
  }
}

/** Sets a property if its schema allows the value. */
function setIfAllowed({ attempt, shape, value }: ObjectDraft, name: string, next: unknown): void {
  const parts = readPropertyParts(shape, name);
  if (parts === undefined) return;
  const inner = attempt.merge(parts);
  if (inner.values !== undefined || inner.patterns.length > 0) return;
  if (typeof next !== 'number' || acceptsNumber(inner, next)) value[name] = next;
}
