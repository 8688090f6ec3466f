import { countOf } from '../../base/errors.js';
import type { JunitCase, JunitSuite } from '../../base/junit.js';
import {
  type Coverage,
  COVERAGE_KINDS,
  type CoverageItemKind,
  type CoverageKind,
  type CoverageShare,
  type CoverageShortfall,
  type OperationCoverage,
} from './coverage.js';

/** How text is marked: red below 50 percent, yellow below 80, green else. */
type PaintText = (colour: 'red' | 'yellow' | 'green' | 'bold', text: string) => string;

/** The title of a share. */
export function titleOf(kind: CoverageKind | 'total'): string {
  return kind === 'total' ? 'All' : COVERAGE_KINDS[kind];
}

/** The noun for an item of a kind in a list. */
const ITEM_NOUNS: Readonly<Record<CoverageItemKind, string>> = {
  parameters: 'parameter',
  requestTypes: 'request',
  statuses: 'status',
  responseTypes: 'response',
  examples: 'example',
};

/** The shares of all kinds and of all together, with their titles. */
export function listShares({
  kinds,
  total,
}: Coverage): readonly (readonly [kind: CoverageKind | 'total', CoverageShare])[] {
  const names = Object.keys(COVERAGE_KINDS) as CoverageKind[]; // its keys are the kinds
  return [...names.map((kind) => [kind, kinds[kind]] as const), ['total', total]];
}

/** The colour of a percentage. */
export function rate(percent: number): 'red' | 'yellow' | 'green' {
  if (percent < 50) return 'red';
  return percent < 80 ? 'yellow' : 'green';
}

/** A table with the share of each kind, and what was not exercised. */
export function formatCoverage(coverage: Coverage, paint: PaintText): string {
  const rows = listShares(coverage).map(([kind, { covered, total, percent }]) => {
    const cells = [titleOf(kind).padEnd(22), pad(covered), pad(total)];
    const share = total === 0 ? '-'.padStart(9) : paint(rate(percent), `${percent.toFixed(2)}%`.padStart(9));
    return `${cells.join('')}${share}`;
  });
  const missing = listMissing(coverage);
  return [
    `${paint('bold', describeDocument(coverage))}  ${describeRequests(coverage)}`,
    '',
    `${''.padEnd(22)}${pad('covered')}${pad('total')}${'percent'.padStart(9)}`,
    ...rows,
    ...(missing.length === 0 ? [] : ['', paint('bold', 'not covered'), ...missing]),
  ].join('\n');
}

function pad(cell: string | number): string {
  return String(cell).padStart(9);
}

/** Title and version of the document. */
export function describeDocument({ document: { title, version } }: Coverage): string {
  return `${title} ${version}`;
}

/** How many requests were counted. */
export function describeRequests({ requests, unmatched }: Coverage): string {
  const all = countOf(requests, 'request');
  return unmatched === 0 ? all : `${all}, ${unmatched} of them to no operation`;
}

function listMissing({ operations, rules }: Coverage): readonly string[] {
  return [
    ...operations.flatMap((operation) => {
      const name = `${operation.method} ${operation.path} (${operation.id})`;
      if (operation.hits === 0) return [`${name}: never called`];
      const items = listMissingItems(operation);
      return items.length === 0 ? [] : [name, ...items.map((item) => `  ${item}`)];
    }),
    ...rules.flatMap(({ key, place, hits }) => (hits > 0 ? [] : [`rule ${key} (${place}): never applied`])),
  ];
}

function listMissingItems({ items }: OperationCoverage): readonly string[] {
  return items.flatMap(({ kind, name, hits }) => (hits > 0 ? [] : [`${ITEM_NOUNS[kind]} ${name}`]));
}

/** A sentence about a share below its threshold. */
export function describeShortfall({ kind, percent, threshold }: CoverageShortfall): string {
  return `${titleOf(kind)}: ${percent}% is covered, less than the threshold of ${threshold}%`;
}

/** A suite of a JUnit report: each share, failed below its threshold, and each operation and rule, skipped where it was not exercised. */
export function toCoverageSuite(coverage: Coverage, shortfalls: readonly CoverageShortfall[]): JunitSuite {
  const shares = listShares(coverage).map(([kind, { covered, total, percent }]): JunitCase => {
    const short = shortfalls.find((each) => each.kind === kind);
    const shown = { group: 'coverage', name: `${titleOf(kind)}: ${covered} of ${total} (${percent}%)` };
    if (short === undefined) return shown;
    return { ...shown, outcome: { element: 'failure', type: 'threshold', message: describeShortfall(short) } };
  });
  const skip = (message: string): JunitCase['outcome'] => ({ element: 'skipped', message });
  const operations = coverage.operations.map((operation): JunitCase => {
    const shown = { group: operation.id, name: `${operation.method} ${operation.path}` };
    if (operation.hits === 0) return { ...shown, outcome: skip('never called') };
    const missing = listMissingItems(operation);
    return missing.length === 0 ? shown : { ...shown, outcome: skip(`not covered: ${missing.join(', ')}`) };
  });
  const rules = coverage.rules.map(({ key, place, hits }): JunitCase => {
    const shown = { group: 'rules', name: `${key} (${place})` };
    return hits > 0 ? shown : { ...shown, outcome: skip('never applied') };
  });
  return { name: `coverage of ${describeDocument(coverage)}`, cases: [...shares, ...operations, ...rules] };
}
