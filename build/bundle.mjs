import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const { dependencies, peerDependencies } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);
const EXTERNAL = Object.keys({ ...dependencies, ...peerDependencies });

/** The command, and what loads it with compiled code: CommonJS files without chunks. */
const PROGRAM = ['cli/program/program', 'cli/program/launch'];

/** What Jest cannot load: what exists as ES module only, and what takes `Response` from the global object, which Jest with jsdom has not. */
const BUNDLED = new Set(['@faker-js/faker', 'hono', '@hono/node-server']);

/** Globals that the bundled packages take from the global object of Node.js, and timers that fake timers do not stop. */
const PLATFORM = fileURLToPath(new URL('../src/base/platform.ts', import.meta.url));
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
const TIMERS = ['setTimeout', 'clearTimeout', 'setImmediate'].map((name) => [name, [PLATFORM, name]]);

/**
 * Bundles the code of this repository into few files: as ES modules, as CommonJS where an entry says so, and the command. What package.json
 * declares is imported by all of them, except for `BUNDLED` in CommonJS.
 *
 * @returns The files of `dist/` (name -> text), the files that were bundled, and the names that entries with CommonJS export.
 */
export async function bundle(entries) {
  const names = Object.keys(entries);
  const commonJs = names.filter((name) => entries[name].commonjs === true);
  const [modules, required, ...programs] = await Promise.all([
    generate(names, { external: EXTERNAL, output: { format: 'esm', entryFileNames: '[name].js', ...IN_CHUNKS } }),
    generate(commonJs, {
      external: EXTERNAL.filter((name) => !BUNDLED.has(name)),
      transform: { define: GLOBALS, inject: { platformGlobals: [PLATFORM, 'host'], ...Object.fromEntries(TIMERS) } },
      plugins: [requirePackages()],
      output: {
        ...IN_CHUNKS,
        format: 'cjs',
        entryFileNames: '[name].cjs',
        chunkFileNames: 'chunks/[name].cjs',
        dynamicImportInCjs: false,
      },
    }),
    ...PROGRAM.map((name) =>
      generate([name], {
        external: EXTERNAL,
        output: {
          format: 'cjs',
          entryFileNames: '[name].cjs',
          codeSplitting: false,
          dynamicImportInCjs: false,
          // All code of the package is in it once more: names stay, for the stacks of errors.
          minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
        },
      }),
    ),
  ]);
  const chunks = [...modules, ...required, ...programs.flat()];
  return {
    files: new Map(chunks.map(({ fileName, code }) => [fileName, code])),
    modules: new Set(chunks.flatMap(({ moduleIds }) => moduleIds)),
    exports: new Map(required.flatMap(({ isEntry, name, exports }) => (isEntry ? [[name, exports]] : []))),
  };
}

/** All that `index.ts` imports is one file: to read and link many takes most of the time of an import. */
const IN_CHUNKS = {
  chunkFileNames: 'chunks/[name].js',
  codeSplitting: {
    groups: [
      // What checks exchanges is imported without the rest.
      { name: 'contract', test: /\/src\/check\/index\.ts$/u, priority: 1 },
      { name: 'core', test: /\/src\/index\.ts$/u },
    ],
  },
};

async function generate(names, { external, transform, plugins, output }) {
  const build = await rolldown({
    input: Object.fromEntries(names.map((name) => [name, `src/${name}.ts`])),
    platform: 'node',
    external: external.map((name) => new RegExp(`^${name}(?:/|$)`, 'u')),
    // The oldest Node.js that is supported has no `using`.
    transform: { target: 'node20.19', ...transform },
    tsconfig: 'tsconfig.json',
    plugins,
    // A slow machine is not a mistake.
    checks: { bundlerTimings: false },
    onLog: (level, log) => {
      // What one entry loads on demand another may load at once.
      if (level === 'warn' && log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') throw new Error(log.message);
    },
  });
  const generated = await build.generate({
    topLevelVar: true,
    // V8 keeps a file that has any character beyond Latin-1 as two bytes a character, and requests take 5 % longer with it.
    charset: 'ascii',
    comments: { legal: true, annotation: false, jsdoc: false },
    ...output,
  });
  await build.close();
  return generated.output;
}

/** Lets the bundler see packages that synchronous code loads on demand: Jest cannot load those that are ES modules. */
function requirePackages() {
  return {
    name: 'require-packages',
    transform: {
      filter: { id: /\/src\//u, code: 'createRequire(import.meta.url)(' },
      handler: (code) => code.replaceAll('createRequire(import.meta.url)(', 'require('),
    },
  };
}
