import { json, type Part, sends } from './document-parts.js';

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
