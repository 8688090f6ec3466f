/** A part of an OpenAPI document. */
export type Part = Readonly<Record<string, unknown>>;

export const TEXT = { type: 'string' };

/** The options of a mock that answers 404 for an unknown id. */
export const CLOSED = { state: { unknownIds: 'not-found' } } as const;

/** The content of a body. */
export const content = (schema: object, type = 'application/json'): Part => ({ [type]: { schema } });

/** A response with a JSON body. */
export const json = (schema: object): Part => ({ description: 'ok', content: content(schema) });

/** An operation's JSON request body. */
export const sends = (schema: object): Part => ({ requestBody: { content: content(schema) } });

/** A path item's parameters. */
export const inPath = (...names: readonly string[]): Part => ({
  parameters: names.map((name) => ({ name, in: 'path', required: true, schema: TEXT })),
});

/** A query parameter. */
export const query = (name: string, schema: object = TEXT): Part => ({ name, in: 'query', schema });

/** The schema of an object. */
export const object = (properties: object, ...required: readonly string[]): Part => ({
  type: 'object',
  properties,
  ...(required.length === 0 ? {} : { required }),
});

/** A reference to a schema. */
export const ref = (name: string): Part => ({ $ref: `#/components/schemas/${name}` });

/** A document of these paths. */
export const toDocument = (paths: object, schemas: object = {}): Part => ({
  openapi: '3.1.0',
  info: { title: 'Test', version: '1' },
  paths,
  components: { schemas },
});
