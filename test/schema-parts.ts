/** A part of an OpenAPI document. */
export type Part = Readonly<Record<string, unknown>>;

export const TEXT = { type: 'string' } as const;
export const INTEGER = { type: 'integer' } as const;
export const NUMBER = { type: 'number' } as const;
export const BOOLEAN = { type: 'boolean' } as const;

/** The options of a mock that answers 404 for an unknown id. */
export const CLOSED = { state: { unknownIds: 'not-found' } } as const;

/** What is done with unknown ids, and the options of such a mock. */
export const WORLDS: readonly (readonly [name: string, options: Partial<typeof CLOSED>])[] = [
  ['open', {}],
  ['closed', CLOSED],
];

// Not an interface, which would not be a `Part`.
type ObjectSchema<Properties> = {
  readonly type: 'object';
  readonly properties: Properties;
  readonly required?: readonly string[];
};

/** The schema of an object. */
export const object = <Properties extends object>(
  properties: Properties,
  ...required: readonly string[]
): ObjectSchema<Properties> => ({ type: 'object', properties, ...(required.length === 0 ? {} : { required }) });

/** The schema of an array. */
export const arrayOf = <Items>(items: Items): { readonly type: 'array'; readonly items: Items } => ({
  type: 'array',
  items,
});

/** A reference to a schema. */
export const ref = (name: string): { readonly $ref: string } => ({ $ref: `#/components/schemas/${name}` });
