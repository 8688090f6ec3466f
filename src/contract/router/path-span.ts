import { means } from '../../conventions/conventions.js';
import { isObject } from '../../base/json.js';

/** The segments of a path parameter that takes several: literals, and undefined for each that varies. */
type PathSpan = readonly (string | undefined)[];

/** The members of a parameter that show whether it takes several segments. */
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly style: string;
  readonly description: string | undefined;
}

/** A path key with the parameters that take several segments written out: `/v1/projects/{name#1}/topics/{name#3}` for `/v1/{name}`. */
interface SpannedPath {
  readonly path: string;
  readonly spans: ReadonlyMap<string, PathSpan>;
}

/**
 * Writes out the parameters of a path that take several segments: those with a template of their own (`{name=projects/*\/topics/*}`), with a
 * pattern that contains slashes, whose description has the format, or whose collections are in the id of the operation. Undefined for a
 * path without one.
 *
 * @param resolve - The schema of a parameter without its references.
 */
export function expandPath<P extends Parameter>(
  { id, path, parameters }: { readonly id: string; readonly path: string; readonly parameters: readonly P[] },
  resolve: (parameter: P) => unknown,
): SpannedPath | undefined {
  const spans = new Map<string, PathSpan>();
  const expanded = path.replaceAll(
    /(?<=\/)\{([^{}=]+)(?:=([^{}]+))?\}(?=$|[:/?#])/g,
    (whole, name: string, own?: string) => {
      const parameter = parameters.find((each) => each.in === 'path' && each.name === name);
      const span =
        own === undefined
          ? parameter && readSpan({ id, path, parameter, schema: resolve(parameter) })
          : readTemplateSpan(own);
      if (span === undefined) return own === undefined ? whole : `{${name}}`;
      spans.set(name, span);
      return span.map((literal, i) => literal ?? `{${name}#${i}}`).join('/');
    },
  );
  return spans.size === 0 ? undefined : { path: expanded, spans };
}

/** A path key without the templates inside of its parameters. */
export function toPlainPath(path: string): string {
  return path.includes('=') ? path.replaceAll(/\{([^{}=]+)=[^{}]+\}/g, '{$1}') : path;
}

/** Adds the whole value of each parameter with several segments to the values of its segments. */
export function joinSpans(
  values: Readonly<Record<string, string>>,
  spans: ReadonlyMap<string, PathSpan>,
): Readonly<Record<string, string>> {
  const joined: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) if (!name.includes('#')) joined[name] = value;
  for (const [name, span] of spans) {
    joined[name] ??= span.map((literal, i) => literal ?? values[`${name}#${i}`] ?? '').join('/');
  }
  return joined;
}

/** The literals and variables of a name such as `projects/{project}/topics/{topic}`; undefined where it has not both. */
export function readNameSpan(text: string): PathSpan | undefined {
  const match = NAME_FORMAT.exec(text)?.[1];
  return match?.split('/').map((part) => (LITERAL.test(part) ? part : undefined));
}

const LITERAL = /^[a-z][A-Za-z\d_-]*$/;
const NAME_FORMAT =
  /(?:^|[\s`"'(/])((?:[a-z][A-Za-z\d_-]*\/(?:\{[^{}/]+\}|\*|\[[^\]/]+\]|<[^<>/]+>|[A-Z][A-Z\d_]+)(?:\/(?=[a-z]))?)+)/;

function readSpan(of: {
  readonly id: string;
  readonly path: string;
  readonly parameter: Parameter;
  readonly schema: unknown;
}): PathSpan | undefined {
  const { id, path, parameter, schema } = of;
  const { name, style, description = '' } = parameter;
  if (style !== 'simple' || !isObject(schema)) return undefined;
  if (typeof schema['pattern'] === 'string') return readPatternSpan(schema['pattern']);
  const described = /\b(format|form)\b/i.test(description) ? readNameSpan(description) : undefined;
  const whole = schema['type'] === 'string' && schema['enum'] === undefined ? readIdSpan(id, path, name) : undefined;
  if (described === undefined || whole === undefined) return described ?? whole;
  // A format such as `{projects|folders}/{id}/apps/{app}` is read from its middle.
  const [shown, named] = [described, whole].map((span) => span.filter((part) => part !== undefined).join('/'));
  return named?.endsWith(`/${shown}`) === true ? whole : described;
}

/**
 * The segments of a parameter directly behind the version of a path, from the collections in the id of its operation: in
 * `hub.projects.apps.list` with `/v1/{parent}/apps` they are the segments of a project, with `/v1/{name}` of an app.
 */
function readIdSpan(id: string, path: string, name: string): PathSpan | undefined {
  const words = id.split('.');
  const collections = words.slice(1, -1);
  const [start = '', rest = ''] = path.split(`/{${name}}`);
  if (collections.length === 0 || /[{}]/.test(start) || !VERSION_END.test(start)) return undefined;
  if (!words.every((word) => LITERAL.test(word))) return undefined;
  const tail = rest
    .replace(/:.*$/, '')
    .split('/')
    .filter((part) => LITERAL.test(part));
  const isTail = tail.length > 0 && tail.join('/') === collections.slice(-tail.length).join('/');
  const above = isTail ? collections.slice(0, -tail.length) : collections;
  const span = above.flatMap((word) => (means(word, 'segments.plural') ? [word, undefined] : [word]));
  // `hub.projects.getSettings` reads `projects/p1/settings`.
  const [, part] = rest === '' ? (OF_PART.exec(words.at(-1) ?? '') ?? []) : [];
  if (part !== undefined) span.push(part.charAt(0).toLowerCase() + part.slice(1));
  return span.length < 2 ? undefined : span;
}

const VERSION_END = /\/v\d[\w.]*$/;
const OF_PART = /^(?:get|update|delete|patch)([A-Z]\w*)$/;

/** `projects/*\/topics/*`: a star is one segment. */
function readTemplateSpan(template: string): PathSpan | undefined {
  const parts = template.split('/');
  if (parts.length < 2 || parts.includes('**')) return undefined;
  return parts.map((part) => (part === '*' ? undefined : part));
}

/** `^projects/[^/]+/topics/[^/]+$`: undefined for a pattern that may match another number of segments. */
function readPatternSpan(pattern: string): PathSpan | undefined {
  const plain = pattern.replaceAll(/^\^|\$$/g, '').replaceAll(String.raw`\/`, '/');
  const parts = plain.replaceAll(/\[(?:[^\]\\]|\\.)*\]/g, (set) => set.replaceAll('/', '\0')).split('/');
  const isOne = (part: string): boolean =>
    LITERAL.test(part) || (/^(?:\[[^\]]*\]|\\[\w-]|[\w-])(?:[^.|()]|\\.)*$/.test(part) && !/\[\^(?!\0)/.test(part));
  return parts.length > 1 && parts.every(isOne)
    ? parts.map((part) => (LITERAL.test(part) ? part : undefined))
    : undefined;
}
