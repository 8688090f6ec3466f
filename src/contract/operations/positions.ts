import { isObject, mapValues } from '../../base/json.js';
import type { Operation } from './operation.js';
import { readOwnHint } from './own-hint.js';

/** The names of parameters that clients may send by position, by the member of the body that has them. */
export type Positions = Readonly<Record<string, readonly string[]>>;

/** In place of a name: an object whose members are parameters. */
export const SPREAD = '*';

/** A body with its parameters by name (JSON-RPC 2.0, section 4.2), as the hint `positions` has them; its grammar is checked with the others. */
export function nameParameters(body: unknown, operation: Operation): unknown {
  const positions = readOwnHint(operation, 'positions');
  // The grammar has verified the type of the cast.
  return isObject(positions) ? nameElements(body, positions as Positions) : body;
}

/** A body whose arrays are objects with the names of their elements; an element without a name has its index. */
export function nameElements(body: unknown, positions: Positions): unknown {
  if (!isObject(body)) return body;
  return mapValues(body, (value, member) => {
    const names = Object.hasOwn(positions, member) ? positions[member] : undefined;
    if (names === undefined || !Array.isArray(value)) return value;
    const named = value.flatMap((element: unknown, i): readonly (readonly [string, unknown])[] => {
      const name = names[i] ?? String(i);
      return name === SPREAD && isObject(element)
        ? Object.entries(element)
        : [[name === SPREAD ? String(i) : name, element]];
    });
    return Object.fromEntries(named);
  });
}
