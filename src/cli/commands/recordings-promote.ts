import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MockError } from '../../errors.js';
import { createGenerator } from '../../generate/generate.js';
import { createMock } from '../../mock.js';
import type { Cassette, StoredExchange } from '../../recording/cassette/cassette.js';
import { createResponseCheck } from '../../recording/drift/check.js';
import { createMatcher, readCall } from '../../recording/matching/match.js';
import { type SkippedItem, toErrorScenario, toFixtures } from '../../recording/promote/promote-files.js';
import { promote } from '../../recording/promote/promote.js';
import { rerun, type RerunDifference } from '../../recording/promote/rerun.js';
import type { RecordingParts } from '../../recording/recordings.js';
import { inferResources } from '../../state/inference/infer.js';
import { toFixtureTarget } from '../../state/fixtures/fixtures.js';
import { createFieldsReader, omitUnknownNames } from '../../schema/fields.js';
import { createPagePlan } from '../../state/pages/plan.js';
import { countOf, type Output, showPath } from '../output.js';

/** Flags of `vouch recordings promote`. */
export interface PromoteFlags {
  /** The folder for fixtures. */
  readonly into: string;
  /** The folder for the scenario with recorded errors; default: `scenarios` beside the fixtures. */
  readonly scenarios?: string;
  /** Write the state after the last exchange instead of before the first. */
  readonly final?: boolean;
  /** Overwrite existing files. */
  readonly force?: boolean;
  readonly format?: 'text' | 'json' | 'junit';
}

/** The result of promoting a cassette. */
export interface PromoteOutcome {
  /** The files written. */
  readonly files: readonly string[];
  readonly skipped: readonly SkippedItem[];
  /** Recorded responses that the mock with the new fixtures answers differently; empty with `final`, where they cannot be compared. */
  readonly differences: readonly RerunDifference[];
}

/** Prints the result of a promotion. @returns the exit code: 1 if items were skipped or responses differ, otherwise 0. */
export function printPromotion(outcome: PromoteOutcome, flags: PromoteFlags, write: Output['write']): number {
  const { files, skipped, differences } = outcome;
  if (flags.format === 'json') {
    const list = differences.map(({ exchange, lines }) => ({ file: exchange.file, lines }));
    write(JSON.stringify({ files: files.map(showPath), skipped, differences: list }, null, 2));
  } else {
    for (const file of files) write(`wrote ${showPath(file)}`);
    for (const { collection, id, why } of skipped) write(`skipped ${collection} ${id}: ${why}`);
    for (const { exchange, lines } of differences) for (const line of lines) write(`${exchange.file}: ${line}`);
    if (flags.final !== true) {
      const count = countOf(differences.length, 'response');
      write(differences.length === 0 ? 'the mock gives the recorded responses' : `${count} of the mock differ`);
    }
  }
  return skipped.length === 0 && differences.length === 0 ? 0 : 1;
}

/** Writes fixtures (and a scenario for recorded errors) from a cassette, and repeats its requests against a mock with them. */
export async function promoteCassette(
  cassette: Cassette,
  recordingParts: RecordingParts,
  flags: PromoteFlags & { readonly spec: string },
): Promise<PromoteOutcome> {
  const { contract, validators } = recordingParts;
  const { spec, into, final = false } = flags;
  const resources = inferResources(contract);
  const generator = createGenerator(contract, validators);
  const fieldsOf = createFieldsReader(contract);
  const isNewestFirst = (id: string): boolean => {
    const operation = contract.operation(id);
    return operation !== undefined && createPagePlan(contract, operation, { item: undefined }).descending;
  };
  const promoted = promote(cassette, { ...resources, moment: final ? 'final' : 'initial', isNewestFirst });
  const { files, skipped } = toFixtures(promoted, {
    validators,
    collections: resources.collections,
    omitUnknown: ({ name }, item) => {
      const resource = resources.collections.get(name);
      const target = resource && toFixtureTarget(fieldsOf, resource, resources);
      // An object stays an object.
      return target === undefined ? item : (omitUnknownNames(item, target) as typeof item);
    },
    complete: (pointer, partial) =>
      generator.complete(pointer, partial, { seed: 1, key: pointer, direction: 'response', now: 0 }),
  });
  const written = files.map(({ path }) => join(into, path));
  rejectOverwriting(written, flags);
  for (const [i, { content }] of files.entries()) writeFile(written[i] ?? '', content);
  if (final) return { files: written, skipped, differences: [] };

  const creates = ({ operation }: StoredExchange): boolean => resources.bindings.get(operation)?.action === 'create';
  const run = async (scenario: object | undefined): Promise<readonly RerunDifference[]> => {
    await using mock = await createMock({
      spec,
      fixtures: into,
      clock: cassette.manifest.recordedAt,
      ...(scenario === undefined ? {} : { scenarios: { from: { recorded: scenario }, active: 'recorded' } }),
    });
    return rerun(cassette, { fetch: (request) => mock.fetch(request), creates });
  };
  const first = await run(undefined);
  // Errors that the mock gives without a scenario need no rule.
  const errors = first.flatMap(({ exchange }) => ((exchange.response?.status ?? 0) >= 400 ? [exchange] : []));
  const scenario = toErrorScenario(cassette, errors, {
    check: createResponseCheck(validators),
    operation: contract.operation,
    keyOf: createMatcher(cassette, recordingParts).keyOf,
    queryOf: ({ request }) => readCall(request, recordingParts)?.query ?? {},
  });
  if (scenario === undefined) return { files: written, skipped, differences: first };
  const file = join(flags.scenarios ?? join(into, '..', 'scenarios'), `${cassette.name}-errors.json`);
  rejectOverwriting([file], flags);
  writeFile(file, `${JSON.stringify(scenario, null, 2)}\n`);
  return { files: [...written, file], skipped, differences: await run(scenario) };
}

function rejectOverwriting(files: readonly string[], { force }: PromoteFlags): void {
  const taken = force === true ? undefined : files.find((file) => existsSync(file));
  if (taken === undefined) return;
  const hint = 'choose another folder with --into, or overwrite it with --force';
  throw new MockError('OPTION_INVALID', `the file ${taken} already exists`, { at: { file: taken }, hint });
}

function writeFile(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
