import { existsSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Problem } from '../../contract/contract.js';
import { formatMistake } from '../../errors.js';
import { createMock, type Mock } from '../../mock.js';
import type { Reload } from '../../scenario/scenarios.js';
import type { MockOptions } from '../../options.js';
import { isLoopback } from '../../server/control/guard.js';
import { colour, logInteractions } from '../log.js';

/** What `vouch serve` was asked. */
export interface ServeOptions {
  /** Undefined: `spec/openapi.*` of this folder, else the built-in contract. */
  readonly spec: string | undefined;
  readonly port: number;
  readonly host: string;
  /** Undefined: the folder `fixtures` that belongs to the document; false: none. */
  readonly fixtures: string | false | undefined;
  /** Undefined: the folder `scenarios` that belongs to the document; false: none. */
  readonly scenarios: string | false | undefined;
  /** Whether scenarios are loaded again when their files change. */
  readonly watch: boolean;
  /** One JSON object a line instead of text. */
  readonly json: boolean;
  /** No line per request. */
  readonly quiet: boolean;
  /** Everything else a mock is made with. */
  readonly mock: Partial<MockOptions>;
  write(line: string): void;
  writeError(line: string): void;
}

/** Problems shown at start; `vouch check` shows them all. */
const SHOWN_PROBLEMS = 10;

/** The first requests are answered before problems are told: finding their lines costs a moment. */
const PROBLEMS_AFTER_MS = 100;

const PREPARE_SLICE_MS = 4;
const PREPARE_PAUSE_MS = 20;
const PREPARE_BUDGET_MS = 400;

/**
 * `vouch serve`: serves until a signal ends it.
 *
 * @returns the exit code, once the server is closed.
 */
export async function runServe(options: ServeOptions): Promise<number> {
  const spec = options.spec ?? findSpec();
  const fixtures = options.fixtures ?? findFolder(spec, 'fixtures');
  const scenarios = options.scenarios ?? findFolder(spec, 'scenarios');
  const mock = await createMock({
    ...options.mock,
    spec,
    ...(fixtures === false || fixtures === undefined ? {} : { fixtures }),
    ...(scenarios === false || scenarios === undefined ? {} : { scenarios }),
    ...logInteractions(options),
    ...(options.watch && { onReload: (reload) => tellReload(reload, options) }),
  });
  const server = await mock.listen({ port: options.port, host: options.host });
  // Heard from here on: whoever reads that it listens may end it at once.
  const ended = waitForSignal();
  if (options.json)
    options.write(JSON.stringify({ listening: server.baseUrl, seed: mock.seed, spec, fixtures: fixtures || null }));
  else {
    const control = describeControl(options, server.url);
    const active = [options.mock.scenario ?? []].flat().flatMap((names) => names.split(/\s*,\s*/));
    const start = { spec, fixtures, active, control, baseUrl: server.baseUrl };
    for (const line of describeStart(mock, start)) options.write(line);
  }
  const telling = new AbortController();
  setTimeout(() => {
    if (telling.signal.aborted) return;
    tellProblems(mock.contract.problems, spec, options);
    findUnusable(mock, telling.signal, (problems) => tellProblems(problems, spec, options));
  }, PROBLEMS_AFTER_MS).unref();
  const signal = await ended;
  telling.abort();
  if (!options.json) options.write(colour('gray', `${signal}: closing`));
  await mock.close();
  return 0;
}

/** Says what is wrong with the document, errors first: their lines are found by reading the text once more. */
function tellProblems(problems: readonly Problem[], spec: string, options: ServeOptions): void {
  const shown = problems.slice(0, SHOWN_PROBLEMS);
  if (options.json) {
    if (problems.length > 0) options.write(JSON.stringify({ problems: problems.length, shown }));
    return;
  }
  for (const { code, at, message, assumed } of shown) {
    const text = `${message}${assumed === undefined ? '' : `; ${assumed}`}`;
    options.write(colour('yellow', formatMistake({ code, at, message: text })));
  }
  const hidden = problems.length - shown.length;
  if (hidden > 0) options.write(colour('yellow', `… and ${hidden} more: vouch check ${show(spec)}`));
}

/**
 * Compiles schemas between requests, a few milliseconds at a time, and tells of those that cannot be: large documents would take
 * long, so that is given up after a while; `vouch check` does all of it.
 */
function findUnusable(mock: Mock, signal: AbortSignal, tell: (problems: readonly Problem[]) => void): void {
  const steps = mock.prepare();
  // What the first requests came upon is not told yet either.
  const known = mock.contract.problems.length;
  let spentMs = 0;
  const work = (): void => {
    if (signal.aborted) return;
    const begun = performance.now();
    let done = false;
    while (!done && performance.now() - begun < PREPARE_SLICE_MS) done = steps.next().done === true;
    spentMs += performance.now() - begun;
    if (!done && spentMs < PREPARE_BUDGET_MS) setTimeout(work, PREPARE_PAUSE_MS).unref();
    else if (mock.problems.length > known) tell(mock.problems.slice(known));
  };
  work();
}

/** Says that scenarios were read again, and what is wrong with them now. */
function tellReload({ loaded, kept, error }: Reload, options: ServeOptions): void {
  if (options.json) {
    options.write(JSON.stringify({ reloaded: loaded, kept, error: error?.toString() ?? null }));
    return;
  }
  if (error !== undefined) options.writeError(error.toString());
  const stay = kept.length === 0 ? '' : `; as they were: ${kept.join(', ')}`;
  options.write(colour('gray', `scenarios read again: ${loaded.length}${stay}`));
}

/** `spec/openapi.yaml` of this folder, or its `.yml` or `.json`; else the contract that comes with vouch. */
export function findSpec(): string {
  const own = ['yaml', 'yml', 'json']
    .map((ending) => join('spec', `openapi.${ending}`))
    .find((path) => existsSync(path));
  return own ?? join(packageFolder(), 'spec', 'openapi.yaml');
}

/** A folder of that name beside the document, or beside the folder `spec` that the document is in. */
export function findFolder(spec: string, name: 'fixtures' | 'scenarios'): string | undefined {
  if (/^https?:/.test(spec)) return undefined;
  const folder = dirname(spec);
  const candidate = basename(folder) === 'spec' ? join(folder, '..', name) : join(folder, name);
  return existsSync(candidate) ? candidate : undefined;
}

/** The root of the installed package: two folders above the compiled file. */
export function packageFolder(): string {
  return fileURLToPath(new URL('../../..', import.meta.url));
}

interface Start {
  readonly spec: string;
  readonly fixtures: string | false | undefined;
  /** The scenarios it begins with. */
  readonly active: readonly string[];
  readonly control: string;
  readonly baseUrl: string;
}

function describeStart(mock: Mock, { spec, fixtures, active, control, baseUrl }: Start): readonly string[] {
  const { contract } = mock;
  const clock = new Date(mock.clock.now()).toISOString();
  return [
    `${colour('bold', contract.title)} ${contract.version}  ${show(spec)}  ${contract.operations.length} operations`,
    `fixtures ${fixtures ? show(fixtures) : 'none'}  seed ${mock.seed}  clock ${clock}`,
    ...(active.length === 0 ? [] : [`scenarios ${active.join(', ')}`]),
    control,
    `listening on ${colour('bold', baseUrl)}`,
  ];
}

/** Where the control API is, and who may use it. */
function describeControl({ host, mock }: ServeOptions, url: string): string {
  const { control, controlPrefix = '/__mock', controlToken } = mock;
  if (control === false) return 'no control API';
  const place = `control API ${url}${controlPrefix}`;
  if (typeof controlToken === 'string') return `${place}  with its token`;
  if (isLoopback(host)) return place;
  if (controlToken === false) return `${place}  ${colour('yellow', 'for everybody who can reach it')}`;
  return `${place}  ${colour('yellow', 'closed: other machines can reach it, so it needs --control-token')}`;
}

function show(path: string): string {
  if (/^https?:/.test(path)) return path;
  const shown = relative(process.cwd(), path);
  return shown.startsWith(join('..', '..', '..')) ? path : shown;
}

/** Resolves with the signal that asks the process to end. */
export function waitForSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals): void => {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
      resolve(signal);
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
}
