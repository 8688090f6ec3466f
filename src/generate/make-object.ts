import { escapeSegment } from '../contract/pointer.js';
import { isObject } from '../contract/schema.js';
import { readPropertyParts } from './children.js';
import { UNDECIDED } from './expand.js';
import { agree } from './agree.js';
import { NOTHING, type Run, type Spot, type Task } from './run.js';
import { type Part, readType, type Shape, SYNTHETIC } from './shape.js';

/** Makes an object: what is required, what was given, and the options that keep it small. */
export function makeObject(task: Task): unknown {
  const { shape, spot, run } = task;
  const given = isObject(spot.given) ? spot.given : {};
  const value: Record<string, unknown> = {};
  const names = listNames(task, given);
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
  if (parts === undefined) return own ?? NOTHING;
  const path = `${spot.path}/${escapeSegment(name)}`;
  const preset = shape.presets.get(name);
  if (own === undefined && preset !== undefined && allowsPreset(run, parts, preset)) return preset;
  const child: Spot = {
    path,
    owner: spot.path,
    name,
    kind: readKind(task),
    depth: spot.depth + 1,
    index: spot.index,
    trail,
    given: own ?? readKnown(task, name, path),
    hint: below.hint === undefined || !Object.hasOwn(below.hint, name) ? undefined : below.hint[name],
    exact: spot.exact,
    echoes: spot.echoes && isWrapped(shape, name),
    fresh: spot.fresh,
    frugal: spot.frugal && spot.depth > 0,
  };
  return run.make(parts, child);
}

/** Names in the order of the document: given ones, needed ones, and the options worth having. */
function listNames(task: Task, given: Readonly<Record<string, unknown>>): readonly string[] {
  const { run, shape, spot } = task;
  const names = new Set<string>();
  for (const name of Object.keys(given)) if (given[name] !== undefined) names.add(name);
  const partial = spot.given !== undefined && !run.full;
  for (const name of shape.properties.keys()) {
    if (shape.required.has(name) || (!partial && wantsOption(task, name))) names.add(name);
  }
  if (spot.exact && isObject(spot.hint)) for (const name of Object.keys(spot.hint)) names.add(name);
  for (const name of shape.required) names.add(name);
  for (const name of [...names]) for (const needed of shape.dependentRequired.get(name) ?? []) names.add(needed);
  const order = [...shape.properties.keys()].filter((name) => names.has(name));
  const all = [...order, ...[...names].filter((name) => !shape.properties.has(name))];
  const wanted = all.filter((name) => given[name] !== undefined || travels(task, name));
  if (wanted.length <= shape.maxProperties) return wanted;
  const needed = wanted.filter((name) => isDemanded(task, name) || given[name] !== undefined);
  const spare = wanted.filter((name) => !needed.includes(name));
  const kept = new Set([...needed, ...spare.slice(0, Math.max(0, shape.maxProperties - needed.length))]);
  return wanted.filter((name) => kept.has(name));
}

/** readOnly properties stay out of requests, writeOnly ones out of responses (OpenAPI 3.1 section 4.8.24). */
function travels(task: Task, name: string): boolean {
  const parts = readPropertyParts(task.shape, name);
  if (parts === undefined) return false;
  const { readOnly, writeOnly } = task.run.expander.expand(parts, UNDECIDED);
  return task.run.direction === 'request' ? !readOnly : !writeOnly;
}

function isDemanded(task: Task, name: string): boolean {
  return task.shape.required.has(name) && travels(task, name);
}

/** Whether an optional property is worth having: all of them near the top, only flat ones further down, no cycles. */
function wantsOption(task: Task, name: string): boolean {
  const { run, spot, shape } = task;
  if (spot.frugal) return false;
  const parts = readPropertyParts(shape, name);
  if (parts === undefined) return false;
  const inner = run.expander.expand(parts, UNDECIDED);
  if (inner.impossible !== undefined) return false;
  if (spot.exact && isObject(spot.hint)) return Object.hasOwn(spot.hint, name);
  if (spot.depth >= 3) return false;
  if (spot.trail.includes(readTrailKey(parts))) return false;
  if (spot.depth === 0) return true;
  return spot.depth === 1 ? run.height(parts, UNDECIDED) <= 1 : isFlatOption(inner);
}

function isFlatOption(shape: Shape): boolean {
  if (shape.choices.length > 0) return false;
  if (shape.values !== undefined) return true;
  return shape.types !== undefined && ![...shape.types].some((type) => type === 'object' || type === 'array');
}

/** Undeclared properties, until there are as many as are asked for; a map gets two. */
function addUntilEnough(below: Below, value: Record<string, unknown>): void {
  const { task } = below;
  const { shape, spot } = task;
  const isMap = shape.properties.size === 0 && (shape.closures.length > 0 || shape.patternProperties.length > 0);
  const wanted = spot.given === undefined && isMap && !spot.frugal && spot.depth < 3 ? 2 : 0;
  const target = Math.min(Math.max(shape.minProperties, wanted), shape.maxProperties);
  const optional = [...shape.properties.keys()].filter((name) => !Object.hasOwn(value, name) && travels(task, name));
  for (const name of [...optional, ...inventNames(task, target)]) {
    if (Object.keys(value).length >= target) return;
    if (Object.hasOwn(value, name) || readPropertyParts(shape, name) === undefined) continue;
    const made = makeProperty(below, name);
    if (made !== NOTHING) setOwn(value, name, made);
  }
}

function* inventNames(task: Task, target: number): Generator<string> {
  const { run, spot, shape } = task;
  const tries = Math.min(target * 4 + 8, 4000);
  for (let i = 0; i < tries; i++) {
    const path = `${spot.path}/{${i}}`;
    const matching = shape.patternProperties[i % Math.max(1, shape.patternProperties.length)];
    const own = matching === undefined ? [] : [toNamePart(matching.pattern.source)];
    const parts = [...shape.propertyNames, ...own];
    if (parts.length === 0) yield `key${i + 1}`;
    else {
      const name = run.make(parts, { ...spot, path, name: 'key', given: undefined, frugal: false });
      if (typeof name === 'string') yield name;
    }
  }
}

/** A schema of names that follow a pattern. */
function toNamePart(pattern: string): Part {
  return { schema: { type: 'string', pattern }, pointer: `${SYNTHETIC}name ${pattern}` };
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

function readTrailKey(parts: readonly Part[]): string {
  return parts
    .map(({ schema, pointer }) => (typeof schema === 'boolean' ? pointer : (schema.$ref ?? `#${pointer}`)))
    .join();
}

/** A property may be called `__proto__`. */
function setOwn(value: Record<string, unknown>, name: string, made: unknown): void {
  if (name !== '__proto__') value[name] = made;
  else Object.defineProperty(value, name, { value: made, enumerable: true, configurable: true, writable: true });
}
