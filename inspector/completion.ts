import { readYamlPlace, writeScalar } from './yaml.ts';

type Schema = Readonly<Record<string, unknown>>;

/** What can be written at a place in YAML, which includes JSON. */
export interface Completion {
  /** Where the word begins that is completed. */
  readonly from: number;
  /** Where it ends. */
  readonly to: number;
  readonly choices: readonly Choice[];
}

interface Choice {
  /** As it is shown. */
  readonly label: string;
  /** What is written. */
  readonly text: string;
  readonly note: string | undefined;
}

const MAX_CHOICES = 60;

/** Completes the name or the value at a position of a YAML text that need not be complete; undefined where nothing is known. */
export function complete(text: string, at: number, root: Schema): Completion | undefined {
  const isJson = /^\s*[{[]/.test(text);
  const place = isJson ? readPlace(text, at) : readBlockPlace(text, at);
  const schemas = walk(root, place.path);
  const write = isJson ? (value: unknown): string => JSON.stringify(value) : writeScalar;
  const all = place.isName ? listNames(schemas, root, write) : listValues(schemas, root, write);
  const word = place.word.replace(/^"/, '').toLowerCase();
  const choices = all
    .filter(({ label }) => label.toLowerCase().includes(word) && !place.taken.has(label))
    .toSorted(
      (one, other) =>
        Number(other.label.toLowerCase().startsWith(word)) - Number(one.label.toLowerCase().startsWith(word)),
    )
    .slice(0, MAX_CHOICES);
  if (choices.length === 0) return undefined;
  const to = at + (/^[^"\n,:{}[\]]*"?/.exec(text.slice(at))?.[0].length ?? 0);
  return { from: at - place.word.length, to, choices };
}

interface Place {
  readonly path: readonly string[];
  readonly isName: boolean;
  readonly word: string;
  /** Names that the object has already. */
  readonly taken: ReadonlySet<string>;
}

interface Level {
  readonly isArray: boolean;
  name: string;
  readonly names: Set<string>;
  /** Whether the next string is a name. */
  expectsName: boolean;
}

const TOKEN = /"(?:[^"\\\n]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/g;

/** As `readPlace`, for YAML in block style, whose values can be in flow style. */
function readBlockPlace(text: string, at: number): Place {
  const place = readYamlPlace(text, at);
  if (place.isName || !/^[{[]/.test(place.word)) return place;
  const inner = readPlace(place.word, place.word.length);
  return { ...inner, path: [...place.path, ...inner.path] };
}

/** Where a position is: the names of the objects around it, and the word before it. */
function readPlace(text: string, at: number): Place {
  const levels: Level[] = [];
  let word = '';
  for (const { 0: token, index } of text.slice(0, at).matchAll(TOKEN)) {
    const level = levels.at(-1);
    const isLast = index + token.length === at;
    if (token === '{' || token === '[')
      levels.push({ isArray: token === '[', name: '0', names: new Set(), expectsName: token === '{' });
    else if (token === '}' || token === ']') levels.pop();
    else if (level !== undefined) readToken(level, token, isLast);
    word = isLast && !/^[{}[\],:]$/.test(token) && !/^"[^]*[^\\]"$/.test(token) ? token : '';
  }
  const level = levels.at(-1);
  const isName = level?.expectsName === true;
  const above = levels.slice(0, -1).map(({ name }) => name);
  const path = isName || level === undefined ? above : [...above, level.name];
  return { path, isName, word, taken: level?.names ?? new Set() };
}

function readToken(level: Level, token: string, isLast: boolean): void {
  if (token === ',') level.expectsName = !level.isArray;
  else if (token === ':') level.expectsName = false;
  else if (level.expectsName && !isLast) {
    level.name = token.replaceAll('"', '');
    level.names.add(level.name);
  }
}

/** The schemas of a place; of alternatives all. */
function walk(root: Schema, path: readonly string[]): readonly Schema[] {
  let current = expand([root], root);
  for (const name of path) {
    const next = current.flatMap((schema) => {
      const own = asSchema(asSchema(schema['properties'])?.[name]);
      const other = asSchema(schema['additionalProperties']);
      const items = /^\d+$/.test(name) ? asSchema(schema['items']) : undefined;
      return [own, own === undefined ? other : undefined, items].filter((each) => each !== undefined);
    });
    // A rule can be written without the array around it.
    current = expand(next, root);
  }
  return current;
}

/** Schemas with all that they refer to and combine. */
function expand(schemas: readonly Schema[], root: Schema): readonly Schema[] {
  const found = new Set<Schema>();
  const visit = (schema: Schema | undefined): void => {
    if (schema === undefined || found.has(schema)) return;
    found.add(schema);
    if (typeof schema['$ref'] === 'string') visit(resolve(schema['$ref'], root));
    for (const keyword of ['anyOf', 'oneOf', 'allOf'])
      if (Array.isArray(schema[keyword])) for (const each of schema[keyword]) visit(asSchema(each));
    visit(asSchema(schema['then']));
  };
  schemas.forEach(visit);
  return [...found];
}

function resolve(reference: string, root: Schema): Schema | undefined {
  const names = reference.replace(/^#\/?/, '').split('/').filter(Boolean);
  let value: unknown = root;
  for (const name of names)
    value = asSchema(value)?.[decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')];
  return asSchema(value);
}

type Write = (value: unknown) => string;

function listNames(schemas: readonly Schema[], root: Schema, write: Write): readonly Choice[] {
  const choices = new Map<string, Choice>();
  for (const schema of schemas)
    for (const [name, value] of Object.entries(asSchema(schema['properties']) ?? {})) {
      const known = expand([asSchema(value) ?? {}], root);
      const note = known.map(({ description }) => description).find((each) => typeof each === 'string');
      if (!choices.has(name)) choices.set(name, { label: name, text: `${write(name)}: `, note });
    }
  return [...choices.values()];
}

function listValues(schemas: readonly Schema[], root: Schema, write: Write): readonly Choice[] {
  const values = new Set<unknown>();
  for (const schema of expand(schemas, root)) {
    if (Array.isArray(schema['enum'])) for (const value of schema['enum']) values.add(value);
    if ('const' in schema) values.add(schema['const']);
    if (schema['type'] === 'boolean') values.add(true).add(false);
    if (Array.isArray(schema['examples'])) for (const value of schema['examples']) values.add(value);
  }
  return [...values].map((value) => {
    const text = write(value);
    return { label: typeof value === 'string' ? value : text, text, note: undefined };
  });
}

function asSchema(value: unknown): Schema | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : undefined;
}
