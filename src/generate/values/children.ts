import type { Part, Shape } from './shape.js';

/** The schemas a property of that name must fit; undefined where the name is not allowed at all. */
export function readPropertyParts(shape: Shape, name: string): readonly Part[] | undefined {
  const parts: Part[] = [...(shape.properties.get(name) ?? [])];
  for (const { pattern, part } of shape.patternProperties) if (pattern.expression.test(name)) parts.push(part);
  const declared = parts.length > 0;
  for (const { known, patterns, part } of shape.closures) {
    if (known.has(name) || patterns.some((pattern) => pattern.test(name))) continue;
    if (part.schema === false) return undefined;
    parts.push(part);
  }
  if (!declared && shape.closures.length === 0) {
    for (const part of shape.unevaluatedProperties) {
      if (part.schema === false) return undefined;
      parts.push(part);
    }
  }
  return parts.some((part) => part.schema === false) ? undefined : parts;
}

/** The schemas the item at a position must fit; undefined where no item may stand there. */
export function readItemParts(shape: Shape, index: number): readonly Part[] | undefined {
  const parts: Part[] = [...(shape.prefixItems[index] ?? [])];
  for (const { from, part } of shape.items) if (index >= from) parts.push(part);
  if (parts.length === 0) parts.push(...shape.unevaluatedItems);
  return parts.some((part) => part.schema === false) ? undefined : parts;
}

/** Whether a shape is about objects, about arrays or about neither, where no `type` says so. */
export function guessContainer(shape: Shape): 'array' | 'object' | undefined {
  if (shape.properties.size > 0 || shape.required.size > 0 || shape.closures.length > 0) return 'object';
  if (shape.patternProperties.length > 0 || shape.propertyNames.length > 0 || shape.minProperties > 0) return 'object';
  if (shape.maxProperties < Infinity || shape.dependentRequired.size > 0 || shape.dependentSchemas.size > 0)
    return 'object';
  if (shape.items.length > 0 || shape.prefixItems.length > 0 || shape.contains.length > 0) return 'array';
  return shape.minItems > 0 || shape.uniqueItems || shape.maxItems < Infinity ? 'array' : undefined;
}
