import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MockError, countOf } from '../../../base/errors.js';
import { createGenerator } from '../../../generate/generate.js';
import { createValidators } from '../../../schema/validate.js';
import { inferResources } from '../../../resources/infer/infer.js';
import { createItemModels } from '../../../resources/item/item-models.js';
import { createFixtures, type FixtureParts } from '../../../tools/import/cassette-fixtures.js';
import { createMock } from '../../../mock/mock.js';
import type { Cassette, StoredExchange } from '../../../features/recording/cassette/cassette.js';
import { createResponseCheck } from '../../../features/recording/drift/check.js';
import { toDoubles } from '../../../base/exact-json.js';
import { readCall } from '../../../features/recording/matching/exchange-index.js';
import { createMatcher } from '../../../features/recording/matching/match.js';
import type { SkippedItem } from '../../../features/recording/promote/promote-files.js';
import { toPromotedScenario } from '../../../features/recording/promote/promote-rules.js';
import { learnHints, learnTextErrors } from '../../../features/recording/promote/learn.js';
import type { Contract } from '../../../contract/contract.js';
import { rerun, type RerunDifference } from '../../../features/recording/promote/rerun.js';
import type { RecordingParts } from '../../../features/recording/cassettes.js';
import { createScenarioContext } from '../../../features/scenario/definition/kinds.js';
import { findScenarioMistake } from '../../../features/scenario/scenarios.js';
import { loadDocument } from '../../document.js';
import { type Output, showPath, writeOutputFile } from '../../output.js';

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

/** Writes fixtures (and scenarios for other recorded answers) from a cassette, and repeats its requests against a mock with them. */
export async function promoteCassette(
  cassette: Cassette,
  recordingParts: RecordingParts,
  flags: PromoteFlags & { readonly spec: string },
): Promise<PromoteOutcome> {
  const { spec, into, final = false } = flags;
  const hints = writeHints(cassette, recordingParts.contract, flags);
  const overlays = hints === undefined ? [] : [hints];
  const contract = hints === undefined ? recordingParts.contract : await loadDocument({ spec, overlay: overlays });
  const resources = inferResources(contract);
  const validators = createValidators(contract);
  const generator = createGenerator(contract, validators);
  const parts = { ...createItemModels({ contract, resources, validators, generator }), seed: 1 };
  const { files, skipped } = createFixtures(cassette, parts, final ? 'final' : 'initial');
  const written = files.map(({ path }) => join(into, path));
  rejectOverwriting(written, flags);
  for (const [i, { content }] of files.entries()) writeOutputFile(written[i] ?? '', content);
  const fixed = [...overlays, ...written];
  if (final) return { files: fixed, skipped, differences: [] };

  const run = async (scenarios: Readonly<Record<string, object>>): Promise<readonly RerunDifference[]> => {
    await using mock = await createMock({
      spec,
      overlays,
      ...(files.length > 0 && { fixtures: into }),
      clock: cassette.manifest.recordedAt,
      scenarios: { from: scenarios, active: Object.keys(scenarios) },
    });
    const fetch = (request: Request): Promise<Response> => mock.fetch(request);
    const creates = ({ operation }: StoredExchange): boolean => resources.bindings.get(operation)?.action === 'create';
    return rerun(cassette, { fetch, creates });
  };
  const first = await run({});
  const write = createScenarioWriter(cassette, { ...parts, recordingParts, different: first });
  let { scenarios, left } = write([]);
  let differences = Object.keys(scenarios).length === 0 ? first : await run(scenarios);
  // The schema of an error adds what the recorded one did not have.
  const inexact = differences.flatMap(({ exchange }) => (isError(exchange) ? [exchange] : []));
  if (inexact.length > 0) {
    ({ scenarios, left } = write(inexact));
    differences = await run(scenarios);
  }
  const folder = flags.scenarios ?? join(into, '..', 'scenarios');
  const paths = Object.keys(scenarios).map((id) => join(folder, `${id}.json`));
  rejectOverwriting(paths, flags);
  for (const [i, scenario] of Object.values(scenarios).entries()) {
    writeOutputFile(paths[i] ?? '', `${JSON.stringify(scenario, null, 2)}\n`);
  }
  return { files: [...fixed, ...paths], skipped: [...skipped, ...left], differences };
}

function isError({ response }: StoredExchange): boolean {
  return (response?.status ?? 0) >= 400;
}

interface WrittenScenarios {
  readonly scenarios: Readonly<Record<string, object>>;
  readonly left: readonly SkippedItem[];
}

/** Creates the writer of scenarios for exchanges that the mock answers differently; it gets those whose bodies must be exact. */
function createScenarioWriter(
  cassette: Cassette,
  parts: FixtureParts & { readonly recordingParts: RecordingParts; readonly different: readonly RerunDifference[] },
): (inexact: readonly StoredExchange[]) => WrittenScenarios {
  const { contract, resources, validators, recordingParts } = parts;
  const collections = resources.collections.values();
  const context = createScenarioContext({ ...parts, collections });
  const common = {
    contract,
    check: createResponseCheck(validators),
    keyOf: createMatcher(cassette, recordingParts).keyOf,
    queryOf: ({ request }: StoredExchange) => readCall(request, recordingParts)?.query ?? {},
    bodyOf: ({ request }: StoredExchange) => toDoubles(request.body) ?? readCall(request, recordingParts)?.body,
    findMistake: (scenario: object) => findScenarioMistake({ promoted: scenario }, context),
  };
  const different = parts.different.map(({ exchange }) => exchange);
  // The mock gives some errors without a scenario; answers that depend on no item are always the same.
  const isStateless = (each: StoredExchange): boolean => !isError(each) && !resources.bindings.has(each.operation);
  const kinds = [
    [`${cassette.name}-errors`, 'Errors', different.filter(isError)],
    [`${cassette.name}-answers`, 'Answers without state', different.filter(isStateless)],
  ] as const;
  return (inexact) => {
    const scenarios: Record<string, object> = {};
    const left: SkippedItem[] = [];
    for (const [id, what, exchanges] of kinds) {
      const description = `${what} recorded in the cassette "${cassette.name}".`;
      const { scenario, skipped } = toPromotedScenario(cassette, exchanges, { ...common, inexact, description });
      if (scenario !== undefined) scenarios[id] = scenario;
      left.push(...skipped);
    }
    return { scenarios, left };
  };
}

/** Writes an overlay with what recordings show about collections and the contract does not say. @returns its file; undefined without one. */
function writeHints(cassette: Cassette, contract: Contract, flags: PromoteFlags): string | undefined {
  const resources = inferResources(contract);
  const learned = learnHints(cassette, resources);
  const collections = Object.fromEntries([...learned].filter(([, hints]) => Object.keys(hints).length > 0));
  const errors = learnTextErrors(cassette);
  const update = {
    ...(Object.keys(collections).length > 0 && { collections }),
    ...(Object.keys(errors).length > 0 && { errors }),
  };
  if (Object.keys(update).length === 0) return undefined;
  const file = join(flags.into, '..', `${cassette.name}-hints.overlay.json`);
  rejectOverwriting([file], flags);
  const overlay = {
    overlay: '1.0.0',
    info: { title: `Learned from the cassette "${cassette.name}"`, version: '1.0.0' },
    actions: [{ target: '$', update: { 'x-mock': update } }],
  };
  writeOutputFile(file, `${JSON.stringify(overlay, null, 2)}\n`);
  return file;
}

function rejectOverwriting(files: readonly string[], { force }: PromoteFlags): void {
  const taken = force === true ? undefined : files.find((file) => existsSync(file));
  if (taken === undefined) return;
  const hint = 'choose another folder with --into, or overwrite it with --force';
  throw new MockError('OPTION_INVALID', `the file ${taken} already exists`, { at: { file: taken }, hint });
}
