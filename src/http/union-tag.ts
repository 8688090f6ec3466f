import type { Contract } from '../contract/contract.js';
import { fromReference } from '../contract/pointer.js';
import { isObject } from '../contract/json.js';

/** One alternative of a union. */
export interface Branch {
  readonly pointer: string;
  /** Its schema with a chain of `$ref`s followed, and where that stands. */
  readonly schema: unknown;
  readonly target: string;
  /** The name of the schema it refers to, or its title. */
  readonly name: string | undefined;
}

/** The property that tells the alternatives of a union apart. */
export interface Tag {
  readonly property: string;
  readonly branches: readonly Branch[];
  /** The values that lead to each branch, in the order of `branches`. */
  readonly values: readonly (readonly unknown[])[];
}

/** Unions inside branches are looked into this deep. */
const DEEPEST_TAG = 5;

/** The alternatives at a pointer that ends in `oneOf` or `anyOf`. */
export function readBranches(contract: Contract, pointer: string): readonly Branch[] {
  const branches = contract.at(pointer);
  if (!Array.isArray(branches)) return [];
  return branches.map((branch: unknown, i) => {
    const target = (isObject(branch) ? fromReference(branch['$ref']) : undefined) ?? `${pointer}/${i}`;
    const schema = follow(contract, branch);
    const title = isObject(schema) ? schema['title'] : undefined;
    const own = isObject(branch) && typeof branch['$ref'] === 'string' ? branch['$ref'].split('/').at(-1) : undefined;
    return { pointer: `${pointer}/${i}`, schema, target, name: own ?? (typeof title === 'string' ? title : undefined) };
  });
}

/** The tag of a union: its declared discriminator, else a property that the value has and every branch fixes. */
export function readTag(
  contract: Contract,
  owner: unknown,
  given: { readonly branches: readonly Branch[]; readonly data: Readonly<Record<string, unknown>> },
): Tag | undefined {
  const { branches, data } = given;
  const discriminator = isObject(owner) ? owner['discriminator'] : undefined;
  if (isObject(discriminator) && typeof discriminator['propertyName'] === 'string') {
    return readDeclaredTag(contract, branches, discriminator);
  }
  const objects = branches.filter(({ schema }) => listProperties(contract, schema).length > 0);
  const first = objects[0];
  if (objects.length < 2 || first === undefined) return undefined;
  for (const property of listProperties(contract, first.schema)) {
    if (!Object.hasOwn(data, property)) continue;
    const values = objects.map(({ schema }) => listFixed(contract, schema, property));
    if (values.every((fixed) => fixed.length > 0) && new Set(values.flat()).size > 1) {
      return { property, branches: objects, values };
    }
  }
  return undefined;
}

/** What a branch itself says of the property comes before the mapping: a mapping may only repeat the schemas' names. */
function readDeclaredTag(
  contract: Contract,
  branches: readonly Branch[],
  discriminator: Readonly<Record<string, unknown>>,
): Tag | undefined {
  const property = String(discriminator['propertyName']);
  const fixed = branches.map(({ schema }) => listFixed(contract, schema, property));
  if (fixed.every((values) => values.length > 0)) return { property, branches, values: fixed };
  // Half of the branches say it themselves: then what the others take cannot be known by name.
  if (fixed.some((values) => values.length > 0)) return undefined;
  const mapping = isObject(discriminator['mapping']) ? discriminator['mapping'] : {};
  const values = branches.map((branch) => {
    const mapped = Object.keys(mapping).filter((key) => isMappedTo(mapping[key], branch));
    if (mapped.length > 0) return mapped;
    return branch.name === undefined ? [] : [branch.name];
  });
  return { property, branches, values };
}

/** OpenAPI 3.1, Discriminator Object: a mapping value is a schema's name or a reference to it. */
function isMappedTo(mapped: unknown, branch: Branch): boolean {
  return mapped === branch.name || fromReference(mapped) === branch.target;
}

/** The values a schema fixes a property to, by `const` or `enum`, its alternatives' together; none where it leaves it open. */
function listFixed(contract: Contract, root: unknown, property: string): readonly unknown[] {
  const list = (schema: unknown, depth: number): readonly unknown[] => {
    if (!isObject(schema) || depth > DEEPEST_TAG) return [];
    const properties = schema['properties'];
    if (isObject(properties) && Object.hasOwn(properties, property)) {
      const own = follow(contract, properties[property]);
      if (isObject(own) && Object.hasOwn(own, 'const')) return [own['const']];
      if (isObject(own) && Array.isArray(own['enum'])) return own['enum'];
    }
    for (const keyword of ['oneOf', 'anyOf']) {
      const alternatives = schema[keyword];
      if (!Array.isArray(alternatives)) continue;
      const all = alternatives.map((one) => list(follow(contract, one), depth + 1));
      if (all.length > 0 && all.every((values) => values.length > 0)) return all.flat();
    }
    const parts = Array.isArray(schema['allOf']) ? schema['allOf'] : [];
    return parts.flatMap((part) => list(follow(contract, part), depth + 1));
  };
  return list(root, 0);
}

function listProperties(contract: Contract, schema: unknown, depth = 0): readonly string[] {
  if (!isObject(schema) || depth > DEEPEST_TAG) return [];
  const own = isObject(schema['properties']) ? Object.keys(schema['properties']) : [];
  const parts = Array.isArray(schema['allOf']) ? schema['allOf'] : [];
  return [...own, ...parts.flatMap((part) => listProperties(contract, follow(contract, part), depth + 1))];
}

/** A schema with its chain of `$ref`s followed. */
export function follow(contract: Contract, schema: unknown): unknown {
  return isObject(schema) ? contract.resolve(schema, '').schema : schema;
}
