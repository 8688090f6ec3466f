import { Ajv } from 'ajv';
import { object, INTEGER, arrayOf, BOOLEAN } from '../document-parts.js';

// The schemas below are written from the Pact specification, versions 3 and 4: github.com/pact-foundation/pact-specification.

const TEXT = { type: 'string', minLength: 1 };
const TEXTS = { type: 'array', items: { type: 'string' }, minItems: 1 };
const PARTY = { ...object({ name: TEXT }, 'name'), additionalProperties: false };

const MATCHER = {
  oneOf: [
    {
      ...object({ match: { const: 'type' }, min: { type: 'integer', minimum: 0 }, max: INTEGER }, 'match'),
      additionalProperties: false,
    },
    {
      ...object({ match: { const: 'regex' }, regex: { type: 'string', format: 'regex' } }, 'match', 'regex'),
      additionalProperties: false,
    },
  ],
};
const MATCHERS = {
  ...object({ matchers: { type: 'array', items: MATCHER, minItems: 1 }, combine: { enum: ['AND', 'OR'] } }, 'matchers'),
  additionalProperties: false,
};
/** Matchers of the parts of a message: by JSON path of the body, by the name of a header or query parameter. */
const RULES = {
  ...object({
    body: { type: 'object', propertyNames: { pattern: '^\\$' }, additionalProperties: MATCHERS },
    header: { type: 'object', additionalProperties: MATCHERS },
    query: { type: 'object', additionalProperties: MATCHERS },
    path: MATCHERS,
  }),
  additionalProperties: false,
};
const STATES = arrayOf(object({ name: TEXT, params: { type: 'object' } }, 'name'));

function createSchema(version: 3 | 4): object {
  const headers = { type: 'object', additionalProperties: version === 3 ? { type: 'string' } : TEXTS };
  const body =
    version === 3
      ? {}
      : {
          ...object(
            { content: {}, contentType: TEXT, encoded: { enum: [false, 'base64', 'JSON'] } },
            'content',
            'contentType',
            'encoded',
          ),
          additionalProperties: false,
        };
  const request = {
    ...object(
      {
        method: { enum: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] },
        path: { type: 'string', pattern: '^/[^?]*$' },
        query: { type: 'object', additionalProperties: TEXTS },
        headers,
        body,
        matchingRules: RULES,
      },
      'method',
      'path',
    ),
    additionalProperties: false,
  };
  const response = {
    ...object(
      { status: { type: 'integer', minimum: 100, maximum: 599 }, headers, body, matchingRules: RULES },
      'status',
    ),
    additionalProperties: false,
  };
  const own = { description: TEXT, providerStates: STATES, request, response };
  const ofVersion4 = { type: { const: 'Synchronous/HTTP' }, key: TEXT, pending: BOOLEAN };
  const interaction = {
    type: 'object',
    required: ['description', 'request', 'response', ...(version === 4 ? ['type'] : [])],
    properties: version === 4 ? { ...own, ...ofVersion4 } : own,
    additionalProperties: false,
  };
  return {
    ...object(
      {
        consumer: PARTY,
        provider: PARTY,
        interactions: arrayOf(interaction),
        metadata: object(
          { pactSpecification: object({ version: { const: version === 4 ? '4.0' : '3.0.0' } }, 'version') },
          'pactSpecification',
        ),
      },
      'consumer',
      'provider',
      'interactions',
      'metadata',
    ),
    additionalProperties: false,
  };
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
