import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { defineCommand } from '../../src/cli/commands/coverage.js';
import { type CoverageCounts, mergeCoverage } from '../../src/features/coverage/coverage.js';
import { toCoverageHtml } from '../../src/features/coverage/html.js';
import { formatCoverage } from '../../src/features/coverage/report.js';
import { createMock, loadContract } from '../../src/index.js';
import { SCENARIOS, SPEC } from './document.js';
import { createSharedFolder } from '../folders.js';
import { type Printed, runCommand } from '../cli/run-command.js';

const root = createSharedFolder();
const folder = join(root, 'run');

/** Two mocks of one run; each of them exercises another part. */
beforeAll(async () => {
  const contract = await loadContract(SPEC);
  const run = async (path: string, init?: RequestInit): Promise<void> => {
    const mock = await createMock({ spec: contract, state: false, scenarios: SCENARIOS, coverage: { folder } });
    await mock.fetch(path, init);
    await mock.close();
  };
  await run('/stations?limit=2');
  await run('/stations', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
  await run('/trains');
});

/** Runs `vouch coverage`. */
const run = (...words: readonly string[]): Promise<Printed> => runCommand(defineCommand, [folder, ...words]);

const TABLE = `Trains 1.0  3 requests, 1 of them to no operation

                        covered    total  percent
Operations                    2        3   66.66%
Parameters                    1        5   20.00%
Request media types           1        2   50.00%
Statuses                      2        5   40.00%
Response media types          1        3   33.33%
Examples                      1        3   33.33%
Scenario rules                0        2    0.00%
All                           8       23   34.78%

not covered
GET /stations (listStations)
  parameter query filter
  parameter header X-Trace
  parameter cookie theme
  response 2XX text/csv
  example 2XX application/json: many
  example 2XX text/csv: example
  status default
  response default application/json
POST /stations (addStation)
  request application/x-www-form-urlencoded
  status 409
DELETE /stations/{id} (closeStation): never called
rule known/addStation[0] (#/scenarios/known/operations/addStation): never applied
rule late/listStations[0] (#/scenarios/late/operations/listStations): never applied`;

it('vouch coverage prints one table of what all mocks of the run exercised', async () => {
  expect(await run()).toEqual({ text: TABLE, error: '', exit: 0 });
});

it('vouch coverage marks percentages and titles with colours', async () => {
  const { text } = await run('--format', 'json');
  // Written by the command itself.
  const [report] = mergeCoverage((JSON.parse(text) as { readonly documents: readonly CoverageCounts[] }).documents);
  const painted = report === undefined ? '' : formatCoverage(report, (name, plain) => `<${name}>${plain}</${name}>`);
  expect(painted.replaceAll(/<\/?\w+>/g, '')).toBe(TABLE);
  expect(painted.match(/<\w+>[^<]*<\/\w+>/g)).toEqual([
    '<bold>Trains 1.0</bold>',
    '<yellow>   66.66%</yellow>',
    '<red>   20.00%</red>',
    '<yellow>   50.00%</yellow>',
    '<red>   40.00%</red>',
    '<red>   33.33%</red>',
    '<red>   33.33%</red>',
    '<red>    0.00%</red>',
    '<red>   34.78%</red>',
    '<bold>not covered</bold>',
  ]);
});

it('vouch coverage prints everything as JSON', async () => {
  const { text } = await run('--format', 'json', '--coverage-threshold', '90');
  expect(JSON.parse(text)).toMatchObject({
    documents: [
      {
        document: { title: 'Trains', version: '1.0' },
        requests: 3,
        unmatched: 1,
        total: { covered: 8, total: 23, percent: 34.78 },
        kinds: { parameters: { covered: 1, total: 5, percent: 20 } },
        operations: [
          {
            id: 'listStations',
            hits: 1,
            items: expect.arrayContaining([{ kind: 'statuses', name: '2XX', hits: 1 }]),
          },
          { id: 'addStation', hits: 1 },
          { id: 'closeStation', hits: 0 },
        ],
        shortfalls: [{ kind: 'total', percent: 34.78, threshold: 90 }],
      },
    ],
  });
});

it.each<readonly [words: readonly string[], error: string, exit: number]>([
  [['34.78'], '', 0],
  [['35'], 'Trains 1.0: All: 34.78% is covered, less than the threshold of 35%', 1],
  [['operations=60', 'parameters=20'], '', 0],
  [
    ['10', 'operations=100', 'rules=1'],
    'Trains 1.0: Operations: 66.66% is covered, less than the threshold of 100%\nTrains 1.0: Scenario rules: 0% is covered, less than the threshold of 1%',
    1,
  ],
])('vouch coverage with the thresholds %j ends with the exit code', async (thresholds, error, exit) => {
  const found = await run(...thresholds.flatMap((each) => ['--coverage-threshold', each]));
  expect({ error: found.error, exit: found.exit }).toEqual({ error, exit });
});

it.each(['101', 'x', 'paths=5'])('vouch coverage refuses the threshold %s', async (threshold) => {
  await expect(run('--coverage-threshold', threshold)).rejects.toThrow(
    /It must be a percentage from 0 to 100, or KIND=PERCENTAGE with one of total, operations, parameters, requestTypes, statuses, responseTypes, examples, rules\.$/,
  );
});

it('vouch coverage writes a JUnit report, in which only a threshold fails', async () => {
  const { text } = await run('--format', 'junit', '--coverage-threshold', 'operations=80');
  const lines = text.split('\n');
  expect(lines.slice(0, 5)).toEqual([
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites tests="13" failures="1" errors="0" skipped="5">',
    '  <testsuite name="coverage of Trains 1.0" tests="13" failures="1" errors="0" skipped="5">',
    '    <testcase classname="coverage" name="Operations: 2 of 3 (66.66%)"><failure type="threshold" message="Operations: 66.66% is covered, less than the threshold of 80%"/></testcase>',
    '    <testcase classname="coverage" name="Parameters: 1 of 5 (20%)"/>',
  ]);
  expect(lines).toContain(
    '    <testcase classname="closeStation" name="DELETE /stations/{id}"><skipped message="never called"/></testcase>',
  );
});

it('vouch coverage writes one HTML page without other files', async () => {
  const file = join(root, 'reports', 'coverage.html');
  const { text } = await run('--format', 'html', '--output', file);
  expect(text).toMatch(/coverage\.html {2}Trains 1\.0: 34\.78%$/);
  const page = readFileSync(file, 'utf8');
  expect(page).toContain('<td>Operations</td><td>2</td><td>3</td><td><span class="yellow">66.66%</span></td>');
  expect(page).toContain('<summary><code>DELETE /stations/{id}</code> closeStation <span class="red">never called');
  expect(page).not.toMatch(/<script|<link|<img|src=|href=|@import|url\(/);
});

it('vouch coverage escapes what the document says in the HTML page', () => {
  const nasty = '<script>alert("x")</script>&';
  const page = toCoverageHtml(
    mergeCoverage([
      {
        document: { title: nasty, version: nasty, hash: 'a' },
        requests: 1,
        unmatched: 0,
        operations: [
          { id: nasty, method: 'GET', path: nasty, hits: 1, items: [{ kind: 'statuses', name: nasty, hits: 0 }] },
        ],
        rules: [{ key: nasty, place: nasty, hits: 0 }],
      },
    ]),
  );
  expect(page).not.toContain('<script');
  expect(page.split('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&amp;')).toHaveLength(8);
});

it('vouch coverage reports each document of a run by itself', async () => {
  const [report] = mergeCoverage([{ document: DOCUMENT, requests: 1, unmatched: 0, operations: [], rules: [] }]);
  expect(report?.total).toEqual({ covered: 0, total: 0, percent: 100 });
  const both = mergeCoverage([
    { document: DOCUMENT, requests: 1, unmatched: 0, operations: [], rules: [] },
    { document: { ...DOCUMENT, hash: 'other' }, requests: 2, unmatched: 0, operations: [], rules: [] },
    { document: DOCUMENT, requests: 4, unmatched: 1, operations: [], rules: [] },
  ]);
  expect(both.map(({ requests, unmatched }) => [requests, unmatched])).toEqual([
    [5, 1],
    [2, 0],
  ]);
});

it('vouch coverage removes the files that it read with --clean, and says then that there are none', async () => {
  writeFileSync(join(folder, 'report.json'), '{}');
  expect((await run('--clean')).text).toBe(TABLE);
  expect(readdirSync(folder)).toEqual(['report.json']);
  await expect(run()).rejects.toThrow(
    `COVERAGE_UNREADABLE  there is no coverage in "${folder}"\n  hint: first run the tests with the option "coverage" of createMock or loadContract, or with "vouch serve --coverage"`,
  );
});

it.each(['{', '{"format":0}', '[]'])('vouch coverage says which file cannot be read: %s', async (text) => {
  const file = join(folder, '0123456789ab-1-01234567.json');
  writeFileSync(file, text);
  await expect(run()).rejects.toThrow(new RegExp(`^COVERAGE_UNREADABLE {2}${file.replaceAll('.', String.raw`\.`)}`));
  expect(existsSync(file)).toBe(true);
});

const DOCUMENT = { title: 'Trains', version: '1.0', hash: 'one' };
