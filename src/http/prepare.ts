import type { Contract } from '../contract/contract.js';
import type { MediaType } from '../contract/operations/operation.js';
import { type Direction, readUnit } from './schema-unit.js';
import type { Validators } from './validate.js';

/**
 * Compiles every schema that the operations of a contract use, one per step, so that a server can do it between requests and
 * `vouch check` at once. Afterwards `validators.problems()` is complete, and no first request pays for a compilation.
 *
 * @returns Yields the pointer of each schema after it was compiled.
 */
export function* prepareSchemas(contract: Contract, validators: Validators): Generator<string, void> {
  for (const direction of ['request', 'response'] as const) {
    const seen = new Set<string>();
    const waiting = [...listRoots(contract, direction)];
    for (let pointer = waiting.pop(); pointer !== undefined; pointer = waiting.pop()) {
      if (seen.has(pointer)) continue;
      seen.add(pointer);
      validators.prepare(pointer, direction);
      waiting.push(...(readUnit(contract, pointer, { direction, link: 'call' })?.references ?? []));
      yield pointer;
    }
  }
}

/** Where the schemas stand that operations name themselves. */
function listRoots(contract: Contract, direction: Direction): readonly string[] {
  const ofContent = (content: readonly MediaType[]): readonly string[] =>
    content.flatMap(({ schema, schemaPointer, itemSchema, itemSchemaPointer }) => [
      ...(schema === undefined ? [] : [schemaPointer]),
      ...(itemSchema === undefined ? [] : [itemSchemaPointer]),
    ]);
  return contract.operations.flatMap(({ parameters, body, responses }) => {
    if (direction === 'request') {
      return [...parameters.map(({ schemaPointer }) => schemaPointer), ...ofContent(body?.content ?? [])];
    }
    return responses.flatMap(({ headers, content }) => [
      ...headers.map(({ schemaPointer }) => schemaPointer),
      ...ofContent(content),
    ]);
  });
}
