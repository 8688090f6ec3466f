import type { DriftResult, DriftVerdict } from './drift.js';

/** The text and the mark of each verdict. */
const VERDICTS: Readonly<Record<DriftVerdict, readonly [mark: string, text: string]>> = {
  'in-sync': ['=', 'in sync'],
  'recording-old': ['~', 'the recording is outdated: record it again'],
  'api-left-contract': ['!', 'the API violates the contract'],
  'recording-stale': ['~', 'the recording violates the contract, the API does not: record it again'],
  'contract-wrong': ['!', 'the contract is wrong: API and recording agree'],
  'both-off-contract': ['!', 'API and recording violate the contract in different ways'],
  unreachable: ['?', 'no answer to compare'],
  skipped: ['-', 'skipped'],
};

// These mean that the API and the contract disagree, or that a recording is not up to date.
const FAILURES: ReadonlySet<DriftVerdict> = new Set([
  'recording-old',
  'api-left-contract',
  'recording-stale',
  'contract-wrong',
  'both-off-contract',
]);

/**
 * The exit code: 0 all in sync, 1 a recording is not up to date, 2 the API and the contract disagree, 3 a request could not be
 * compared or none was. The highest one wins.
 */
export function readDriftExit(results: readonly DriftResult[]): 0 | 1 | 2 | 3 {
  const has = (...verdicts: readonly DriftVerdict[]): boolean =>
    results.some(({ verdict }) => verdicts.includes(verdict));
  if (has('unreachable') || results.every(({ verdict }) => verdict === 'skipped')) return 3;
  if (has('api-left-contract', 'contract-wrong', 'both-off-contract')) return 2;
  return has('recording-old', 'recording-stale') ? 1 : 0;
}

/** The results as lines of text, followed by their count. */
export function formatDrift(results: readonly DriftResult[]): readonly string[] {
  const lines = results.flatMap((result) => [
    `${VERDICTS[result.verdict][0]} ${result.file}  ${result.method} ${result.target}`,
    ...(result.verdict === 'in-sync' ? [] : [`    ${VERDICTS[result.verdict][1]}`]),
    ...listDetails(result).map((detail) => `    ${detail}`),
  ]);
  const counts = Object.entries(VERDICTS)
    .map(
      ([verdict, [, text]]) =>
        [results.filter((result) => result.verdict === verdict).length, text.split(':')[0]] as const,
    )
    .filter(([count]) => count > 0)
    .map(([count, text]) => `${count} × ${text}`);
  return [...lines, '', counts.length === 0 ? 'the cassette is empty' : counts.join(', ')];
}

/** The results as a JSON object. */
export function toDriftJson(results: readonly DriftResult[]): string {
  const exitCode = readDriftExit(results);
  return JSON.stringify(
    { exitCode, results: results.map((result) => ({ ...result, meaning: VERDICTS[result.verdict][1] })) },
    null,
    2,
  );
}

/** The results as a JUnit report with a test case for every request. */
export function toDriftJunit(results: readonly DriftResult[], cassette: string): string {
  const failures = results.filter(({ verdict }) => FAILURES.has(verdict)).length;
  const errors = results.filter(({ verdict }) => verdict === 'unreachable').length;
  const skipped = results.filter(({ verdict }) => verdict === 'skipped').length;
  const cases = results.map((result) => {
    const open = `    <testcase classname="${escapeXml(result.operation)}" name="${escapeXml(`${result.method} ${result.target}`)}"`;
    if (result.verdict === 'in-sync') return `${open}/>`;
    const message = escapeXml(result.reason ?? VERDICTS[result.verdict][1]);
    if (result.verdict === 'skipped') return `${open}><skipped message="${message}"/></testcase>`;
    const element = result.verdict === 'unreachable' ? 'error' : 'failure';
    const text = escapeXml(listDetails(result).join('\n'));
    return `${open}><${element} type="${result.verdict}" message="${message}">${text}</${element}></testcase>`;
  });
  const counts = `tests="${results.length}" failures="${failures}" errors="${errors}" skipped="${skipped}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${escapeXml(`drift of ${cassette}`)}" ${counts}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
  ].join('\n');
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

// XML 1.0 section 2.2: most control characters are not allowed.
// oxlint-disable-next-line no-control-regex -- control characters are what it takes out
const NO_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g;

function escapeXml(text: string): string {
  return text
    .replaceAll(NO_XML, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;');
}
