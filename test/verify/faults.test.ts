// Services on bare node:http with one fault each, and the guards beside them: what is no fault of the service.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Verification } from '../../src/tools/verify/events.js';
import { json, query, shows, takes, toDocument } from '../operation-parts.js';
import { object, TEXT } from '../schema-parts.js';
import { verifyAnswers } from './verify-in-test.js';

const TIDE = object({ id: TEXT }, 'id');
const VALID = '{"id":"1"}';
const JSON_TYPE = { 'content-type': 'application/json' };

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** Verifies a service with one operation. */
function verify(operation: object, answer: Answer, timeoutMs = 5000): Promise<Verification> {
  const document = toDocument({ '/tide': { get: { operationId: 'readTide', ...operation } } });
  return verifyAnswers(document, (request, response) => answer(response, request), { timeoutMs });
}

const toTexts = ({ findings }: Verification): readonly string[] =>
  findings.map(({ code, message }) => `${code} ${message}`);

describe('an answer', () => {
  it.each<readonly [what: string, answer: Answer, findings: readonly string[]]>([
    [
      'that is compressed counts as its content',
      (response) => response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(gzipSync(VALID)),
      [],
    ],
    [
      'that is not compressed as it says is not whole',
      (response) => response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(VALID),
      [
        'ANSWER_MISSING the body of the 200 cannot be read as its Content-Encoding gzip says: incorrect header check (minimal)',
      ],
    ],
    [
      'that ends before its length is not whole',
      (response, { socket }) =>
        response.writeHead(200, { ...JSON_TYPE, 'content-length': 100 }).write(VALID, () => socket.destroy()),
      ['ANSWER_MISSING the body of the 200 cannot be read: other side closed (minimal)'],
    ],
    [
      'that does not come is missing',
      (_, { socket }) => socket.destroy(),
      ['ANSWER_MISSING there is no answer: other side closed (minimal)'],
    ],
    [
      'without a Content-Type has no declared media type',
      (response) => response.writeHead(200).end(VALID),
      ['MEDIA_TYPE_UNDECLARED the 200 has a body without a Content-Type'],
    ],
    [
      'with a charset and a byte order mark is JSON',
      (response) =>
        response.writeHead(200, { 'content-type': 'application/json;charset=UTF-8' }).end(`\u{FEFF}${VALID}`),
      [],
    ],
    [
      'as a page of HTML is not what is declared',
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      [
        'MEDIA_TYPE_UNDECLARED response media type "text/html" is not declared for status 200, which declares application/json (200)',
      ],
    ],
    [
      'that redirects is not followed',
      (response) => response.writeHead(302, { location: '/elsewhere' }).end(),
      ['STATUS_UNDECLARED status 302 is not declared by readTide, which declares 200 (302)'],
    ],
    [
      'of an error as a page of HTML, which a proxy may have made, is the error',
      (response) => response.writeHead(500, { 'content-type': 'text/html' }).end('<p>'),
      ['SERVER_ERROR it answers 500 (minimal)'],
    ],
  ])('%s', async (_, answer, findings) => {
    expect(toTexts(await verify(shows(TIDE), answer))).toEqual(findings);
  });

  it('without content has no Content-Type', async () => {
    const responses = { 200: { description: 'Nothing.' } };
    expect(toTexts(await verify({ responses }, (response) => response.writeHead(200).end()))).toEqual([]);
    const declared = await verify({ responses: { 200: json(TIDE) } }, (response) => response.writeHead(200).end());
    expect(toTexts(declared)).toEqual([]);
  });

  it('that does not end in time verifies nothing, and no other valid request waits as long', async () => {
    const operation = { ...shows(TIDE), parameters: [query('unit', { type: 'integer' })] };
    let count = 0;
    const { verified, skipped, findings } = await verify(
      operation,
      (response) => {
        count += 1;
        response.writeHead(200, JSON_TYPE).write('{');
      },
      50,
    );
    // The smallest request, and one that is invalid.
    expect({ verified, skipped, findings, count }).toEqual({
      verified: [],
      skipped: [{ operation: 'readTide', message: 'no answer ended in time' }],
      findings: [],
      count: 2,
    });
  });

  it('that is a stream does not hide what the invalid requests show', async () => {
    const operation = { ...shows(TIDE), parameters: [query('unit', { type: 'integer' })] };
    const answer: Answer = (response, { url }) => {
      if (url?.includes('unit=abc') === true) response.writeHead(500).end();
      else response.writeHead(200, JSON_TYPE).write('{');
    };
    const verification = await verify(operation, answer, 50);
    expect(toTexts(verification)).toEqual(['SERVER_ERROR it answers 500 (query unit=abc)']);
    expect(verification.verified).toEqual(['readTide']);
  });
});

it('an item that no operation deletes is named by the operation that has created it', async () => {
  const NOTE = object({ id: TEXT, text: TEXT }, 'id', 'text');
  const paths = {
    '/notes': { post: { operationId: 'addNote', ...takes(object({ text: TEXT }, 'text'), NOTE, 201) } },
    '/notes/{id}': {
      get: {
        operationId: 'getNote',
        parameters: [{ name: 'id', in: 'path', required: true, schema: TEXT }],
        ...shows(NOTE),
      },
    },
  };
  const { learned } = await verifyAnswers(toDocument(paths), (request, response) => {
    response.writeHead(request.method === 'POST' ? 201 : 200, JSON_TYPE).end('{"id":"n1","text":"x"}');
  });
  expect(learned).toContainEqual({
    operation: 'addNote',
    message: 'the created item n1 is not removed: no operation deletes it',
  });
});
