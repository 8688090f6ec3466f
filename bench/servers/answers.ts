import { readFileSync } from 'node:fs';

/** The response bodies of the reference servers: the response of vouch to each kind of request, read before the bench starts. */
export interface Answers {
  readonly list: unknown;
  readonly create: unknown;
  readonly content: unknown;
  readonly delete: unknown;
  readonly 'invalid create': unknown;
}

/** Reads the file named by the first argument of the process. */
export function readAnswers(): Answers {
  // Written by run.ts in this form.
  return JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Answers;
}
