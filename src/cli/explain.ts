import { nearest } from '../errors.js';
import { VIOLATION_CODES } from '../http/violation-codes.js';

/** What `vouch explain` is asked. */
export interface ExplainOptions {
  /** Undefined lists all codes. */
  readonly code: string | undefined;
  write(line: string): void;
  writeError(line: string): void;
}

/** `vouch explain [code]`: what a violation code means. @returns the exit code. */
export function runExplain(options: ExplainOptions): number {
  const codes: ReadonlyMap<string, string> = new Map(Object.entries(VIOLATION_CODES));
  if (options.code === undefined) {
    for (const [code, meaning] of codes) options.write(`${code.padEnd(26)} ${meaning}`);
    return 0;
  }
  const code = options.code.toUpperCase().replaceAll('-', '_');
  const meaning = codes.get(code);
  if (meaning === undefined) {
    const close = nearest(code, codes.keys());
    options.writeError(`no violation has the code "${options.code}"`);
    options.writeError(
      close === undefined ? '  hint: "vouch explain" lists them all' : `  hint: did you mean "${close}"?`,
    );
    return 1;
  }
  options.write(`${code}\n  ${meaning}`);
  return 0;
}
