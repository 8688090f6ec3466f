import type { DeclaredResponse, Operation } from '../contract/operations/operation.js';
import type { SchemaPool, SchemaText } from './partial-schema.js';

const STATUS: SchemaText = { type: 'integer', minimum: 200, maximum: 599 };

const VALUE: SchemaText = {
  anyOf: [
    { type: ['string', 'number', 'boolean'] },
    { type: 'array', items: { type: ['string', 'number', 'boolean'] } },
  ],
};

/** What a rule may answer: anything where the operation is not known, else what the contract documents. */
export function respondSchema(operation: Operation | undefined, pool: SchemaPool): SchemaText {
  const responses = operation?.responses ?? [];
  const rules = responses.flatMap((response) => bodyRule(response, pool));
  return {
    type: 'object',
    additionalProperties: false,
    properties: {
      status: operation === undefined ? STATUS : statusSchema(responses),
      ...exampleSchema(operation),
      body: {},
      headers: { type: 'object', properties: headersOf(responses), additionalProperties: VALUE },
      mediaType: { type: 'string' },
      fault: { $ref: '#/$defs/fault' },
    },
    ...(rules.length > 0 && { allOf: rules }),
  };
}

function exampleSchema(operation: Operation | undefined): SchemaText {
  const names = operation === undefined ? [] : namesOf(operation.responses);
  if (operation === undefined) return { example: { type: 'string' } };
  return names.length === 0 ? {} : { example: { description: 'An example of the contract.', enum: names } };
}

function statusSchema(responses: readonly DeclaredResponse[]): SchemaText {
  if (responses.some((response) => response.status === 'default')) return { ...STATUS, examples: explicit(responses) };
  const ranges = responses
    .filter((response) => response.status.endsWith('XX'))
    .map((response) => Number(response.status[0]) * 100);
  const described = explicit(responses).map((status) => ({ const: status, description: describe(responses, status) }));
  return { anyOf: [...described, ...ranges.map((from) => ({ type: 'integer', minimum: from, maximum: from + 99 }))] };
}

function explicit(responses: readonly DeclaredResponse[]): readonly number[] {
  return responses.map((response) => Number(response.status)).filter((status) => Number.isInteger(status));
}

function describe(responses: readonly DeclaredResponse[], status: number): string {
  return responses.find((response) => response.status === String(status))?.description ?? `Status ${status}`;
}

/** A status decides which fields the body has and which examples there are. */
function bodyRule(response: DeclaredResponse, pool: SchemaPool): readonly SchemaText[] {
  const status = Number(response.status);
  const media = response.content.find((each) => each.schema !== undefined);
  const isSuccess = response.status.startsWith('2');
  if (!Number.isInteger(status)) return [];
  const body = media === undefined ? {} : pool.use(media.schemaPointer, 'partial');
  const examples = namesOf([response]);
  const known = { body, ...(examples.length > 0 && { example: { enum: examples } }) };
  const named = { properties: { status: { const: status } }, required: ['status'] };
  // Without a status the answer is one of success.
  const unnamed = { not: { anyOf: [{ required: ['status'] }, { required: ['example'] }] } };
  return [
    {
      if: isSuccess ? { anyOf: [named, unnamed] } : named,
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { properties: known },
    },
  ];
}

function namesOf(responses: readonly DeclaredResponse[]): readonly string[] {
  const names = responses.flatMap((response) =>
    response.content.flatMap((media) => media.examples.map((each) => each.name)),
  );
  return [...new Set(names)].filter((name) => name !== '');
}

function headersOf(responses: readonly DeclaredResponse[]): SchemaText {
  const names = new Set(responses.flatMap((response) => response.headers.map((header) => header.name.toLowerCase())));
  return Object.fromEntries([...names].map((name) => [name, VALUE]));
}
