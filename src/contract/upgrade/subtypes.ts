import { toBareName } from '../../base/names.js';
import { addTo, changeAt, isObject, readOwn } from '../../base/json.js';
import { fromReference, readEntries, readPointer, readSegments, toPointer, toReference } from '../pointer.js';
import { follow, type JoinedSchema, listParts } from './closed-parts.js';
import type { Node } from './node.js';

/** A schema that extends one with a discriminator, and the value that names it. */
interface Subtype {
  readonly base: string;
  readonly pointer: string;
  readonly value: string;
}

/**
 * Completes the `mapping` of discriminators whose schema is extended by `allOf`: a schema that extends it is a kind of it, also where the
 * `mapping` does not have it, as in 2.0. Its value is the one that it fixes, else its name (OpenAPI 3.1 section 4.8.25).
 *
 * @param parents - The pointers of the objects that have the schemas of the document.
 */
export function completeSubtypes(document: Node, parents: readonly string[]): Node {
  const schemas = parents.flatMap((parent) =>
    readEntries(readPointer(document, parent)).flatMap(([name, schema]): readonly JoinedSchema[] =>
      isObject(schema) && Array.isArray(schema['allOf']) ? [{ schema, pointer: parent + toPointer(name) }] : [],
    ),
  );
  const byBase = new Map<string, Subtype[]>();
  for (const subtype of schemas.flatMap((schema) => listSubtypes(document, schema)))
    addTo(byBase, subtype.base, subtype);
  let current = document;
  for (const [base, subtypes] of byBase) {
    const path = [...readSegments(base), 'discriminator'];
    // Only a schema inside the document changes.
    current = changeAt(current, path, (discriminator) => addSubtypes(discriminator as Node, subtypes)) as Node;
  }
  return current;
}

/** The schemas with a discriminator that a schema extends, each with the value that is meant for it. */
function listSubtypes(document: Node, whole: JoinedSchema): readonly Subtype[] {
  const parts = listParts(document, whole);
  return parts.flatMap(({ schema, pointer }): readonly Subtype[] => {
    const { discriminator, oneOf, anyOf } = schema;
    const property = isObject(discriminator) ? discriminator['propertyName'] : undefined;
    // A union names its alternatives itself.
    if (pointer === whole.pointer || typeof property !== 'string' || oneOf !== undefined || anyOf !== undefined)
      return [];
    const name = readSegments(whole.pointer).at(-1) ?? '';
    const value = parts.reduce<string | undefined>(
      (known, part) =>
        known && chooseValue(document, part, { property, name: known, isBase: part.pointer === pointer }),
      name,
    );
    return value === undefined ? [] : [{ base: pointer, pointer: whole.pointer, value }];
  });
}

/** The value of a property for a kind: the only one, else the one that is like its name; undefined where a schema allows none that is. */
function chooseValue(
  document: Node,
  { schema: { properties } }: JoinedSchema,
  { property, name, isBase }: { readonly property: string; readonly name: string; readonly isBase: boolean },
): string | undefined {
  const declared = isObject(properties) ? readOwn(properties, property) : undefined;
  const target = isObject(declared) ? (follow(document, declared)?.schema ?? declared) : {};
  const values: unknown = 'const' in target ? [target['const']] : target['enum'];
  if (!Array.isArray(values)) return name;
  const texts = values.filter((value) => typeof value === 'string');
  const [only] = texts;
  return texts.length === 1 && !isBase ? only : texts.find((text) => toBareName(text) === toBareName(name));
}

function addSubtypes(discriminator: Node, subtypes: readonly Subtype[]): Node {
  const mapping = new Map(readEntries(discriminator['mapping']));
  const known = new Set([...mapping.values()].map(fromReference));
  for (const { pointer, value } of subtypes) {
    if (!known.has(pointer) && !mapping.has(value)) mapping.set(value, toReference(pointer));
  }
  return mapping.size === 0 ? discriminator : { ...discriminator, mapping: Object.fromEntries(mapping) };
}
