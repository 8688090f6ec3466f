import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Contract, createMock, loadContract, matchers, type Mock } from '../../src/index.js';
import {
  object,
  TEXT,
  INTEGER,
  arrayOf,
  content,
  json,
  query,
  BOOLEAN,
  toDocument,
  inPath,
} from '../document-parts.js';
import { messageOf } from '../message-of.js';

expect.extend(matchers);

const key = object(
  {
    id: { type: 'string', readOnly: true },
    name: TEXT,
    secret: { type: 'string', format: 'password' },
    limits: object({ perMinute: INTEGER, perDay: INTEGER }),
    scopes: arrayOf(TEXT),
  },
  'name',
);

const DOCUMENT = toDocument({
  '/keys': {
    get: { operationId: 'listKeys', parameters: [query('limit', INTEGER)], responses: { 200: json(arrayOf(key)) } },
    post: {
      operationId: 'createKey',
      parameters: [query('dry_run', BOOLEAN)],
      requestBody: { required: true, content: content(key) },
      responses: { 201: json(key) },
    },
  },
  '/keys/{id}': {
    ...inPath('id'),
    get: { operationId: 'readKey', responses: { 200: json(key), 404: { description: '' } } },
    delete: { operationId: 'deleteKey', responses: { 204: { description: '' } } },
  },
  '/notes': {
    put: {
      operationId: 'writeNote',
      requestBody: { content: { 'application/octet-stream': {} } },
      responses: { 204: { description: '' } },
    },
  },
});

let contract: Contract;
let mock: Mock;

beforeAll(async () => {
  contract = await loadContract(DOCUMENT);
});
beforeEach(async () => {
  mock = await createMock({ spec: contract, fixtures: { keys: [{ id: 'a', name: 'first' }] } });
});
afterEach(() => mock.close());

async function create(body: object, path = '/keys', headers: Record<string, string> = {}): Promise<void> {
  await mock.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

describe('received', () => {
  it('returns the calls that match, at least one', async () => {
    await create({ name: 'ci' });
    await create({ name: 'cd' });
    expect(mock.received('createKey').map(({ number }) => number)).toEqual([1, 2]);
    expect(mock.received('POST /keys', { with: { body: { name: 'cd' } } })).toHaveLength(1);
    expect(mock.received('createKey', { times: { atLeast: 1, atMost: 2 } })).toHaveLength(2);
    expect(mock.received('deleteKey', { times: 0 })).toEqual([]);
    expect(mock.received('createKey', { times: 0, with: { body: { name: 'other' } } })).toEqual([]);
  });

  it.each<readonly [string, object]>([
    ['some members of an object', { body: { limits: { perDay: 5 } } }],
    ['a regular expression', { body: { name: /^C/i } }],
    ['a function', { body: { scopes: (scopes: unknown) => Array.isArray(scopes) && scopes.length === 2 } }],
    ['an asymmetric matcher', { body: { name: expect.any(String), scopes: expect.arrayContaining(['write']) } }],
    ['a matcher for a whole part', { body: expect.objectContaining({ name: 'ci' }) }],
    ['a whole array', { body: { scopes: ['read', 'write'] } }],
    ['a member that is absent', { body: { secret: undefined }, query: { limit: undefined } }],
    ['a header in any case', { headers: { 'Content-Type': /json/, 'x-trace': 't1' } }],
    ['a decoded query parameter', { query: { dry_run: true } }],
  ])('compares %s', async (_, expected) => {
    const body = { name: 'ci', limits: { perMinute: 1, perDay: 5 }, scopes: ['read', 'write'] };
    await create(body, '/keys?dry_run=true', { 'x-trace': 't1' });
    expect(mock.received('createKey', { with: expected })).toHaveLength(1);
  });

  it('compares bytes with bytes or a string', async () => {
    const headers = { 'content-type': 'application/octet-stream' };
    await mock.fetch('/notes', { method: 'PUT', headers, body: 'grün' });
    mock.received('writeNote', { with: { body: 'grün' } });
    mock.received('writeNote', { with: { body: new TextEncoder().encode('grün') } });
    expect(() => mock.received('writeNote', { with: { body: 'rot' } })).toThrow('body: expected "rot", got ');
  });

  it('is about the requests of its own session', async () => {
    const session = mock.session('other');
    await session.fetch('/keys');
    session.received('listKeys', { times: 1 });
    mock.received('listKeys', { times: 0 });
  });

  it('refuses an operation that the contract does not have', async () => {
    const want = 'OPERATION_UNKNOWN  operation "createKeys" is not in the contract\n  hint: did you mean "createKey"?';
    expect(await messageOf(() => mock.received('createKeys'))).toBe(want);
    expect(await messageOf(() => mock.receivedOnly(['createKeys']))).toBe(want);
    expect(() => expect(mock).not.toHaveReceived('createKeys')).toThrow(want);
  });
});

/** What was requested, the check that fails, and the whole message. */
type Case = readonly [name: string, requests: () => Promise<unknown>, check: () => unknown, message: readonly string[]];

const nothing = (): Promise<void> => Promise.resolve();

it.each<Case>([
  [
    'no request at all',
    nothing,
    () => mock.received('createKey'),
    [
      'EXPECTATION_FAILED  createKey was not received; no request was',
      '  hint: check that the client uses the URL of this mock, or mock.fetch, and the headers of this session',
    ],
  ],
  [
    'other requests only',
    async () => {
      await mock.fetch('/keys?limit=2');
      await mock.fetch('/key', { method: 'POST' });
    },
    () => mock.received('createKey'),
    [
      'EXPECTATION_FAILED  createKey was not received; there was:',
      '    #1 GET /keys?limit=2 -> 200 state (listKeys)',
      '    #2 POST /key -> 404 refuse (no operation)',
      '  hint: #2: the contract has no path /key; the nearest is /keys; if the call comes later, wait for it first: await mock.journal.waitFor("createKey")',
    ],
  ],
  [
    'the closest of several calls, with each difference',
    async () => {
      await create({ name: 'x' });
      await create({ name: 'ci', nmae: 1, limits: { perDay: 5 }, scopes: ['a', 'b'] });
    },
    () =>
      mock.received('createKey', {
        with: { query: { dry_run: true }, body: { limits: { perDay: 6 }, name: 'ci', scopes: ['a'], named: /x/ } },
      }),
    [
      'EXPECTATION_FAILED  createKey was not received with the expected request; the closest of its 2 calls differs:',
      '    #2 POST /keys -> 201 state (createKey)',
      '        query parameter "dry_run": expected true, but it is absent',
      '        body /limits/perDay: expected 6, got 5',
      '        body /scopes: expected 1 element, got 2',
      '        body /named: expected a value that matches /x/, but it is absent; did you mean "name"?',
      '  hint: correct the request of the client, or "with" in the test',
    ],
  ],
  [
    'a wrong path parameter, header and body of another type',
    () => mock.fetch('/keys/a', { headers: { accept: '*/*' } }),
    () => mock.received('readKey', { with: { path: { id: 'b' }, headers: { Accept: 'text/csv' }, body: { a: 1 } } }),
    [
      'EXPECTATION_FAILED  readKey was not received with the expected request; its only call differs:',
      '    #1 GET /keys/a -> 200 state (readKey)',
      '        path parameter "id": expected "b", got "a"',
      '        header "accept": expected "text/csv", got "*/*"',
      '        body: expected {"a":1}, but there is none',
      '  hint: correct the request of the client, or "with" in the test',
    ],
  ],
  [
    'a secret is not shown',
    () => create({ name: 'ci', secret: 'hunter2-hunter2' }),
    () => mock.received('createKey', { with: { body: { secret: 'hunter3-hunter3' } } }),
    [
      'EXPECTATION_FAILED  createKey was not received with the expected request; its only call differs:',
      '    #1 POST /keys -> 201 state (createKey)',
      '        body /secret: expected another value, got "[redacted]", which is a secret',
      '  hint: correct the request of the client, or "with" in the test',
    ],
  ],
  [
    'too few calls',
    async () => {
      await create({ name: 'ci' });
      await create({ name: 'cd' });
    },
    () => mock.received('createKey', { times: 2, with: { body: { name: 'ci' } } }),
    [
      'EXPECTATION_FAILED  createKey with the expected request was received once, not 2 times:',
      '    #1 POST /keys -> 201 state (createKey)',
      '  the closest other call:',
      '    #2 POST /keys -> 201 state (createKey)',
      '        body /name: expected "ci", got "cd"',
      '  hint: wait for the missing calls first: await mock.journal.waitFor("createKey", { count: 2 })',
    ],
  ],
  [
    'too many calls',
    async () => {
      await mock.fetch('/keys');
      await mock.fetch('/keys');
    },
    () => mock.received('listKeys', { times: { atMost: 1 } }),
    [
      'EXPECTATION_FAILED  listKeys was received 2 times, not at most once:',
      '    #1 GET /keys -> 200 state (listKeys)',
      '    #2 GET /keys -> 200 state (listKeys)',
      '  hint: check whether the client repeats a call, for example after an error, or change "times"',
    ],
  ],
  [
    'a wrong order',
    async () => {
      await mock.fetch('/keys');
      await create({ name: 'ci' });
    },
    () => mock.receivedInOrder(['createKey', { operation: 'listKeys' }]),
    [
      'EXPECTATION_FAILED  step 2, listKeys, was not received after createKey, only before it:',
      '    #1 GET /keys -> 200 state (listKeys)',
      '    #2 POST /keys -> 201 state (createKey)',
      '  hint: check that the client awaits the first call before it makes the second',
    ],
  ],
  [
    'other calls than the expected ones',
    async () => {
      await mock.fetch('/keys');
      await mock.fetch('/keys/a');
    },
    () => mock.receivedOnly(['listKeys']),
    [
      'EXPECTATION_FAILED  only listKeys was expected; there was also:',
      '    #2 GET /keys/a -> 200 state (readKey)',
      '  hint: expect these calls too, or find out why the client makes them',
    ],
  ],
  [
    'a call where none is expected',
    () => mock.fetch('/keys'),
    () => mock.receivedOnly([]),
    [
      'EXPECTATION_FAILED  no request was expected; there was also:',
      '    #1 GET /keys -> 200 state (listKeys)',
      '  hint: expect these calls too, or find out why the client makes them',
    ],
  ],
  [
    '.not.toHaveReceived',
    () => mock.fetch('/keys'),
    () => expect(mock).not.toHaveReceived('listKeys'),
    [
      'EXPECTATION_FAILED  listKeys was received, but was not expected:',
      '    #1 GET /keys -> 200 state (listKeys)',
      '  hint: remove ".not", or correct the client',
    ],
  ],
])('the message of a failed check is complete: %s', async (_, requests, check, message) => {
  await requests();
  let text = '';
  try {
    check();
  } catch (error) {
    text = (error as Error).message;
  }
  expect(text).toBe(message.join('\n'));
});

/** Checks with a misspelt option, which types would refuse: [name, check, message]. */
const MISSPELT: readonly (readonly [string, () => unknown, string])[] = (() => {
  const options = (value: object): object => value;
  return [
    ['times', () => mock.received('listKeys', options({ time: 9 })), 'an expected call has no option "time"'],
    ['a bound', () => mock.received('listKeys', { times: options({ atleast: 9 }) }), 'has no option "atleast"'],
    [
      'with',
      () => mock.received('listKeys', { with: options({ querry: {} }) }),
      'expected call has no option "querry"',
    ],
    ['a step', () => mock.receivedInOrder([{ operation: 'listKeys', ...options({ wiht: 1 }) }]), 'no option "wiht"'],
    ['not', () => expect(mock).not.toHaveReceived('deleteKey', options({ tims: 1 })), 'no option "tims"'],
    ['verify', () => mock.verify(options({ call: { listKeys: 9 } })), 'verify has no option "call"'],
    [
      'calls',
      () => mock.verify({ calls: { listKeys: options({ least: 9 }) } }),
      'a number of calls has no option "least"',
    ],
    ['conduct', () => mock.checkConduct(options({ page: true })), 'the conduct of a client has no option "page"'],
    ['backoff', () => mock.checkConduct({ backoff: options({ minMS: 1 }) }), '"backoff" has no option "minMS"'],
    ['waitFor', () => mock.journal.waitFor('listKeys', options({ counts: 1 })), 'waitFor has no option "counts"'],
    ['fail', () => mock.fail('listKeys', 500, options({ time: 1 })), 'fail has no option "time"'],
    ['respond', () => mock.respond('listKeys', 200, [], options({ time: 1 })), 'respond has no option "time"'],
  ];
})();

it.each(MISSPELT)('an option of a check that does not exist is refused: %s', async (_, check, message) => {
  await mock.fetch('/keys');
  const text = await messageOf(check);
  expect(text).toContain('OPTION_INVALID');
  expect(text).toContain(message);
});

describe('the matchers', () => {
  it('pass and fail as the checks of a mock do', async () => {
    await mock.fetch('/keys');
    await create({ name: 'ci' });
    expect(mock).toHaveReceived('createKey', { times: 1, with: { body: { name: 'ci' } } });
    expect(mock).not.toHaveReceived('deleteKey');
    expect(mock).toHaveReceivedInOrder(['listKeys', { operation: 'createKey', with: { body: { name: 'ci' } } }]);
    expect(mock).toHaveReceivedOnly(['listKeys', 'createKey']);
    expect(mock).toPassVerification();
    expect(mock.session('new')).toHaveReceivedOnly([]);
    expect(() => expect(mock).toHaveReceived('deleteKey')).toThrow('EXPECTATION_FAILED  deleteKey was not received');
    expect(() => expect(mock).toHaveReceivedInOrder(['createKey', 'listKeys'])).toThrow('was not received after');
    expect(() => expect(mock).toHaveReceivedOnly(['createKey'])).toThrow('only createKey was expected');
    await mock.fetch('/nowhere');
    expect(() => expect(mock).toPassVerification()).toThrow('VERIFY_FAILED');
  });

  it('say what they need', () => {
    expect(() => expect(1).toHaveReceived('listKeys')).toThrow(
      'OPTION_INVALID  the matchers need a mock or a session\n  hint: pass what createMock or mock.session returned',
    );
  });

  it('return the result and the message to a caller without a runner', () => {
    const { pass, message } = matchers.toHaveReceived(mock, 'listKeys');
    expect([pass, message().split('\n')[0]]).toEqual([
      false,
      'EXPECTATION_FAILED  listKeys was not received; no request was',
    ]);
  });
});
