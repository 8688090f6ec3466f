import { clearInterval, setInterval } from '../../../base/platform.js';
import { countOf } from '../../../base/errors.js';
import type { VerifyEvent } from '../../../tools/verify/events.js';

/** How far a verification is, as one line. */
export interface Progress {
  add(event: VerifyEvent): void;
  /** @param columns - The width of the terminal; 0 where it is not known. */
  line(columns: number): string;
}

/** Creates the progress of a verification that has not started. */
export function createProgress(): Progress {
  let [operations, ended, requests, findings] = [0, 0, 0, 0];
  let [part, request] = ['', ''];
  return {
    add: (event) => {
      if (event.type === 'start') operations = event.operations;
      else if (event.type === 'collection') part = `items of ${event.collection}`;
      else if (event.type === 'operation') part = event.operation;
      else if (event.type === 'request') request = `${event.method} ${event.target}`;
      else if (event.type === 'response') requests += event.attempts;
      else if (event.type === 'finding') findings += event.state === 'new' ? 1 : 0;
      else if (event.type === 'verified' || event.type === 'skipped') ended += 1;
    },
    line: (columns) => {
      const counts = `${ended} of ${countOf(operations, 'operation')}, ${countOf(requests, 'request')}, ${countOf(findings, 'finding')}`;
      // A line that fills the terminal would wrap, and could not be removed.
      const line = `${counts}: ${part}  ${request}`.trimEnd();
      return columns > 0 ? line.slice(0, columns - 1) : line;
    },
  };
}

/** Removes the line where standard error is a terminal. */
export function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001B[K');
}

const REPAINT_MS = 100;

/** Shows the progress on standard error until the run ends; a fast service would otherwise be slowed down by the terminal. */
export function showProgress(): (event: VerifyEvent) => void {
  const progress = createProgress();
  const timer = setInterval(() => {
    clearProgress();
    process.stderr.write(progress.line(process.stderr.columns));
  }, REPAINT_MS);
  timer.unref();
  return (event) => {
    progress.add(event);
    if (event.type !== 'end') return;
    clearInterval(timer);
    clearProgress();
  };
}
