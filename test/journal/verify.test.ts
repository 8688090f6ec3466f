import { describe, expect, it } from 'vitest';
import type { Mock, MockOptions } from '../../src/index.js';
import { object, TEXT, json, toDocument } from '../document-parts.js';
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
