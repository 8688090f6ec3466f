import { PROBLEM_CODES } from '../contract/contract.js';
import { nearest } from '../errors.js';
import { VIOLATION_CODES } from '../schema/violation.js';
import { ERROR_MEANINGS } from './error-meanings.js';

/** What `vouch explain` is asked. */
export interface ExplainOptions {
  /** Undefined lists all codes. */
  readonly code: string | undefined;
  write(line: string): void;
  writeError(line: string): void;
}

/** What there are codes for, and where the manual tells more of them. */
const KINDS: readonly (readonly [title: string, page: string, codes: Readonly<Record<string, string>>])[] = [
  ['departures of a request or an answer from the contract', 'docs/violations.md', VIOLATION_CODES],
  ['mistakes in a document that is served all the same', 'docs/documents.md', PROBLEM_CODES],
  ['mistakes in setting a mock up', 'docs/errors.md', ERROR_MEANINGS],
];

/** `vouch explain [code]`: what a code means, of whatever kind it is. @returns the exit code. */
export function runExplain(options: ExplainOptions): number {
  if (options.code === undefined) {
    for (const [title, page, codes] of KINDS) {
      options.write(`${title} (${page})`);
      for (const [code, meaning] of Object.entries(codes)) options.write(`  ${code.padEnd(26)} ${meaning}`);
    }
    return 0;
  }
  const code = options.code.toUpperCase().replaceAll('-', '_');
  const known = KINDS.filter(([, , codes]) => Object.hasOwn(codes, code));
  for (const [, page, codes] of known) options.write(`${code}\n  ${codes[code] ?? ''}\n  more: ${page}`);
  if (known.length > 0) return 0;
  const close = nearest(
    code,
    KINDS.flatMap(([, , codes]) => Object.keys(codes)),
  );
  options.writeError(`nothing has the code "${options.code}"`);
  options.writeError(
    close === undefined ? '  hint: "vouch explain" lists them all' : `  hint: did you mean "${close}"?`,
  );
  return 1;
}
