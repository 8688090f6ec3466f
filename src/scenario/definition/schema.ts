import type { Contract } from '../../contract/contract.js';
import type { DeclaredResponse, Operation, ParameterPlace } from '../../contract/operations/operation.js';
import type { CollectionShape } from '../ground.js';
import { createSchemaPool, type SchemaPool, type SchemaText } from './partial-schema.js';
import { FAULT_NAMES } from './read-fault.js';

/** What a free property says: an editor shows no completion for `true`. */
const FREE: SchemaText = {};

/**
 * The JSON Schema (draft 2020-12) of the scenario files of one contract, from which an editor completes operation ids,
 * documented statuses, names of examples, and fields of bodies and items.
 */
export function scenarioSchema(contract: Contract, collections: readonly CollectionShape[]): SchemaText {
  const pool = createSchemaPool(contract);
  const operations = Object.fromEntries(
    contract.operations.map((operation) => [operation.id, rulesOf(operation, pool)]),
  );
  const root = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `Scenario for ${contract.title}`,
    type: 'object',
    additionalProperties: false,
    properties: {
      $schema: { type: 'string' },
      description: { type: 'string', description: 'What a user of this scenario meets, in a sentence.' },
      extends: {
        description: 'Ids of scenarios this one adds to.',
        anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
      },
      state: { description: 'Changes made when the scenario is activated.', $ref: '#/$defs/changes' },
      vars: { type: 'object', description: 'First values of vars.' },
      operations: {
        type: 'object',
        additionalProperties: false,
        properties: { '*': { description: 'Every operation.', ...listOf({ $ref: '#/$defs/rule' }) }, ...operations },
        patternProperties: { '^[A-Za-z]+ +/': listOf({ $ref: '#/$defs/rule' }) },
      },
    },
  };
  const shared = sharedDefinitions(collections, pool);
  return { ...root, $defs: { ...shared, ...pool.definitions } };
}

/** The JSON Schema of the fixture file of one collection. */
export function fixtureSchema(contract: Contract, collection: CollectionShape): SchemaText {
  const pool = createSchemaPool(contract);
  const item = collection.schemaPointer === undefined ? FREE : pool.use(collection.schemaPointer, 'partial');
  const items = {
    anyOf: [
      { type: 'array', items: item },
      {
        type: 'object',
        description: 'Items by the id of what they live under.',
        additionalProperties: { type: 'array', items: item },
      },
    ],
  };
  const mapping = {
    type: 'object',
    additionalProperties: false,
    properties: {
      defaults: item,
      items,
      generate: { type: 'integer', minimum: 0 },
      world: { enum: ['open', 'closed'] },
    },
  };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `Fixture of ${collection.name} for ${contract.title}`,
    anyOf: [mapping, { type: 'array', items: item }, ...(collection.schemaPointer === undefined ? [] : [item])],
    $defs: pool.definitions,
  };
}

/** One rule, or a list of them. */
function listOf(rule: SchemaText): SchemaText {
  return { anyOf: [{ type: 'array', items: rule }, rule] };
}

function rulesOf(operation: Operation, pool: SchemaPool): SchemaText {
  const about = [`${operation.method} ${operation.path}`, operation.summary].filter((text) => text !== undefined);
  const strict = respondSchema(operation, pool);
  const rule = {
    ...ruleSchema(whenOf(operation, pool)),
    // A rule that breaks the contract on purpose may answer anything.
    if: { required: ['violates'] },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { properties: answering({ $ref: '#/$defs/respond' }) },
    else: { properties: answering(strict) },
  };
  return { description: about.join(': '), ...listOf(rule) };
}

function answering(respond: SchemaText): SchemaText {
  const step = { anyOf: [{ const: 'engine' }, respond] };
  return { respond, sequence: { type: 'array', minItems: 1, items: step } };
}

/** A rule; `respond` and `sequence` are free where it is decided elsewhere what they may be. */
function ruleSchema(when: SchemaText, answers: SchemaText = { respond: FREE, sequence: FREE }): SchemaText {
  return {
    type: 'object',
    additionalProperties: false,
    properties: {
      when,
      ...answers,
      patch: { $ref: '#/$defs/patch' },
      onEnd: { enum: ['hold', 'cycle', 'fallthrough', 'error'], default: 'hold' },
      fault: { $ref: '#/$defs/fault' },
      delay: { $ref: '#/$defs/delay' },
      times: { type: 'integer', minimum: 1, description: 'How many calls the rule applies to.' },
      probability: {
        type: 'number',
        minimum: 0,
        maximum: 1,
        description: 'The share of calls it applies to, by the seed.',
      },
      // oxlint-disable-next-line unicorn/no-thenable -- a key of a rule
      then: { $ref: '#/$defs/changes' },
      violates: { type: 'string', minLength: 1, description: 'Why this rule breaks the contract on purpose.' },
    },
  };
}

function whenOf(operation: Operation | undefined, pool: SchemaPool): SchemaText {
  const media = operation?.body?.content.find((each) => each.schema !== undefined);
  return {
    type: 'object',
    additionalProperties: false,
    properties: {
      path: parametersOf(operation, 'path', pool),
      query: parametersOf(operation, 'query', pool),
      header: parametersOf(operation, 'header', pool),
      cookie: parametersOf(operation, 'cookie', pool),
      body: media === undefined ? FREE : pool.use(media.schemaPointer, 'partial'),
      call: {
        description: 'Which of the calls that meet the rest: 3, "2..4", "3..", "every 5".',
        anyOf: [
          { type: 'integer', minimum: 1 },
          { type: 'string', pattern: '^(every [1-9]\\d*|\\d+\\.\\.\\d*|\\.\\.\\d+)$' },
        ],
      },
      state: { $ref: '#/$defs/conditions' },
    },
  };
}

function parametersOf(operation: Operation | undefined, place: ParameterPlace, pool: SchemaPool): SchemaText {
  const declared = operation?.parameters.filter((parameter) => parameter.in === place) ?? [];
  const presence = { type: 'object', properties: { present: { type: 'boolean' } } };
  const entries = declared.map((parameter): [string, SchemaText] => [
    parameter.name,
    {
      ...(parameter.description !== undefined && { description: parameter.description }),
      anyOf: [
        pool.use(parameter.schemaPointer, 'partial'),
        presence,
        { type: ['string', 'number', 'boolean', 'null'] },
      ],
    },
  ]);
  return { type: 'object', properties: Object.fromEntries(entries) };
}

function sharedDefinitions(collections: readonly CollectionShape[], pool: SchemaPool): SchemaText {
  const ids = { anyOf: [{ type: 'string' }, { type: 'array', items: { type: ['string', 'number'] } }] };
  const condition = {
    type: 'object',
    additionalProperties: false,
    properties: { count: { type: ['integer', 'string'] }, has: ids, lacks: ids },
  };
  const changes = collections.map(({ name, schemaPointer }) => [name, changeSchema(schemaPointer, pool)]);
  const byName = collections.map(({ name }) => [name, condition]);
  const vars = { vars: { type: 'object' } };
  return {
    rule: ruleSchema(whenOf(undefined, pool), answering({ $ref: '#/$defs/respond' })),
    respond: respondSchema(undefined, pool),
    patch: {
      type: 'object',
      additionalProperties: false,
      properties: { status: { type: 'integer', minimum: 200, maximum: 599 }, headers: { type: 'object' }, body: FREE },
    },
    changes: { type: 'object', additionalProperties: false, properties: { ...Object.fromEntries(changes), ...vars } },
    conditions: { type: 'object', additionalProperties: false, properties: { ...Object.fromEntries(byName), ...vars } },
    delay: DELAY,
    fault: FAULT,
  };
}

function changeSchema(schemaPointer: string | undefined, pool: SchemaPool): SchemaText {
  const item = schemaPointer === undefined ? FREE : pool.use(schemaPointer, 'partial');
  const patch = schemaPointer === undefined ? FREE : pool.use(schemaPointer, 'patch');
  return {
    type: 'object',
    additionalProperties: false,
    properties: {
      clear: { type: 'boolean', description: 'Takes every item away, before anything else.' },
      generate: { type: 'integer', minimum: 0, description: 'How many items to make from the schema.' },
      add: { type: 'array', items: item, description: 'Items, whole or in part.' },
      update: { type: 'object', additionalProperties: patch, description: 'Merge patches by id.' },
      remove: { type: 'array', items: { type: ['string', 'number'] }, description: 'Ids.' },
    },
  };
}

const DURATION: SchemaText = {
  anyOf: [
    { type: 'number', minimum: 0 },
    { type: 'string', pattern: '^\\d+(\\.\\d+)? ?(ms|s|m|h|d)$' },
  ],
};

const DELAY: SchemaText = {
  description: '300, "1.5s", or a distribution.',
  anyOf: [
    ...(DURATION['anyOf'] as readonly SchemaText[]),
    {
      type: 'object',
      additionalProperties: false,
      properties: {
        uniform: { type: 'array', items: DURATION, minItems: 2, maxItems: 2 },
        lognormal: { type: 'object', properties: { median: DURATION, p99: DURATION }, required: ['median', 'p99'] },
        normal: {
          type: 'object',
          properties: { mean: DURATION, deviation: DURATION },
          required: ['mean', 'deviation'],
        },
      },
    },
  ],
};

const FAULT: SchemaText = {
  description: 'What goes wrong on the wire.',
  anyOf: [
    { enum: FAULT_NAMES.filter((name) => name !== 'bandwidth' && name !== 'rate-limit') },
    // Names of other tools are taken as well.
    { type: 'string' },
    {
      type: 'object',
      properties: Object.fromEntries(FAULT_NAMES.map((name) => [name, { type: ['object', 'null'] }])),
    },
  ],
};

const STATUS: SchemaText = { type: 'integer', minimum: 200, maximum: 599 };

const VALUE: SchemaText = {
  anyOf: [
    { type: ['string', 'number', 'boolean'] },
    { type: 'array', items: { type: ['string', 'number', 'boolean'] } },
  ],
};

/** What a rule may answer: anything where the operation is not known, else what the contract documents. */
function respondSchema(operation: Operation | undefined, pool: SchemaPool): SchemaText {
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
