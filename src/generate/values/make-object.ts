import { isObject, setOwn } from '../../contract/json.js';
import { escapeSegment } from '../../contract/pointer.js';
import { MOMENTS } from '../text/dates.js';
import { acceptsNumber } from './accepts.js';
import { readPropertyParts } from './children.js';
import { UNDECIDED } from './expand.js';
import { NOTHING, type Run, type Spot, type Task } from './run.js';
import { type Part, readType, type Shape, SYNTHETIC } from './shape.js';

/** Makes an object: what is required, what was given, and the options that keep it small. */
export function makeObject(task: Task): unknown {
  const { shape, run, spot } = task;
  const names = listNames(task, NONE);
  if (shape.dependentSchemas.size === 0) return fill(task, names);
  const added = listDependents(task, names);
  if (added.length === 0) return fill(task, names);
  // The schemas that properties ask for by being there hold for the whole object, so it is made of all of them.
  const value = run.make([...task.parts, ...added], spot);
  if (value !== NOTHING) return value;
  const rest = listNames(task, new Set(shape.dependentSchemas.keys()));
  return listDependents(task, rest).length === 0 ? fill(task, rest) : NOTHING;
}

const NONE: ReadonlySet<string> = new Set();

function listDependents({ shape, parts }: Task, names: readonly string[]): readonly Part[] {
  const pointers = new Set(parts.map(({ pointer }) => pointer));
  return names
    .flatMap((name) => shape.dependentSchemas.get(name) ?? [])
    .filter(({ pointer }) => !pointers.has(pointer));
}

function fill(task: Task, names: readonly string[]): unknown {
  const { shape, spot, run } = task;
  const given = isObject(spot.given) ? spot.given : {};
  const value: Record<string, unknown> = {};
  const below: Below = { task, given, hint: readHint(task), trail: [...spot.trail, readTrailKey(task.parts)] };
  for (const name of names) {
    const made = makeProperty(below, name);
    if (made !== NOTHING) setOwn(value, name, made);
    else if (isDemanded(task, name)) return NOTHING;
  }
  addUntilEnough(below, value);
  if (spot.given === undefined && !run.mistakes.has(spot.path)) agree(run, shape, value);
  return Object.keys(value).length < shape.minProperties ? NOTHING : value;
}

interface Below {
  readonly task: Task;
  readonly given: Readonly<Record<string, unknown>>;
  readonly hint: Readonly<Record<string, unknown>> | undefined;
  readonly trail: readonly string[];
}

function makeProperty(below: Below, name: string): unknown {
  const { task, given, trail } = below;
  const { run, spot, shape } = task;
  const parts = readPropertyParts(shape, name);
  const own = Object.hasOwn(given, name) ? given[name] : undefined;
  if (parts === undefined) return own === undefined ? NOTHING : own;
  const path = `${spot.path}/${escapeSegment(name)}`;
  const preset = shape.presets.get(name);
  if (own === undefined && preset !== undefined && allowsPreset(run, parts, preset)) return preset;
  const known = own === undefined ? readKnown(task, name, path) : undefined;
  const child: Spot = {
    path,
    stream: `${spot.stream}/${escapeSegment(name)}`,
    owner: spot.stream,
    name,
    kind: readKind(task),
    depth: spot.depth + 1,
    index: spot.index,
    trail,
    given: own === undefined ? known : own,
    hint: below.hint === undefined || !Object.hasOwn(below.hint, name) ? undefined : below.hint[name],
    exact: spot.exact,
    echoes: spot.echoes && isWrapped(shape, name),
    fresh: spot.fresh,
    frugal: spot.frugal && spot.depth > 0,
  };
  const made = run.make(parts, child);
  if (made !== NOTHING) return made;
  // What was given stays, whatever it breaks; what is merely known gives way.
  if (own !== undefined) return own;
  return known === undefined ? NOTHING : run.make(parts, { ...child, given: undefined });
}

/** Undeclared properties, until there are as many as are asked for; a map gets two. */
function addUntilEnough(below: Below, value: Record<string, unknown>): void {
  const { task } = below;
  const { shape, spot } = task;
  const isMap = shape.properties.size === 0 && (shape.closures.length > 0 || shape.patternProperties.length > 0);
  const wanted = spot.given === undefined && isMap && !spot.frugal && spot.depth < 3 ? 2 : 0;
  const target = Math.min(Math.max(shape.minProperties, wanted), shape.maxProperties);
  if (Object.keys(value).length >= target) return;
  const optional = [...shape.properties.keys()].filter((name) => !Object.hasOwn(value, name) && travels(task, name));
  for (const name of [...optional, ...inventNames(task, target)]) {
    if (Object.keys(value).length >= target) return;
    if (Object.hasOwn(value, name) || readPropertyParts(shape, name) === undefined) continue;
    const made = makeProperty(below, name);
    if (made !== NOTHING) setOwn(value, name, made);
  }
}

/** Names that the schema of names and the patterns of properties allow; each longer than the one before where that helps. */
function* inventNames(task: Task, target: number): Generator<string> {
  const { run, spot, shape } = task;
  const tries = Math.min(target * 4 + 8, 4000);
  for (let i = 0; i < tries; i++) {
    const matching = shape.patternProperties[i % Math.max(1, shape.patternProperties.length)];
    const own = matching === undefined ? [] : [toNamePart(matching.pattern.source, Math.floor(i / 2) % 24)];
    const parts = [...shape.propertyNames, ...own];
    if (parts.length === 0) yield `key${i + 1}`;
    else {
      const path = `${spot.path}/{name}`;
      const stream = `${spot.stream}/{${i}}`;
      const name = run.make(parts, { ...spot, path, stream, name: 'key', given: undefined, hint: undefined, fresh: i });
      if (typeof name === 'string') yield name;
    }
  }
}

/** A schema of names that follow a pattern and have a length. */
function toNamePart(pattern: string, minLength: number): Part {
  return { schema: { type: 'string', pattern, minLength }, pointer: `${SYNTHETIC}name ${minLength} ${pattern}` };
}

/** A value known from elsewhere, for a property of the same name near the top; not after it proved wrong. */
function readKnown(task: Task, name: string, path: string): unknown {
  const { run, spot } = task;
  if (run.known.size === 0 || !spot.echoes || run.mistakes.has(path)) return undefined;
  return run.known.get(run.vocabulary.about(name).plain);
}

/** Whether a property holds the thing itself, as `data` does in `{ "data": { "id": … } }`. */
function isWrapped(shape: Shape, name: string): boolean {
  if (shape.properties.has('id')) return false;
  return shape.properties.size === 1 || WRAPPERS.has(name);
}

const WRAPPERS: ReadonlySet<string> = new Set([
  'attributes',
  'data',
  'item',
  'payload',
  'resource',
  'response',
  'result',
]);

/** An object to take after: the hint, or the first object among the schema's own examples. */
function readHint({ shape, spot }: Task): Readonly<Record<string, unknown>> | undefined {
  if (isObject(spot.hint)) return spot.hint;
  return shape.suggestions.find(isObject);
}

function allowsPreset(run: Run, parts: readonly Part[], preset: string): boolean {
  const { values, types } = run.expander.expand(parts, UNDECIDED);
  return values === undefined ? types === undefined || types.has(readType(preset)) : values.includes(preset);
}

function readKind(task: Task): string {
  if (task.shape.title !== undefined) return task.shape.title;
  const [part] = task.parts;
  if (part === undefined || typeof part.schema === 'boolean') return '';
  const pointer = part.schema.$ref ?? part.pointer;
  return pointer.slice(pointer.lastIndexOf('/') + 1);
}

/**
 * The properties an object gets, in the order of the document: given ones, needed ones, and the options worth having.
 *
 * @param excluded - Options that cannot be had.
 */
function listNames(task: Task, excluded: ReadonlySet<string>): readonly string[] {
  const { shape, spot, run } = task;
  const given = isObject(spot.given) ? spot.given : {};
  const isGiven = (name: string): boolean => Object.hasOwn(given, name) && given[name] !== undefined;
  const names = new Set<string>(Object.keys(given).filter(isGiven));
  const isPartial = spot.given !== undefined && !run.full;
  for (const name of shape.properties.keys()) {
    if (shape.required.has(name) || (!isPartial && !excluded.has(name) && wantsOption(task, name))) names.add(name);
  }
  if (spot.exact && isObject(spot.hint)) for (const name of Object.keys(spot.hint)) names.add(name);
  for (const name of shape.required) names.add(name);
  addDependents(shape, names);
  const order = [...shape.properties.keys()].filter((name) => names.has(name));
  const all = [...order, ...[...names].filter((name) => !shape.properties.has(name))];
  const wanted = all.filter((name) => isGiven(name) || travels(task, name));
  if (wanted.length <= shape.maxProperties) return wanted;
  const needed = new Set(wanted.filter((name) => isGiven(name) || isDemanded(task, name)));
  addDependents(shape, needed);
  const spare = wanted.filter((name) => !needed.has(name)).slice(0, Math.max(0, shape.maxProperties - needed.size));
  const kept = new Set([...needed, ...spare]);
  return wanted.filter((name) => kept.has(name));
}

/** Whether a property has to be there in this direction. */
function isDemanded(task: Task, name: string): boolean {
  return task.shape.required.has(name) && travels(task, name);
}

/** readOnly properties stay out of requests, writeOnly ones out of responses (OpenAPI 3.1 section 4.8.24). */
function travels(task: Task, name: string): boolean {
  const parts = readPropertyParts(task.shape, name);
  if (parts === undefined) return false;
  const { readOnly, writeOnly } = task.run.expander.expand(parts, UNDECIDED);
  return task.run.direction === 'request' ? !readOnly : !writeOnly;
}

/** What tells one schema from another on the way down, so that a cycle is seen. */
function readTrailKey(parts: readonly Part[]): string {
  let key = '';
  for (const { schema, pointer } of parts)
    key += `${typeof schema === 'boolean' ? pointer : (schema.$ref ?? `#${pointer}`)},`;
  return key;
}

/** What the properties that are there ask for (`dependentRequired`); one whose wish cannot be met is left out. */
function addDependents(shape: Shape, names: Set<string>): void {
  if (shape.dependentRequired.size === 0) return;
  // A set that grows while it is walked is walked to its new end.
  for (const name of names) {
    const needs = shape.dependentRequired.get(name) ?? [];
    if (shape.required.has(name) || needs.every((need) => readPropertyParts(shape, need) !== undefined)) {
      for (const need of needs) names.add(need);
    } else {
      names.delete(name);
    }
  }
}

/** Whether an optional property is worth having: all of them near the top, only flat ones further down, no cycles. */
function wantsOption(task: Task, name: string): boolean {
  const { run, spot, shape } = task;
  if (spot.frugal) return false;
  const parts = readPropertyParts(shape, name);
  if (parts === undefined) return false;
  const inner = run.expander.expand(parts, UNDECIDED);
  if (inner.impossible !== undefined) return false;
  if (!shape.propertyNames.every((part) => run.fits(part, name))) return false;
  if (spot.exact && isObject(spot.hint)) return Object.hasOwn(spot.hint, name);
  if (spot.depth >= 3) return false;
  if (spot.trail.includes(readTrailKey(parts))) return false;
  const height = run.height(parts, UNDECIDED);
  if (spot.depth === 0) return height < ENDLESS;
  return spot.depth === 1 ? height <= 1 : isFlatOption(inner);
}

/** The height of a schema that no value fits. */
const ENDLESS = 9;

function isFlatOption(shape: Shape): boolean {
  if (shape.choices.length > 0) return false;
  if (shape.values !== undefined) return true;
  return shape.types !== undefined && ![...shape.types].some((type) => type === 'object' || type === 'array');
}

/** Makes the properties of one object tell the same story: counts and lists, first and last, earlier and later. */
function agree(run: Run, shape: Shape, value: Record<string, unknown>): void {
  const list = findList(value);
  if (list !== undefined) agreeWithList(run, shape, { value, list });
  agreeInTime(run, shape, value);
  agreeOnBounds(run, shape, value);
}

interface Listing {
  readonly value: Record<string, unknown>;
  readonly list: readonly unknown[];
}

/** The one array of objects an envelope carries. */
function findList(value: Readonly<Record<string, unknown>>): readonly unknown[] | undefined {
  const lists = Object.values(value).filter((one): one is readonly unknown[] => Array.isArray(one));
  return lists.length === 1 ? lists[0] : undefined;
}

const COUNTS: ReadonlySet<string> = new Set([
  'total',
  'count',
  'totalcount',
  'totalitems',
  'totalresults',
  'totalelements',
  'numberofelements',
  'resultcount',
]);

function agreeWithList(run: Run, shape: Shape, { value, list }: Listing): void {
  for (const [name, old] of Object.entries(value)) {
    const { plain } = run.vocabulary.about(name);
    if (COUNTS.has(plain) && typeof old === 'number') put(run, shape, { value, name, next: list.length });
    if ((plain === 'firstid' || plain === 'lastid') && typeof old === 'string') {
      const item = plain === 'firstid' ? list[0] : list.at(-1);
      const id = isObject(item) ? item['id'] : undefined;
      if (typeof id === 'string') put(run, shape, { value, name, next: id });
    }
  }
}

/** Instants that came from examples may stand the wrong way round; the later one is moved. */
function agreeInTime(run: Run, shape: Shape, value: Record<string, unknown>): void {
  let last: { readonly at: number; readonly text: unknown } | undefined;
  const times = Object.keys(value)
    .filter((name) => run.vocabulary.about(name).isTime)
    .toSorted((a, b) => rankOf(run, a) - rankOf(run, b));
  for (const name of times) {
    const at = readInstant(value[name]);
    if (at === undefined) continue;
    const isSameForm = last !== undefined && typeof last.text === typeof value[name];
    if (last !== undefined && isSameForm && at < last.at) {
      put(run, shape, { value, name, next: last.text });
    } else {
      last = { at, text: value[name] };
    }
  }
}

function rankOf(run: Run, name: string): number {
  return MOMENTS.indexOf(run.vocabulary.about(name).moment);
}

function readInstant(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT/.test(value)) return undefined;
  const instant = Date.parse(value);
  return Number.isNaN(instant) ? undefined : instant;
}

/** `min_x` is no more than `max_x`. */
function agreeOnBounds(run: Run, shape: Shape, value: Record<string, unknown>): void {
  for (const [name, least] of Object.entries(value)) {
    if (typeof least !== 'number' || !/^min/i.test(name)) continue;
    const other = Object.keys(value).find((one) => one.toLowerCase() === name.toLowerCase().replace(/^min/, 'max'));
    const most = other === undefined ? undefined : value[other];
    if (other === undefined || typeof most !== 'number' || least <= most) continue;
    put(run, shape, { value, name, next: most });
    put(run, shape, { value, name: other, next: least });
  }
}

/** Sets a property where its schema has nothing against it, as far as the schema itself tells. */
function put(
  run: Run,
  shape: Shape,
  change: { readonly value: Record<string, unknown>; readonly name: string; readonly next: unknown },
): void {
  const parts = readPropertyParts(shape, change.name);
  if (parts === undefined) return;
  const inner = run.expander.expand(parts, UNDECIDED);
  if (inner.values !== undefined || inner.patterns.length > 0) return;
  if (typeof change.next === 'number' && !acceptsNumber(inner, change.next)) return;
  change.value[change.name] = change.next;
}
