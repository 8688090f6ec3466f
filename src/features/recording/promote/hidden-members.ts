import { toDoubles } from '../../../base/exact-json.js';
import { isObject } from '../../../base/json.js';
import type { Contract } from '../../../contract/contract.js';
import { findBodyMedia } from '../../../contract/operations/responses.js';
import {
  createSchemaWalk,
  listApplied,
  type SchemaPointers,
  type SchemaWalk,
} from '../../../contract/schema-view/walk.js';
import type { Cassette } from '../cassette/cassette.js';

/** An answer, with the schema of its body. */
interface ShownAnswer {
  readonly body: unknown;
  readonly root: string;
}

/**
 * The pointers of properties that requests send and no answer shows, such as a password: the answer to the same request has their object without
 * them.
 *
 * @param answers - The answers of the exchanges; undefined for those without JSON.
 */
export function findHiddenMembers(
  { exchanges }: Cassette,
  contract: Contract,
  answers: readonly (ShownAnswer | undefined)[],
): ReadonlySet<string> {
  const schemas = { contract, walk: createSchemaWalk(contract) };
  const shown = new Set<string>();
  const hidden = new Set<string>();
  for (const [i, { request, operation }] of exchanges.entries()) {
    const answer = answers[i];
    if (answer === undefined) continue;
    const own = listMembers(schemas, [answer.root], answer.body);
    for (const pointer of own.values.keys()) shown.add(pointer);
    const media = findBodyMedia({ body: contract.operation(operation)?.body });
    if (media === undefined) continue;
    const sent = listMembers(schemas, [media.schemaPointer], toDoubles(request.body)).values;
    for (const [pointer, value] of sent) {
      const owner = pointer.replace(/\/properties\/[^/]*$/, '');
      if (own.objects.has(owner) && !isEmpty(value)) hidden.add(pointer);
    }
  }
  return new Set([...hidden].filter((pointer) => !shown.has(pointer)));
}

interface Schemas {
  readonly contract: Contract;
  readonly walk: SchemaWalk;
}

/** Whether services may leave a value out. */
function isEmpty(value: unknown): boolean {
  return !value || (typeof value === 'object' && Object.keys(value).length === 0);
}

/** The members of a value with the pointers of their schemas, and the pointers of the schemas of its objects. */
function listMembers({ contract, walk }: Schemas, pointers: SchemaPointers, value: unknown) {
  const values = new Map<string, unknown>();
  const objects = new Set<string>();
  const visit = (at: SchemaPointers, part: unknown): void => {
    if (at.length === 0) return;
    if (Array.isArray(part)) for (const [i, item] of part.entries()) visit(walk.element(at, i), item);
    if (!isObject(part)) return;
    for (const { pointer } of listApplied(contract, at)) objects.add(pointer);
    for (const [name, member] of Object.entries(part)) {
      const below = walk.member(at, name);
      for (const pointer of below) values.set(pointer, member);
      visit(below, member);
    }
  };
  visit(pointers, value);
  return { values, objects };
}
