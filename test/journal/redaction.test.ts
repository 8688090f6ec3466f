import { afterEach, describe, expect, it } from 'vitest';
import { type PlainInteraction, toPlainValue } from '../../src/journal/interaction.js';
import { createMock, type Mock } from '../../src/index.js';
import { hideSecrets } from '../../src/conventions/secret-forms.js';
import { object, TEXT, arrayOf, query, content, toDocument } from '../document-parts.js';

const SECRET = 'hunter2-hunter2';
const ORDINARY = 'cinnamon-and-sugar';

const ACCOUNT = object(
  {
    name: TEXT,
    pin: { type: 'integer', writeOnly: true },
    phrase: { type: 'string', format: 'password', maxLength: 40 },
    client_secret: TEXT,
    nested: object({ phrases: arrayOf({ type: 'string', format: 'password' }) }),
  },
  'name',
);

/** Every place a secret can travel in. */
const SPEC = toDocument(
  {
    '/accounts': {
      post: {
        operationId: 'createAccount',
        parameters: [query('note'), query('hidden', { type: 'string', format: 'password' })],
        requestBody: {
          content: {
            'application/json': { schema: ACCOUNT },
            'application/octet-stream': {},
            'application/x-www-form-urlencoded': { schema: ACCOUNT },
          },
        },
        responses: { 201: { description: 'made', content: content(ACCOUNT) } },
      },
    },
  },
  {},
  {
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        basic: { type: 'http', scheme: 'basic' },
        header: { type: 'apiKey', in: 'header', name: 'X-Odd-Name' },
        query: { type: 'apiKey', in: 'query', name: 'odd' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'odd' },
      },
    },
  },
);

describe('what a journal shows', () => {
  let mock: Mock | undefined;
  afterEach(() => mock?.close());

  async function show(path: string, init: RequestInit): Promise<string> {
    mock = await createMock({ spec: SPEC });
    await mock.fetch(path, { method: 'POST', ...init });
    expect(mock.journal.interactions).toHaveLength(1);
    const text = mock.journal.toNdjson();
    expect(text.endsWith('\n')).toBe(true);
    expect(JSON.parse(text)).toEqual(mock.journal.toJson()[0]);
    return text;
  }

  const json = (body: unknown): RequestInit => ({
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });

  it.each([
    ['a bearer token', '/accounts', { headers: { authorization: `Bearer ${SECRET}` } }, '"Bearer [redacted]"'],
    ['a key without a scheme', '/accounts', { headers: { authorization: SECRET } }, '"authorization":"[redacted]"'],
    [
      'a cookie',
      '/accounts',
      { headers: { cookie: `odd=${SECRET}; other=${SECRET}` } },
      'odd=[redacted]; other=[redacted]',
    ],
    ['the key header of the contract', '/accounts', { headers: { 'x-odd-name': SECRET } }, '"x-odd-name":"[redacted]"'],
    [
      'the token of the control API, sent by mistake',
      '/accounts',
      { headers: { 'x-mock-control-token': SECRET } },
      '"x-mock-control-token":"[redacted]"',
    ],
    ['the key in the query', `/accounts?odd=${SECRET}&note=a`, {}, '?odd=[redacted]&note=a"'],
    ['a query parameter of format password', `/accounts?hidden=${SECRET}`, {}, '"hidden":"[redacted]"'],
    ['a body field of format password', '/accounts', json({ name: 'a', phrase: SECRET }), '"phrase":"[redacted]"'],
    ['deep inside', '/accounts', json({ name: 'a', nested: { phrases: [SECRET] } }), '"phrases":["[redacted]"]'],
    ['in a form', '/accounts', { body: new URLSearchParams({ name: 'a', phrase: SECRET }) }, '"phrase":"[redacted]"'],
    [
      'again in another header',
      '/accounts',
      { headers: { authorization: `Bearer sk-live-${SECRET}0`, 'x-copy': `sk-live-${SECRET}0` } },
      '"x-copy":"[redacted]"',
    ],
  ])('hides %s', async (_, path, init: RequestInit, want) => {
    const shown = await show(path, init);
    expect(shown).not.toContain(SECRET);
    expect(shown).toContain(want);
  });

  it('hides a password of Basic, which stays a user and a password', async () => {
    const shown = JSON.parse(
      await show('/accounts', { headers: { authorization: `Basic ${btoa(`user:${SECRET}`)}` } }),
    ) as { readonly request: { readonly headers: Readonly<Record<string, string>> } };
    const [scheme = '', credentials = ''] = shown.request.headers['authorization']?.split(' ') ?? [];
    expect([scheme, atob(credentials)]).toEqual(['Basic', '[redacted]:[redacted]']);
  });

  it('hides a secret number and leaves it a number', async () => {
    const shown = await show('/accounts', json({ name: 'a', pin: 918273 }));
    expect(shown).not.toContain('918273');
    expect(shown).toContain('"pin":0');
  });

  it('leaves everything else as it was', async () => {
    const shown = await show(`/accounts?note=${ORDINARY}`, json({ name: ORDINARY }));
    // In the URL, the query, the body, and the answer that echoes it.
    expect(shown.split(ORDINARY)).toHaveLength(5);
    const interaction = JSON.parse(shown) as PlainInteraction;
    expect(JSON.stringify(interaction.request)).not.toContain('redacted');
    expect(interaction).toMatchObject({
      number: 1,
      session: 'default',
      at: '2026-01-01T00:00:00.000Z',
      operation: 'createAccount',
      request: {
        method: 'POST',
        url: `/accounts?note=${ORDINARY}`,
        query: { note: ORDINARY },
        body: { name: ORDINARY },
      },
      answer: { status: 201, mediaType: 'application/json' },
      violations: [],
    });
  });

  it('reports only the number of bytes', async () => {
    const bytes = new Uint8Array([1, 2, 3, 255]);
    const shown = await show('/accounts', { body: bytes, headers: { 'content-type': 'application/octet-stream' } });
    expect(shown).toContain('"body":"<4 bytes>"');
  });

  it('says so of a file beside a field called toJSON, too', () => {
    expect(toPlainValue({ toJSON: 'x', file: new Uint8Array(3) })).toEqual({ toJSON: 'x', file: '<3 bytes>' });
  });

  it('shows a request that no operation is for, too', async () => {
    const shown = await show(`/nowhere?token=x&access_token=${SECRET}`, {});
    expect(shown).toContain('"operation":null');
    expect(shown).not.toContain(SECRET);
  });

  it('does not change what the journal itself holds', async () => {
    await show('/accounts', { headers: { authorization: `Bearer ${SECRET}` } });
    expect(mock?.journal.last()?.request.headers['authorization']).toBe(`Bearer ${SECRET}`);
  });
});

// The shortest ones: binary data is searched for forms only where as many printable characters follow each other.
it.each([
  ['a card number', '30569309025904', '[redacted]'],
  ['a user and a password', 'Basic dXNlcjpw', 'Basic [redacted]'],
  ['a token', 'xapp-0123456789', '[redacted]'],
  ['a key of a webhook', 'whsec_0123456789', '[redacted]'],
  ['a token in a URL', '://a1B2c3D4e5F6@', '://[redacted]@'],
  ['a password in a URL', 'a://b:c@', 'a://b:[redacted]@'],
  ['a password of any bytes in a URL', 'a://\x01:\xfe\x02@', 'a://\x01:[redacted]@'],
  ['a variable', 'PIN=\xff\xfe\xfd\x02', 'PIN=[redacted]'],
  ['a parameter', '?pin=\xff\xfe\xfd\x02', '?pin=[redacted]'],
  ['an assignment', 'pin=\xff\xfe\xfd\x02\xff\xfe\xfd\x02', 'pin=[redacted]'],
])('the search for secrets finds %s between bytes that are no text', (_, secret, hidden) => {
  const bytes = '\0\x7f\x80\xff'.repeat(20);
  for (const space of ['', 'a ', ' a\xff ', 'abcdefghijkl\x81\t']) {
    expect(hideSecrets(`${bytes}${space}${secret}\n${bytes}`)).toBe(`${bytes}${space}${hidden}\n${bytes}`);
  }
});
