import type { Ajv } from 'ajv';
import type { Contract, Problem } from '../contract/contract.js';
import { repairUnit } from './schema-repair.js';
import { readUnit, toUnitId, type Direction, type SchemaUnit, type UnitLink, type UnitSchema } from './schema-unit.js';
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
export interface Units {
  readonly request: DirectedUnits;
  readonly response: DirectedUnits;
  problems(): readonly Problem[];
  isWhole(pointer: string): boolean;
}

/** Compiles schemas of a contract on demand, each with what it needs and nothing else. */
export function createUnits(contract: Contract, formats: ValidatorOptions['formats']): Units {
  const problems = new Map<string, Problem>();
  const broken = new Set<string>();

  const report = (pointer: string, message: string, assumed: string): void => {
    if (problems.has(pointer)) return;
    problems.set(pointer, {
      code: 'SCHEMA_UNUSABLE',
      severity: 'warning',
      message,
      at: contract.locate(pointer),
      assumed,
    });
  };

  const createDirected = (direction: Direction): DirectedUnits => {
    const pointers = new WeakMap<object, string>();
    const compilers = new Map<string, (pointer: string) => Validate>();
    const compilerOf = (depth: ValidatorOptions['depth'], link: UnitLink): ((pointer: string) => Validate) => {
      const key = `${depth} ${link}`;
      const known = compilers.get(key);
      if (known !== undefined) return known;
      const compiler = createCompiler(depth, link);
      compilers.set(key, compiler);
      return compiler;
    };

    const read = (pointer: string, link: UnitLink): SchemaUnit => {
      const unit = readUnit(contract, pointer, { direction, link });
      if (unit === undefined) {
        broken.add(pointer);
        report(pointer, `no schema stands at ${pointer}`, 'values are not checked there');
        return { schema: {}, nodes: [], references: [] };
      }
      for (const node of unit.nodes) pointers.set(node.schema, node.pointer);
      return unit;
    };

    const createCompiler = (depth: ValidatorOptions['depth'], link: UnitLink): ((pointer: string) => Validate) => {
      const compiled = new Map<string, Validate>();
      let current = '';
      const onPattern = (pattern: string, remark: string): void => {
        broken.add(current);
        report(
          `${current}?${pattern}`,
          `the pattern ${JSON.stringify(pattern)} is ${remark}`,
          'the rest of the schema holds',
        );
      };
      let ajv: Ajv | undefined;
      const validator = (): Ajv =>
        (ajv ??= createValidator({ depth, link, formats, call: (pointer) => compile(pointer), onPattern }));

      const compileWhole = (pointer: string, unit: SchemaUnit): Validate => {
        const build = (schema: UnitSchema): Validate => {
          if (link === 'ref') addReferences(validator(), unit.references, read);
          return validator().compile(schema);
        };
        try {
          return build(unit.schema);
        } catch {
          broken.add(pointer);
          for (const drop of repairUnit(unit, build)) {
            report(
              drop.pointer,
              `${drop.keyword}: ${JSON.stringify(drop.value)?.slice(0, 80)} cannot be used (${drop.reason})`,
              'the rest of the schema holds',
            );
          }
          return build({ ...unit.schema });
        }
      };

      const compile = (pointer: string): Validate => {
        const known = compiled.get(pointer);
        if (known !== undefined) return known;
        const unit = read(pointer, link);
        if (
          link === 'call' &&
          unit.nodes.some(({ schema }) => 'unevaluatedProperties' in schema || 'unevaluatedItems' in schema)
        ) {
          const whole = compilerOf(depth, 'ref')(pointer);
          compiled.set(pointer, whole);
          return whole;
        }
        const before = current;
        current = pointer;
        const validate = compileWhole(pointer, unit);
        current = before;
        compiled.set(pointer, validate);
        return validate;
      };
      return compile;
    };

    return {
      quick: (pointer) => compilerOf('quick', 'call')(pointer),
      full: (pointer) => compilerOf('full', 'call')(pointer),
      pointerOf: (schema) => (typeof schema === 'object' && schema !== null ? pointers.get(schema) : undefined),
    };
  };

  return {
    request: createDirected('request'),
    response: createDirected('response'),
    problems: () => [...problems.values()],
    isWhole: (pointer) => !broken.has(pointer),
  };
}

/** Makes every unit that can be reached known to the validator, each once. */
function addReferences(
  ajv: Ajv,
  references: readonly string[],
  read: (pointer: string, link: UnitLink) => SchemaUnit,
): void {
  const waiting = [...references];
  for (let pointer = waiting.pop(); pointer !== undefined; pointer = waiting.pop()) {
    const id = toUnitId(pointer);
    if (ajv.schemas[id] !== undefined) continue;
    const unit = read(pointer, 'ref');
    ajv.addSchema(unit.schema, id);
    waiting.push(...unit.references);
  }
}
