import type { DriftResult, DriftVerdict } from './drift.js';

/** What each verdict means to the person who reads it. */
const VERDICTS: Readonly<Record<DriftVerdict, string>> = {
  'in-sync': 'in sync',
  'recording-old': 'the recording is old: record it again',
  'api-left-contract': 'the API left its contract',
  'recording-stale': 'the recording is stale: record it again',
  'contract-wrong': 'the contract is wrong: API and recording agree',
  'both-off-contract': 'API and recording both depart from the contract, each in its own way',
  unreachable: 'the API could not be asked',
  skipped: 'not asked',
};

/**
 * The exit code: 0 all in sync · 1 recordings have to be made again · 2 the API and its contract disagree · 3 something could
 * not be compared, or nothing was. The highest one wins.
 */
export function readDriftExit(results: readonly DriftResult[]): 0 | 1 | 2 | 3 {
  const has = (...verdicts: readonly DriftVerdict[]): boolean =>
    results.some(({ verdict }) => verdicts.includes(verdict));
  if (has('unreachable') || results.every(({ verdict }) => verdict === 'skipped')) return 3;
  if (has('api-left-contract', 'contract-wrong', 'both-off-contract')) return 2;
  return has('recording-old', 'recording-stale') ? 1 : 0;
}

/** The results as lines of text, and a line that counts them. */
export function formatDrift(results: readonly DriftResult[]): readonly string[] {
  const lines = results.flatMap((result) => [
    `${MARKS[result.verdict]} ${result.file}  ${result.method} ${result.target}`,
    ...(result.verdict === 'in-sync' ? [] : [`    ${VERDICTS[result.verdict]}`]),
    ...listFacts(result).map((fact) => `    ${fact}`),
  ]);
  const counts = Object.entries(VERDICTS)
    .map(
      ([verdict, words]) =>
        [results.filter((result) => result.verdict === verdict).length, words.split(':')[0]] as const,
    )
    .filter(([count]) => count > 0)
    .map(([count, words]) => `${count} × ${words}`);
  return [...lines, '', counts.length === 0 ? 'the cassette is empty' : counts.join(', ')];
}

/** The results as one JSON object. */
export function toDriftJson(results: readonly DriftResult[]): string {
  const exitCode = readDriftExit(results);
  return JSON.stringify(
    { exitCode, results: results.map((result) => ({ ...result, meaning: VERDICTS[result.verdict] })) },
    null,
    2,
  );
}

/** The results as a JUnit report: a test case for every request. */
export function toDriftJunit(results: readonly DriftResult[], cassette: string): string {
  const failures = results.filter(({ verdict }) => !['in-sync', 'skipped', 'unreachable'].includes(verdict)).length;
  const errors = results.filter(({ verdict }) => verdict === 'unreachable').length;
  const skipped = results.filter(({ verdict }) => verdict === 'skipped').length;
  const cases = results.map((result) => {
    const open = `    <testcase classname="${escapeXml(result.operation)}" name="${escapeXml(`${result.method} ${result.target}`)}"`;
    if (result.verdict === 'in-sync') return `${open}/>`;
    const message = escapeXml(result.reason ?? VERDICTS[result.verdict]);
    if (result.verdict === 'skipped') return `${open}><skipped message="${message}"/></testcase>`;
    const element = result.verdict === 'unreachable' ? 'error' : 'failure';
    const text = escapeXml(listFacts(result).join('\n'));
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

const MARKS: Readonly<Record<DriftVerdict, string>> = {
  'in-sync': '=',
  'recording-old': '~',
  'api-left-contract': '!',
  'recording-stale': '~',
  'contract-wrong': '!',
  'both-off-contract': '!',
  unreachable: '?',
  skipped: '-',
};

function listFacts(result: DriftResult): readonly string[] {
  return [
    ...(result.reason === undefined ? [] : [result.reason]),
    ...result.differences.map(({ message }) => message),
    ...result.recorded.map(({ message }) => `recorded: ${message}`),
    ...result.live.map(({ message }) => `live: ${message}`),
    ...result.suggestions.map((suggestion) => `would fit: ${suggestion}`),
  ];
}

// XML 1.0 section 2.2 has no place for most control characters.
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
