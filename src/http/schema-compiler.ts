import type { Ajv } from 'ajv';
import { type DroppedKeyword, repairUnit } from './schema-repair.js';
import { type SchemaUnit, toUnitId, type UnitLink, type UnitSchema } from './schema-unit.js';
import { createValidator, type Validate, type ValidatorOptions } from './validator.js';

/** The compiled schema at a pointer; compiled when it is first asked for. */
export type Compile = (pointer: string) => Validate;

/** Takes note of what a schema at a pointer had to do without. */
export type ReportDropped = (dropped: {
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
export interface CompilerParts {
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
export function createCompiler(parts: CompilerParts): Compile {
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
