#!/usr/bin/env node
// Versions of Node.js that vouch does not support run this file too: it imports nothing before the check, and its syntax is that of Node.js 12.
import type * as Launch from './program/launch.js';
import type * as Program from './program/program.js';

/** The oldest supported version, as in `engines` of package.json. */
const OLDEST: readonly [major: number, minor: number] = [20, 19];

const [major, minor] = process.versions.node.split('.').map(Number) as [number, number]; // Node.js always has both
if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  // The form of a MockError, which needs a newer version.
  process.stderr.write(
    `NODE_UNSUPPORTED  ${process.execPath} is Node.js ${process.versions.node}; vouch needs ${OLDEST.join('.')} or later\n` +
      '  hint: install a current version from https://nodejs.org, or with a version manager, such as: nvm install --lts\n',
  );
  process.exitCode = 1;
} else {
  void import('node:module').then(({ createRequire }) => {
    const require = createRequire(import.meta.url);
    // Files of the build, which `build/bundle.mjs` makes.
    const { launch } = require('./program/launch.cjs') as typeof Launch;
    const file = require.resolve('./program/program.cjs');
    const program = launch(file, process.argv.slice(2), (href) => import(href)) as typeof Program;
    return program.runProgram();
  });
}
