import { type Command, Option } from 'commander';
import type { Problem } from '../../contract/contract.js';
import { formatMistake } from '../../errors.js';
import { createMock, type Mock } from '../../mock.js';
import type { MockOptions, RequestOptions, StateOptions } from '../../options.js';
import { nestOptions } from '../../read-options.js';
import type { Reload } from '../../scenario/scenarios.js';
import { isLoopback } from '../../server/control/guard.js';
import {
  addDocumentFlags,
  addOptionalSpec,
  collect,
  type DocumentFlags,
  findFolder,
  findSpec,
  readInteger,
  readSize,
} from '../flags.js';
import { addListenFlags, type ListenFlags, listenUntilSignal, logInteractions } from '../listen.js';
import { colour, countOf, type Output, showPath } from '../output.js';

interface ServeFlags extends DocumentFlags, ListenFlags {
  readonly fixtures?: string | boolean;
  readonly scenarios?: string | boolean;
  readonly scenario?: string;
  readonly watch: boolean;
  readonly seed?: number;
  readonly clock?: string;
  readonly state: boolean;
  readonly unknownIds?: StateOptions['unknownIds'];
  readonly initialItems?: number;
  readonly token?: readonly string[];
  readonly acceptIssued?: boolean;
  readonly strict?: boolean;
  readonly lenientAccept?: boolean;
  readonly queryProfile?: RequestOptions['queryProfile'];
  readonly examples: 'fitting' | 'verbatim';
  readonly bodyLimit?: number;
  readonly cors: boolean;
  readonly control: boolean;
  readonly controlPrefix?: string;
  readonly controlToken?: string | boolean;
  readonly controlOrigin?: readonly string[];
  readonly requireSession?: boolean;
  readonly maxSessions?: number;
  readonly sessionIdle?: number;
  readonly journalLimit?: number;
}

type ServeOptions = ServeFlags & Output & { readonly spec: string };

/** Defines `vouch serve`. */
export function defineCommand(command: Command, output: Output): void {
  addOptionalSpec(command).action(async (spec: string | undefined, flags: ServeFlags) => {
    process.exitCode = await runServe({ spec: spec ?? findSpec(), ...flags, ...output });
  });
  addListenFlags(command.optionsGroup('Server:'));
  addDocumentFlags(command.optionsGroup('Document:'));
  addDataFlags(command.optionsGroup('Data and behaviour:'));
  addRequestFlags(command.optionsGroup('Requests and responses:'));
  addControlFlags(command.optionsGroup('Sessions and control API:'));
}

function addDataFlags(command: Command): void {
  command
    .addOption(
      new Option(
        '--fixtures <folder>',
        'fixtures, one file per collection (default: fixtures beside the document)',
      ).env('VOUCH_FIXTURES'),
    )
    .option('--no-fixtures', 'start without fixtures')
    .addOption(
      new Option('--scenarios <folder>', 'scenarios, one per file (default: scenarios beside the document)').env(
        'VOUCH_SCENARIOS',
      ),
    )
    .option('--no-scenarios', 'start without scenarios')
    .addOption(
      new Option('--scenario <ids>', 'scenarios to activate, comma-separated; later ones win').env('VOUCH_SCENARIO'),
    )
    .option('--no-watch', 'do not reload scenarios when their files change')
    .addOption(
      new Option('--seed <n>', 'seed of generated data; the same seed gives the same responses (default: 1)')
        .argParser(readInteger)
        .env('VOUCH_SEED'),
    )
    .addOption(
      new Option('--clock <time>', '"real", or a fixed date and time (default: 2026-01-01T00:00:00Z)').env(
        'VOUCH_CLOCK',
      ),
    )
    .addOption(
      new Option(
        '--unknown-ids <create|not-found>',
        'an id that no client created gives a new item, or 404 Not Found (default: not-found for collections with fixtures)',
      ).choices(['create', 'not-found']),
    )
    .addOption(
      new Option('--initial-items <n>', 'initial items of a collection without fixtures (default: 3)').argParser(
        readInteger,
      ),
    )
    .option('--no-state', 'stateless: answer from examples and schemas only')
    .addOption(
      new Option('--examples <which>', 'serve only examples that match their schemas, or all unchanged')
        .choices(['fitting', 'verbatim'])
        .default('fitting'),
    );
}

function addRequestFlags(command: Command): void {
  command
    .option('--token <token>', 'accept only this bearer token or API key; repeatable (default: accept any)', collect)
    .option('--accept-issued', 'also accept tokens that the mock issued itself')
    .option('--strict', 'reject undeclared query parameters and properties, and a missing Content-Type')
    .option(
      '--lenient-accept',
      'ignore an Accept header that rules out every media type, instead of 406 Not Acceptable',
    )
    .addOption(
      new Option('--query-profile <style>', 'how arrays and objects are written in query strings').choices([
        'brackets',
        'dots',
        'comma',
        'repeat',
      ]),
    )
    .addOption(
      new Option('--body-limit <size>', 'larger request bodies are 413 Content Too Large (default: 8mb)').argParser(
        readSize,
      ),
    )
    .option('--no-cors', 'do not allow pages of other origins to read responses');
}

function addControlFlags(command: Command): void {
  command
    .option('--require-session', 'reject requests that name a session that is not open, instead of opening it')
    .addOption(
      new Option('--max-sessions <n>', 'maximum number of open sessions (default: 10000)').argParser(readInteger),
    )
    .addOption(
      new Option('--session-idle <ms>', 'milliseconds until an unused session is dropped (default: 1800000)').argParser(
        readInteger,
      ),
    )
    .addOption(
      new Option('--journal-limit <n>', 'interactions to keep per session (default: 1000)').argParser(readInteger),
    )
    .option('--no-control', 'disable the control API')
    .option('--control-prefix <path>', 'path prefix of the control API (default: /__mock)')
    .addOption(new Option('--control-token <token>', 'token that the control API requires').env('VOUCH_CONTROL_TOKEN'))
    .option('--no-control-token', 'require no token, even where other machines can reach the control API')
    .option('--control-origin <origin>', 'allow pages of this origin to use the control API; repeatable', collect);
}

/** Serves until a signal. @returns the exit code, 0. */
async function runServe(options: ServeOptions): Promise<number> {
  const { spec } = options;
  const fixtures = toFolder(options, 'fixtures');
  const scenarios = toFolder(options, 'scenarios');
  const mock = await createMock({
    ...toMockOptions(options),
    spec,
    ...(fixtures === undefined ? {} : { fixtures }),
    scenarios: {
      from: scenarios ?? {},
      active: options.scenario ?? [],
      ...(options.watch && { onReload: (reload) => printReload(reload, options) }),
    },
    ...logInteractions(options),
  });
  const background = new AbortController();
  const signal = await listenUntilSignal(mock, options, ({ url, baseUrl }) => {
    if (options.json === true) {
      options.write(JSON.stringify({ listening: baseUrl, seed: mock.seed, spec, fixtures: fixtures ?? null }));
    } else {
      const start = { fixtures, control: describeControl(options, url), baseUrl };
      for (const line of describeStart(mock, options, start)) options.write(line);
    }
    printProblemsLater(mock, options, background.signal);
  });
  background.abort();
  if (options.json !== true) options.write(colour('gray', `${signal}: closing`));
  await mock.close();
  return 0;
}

/** The folder that was given; undefined if it was switched off or does not exist by default. */
function toFolder(options: ServeOptions, name: 'fixtures' | 'scenarios'): string | undefined {
  const given = options[name];
  if (given === false) return undefined;
  return typeof given === 'string' ? given : findFolder(options.spec, name);
}

/** Flags that are options of a mock. */
function toMockOptions(flags: ServeFlags): Partial<MockOptions> {
  return nestOptions({
    overlays: flags.overlay,
    'document.allowHttpRefs': flags.allowHttpRefs,
    seed: flags.seed,
    clock: flags.clock,
    strict: flags.strict,
    state: flags.state ? undefined : false,
    'state.unknownIds': flags.unknownIds,
    'state.initialItems': flags.initialItems,
    'auth.tokens': flags.token,
    'auth.acceptIssued': flags.acceptIssued,
    'requests.bodyLimitBytes': flags.bodyLimit,
    'requests.queryProfile': flags.queryProfile,
    'requests.lenientAccept': flags.lenientAccept,
    'responses.examples': flags.examples,
    'sessions.required': flags.requireSession,
    'sessions.max': flags.maxSessions,
    'sessions.idleMs': flags.sessionIdle,
    'journal.limit': flags.journalLimit,
    control: flags.control ? undefined : false,
    'control.prefix': flags.controlPrefix,
    'control.token': flags.controlToken === true ? undefined : flags.controlToken,
    'control.origins': flags.controlOrigin,
    cors: flags.cors,
  });
}

interface Start {
  readonly fixtures: string | undefined;
  readonly control: string;
  readonly baseUrl: string;
}

function describeStart(mock: Mock, { spec, scenario }: ServeOptions, start: Start): readonly string[] {
  const { title, version, operations } = mock.contract;
  const active = (scenario ?? '').split(',').flatMap((id) => id.trim() || []);
  const clock = new Date(mock.clock.now()).toISOString();
  return [
    `${colour('bold', title)} ${version}  ${showPath(spec)}  ${countOf(operations.length, 'operation')}`,
    `fixtures ${start.fixtures === undefined ? 'none' : showPath(start.fixtures)}  seed ${mock.seed}  clock ${clock}`,
    ...(active.length === 0 ? [] : [`scenarios ${active.join(', ')}`]),
    start.control,
    `listening on ${colour('bold', start.baseUrl)}`,
  ];
}

/** The address of the control API, and who can use it. */
function describeControl(
  { host, control, controlPrefix = '/__mock', controlToken }: ServeOptions,
  url: string,
): string {
  if (!control) return 'control API disabled';
  const address = `control API ${url}${controlPrefix}`;
  if (typeof controlToken === 'string') return `${address}  (token required)`;
  if (isLoopback(host)) return address;
  if (controlToken === false)
    return `${address}  ${colour('yellow', '(no token: open to every machine that can reach it)')}`;
  return `${address}  ${colour('yellow', '(blocked: other machines can reach it, so it requires --control-token)')}`;
}

/** Problems printed at start; `vouch check` prints all. */
const MAX_PROBLEMS = 10;

/** Printing starts after the first requests were answered, because looking up line numbers takes time. */
const PROBLEMS_AFTER_MS = 100;

const PREPARE_SLICE_MS = 4;
const PREPARE_PAUSE_MS = 20;
const PREPARE_BUDGET_MS = 400;

function printProblemsLater(mock: Mock, options: ServeOptions, signal: AbortSignal): void {
  setTimeout(() => {
    if (signal.aborted) return;
    printProblems(mock.contract.problems, options);
    compileInBackground(mock, signal, (problems) => printProblems(problems, options));
  }, PROBLEMS_AFTER_MS).unref();
}

function printProblems(problems: readonly Problem[], options: ServeOptions): void {
  const shown = problems.slice(0, MAX_PROBLEMS);
  if (options.json === true) {
    if (problems.length > 0) options.write(JSON.stringify({ problems: problems.length, shown }));
    return;
  }
  for (const { code, at, message, assumed } of shown) {
    const text = `${message}${assumed === undefined ? '' : `; ${assumed}`}`;
    options.write(colour('yellow', formatMistake({ code, at, message: text })));
  }
  const hidden = problems.length - shown.length;
  if (hidden > 0)
    options.write(colour('yellow', `… and ${hidden} more; to list all: vouch check ${showPath(options.spec)}`));
}

/**
 * Compiles schemas between requests, a few milliseconds at a time, and reports those that cannot be compiled. It stops after a
 * time budget, because large documents take long; `vouch check` compiles all schemas.
 */
function compileInBackground(mock: Mock, signal: AbortSignal, report: (problems: readonly Problem[]) => void): void {
  const steps = mock.prepare();
  // Problems that the first requests caused are reported here too.
  const known = mock.contract.problems.length;
  let spentMs = 0;
  const work = (): void => {
    if (signal.aborted) return;
    const startedAt = performance.now();
    let done = false;
    while (!done && performance.now() - startedAt < PREPARE_SLICE_MS) done = steps.next().done === true;
    spentMs += performance.now() - startedAt;
    if (!done && spentMs < PREPARE_BUDGET_MS) setTimeout(work, PREPARE_PAUSE_MS).unref();
    else if (mock.problems.length > known) report(mock.problems.slice(known));
  };
  work();
}

function printReload({ loaded, kept, error }: Reload, { json, write, writeError }: ServeOptions): void {
  if (json === true) {
    write(JSON.stringify({ reloaded: loaded, kept, error: error?.toString() ?? null }));
    return;
  }
  if (error !== undefined) writeError(error.toString());
  const unchanged = kept.length === 0 ? '' : `; kept the last valid version of: ${kept.join(', ')}`;
  write(colour('gray', `reloaded ${countOf(loaded.length, 'scenario')}${unchanged}`));
}
