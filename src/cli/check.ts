import { checkExamples } from './check-examples.js';
import { loadContract } from '../contract/load/load.js';
import type { Problem } from '../contract/contract.js';
import { formatMistake } from '../errors.js';
import { prepareSchemas } from '../schema/validate.js';
import { createValidators } from '../schema/validate.js';

/** What `vouch check` was asked. */
export interface CheckOptions {
  /** A path or URL. */
  readonly spec: string;
  /** One JSON object instead of lines. */
  readonly json: boolean;
  readonly overlays: readonly string[];
  readonly allowHttpRefs: boolean;
  write(line: string): void;
}

/**
 * `vouch check`: every problem of a document, every example that breaks its schema and every schema that cannot be compiled, one a
 * line, in the order of the document.
 *
 * @returns 1 where one of them is an error, else 0.
 * @throws MockError where the document cannot be read at all.
 */
export async function runCheck(options: CheckOptions): Promise<number> {
  const { spec, json, overlays, allowHttpRefs, write } = options;
  // Whoever checks a document changes it between two runs: keeping a copy of each state would fill the disk for nothing.
  const contract = await loadContract(spec, { overlays, allowHttpRefs, cacheFolder: false });
  const validators = createValidators(contract);
  for (const pointer of prepareSchemas(contract, validators)) void pointer;
  const found = [...contract.problems, ...checkExamples(contract, validators), ...validators.problems()];
  const problems = found.toSorted(comparePlaces);
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const { title, version, operations } = contract;
  if (json) {
    write(JSON.stringify({ spec, title, version, operations: operations.length, errors, problems }, undefined, 2));
  } else {
    for (const problem of problems) write(formatProblem(problem));
    const counts = `${count(errors, 'error')}, ${count(problems.length - errors, 'warning')}`;
    write(`${title} ${version}: ${count(operations.length, 'operation')}, ${counts}`);
  }
  return errors > 0 ? 1 : 0;
}

/** One problem as one line: how bad, its code, place and message, and what vouch does about it. */
function formatProblem(problem: Problem): string {
  const assumed = problem.assumed === undefined ? '' : `; ${problem.assumed}`;
  return `${problem.severity.padEnd(7)}  ${formatMistake(problem)}${assumed}`;
}

function comparePlaces(one: Problem, other: Problem): number {
  const byFile = (one.at.file ?? '').localeCompare(other.at.file ?? '');
  return byFile === 0 ? (one.at.line ?? 0) - (other.at.line ?? 0) : byFile;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
