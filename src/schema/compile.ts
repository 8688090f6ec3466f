import type { Ajv, ErrorObject } from 'ajv';
import { type Contract, type Problem, toProblem } from '../contract/contract.js';
import { memoize } from '../memoize.js';
import {
  createWork,
  MAX_ERRORS,
  readUnit,
  type SchemaUnit,
  toUnitId,
  type UnitLink,
  type UnitNode,
  type UnitSchema,
  type Validate,
  type Work,
} from './schema-unit.js';
import type { Direction, IsValid } from './violation.js';
import { createPartsCheck, hasManyParts } from './parts-check.js';
import { interpretSchema } from './interpret/interpret-schema.js';
import { createErrorFinder } from './interpret/find-errors.js';
import { createValidator, type ValidatorOptions } from './validator.js';
import { isError } from '../platform.js';

/** The schemas of one direction, by pointer. */
export interface DirectedUnits {
  /** Whether a value is valid, without details: interpreted for its first values, then compiled. */
  quick(pointer: string): IsValid;
  /** The pointers of the schemas that a schema refers to. */
  references(pointer: string): readonly string[];
  /** Finds all errors of a value, each with its schema object: interpreted for its first invalid values, then compiled. */
  full(pointer: string): Validate;
  /** The pointer of the original of a copied schema object. */
  pointerOf(schema: unknown): string | undefined;
}

/** The compiled schemas of a contract. */
interface Units {
  readonly work: Work;
  readonly request: DirectedUnits;
  readonly response: DirectedUnits;
  /** The parts of schemas that could not be compiled so far. */
  problems(): readonly Problem[];
  /** Whether nothing was dropped from the schema at a pointer and the compiled ones it calls. */
  isWhole(pointer: string): boolean;
  /** Whether nothing was dropped so far. */
  areWhole(): boolean;
}

/**
 * The values of a schema that are interpreted. A compilation costs as much as some hundred of them, and the first one loads ajv, which costs
 * as much as ten thousand.
 */
const MAX_INTERPRETED = 1000;

/**
 * Creates the compilers of both directions; schemas are compiled on demand.
 *
 * @param interpreted - How many values of a schema are checked, and how many are explained, before it is compiled.
 */
export function createUnits(
  contract: Contract,
  formats: ValidatorOptions['formats'],
  interpreted: number = MAX_INTERPRETED,
): Units {
  const problems = new Map<string, Problem>();
  const broken = new Set<string>();
  const references = new Map<string, readonly string[]>();
  const work = createWork();
  // Valid until more is compiled or dropped.
  const whole = { known: new Map<string, boolean>(), size: 0 };
  const isWhole = (pointer: string, seen: Set<string>): boolean => {
    if (broken.has(pointer)) return false;
    if (seen.has(pointer)) return true;
    seen.add(pointer);
    return (references.get(pointer) ?? []).every((below) => isWhole(below, seen));
  };
  const report: ReportDropped = (unit, dropped, key = dropped.pointer) => {
    broken.add(unit);
    if (!problems.has(key)) problems.set(key, toProblem({ code: 'SCHEMA_UNUSABLE', ...dropped }, contract.locate));
  };
  return {
    work,
    request: createDirected(contract, 'request', { formats, interpreted, report, references, work }),
    response: createDirected(contract, 'response', { formats, interpreted, report, references, work }),
    problems: () => [...problems.values()],
    isWhole: (pointer) => {
      const size = references.size + broken.size;
      if (whole.size !== size) whole.known.clear();
      whole.size = size;
      const known = whole.known.get(pointer) ?? isWhole(pointer, new Set());
      whole.known.set(pointer, known);
      return known;
    },
    areWhole: () => broken.size === 0,
  };
}

/** What is assumed where a schema, a reference or a part of a schema cannot be used. */
const UNCHECKED = 'values are not checked there';
const ANYTHING = 'anything is accepted there';
const THE_REST = 'the rest of the schema applies';

function createDirected(
  contract: Contract,
  direction: Direction,
  shared: Pick<CompilerParts, 'formats' | 'report' | 'work'> & {
    readonly interpreted: number;
    readonly references: Map<string, readonly string[]>;
  },
): DirectedUnits {
  const pointers = new WeakMap<object, string>();
  const copy = (pointer: string, link: UnitLink): SchemaUnit => {
    const unit = readUnit(contract, pointer, { direction, link });
    if (unit === undefined) {
      shared.report(pointer, { message: `there is no schema at ${pointer}`, pointer, assumed: UNCHECKED });
      return { schema: {}, nodes: [], references: [], unresolved: [] };
    }
    shared.references.set(pointer, unit.references);
    for (const { pointer: at, reference } of unit.unresolved) {
      const message = `the reference ${JSON.stringify(reference)} cannot be resolved`;
      shared.report(pointer, { message, pointer: at, assumed: ANYTHING });
    }
    for (const node of unit.nodes) pointers.set(node.schema, node.pointer);
    return unit;
  };
  const copies = {
    call: memoize((pointer: string) => copy(pointer, 'call')),
    ref: memoize((pointer: string) => copy(pointer, 'ref')),
  };
  const read = (pointer: string, link: UnitLink): SchemaUnit => copies[link](pointer);
  const pointerOf: DirectedUnits['pointerOf'] = (schema) =>
    typeof schema === 'object' && schema !== null ? pointers.get(schema) : undefined;
  const { formats, interpreted, work } = shared;
  const interpret: ValidatorOptions['interpret'] = (schema) =>
    interpretSchema(schema, { formats, work, call: (at) => quick(at) });
  const compilerOf = (depth: ValidatorOptions['depth'], call?: Compile): Compile => {
    const whole = createCompiler({ ...shared, depth, link: 'ref', read });
    const checkParts: ValidatorOptions['checkParts'] = (keyword, schema) =>
      depth === 'full' ? createPartsCheck(keyword, schema, { interpret, pointerOf, work, compile }) : undefined;
    const compile = createCompiler({ ...shared, depth, link: 'call', read, whole, call, interpret, checkParts });
    return compile;
  };
  const checkOf = createQuickChecks(read, {
    formats,
    interpreted,
    work,
    compile: compilerOf('quick', (pointer) => toValidate(quick(pointer))),
  });
  const quick = (pointer: string): IsValid => checkOf(pointer).isValid;
  const explain: Compile = createExplanations(read, {
    interpreted,
    isInterpreted: (pointer) => checkOf(pointer).isInterpreted,
    find: createErrorFinder({ formats, work, call: quick, explain: (pointer) => explain(pointer) }),
    compile: compilerOf('full', (pointer) => explain(pointer)),
  });
  return { quick, references: (pointer) => read(pointer, 'call').references, full: explain, pointerOf };
}

/** A larger schema is always interpreted: its code nests a block for each part, so that compiling it takes too long, or more stack than there is. */
const MAX_COMPILED_NODES = 500;

/** The check of a schema. */
interface QuickCheck {
  readonly isValid: IsValid;
  /** Whether all of the schema can be interpreted. */
  readonly isInterpreted: boolean;
}

/** Creates the checks of schemas that become compiled schemas once they are used often. */
function createQuickChecks(
  read: CompilerParts['read'],
  {
    formats,
    interpreted,
    work,
    compile,
  }: Pick<CompilerParts, 'formats' | 'work'> & { readonly interpreted: number; readonly compile: Compile },
): (pointer: string) => QuickCheck {
  const call = (pointer: string): IsValid => check(pointer).isValid;
  const check = memoize((pointer: string): QuickCheck => {
    const unit = read(pointer, 'call');
    const interpret = hasUnevaluated(unit) ? undefined : interpretSchema(unit.schema, { formats, work, call });
    if (interpret === undefined) return { isValid: compile(pointer), isInterpreted: false };
    if (unit.nodes.length > MAX_COMPILED_NODES) return { isValid: interpret, isInterpreted: true };
    let compiled: Validate | undefined;
    let left = interpreted;
    const isValid: IsValid = (value) => {
      if (compiled !== undefined) return compiled(value);
      if (left-- > 0 || !work.mayCompile(unit.nodes.length)) return interpret(value);
      compiled = compile(pointer);
      return compiled(value);
    };
    return { isValid, isInterpreted: true };
  });
  return check;
}

/** Creates the explanations of schemas: the errors of their first values are found without compiling them. */
function createExplanations(
  read: CompilerParts['read'],
  parts: {
    readonly interpreted: number;
    readonly isInterpreted: (pointer: string) => boolean;
    readonly find: ReturnType<typeof createErrorFinder>;
    readonly compile: Compile;
  },
): Compile {
  const { interpreted, isInterpreted, find, compile } = parts;
  return memoize((pointer: string): Validate => {
    const unit = read(pointer, 'call');
    if (!isInterpreted(pointer) || unit.nodes.some(({ schema }) => hasManyParts(schema))) return compile(pointer);
    const findErrors = find(unit.schema);
    let left = interpreted;
    const validate: Validate = (value, at) => {
      if (left-- > 0) {
        const found: ErrorObject[] = [];
        findErrors(value, at?.instancePath ?? '', found);
        validate.errors = found.length === 0 ? null : found;
        // Which errors are left out depends on the order in which the compiled schema finds them.
        if (found.length < MAX_ERRORS) return found.length === 0;
      }
      const compiled = compile(pointer);
      const isValid = compiled(value, at);
      validate.errors = compiled.errors ?? null;
      return isValid;
    };
    return validate;
  });
}

/** A check as a compiled schema that others call. */
function toValidate(check: IsValid): Validate {
  return Object.assign((value: unknown) => check(value), { errors: INVALID });
}

/** The errors of a check without details, which only their number matters of. */
const INVALID: Validate['errors'] = [{ keyword: '', instancePath: '', schemaPath: '', params: {} }];

/** Returns the compiled schema at a pointer. */
type Compile = (pointer: string) => Validate;

/** Reports a part of the schema at a pointer that could not be compiled; `key` distinguishes reports at the same place. */
type ReportDropped = (
  unit: string,
  dropped: { readonly message: string; readonly pointer: string; readonly assumed: string },
  key?: string,
) => void;

/** The parts of a compiler. */
interface CompilerParts {
  readonly depth: ValidatorOptions['depth'];
  readonly link: UnitLink;
  readonly formats: ValidatorOptions['formats'];
  readonly work: Work;
  /** The copy of the schema at a pointer. */
  readonly read: (pointer: string, link: UnitLink) => SchemaUnit;
  /** Compiles a schema that needs the evaluated properties of others together with all that it refers to. */
  readonly whole?: Compile;
  /** Checks the first value of a referenced schema; default compiles it. */
  readonly call?: Compile | undefined;
  readonly interpret?: ValidatorOptions['interpret'];
  readonly checkParts?: ValidatorOptions['checkParts'];
  readonly report: ReportDropped;
}

/** Creates a compiler for one depth and one way to link schemas. */
function createCompiler(parts: CompilerParts): Compile {
  const { depth, link, formats, work, read, whole, call, interpret, checkParts, report } = parts;
  const compiled = new Map<string, Validate>();
  // The schema whose patterns are being read.
  let current = '';
  const onPattern = (pattern: string, remark: string): void => {
    const message = `the pattern ${JSON.stringify(pattern)} is ${remark}`;
    report(current, { message, pointer: current, assumed: THE_REST }, `${current}?${pattern}`);
  };
  let ajv: Ajv | undefined;
  const validator = (): Ajv =>
    (ajv ??= createValidator({
      depth,
      link,
      formats,
      work,
      call: call ?? ((at) => compile(at)),
      interpret,
      checkParts,
      onPattern,
    }));

  /** Compiles a schema, or what is left of it; if that fails, nothing is checked, and that is reported. */
  const compileUnit = (pointer: string, unit: SchemaUnit): Validate => {
    const compiler = validator();
    const build = (schema: UnitSchema): Validate => {
      if (link === 'ref') addReferences(compiler, unit.references, read);
      return compiler.compile(schema);
    };
    try {
      return build(unit.schema);
    } catch {
      for (const { pointer: at, keyword, value, reason } of repairUnit(unit, build)) {
        const message = `${keyword}: ${JSON.stringify(value)?.slice(0, 80)} cannot be used (${reason})`;
        report(pointer, { message, pointer: at, assumed: THE_REST });
      }
    }
    try {
      return build({ ...unit.schema });
    } catch (error) {
      report(pointer, { message: `the schema cannot be used (${readReason(error)})`, pointer, assumed: UNCHECKED });
      return () => true;
    }
  };

  const compile: Compile = (pointer) => {
    const known = compiled.get(pointer);
    if (known !== undefined) return known;
    const unit = read(pointer, link);
    const outer = current;
    current = pointer;
    const validate = whole !== undefined && hasUnevaluated(unit) ? whole(pointer) : compileUnit(pointer, unit);
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

/** A keyword that was removed from a schema so that the rest could be compiled, and the error of the compiler. */
interface DroppedKeyword {
  readonly pointer: string;
  readonly keyword: string;
  readonly value: unknown;
  readonly reason: string;
}

/**
 * Removes the fewest keywords from a unit that prevent it from compiling, innermost schema first.
 *
 * @param compile - Throws where a schema cannot be compiled.
 */
function repairUnit(unit: SchemaUnit, compile: (schema: UnitSchema) => void): readonly DroppedKeyword[] {
  const findFailure = (schema: UnitSchema): string | undefined => {
    try {
      // A copy: the compiler caches schemas by identity, and this one may change.
      compile({ ...schema });
      return undefined;
    } catch (error) {
      return readReason(error);
    }
  };
  // Children come before their parents, so that a node fails because of its own keywords.
  return unit.nodes.flatMap((node) => (findFailure(node.schema) === undefined ? [] : repairNode(node, findFailure)));
}

/** Removes the keywords of one schema object that fail alone; then one after the other until it compiles. */
function repairNode(
  { schema, pointer }: UnitNode,
  findFailure: (schema: UnitSchema) => string | undefined,
): readonly DroppedKeyword[] {
  const dropped: DroppedKeyword[] = [];
  const drop = (keyword: string, reason: string | undefined): void => {
    if (reason === undefined) return;
    dropped.push({ pointer: `${pointer}/${keyword}`, keyword, value: schema[keyword], reason });
    delete schema[keyword];
  };
  for (const [keyword, value] of Object.entries(schema)) drop(keyword, findFailure({ [keyword]: value }));
  for (const keyword of Object.keys(schema)) drop(keyword, findFailure(schema));
  return dropped;
}

function readReason(error: unknown): string {
  return isError(error) ? error.message : String(error);
}
