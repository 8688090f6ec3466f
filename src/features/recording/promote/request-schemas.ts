import type { Contract } from '../../../contract/contract.js';
import { createSchemaWalk, listApplied, type SchemaPointers } from '../../../contract/schema-view/walk.js';
import { listProperties, createSchemaReader } from '../../../contract/schema-view/schema-view.js';
import { replaceReference, toTarget } from './overlay-target.js';

/** How deep in a request a schema is searched for. */
const MAX_DEPTH = 5;

/** The steps from the root of a value to a part of it; undefined for the elements of an array. */
type Steps = readonly (string | undefined)[];

/** Creates the function that lists the actions after which requests have to send a member that a schema no longer requires. */
export function createRequestKeeper(contract: Contract): (owner: string, name: string) => readonly object[] {
  const walk = createSchemaWalk(contract);
  const read = createSchemaReader(contract);
  // A request has no such members, whatever is required.
  const isReadOnly = (pointers: SchemaPointers): boolean =>
    walk.all(pointers).some(({ readOnly }) => readOnly === true);
  const findSteps = (owner: string, root: string, name: string): readonly Steps[] => {
    const seen = new Set<string>();
    const visit = (pointers: SchemaPointers, steps: Steps): readonly Steps[] => {
      const applied = listApplied(contract, pointers);
      const isOwn = applied.some(({ pointer, isBranch }) => pointer === owner && !isBranch);
      const own = isOwn && !isReadOnly(walk.member(pointers, name)) ? [steps] : [];
      const key = applied.map(({ pointer }) => pointer).join(' ');
      if (seen.has(key) || steps.length >= MAX_DEPTH) return own;
      seen.add(key);
      const names = new Set(applied.flatMap(({ pointer }) => listProperties(read(pointer)).map((each) => each.name)));
      const members = [...names].flatMap((each) => visit(walk.member(pointers, each), [...steps, each]));
      const elements = walk.element(pointers, Number.MAX_SAFE_INTEGER);
      return [...own, ...members, ...(elements.length === 0 ? [] : visit(elements, [...steps, undefined]))];
    };
    return visit([root], []);
  };
  return (owner, name) =>
    contract.operations.flatMap(({ body }) =>
      (body?.content ?? []).flatMap(({ schema, schemaPointer }) => {
        const target = schema === undefined ? undefined : toTarget(contract, schemaPointer);
        const steps = target === undefined ? [] : findSteps(owner, schemaPointer, name);
        const kept = steps.map((each) => toSchema(each, { required: [name] }));
        if (target === undefined || kept.length === 0) return [];
        const replaced = replaceReference(contract, schemaPointer, (reference) => ({ allOf: [reference, ...kept] }));
        return replaced ?? [{ target, update: { allOf: kept } }];
      }),
    );
}

/** The schema of a value whose part at the steps has a schema. */
function toSchema(steps: Steps, schema: object): object {
  return steps.reduceRight<object>(
    (inner, step) => (step === undefined ? { items: inner } : { properties: { [step]: inner } }),
    schema,
  );
}
