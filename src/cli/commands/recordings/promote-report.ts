import { countOf } from '../../../base/errors.js';
import type { Contract } from '../../../contract/contract.js';
import type { Cassette } from '../../../features/recording/cassette/cassette.js';
import type { SkippedItem } from '../../../features/recording/promote/promote-files.js';
import type { RerunDifference } from '../../../features/recording/promote/rerun.js';
import { type Output, showPath } from '../../output.js';

/** Flags of `vouch recordings promote`. */
export interface PromoteFlags {
  /** The folder for fixtures. */
  readonly into: string;
  /** The folder for the scenario with recorded errors; default: `scenarios` beside the fixtures. */
  readonly scenarios?: string;
  /** Write the state after the last exchange instead of before the first. */
  readonly final?: boolean;
  /** Overwrite existing files. */
  readonly force?: boolean;
  readonly format?: 'text' | 'json' | 'junit';
}

/** Whether the promoted mock gives a recorded response. */
export interface PromotedAnswer {
  /** The file of the exchange. */
  readonly file: string;
  /** `replay`: only a replay of the recording has it. */
  readonly verdict: 'differs' | 'replay' | 'right';
  /** Where and why it differs, why it is left to replay, or why other requests are answered differently. */
  readonly why: readonly string[];
}

/** The result of promoting a cassette. */
export interface PromoteOutcome {
  /** The files written. */
  readonly files: readonly string[];
  readonly skipped: readonly SkippedItem[];
  /** What the overlay changes in the document, because the recording shows that the service differs from it. */
  readonly drift: readonly string[];
  /** Recorded responses that the mock with the new fixtures answers differently; empty with `final`, where they cannot be compared. */
  readonly differences: readonly RerunDifference[];
  /** One for each exchange; empty with `final`. */
  readonly answers: readonly PromotedAnswer[];
  /** The flags with which `vouch serve` answers from what was written; empty with `final`. */
  readonly serve: readonly string[];
}

/** Whether the promoted mock gives each recorded response. @param left - The exchanges that no rule can answer. */
export function listAnswers(
  { exchanges }: Cassette,
  parts: {
    readonly contract: Contract;
    readonly differences: readonly RerunDifference[];
    readonly left: readonly SkippedItem[];
    /** Those that the mock accepts without a scenario, although the service refused the request. */
    readonly unlearned: readonly RerunDifference[];
  },
): readonly PromotedAnswer[] {
  const reasons = new Map(parts.left.map(({ id, why }) => [id, why]));
  const lines = new Map(parts.differences.map((difference) => [difference.exchange, difference.lines]));
  const unlearned = new Set(parts.unlearned.map(({ exchange }) => exchange));
  return exchanges.map((exchange): PromotedAnswer => {
    const { file, operation, response } = exchange;
    const unanswered = response === undefined ? 'the connection failed' : undefined;
    const unknown =
      parts.contract.operation(operation) === undefined ? 'the contract has no such operation' : undefined;
    const why = lines.get(exchange) ?? [];
    const left = unanswered ?? unknown ?? (why.length > 0 ? reasons.get(file) : undefined);
    if (left !== undefined) return { file, verdict: 'replay', why: [left] };
    if (why.length > 0) return { file, verdict: 'differs', why };
    return { file, verdict: 'right', why: unlearned.has(exchange) ? [UNLEARNED] : [] };
  });
}

const UNLEARNED = 'rule not learned: only requests like this one are refused';

/** Prints the result of a promotion. @returns the exit code: 1 if items were skipped or responses differ, otherwise 0. */
export function printPromotion(
  outcome: PromoteOutcome,
  flags: PromoteFlags & { readonly spec: string },
  write: Output['write'],
): number {
  const { files, skipped, drift, differences, answers, serve } = outcome;
  if (flags.format === 'json') {
    const list = differences.map(({ exchange, lines }) => ({ file: exchange.file, lines }));
    write(JSON.stringify({ files: files.map(showPath), skipped, drift, answers, differences: list }, null, 2));
  } else {
    for (const file of files) write(`wrote ${showPath(file)}`);
    for (const line of drift) write(`drift ${line}`);
    const exchanges = new Set(answers.map(({ file }) => file));
    for (const { collection, id, why } of skipped) if (!exchanges.has(id)) write(`skipped ${collection} ${id}: ${why}`);
    for (const { file, verdict, why } of answers) {
      for (const line of why.length === 0 ? [''] : why) write(`${verdict} ${file}${line === '' ? '' : `: ${line}`}`);
    }
    if (flags.final !== true) {
      write(summarize(answers));
      write(`serve it: vouch serve ${[flags.spec, ...serve.map(showPath)].join(' ')}`);
    }
  }
  return skipped.length === 0 && differences.length === 0 ? 0 : 1;
}

function summarize(answers: readonly PromotedAnswer[]): string {
  const count = (verdict: PromotedAnswer['verdict']): number =>
    answers.filter((each) => each.verdict === verdict).length;
  if (count('right') === answers.length) return 'the mock gives the recorded responses';
  const total = countOf(answers.length, 'response');
  return `${count('right')} of ${total} right, ${count('differs')} differ, ${count('replay')} left to replay`;
}
