import type { Ajv } from 'ajv';
import type { Contract, Problem } from '../contract/contract.js';
import type { Place } from '../errors.js';
import {
  type Direction,
  readUnit,
  type SchemaUnit,
  toUnitId,
  type UnitLink,
  type UnitNode,
  type UnitSchema,
} from './schema-unit.js';
import { createValidator, type Validate, type ValidatorOptions } from './validator.js';

/** The compiled schemas of one direction, by pointer. */
export interface DirectedUnits {
  /** Checks whether a value is valid, without details: the hot path. */
  quick(pointer: string): Validate;
  /** Finds all errors of a value, each with its schema object. */
  full(pointer: string): Validate;
  /** The pointer of the original of a copied schema object. */
  pointerOf(schema: unknown): string | undefined;
}

/** The compiled schemas of a contract. */
interface Units {
  readonly request: DirectedUnits;
  readonly response: DirectedUnits;
  /** The parts of schemas that could not be compiled so far. */
  problems(): readonly Problem[];
  /** Whether nothing was dropped from the schema at a pointer and the compiled ones it calls. */
  isWhole(pointer: string): boolean;
  /** Whether nothing was dropped so far. */
  areWhole(): boolean;
}

/** Creates the compilers of both directions; schemas are compiled on demand. */
export function createUnits(contract: Contract, formats: ValidatorOptions['formats']): Units {
  const problems = new Map<string, Problem>();
  const broken = new Set<string>();
  const references = new Map<string, readonly string[]>();
  // Valid until more is compiled or dropped.
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
      // Found on demand, because that parses the text again.
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
      const message = `there is no schema at ${pointer}`;
      shared.report({ unit: pointer, at: pointer, key: pointer, message, assumed: 'values are not checked there' });
      return { schema: {}, nodes: [], references: [], unresolved: [] };
    }
    shared.references.set(pointer, unit.references);
    for (const { pointer: at, reference } of unit.unresolved) {
      const message = `the reference ${JSON.stringify(reference)} cannot be resolved`;
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

/** Returns the compiled schema at a pointer. */
type Compile = (pointer: string) => Validate;

/** Reports a part of a schema that could not be compiled. */
type ReportDropped = (dropped: {
  /** The schema it was dropped from. */
  readonly unit: string;
  /** The pointer of the part. */
  readonly at: string;
  /** Distinguishes reports with the same pointer. */
  readonly key: string;
  readonly message: string;
  readonly assumed: string;
}) => void;

/** The parts of a compiler. */
interface CompilerParts {
  readonly depth: ValidatorOptions['depth'];
  readonly link: UnitLink;
  readonly formats: ValidatorOptions['formats'];
  /** The copy of the schema at a pointer. */
  readonly read: (pointer: string, link: UnitLink) => SchemaUnit;
  /** Compiles a schema together with all that it refers to. */
  readonly whole: Compile;
  readonly report: ReportDropped;
}

/** Creates a compiler for one depth and one way to link schemas. */
function createCompiler(parts: CompilerParts): Compile {
  const { depth, link, formats, read, report } = parts;
  const compiled = new Map<string, Validate>();
  // The schema whose patterns are being read.
  let current = '';
  const onPattern = (pattern: string, remark: string): void => {
    const message = `the pattern ${JSON.stringify(pattern)} is ${remark}`;
    const key = `${current}?${pattern}`;
    report({ unit: current, at: current, key, message, assumed: 'the rest of the schema applies' });
  };
  let ajv: Ajv | undefined;
  const validator = (): Ajv =>
    (ajv ??= createValidator({ depth, link, formats, call: (at) => compile(at), onPattern }));

  const compileUnit = (pointer: string, unit: SchemaUnit): Validate => {
    const build = (schema: UnitSchema): Validate => {
      if (link === 'ref') addReferences(validator(), unit.references, read);
      return validator().compile(schema);
    };
    try {
      return build(unit.schema);
    } catch {
      return compileRest(pointer, repairUnit(unit, build), () => build({ ...unit.schema }));
    }
  };

  /** Compiles what is left of a schema; if that fails, nothing is checked, and that is reported. */
  const compileRest = (pointer: string, dropped: readonly DroppedKeyword[], build: () => Validate): Validate => {
    for (const { pointer: at, keyword, value, reason } of dropped) {
      const message = `${keyword}: ${JSON.stringify(value)?.slice(0, 80)} cannot be used (${reason})`;
      report({ unit: pointer, at, key: at, message, assumed: 'the rest of the schema applies' });
    }
    try {
      return build();
    } catch (error) {
      const message = `the schema cannot be used (${error instanceof Error ? error.message : String(error)})`;
      report({ unit: pointer, at: pointer, key: pointer, message, assumed: 'values are not checked there' });
      return () => true;
    }
  };

  const compile: Compile = (pointer) => {
    const known = compiled.get(pointer);
    if (known !== undefined) return known;
    const unit = read(pointer, link);
    const outer = current;
    current = pointer;
    const validate = link === 'call' && hasUnevaluated(unit) ? parts.whole(pointer) : compileUnit(pointer, unit);
    current = outer;
    compiled.set(pointer, validate);
    return validate;
  };
  return compile;
}

/** Whether a schema needs the evaluated properties of others, which a called unit does not return. */
function hasUnevaluated(unit: SchemaUnit): boolean {
  return unit.nodes.some(({ schema }) => 'unevaluatedProperties' in schema || 'unevaluatedItems' in schema);
}

/** Adds every referenced unit to the validator, each once. */
function addReferences(ajv: Ajv, references: readonly string[], read: CompilerParts['read']): void {
  const waiting = [...references];
  for (let pointer = waiting.pop(); pointer !== undefined; pointer = waiting.pop()) {
    const id = toUnitId(pointer);
    if (ajv.schemas[id] !== undefined) continue;
    const unit = read(pointer, 'ref');
    ajv.addSchema(unit.schema, id);
    waiting.push(...unit.references);
  }
}

/** A keyword that was removed from a schema so that the rest could be compiled. */
interface DroppedKeyword {
  /** The pointer of the keyword. */
  readonly pointer: string;
  readonly keyword: string;
  readonly value: unknown;
  /** The error of the compiler. */
  readonly reason: string;
}

/**
 * Removes the fewest keywords from a unit that prevent it from compiling, innermost schema first.
 *
 * @param compile - Throws where a schema cannot be compiled.
 */
function repairUnit(unit: SchemaUnit, compile: (schema: UnitSchema) => void): readonly DroppedKeyword[] {
  const reason = (schema: UnitSchema): string | undefined => {
    try {
      // A copy: the compiler caches schemas by identity, and this one may change.
      compile({ ...schema });
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
  const dropped: DroppedKeyword[] = [];
  // Children come before their parents, so that a node fails because of its own keywords.
  for (const node of unit.nodes) {
    const failure = reason(node.schema);
    if (failure !== undefined) dropped.push(...repairNode(node, reason));
  }
  return dropped;
}

/** Removes the keywords of one schema object that fail alone; then one after the other until it compiles. */
function repairNode(node: UnitNode, reason: (schema: UnitSchema) => string | undefined): readonly DroppedKeyword[] {
  const dropped: DroppedKeyword[] = [];
  const drop = (keyword: string, why: string): void => {
    dropped.push({ pointer: `${node.pointer}/${keyword}`, keyword, value: node.schema[keyword], reason: why });
    delete node.schema[keyword];
  };
  for (const [keyword, value] of Object.entries(node.schema)) {
    const alone = reason({ [keyword]: value });
    if (alone !== undefined) drop(keyword, alone);
  }
  for (const keyword of Object.keys(node.schema)) {
    const together = reason(node.schema);
    if (together === undefined) break;
    drop(keyword, together);
  }
  return dropped;
}
