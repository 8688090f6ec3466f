import { readdirSync, readFileSync } from 'node:fs';

/**
 * The CPU time of a process and of those that it started, in microseconds: user and system time of all threads (Linux only).
 *
 * It is read from outside, so that programs that are not Node.js, or start others, are measured in the same way.
 */
export function readProcessCpu(id: number): number {
  return listProcesses(id).reduce((sum, each) => sum + readOwnCpu(each), 0);
}

/** The memory of a process and of those that it started, in kilobytes (resident set). */
export function readProcessMemory(id: number): number {
  return listProcesses(id).reduce((sum, each) => {
    const size = /^VmRSS:\s+(?<size>\d+)/mu.exec(readOrEmpty(`/proc/${each}/status`))?.groups?.['size'];
    return sum + Number(size ?? 0);
  }, 0);
}

function listProcesses(id: number): readonly number[] {
  const threads = listNames(`/proc/${id}/task`);
  const children = threads.flatMap((thread) => readOrEmpty(`/proc/${id}/task/${thread}/children`).trim().split(/\s+/u));
  return [id, ...children.filter((child) => child !== '').flatMap((child) => listProcesses(Number(child)))];
}

/** Nanoseconds on the processor are the first figure of `schedstat`; a thread that has ended is not counted. */
function readOwnCpu(id: number): number {
  return listNames(`/proc/${id}/task`).reduce((sum, thread) => {
    const [nanoseconds = '0'] = readOrEmpty(`/proc/${id}/task/${thread}/schedstat`).split(' ');
    return sum + Number(nanoseconds) / 1000;
  }, 0);
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The text of a file; empty where the process or thread has ended. */
function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
