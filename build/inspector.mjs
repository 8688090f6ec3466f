import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';

const SOURCES = 'inspector';
const PAGE = 'dist/inspector.html.gz';
/** Says which sources a page was made of. */
const MARK = /<!-- sources (\w+) -->/u;

/**
 * Builds the page of the inspector: one HTML file with its script and style, of the sources in `inspector/`.
 *
 * @returns The page compressed with gzip, which takes a third; the one that is there already if its sources did not change.
 */
export async function buildInspector() {
  const hash = hashSources();
  const known = readPage();
  if (known !== undefined && MARK.exec(gunzipSync(known).toString())?.[1] === hash) return known;
  // Loaded only when it is needed: it takes longer than the rest of the build.
  const { build } = await import('vite');
  const { output } = await build({
    root: SOURCES,
    configFile: false,
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      write: false,
      target: 'es2023',
      modulePreload: false,
      cssCodeSplit: false,
      assetsInlineLimit: Infinity,
      // A slow machine is not a mistake of the page.
      rolldownOptions: { checks: { bundlerTimings: false } },
    },
  });
  return gzipSync(`${inline(output)}<!-- sources ${hash} -->\n`, { level: 9 });
}

/** Puts the script and the style into the page. */
function inline(output) {
  const text = (end) => {
    const found = output.find(({ fileName }) => fileName.endsWith(end));
    return String(found.code ?? found.source).trim();
  };
  // In a script, `<\/` is the same as `</`, which would end its element.
  const script = text('.js').replaceAll('</', String.raw`<\/`);
  return text('.html')
    .replaceAll(/\s*<script[^>]*><\/script>|\s*<link rel="stylesheet"[^>]*>/gu, '')
    .replace('</head>', () => `<style>${text('.css')}</style></head>`)
    .replace('</body>', () => `<script type="module">${script}</script></body>`);
}

function hashSources() {
  const hash = createHash('sha256');
  const add = (path) => hash.update(path).update(readFileSync(path));
  for (const name of readdirSync(SOURCES).toSorted()) add(join(SOURCES, name));
  add('build/inspector.mjs');
  const require = createRequire(import.meta.url);
  for (const name of ['preact', 'vite']) hash.update(readFileSync(require.resolve(`${name}/package.json`)));
  return hash.digest('hex');
}

function readPage() {
  try {
    return readFileSync(PAGE);
  } catch {
    return undefined;
  }
}
