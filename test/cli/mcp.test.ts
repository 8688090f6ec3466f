import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runMcp } from '../../src/cli/commands/mcp.js';
import { TOOLS } from '../../src/cli/mcp/tools.js';
import { createFolder } from '../folders.js';
import { listenBuiltIn } from '../describe-both.js';
import { MAIN } from './run-program.js';

const PETS = `openapi: 3.1.0
info: { title: Pets, version: '1' }
paths:
  /pets:
    get:
      operationId: listPets
      responses:
        '200': { description: ok, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Pet' } } } } }
        '503': { description: down }
    post:
      operationId: createPet
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
      responses:
        '201': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
        '400': { description: wrong }
  /pets/{petId}:
    get:
      operationId: getPet
      parameters: [{ name: petId, in: path, required: true, schema: { type: string } }]
      responses:
        '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
components:
  schemas:
    Pet:
      type: object
      required: [id, name]
      properties: { id: { type: string, readOnly: true }, name: { type: string } }
`;

/** The official client, connected to a process of the command. */
async function connect(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const errors: Error[] = [];
  // The transport reports each line of standard output that is not a message.
  Object.assign(client, { onerror: (error: Error) => void errors.push(error) });
  const all = { PATH: process.env['PATH'] ?? '', ...env };
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [MAIN, 'mcp', ...words], env: all }),
  );
  onTestFinished(async () => {
    await client.close();
    expect(errors).toEqual([]);
  });
  return client;
}

async function call(
  client: Client,
  name: string,
  given: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  const { content } = await client.callTool({ name, arguments: given });
  // Each tool answers with one text that is an object.
  const [{ text }] = content as [{ readonly text: string }];
  return JSON.parse(text) as Record<string, unknown>;
}

/** Sends lines to the command in this process. @returns what it writes, by line. */
async function exchange(
  input: readonly (string | Uint8Array)[],
  url = 'http://127.0.0.1:1',
): Promise<readonly unknown[]> {
  const lines: string[] = [];
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (const chunk of input) yield typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
  }
  await runMcp({ url, input: chunks(), write: (line) => void lines.push(line) });
  return lines.map((line) => JSON.parse(line) as unknown);
}

const request = (id: unknown, method: string, params?: object): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;

describe('vouch mcp', () => {
  it('starts a mock of a document, whose requests it sends and explains', async () => {
    const client = await connect([`${createFolder({ 'pets.yaml': PETS })}/pets.yaml`]);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('list_operations');
    const { url, total, operations } = await call(client, 'list_operations', { search: 'POST /pets' });
    expect({ total, operations }).toMatchObject({ total: 1, operations: [{ id: 'createPet', collection: 'pets' }] });
    expect((await fetch(`${String(url)}/pets`)).status).toBe(200);
    const json = { 'content-type': 'application/json' };
    const sent = { method: 'POST', path: '/pets', headers: json, body: '{"name":7}' };
    expect(await call(client, 'send_request', sent)).toMatchObject({ status: 400 });
    const explained = { interaction: { number: 2, violations: [{ code: 'TYPE' }] } };
    expect(await call(client, 'explain_answer')).toMatchObject(explained);
    expect(await call(client, 'explain_answer', { number: 1 })).toMatchObject({
      interaction: { number: 1, violations: [] },
    });
    expect(await call(client, 'verify')).toMatchObject({ ok: false, findings: [{ number: 2 }] });
    await call(client, 'reset');
    expect(await call(client, 'verify')).toEqual({ ok: true, findings: [] });
  });

  it('changes a running mock with its control token, session by session', async () => {
    const { url, mock } = await listenBuiltIn({ control: { token: 'secret' } });
    const client = await connect(['--url', url], { VOUCH_CONTROL_TOKEN: 'secret' });
    const state = { collection: 'admin_api_keys', session: 'agent' };
    await call(client, 'change_state', { ...state, replace: [] });
    await call(client, 'change_state', { ...state, add: { name: 'One' } });
    expect(await call(client, 'show_state', state)).toMatchObject({ items: [{ name: 'One' }] });
    expect(mock.state.collection('admin_api_keys').items).toHaveLength(7);
    const down = { operations: { listAdminApiKeys: { respond: { status: 500 } } } };
    await call(client, 'write_scenario', { id: 'down', scenario: down, session: 'agent' });
    const sent = { path: '/v1/organization/admin_api_keys', headers: { authorization: 'Bearer k' } };
    expect(await call(client, 'send_request', { ...sent, session: 'agent' })).toMatchObject({ status: 500 });
    expect(await call(client, 'send_request', sent)).toMatchObject({ status: 200 });
  });

  it('answers a mistake with the code and the hint of the mock, and changes nothing', async () => {
    const { url, mock } = await listenBuiltIn();
    const client = await connect(['--url', url]);
    const wrong = { id: 'down', scenario: { operations: { listAdminApiKey: { respond: { status: 500 } } } } };
    await expect(call(client, 'write_scenario', wrong)).rejects.toMatchObject({
      code: -32_000,
      data: { code: 'SCENARIO_INVALID', hint: expect.stringContaining('listAdminApiKeys') as string },
    });
    expect(mock.scenarios.ids).toEqual([]);
    await expect(call(client, 'explain_answer')).rejects.toMatchObject({ data: { code: 'INTERACTION_UNKNOWN' } });
    const mistakes: readonly [string, object, string][] = [
      ['verfy', {}, 'there is no tool "verfy"'],
      ['change_state', { collection: 'files' }, 'give one of the arguments "add" and "replace"'],
      ['show_state', { colection: 'files' }, 'did you mean "collection"?'],
      ['show_state', { collection: 7 }, 'must be of type string, got'],
      ['write_scenario', { id: 'x' }, 'the argument "scenario" is required'],
      ['send_request', { path: '//example.com/x' }, 'must be a path of the mock'],
      ['send_request', { path: '/x', body: 'b' }, 'the request cannot be sent'],
    ];
    for (const [name, given, reason] of mistakes) {
      const failure = call(client, name, { ...given });
      await expect(failure, name).rejects.toMatchObject({ code: -32_602, data: { code: 'OPTION_INVALID' } });
      await expect(failure, name).rejects.toThrow(reason);
    }
  });

  it('agrees on the version of the client, else offers the newest', async () => {
    const versions = ['2024-11-05', '2025-06-18', '1999-01-01', undefined];
    const answers = await exchange(versions.map((protocolVersion, i) => request(i, 'initialize', { protocolVersion })));
    const agreed = ['2024-11-05', '2025-06-18', '2025-11-25', '2025-11-25'];
    expect(answers).toMatchObject(agreed.map((protocolVersion, id) => ({ id, result: { protocolVersion } })));
  });

  it('answers a wrong message, and the messages after it', async () => {
    const answers = await exchange([
      '{"jsonrpc":\n\n',
      '7\n',
      '{"jsonrpc":"2.0","id":null,"method":"ping"}\n',
      '{"id":1,"method":"ping"}\n',
      request(2, 'tools/cal'),
      request(3, 'ping', []),
      request(4, 'tools/call', { name: 'verify' }),
      request(5, 'ping').trimEnd(),
    ]);
    const codes = [
      [null, -32_700],
      [null, -32_600],
      [null, -32_600],
      [1, -32_600],
      [2, -32_601],
      [3, -32_602],
      [4, -32_000],
    ];
    expect(answers).toMatchObject([...codes.map(([id, code]) => ({ id, error: { code } })), { id: 5, result: {} }]);
    expect(answers[6]).toMatchObject({ error: { data: { code: 'STATE_UNREADABLE' } } });
  });

  it('does not answer notifications and answers, and answers several messages at once', async () => {
    const notification = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
    const lines = [`${notification}\n`, `[${notification}]\n`, '{"jsonrpc":"2.0","id":1,"result":{}}\n'];
    const both = `[${request(1, 'ping').trimEnd()},${notification},${request('b', 'ping').trimEnd()}]\n`;
    expect(await exchange([...lines, both])).toMatchObject([[{ id: 1 }, { id: 'b' }]]);
  });

  it('reads lines that arrive in parts, with characters at which other readers end a line', async () => {
    const bytes = new TextEncoder().encode(request('\u2028ü', 'ping') + request(2, 'ping'));
    const parts = Array.from(bytes, (byte) => Uint8Array.of(byte));
    expect(await exchange(parts)).toMatchObject([{ id: '\u2028ü', result: {} }, { id: 2 }]);
  });

  it('refuses a document together with an address, and a wrong address', async () => {
    const none = { input: (async function* () {})(), write: () => undefined };
    const both = runMcp({ ...none, spec: 'spec/openapi.yaml', url: 'http://127.0.0.1:4010' });
    await expect(both).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    const [answer] = await exchange([request(1, 'tools/call', { name: 'verify' })], 'localhost:4010');
    expect(answer).toMatchObject({ error: { data: { code: 'OPTION_INVALID', hint: expect.any(String) as string } } });
  });

  it('has the tools and arguments that docs/agents.md lists', () => {
    const rows = readFileSync('docs/agents.md', 'utf8').matchAll(/^\| `([a-z_]+)` \| (.*?) \|/gmu);
    const listed = [...rows].map(
      ([, name, names = '']) => [name, (names.match(/\w+(?=`)/gu) ?? []).toSorted()] as const,
    );
    const own = Object.entries(TOOLS).map(([name, { parameters }]) => [name, Object.keys(parameters)] as const);
    const without = own.map(([name, names]) => [name, names.filter((each) => each !== 'session').toSorted()]);
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(without));
  });
});

it('llms.txt names pages that exist', () => {
  const links = [...readFileSync('llms.txt', 'utf8').matchAll(/\]\(([^)]+)\)/gu)].map(([, link = '']) => link);
  expect(links).toContain('docs/agents.md');
  expect(links.filter((link) => !existsSync(link))).toEqual([]);
});
