import { fileURLToPath } from 'node:url';

/** The command line program, and the built-in contract, from the root of the repository. */
export const CLI = 'dist/cli/main.js';
export const SPEC = 'spec/openapi.yaml';

/** A server that the bench brings. */
export function toServerFile(name: string): string {
  return fileURLToPath(new URL(`servers/${name}.js`, import.meta.url));
}
