import type { SchemaUnit, UnitNode, UnitSchema } from './schema-unit.js';

/** A keyword that was taken out of a schema so that the rest could be compiled. */
export interface DroppedKeyword {
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
export function repairUnit(unit: SchemaUnit, compile: (schema: UnitSchema) => void): readonly DroppedKeyword[] {
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
