import { spawn } from 'node:child_process';
import type { Clock } from '../../base/clock.js';
import type { Problem } from '../../contract/contract.js';
import { formatMistake } from '../../base/errors.js';
import type { Mock } from '../../mock/handles.js';
import { delay, isUrl, readMonotonic } from '../../base/platform.js';
import { hideUrlSecrets } from '../../conventions/secret-forms.js';
import { isLoopback } from '../../server/control/guard.js';
import type { Listening } from '../../server/listen.js';
import type { CommandSettings } from '../config.js';
import type { ListenFlags } from '../transport.js';
import { colour, type Output, showPath } from '../output.js';

/** The options of what a command prints at start. */
export interface StartOptions extends ListenFlags, Output {
  /** Open the inspector in a browser. */
  readonly open?: boolean;
  readonly settings: CommandSettings;
}

/** A path or URL without its secrets; null for a document that a configuration file contains. */
export function showSpec(spec: string | object): string | null {
  return typeof spec === 'string' || isUrl(spec) ? hideUrlSecrets(String(spec)) : null;
}

/** The address of the control API, and who can use it. */
export function describeControl({ host, settings }: StartOptions, url: string): string {
  const { control, 'control.token': token } = settings.options;
  if (control === false) return 'control API disabled';
  const address = `control API ${url}`;
  if (typeof token === 'string') return `${address}  (token required)`;
  if (isLoopback(host)) return address;
  if (token === false) return `${address}  ${colour('yellow', '(no token: open to every machine that can reach it)')}`;
  return `${address}  (other machines can reach it: it requires the token of the link, or --control-token)`;
}

/**
 * The link to the inspector, with the token that the server made if requests need that one. A token that the user has set is not printed.
 *
 * @param url - Of the control API.
 */
export function linkInspector(
  { settings }: StartOptions,
  { controlToken }: Pick<Listening, 'controlToken'>,
  url: string,
): string {
  const isNeeded = controlToken !== undefined && settings.options['control.token'] === undefined;
  return isNeeded ? `${url}/#token=${controlToken}` : `${url}/`;
}

/** Problems printed at start; `vouch check` prints all. */
const MAX_PROBLEMS = 10;

/** Printing starts after the first requests were answered, because looking up line numbers takes time. */
const PROBLEMS_AFTER_MS = 100;

/** The schemas are read for 400 ms at most, 4 ms at a time: the schemas of a large document take long. */
const MAX_SLICES = 100;
const SLICE_MS = 4;
const PAUSE_MS = 20;

/** Prints the problems of a document, then problems of the schemas that are read between requests; `vouch check` reads all. */
export async function printProblemsLater(
  mock: Mock<Clock>,
  options: StartOptions & { readonly spec: string | object },
  signal: AbortSignal,
): Promise<void> {
  const pause = (ms: number): Promise<void> => delay(ms, undefined, { ref: false });
  await pause(PROBLEMS_AFTER_MS);
  if (signal.aborted) return;
  const known = mock.contract.problems;
  printProblems(known, options);
  const steps = mock.prepare();
  let isDone = false;
  for (let i = 0; i < MAX_SLICES && !isDone; i++) {
    const endsAt = readMonotonic() + SLICE_MS;
    while (!isDone && readMonotonic() < endsAt) isDone = steps.next().done === true;
    if (!isDone) await pause(PAUSE_MS);
    if (signal.aborted) return;
  }
  // With those that the first requests caused.
  printProblems(mock.problems.slice(known.length), options);
}

function printProblems(problems: readonly Problem[], options: Parameters<typeof printProblemsLater>[1]): void {
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
    lines.push(`… and ${hidden} more; to list all: vouch check ${showPath(showSpec(options.spec) ?? '')}`);
  for (const line of lines) options.write(colour('yellow', line));
}

/** The command that opens a URL in the browser of the user, by platform. */
const BROWSER_COMMANDS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  // `start` is a command of the shell; its first argument in quotes is a title.
  win32: ['cmd', '/c', 'start', '""'],
};

/** Opens a URL in the browser of the user, which outlives this process. @param onFailure - Called if there is no such command or it fails. */
function openBrowser(url: string, onFailure: () => void): void {
  const [command, ...first] = BROWSER_COMMANDS[process.platform] ?? ['xdg-open'];
  const browser = spawn(command, [...first, url], { detached: true, stdio: 'ignore' });
  browser.once('error', onFailure);
  browser.once('exit', (code) => {
    if (code !== 0 && code !== null) onFailure();
  });
  browser.unref();
}

/** Opens the page of the inspector with `--open`, except on machines that build and test. */
export function openInspector(address: string | null, { open, writeError }: StartOptions): void {
  if (open !== true) return;
  if (address === null) writeError(colour('yellow', '--open needs the control API and a TCP port'));
  else if ((process.env['CI'] ?? '') === '')
    // The link is printed with its token once.
    openBrowser(address, () =>
      writeError(colour('yellow', `no browser could be opened; open ${address.replace(/#.*$/, '')}`)),
    );
}
