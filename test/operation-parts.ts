import { type Part, TEXT } from './schema-parts.js';

/** The content of a body. */
export const content = (schema: unknown, type = 'application/json'): Part => ({ [type]: { schema } });

/** A response with a JSON body. */
export const json = (schema: unknown, description = 'ok'): Part => ({ description, content: content(schema) });

/** An operation's JSON request body. */
export const sends = (schema: object): Part => ({ requestBody: { content: content(schema) } });

/** An operation that answers with a schema. */
export const shows = (schema: unknown, status = 200): Part => ({ responses: { [status]: json(schema) } });

/** An operation that answers with a schema, or that there is no such item. */
export const finds = (schema: unknown): Part => ({ responses: { 200: json(schema), 404: { description: 'none' } } });

/** An operation that takes a JSON body and answers with a schema. */
export const takes = (body: object, schema: unknown, status = 200): Part => ({
  ...sends(body),
  ...shows(schema, status),
});

/** An operation that answers without a body. */
export const REMOVED = { responses: { 204: { description: 'gone' } } } as const;

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
