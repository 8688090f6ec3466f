// What a reader of the documentation has: the pages that are followed, an empty folder for each, and packages to install.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { followPage, readBlocks, readParts, readStartDocument } from './follow.mjs';

const START = 'docs/getting-started.md';
const INSTALL = /^npm (?:i|install) -D (?<names>[\w@/.: -]+)$/u;
/** What is set where checks run, and not for a reader: Node's runner reports to a parent that is one. */
const NOT_OF_A_READER = /^(?:CI|FORCE_COLOR|NODE_ENV|NODE_OPTIONS|NODE_TEST_CONTEXT|VITEST\w*|VOUCH_\w+)$/u;

/**
 * Whether each block of a page is followed in an empty folder, in order.
 *
 * @param {string} path
 */
export function isFollowed(path) {
  return (
    /^(?:README|docs\/getting-started|docs\/first-ten-minutes|docs\/guides\/[^/]+)\.md$/u.test(path) ||
    /^docs\/migration\/(?:msw|json-server|wiremock|mockoon)\.md$/u.test(path)
  );
}

/** The parts of all pages that are followed. */
export function readFollowedParts() {
  const start = readFileSync(START, 'utf8');
  const docs = readdirSync('docs', { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`);
  return ['README.md', ...docs.toSorted()].filter(isFollowed).flatMap((path) => {
    const page = readFileSync(path, 'utf8');
    const document = readStartDocument(page, start);
    return readParts(page).map(({ name, text }) => ({
      path,
      title: name === '' ? path : `${path}, ${name}`,
      text,
      /** What the folder has as `openapi.yaml`. */
      document,
    }));
  });
}

/**
 * The packages that a command installs, if it does that.
 *
 * @param {string} line
 */
export function readInstalled(line) {
  // Until a version is published, README.md installs it from GitHub.
  return INSTALL.exec(line)
    ?.groups?.names?.split(' ')
    .map((name) => name.replace(/^github:OWNER\//u, ''));
}

/**
 * Follows a part of a page in a new folder.
 *
 * @param {object} part - One of `readFollowedParts`.
 * @param {object} options
 * @param {string} options.root - Where the folder is made.
 * @param {(names: readonly string[], folder: string) => string} options.install - Installs packages, or returns the command that does.
 * @param {(line: string) => string} [options.replace] - The command for another line.
 * @param {NodeJS.ProcessEnv} [options.env] - More variables.
 */
export async function followPart({ text, document }, { root, install, replace = (line) => line, env = {} }) {
  const folder = mkdtempSync(join(root, 'reader-'));
  // npm installs into the nearest folder above that has one of these, if this one has none.
  mkdirSync(join(folder, 'node_modules'));
  if (document !== undefined) writeFileSync(join(folder, 'openapi.yaml'), document);
  const own = readBlocks(text).find(({ file }) => file === 'openapi.yaml')?.text ?? '';
  let installs = 0;
  const { run, mistakes } = await followPage({
    page: text,
    folder,
    env: {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !NOT_OF_A_READER.test(name))),
      ...env,
    },
    // No host of others has to be up.
    documents: Object.fromEntries((text.match(/(?<=vouch serve )https:\S+/gu) ?? []).map((url) => [url, own])),
    replace: (line) => {
      const names = readInstalled(line);
      if (names === undefined) return replace(line);
      if (names.includes('vouch')) installs += 1;
      return install(names, folder);
    },
  });
  return { run, mistakes: installs === 0 ? [...mistakes, 'no line installs the package'] : mistakes };
}

/**
 * Installs packages that another folder has, as links to them and to their commands.
 *
 * @param {readonly string[]} packages - Their folders.
 * @param {string} folder - The folder to install them into.
 */
export function linkPackages(packages, folder) {
  const target = join(folder, 'node_modules');
  mkdirSync(join(target, '.bin'), { recursive: true });
  if (!existsSync(join(folder, 'package.json'))) writeFileSync(join(folder, 'package.json'), '{}');
  for (const source of packages) {
    const { name, bin = {} } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
    mkdirSync(dirname(join(target, name)), { recursive: true });
    symlinkSync(source, join(target, name));
    for (const [command, file] of Object.entries(typeof bin === 'string' ? { [basename(name)]: bin } : bin)) {
      // npm makes the file executable; a build does not.
      const script = `#!/bin/sh\nexec node "${join(source, file)}" "$@"\n`;
      writeFileSync(join(target, '.bin', command), script, { mode: 0o755 });
    }
  }
}
