// @module-tag slow
/* oxlint-disable unicorn/no-thenable -- `then` is a key of a rule */
import { beforeAll, describe, expect, it } from 'vitest';
import { MockError } from '../../src/base/errors.js';
import { createMock, type Mock } from '../../src/index.js';
import type { ScenarioDefinition, WhenDefinition } from '../../src/features/scenario/definition/definition.js';
import type { ScenarioContext } from '../../src/features/scenario/definition/kinds.js';
import { toScenarios } from '../../src/features/scenario/definition/load.js';
import { loadContext } from './library.js';
import { loadCases } from '../load-cases.js';

const SHOP = loadCases<Readonly<Record<string, unknown>>>('scenario/matchers-document.yaml');

let context: ScenarioContext;
beforeAll(async () => {
  context = await loadContext(SHOP);
});

/** The mistakes in one condition, without code and the pointer to the condition. */
function findMistakes(operation: string, when: unknown, more: object = {}): string {
  try {
    toScenarios({ a: { operations: { [operation]: { when, delay: 1, ...more } } } }, context);
    return '';
  } catch (error) {
    if (!(error instanceof MockError)) throw error;
    return error.message.replaceAll(`SCENARIO_INVALID  #/scenarios/a/operations/${operation}/when/`, '');
  }
}

interface Case {
  readonly operation: string;
  readonly when: WhenDefinition;
}

const CASES = loadCases<{
  readonly mistakes: readonly (Case & { readonly name: string; readonly want: string })[];
  readonly accepted: readonly Case[];
}>('scenario/matchers.yaml');

it.each(CASES.mistakes)('a condition that no call can match is a mistake: $name', ({ operation, when, want }) => {
  expect(findMistakes(operation, when)).toBe(want);
});

describe('a condition that a call can match is accepted', () => {
  it.each(CASES.accepted)('$operation $when', ({ operation, when }) => {
    expect(findMistakes(operation, when)).toBe('');
  });

  it('as is one that cannot match, in a rule that says why it breaks the contract', () => {
    const when = { query: { status: { matches: '^x' }, limit: { gt: 500 } } };
    expect(findMistakes('list', when, { violates: 'the client sends other values' })).toBe('');
  });
});

const open = (operations: NonNullable<ScenarioDefinition['operations']>): Promise<Mock> =>
  createMock({ spec: SHOP, scenarios: { from: { a: { operations } }, active: 'a' } });

describe('which calls a matcher matches', () => {
  const cases: readonly (readonly [when: WhenDefinition, request: string, isMatch: boolean])[] = [
    [{ query: { status: { matches: '^o' } } }, '?status=open', true],
    [{ query: { status: { matches: '^o' } } }, '?status=paid', false],
    [{ query: { status: { matches: '^o' } } }, '', false],
    [{ query: { limit: { gt: 5 } } }, '?limit=6', true],
    [{ query: { limit: { gt: 5 } } }, '?limit=5', false],
    [{ query: { limit: { gte: 5, lt: 7 } } }, '?limit=5', true],
    [{ query: { limit: { gte: 5, lt: 7 } } }, '?limit=7', false],
    [{ query: { limit: { lte: 7 } } }, '?limit=7', true],
    [{ query: { limit: { matches: '^1' } } }, '?limit=12', true],
    [{ query: { limit: { oneOf: ['1', 2, { gt: 50 }] } } }, '?limit=1', true],
    [{ query: { limit: { oneOf: ['1', 2, { gt: 50 }] } } }, '?limit=51', true],
    [{ query: { limit: { oneOf: ['1', 2, { gt: 50 }] } } }, '?limit=3', false],
    [{ query: { limit: { not: 3 } } }, '?limit=3', false],
    [{ query: { limit: { not: 3 } } }, '?limit=4', true],
    [{ query: { limit: { not: 3 } } }, '', true],
    [{ query: { limit: { not: 3, present: true } } }, '', false],
    [{ query: { limit: { present: false } } }, '', true],
    [{ query: { limit: { present: false } } }, '?limit=1', false],
    [{ query: { since: { gt: '2026-01-31' } } }, '?since=2026-01-31T00:00:01Z', true],
    [{ query: { since: { gt: '2026-01-31T12:00:00Z' } } }, '?since=2026-01-31T13:00:00%2B02:00', false],
    [{ query: { tag: { matches: '^o' } } }, '?tag=paid&tag=open', true],
    [{ query: { tag: { matches: '^o', not: 'paid' } } }, '?tag=paid&tag=open', false],
    [{ query: { tag: { contains: 'open' } } }, '?tag=paid', false],
    [{ query: { filter: { size: { gt: 2 } } } }, '?filter[size]=3', true],
    [{ query: { filter: { size: { gt: 2 } } } }, '?filter[size]=2', false],
    [{ header: { 'X-Retries': { gte: 2 } } }, 'x-retries: 2', true],
    [{ header: { 'X-Retries': { gte: 2 } } }, 'x-retries: 1', false],
    [{ header: { 'user-agent': { contains: 'openai' } } }, 'user-agent: x-openai/1', true],
    [{ header: { 'x-count': { lt: 10 } } }, 'x-count: 9', true],
    [{ header: { 'x-count': { lt: 10 } } }, 'x-count: few', false],
    [{ cookie: { theme: { not: 'dark' } } }, 'cookie: theme=light', true],
    [{ cookie: { theme: { not: 'dark' } } }, 'cookie: theme=dark', false],
    [{ body: { name: { matches: '(?i)^ADA' } } }, '{"name":"ada l"}', true],
    [{ body: { name: { matches: '^a' } } }, '{"name":"bob"}', false],
    [{ body: { name: { present: false } } }, '{"total":1}', true],
    [{ body: { name: { present: false } } }, '{"name":"a"}', false],
    [{ body: { note: { present: true } } }, '{"note":null}', true],
    [{ body: { note: null } }, '{"note":null}', true],
    [{ body: { note: null } }, '{}', false],
    [{ body: { total: { gt: 5 } } }, '{"total":5.5}', true],
    [{ body: { free: { gt: 5 } } }, '{"free":"6"}', false],
    [{ body: { day: { lt: '2026-01-31' } } }, '{"day":"2026-01-30"}', true],
    [{ body: { tags: { contains: 'new' } } }, '{"tags":["old","new"]}', true],
    [{ body: { tags: ['old', { matches: '^n' }] } }, '{"tags":["old","new"]}', true],
    [{ body: { tags: ['old', { matches: '^n' }] } }, '{"tags":["old"]}', false],
    [{ body: { lines: { contains: { quantity: { gt: 2 } } } } }, '{"lines":[{"quantity":1},{"quantity":3}]}', true],
    [{ body: { condition: { contains: 'x' } } }, '{"condition":{"contains":"x"}}', true],
    [{ body: { metadata: { equals: { present: true } } } }, '{"metadata":{"present":true}}', true],
    [{ body: { metadata: { equals: { present: true } } } }, '{"metadata":{}}', false],
    [{ body: { jsonPath: '$.lines[?@.quantity > 2]' } }, '{"lines":[{"quantity":1},{"quantity":3}]}', true],
    [{ body: { jsonPath: '$.lines[?@.quantity > 2]' } }, '{"lines":[{"quantity":1}]}', false],
    [{ body: { lines: { jsonPath: '$[?@.sku]' } } }, '{"lines":[{"sku":"a"}]}', true],
    [{ body: { jsonPath: "$[?search(@, '^a')]" } }, '{"name":"ab"}', true],
    [{ body: { jsonPath: "$[?match(@, 'a')]" } }, '{"name":"ab"}', false],
    [{ body: { equals: { name: 'a' }, jsonPath: '$.total' } }, '{"name":"a","total":1}', true],
    [{ body: { equals: { name: 'a' }, jsonPath: '$.total' } }, '{"name":"a"}', false],
    [{ body: { not: { name: 'a' } } }, '{"name":"b"}', true],
  ];

  it.each(cases)('%j of %s: %s', async (when, request, isMatch) => {
    const isBody = request.startsWith('{');
    const [, name, value = ''] = /^([\w-]+): (.*)$/.exec(request) ?? [];
    const operations = { [isBody ? 'create' : 'list']: { when, respond: { status: 429 } } };
    const mock = await open(operations);
    const init = isBody
      ? { method: 'POST', headers: { 'content-type': 'application/json' }, body: request }
      : { headers: name === undefined ? {} : { [name]: value } };
    const response = await mock.fetch(`/orders${isBody || name !== undefined ? '' : request}`, init);
    expect([response.status, response.headers.get('x-mock-violations')]).toEqual([
      isMatch ? 429 : isBody ? 201 : 200,
      null,
    ]);
  });

  it('a pattern that backtracks takes linear time', async () => {
    const respond = { status: 429 };
    const operations = {
      list: { when: { header: { 'x-name': { matches: '^(a+)+$' } } }, respond },
      create: { when: { body: { jsonPath: "$[?match(@, '(a+)+')]" } }, respond },
    };
    const mock = await open(operations);
    const text = 'a'.repeat(45);
    const post = (name: string): RequestInit => ({
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name }),
    });
    expect((await mock.fetch('/orders', { headers: { 'x-name': `${text}!` } })).status).toBe(200);
    expect((await mock.fetch('/orders', { headers: { 'x-name': text } })).status).toBe(429);
    expect((await mock.fetch('/orders', post(`${text}!`))).status).toBe(201);
    expect((await mock.fetch('/orders', post(text))).status).toBe(429);
  });

  it('the trace says what a call has instead', async () => {
    const operations = { list: { when: { query: { limit: { gt: 5 } } }, respond: { status: 429 } } };
    const mock = await open(operations);
    await mock.fetch('/orders?limit=3');
    expect(mock.journal.interactions[0]?.trace.find((line) => line.includes('rule'))).toBe(
      'scenario: rule a/list[0] (#/scenarios/a/operations/list) does not apply: query "limit" is 3, not {"gt":5}',
    );
  });
});
