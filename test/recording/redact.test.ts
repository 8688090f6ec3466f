import { describe, expect, it } from 'vitest';
import { MockError } from '../../src/base/errors.js';
import { loadCassette } from '../../src/features/recording/cassette/cassette.js';
import { type NewExchange, writeExchange } from '../../src/features/recording/cassette/exchange.js';
import { createRedactor, type Redactor } from '../../src/features/recording/redaction/redact.js';
import type { RedactionOptions } from '../../src/features/recording/redaction/secret-rules.js';
import {
  type Change,
  createShopRedactor as create,
  findOperation,
  openShopRecorder,
  parts,
  toExchange,
} from './exchanges.js';

function redact(change: Change, redactor: Redactor = create()): NewExchange {
  return redactor.redact(toExchange(change), findOperation());
}

const text = (change: Change, redactor?: Redactor): string => JSON.stringify(redact(change, redactor));

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJqYW5lIn0.c2lnbmF0dXJlLXRleHQ';

const LABELED = { value: '7731', name: 'DB_PASSWORD' };

describe('redaction', () => {
  it.each<readonly [string, string, Change]>([
    ['the end of a word', 'task-2023-planning-board-x', { response: { body: { name: 'task-2023-planning-board-x' } } }],
    ['a masked key', 'sk-admin-...9fQ2', { response: { body: { name: 'sk-admin-...9fQ2' } } }],
    ['a value that the contract publishes', 'secret', { response: { body: { id: 'a', kind: 'secret' } } }],
    ['what describes a key', 'the name', { response: { body: { api_key: { id: 'k1', label: 'the name' } } } }],
  ])('keeps %s', (_name, kept, change) => {
    const redactor = create();
    expect(text(change, redactor)).toContain(kept);
    expect(Object.fromEntries(redactor.placeholders.takeNew())).toEqual({});
  });

  it.each<readonly [string, string, Change]>([
    ['a name that is repeated', '7731', { response: { body: { pin: 4 }, bodyText: '{ "pin": 7731, "pin": 4 }' } }],
    [
      'an event',
      '7731',
      { response: { events: [{ atMs: 0, data: '{"pin":"7731"}' }], bodyText: 'data:{"pin":"7731"}\n\n' } },
    ],
    [
      'a part of a form',
      '7731',
      {
        request: {
          headers: { 'content-type': 'multipart/form-data; boundary=x' },
          parts: [{ name: 'a', mediaType: 'application/json', body: { pin: '7731' }, bodyText: '{ "pin": "7731" }' }],
        },
      },
    ],
    ['a name behind its value', '7731', { response: { body: LABELED, bodyText: JSON.stringify(LABELED, null, 1) } }],
  ])('leaves no secret in the exact text of %s', (_name, secret, change) => {
    expect(text(change)).not.toContain(secret);
  });

  it('replaces a secret in the exact text of JSON and keeps its layout', () => {
    const { response } = redact({
      response: { body: { pin: '7731', a: [1] }, bodyText: '{ "pin" : "7731", "a":[ 1 ] }' },
    });
    expect(response?.bodyText).toMatch(/^\{ "pin" : "REDACTED\d+", "a":\[ 1 \] \}$/);
  });

  it('keeps the scheme of a credential, the names of cookies and their attributes', () => {
    const clean = redact({
      request: { headers: { authorization: 'Bearer tok-abcdefgh', cookie: 'a=11111111; b=22222222' } },
      response: { headers: { 'set-cookie': ['sid=11111111; Path=/; HttpOnly'] } },
    });
    expect(clean.request.headers['authorization']).toMatch(/^Bearer REDACTED\d+$/);
    expect(clean.request.headers['cookie']).toMatch(/^a=REDACTED\d+; b=REDACTED\d+$/);
    expect(clean.response?.headers['set-cookie']).toEqual([
      expect.stringMatching(/^sid=REDACTED\d+; Path=\/; HttpOnly$/),
    ]);
  });

  it('uses one placeholder for each secret everywhere', () => {
    const redactor = create();
    const clean = redact(
      {
        request: {
          path: '/api/items/tok-a1B2c3D4',
          query: { q: 'see tok-a1B2c3D4' },
          headers: { authorization: 'Bearer tok-a1B2c3D4', 'x-api-key': 'other-one' },
        },
        response: { body: { id: 'tok-a1B2c3D4', name: 'Bearer of tok-a1B2c3D4' } },
      },
      redactor,
    );
    const placeholder = redactor.placeholders.placeholder('tok-a1B2c3D4', {
      rule: 'test',
      shapes: () => [],
      accepts: () => true,
    });
    const body = clean.response?.body as { id: string; name: string };
    expect(clean.request.path).toBe(`/api/items/${placeholder}`);
    expect(clean.request.query).toEqual({ q: `see ${placeholder}` });
    expect(clean.request.headers['authorization']).toBe(`Bearer ${placeholder}`);
    expect(body).toEqual({ id: placeholder, name: `Bearer of ${placeholder}` });
    expect(clean.request.headers['x-api-key']).not.toBe(placeholder);
    expect(Object.keys(Object.fromEntries(redactor.placeholders.takeNew()))).toHaveLength(2);
  });

  it('creates placeholders that are valid for their schemas', () => {
    const { response } = redact({
      response: { body: { id: 'a', pin: '123456', token: 'hush', ticket: '8c9f6b1e-6a0e-4c22-9c5e-1d2b3c4d5e6f' } },
    });
    const media = findOperation().responses[0]?.content[0]?.schemaPointer ?? '';
    const body = response?.body as { pin: string; token: string; ticket: string };
    expect(body.pin).toMatch(/^0{5}\d$/);
    expect(body.token).toHaveLength(4);
    expect(body.ticket).toMatch(/^00000000-0000-4000-8000-0{11}\d$/);
    const { ticket: _, ...shown } = body;
    expect(parts.validators.check(media, 'response')({ ...shown, id: 'a' }, 'body')).toEqual([]);
    expect(parts.validators.check(media, 'request')({ ...body, id: 'a' }, 'body')).toEqual([]);
  });

  // Searched again from each beginning, a text of this size takes longer than a test may.
  it.each([
    ['base64', 'QUJDRA+/'.repeat(125_000)],
    ['the beginnings of URLs', 'a.b-c+'.repeat(160_000)],
    ['the beginnings of keys', 'sk-a'.repeat(250_000)],
    ['the beginnings of PEM', '-----BEGIN PRIVATE KEY-----'.repeat(10_000)],
    ['the beginnings of tokens', 'eyJabcdefgh.'.repeat(80_000)],
    ['words for secrets', 'password '.repeat(110_000)],
    ['names without values', 'token'.repeat(200_000)],
    ['parameters', '?a=b&token='.repeat(90_000)],
    ['capital words', 'AB_'.repeat(330_000)],
    ['numbers', '4111 1111 '.repeat(100_000)],
    ['digits', '41111111'.repeat(125_000)],
    ['dots and dashes', 'eyJ-a.s.b-M.'.repeat(80_000)],
    ['slashes', '://a:b'.repeat(160_000)],
    ['PEM in base64', 'LS0tLS1CRUdJTiBQ'.repeat(60_000)],
    ['random text', 'aB3dE5fG7hJ9 '.repeat(75_000)],
  ])('finds a secret behind a megabyte of %s', { tags: 'slow' }, (_name, bodyText) => {
    const shown = text({ response: { headers: { 'content-type': 'text/plain' }, bodyText: `${bodyText}\n\n${JWT}` } });
    expect(shown).not.toContain(JWT);
  });

  it('continues the numbers of the cassette', () => {
    const earlier = { REDACTED0001: 'header:x-api-key' };
    const redactor = createRedactor({ ...parts, options: {}, earlier, watched: [] });
    const clean = redact({ request: { headers: { 'x-api-key': 'k', 'x-shop': 'REDACTED0001' } } }, redactor);
    expect(clean.request.headers).toEqual({ 'x-api-key': 'REDACTED0002', 'x-shop': 'REDACTED0001' });
  });

  it('replaces the values of the listed variables and of the recorder’s own headers', () => {
    const redactor = create({}, [{ rule: 'env:DATABASE', value: 'db-host-7' }]);
    const clean = text({ response: { body: { id: 'db-host-7', name: 'at db-host-7:5432' } } }, redactor);
    expect(clean).not.toContain('db-host-7');
    expect(Object.values(Object.fromEntries(redactor.placeholders.takeNew()))).toEqual(['env:DATABASE']);
  });

  it('applies additional headers, keys and patterns, and keeps the listed names', () => {
    const options: RedactionOptions = {
      headers: ['X-Who'],
      keys: ['nick'],
      patterns: ['cust-\\d{4}'],
      keep: ['client_secret'],
    };
    const clean = redact(
      {
        request: { headers: { 'x-who': 'jane' } },
        response: { body: { nick: 'jj', name: 'of cust-1234', client_secret: 'shown' } },
      },
      create(options),
    );
    expect(clean.request.headers['x-who']).not.toBe('jane');
    expect(clean.response?.body).toMatchObject({ client_secret: 'shown' });
    expect(JSON.stringify(clean.response?.body)).not.toMatch(/jj|cust-1234/);
  });
});

describe('the scan before a file is written', () => {
  it('refuses a remaining secret with its pointer and rule, and writes nothing', async () => {
    // The pattern spans two members, so that no single text holds it.
    const { add, recorder, read } = openShopRecorder(create({ patterns: ['"id": "left",\\s+"name": "over"'] }));
    const outcome = await add({ response: { body: { id: 'left', name: 'over' } } });
    expect(outcome).toMatchObject({ refused: { code: 'RECORDING_SECRET' } });
    expect(recorder.failures[0]?.message).toContain('pattern:1');
    expect([...read().keys()]).toEqual(['cassette.json']);
    // The number was not used up.
    const next = await add({ response: { body: { id: 'fine' } } });
    expect(next).toMatchObject({ stored: { number: 1, file: '0001-addItem.200.json' } });
  });

  it('reports the pointer of a secret in a member', () => {
    const redactor = create();
    redactor.placeholders.placeholder('kn0wn-S3cr3t-9x', {
      rule: 'header:x-api-key',
      shapes: () => [],
      accepts: () => true,
    });
    const file = writeExchange({
      number: 1,
      ...toExchange({ response: { body: { list: [{ name: 'a kn0wn-S3cr3t-9x' }] } } }),
    });
    const scan = (): void => redactor.scan([{ file: '0001-addItem.200.json', text: file }]);
    expect(scan).toThrow(MockError);
    try {
      scan();
    } catch (error) {
      expect(String(error)).toContain('0001-addItem.200.json (#/response/body/list/0/name)');
    }
  });

  it('leaves exchanges as they were written when a credential is detected later', async () => {
    const { add, recorder, read } = openShopRecorder();
    await add({ response: { body: { id: 's3ss10n-77-xYz' } } });
    await add({ request: { headers: { authorization: 'Bearer s3ss10n-77-xYz' } } });
    await add({ response: { body: { id: 's3ss10n-77-xYz' } } });
    await recorder.settle();
    const files = [...read()].filter(([, text]) => text.includes('s3ss10n-77-xYz'));
    expect(files.map(([path]) => path)).toEqual(['0001-addItem.200.json']);
  });

  it('stores each placeholder before an exchange has it', async () => {
    const { add, folder } = openShopRecorder();
    await add({ request: { headers: { authorization: 'Bearer abc' } } });
    // As after a crash.
    expect(loadCassette(folder).manifest.redacted).toEqual({ REDACTED0001: 'header:authorization' });
  });
});
