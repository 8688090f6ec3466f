import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { logInteractions } from '../../src/cli/serving/log.js';
import { createMock, type Mock } from '../../src/index.js';
import { loadCases } from '../load-cases.js';
import { openMock } from '../open-mock.js';

/** Every way in which a contract or a name says that a value is a secret; each value breaks its schema, so that messages quote it. */
const SPEC = loadCases<Record<string, unknown>>('journal/secrets-table.yaml');

const SECRET = 'hunter2Hunter2hunter2';
const json = (body: object): RequestInit => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});
const header = (name: string): RequestInit => ({ method: 'POST', headers: { [name]: SECRET } });
const POST = { method: 'POST' };

type Row = readonly [name: string, path: string, init?: RequestInit];

const ROWS: readonly Row[] = [
  ['an API key in the query, by its name in the contract', `/accounts?odd=${SECRET}`, POST],
  ['a query parameter of format password', `/accounts?hidden=${SECRET}`, POST],
  ['a write-only query parameter', `/accounts?sealed=${SECRET}`, POST],
  ['a query parameter with the name of a secret', `/accounts?access_token=${SECRET}`, POST],
  ['an undeclared query parameter with the name of a secret', `/accounts?api_key=${SECRET}`, POST],
  ['an API key in a header, by its name in the contract', '/accounts', header('x-odd-name')],
  ['a write-only header', '/accounts', header('x-sealed')],
  ['a header of format password', '/accounts', header('x-hidden')],
  ['the Authorization header', '/accounts', { method: 'POST', headers: { authorization: `Bearer ${SECRET}` } }],
  ['a cookie', '/accounts', { method: 'POST', headers: { cookie: `sid=${SECRET}` } }],
  ['a property of format password', '/accounts', json({ hidden: SECRET })],
  ['a write-only property', '/accounts', json({ sealed: SECRET })],
  ['a property with the name of a secret', '/accounts', json({ client_secret: SECRET })],
  ['an undeclared property with the name of a secret', '/accounts', json({ password: SECRET })],
  ['a property with the form of a secret', '/accounts', json({ plain: `ghp_${SECRET}` })],
  [
    'an array with the name of secrets',
    '/accounts',
    json({ passwords: [SECRET], tokens: [SECRET], secrets: [SECRET] }),
  ],
  ['an object with the name of a secret', '/accounts', json({ password: { value: SECRET, list: [SECRET] } })],
  ['an object with the name of credentials', '/accounts', json({ credentials: { user: 'a', of: { it: SECRET } } })],
  ['a token in the path', `/reset/${SECRET}`],
  ['a path parameter of format password', `/marked/${SECRET}`],
  ['a percent-encoded token in the path', `/reset/${SECRET}%2F`],
  ['a token below a path that the contract does not have', `/unknown/password/${SECRET}`],
  ['an API key in the query of a path that the contract does not have', `/unknown?odd=${SECRET}&api_key=${SECRET}`],
];

describe.each(ROWS.map(([name, path, init = {}]) => ({ name, path, init })))('$name', ({ path, init }) => {
  let mock: Mock;
  let response: Response;
  const lines: Record<'text' | 'json', string[]> = { text: [], json: [] };
  beforeAll(async () => {
    // Lines are written together, after the response.
    let written = (): void => undefined;
    const isWritten = new Promise<void>((resolve) => (written = resolve));
    const add = (kind: 'text' | 'json') => (line: string) => {
      lines[kind].push(line);
      if (lines.text.length > 0 && lines.json.length > 0) written();
    };
    const text = logInteractions({ verbose: true, write: add('text') }, () => ({})).onInteraction;
    const object = logInteractions({ verbose: true, json: true, write: add('json') }, () => ({}));
    mock = await createMock({
      spec: SPEC,
      strict: true,
      onInteraction: (interaction, redact) => {
        text?.(interaction, redact);
        object.onInteraction?.(interaction, redact);
      },
    });
    response = await mock.fetch(path, init);
    await isWritten;
  });
  afterAll(() => mock.close());

  const messageOf = async (work: () => unknown): Promise<string> => {
    try {
      await work();
      return '';
    } catch (error) {
      return String(error);
    }
  };

  it.each<readonly [string, () => string | Promise<string>]>([
    ['a line of the log', () => lines.text.join('\n')],
    ['a line of the log as JSON', () => lines.json.join('\n')],
    ['the journal as text', () => mock.journal.toNdjson()],
    ['the journal of the control API', async () => (await mock.fetch('/__mock/journal')).text()],
    ['the journal of the control API as lines', async () => (await mock.fetch('/__mock/journal?format=ndjson')).text()],
    ['the verification of the control API', async () => (await mock.fetch('/__mock/journal/verification')).text()],
    ['the header x-mock-violations', () => response.headers.get('x-mock-violations') ?? ''],
    ['the message of verify()', () => messageOf(() => mock.verify())],
    ['the message of a wait that ends', () => messageOf(() => mock.journal.waitFor(() => false, { timeout: 1 }))],
  ])('is not in %s', async (_place, read) => {
    const shown = await read();
    expect(shown).not.toContain(SECRET);
    expect(decodeURIComponent(shown.replaceAll(/%(?![0-9a-f]{2})/gi, ''))).not.toContain(SECRET);
  });
});

it('the message of a violation says that the value is a secret instead of quoting it', async () => {
  const lines: string[] = [];
  const log = logInteractions({ trace: true, write: (line) => lines.push(line) }, () => ({}));
  const mock = await openMock({ spec: SPEC, ...log });
  await mock.fetch(`/accounts?access_token=${SECRET}`, json({ client_secret: SECRET, plain: `ghp_${SECRET}` }));
  expect(mock.journal.last()?.violations.map(({ message }) => message)).toEqual([
    'query parameter "access_token" must match the pattern ^t-, got a secret value',
    'body property "client_secret" must match the pattern ^p-, got a secret value',
    'body property "plain" must be an integer, got "[redacted]"',
  ]);
  await vi.waitFor(() => expect(lines.join('\n')).toContain('got a secret value'));
  expect(lines.join('\n')).not.toContain(SECRET);
});
