import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { loadContract } from 'vouch/contract';
import type { Exchange } from './check-process.js';
import { readMedian } from './start-up.js';
import type { Table } from './table.js';

const DOCUMENTS = ['openai.yaml', 'github.json'] as const;

/** The exchanges of one round. */
const COUNT = 1000;

const WARM_UP = 5;
const ROUNDS = 15;

/** What a check may cost, as a multiple of the mock's own check of the same answer. */
const BOUND = '1.5';

type Checks = Awaited<ReturnType<typeof loadContract>>;

/** Measures `contract.check` beside the check of the answers of a mock, on answers in JSON that are plain data. */
export async function measureChecks(): Promise<Table> {
  const rows: (readonly string[])[] = [];
  for (const name of DOCUMENTS) {
    const spec = fileURLToPath(new URL(`../../../shared/specs/${name}`, import.meta.url));
    if (existsSync(spec)) rows.push(await measureDocument(name, spec));
  }
  return {
    title: `checks of ${COUNT} exchanges, CPU us of one`,
    head: ['document', 'own check', 'response', 'ratio', 'both', 'ratio', 'at most'],
    rows,
  };
}

async function measureDocument(name: string, spec: string): Promise<readonly string[]> {
  const contract = await loadContract(spec);
  const exchanges = await readExchanges(spec);
  const checkOwn = await loadOwnCheck(contract);
  const kinds: readonly ((exchange: Exchange) => unknown)[] = [
    checkOwn,
    ({ request, response }) => contract.checkResponse(request, response),
    ({ request, response }) => contract.check(request, response),
  ];
  const samples = kinds.map((): number[] => []);
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (const [i, check] of kinds.entries()) {
      const before = process.cpuUsage();
      for (const exchange of exchanges) await check(exchange);
      const { user, system } = process.cpuUsage(before);
      if (round >= 0) samples[i]?.push((user + system) / exchanges.length);
    }
  }
  const [own = 0, response = 0, both = 0] = samples.map(readMedian);
  const ratios = [response, both].map((each) => (each / own).toFixed(2));
  return [name, own.toFixed(1), response.toFixed(1), ratios[0] ?? '', both.toFixed(1), ratios[1] ?? '', BOUND];
}

/**
 * What a mock answers to one request for each operation, repeated up to the number of a round. The mock has a process of its own: its requests
 * would make the code slower that it shares with one of the two checks.
 */
async function readExchanges(spec: string): Promise<readonly Exchange[]> {
  const child = fork(fileURLToPath(new URL('check-process.js', import.meta.url)), [spec]);
  const [found] = (await once(child, 'message')) as [readonly Exchange[]];
  return Array.from({ length: COUNT }, (_, i) => found[i % found.length]).filter((each) => each !== undefined);
}

/** The check of the sources, which no entry point exports; it is awaited like the others. */
async function loadOwnCheck({ ...contract }: Checks): Promise<(exchange: Exchange) => Promise<unknown>> {
  const build = await rolldown({
    input: { check: 'src/http/response/response-check.ts', validate: 'src/schema/validate.ts' },
    external: [/^[a-z@]/u],
    platform: 'node',
  });
  await build.write({ dir: 'bench/dist/own-check' });
  const load = (file: string): Promise<Record<string, (...given: readonly unknown[]) => unknown>> =>
    import(new URL(`own-check/${file}.js`, import.meta.url).href) as never;
  const [{ createResponseCheck }, { createValidators }] = await Promise.all([load('check'), load('validate')]);
  // The functions of these files.
  const check = createResponseCheck?.(createValidators?.(contract)) as (operation: unknown, answer: unknown) => unknown;
  const operations = new Map(contract.operations.map((each) => [each.id, each]));
  return async ({ operation, response }) => check(operations.get(operation), response);
}
