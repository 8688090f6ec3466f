import type { Schema, SchemaObject } from '../contract/json.js';
import { type Choice, isKeywords, type Option, type Part } from './shape.js';

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

/** The place a discriminator stands in, and what has been folded with it so far. */
export interface DiscriminatorPlace {
  readonly schema: SchemaObject;
  readonly part: Part;
  readonly seen: ReadonlySet<string>;
  follow(reference: string): Part | undefined;
}

/**
 * The choice a discriminator makes in a base schema, whose heirs refer back to it by `allOf`: which heir this is.
 *
 * Where one of the mapped heirs is being folded already, it is that one; without a mapping the name of the component is the
 * value (OpenAPI 3.1 section 4.8.25.1). Undefined beside `oneOf` and `anyOf`, whose branches are chosen there.
 */
export function readHeirs({ schema, part, seen, follow }: DiscriminatorPlace): Choice | undefined {
  const discriminator = schema.discriminator;
  if (!isKeywords(discriminator) || typeof discriminator.propertyName !== 'string') return undefined;
  if (schema.oneOf !== undefined || schema.anyOf !== undefined) return undefined;
  const name = discriminator.propertyName;
  const heirs = Object.entries(discriminator.mapping ?? {}).flatMap(([value, reference]) => {
    const target = follow(reference.startsWith('#') ? reference : `#/components/schemas/${reference}`);
    return target === undefined ? [] : [{ value, target }];
  });
  const current = heirs.find(({ target }) => target.pointer !== part.pointer && seen.has(target.pointer));
  const toOption = (value: string, add: readonly Part[]): Option => ({ add, forbid: [], preset: [name, value] });
  const id = `?${part.pointer}/discriminator`;
  if (current !== undefined)
    return { id, keyword: 'discriminator', options: [toOption(current.value, [])], isExact: false };
  if (heirs.length > 0) {
    const options = heirs.map(({ value, target }) => toOption(value, [target]));
    return { id, keyword: 'discriminator', options, isExact: false };
  }
  const heir = [...seen].find((pointer) => isComponent(pointer) && hasAllOf(follow(`#${pointer}`)));
  const pointer = heir ?? (isComponent(part.pointer) ? part.pointer : undefined);
  if (pointer === undefined) return undefined;
  const value = pointer.slice(pointer.lastIndexOf('/') + 1);
  return { id, keyword: 'discriminator', options: [toOption(value, [])], isExact: false };
}

function isComponent(pointer: string): boolean {
  return /^\/components\/schemas\/[^/]+$/.test(pointer);
}

function hasAllOf(part: Part | undefined): boolean {
  return part !== undefined && isKeywords(part.schema) && part.schema.allOf !== undefined;
}
