import { type ItemSchema, listProperties } from '../item-schema.js';

/** Flags that say that a long-running operation is done. */
export const DONE: RegExp = /^(is_?)?(done|completed?|finished)$/i;

/** The results of long-running operations. */
export const RESULT: RegExp = /^(response|result|output)$/i;

/** Whether a schema is that of a long-running operation: it has a flag that says that it is done, and its result. */
export function isLongRunning(schema: ItemSchema | undefined): boolean {
  const all = listProperties(schema);
  return (
    all.some(({ name, schema: own }) => DONE.test(name) && own.type === 'boolean') &&
    all.some(({ name, scalar }) => RESULT.test(name) && !scalar)
  );
}
