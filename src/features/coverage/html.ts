import { escapeMarkup } from '../../base/text.js';
import { type Coverage, COVERAGE_KINDS, type CoverageShare, type OperationCoverage } from './coverage.js';
import { describeDocument, describeRequests, listShares, rate, titleOf } from './report.js';

/** The reports of all documents as one HTML page, without scripts or other files. */
export function toCoverageHtml(reports: readonly Coverage[]): string {
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<title>Contract coverage</title>',
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    '<h1>Contract coverage</h1>',
    ...reports.flatMap(writeReport),
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

const STYLE = `
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #1c1c1c; background: #fff; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { padding: .25rem .75rem; text-align: left; border-bottom: 1px solid #ddd; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
summary { cursor: pointer; padding: .25rem 0; }
code { font: 13px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
.red { color: #b00020; } .yellow { color: #7a5200; } .green { color: #1b6e2d; }
@media (prefers-color-scheme: dark) {
  body { color: #e6e6e6; background: #161616; } th, td { border-color: #444; }
  .red { color: #ff8a80; } .yellow { color: #ffd180; } .green { color: #a5d6a7; }
}
`;

function writeReport(coverage: Coverage): readonly string[] {
  const { operations, rules } = coverage;
  return [
    '<section>',
    `<h2>${escapeMarkup(describeDocument(coverage))}</h2>`,
    `<p>${escapeMarkup(describeRequests(coverage))}</p>`,
    ...writeTable(
      ['', 'Covered', 'Total', 'Percent'],
      listShares(coverage).map(([kind, share]) => [titleOf(kind), ...writeShare(share)]),
    ),
    `<h3>${COVERAGE_KINDS.operations}</h3>`,
    ...operations.flatMap(writeOperation),
    ...(rules.length === 0 ? [] : [`<h3>${COVERAGE_KINDS.rules}</h3>`]),
    ...(rules.length === 0
      ? []
      : writeTable(
          ['Rule', 'Place', 'Applied'],
          rules.map(({ key, place, hits }) => [writeCode(key), writeCode(place), writeHits(hits)]),
        )),
    '</section>',
  ];
}

function writeShare({ covered, total, percent }: CoverageShare): readonly string[] {
  const share = total === 0 ? '-' : `<span class="${rate(percent)}">${percent.toFixed(2)}%</span>`;
  return [String(covered), String(total), share];
}

/** An operation whose items are hidden if all of them were exercised. */
function writeOperation({ id, method, path, hits, items }: OperationCoverage): readonly string[] {
  const covered = items.filter((item) => item.hits > 0).length;
  const state = hits === 0 ? 'red' : covered < items.length ? 'yellow' : 'green';
  const summary = hits === 0 ? 'never called' : `${covered} of ${items.length}`;
  return [
    `<details${state === 'yellow' ? ' open' : ''}>`,
    `<summary>${writeCode(`${method} ${path}`)} ${escapeMarkup(id)} <span class="${state}">${summary}</span></summary>`,
    ...writeTable(
      ['Kind', 'Name', 'Times'],
      items.map((item) => [COVERAGE_KINDS[item.kind], writeCode(item.name), writeHits(item.hits)]),
    ),
    '</details>',
  ];
}

function writeCode(text: string): string {
  return `<code>${escapeMarkup(text)}</code>`;
}

function writeHits(hits: number): string {
  return `<span class="${hits === 0 ? 'red' : 'green'}">${hits}</span>`;
}

/** @param rows - Cells as HTML. */
function writeTable(titles: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return [
    '<table>',
    `<tr>${titles.map((title) => `<th scope="col">${title}</th>`).join('')}</tr>`,
    ...rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`),
    '</table>',
  ];
}
