import type { Command } from 'commander';
import type { Problem } from '../../contract/contract.js';
import { formatMistake } from '../../errors.js';
import type { Mock } from '../../handles.js';
import { createMock } from '../../mock.js';
import type { OptionName } from '../../options.js';
import { nestOptions } from '../../read-options.js';
import type { Reload } from '../../scenario/scenarios.js';
import { hideUrlSecrets } from '../../schema/secret-forms.js';
import { isLoopback } from '../../server/control/guard.js';
import {
  addOptionalSpec,
  addOptionFlags,
  DOCUMENT_OPTIONS,
  findFolder,
  findSpec,
  type FlagChanges,
  listFlagOptions,
  readOptionFlags,
} from '../flags.js';
import { addListenFlags, type ListenFlags, listenUntilSignal, logInteractions, SERVER_OPTIONS } from '../listen.js';
import { openBrowser } from '../open-browser.js';
import { colour, countOf, type Output, showPath } from '../output.js';
import { host, readMonotonic, setTimeout } from '../../platform.js';

/** The options that `vouch serve` has flags for, in groups as help lists them. */
const OPTION_GROUPS: Readonly<Record<string, readonly OptionName[]>> = {
  'Document:': DOCUMENT_OPTIONS,
  'Data and behaviour:': listFlagOptions(/^(fixtures|seed|clock|scenarios|state|responses)\b/),
  'Requests:': listFlagOptions(/^(strict|auth|requests)\b/),
  'Sessions and control API:': listFlagOptions(/^(sessions|journal|control)\b/),
};

const FLAG_CHANGES: FlagChanges = {
  fixtures: { description: 'folder with one file per collection', shownDefault: 'fixtures beside the document' },
  scenarios: { description: 'folder with one file per scenario', shownDefault: 'scenarios beside the document' },
  'scenarios.active': { description: 'comma-separated scenarios to activate at start; later ones win' },
  clock: { description: '"real", or a fixed date and time', shownDefault: '2026-01-01T00:00:00Z' },
  'auth.acceptIssued': {
    description: 'with --token: also accept secrets that the mock issued itself',
    shownDefault: '',
  },
  'requests.bodyLimitBytes': {
    description: 'maximum size of a request body, such as 64kb; larger ones get 413 Content Too Large',
    shownDefault: '8mb',
  },
  'control.token': { description: 'token that the control API requires', shownDefault: 'none' },
};

/** The options that are passed on as they are given. */
const MOCK_OPTIONS: readonly OptionName[] = [...SERVER_OPTIONS, ...Object.values(OPTION_GROUPS).flat()].filter(
  (name) => !/^(fixtures|scenarios)\b/.test(name),
);

/** The flags that this file reads itself; the others become options of the mock. */
interface ServeFlags extends ListenFlags {
  readonly fixtures?: string | boolean;
  readonly scenarios?: string | boolean;
  readonly scenario?: string;
  readonly watch: boolean;
  readonly open?: boolean;
  readonly control: boolean;
  readonly controlPrefix?: string;
  readonly controlToken?: string | boolean;
}

type ServeOptions = ServeFlags & Output & { readonly spec: string };

/** Defines `vouch serve`. */
export function defineCommand(command: Command, output: Output): void {
  addOptionalSpec(command).action(async (spec: string | undefined, flags: ServeFlags) => {
    process.exitCode = await runServe({ spec: spec ?? findSpec(), ...flags, ...output });
  });
  addListenFlags(command.optionsGroup('Server:')).option(
    '--open',
    'open the inspector in a browser; ignored if CI is set',
  );
  for (const [group, names] of Object.entries(OPTION_GROUPS)) {
    addOptionFlags(command.optionsGroup(group), names, FLAG_CHANGES);
  }
}

/** Serves until a signal. @returns the exit code, 0. */
async function runServe(options: ServeOptions): Promise<number> {
  const { spec } = options;
  const fixtures = toFolder(options, 'fixtures');
  const scenarios = toFolder(options, 'scenarios');
  const mock = await createMock({
    ...nestOptions({ ...readOptionFlags(options, MOCK_OPTIONS), fixtures }),
    spec,
    scenarios: {
      from: scenarios ?? {},
      active: options.scenario ?? [],
      ...(options.watch && { onReload: (reload) => printReload(reload, options) }),
    },
    ...logInteractions(options),
  });
  const background = new host.AbortController();
  const signal = await listenUntilSignal(mock, options, ({ url, baseUrl, socket }, notes) => {
    const preset = mock.contract.preset ?? null;
    // A browser cannot connect to a Unix socket.
    const isShown = options.control && socket === undefined;
    const inspector = isShown ? `${url}${options.controlPrefix ?? '/__mock'}/` : null;
    const started = {
      listening: baseUrl,
      inspector,
      seed: mock.seed,
      spec: hideUrlSecrets(spec),
      preset,
      fixtures: fixtures ?? null,
      ...(socket !== undefined && { socket }),
    };
    const where = socket === undefined ? '' : `  (socket ${showPath(socket)})`;
    const page = inspector === null ? [] : [`inspector ${inspector}`];
    const end = [describeControl(options, url), ...page, ...notes, `listening on ${colour('bold', baseUrl)}${where}`];
    const lines = [...describeStart(mock, options, fixtures), ...end];
    options.write(options.json === true ? JSON.stringify(started) : lines.join('\n'));
    if (options.open === true) openInspector(inspector, options);
    printProblemsLater(mock, options, background.signal);
  });
  background.abort();
  if (options.json !== true) options.write(colour('gray', `${signal}: closing`));
  await mock.close();
  return 0;
}

/** Opens the page of the inspector, except on machines that build and test. */
function openInspector(address: string | null, { writeError }: ServeOptions): void {
  if (address === null) writeError(colour('yellow', '--open needs the control API and a TCP port'));
  else if ((process.env['CI'] ?? '') === '')
    openBrowser(address, () => writeError(colour('yellow', `no browser could be opened; open ${address}`)));
}

/** The folder that was given; undefined if it was switched off or does not exist by default. */
function toFolder(options: ServeOptions, name: 'fixtures' | 'scenarios'): string | undefined {
  const given = options[name];
  if (given === false) return undefined;
  return typeof given === 'string' ? given : findFolder(options.spec, name);
}

function describeStart(mock: Mock, options: ServeOptions, fixtures: string | undefined): readonly string[] {
  const { title, version, operations, preset } = mock.contract;
  const active = (options.scenario ?? '').split(',').flatMap((id) => id.trim() || []);
  const clock = new Date(mock.clock.now()).toISOString();
  const count = countOf(operations.length, 'operation');
  const found = operations.length > 0 ? count : colour('yellow', `${count}: every request is answered with 404`);
  return [
    `${colour('bold', title)} ${version}  ${showPath(hideUrlSecrets(options.spec))}  ${found}`,
    ...(preset === undefined ? [] : [`preset: ${preset}`]),
    `fixtures ${fixtures === undefined ? 'none' : showPath(fixtures)}  seed ${mock.seed}  clock ${clock}`,
    ...(active.length === 0 ? [] : [`scenarios ${active.join(', ')}`]),
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
    readInBackground(mock, signal, (problems) => printProblems(problems, options));
  }, PROBLEMS_AFTER_MS).unref();
}

function printProblems(problems: readonly Problem[], options: ServeOptions): void {
  const shown = problems.slice(0, MAX_PROBLEMS);
  if (options.json === true) {
    if (problems.length > 0) options.write(JSON.stringify({ problems: problems.length, shown }));
    return;
  }
  const lines = shown.map(({ code, at, message, assumed }) => {
    return formatMistake({ code, at, message: assumed === undefined ? message : `${message}; ${assumed}` });
  });
  const hidden = problems.length - shown.length;
  if (hidden > 0)
    lines.push(`… and ${hidden} more; to list all: vouch check ${showPath(hideUrlSecrets(options.spec))}`);
  for (const line of lines) options.write(colour('yellow', line));
}

/**
 * Reads schemas between requests, a few milliseconds at a time, and reports those with parts that cannot be used. It stops after a
 * time budget, because large documents take long; `vouch check` reads all schemas.
 */
function readInBackground(mock: Mock, signal: AbortSignal, report: (problems: readonly Problem[]) => void): void {
  const steps = mock.prepare();
  // Problems that the first requests caused are reported here too.
  const known = mock.contract.problems.length;
  let spentMs = 0;
  const work = (): void => {
    if (signal.aborted) return;
    const startedAt = readMonotonic();
    let done = false;
    while (!done && readMonotonic() - startedAt < PREPARE_SLICE_MS) done = steps.next().done === true;
    spentMs += readMonotonic() - startedAt;
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
