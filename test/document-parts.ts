/** A part of an OpenAPI document. */
export type Part = Readonly<Record<string, unknown>>;

export const TEXT = { type: 'string' } as const;
export const INTEGER = { type: 'integer' } as const;
export const NUMBER = { type: 'number' } as const;
export const BOOLEAN = { type: 'boolean' } as const;

/** The options of a mock that answers 404 for an unknown id. */
export const CLOSED = { state: { unknownIds: 'not-found' } } as const;

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

/** The content of a body. */
export const content = (schema: unknown, type = 'application/json'): Part => ({ [type]: { schema } });

/** A response with a JSON body. */
export const json = (schema: unknown, description = 'ok'): Part => ({ description, content: content(schema) });

/** An operation's JSON request body. */
export const sends = (schema: object): Part => ({ requestBody: { content: content(schema) } });

/** A path parameter. */
export const pathParameter = (name: string, schema: object = TEXT): Part => ({
  name,
  in: 'path',
  required: true,
  schema,
});

/** A path item's parameters. */
export const inPath = (...names: readonly string[]): Part => ({ parameters: names.map((name) => pathParameter(name)) });

/** A query parameter. */
export const query = (name: string, schema: object = TEXT): Part => ({ name, in: 'query', schema });

type Document<Paths> = { readonly paths: Paths; readonly [member: string]: unknown };

/** A document of these paths. */
export const toDocument = <Paths>(paths: Paths, schemas?: object, more: object = {}): Document<Paths> => ({
  openapi: '3.1.0',
  info: { title: 'Test', version: '1' },
  paths,
  ...(schemas === undefined ? {} : { components: { schemas } }),
  ...more,
});
