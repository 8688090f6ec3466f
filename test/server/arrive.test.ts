import { expect, it } from 'vitest';
import { AUTHORIZED, listenBuiltIn } from '../describe-both.js';
import { sendRaw } from '../send-raw.js';

const KEYS = '/v1/organization/admin_api_keys';
const CLOSE = 'connection: close';

/** The head of a request, with the header fields that each request needs. */
function toHead(line: string, ...fields: readonly string[]): string {
  return `${[`${line} HTTP/1.1`, 'host: mock', `authorization: ${AUTHORIZED.authorization}`, ...fields].join('\r\n')}\r\n\r\n`;
}

function toPost(body: string): string {
  return toHead(`POST ${KEYS}`, 'content-type: application/json', `content-length: ${Buffer.byteLength(body)}`);
}

it('a small body sent in several packets is read completely', async () => {
  const { port } = await listenBuiltIn();
  const body = '{"name":"In pieces"}';
  const { socket, waitFor } = sendRaw(port, toPost(body));
  for (const piece of body.match(/.{1,3}/g) ?? []) {
    // Each piece is sent as a separate packet.
    await new Promise((resolve) => socket.write(piece, resolve));
  }
  await waitFor('HTTP/1.1 200 OK');
  await waitFor('"name":"In pieces"');
});

it('requests in one packet are answered in order', async () => {
  const { port } = await listenBuiltIn();
  const first = '{"name":"First"}';
  const second = '{"name":"Second"}';
  const gone = toHead('DELETE /v1/vector_stores/vs_training/files/file-empty');
  const requests = [toPost(first), first, gone, toPost(second), second, toHead(`GET ${KEYS}?limit=1`, CLOSE)];
  const answers = await sendRaw(port, requests.join('')).end;
  const said = answers.match(/"name":"(?:First|Second)"|"deleted":true|"has_more":true/g);
  expect(said).toEqual(['"name":"First"', '"deleted":true', '"name":"Second"', '"has_more":true']);
});

it.each([
  ['no body where one is required', [toHead(`POST ${KEYS}`)], 'BODY_REQUIRED'],
  ['a length of 0 where a body is required', [toHead(`POST ${KEYS}`, 'content-length: 0')], 'BODY_REQUIRED'],
  ['a small body above the limit', [toPost('{"name":"0123456789"}'), '{"name":"0123456789"}'], 'BODY_TOO_LARGE'],
])('%s is refused, and the connection serves the next request', async (_, parts, code) => {
  const { mock, port } = await listenBuiltIn({ requests: { bodyLimitBytes: 16 } });
  const answers = await sendRaw(port, [...parts, toHead(`GET ${KEYS}`, CLOSE)].join('')).end;
  expect(answers.match(/(?<=HTTP\/1\.1 )\d/g)).toEqual(['4', '2']);
  expect(mock.journal.last('createAdminApiKey')?.violations.map((violation) => violation.code)).toEqual([code]);
});

it('a client that disconnects in the middle of a small body is in the journal, and creates nothing', async () => {
  const { mock, port } = await listenBuiltIn();
  const { socket } = sendRaw(port, `${toPost('{"name":"Half"}')}{"na`);
  socket.write('', () => socket.destroy());
  const { violations } = await mock.journal.waitFor('createAdminApiKey', { timeout: 5000 });
  expect(violations.map(({ code }) => code)).toEqual(['BODY_INCOMPLETE']);
  expect(mock.state.collection('admin_api_keys').items).toHaveLength(7);
});

it.each([
  ['of the size that is read before dispatch', 64 * 1024],
  ['one byte larger', 64 * 1024 + 1],
])('a body %s is read completely', async (_, size) => {
  const { mock, url } = await listenBuiltIn();
  const body = JSON.stringify({ name: '' }).replace('""', `"${'x'.repeat(size - 11)}"`);
  const headers = { ...AUTHORIZED, 'content-type': 'application/json' };
  const answer = await fetch(`${url}${KEYS}`, { method: 'POST', headers, body });
  expect(Buffer.byteLength(body)).toBe(size);
  expect(answer.status).toBe(200);
  expect(mock.journal.last()?.request.body).toEqual(JSON.parse(body));
});

it('the control API reads a small body that was read before dispatch', async () => {
  const { mock, url } = await listenBuiltIn();
  const answer = await fetch(`${url}/__mock/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"id":"waited"}',
  });
  expect(answer.status).toBe(201);
  expect(mock.session('waited').id).toBe('waited');
});

it.each([
  ['with a length', true],
  ['chunked', false],
])('the sender of 10 MB above the limit, %s, gets to the answer', async (_, hasLength) => {
  const { mock, url } = await listenBuiltIn({ requests: { bodyLimitBytes: 1_000_000 } });
  const body = Buffer.alloc(10_000_000, '[');
  const headers = { ...AUTHORIZED, 'content-type': 'application/json' };
  const sent = hasLength ? { body } : { body: new Blob([body]).stream(), duplex: 'half' as const };
  const response = await fetch(url + KEYS, { method: 'POST', headers, ...sent });
  expect(response.status).toBe(413);
  expect(mock.journal.last()?.violations.map(({ code }) => code)).toEqual(['BODY_TOO_LARGE']);
});
