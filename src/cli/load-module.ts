import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MockError, toReason } from '../base/errors.js';
import { isError } from '../base/platform.js';

/** The exports of a module of the user. */
type ModuleExports = Readonly<Record<string, unknown>>;

/** `import` of the process, where this code runs in a script, which has none (`program/launch.ts`). */
declare const importModule: ((href: string) => Promise<unknown>) | undefined;

/**
 * Loads a JavaScript or TypeScript module of the user.
 *
 * @param what - The content of the module, as messages name it: `the handlers`.
 * @param edition - How often it was loaded before: Node.js keeps each module that it loads.
 * @throws MockError `OPTION_INVALID` where it cannot be loaded, `TYPESCRIPT_UNSUPPORTED` where Node.js cannot load TypeScript.
 */
export async function loadModule(file: string, what: string, edition = 0): Promise<ModuleExports> {
  const at = { file };
  const path = resolve(file);
  if (!existsSync(path))
    throw new MockError('OPTION_INVALID', `${what} cannot be loaded: there is no such file`, { at });
  try {
    const { href } = pathToFileURL(path);
    // A CommonJS module is kept by its path.
    if (edition > 0) Reflect.deleteProperty(createRequire(href).cache, path);
    const url = edition === 0 ? href : `${href}?edition=${edition}`;
    return (await (typeof importModule === 'function' ? importModule(url) : import(url))) as ModuleExports;
  } catch (cause) {
    // A loader such as tsx may load TypeScript where Node.js cannot: only its error says that it does not.
    if (/\.[cm]?tsx?$/.test(path) && readCode(cause) === 'ERR_UNKNOWN_FILE_EXTENSION') {
      const hint =
        'use Node.js 22.18 or later, a .js or .mjs file, or a loader: NODE_OPTIONS="--import tsx" npx vouch serve';
      const reason = `${what} cannot be loaded: Node.js ${process.versions.node} does not load TypeScript`;
      throw new MockError('TYPESCRIPT_UNSUPPORTED', reason, { at, hint, cause });
    }
    const place = { file, ...findLine(cause, path) };
    const hint = COMMON_JS.test(toReason(cause))
      ? 'Node.js reads this file as CommonJS: rename it to .mjs, or add "type": "module" to package.json'
      : undefined;
    throw new MockError('OPTION_INVALID', `${what} cannot be loaded: ${toReason(cause)}`, { at: place, hint, cause });
  }
}

/** What Node.js says about `export` and `import` in a file that it reads as CommonJS. */
const COMMON_JS = /^(?:Unexpected token 'export'|Cannot use import statement outside a module)/;

/** The line of a module that the stack of an error names; none for a mistake in the syntax of an ES module. */
function findLine(error: unknown, path: string): { readonly line: number; readonly column?: number } | undefined {
  const stack = isError(error) ? (error.stack ?? '') : '';
  for (const name of [path, pathToFileURL(path).href]) {
    const after = stack.slice(stack.indexOf(name) + name.length);
    const [, line, column] = /^(?:\?edition=\d+)?:(\d+)(?::(\d+))?/.exec(stack.includes(name) ? after : '') ?? [];
    if (line !== undefined) return { line: Number(line), ...(column !== undefined && { column: Number(column) }) };
  }
  return undefined;
}

function readCode(error: unknown): unknown {
  return isError(error) && 'code' in error ? error.code : undefined;
}

/** The exports of a module by name, also the members of its default export, which has all exports of a CommonJS module. */
export function readExports({ default: main, ...named }: ModuleExports): readonly (readonly [string, unknown])[] {
  const found = Object.entries({ ...named, ...(typeof main === 'object' ? main : {}) });
  return found.filter(([name]) => name !== 'module.exports' && name !== '__esModule');
}
