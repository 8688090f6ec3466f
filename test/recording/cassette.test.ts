import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MockError } from '../../src/base/errors.js';
import { openCassette } from '../../src/features/recording/cassette/cassette-writer.js';
import { loadCassette, readCassetteFolder } from '../../src/features/recording/cassette/cassette.js';
import { readJson, writeJson } from '../../src/base/exact-json.js';
import type { NewExchange } from '../../src/features/recording/cassette/exchange.js';
import { DEFAULT_MATCH, type Manifest } from '../../src/features/recording/cassette/manifest.js';
import { readBody, writeBody } from '../../src/features/recording/cassette/recorded-body.js';
import { createFolder } from '../folders.js';

const MANIFEST: Manifest = {
  version: 1,
  contract: { title: 'Shop', version: '1', hash: 'abc' },
  upstream: 'https://shop.example',
  recordedAt: '2026-01-01T00:00:00.000Z',
  match: DEFAULT_MATCH,
  redacted: {},
  maxAge: undefined,
};

function exchange(response: object, request: object = {}): NewExchange {
  return {
    operation: 'readItem',
    recordedAt: '2026-01-01T00:00:00.000Z',
    elapsedMs: 1,
    request: { method: 'GET', path: '/items/a', pathParams: { id: 'a' }, query: {}, headers: {}, ...request },
    response: { status: 200, headers: { 'content-type': 'application/json' }, ...response },
    failure: undefined,
  };
}

function createCassette(): string {
  const folder = join(createFolder(), 'shop');
  openCassette(folder, MANIFEST);
  return folder;
}

describe('a cassette', () => {
  it('writes an exchange as one file with members in a fixed order', async () => {
    const folder = createCassette();
    await openCassette(folder, MANIFEST).add(
      exchange({ body: { b: 1, a: [true, null] } }, { headers: { b: '2', a: '1' } }),
    );
    expect(readFileSync(join(folder, '0001-readItem.200.json'), 'utf8')).toBe(`{
  "operation": "readItem",
  "recordedAt": "2026-01-01T00:00:00.000Z",
  "elapsedMs": 1,
  "request": {
    "method": "GET",
    "path": "/items/a",
    "pathParams": {
      "id": "a"
    },
    "query": {},
    "headers": {
      "a": "1",
      "b": "2"
    }
  },
  "response": {
    "status": 200,
    "headers": {
      "content-type": "application/json"
    },
    "body": {
      "b": 1,
      "a": [
        true,
        null
      ]
    }
  }
}
`);
  });

  it.each<readonly [string, object, string | undefined]>([
    ['a JSON value', { body: { a: 1 } }, undefined],
    ['null', { body: null }, undefined],
    ['false', { body: false }, undefined],
    ['zero', { body: 0 }, undefined],
    ['an empty JSON text', { body: '' }, undefined],
    ['a bare JSON text', { body: 'a file' }, undefined],
    ['a text', { bodyText: 'line\nline' }, undefined],
    ['events', { events: [{ atMs: 3, data: 'x', event: 'y' }] }, undefined],
    ['bytes', { bytes: Buffer.from([0, 255, 13, 10]) }, 'bodies/0001.bin'],
    ['a long text', { bodyText: 'x'.repeat(70_000) }, 'bodies/0001.bin'],
    ['a long JSON value', { body: ['x'.repeat(70_000)] }, 'bodies/0001.bin'],
  ])('restores %s', async (_name, body, file) => {
    const folder = createCassette();
    const headers = {
      'content-type': 'bytes' in body ? 'image/png' : 'bodyText' in body ? 'text/plain' : 'application/json',
    };
    await openCassette(folder, MANIFEST).add(exchange({ ...body, headers }));
    const response = loadCassette(folder).exchanges[0]?.response;
    expect(response?.bodyFile).toBe(file);
    const toText = (content: Uint8Array | undefined): string => Buffer.from(content ?? []).toString('latin1');
    expect(toText(writeBody(folder, { ...response, headers }))).toBe(toText(writeBody(folder, { ...body, headers })));
    if (file === undefined) expect(response).toMatchObject(body);
  });

  it('keeps the digits of numbers', async () => {
    const folder = createCassette();
    const numbers = '"small":0.1234567890123456789,"whole":-9007199254740993,"over":1e400,"fine":1.50';
    const text = `{"id":12345678901234567890,${numbers},"text":"a \\" 9007199254740993"}`;
    await openCassette(folder, MANIFEST).add(
      exchange(readBody(Buffer.from(text), { 'content-type': 'application/json' })),
    );
    const response = loadCassette(folder).exchanges[0]?.response;
    expect(Buffer.from(writeBody(folder, { ...response, headers: {} }) ?? []).toString()).toBe(text);
  });

  it('keeps a number next to a string of many megabytes', { tags: 'slow' }, () => {
    const text = `{"picture":"${'x'.repeat(20_000_000)}","n":12345678901234567890}`;
    expect(writeJson(readJson(text))).toBe(text);
  });

  it('removes incomplete files of a killed process, and the numbers continue without a gap', async () => {
    const folder = createCassette();
    await openCassette(folder, MANIFEST).add(exchange({}));
    writeFileSync(join(folder, '.0002-readItem.200.json.tmp'), '{"half');
    const stored = await openCassette(folder, MANIFEST).add(exchange({}));
    expect(stored.number).toBe(2);
    expect(readdirSync(folder).some((name) => name.endsWith('.tmp'))).toBe(false);
  });

  it('continues with 10000 after 9999', async () => {
    const folder = createCassette();
    await openCassette(folder, MANIFEST).add(exchange({}));
    const first = readFileSync(join(folder, '0001-readItem.200.json'));
    writeFileSync(join(folder, '9999-readItem.200.json'), first);
    await openCassette(folder, MANIFEST).add(exchange({}));
    expect(loadCassette(folder).exchanges.map(({ number }) => number)).toEqual([1, 9999, 10000]);
  });
});

describe('the placeholders of a cassette', () => {
  const FIRST = ['REDACTED0001', 'header:authorization'] as const;
  const SECOND = ['sk-REDACTED0002', 'pattern:sk'] as const;
  const readNames = (folder: string): readonly string[] => Object.keys(loadCassette(folder).manifest.redacted);

  it('can be read before they are in the manifest, and are moved to it', async () => {
    const folder = createCassette();
    const writer = openCassette(folder, MANIFEST);
    await writer.addPlaceholders([FIRST]);
    await writer.addPlaceholders([SECOND]);
    expect(readFileSync(join(folder, 'cassette.json'), 'utf8')).not.toContain('REDACTED');
    expect(loadCassette(folder).manifest.redacted).toEqual({ [FIRST[0]]: FIRST[1], [SECOND[0]]: SECOND[1] });
    await writer.settle();
    expect(readdirSync(folder)).toEqual(['bodies', 'cassette.json']);
    expect(readNames(folder)).toEqual([FIRST[0], SECOND[0]]);
    expect(Object.keys(writer.read().manifest.redacted)).toEqual([FIRST[0], SECOND[0]]);
  });

  it('of a recorder that was killed are in the manifest after the next one', async () => {
    const folder = createCassette();
    await openCassette(folder, MANIFEST).addPlaceholders([FIRST]);
    const next = openCassette(folder, MANIFEST);
    expect(Object.keys(next.read().manifest.redacted)).toEqual([FIRST[0]]);
    await next.addPlaceholders([SECOND]);
    await next.settle();
    expect(readNames(folder)).toEqual([FIRST[0], SECOND[0]]);
  });

  it('are kept behind a line that was not written to its end', async () => {
    const folder = createCassette();
    const writer = openCassette(folder, MANIFEST);
    await writer.addPlaceholders([FIRST]);
    appendFileSync(join(folder, 'placeholders.jsonl'), '\n["REDACTED00');
    await writer.addPlaceholders([SECOND]);
    expect(readNames(folder)).toEqual([FIRST[0], SECOND[0]]);
  });

  it('are removed with the exchanges', async () => {
    const folder = createCassette();
    const writer = openCassette(folder, MANIFEST);
    await writer.addPlaceholders([FIRST]);
    await writer.clear(MANIFEST);
    await writer.settle();
    expect(readNames(folder)).toEqual([]);
  });
});

describe('an invalid cassette', () => {
  const GOOD = JSON.stringify(
    { operation: 'readItem', recordedAt: 'x', request: { method: 'GET', path: '/' }, response: { status: 200 } },
    null,
    2,
  );
  const change = (from: string, to: string): string => {
    expect(GOOD).toContain(from);
    return GOOD.replace(from, to);
  };

  it.each<readonly [string, string, () => string, RegExp]>([
    ['cut off', '0001-a.200.json', () => GOOD.slice(0, 60), /0001-a\.200\.json:\d+:\d+ .* not valid JSON/],
    ['edited wrongly', '0001-a.200.json', () => change('"status": 200', '"status": 200,,'), /0001-a\.200\.json:9:\d+ /],
    ['no object', '0001-a.200.json', () => '[]', /0001-a\.200\.json +an exchange must be an object/],
    [
      'without an operation',
      '0001-a.200.json',
      () => change('"operation": "readItem"', '"operation": 7'),
      /:2 \(#\/operation\) +operation must be a non-empty string, got 7/,
    ],
    [
      'without an outcome',
      '0001-a.200.json',
      () => change('"response"', '"answer"'),
      /an exchange must have a response or a failure/,
    ],
    [
      'with a status of no response',
      '0001-a.200.json',
      () => change('"status": 200', '"status": "200"'),
      /:9 \(#\/response\/status\) +status must be an integer from 200 to 999, got "200"/,
    ],
    [
      'with a header that is a number',
      '0001-a.200.json',
      () => change('"status": 200', '"status": 200, "headers": { "age": 7 }'),
      /\(#\/response\/headers\/age\) +"age" must be a string or an array of strings/,
    ],
    [
      'with two bodies',
      '0001-a.200.json',
      () => change('"status": 200', '"status": 200, "body": 1, "bodyBase64": "MQ=="'),
      /a body cannot have both body and bodyBase64/,
    ],
    [
      'with a body outside',
      '0001-a.200.json',
      () => change('"status": 200', '"status": 200, "bodyFile": "../../etc/passwd"'),
      /bodyFile must be a file in bodies\//,
    ],
    [
      'with a part outside',
      '0001-a.200.json',
      () => change('"status": 200', '"status": 200, "parts": [{ "name": "a", "bodyFile": "../../etc/passwd" }]'),
      /\(#\/response\/parts\/0\/bodyFile\) +bodyFile must be a file in bodies\//,
    ],
    [
      'with a part that is gone',
      '0001-a.200.json',
      () => change('"status": 200', '"status": 200, "parts": [{ "name": "a", "bodyFile": "bodies/0001.bin" }]'),
      /\(#\/response\/parts\/0\/bodyFile\) +bodies\/0001\.bin is missing/,
    ],
    [
      'with a body that is gone',
      '0001-a.200.json',
      () => change('"status": 200', '"status": 200, "bodyFile": "bodies/0001.bin"'),
      /\(#\/response\/bodyFile\) +bodies\/0001\.bin is missing/,
    ],
    ['of another kind', 'notes.json', () => GOOD, /notes\.json +"notes\.json" is not the name of an exchange/],
    ['that is a folder', '0001-a.200.json/b.txt', () => '', /0001-a\.200\.json +the file cannot be read: EISDIR/],
    ['whose bodies are a file', 'bodies', () => '', /\(#\/response\/bodyFile\) +bodies\/0001\.bin is missing/],
    ['with a number twice', '0007-b.200.json', () => GOOD, /number 7 is already used by 0007-a\.200\.json/],
  ])('is reported with the position: %s', (_name, file, content, message) => {
    const folder = createCassette();
    if (file === 'bodies') rmSync(join(folder, file), { recursive: true });
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), content());
    if (file === 'bodies')
      writeFileSync(
        join(folder, '0001-a.200.json'),
        change('"status": 200', '"status": 200, "bodyFile": "bodies/0001.bin"'),
      );
    if (file === '0007-b.200.json') writeFileSync(join(folder, '0007-a.200.json'), GOOD);
    const { exchanges, mistakes } = loadCassette(folder);
    expect(mistakes.map(({ code }) => code)).toEqual(['RECORDING_INVALID']);
    expect(String(mistakes[0])).toMatch(message);
    expect(exchanges.map((exchange) => exchange.file)).toEqual(file === '0007-b.200.json' ? ['0007-a.200.json'] : []);
  });

  it.each<readonly [string, string, RegExp]>([
    ['another version', '{ "version": 2 }', /cassette\.json \(#\/version\) +version must be 1, got 2/],
    [
      'a rule nobody knows',
      '{ "version": 1, "match": { "ignorBody": [] } }',
      /match has no setting "ignorBody"[\s\S]*did you mean "ignoreBody"/,
    ],
    [
      'a rule that is no list',
      '{ "version": 1, "match": { "ignoreBody": "/a" } }',
      /match\.ignoreBody must be an array of strings/,
    ],
    [
      'a redaction nobody knows',
      '{ "version": 1, "redact": { "header": ["x-account"] } }',
      /redact has no setting "header"[\s\S]*did you mean "headers"/,
    ],
    ['an age that is no number', '{ "version": 1, "maxAge": "30d" }', /maxAge must be a non-negative number of days/],
  ])('is one whose manifest has %s', (_name, content, message) => {
    const folder = createCassette();
    writeFileSync(join(folder, 'cassette.json'), content);
    try {
      loadCassette(folder);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(MockError);
      expect(String(error)).toMatch(message);
    }
  });

  it('ignores files that are not JSON', () => {
    const folder = createCassette();
    writeFileSync(join(folder, 'README.md'), '# Recorded in spring');
    expect(loadCassette(folder).exchanges).toEqual([]);
  });

  it('is reported with the most similar name if it does not exist', () => {
    const root = createFolder();
    for (const name of ['keys', 'files']) openCassette(join(root, name), MANIFEST);
    mkdirSync(join(root, 'no-cassette'));
    expect(() => readCassetteFolder(root, 'kyes')).toThrow(expect.objectContaining({ hint: 'did you mean "keys"?' }));
    rmSync(join(root, 'keys'), { recursive: true });
    expect(() => readCassetteFolder(root, 'kyes')).toThrow(
      expect.objectContaining({ hint: 'available cassettes: files' }),
    );
  });
});
