import type { Command } from 'commander';
import { PROBLEM_CODES } from '../../../contract/contract.js';
import { ERROR_CODES, suggest } from '../../../base/errors.js';
import { VIOLATION_CODES } from '../../../schema/violation.js';
import type { Output } from '../../output.js';

/** The kinds of codes, and the page of the documentation that describes each. */
const KINDS: readonly (readonly [title: string, page: string, codes: Readonly<Record<string, string>>])[] = [
  ['violations of the contract by a request or response', 'docs/violations.md', VIOLATION_CODES],
  ['problems of an OpenAPI document that do not prevent serving it', 'docs/documents.md', PROBLEM_CODES],
  ['errors', 'docs/errors.md', ERROR_CODES],
];

interface ExplainOptions extends Output {
  /** Default: list all codes. */
  readonly code?: string | undefined;
}

/** Defines `vouch explain`. */
export function defineCommand(command: Command, output: Output): void {
  command.argument('[code]', 'a code such as REQUIRED (default: list all)').action((code: string | undefined) => {
    process.exitCode = runExplain({ code, ...output });
  });
}

/** `vouch explain`: prints what a code means. @returns the exit code: 1 if no such code exists, otherwise 0. */
export function runExplain({ code: given, write, writeError }: ExplainOptions): number {
  if (given === undefined) {
    for (const [title, page, codes] of KINDS) {
      write(`${title} (${page})`);
      for (const [code, meaning] of Object.entries(codes)) write(`  ${code.padEnd(26)} ${meaning}`);
    }
    return 0;
  }
  const code = given.toUpperCase().replaceAll('-', '_');
  const known = KINDS.filter(([, , codes]) => Object.hasOwn(codes, code));
  for (const [, page, codes] of known) write(`${code}\n  ${codes[code] ?? ''}\n  more: ${page}`);
  if (known.length > 0) return 0;
  const allCodes = KINDS.flatMap(([, , codes]) => Object.keys(codes));
  writeError(`unknown code "${given}"`);
  writeError(`  hint: ${suggest(code, allCodes) ?? '"vouch explain" lists all codes'}`);
  return 1;
}
