import { type Program, startProgram } from '../cli/run-program.js';

/** A process of the built command that serves a mock. */
export interface ReplicaProcess extends Pick<Program, 'end'> {
  readonly url: string;
}

/** Starts `vouch` with these words, and resolves when it listens. */
export async function startReplica(
  words: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<ReplicaProcess> {
  const { end, listening } = startProgram(words, options);
  return { url: new URL(await listening()).origin, end };
}
