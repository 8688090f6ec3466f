import type { Schema, SchemaObject } from '../contract/schema.js';
import { isKeywords, type Part } from './shape.js';

/**
 * The property a discriminator reads and the value it has for one branch (OpenAPI 3.1 section 4.8.25): the name the mapping
 * gives the branch, else the last step of its reference. Undefined without a discriminator, or for a branch without a name.
 */
export function readDiscriminator(
  schema: SchemaObject,
  branch: Schema,
  follow: (reference: string) => Part | undefined,
): readonly [name: string, value: string] | undefined {
  const discriminator = schema.discriminator;
  if (!isKeywords(discriminator) || typeof discriminator.propertyName !== 'string') return undefined;
  if (!isKeywords(branch) || typeof branch.$ref !== 'string') return undefined;
  const target = follow(branch.$ref)?.pointer;
  for (const [value, reference] of Object.entries(discriminator.mapping ?? {})) {
    if (reference === branch.$ref) return [discriminator.propertyName, value];
    const mapped = follow(reference.startsWith('#') ? reference : `#/components/schemas/${reference}`);
    if (mapped !== undefined && mapped.pointer === target) return [discriminator.propertyName, value];
  }
  const name = branch.$ref.slice(branch.$ref.lastIndexOf('/') + 1);
  return name === '' ? undefined : [discriminator.propertyName, name];
}
