import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** A package that is loaded by `require` when it is first needed, in the middle of synchronous code. */
const LAZY = /createRequire\(import\.meta\.url\)\('([^']+)'\)/gu;
/** The same in a bundle, until it is known which file of `dist/` has the call. */
const PLACEHOLDER = /"lazy-package:([^"]+)"/gu;

/** Packages that users may have: only entry points for those that do import them. */
const PEERS = Object.keys(
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).peerDependencies ?? {},
).map((name) => new RegExp(`^${name}(?:/|$)`, 'u'));

/** Where packages, too, get what a test runner may lack or replace: Jest with jsdom has no `Response`. */
const PLATFORM = fileURLToPath(new URL('../src/platform.ts', import.meta.url));
/** Globals that are read from the global object of Node.js, each time: Node.js loads most of them when they are first read. */
const GLOBALS = Object.fromEntries(
  [
    'FormData',
    'ReadableStream',
    'TransformStream',
    'TextDecoder',
    'TextEncoder',
    'AbortController',
    'URL',
    'URLSearchParams',
    'structuredClone',
    ...['Headers', 'Request', 'Response'].flatMap((name) => [name, `global.${name}`, `globalThis.${name}`]),
  ].map((name) => [name, `platformGlobals.${name.replace(/^.*\./u, '')}`]),
);
/** The timers that fake timers do not stop. */
const TIMERS = Object.fromEntries(
  ['setTimeout', 'clearTimeout', 'setImmediate'].map((name) => [name, [PLATFORM, name]]),
);

/**
 * Bundles the entries, with the packages they use, as ES modules and, where an entry says so, as CommonJS.
 *
 * @returns The files of `dist/` (name -> text), the files that were bundled, and the names that entries with CommonJS export.
 */
export async function bundle(entries) {
  const lazy = new Set();
  const commonJs = Object.entries(entries).filter(([, { commonjs }]) => commonjs === true);
  const outputs = await Promise.all([
    bundleModules(Object.keys(entries), lazy),
    bundleCommonJs(
      commonJs.map(([name]) => name),
      lazy,
    ),
  ]);
  const chunks = [...outputs, ...(await Promise.all([...lazy].map(bundlePackage)))].flat();
  const names = outputs[1].flatMap((chunk) => (chunk.isEntry ? [[chunk.name, chunk.exports]] : []));
  return {
    files: new Map(chunks.map(({ fileName, code }) => [fileName, code])),
    modules: new Set(chunks.flatMap(({ moduleIds }) => moduleIds)),
    exports: new Map(names),
  };
}

function bundleModules(names, lazy) {
  return generate(
    { input: toInput(names), lazy },
    {
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name].js',
      codeSplitting: { groups: [groupShared()] },
    },
  );
}

/** For test runners whose loader cannot load ES modules; nothing else loads these files (`exports` of package.json). */
function bundleCommonJs(names, lazy) {
  return generate(
    { input: toInput(names), lazy },
    {
      format: 'cjs',
      entryFileNames: '[name].cjs',
      chunkFileNames: 'chunks/commonjs/[name].cjs',
      codeSplitting: { groups: [groupShared()] },
      dynamicImportInCjs: false,
    },
  );
}

/** All that `index` imports is one file, and what the command line needs of it before it knows the command another; else it would be dozens. */
function groupShared() {
  const readers = ['src/index.ts', 'src/cli/program/program.ts'].map((entry) => {
    let found;
    return (id, context) => (found ??= findImported(entry, context)).has(id);
  });
  const name = (id, context) => {
    const [isImported, isImportedByCommand] = readers.map((isIn) => isIn(id, context));
    if (!isImported) return null;
    return isImportedByCommand ? 'base' : 'core';
  };
  return { debugName: 'shared', name, test: (id) => !id.startsWith('\0') };
}

/** A package that is loaded by `require`, as one file of CommonJS: it may consist of ES modules, or of many files. */
function bundlePackage(name) {
  return generate(
    { input: { [toFileName(name)]: name }, lazy: new Set() },
    {
      format: 'cjs',
      entryFileNames: 'chunks/packages/[name].cjs',
      codeSplitting: false,
    },
  );
}

async function generate({ input, lazy }, output) {
  const build = await rolldown({
    input,
    platform: 'node',
    external: PEERS,
    // The oldest Node.js that is supported has no `using`.
    transform: { target: 'node20.19', define: GLOBALS, inject: { platformGlobals: [PLATFORM, 'host'], ...TIMERS } },
    tsconfig: 'tsconfig.json',
    plugins: [requireBundled(lazy)],
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(log.message);
    },
  });
  const generated = await build.generate({
    topLevelVar: true,
    comments: { legal: true, annotation: false, jsdoc: false },
    ...output,
  });
  await build.close();
  return generated.output;
}

/** Makes `require` of a package load its file in `dist/`, and notes which packages these are. */
function requireBundled(lazy) {
  return {
    name: 'require-bundled',
    transform: {
      filter: { id: /\/src\//u },
      handler: (code) =>
        code.replace(LAZY, (_, name) => {
          lazy.add(name);
          return `createRequire(import.meta.url)("lazy-package:${name}")`;
        }),
    },
    renderChunk: (code, { fileName }) =>
      code.replace(PLACEHOLDER, (_, name) => {
        const path = posix.relative(posix.dirname(fileName), `chunks/packages/${toFileName(name)}.cjs`);
        return JSON.stringify(path.startsWith('.') ? path : `./${path}`);
      }),
  };
}

/** The modules that an entry imports statically, all the way down. */
function findImported(entry, context) {
  const found = new Set();
  const queue = [posix.join(process.cwd(), entry)];
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    queue.push(...(context.getModuleInfo(id)?.importedIds ?? []));
  }
  return found;
}

function toInput(names) {
  return Object.fromEntries(names.map((name) => [name, `src/${name}.ts`]));
}

function toFileName(name) {
  return name.replaceAll(/^@|\.js$/gu, '').replaceAll('/', '-');
}
