import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { MockError } from '../../errors.js';
import { createGenerator } from '../../generate/generate.js';
import { createMock } from '../../mock.js';
import type { Cassette, StoredExchange } from '../../recording/cassette/cassette.js';
import { createResponseCheck } from '../../recording/drift/conformance.js';
import { createMatcher, readCall } from '../../recording/matching/match.js';
import { type SetAside, toErrorScenario, toFixtures } from '../../recording/promote/promote-files.js';
import { promote, type PromoteParts } from '../../recording/promote/promote.js';
import { rerun, type RerunDifference } from '../../recording/promote/rerun.js';
import { createMask, createRequestWalk } from '../../recording/redaction/redact.js';
import { inferResources } from '../../state/inference/infer.js';
import { createPagePlan } from '../../state/pages/page-plan.js';
import { type Ground, loadGround, loadMeant, type RecordingsOptions } from './recordings.js';
import { findSpec } from './serve.js';

/** What `vouch recordings promote` was asked. */
export interface PromoteOptions extends RecordingsOptions {
  readonly cassette: string;
  /** The folder of the fixtures. */
  readonly into: string;
  /** The folder of the scenario with the recorded errors; undefined: `scenarios` beside the fixtures. */
  readonly scenarios: string | undefined;
  /** The state after the last exchange instead of before the first. */
  readonly final: boolean;
  /** Whether files that are there are written over. */
  readonly force: boolean;
}

/** What became of a cassette. */
export interface PromoteOutcome {
  /** Files that were written. */
  readonly files: readonly string[];
  readonly setAside: readonly SetAside[];
  /** What the mock over the fixtures answers differently from the recording; empty for the final state, which is another one. */
  readonly differences: readonly RerunDifference[];
}

/** `vouch recordings promote`: recordings become fixtures. @returns 1 where something was set aside or answers differently. */
export async function runRecordingsPromote(options: PromoteOptions): Promise<number> {
  const { files, setAside, differences } = await promoteCassette(options);
  const show = (path: string): string => relative(process.cwd(), path);
  if (options.format === 'json') {
    const list = differences.map(({ exchange, lines }) => ({ file: exchange.file, lines }));
    options.write(JSON.stringify({ files: files.map(show), setAside, differences: list }, null, 2));
  } else {
    for (const file of files) options.write(`wrote ${show(file)}`);
    for (const { collection, id, why } of setAside) options.write(`set aside ${collection} ${id}: ${why}`);
    for (const { exchange, lines } of differences) for (const line of lines) options.write(`${exchange.file}: ${line}`);
    if (!options.final)
      options.write(
        differences.length === 0
          ? 'the mock answers as the recording does'
          : `${differences.length} exchanges come out differently`,
      );
  }
  return setAside.length === 0 && differences.length === 0 ? 0 : 1;
}

/** Writes fixtures (and a scenario for errors) out of a cassette, and runs its requests against them. */
export async function promoteCassette(options: PromoteOptions): Promise<PromoteOutcome> {
  const ground = await loadGround(options.spec);
  const { contract, validators } = ground;
  const [cassette] = loadMeant(options);
  if (cassette === undefined) throw new MockError('RECORDING_NOT_FOUND', `there is no cassette "${options.cassette}"`);
  const resources = inferResources(contract);
  const generator = createGenerator(contract, validators);
  const parts: PromoteParts = {
    ...resources,
    moment: options.final ? 'final' : 'initial',
    isNewestFirst: (id) => {
      const operation = contract.operation(id);
      return operation !== undefined && createPagePlan(contract, operation, { item: undefined }).descending;
    },
  };
  const { files, setAside } = toFixtures(promote(cassette, parts), {
    ...ground,
    collections: resources.collections,
    complete: (pointer, partial) =>
      generator.complete(pointer, partial, { seed: 1, key: pointer, direction: 'response', now: 0 }),
  });
  const written = files.map(({ path }) => join(options.into, path));
  refuseOverwriting(written, options);
  for (const [i, { content }] of files.entries()) writeFile(written[i] ?? '', content);
  if (options.final) return { files: written, setAside, differences: [] };

  const creates = ({ operation }: StoredExchange): boolean => resources.bindings.get(operation)?.action === 'create';
  const run = async (scenario: object | undefined): Promise<readonly RerunDifference[]> => {
    await using mock = await createMock({
      spec: options.spec ?? findSpec(),
      fixtures: options.into,
      clock: cassette.manifest.recordedAt,
      ...(scenario === undefined ? {} : { scenarios: { recorded: scenario }, scenario: 'recorded' }),
    });
    return rerun(cassette, { fetch: (request) => mock.fetch(request), creates });
  };
  const first = await run(undefined);
  // Errors that the mock gives by itself in the same words need no rule.
  const errors = first.flatMap(({ exchange }) => ((exchange.response?.status ?? 0) >= 400 ? [exchange] : []));
  const scenario = createScenario(cassette, errors, ground);
  if (scenario === undefined) return { files: written, setAside, differences: first };
  const file = join(options.scenarios ?? join(options.into, '..', 'scenarios'), `${cassette.name}-errors.json`);
  refuseOverwriting([file], options);
  writeFile(file, `${JSON.stringify(scenario, null, 2)}\n`);
  return { files: [...written, file], setAside, differences: await run(scenario) };
}

function createScenario(cassette: Cassette, errors: readonly StoredExchange[], ground: Ground): object | undefined {
  const mask = createMask(cassette.manifest.redact ?? {}, (text) => Object.hasOwn(cassette.manifest.redacted, text));
  const matcher = createMatcher(cassette, {
    ...ground,
    walk: createRequestWalk({ ...ground, options: cassette.manifest.redact ?? {} }),
    mask,
  });
  return toErrorScenario(cassette, errors, {
    check: createResponseCheck(ground.validators),
    operation: ground.contract.operation,
    keyOf: matcher.keyOf,
    queryOf: ({ request }) => readCall(request, ground)?.query ?? {},
  });
}

function refuseOverwriting(files: readonly string[], { force }: PromoteOptions): void {
  const taken = force ? undefined : files.find((file) => existsSync(file));
  if (taken === undefined) return;
  throw new MockError('OPTION_INVALID', `${taken} is there already`, {
    at: { file: taken },
    hint: 'promote into another folder, or write over it with --force',
  });
}

function writeFile(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
