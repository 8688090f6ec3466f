import { type Contract, type Problem, toProblem } from '../contract/contract.js';
import { formatPlace } from '../base/errors.js';
import { memoize } from '../base/memoize.js';
import { type Check, type CheckParts, createToCheck, listErrors, type SchemaError } from './checker/check.js';
import { readUnit, type SchemaUnit, type UnitLink } from './schema-unit.js';
import type { Direction, IsValid } from './violation.js';
import { createWork, type Work } from './work.js';

/** The schemas of one direction by pointer, and the checker: what decides about the values that vouch makes, and explains violations. */
export interface DirectedUnits {
  /** The copy of the schema at a pointer. */
  read(pointer: string, link: UnitLink): SchemaUnit;
  /** Whether a value is valid. */
  check(pointer: string): IsValid;
  /** The errors of a value that is not valid. */
  findErrors(pointer: string, value: unknown): readonly SchemaError[];
  /** The pointer of the original of a copied schema object. */
  pointerOf(schema: unknown): string | undefined;
}

/** The schemas of a contract. */
interface Units {
  readonly work: Work;
  readonly request: DirectedUnits;
  readonly response: DirectedUnits;
  /** The parts of schemas that cannot be used, among the schemas read so far. */
  problems(): readonly Problem[];
  /** Whether nothing was dropped from the schema at a pointer and those it refers to, if read. */
  isWhole(pointer: string): boolean;
}

/** Creates the checkers of both directions; schemas are read on demand. */
export function createUnits(contract: Contract, formats: CheckParts['formats']): Units {
  const problems = new Map<string, Problem>();
  const broken = new Set<string>();
  const references = new Map<string, readonly string[]>();
  const work = createWork();
  const report: ReportDropped = (unit, dropped, key = dropped.pointer) => {
    broken.add(unit);
    if (!problems.has(key)) problems.set(key, toProblem({ code: 'SCHEMA_UNUSABLE', ...dropped }, contract.locate));
  };
  // Valid until more is read or dropped.
  const whole = { known: new Map<string, boolean>(), size: 0 };
  const isWhole = (pointer: string, seen: Set<string>): boolean => {
    if (broken.has(pointer)) return false;
    if (seen.has(pointer)) return true;
    seen.add(pointer);
    return (references.get(pointer) ?? []).every((below) => isWhole(below, seen));
  };
  return {
    work,
    request: createDirected(contract, 'request', { formats, report, references, work }),
    response: createDirected(contract, 'response', { formats, report, references, work }),
    problems: () => withoutReported(problems, contract),
    // Called for every value; the first comparison nearly always decides.
    isWhole: (pointer) => {
      if (broken.size === 0) return true;
      const size = references.size + broken.size;
      if (whole.size !== size) whole.known.clear();
      whole.size = size;
      const known = whole.known.get(pointer) ?? isWhole(pointer, new Set());
      whole.known.set(pointer, known);
      return known;
    },
  };
}

/** The problems by pointer, without references that the document's own problems have already. */
function withoutReported(problems: ReadonlyMap<string, Problem>, contract: Contract): readonly Problem[] {
  const unresolved = contract.problems.filter(({ code }) => code === 'REFERENCE_UNRESOLVED');
  if (unresolved.length === 0) return [...problems.values()];
  const reported = new Set(unresolved.map(({ at }) => formatPlace(at)));
  return [...problems].flatMap(([pointer, problem]) =>
    reported.has(formatPlace(contract.locate(`${pointer}/$ref`))) ? [] : [problem],
  );
}

/** Reports a part of the schema at a pointer that cannot be used; `key` distinguishes reports at the same place. */
type ReportDropped = (
  unit: string,
  dropped: { readonly message: string; readonly pointer: string; readonly assumed: string },
  key?: string,
) => void;

/** The assumptions where a schema, a reference or a part of a schema cannot be used. */
const UNCHECKED = 'values are not checked there';
const ANYTHING = 'anything is accepted there';
const THE_REST = 'the rest of the schema applies';

function createDirected(
  contract: Contract,
  direction: Direction,
  shared: Pick<CheckParts, 'formats' | 'work'> & {
    readonly report: ReportDropped;
    readonly references: Map<string, readonly string[]>;
  },
): DirectedUnits {
  const { formats, work, report, references } = shared;
  const pointers = new WeakMap<object, string>();
  const units = new WeakMap<object, string>();
  const copy = (pointer: string, link: UnitLink): SchemaUnit => {
    const unit = readUnit(contract, pointer, { direction, link });
    if (unit === undefined) {
      report(pointer, { message: `there is no schema at ${pointer}`, pointer, assumed: UNCHECKED });
      return { schema: {}, nodes: [], references: [], unresolved: [] };
    }
    references.set(pointer, unit.references);
    for (const { pointer: at, reference } of unit.unresolved) {
      const message = `the reference ${JSON.stringify(reference)} cannot be resolved`;
      report(pointer, { message, pointer: at, assumed: ANYTHING });
    }
    for (const node of unit.nodes) {
      pointers.set(node.schema, node.pointer);
      units.set(node.schema, pointer);
    }
    return unit;
  };
  const copies = {
    call: memoize((pointer: string) => copy(pointer, 'call')),
    ref: memoize((pointer: string) => copy(pointer, 'ref')),
  };
  const schemaOf = (pointer: string): unknown => copies.call(pointer).schema;
  const build: CheckParts = {
    formats,
    work,
    schemaOf,
    call: (pointer) => check(pointer),
    onPattern: (schema, pattern, remark) => {
      const unit = units.get(schema) ?? '';
      const message = `the pattern ${JSON.stringify(pattern)} is ${remark}`;
      report(unit, { message, pointer: unit, assumed: THE_REST }, `${unit}?${pattern}`);
    },
  };
  const toCheck = createToCheck(build);
  const check = memoize((pointer: string): Check => toCheck(schemaOf(pointer)));
  return {
    read: (pointer, link) => copies[link](pointer),
    check,
    findErrors: (pointer, value) => listErrors(check(pointer), value),
    pointerOf: (schema) => (typeof schema === 'object' && schema !== null ? pointers.get(schema) : undefined),
  };
}
