// The conditions of promoted rules: each applies to one recorded request and to no other.
import { expect, it } from 'vitest';
import { createConditions } from '../../src/features/recording/promote/conditions.js';
import type { StoredExchange } from '../../src/features/recording/cassette/cassette.js';
import { loadContract } from '../../src/contract/load/load.js';
import { json, toDocument } from '../document-parts.js';

const SPEC = toDocument({
  '/query': { post: { operationId: 'query', responses: { 200: json({ type: 'object' }, 'Result.') } } },
});

interface Sent {
  readonly body: object;
  readonly key?: string;
  readonly status?: number;
}

/** The conditions for requests, and how often the key of one was read. */
async function toConditions(all: readonly Sent[]) {
  const contract = await loadContract(SPEC);
  const operation = contract.operation('query');
  if (operation === undefined) throw new Error('the document has no such operation');
  const exchanges = all.map(({ body, status = 200 }, number): StoredExchange => {
    const request = { method: 'POST', path: '/query', pathParams: {}, query: {}, headers: {}, body };
    const response = { status, headers: {}, body: {} };
    const head = { number, file: `${number}.json`, operation: 'query', recordedAt: '2026-01-01T00:00:00Z' };
    return { ...head, elapsedMs: 1, request, response, failure: undefined };
  });
  let reads = 0;
  const toCondition = createConditions(operation, exchanges, {
    contract,
    keyOf: ({ number, request }) => {
      reads += 1;
      return all[number]?.key ?? JSON.stringify(request.body);
    },
    queryOf: () => ({}),
    bodyOf: ({ request }) => request.body,
  });
  return { conditions: exchanges.map((exchange) => toCondition(exchange)), reads };
}

it('each request is read once, whatever the number of rules', async () => {
  const { reads } = await toConditions(Array.from({ length: 300 }, (_, i) => ({ body: { q: i } })));
  expect(reads).toBe(300);
});

it.each<readonly [what: string, sent: readonly Sent[], condition: object]>([
  [
    'a name that others have',
    [{ body: { q: 1 } }, { body: { q: 1, n: 2 } }],
    { body: { q: 1, n: { present: false } } },
  ],
  [
    'a name that others have in an object of an array',
    [{ body: { a: [{ q: 1 }] } }, { body: { a: [{ q: 2 }, { q: 1, n: 2 }] } }],
    { body: { a: [{ q: 1, n: { present: false } }] } },
  ],
  [
    'a name beside an object with other members',
    [{ body: { a: { q: 1 } } }, { body: { a: { q: 2 }, n: 2 } }],
    { body: { a: { q: 1 }, n: { present: false } } },
  ],
  ['no name of others with another value', [{ body: { q: 1 } }, { body: { q: 2, n: 2 } }], { body: { q: 1 } }],
  [
    'no name that replay does not compare',
    [
      { body: { q: 1 }, key: 'k' },
      { body: { q: 1, n: 2 }, key: 'k' },
    ],
    { body: { q: 1 }, call: 1 },
  ],
  ['the number of its call', [{ body: { q: 1 }, status: 400 }, { body: { q: 1 } }], { body: { q: 1 }, call: 1 }],
])('the condition has %s', async (_, sent, want) => {
  expect((await toConditions(sent)).conditions[0]).toEqual(want);
});
