import type { Contract } from '../contract/contract.js';
import { isObject } from '../contract/json.js';
import { fromReference } from '../contract/pointer.js';

/** The two one-way marks of a property. */
type OneWay = 'readOnly' | 'writeOnly';

/** Whether a schema carries the mark: itself, where its `$ref` leads, or in a part of its `allOf`. */
export function isFlagged(contract: Contract, schema: unknown, flag: OneWay): boolean {
  return listParts(contract, schema).some((part) => part[flag] === true);
}

/** Whether the property of that name, declared by a schema itself, its `$ref` or a part of its `allOf`, carries the mark. */
export function isFlaggedProperty(contract: Contract, schema: unknown, named: { name: string; flag: OneWay }): boolean {
  return listParts(contract, schema).some((part) => {
    const properties = part['properties'];
    if (!isObject(properties) || !Object.hasOwn(properties, named.name)) return false;
    return isFlagged(contract, properties[named.name], named.flag);
  });
}

/** The schema objects that all hold for one value: the schema, the targets of its `$ref`s, the parts of its `allOf`s. */
function listParts(contract: Contract, schema: unknown): readonly Readonly<Record<string, unknown>>[] {
  const seen = new Set<Readonly<Record<string, unknown>>>();
  const visit = (part: unknown): void => {
    if (!isObject(part) || seen.has(part)) return;
    seen.add(part);
    const target = fromReference(part['$ref']);
    if (target !== undefined) visit(contract.at(target));
    if (Array.isArray(part['allOf'])) part['allOf'].forEach(visit);
  };
  visit(schema);
  return [...seen];
}
