/** The kinds of what is counted, with their titles in reports. */
export const COVERAGE_KINDS = {
  operations: 'Operations',
  parameters: 'Parameters',
  requestTypes: 'Request media types',
  statuses: 'Statuses',
  responseTypes: 'Response media types',
  examples: 'Examples',
  rules: 'Scenario rules',
} as const;

/** A kind of what is counted. */
export type CoverageKind = keyof typeof COVERAGE_KINDS;

/** The kinds of what an operation declares. */
export type CoverageItemKind = Exclude<CoverageKind, 'operations' | 'rules'>;

/** How much of the contract the requests of a run exercised. */
export interface Coverage extends CoverageCounts {
  /** All kinds together. */
  readonly total: CoverageShare;
  /** Each kind. */
  readonly kinds: Readonly<Record<CoverageKind, CoverageShare>>;
}

/** How often each part of the contract was exercised. */
export interface CoverageCounts {
  /** The document. */
  readonly document: CoverageDocument;
  /** The number of requests. */
  readonly requests: number;
  /** The number of requests that matched no operation. */
  readonly unmatched: number;
  /** The operations, in the order of the document. */
  readonly operations: readonly OperationCoverage[];
  /** The rules of scenarios. */
  readonly rules: readonly RuleCoverage[];
}

/** A document; runs of documents with the same hash are added up. */
export interface CoverageDocument {
  /** `info.title` of the document. */
  readonly title: string;
  /** `info.version` of the document. */
  readonly version: string;
  /** SHA-256 of its files, overlays and preset. */
  readonly hash: string;
}

/** The share of parts that are covered. */
export interface CoverageShare {
  /** The number of parts that were exercised at least once. */
  readonly covered: number;
  /** The number of all parts. */
  readonly total: number;
  /** Rounded down to two digits; 100 where there is nothing to cover. */
  readonly percent: number;
}

/** How often an operation was called, and what it declares was exercised. */
export interface OperationCoverage {
  /** The `operationId`; `"GET /path"` where there is none or an earlier operation has the same. */
  readonly id: string;
  /** Upper case. */
  readonly method: string;
  /** The key under `paths`. */
  readonly path: string;
  /** The number of its calls. */
  readonly hits: number;
  /** The items that it declares. */
  readonly items: readonly CoverageItem[];
}

/** How often something that an operation declares was exercised. */
export interface CoverageItem {
  /** The kind of the item. */
  readonly kind: CoverageItemKind;
  /** `query limit`, `application/json`, `4XX`, `200 application/json`, `200 application/json: NAME`. */
  readonly name: string;
  /** How many calls exercised it. */
  readonly hits: number;
}

/** How often a rule of a scenario applied. */
export interface RuleCoverage {
  /** The scenario, and the rule in it: `flaky/listKeys[0]`. */
  readonly key: string;
  /** `scenarios/flaky.yaml:4`, or a pointer if there is no file. */
  readonly place: string;
  /** How often it applied. */
  readonly hits: number;
}

/** Adds the shares to counts. */
export function toCoverage(counts: CoverageCounts): Coverage {
  const { document, requests, unmatched, operations, rules } = counts;
  const items = operations.flatMap((operation) => operation.items);
  const all = Object.keys(COVERAGE_KINDS) as CoverageKind[]; // its keys are the kinds
  const hitsOf = (kind: CoverageKind): readonly Counted[] => {
    if (kind === 'operations') return operations;
    return kind === 'rules' ? rules : items.filter((item) => item.kind === kind);
  };
  const shares = all.map((kind) => [kind, toShare(hitsOf(kind))] as const);
  // One entry for each kind.
  const kinds = Object.fromEntries(shares) as Record<CoverageKind, CoverageShare>;
  return {
    document,
    requests,
    unmatched,
    total: toShare([...operations, ...items, ...rules]),
    kinds,
    operations,
    rules,
  };
}

interface Counted {
  readonly hits: number;
}

function toShare(counted: readonly Counted[]): CoverageShare {
  const total = counted.length;
  const covered = counted.filter(({ hits }) => hits > 0).length;
  return { covered, total, percent: total === 0 ? 100 : Math.floor((covered * 10_000) / total) / 100 };
}

/** Adds up the counts of each document, in the order in which they come first. */
export function mergeCoverage(runs: readonly CoverageCounts[]): readonly Coverage[] {
  const merged = new Map<string, CoverageCounts>();
  for (const run of runs) {
    const { hash } = run.document;
    const before = merged.get(hash);
    merged.set(hash, before === undefined ? run : add(before, run));
  }
  return [...merged.values()].map(toCoverage);
}

function add(one: CoverageCounts, other: CoverageCounts): CoverageCounts {
  return {
    document: one.document,
    requests: one.requests + other.requests,
    unmatched: one.unmatched + other.unmatched,
    operations: addLists(
      [one.operations, other.operations],
      ({ id }) => id,
      (same, more) => ({
        ...same,
        hits: same.hits + more.hits,
        items: addLists([same.items, more.items], ({ kind, name }) => `${kind} ${name}`, addHits),
      }),
    ),
    // Mocks of one document can have different scenarios.
    rules: addLists([one.rules, other.rules], ({ key }) => key, addHits),
  };
}

function addHits<Item extends Counted>(one: Item, other: Item): Item {
  return { ...one, hits: one.hits + other.hits };
}

function addLists<Item>(
  lists: readonly (readonly Item[])[],
  keyOf: (item: Item) => string,
  join: (one: Item, other: Item) => Item,
): readonly Item[] {
  const found = new Map<string, Item>();
  for (const item of lists.flat()) {
    const before = found.get(keyOf(item));
    found.set(keyOf(item), before === undefined ? item : join(before, item));
  }
  return [...found.values()];
}

/** The least percentage of each kind, or of all together. */
export type CoverageThresholds = Partial<Readonly<Record<CoverageKind | 'total', number>>>;

/** A share below its threshold. */
export interface CoverageShortfall {
  readonly kind: CoverageKind | 'total';
  readonly percent: number;
  readonly threshold: number;
}

/** The shares below their thresholds. */
export function findShortfalls(coverage: Coverage, thresholds: CoverageThresholds): readonly CoverageShortfall[] {
  const shares = { ...coverage.kinds, total: coverage.total };
  const kinds = Object.keys(shares) as (keyof typeof shares)[]; // its keys are the kinds
  return kinds.flatMap((kind) => {
    const threshold = thresholds[kind];
    const { percent } = shares[kind];
    return threshold === undefined || percent >= threshold ? [] : [{ kind, percent, threshold }];
  });
}
