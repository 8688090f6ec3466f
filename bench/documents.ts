import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { measureSpawn, type StartUp } from './start-up.js';

/** How many times the start of bare Hono a document may take, by the end of the name of the figure. */
export const DOCUMENT_BOUNDS: readonly (readonly [end: string, times: number])[] = [
  ['first time', 5],
  ['from the cache', 3],
];

/** Large documents of real APIs, in a folder beside the repository; they are skipped if it does not exist. */
const DOCUMENTS = [
  { name: "OpenAI's 3 MB YAML", file: '../shared/specs/openai.yaml', path: '/v1/models' },
  { name: "Stripe's 4 MB YAML", file: '../shared/specs/stripe.yaml', path: '/v1/customers' },
  { name: "GitHub's 13 MB JSON", file: '../shared/specs/github.json', path: '/gists/public' },
] as const;

/** Measures the time from spawn to the first response for large documents: without a cache, and with the cache on disk. */
export async function measureDocuments(cli: string): Promise<readonly StartUp[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'vouch-bench-'));
  const cache = join(scratch, 'cache');
  const figures: StartUp[] = [];
  try {
    for (const { name, file, path } of DOCUMENTS) {
      if (!existsSync(file)) continue;
      const start = {
        args: [resolve(cli), 'serve', resolve(file), '--port', '0', '--quiet'],
        request: toGet(path),
        times: 3,
        // A folder without node_modules, so that the cache folder is the one set in the environment.
        cwd: scratch,
        environment: { XDG_CACHE_HOME: cache },
      };
      const forget = (): void => {
        rmSync(cache, { recursive: true, force: true });
        mkdirSync(cache);
      };
      figures.push(await measureSpawn(`${name}, first time`, { ...start, prepare: forget }));
      figures.push(await measureSpawn(`${name}, from the cache`, start));
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return figures;
}

function toGet(path: string): Buffer {
  const lines = [`GET ${path} HTTP/1.1`, 'Host: 127.0.0.1', 'Authorization: Bearer bench-token', 'Accept: */*'];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`);
}
