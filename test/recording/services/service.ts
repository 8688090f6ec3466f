// What a real server is for the tests that record it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { PromoteOutcome } from '../../../src/cli/commands/recordings/promote-report.js';

/** A call of a workflow; a function gets the bodies of the calls before it. */
export interface Step {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string | ((bodies: readonly string[]) => string);
  /** JSON; a function gets the bodies of the calls before it. */
  readonly body?: unknown;
  /** Without credentials. */
  readonly anonymous?: true;
  /** A stream without an end: read until this text has come. */
  readonly until?: string;
}

/** A server, and what a client does with it. */
export interface Service {
  readonly spec: string;
  /** The header fields of its client. */
  readonly headers: Readonly<Record<string, string>>;
  /** Starts the server in a folder. @returns the process and the URL of its API. */
  start(folder: string): Promise<{ readonly child: ChildProcess; readonly url: string; readonly ready: string }>;
  /** Asks the server whether this machine lets it do what the workflow asks for. @returns why it does not. */
  readonly probe?: (url: string) => Promise<string | undefined>;
  readonly workflow: readonly Step[];
  /** Whether its answers differ from its document. */
  readonly isOffContract?: true;
  /** The requests that drift cannot compare: file, verdict and reason. */
  readonly notCompared: readonly (readonly [file: string, verdict: string, reason: string | undefined])[];
  /** The responses that the promoted mock does not give: the file, and each difference. */
  readonly differs: readonly (readonly [file: string, ...why: RegExp[]])[];
  /** What is not promoted. */
  readonly skipped: readonly string[];
  /** Checks what was promoted. */
  readonly verify?: (outcome: PromoteOutcome, into: string) => Promise<void>;
}

/** Starts an installed program. */
export function launch(program: string, options: readonly string[]): ChildProcess {
  return spawn(findProgram(program) ?? program, options, { stdio: ['ignore', 'pipe', 'pipe'] });
}

/** The path of an installed program; servers are in folders that are not in every user's PATH. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin', '/sbin'];
  return folders
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** A member of a JSON body as text. */
export function readMember(body: string | undefined, name: string): string {
  return String((JSON.parse(body ?? '{}') as Readonly<Record<string, unknown>>)[name]);
}

/** Starts a server until the test is over. */
export async function start(
  service: Service,
  folder: string,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const { child, url, ready } = await service.start(folder);
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill();
    await once(child, 'exit');
  };
  onTestFinished(stop);
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}: ${output}`);
    const response = await fetch(`${url}${ready}`, { headers: service.headers }).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.ok === true) return { url, stop };
    // The server has no sign of its own that it listens.
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
