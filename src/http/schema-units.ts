import type { Contract, Problem } from '../contract/contract.js';
import type { Place } from '../errors.js';
import { createCompiler, type Compile, type CompilerParts, type ReportDropped } from './schema-compiler.js';
import { readUnit, type Direction, type SchemaUnit, type UnitLink } from './schema-unit.js';
import type { Validate, ValidatorOptions } from './validator.js';

/** The compiled schemas of one direction, by pointer. */
export interface DirectedUnits {
  /** Says only whether a value is valid: the hot path. */
  quick(pointer: string): Validate;
  /** Finds all errors of a value, the rule's own schema object in each. */
  full(pointer: string): Validate;
  /** Where the original of a copied schema object stands. */
  pointerOf(schema: unknown): string | undefined;
}

/** The compiled schemas of a contract. */
export interface Units {
  readonly request: DirectedUnits;
  readonly response: DirectedUnits;
  /** What could not be compiled so far. */
  problems(): readonly Problem[];
  /** Whether nothing had to be dropped from the schema at a pointer, nor from one it calls and that was compiled. */
  isWhole(pointer: string): boolean;
  /** Whether nothing was dropped anywhere so far. */
  areWhole(): boolean;
}

/** Compiles schemas of a contract on demand, each with what it needs and nothing else. */
export function createUnits(contract: Contract, formats: ValidatorOptions['formats']): Units {
  const problems = new Map<string, Problem>();
  const broken = new Set<string>();
  const references = new Map<string, readonly string[]>();
  // What was found out holds until more is compiled or dropped.
  const whole = { known: new Map<string, boolean>(), compiled: 0, broken: 0 };
  const isWhole = (pointer: string, seen: Set<string>): boolean => {
    if (broken.has(pointer)) return false;
    if (seen.has(pointer)) return true;
    seen.add(pointer);
    return (references.get(pointer) ?? []).every((below) => isWhole(below, seen));
  };
  const report: ReportDropped = ({ unit, at, key, message, assumed }) => {
    broken.add(unit);
    if (problems.has(key)) return;
    let place: Place | undefined;
    problems.set(key, {
      code: 'SCHEMA_UNUSABLE',
      severity: 'warning',
      message,
      // Looked up when somebody asks: that parses the text once more.
      get at() {
        return (place ??= contract.locate(at));
      },
      assumed,
    });
  };
  return {
    request: createDirected(contract, 'request', { formats, report, references }),
    response: createDirected(contract, 'response', { formats, report, references }),
    problems: () => [...problems.values()],
    isWhole: (pointer) => {
      if (whole.compiled !== references.size || whole.broken !== broken.size) {
        whole.known.clear();
        Object.assign(whole, { compiled: references.size, broken: broken.size });
      }
      const known = whole.known.get(pointer) ?? isWhole(pointer, new Set());
      whole.known.set(pointer, known);
      return known;
    },
    areWhole: () => broken.size === 0,
  };
}

function createDirected(
  contract: Contract,
  direction: Direction,
  shared: Pick<CompilerParts, 'formats' | 'report'> & { readonly references: Map<string, readonly string[]> },
): DirectedUnits {
  const pointers = new WeakMap<object, string>();
  const read = (pointer: string, link: UnitLink): SchemaUnit => {
    const unit = readUnit(contract, pointer, { direction, link });
    if (unit === undefined) {
      const message = `no schema stands at ${pointer}`;
      shared.report({ unit: pointer, at: pointer, key: pointer, message, assumed: 'values are not checked there' });
      return { schema: {}, nodes: [], references: [], unresolved: [] };
    }
    shared.references.set(pointer, unit.references);
    for (const { pointer: at, reference } of unit.unresolved) {
      const message = `the reference ${JSON.stringify(reference)} leads nowhere`;
      shared.report({ unit: pointer, at, key: at, message, assumed: 'anything is accepted there' });
    }
    for (const node of unit.nodes) pointers.set(node.schema, node.pointer);
    return unit;
  };
  const compilers = new Map<string, Compile>();
  const compilerOf = (depth: ValidatorOptions['depth'], link: UnitLink): Compile => {
    const key = `${depth} ${link}`;
    const known = compilers.get(key);
    if (known !== undefined) return known;
    const compiler = createCompiler({
      ...shared,
      depth,
      link,
      read,
      whole: (pointer) => compilerOf(depth, 'ref')(pointer),
    });
    compilers.set(key, compiler);
    return compiler;
  };
  return {
    quick: (pointer) => compilerOf('quick', 'call')(pointer),
    full: (pointer) => compilerOf('full', 'call')(pointer),
    pointerOf: (schema) => (typeof schema === 'object' && schema !== null ? pointers.get(schema) : undefined),
  };
}
