import { readFileSync } from 'node:fs';

/** The bodies the bare servers answer with: what vouch itself answered to each kind of request, asked before the bench starts. */
export interface Answers {
  readonly list: unknown;
  readonly create: unknown;
  readonly content: unknown;
  readonly delete: unknown;
  readonly 'invalid create': unknown;
}

/** Reads the file that is the process's first argument. */
export function readAnswers(): Answers {
  // Written by run.ts in this very form.
  return JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Answers;
}
