import { type JunitCase, writeJunit } from '../../../base/junit.js';
import type { DriftResult, DriftVerdict } from './drift.js';

/** The mark, the exit code and the text of each verdict. 1 and 2 are differences that were found, 3 to 5 that nothing could be compared. */
const VERDICTS: Readonly<Record<DriftVerdict, readonly [mark: string, exit: DriftExit, text: string]>> = {
  'in-sync': ['=', 0, 'in sync'],
  'recording-old': ['~', 1, 'the recording is outdated: record it again'],
  'api-left-contract': ['!', 2, 'the API violates the contract'],
  'recording-stale': ['~', 1, 'the recording violates the contract, the API does not: record it again'],
  'contract-wrong': ['!', 2, 'the contract is wrong: API and recording agree'],
  'both-off-contract': ['!', 2, 'API and recording violate the contract in different ways'],
  unreachable: ['?', 3, 'could not be compared'],
  'recorded-list-empty': ['?', 3, 'the list in the recording is empty'],
  'list-empty': ['?', 4, 'the list is empty now'],
  gone: ['?', 5, 'the API answers that it does not exist'],
  skipped: ['-', 0, 'skipped'],
};

/**
 * 0 all in sync, 1 a recording is not up to date, 2 the API and the contract disagree, 3 a request could not be compared or none
 * was, 4 a list is empty now, 5 something does not exist any more.
 */
export type DriftExit = 0 | 1 | 2 | 3 | 4 | 5;

/** The exit codes in order of severity: what was found comes before what could not be compared. */
const BY_SEVERITY: readonly DriftExit[] = [2, 1, 5, 4, 3];

/** The most severe one of several exit codes. */
export function readWorstExit(exits: readonly DriftExit[]): DriftExit {
  return BY_SEVERITY.find((exit) => exits.includes(exit)) ?? 0;
}

/** The verdict as a sentence. */
export function describeVerdict(verdict: DriftVerdict): string {
  return VERDICTS[verdict][2];
}

/** The exit code for the results of one cassette. */
export function readDriftExit(results: readonly DriftResult[]): DriftExit {
  if (results.every(({ verdict }) => verdict === 'skipped')) return 3;
  return readWorstExit(results.map(({ verdict }) => VERDICTS[verdict][1]));
}

/** The results as lines of text, followed by their count. */
export function formatDrift(results: readonly DriftResult[]): readonly string[] {
  const lines = results.flatMap((result) => {
    const [mark, , text] = VERDICTS[result.verdict];
    const details = [...(result.verdict === 'in-sync' ? [] : [text]), ...listDetails(result)];
    return [`${mark} ${result.file}  ${result.method} ${result.target}`, ...details.map((detail) => `    ${detail}`)];
  });
  const counts = Object.entries(VERDICTS).flatMap(([verdict, [, , text]]) => {
    const count = results.filter((result) => result.verdict === verdict).length;
    return count === 0 ? [] : [`${count} × ${text.split(':')[0] ?? ''}`];
  });
  const hint = toBaseHint(results);
  const summary = counts.length === 0 ? 'the cassette is empty' : counts.join(', ');
  return [...lines, '', summary, ...(hint === undefined ? [] : [hint])];
}

/** If the API knows none of the paths, its base URL is probably wrong. */
function toBaseHint(results: readonly DriftResult[]): string | undefined {
  const compared = results.filter(({ verdict }) => verdict !== 'skipped');
  const isWrong = compared.length > 1 && compared.every(({ verdict }) => verdict === 'gone');
  return isWrong ? 'hint: the API knows none of these paths: check the path of the base URL in --upstream' : undefined;
}

/** The results as a JSON object. */
export function toDriftJson(results: readonly DriftResult[]): string {
  const explained = results.map((result) => ({ ...result, meaning: VERDICTS[result.verdict][2] }));
  return JSON.stringify({ exitCode: readDriftExit(results), results: explained }, null, 2);
}

/** The results as a JUnit report with a test case for every request. */
export function toDriftJunit(results: readonly DriftResult[], cassette: string): string {
  const cases = results.map((result): JunitCase => {
    const { operation: group, method, target, verdict, reason } = result;
    const name = `${method} ${target}`;
    if (verdict === 'in-sync') return { group, name };
    const message = reason ?? VERDICTS[verdict][2];
    if (verdict === 'skipped') return { group, name, outcome: { element: 'skipped', message } };
    const element = VERDICTS[verdict][1] >= 3 ? 'error' : 'failure';
    return { group, name, outcome: { element, type: verdict, message, text: listDetails(result).join('\n') } };
  });
  return writeJunit([{ name: `drift of ${cassette}`, cases }]);
}

function listDetails(result: DriftResult): readonly string[] {
  return [
    ...(result.reason === undefined ? [] : [result.reason]),
    ...result.differences.map(({ message }) => message),
    ...result.recorded.map(({ message }) => `recorded: ${message}`),
    ...result.live.map(({ message }) => `live: ${message}`),
    ...result.suggestions.map((suggestion) => `suggested change: ${suggestion}`),
  ];
}
