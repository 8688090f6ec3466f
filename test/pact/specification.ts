import { Ajv } from 'ajv';
import { object, INTEGER, arrayOf, BOOLEAN } from '../document-parts.js';

// The schemas below are written from the Pact specification, versions 3 and 4: github.com/pact-foundation/pact-specification.

const TEXT = { type: 'string', minLength: 1 };
const TEXTS = { type: 'array', items: { type: 'string' }, minItems: 1 };
const closed = (...parts: Parameters<typeof object>): object => ({ ...object(...parts), additionalProperties: false });
const PARTY = closed({ name: TEXT }, 'name');

const MATCHER = {
  oneOf: [
    closed({ match: { const: 'type' }, min: { type: 'integer', minimum: 0 }, max: INTEGER }, 'match'),
    closed({ match: { const: 'regex' }, regex: { type: 'string', format: 'regex' } }, 'match', 'regex'),
  ],
};
const MATCHERS = closed(
  { matchers: { type: 'array', items: MATCHER, minItems: 1 }, combine: { enum: ['AND', 'OR'] } },
  'matchers',
);
/** Matchers of the parts of a message: by JSON path of the body, by the name of a header or query parameter. */
const RULES = closed({
  body: { type: 'object', propertyNames: { pattern: '^\\$' }, additionalProperties: MATCHERS },
  header: { type: 'object', additionalProperties: MATCHERS },
  query: { type: 'object', additionalProperties: MATCHERS },
  path: MATCHERS,
});
const STATES = arrayOf(object({ name: TEXT, params: { type: 'object' } }, 'name'));

function createSchema(version: 3 | 4): object {
  const headers = { type: 'object', additionalProperties: version === 3 ? { type: 'string' } : TEXTS };
  const encoded = { enum: [false, 'base64', 'JSON'] };
  const body =
    version === 3 ? {} : closed({ content: {}, contentType: TEXT, encoded }, 'content', 'contentType', 'encoded');
  const message = { headers, body, matchingRules: RULES };
  const method = { enum: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] };
  const path = { type: 'string', pattern: '^/[^?]*$' };
  const query = { type: 'object', additionalProperties: TEXTS };
  const status = { type: 'integer', minimum: 100, maximum: 599 };
  const request = closed({ method, path, query, ...message }, 'method', 'path');
  const response = closed({ status, ...message }, 'status');
  const own = { description: TEXT, providerStates: STATES, request, response };
  const required = ['description', 'request', 'response'];
  const interaction =
    version === 4
      ? closed({ ...own, type: { const: 'Synchronous/HTTP' }, key: TEXT, pending: BOOLEAN }, ...required, 'type')
      : closed(own, ...required);
  const pactSpecification = object({ version: { const: version === 4 ? '4.0' : '3.0.0' } }, 'version');
  const metadata = object({ pactSpecification }, 'pactSpecification');
  const parts = { consumer: PARTY, provider: PARTY, interactions: arrayOf(interaction), metadata };
  return closed(parts, ...Object.keys(parts));
}

/** What a Pact file has that its specification does not allow; pairs of description and provider states are unique. */
export function findMistakes(pact: object, version: 3 | 4): readonly string[] {
  const ajv = new Ajv({ allErrors: true, formats: { regex: isRegularExpression } });
  const validate = ajv.compile(createSchema(version));
  validate(pact);
  const { interactions } = pact as { readonly interactions: readonly Readonly<Record<string, unknown>>[] };
  const keys = interactions.map(({ description, providerStates }) => JSON.stringify([description, providerStates]));
  const repeated = keys.filter((key, i) => keys.indexOf(key) !== i);
  return [...(validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`), ...repeated];
}

function isRegularExpression(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}
