// `npm run build`: writes `dist/`. tsc writes the declarations, rolldown the code, in few files, because reading many takes most of the time
// of an import. `docs/development.md` says what is where. Files that did not change are not written again: the compiled code of the command
// is valid for the files that it was made of.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.mjs';
import { buildInspector } from './inspector.mjs';
import { readLicences } from './licences.mjs';
import { writeCommonJsTypes } from './commonjs-types.mjs';

const DIST = 'dist';

/** Every entry point: `src/NAME.ts` becomes `dist/NAME.js`, and `dist/NAME.cjs` for test runners that cannot load ES modules. */
const entries = JSON.parse(readFileSync(new URL('entries.json', import.meta.url), 'utf8'));

/** The page of the inspector has code of these packages. */
const BUNDLED_IN_PAGE = [fileURLToPath(import.meta.resolve('preact'))];

const typesWritten = emitTypes();
const page = buildInspector();
const { files, modules, exports } = await bundle(entries);
for (const [name, names] of exports) files.set(`${name}.d.cts`, writeCommonJsTypes(name, names));
for (const id of BUNDLED_IN_PAGE) modules.add(id);
files.set('licences.txt', readLicences(modules));
files.set('inspector.html.gz', await page);
for (const [name, text] of files) writeChanged(join(DIST, name), text);
process.exitCode = await typesWritten;
removeOld(new Set(files.keys()));

/** Runs tsc for the declarations alone. @returns its exit code. */
async function emitTypes() {
  const compiler = spawn(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
    stdio: 'inherit',
  });
  const [code] = await once(compiler, 'exit');
  return code ?? 1;
}

function writeChanged(path, text) {
  let known;
  try {
    known = readFileSync(path);
  } catch {
    mkdirSync(dirname(path), { recursive: true });
  }
  if (known?.equals(Buffer.from(text)) !== true) writeFileSync(path, text);
}

/** Removes what an earlier build wrote, and declarations of files that no longer exist. */
function removeOld(written) {
  for (const entry of readdirSync(DIST, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(DIST.length + 1);
    if (entry.isDirectory() || written.has(name) || name === '.tsbuildinfo') continue;
    const source = join('src', name.replace(/\.d\.ts$/u, '.ts'));
    if (name.endsWith('.d.ts') && isFile(source)) continue;
    rmSync(path);
  }
}

function isFile(path) {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
}
