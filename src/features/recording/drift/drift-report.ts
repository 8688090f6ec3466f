import { type JunitCase, writeJunit } from '../../../base/junit.js';
import type { DriftResult, DriftVerdict } from './drift.js';

/** The mark, the exit code and the text of each verdict; a verdict with exit code 1 or 2 is a failure. */
const VERDICTS: Readonly<Record<DriftVerdict, readonly [mark: string, exit: 0 | 1 | 2 | 3 | 4 | 5, text: string]>> = {
  'in-sync': ['=', 0, 'in sync'],
  'recording-old': ['~', 1, 'the recording is outdated: record it again'],
  'api-left-contract': ['!', 2, 'the API violates the contract'],
  'recording-stale': ['~', 1, 'the recording violates the contract, the API does not: record it again'],
  'contract-wrong': ['!', 2, 'the contract is wrong: API and recording agree'],
  'both-off-contract': ['!', 2, 'API and recording violate the contract in different ways'],
  unreachable: ['?', 3, 'could not be compared'],
  'list-empty': ['?', 4, 'the list is empty now'],
  gone: ['?', 5, 'the API answers that it does not exist'],
  skipped: ['-', 0, 'skipped'],
};

/**
 * The exit code: 0 all in sync, 1 a recording is not up to date, 2 the API and the contract disagree, 3 a request could not be
 * compared or none was, 4 a list is empty now, 5 something does not exist any more. The highest one wins.
 */
export function readDriftExit(results: readonly DriftResult[]): number {
  if (results.every(({ verdict }) => verdict === 'skipped')) return 3;
  return Math.max(...results.map(({ verdict }) => VERDICTS[verdict][1]));
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
  return [...lines, '', counts.length === 0 ? 'the cassette is empty' : counts.join(', ')];
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
