import { spawn } from 'node:child_process';

/** The command that opens a URL in the browser of the user, by platform. */
const COMMANDS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  // `start` is a command of the shell; its first argument in quotes is a title.
  win32: ['cmd', '/c', 'start', '""'],
};

/** Opens a URL in the browser of the user, which outlives this process. @param onFailure - Called if there is no such command or it fails. */
export function openBrowser(url: string, onFailure: () => void): void {
  const [command, ...first] = COMMANDS[process.platform] ?? ['xdg-open'];
  const browser = spawn(command, [...first, url], { detached: true, stdio: 'ignore' });
  browser.once('error', onFailure);
  browser.once('exit', (code) => {
    if (code !== 0 && code !== null) onFailure();
  });
  browser.unref();
}
