import { isObject } from './schema.js';

/** How many base paths one server's variables may make. */
const COMBINATIONS_LIMIT = 32;

/**
 * The base paths of a `servers` list, without trailing slash and each one once; `''` is always the last, so that the bare path works too.
 *
 * A variable takes its default and each member of its enum (OpenAPI 3.1 section 4.8.6). A relative URL is a base path as it stands.
 */
export function readBasePaths(servers: unknown): readonly string[] {
  const paths = new Set<string>();
  for (const server of Array.isArray(servers) ? servers : []) {
    if (!isObject(server) || typeof server['url'] !== 'string') continue;
    for (const url of expandVariables(server['url'], server['variables'])) paths.add(toBasePath(url));
  }
  paths.delete('');
  return [...paths, ''];
}

function expandVariables(url: string, variables: unknown): readonly string[] {
  let urls = [url];
  if (!isObject(variables)) return urls;
  for (const [name, variable] of Object.entries(variables)) {
    if (!url.includes(`{${name}}`)) continue;
    const values = readValues(variable);
    if (values.length === 0) continue;
    urls = urls
      .flatMap((text) => values.map((value) => text.replaceAll(`{${name}}`, () => value)))
      .slice(0, COMBINATIONS_LIMIT);
  }
  return urls;
}

function readValues(variable: unknown): readonly string[] {
  if (!isObject(variable)) return [];
  const members = Array.isArray(variable['enum']) ? variable['enum'] : [];
  // A version such as 1.0 is often written without quotes.
  return [...new Set([variable['default'], ...members].filter(isScalar).map(String))];
}

function isScalar(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

/** The path of a URL that may be relative, schemeless or hold a template: only what follows the authority counts. */
function toBasePath(url: string): string {
  const bare = url.replace(/[?#].*$/u, '');
  const path = bare.replace(/^(?:[a-z][\w+.-]*:|\{[^}]*\}:)?\/\/[^/]*/iu, '');
  const rooted = path.startsWith('/') ? path : `/${path.replace(/^(?:\.\.?\/)+|^\.\.?$/u, '')}`;
  return rooted.replace(/\/+$/u, '');
}
