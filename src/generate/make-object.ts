import { escapeSegment } from '../contract/pointer.js';
import { isObject, setOwn } from '../contract/json.js';
import { readPropertyParts } from './children.js';
import { UNDECIDED } from './expand.js';
import { agree } from './agree.js';
import { isDemanded, listNames, readTrailKey, travels } from './object-names.js';
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
