import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runExplainLast } from '../../src/cli/commands/explain/explain-last.js';
import type { Mock } from '../../src/index.js';
import { openBuiltIn } from '../describe-both.js';

const KEYS = '/v1/organization/admin_api_keys';
const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' };

describe('vouch explain-last', () => {
  let mock: Mock;
  let url = '';

  beforeAll(async () => {
    mock = await openBuiltIn();
    ({ url } = await mock.listen());
    await mock.fetch(`${KEYS}?limit=1`, { headers });
    await mock.fetch(`${KEYS}?page=1`, { method: 'POST', headers, body: '{"nmae":1}' });
  });
  afterAll(() => mock.close());

  async function explain(flags: object = {}): Promise<string> {
    const lines: string[] = [];
    expect(await runExplainLast({ url, ...flags, write: (line) => void lines.push(line) })).toBe(0);
    return lines.join('\n');
  }

  it('prints the last interaction with each violation and the trace', async () => {
    expect((await explain()).replace(/[\d.]+ ms/, '1 ms').replaceAll(/declared at \S+/g, 'declared at #…')).toBe(
      [
        `#2 POST ${KEYS}?page=1 -> 400 refuse (createAdminApiKey)`,
        'session default, 2026-01-01T00:00:00.000Z, 1 ms',
        'violations:',
        '  REQUIRED  body property "name" is required; is "nmae" a misspelling of it?',
        '      error of the client, declared at #…',
        '  PARAMETER_UNDECLARED  query parameter "page" is not declared by the operation',
        '      note of the client',
        '  PROPERTY_UNDECLARED  body property "nmae" is not declared by the schema; did you mean "name"?',
        '      note of the client',
        'trace:',
        '  refuse: Body property "name" is required; is "nmae" a misspelling of it?.',
      ].join('\n'),
    );
  });

  it('prints the one that is named, also as JSON', async () => {
    expect((await explain({ id: 1 })).split('\n').slice(2)).toEqual([
      'violations: none',
      'trace:',
      '  refuse: the request fits the contract',
      '  prefer: the request has no preference',
      '  scenario: none is active',
      '  handler: none for this operation',
      '  state: answered from admin_api_keys (list)',
    ]);
    expect(JSON.parse(await explain({ id: 1, json: true }))).toMatchObject({
      number: 1,
      operation: 'listAdminApiKeys',
    });
  });

  it('says why there is none', async () => {
    mock.session('empty');
    await expect(explain({ id: 9 })).rejects.toThrow(
      'OPTION_INVALID  session "default" has no interaction #9\n  hint: its last one is #2',
    );
    await expect(explain({ session: 'empty' })).rejects.toThrow(
      'OPTION_INVALID  session "empty" has no interaction\n  hint: it received no request yet',
    );
    await expect(explain({ session: 'emty' })).rejects.toThrow('no session "emty" is open');
    await expect(explain({ url: 'http://127.0.0.1:1' })).rejects.toThrow(
      'STATE_UNREADABLE  cannot connect to a mock at http://127.0.0.1:1\n  hint: start a mock with "vouch serve"',
    );
  });
});
