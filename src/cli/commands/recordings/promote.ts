import { join } from 'node:path';
import { readItemModels } from '../../../resources/item/item-models.js';
import type { Violation } from '../../../schema/violation.js';
import { createFixtures, type FixtureParts } from '../../../tools/import/cassette-fixtures.js';
import { createMock } from '../../../mock/mock.js';
import type { Cassette, StoredExchange } from '../../../features/recording/cassette/cassette.js';
import { createResponseCheck } from '../../../http/response/response-check.js';
import { readCall } from '../../../features/recording/matching/exchange-index.js';
import { createMatcher } from '../../../features/recording/matching/match.js';
import { type MethodCassette, toPlainCassette } from '../../../features/recording/promote/methods.js';
import type { SkippedItem } from '../../../features/recording/promote/promote-files.js';
import { toPromotedScenario } from '../../../features/recording/promote/promote-rules.js';
import { rerun, type RerunDifference } from '../../../features/recording/promote/rerun.js';
import type { RecordingParts } from '../../../features/recording/cassettes.js';
import { createScenarioContext } from '../../../features/scenario/definition/kinds.js';
import { findScenarioMistake } from '../../../features/scenario/scenarios.js';
import { createParts } from './parts.js';
import { createBodyReader, rejectOverwriting, writeOverlay } from './promote-overlay.js';
import { writeOutputFile } from '../../output.js';
import { listAnswers, type PromoteOutcome, type PromoteFlags } from './promote-report.js';

/** Writes fixtures (and scenarios for other recorded answers) from a cassette, and repeats its requests against a mock with them. */
export async function promoteCassette(
  recorded: Cassette,
  recordingParts: RecordingParts,
  flags: PromoteFlags & { readonly spec: string },
): Promise<PromoteOutcome> {
  const { spec, into, final = false } = flags;
  const learned = await writeOverlay(recorded, recordingParts.contract, flags);
  const { contract, drift, cassette } = learned;
  const parts = { ...readItemModels(contract), seed: 1 };
  const { resources } = parts;
  const bodyOf = createBodyReader(contract);
  const { files, skipped } = createFixtures(
    toPlainCassette(learned, contract, { ...resources, bodyOf }),
    parts,
    final ? 'final' : 'initial',
  );
  const written = files.map(({ path }) => join(into, path));
  rejectOverwriting(written, flags);
  for (const [i, { content }] of files.entries()) writeOutputFile(written[i] ?? '', content);
  if (final)
    return { files: [...listFiles(learned), ...written], skipped, drift, differences: [], answers: [], serve: [] };

  const creates = ({ operation }: StoredExchange): boolean => resources.bindings.get(operation)?.action === 'create';
  const run = createRun(cassette, { spec, fixtures: files.length > 0 ? into : undefined, creates });
  const plain = await run(listFiles(learned), {});
  const withErrors = await learned.addErrors(plain);
  const overlays = listFiles(withErrors);
  const first = withErrors === learned ? plain : await run(overlays, {});
  const write = createScenarioWriter(learned, {
    ...parts,
    bodyOf,
    recordingParts: createParts(contract),
    different: first,
  });
  let { scenarios, left } = write(new Set());
  let differences = Object.keys(scenarios).length === 0 ? first : await run(overlays, scenarios);
  // The schema of an error adds what the recorded one did not have.
  const inexact = new Set(differences.flatMap(({ exchange }) => (isError(exchange) ? [exchange] : [])));
  if (inexact.size > 0) {
    ({ scenarios, left } = write(inexact));
    differences = await run(overlays, scenarios);
  }
  const folder = flags.scenarios ?? join(into, '..', 'scenarios');
  const paths = Object.keys(scenarios).map((id) => join(folder, `${id}.json`));
  rejectOverwriting(paths, flags);
  for (const [i, scenario] of Object.values(scenarios).entries()) {
    writeOutputFile(paths[i] ?? '', `${JSON.stringify(scenario, null, 2)}\n`);
  }
  const serve = [
    ...(files.length > 0 ? ['--fixtures', into] : []),
    ...overlays.flatMap((file) => ['--overlay', file]),
    ...(paths.length > 0 ? ['--scenarios', folder, '--scenario', Object.keys(scenarios).join(',')] : []),
  ];
  const answers = listAnswers(cassette, { contract, differences, left, unlearned: first.filter(isUnlearned) });
  const all = [...overlays, ...written, ...paths];
  return { files: all, skipped: [...skipped, ...left], drift, differences, answers, serve };
}

type Run = (
  overlays: readonly string[],
  scenarios: Readonly<Record<string, object>>,
) => Promise<readonly RerunDifference[]>;

/** Creates the function that sends the requests of a cassette to a mock. */
function createRun(
  cassette: Cassette,
  {
    spec,
    fixtures,
    creates,
  }: {
    readonly spec: string;
    readonly fixtures: string | undefined;
    readonly creates: (exchange: StoredExchange) => boolean;
  },
): Run {
  return async (overlays, scenarios) => {
    await using mock = await createMock({
      spec,
      overlays,
      ...(fixtures !== undefined && { fixtures }),
      clock: cassette.manifest.recordedAt,
      scenarios: { from: scenarios, active: Object.keys(scenarios) },
    });
    const fetch = (request: Request): Promise<Response> => mock.fetch(request);
    const findViolation = (): Violation | undefined =>
      mock.journal.last()?.violations.find(({ severity, by }) => severity === 'error' && by === 'client');
    return rerun(cassette, { fetch, creates, findViolation });
  };
}

function listFiles({ file }: { readonly file: string | undefined }): readonly string[] {
  return file === undefined ? [] : [file];
}

/** Whether the mock accepts a request that the service refused: it does not have the rule. */
function isUnlearned({ exchange, status }: RerunDifference): boolean {
  const recorded = exchange.response?.status ?? 0;
  return status < 400 && recorded >= 400 && recorded < 500;
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
  { cassette, repeatedOf }: MethodCassette,
  parts: FixtureParts & {
    readonly bodyOf: (exchange: StoredExchange) => unknown;
    readonly recordingParts: RecordingParts;
    readonly different: readonly RerunDifference[];
  },
): (inexact: ReadonlySet<StoredExchange>) => WrittenScenarios {
  const { contract, resources, validators, recordingParts, bodyOf } = parts;
  const collections = resources.collections.values();
  const context = createScenarioContext({ ...parts, collections });
  const common = {
    contract,
    check: createResponseCheck(validators),
    keyOf: createMatcher(cassette, recordingParts).keyOf,
    queryOf: ({ request }: StoredExchange) => readCall(request, recordingParts)?.query ?? {},
    bodyOf,
    repeatedOf,
    findMistake: (scenario: object) => findScenarioMistake({ promoted: scenario }, context),
  };
  const different = parts.different.map(({ exchange }) => exchange);
  // What the mock refuses and the service does not.
  const refused = new Set(parts.different.filter(({ status }) => status >= 400).map(({ exchange }) => exchange));
  // The mock gives some errors without a scenario; answers that depend on no item are always the same.
  const isStateless = (each: StoredExchange): boolean =>
    each.response !== undefined && !isError(each) && !resources.bindings.has(each.operation);
  // What a method without a rule answers may be the recorded answer by chance.
  const isMethod = ({ operation }: StoredExchange): boolean =>
    contract.operation(operation)?.path.includes('#') === true;
  const differing = new Set(different);
  const answers = cassette.exchanges.filter((each) => isStateless(each) && (isMethod(each) || differing.has(each)));
  const isAllowed = (each: StoredExchange): boolean =>
    !isError(each) && resources.bindings.has(each.operation) && refused.has(each);
  const kinds = [
    [`${cassette.name}-errors`, 'Errors', different.filter((each) => isError(each) || isAllowed(each))],
    [`${cassette.name}-answers`, 'Answers without state', answers],
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
