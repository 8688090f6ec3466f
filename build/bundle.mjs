import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** A package that is loaded by `require` when it is first needed, in the middle of synchronous code. */
const LAZY = /createRequire\(import\.meta\.url\)\('([^']+)'\)/gu;
/** The same in a bundle, until it is known which file of `dist/` has the call. */
const PLACEHOLDER = /"lazy-package:([^"]+)"/gu;

/** An import of a module of the user, which `require` cannot replace, since it knows no queries: a function that `launch.ts` gives to its files. */
const USER_IMPORT = 'import(/* of the user */';
const USER_CALL = 'importOfUser(';

/** The command line, and what loads it. It is CommonJS alone: compiled code can be kept for that. */
const PROGRAM = 'cli/program/program';
const LAUNCHER = 'cli/program/launch';

/** What the code has instead of the digest of the build (`contract/load/cache.ts`). */
const BUILD = 'digest-of-this-build';

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
    bundleCommonJs([...commonJs.map(([name]) => name), PROGRAM], lazy),
    bundleAlone(`src/${LAUNCHER}.ts`, `${LAUNCHER}.cjs`),
  ]);
  const packages = [...lazy].map((name) => bundleAlone(name, `chunks/packages/${toFileName(name)}.cjs`));
  const chunks = [...outputs, ...(await Promise.all(packages))].flat();
  const names = outputs[1].flatMap((chunk) =>
    chunk.isEntry && chunk.name !== PROGRAM ? [[chunk.name, chunk.exports]] : [],
  );
  const digest = createHash('sha256');
  for (const { code } of chunks.toSorted((one, other) => (one.fileName < other.fileName ? -1 : 1))) digest.update(code);
  const build = digest.digest('hex');
  return {
    files: new Map(chunks.map(({ fileName, code }) => [fileName, code.replaceAll(BUILD, build)])),
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

/** What is loaded by `require`, such as a package, as one file of CommonJS: it may consist of ES modules, or of many files. */
function bundleAlone(input, file) {
  return generate(
    { input: { [toFileName(input)]: input }, lazy: new Set() },
    { format: 'cjs', entryFileNames: file, codeSplitting: false },
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
    plugins: [ownLoading(lazy)],
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

/** Makes `require` of a package load its file in `dist/`, notes which packages these are, and leaves imports of the user's modules as they are. */
function ownLoading(lazy) {
  return {
    name: 'own-loading',
    transform: {
      filter: { id: /\/src\//u },
      handler: (code) =>
        code.replaceAll(USER_IMPORT, USER_CALL).replace(LAZY, (_, name) => {
          lazy.add(name);
          return `createRequire(import.meta.url)("lazy-package:${name}")`;
        }),
    },
    renderChunk: (code, { fileName }) => {
      const rendered = code.replace(PLACEHOLDER, (_, name) => {
        const path = posix.relative(posix.dirname(fileName), `chunks/packages/${toFileName(name)}.cjs`);
        return JSON.stringify(path.startsWith('.') ? path : `./${path}`);
      });
      return toAscii(rendered);
    },
  };
}

/** A text in ASCII is not decoded when it is read, and takes half of the memory. Comments and strings are the only places that change. */
function toAscii(code) {
  // There an escape is not the same as its character.
  if (/String\.raw`[^`]*[^\0-\x7f]/u.test(code)) throw new Error('String.raw with a character that is not ASCII');
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
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
