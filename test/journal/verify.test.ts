import { describe, expect, it } from 'vitest';
import type { Mock, MockOptions } from '../../src/index.js';
import { content, object, TEXT, json, toDocument } from '../document-parts.js';
import { messageOf } from '../message-of.js';
import { openMock } from '../open-mock.js';

const name = object({ name: TEXT }, 'name');

const DOCUMENT = toDocument({ '/a': { get: { operationId: 'readA', responses: { 200: json(name) } } } });

const open = (options: Partial<MockOptions>): Promise<Mock> => openMock({ ...options, spec: DOCUMENT });

describe('verify fails where the client got a 500 of the mock instead of an answer', () => {
  it('because a handler answered against the contract', async () => {
    const mock = await open({ handlers: { readA: () => ({ name: 1 }) } });
    await mock.fetch('/a');
    expect(await messageOf(() => mock.verify())).toBe(
      [
        'VERIFY_FAILED  verification failed with 1 finding:',
        '  #1 GET /a -> 500 verify (readA)',
        '      TYPE  answer property "name" must be a string, got 1 (handler answered 200)',
        '  hint: correct the handler, scenario or fixture that answered',
      ].join('\n'),
    );
    mock.verify({ ignore: ({ operation }) => operation === 'readA' });
  });

  it('because a handler failed, with the place of the error', async () => {
    const mock = await open({
      handlers: {
        readA: () => {
          throw new Error('no database');
        },
      },
    });
    await mock.fetch('/a');
    expect(await messageOf(() => mock.verify())).toMatch(
      /MOCK_FAILED {2}the handler of readA failed: no database \(at .*verify\.test\.ts:\d+:\d+\)?\)\n {2}hint: correct the handler/,
    );
  });

  it('but not where a handler or a scenario answers an error on purpose', async () => {
    const mock = await open({
      handlers: { readA: ({ error }) => error(500, 'down') },
      scenarios: {
        down: { operations: { readA: { times: 1, respond: { status: 503, body: {} }, violates: 'a test' } } },
      },
    });
    await mock.fetch('/a');
    mock.scenarios.activate('down');
    await mock.fetch('/a');
    expect(mock.journal.interactions.map(({ answer }) => answer.status)).toEqual([500, 503]);
    mock.verify();
  });
});

describe('verify fails where an accepted request has a name that its operation does not declare', () => {
  const note = object({ text: TEXT, pinned: { type: 'boolean' } }, 'text');
  const NOTES = toDocument({
    '/notes': {
      post: {
        operationId: 'createNote',
        parameters: [
          { name: 'notify', in: 'query', schema: TEXT },
          { name: 'X-Client-Version', in: 'header', schema: TEXT },
        ],
        requestBody: { content: content(note) },
        responses: { 201: json(note) },
      },
    },
  });
  const post = async (
    path: string,
    body: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<readonly [Mock, number]> => {
    const mock = await openMock({ spec: NOTES });
    const sent = { 'content-type': 'application/json', ...headers };
    const { status } = await mock.fetch(path, { method: 'POST', headers: sent, body: JSON.stringify(body) });
    return [mock, status];
  };

  const NAME = 'body property "pined" is not declared by the schema; did you mean "pinned"?';
  const PARAMETER = 'query parameter "notfy" is not declared by the operation; did you mean "notify"?';
  const NO_HEADERS: Readonly<Record<string, string>> = {};
  const HEADERS = { 'x-cleint-version': '1' };
  const HEADER = 'header "x-cleint-version" is not declared by the operation; did you mean "X-Client-Version"?';

  it.each([
    { what: 'a property', path: '/notes', body: { text: 'a', pined: true }, headers: NO_HEADERS, says: NAME },
    { what: 'a parameter', path: '/notes?notfy=x', body: { text: 'a' }, headers: NO_HEADERS, says: PARAMETER },
    { what: 'a header', path: '/notes', body: { text: 'a' }, headers: HEADERS, says: HEADER },
  ])('$what', async ({ path, body, headers, says }) => {
    const [mock, status] = await post(path, body, headers);
    expect(status).toBe(201);
    expect(await messageOf(() => mock.verify())).toContain(says);
    expect(await messageOf(() => mock.verify())).toContain("verify({ undeclared: 'report' })");
    mock.verify({ undeclared: 'report' });
  });

  it('but not for headers of clients, proxies and other services', async () => {
    const headers = {
      'x-forwarded-for': '::1',
      'user-agent': 'a',
      traceparent: 'b',
      'x-client-id': 'c',
      'x-client-version': '1',
    };
    const [mock] = await post('/notes', { text: 'a' }, headers);
    expect(() => mock.verify()).not.toThrow();
  });
});
