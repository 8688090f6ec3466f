import { isObject } from '../../base/json.js';

/** A JSON Schema with what values have in common. */
export interface InferredSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, InferredSchema>>;
  readonly items?: InferredSchema;
  readonly examples?: readonly unknown[];
}

/** How many values of a property are examples of its schema. */
const MAX_EXAMPLES = 5;

/** The schema of values: all their types, and the members that objects have; none of them is required. */
export function inferSchema(values: readonly unknown[]): InferredSchema {
  const types = [...new Set(values.map(readType))].toSorted();
  const objects = values.filter(isObject);
  const elements = values.filter((value) => Array.isArray(value)).flat() as readonly unknown[];
  const names = [...new Set(objects.flatMap((object) => Object.keys(object)))];
  const scalars = [...new Set(values.filter((value) => value !== null && typeof value !== 'object'))];
  return {
    ...(types.length > 0 && { type: types.length === 1 ? types[0] : types }),
    ...(objects.length > 0 && {
      properties: Object.fromEntries(
        names.map((name) => {
          const own = objects.flatMap((object) => (Object.hasOwn(object, name) ? [object[name]] : []));
          return [name, name === 'id' ? toIdSchema(inferSchema(own)) : inferSchema(own)];
        }),
      ),
    }),
    ...(elements.length > 0 && { items: inferSchema(elements) }),
    ...(scalars.length > 0 && { examples: scalars.slice(0, MAX_EXAMPLES) }),
  };
}

/** The ids of new items follow those of the others. */
function toIdSchema({ type, examples = [] }: InferredSchema): InferredSchema {
  return type === 'number' && examples.every(Number.isInteger) ? { type: 'integer' } : { type, examples };
}

function readType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
