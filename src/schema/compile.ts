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
  /** Says only whether a value is valid: the hot path. */
  quick(pointer: string): Validate;
  /** Finds all errors of a value, the rule's own schema object in each. */
  full(pointer: string): Validate;
  /** Where the original of a copied schema object stands. */
  pointerOf(schema: unknown): string | undefined;
}

/** The compiled schemas of a contract. */
interface Units {
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

/** The compiled schema at a pointer; compiled when it is first asked for. */
type Compile = (pointer: string) => Validate;

/** Takes note of what a schema at a pointer had to do without. */
type ReportDropped = (dropped: {
  /** The schema that is the poorer for it. */
  readonly unit: string;
  /** Where what was dropped stands. */
  readonly at: string;
  /** Tells it from others at the same place. */
  readonly key: string;
  readonly message: string;
  readonly assumed: string;
}) => void;

/** What a compiler is made of. */
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

/** A compiler of one depth and one way to link schemas. */
function createCompiler(parts: CompilerParts): Compile {
  const { depth, link, formats, read, report } = parts;
  const compiled = new Map<string, Validate>();
  // Patterns are read while their schema is compiled; this is the schema.
  let current = '';
  const onPattern = (pattern: string, remark: string): void => {
    const message = `the pattern ${JSON.stringify(pattern)} is ${remark}`;
    const key = `${current}?${pattern}`;
    report({ unit: current, at: current, key, message, assumed: 'the rest of the schema holds' });
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

  /** What is left of a schema after a repair; if even that fails, nothing is checked, and the report says so. */
  const compileRest = (pointer: string, dropped: readonly DroppedKeyword[], build: () => Validate): Validate => {
    for (const { pointer: at, keyword, value, reason } of dropped) {
      const message = `${keyword}: ${JSON.stringify(value)?.slice(0, 80)} cannot be used (${reason})`;
      report({ unit: pointer, at, key: at, message, assumed: 'the rest of the schema holds' });
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

/** Whether a schema asks what others looked at; a unit that is only called does not tell. */
function hasUnevaluated(unit: SchemaUnit): boolean {
  return unit.nodes.some(({ schema }) => 'unevaluatedProperties' in schema || 'unevaluatedItems' in schema);
}

/** Makes every unit that can be reached known to the validator, each once. */
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

/** A keyword that was taken out of a schema so that the rest could be compiled. */
interface DroppedKeyword {
  /** Where the keyword stands in the inner document. */
  readonly pointer: string;
  readonly keyword: string;
  readonly value: unknown;
  /** What the compiler had against it. */
  readonly reason: string;
}

/**
 * Takes out of a unit the fewest keywords that keep it from compiling, innermost schema first, and says which.
 *
 * @param compile - Throws where a schema cannot be compiled.
 */
function repairUnit(unit: SchemaUnit, compile: (schema: UnitSchema) => void): readonly DroppedKeyword[] {
  const reason = (schema: UnitSchema): string | undefined => {
    try {
      // A copy: the compiler remembers schemas by identity, and this one may change yet.
      compile({ ...schema });
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
  const dropped: DroppedKeyword[] = [];
  // Children come before their parents, so that what fails here fails by its own keywords.
  for (const node of unit.nodes) {
    const failure = reason(node.schema);
    if (failure !== undefined) dropped.push(...repairNode(node, reason));
  }
  return dropped;
}

/** Takes the keywords out of one schema object that fail alone, or, where none does, one after the other until it compiles. */
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
