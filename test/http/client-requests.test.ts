import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMock, type Mock } from '../../src/index.js';
import { loadCases } from '../load-cases.js';
import { sendRaw } from '../send-raw.js';

const spec = join(import.meta.dirname, 'client-requests-document.yaml');

/** One request as real clients send it, and how it is judged. */
interface ClientRequest {
  /** What is special about it. */
  readonly what: string;
  /** Clients that are known to send it. */
  readonly clients: string;
  /** What real services do with it. */
  readonly service: string;
  /** The request line without the version, header fields, and after an empty line the body. */
  readonly sent: string;
  /** The body in place of the one in `sent`, in Base64. */
  readonly bytes?: string;
  /** Whether the body has `Transfer-Encoding: chunked`. */
  readonly isChunked?: true;
  /** Why `fetch` in-process cannot express it. */
  readonly socketOnly?: string;
  /** Parts of the decoded request. */
  readonly read?: { readonly query?: object; readonly path?: object; readonly body?: unknown };
  /** The code of the note in the journal; undefined: there is no note. */
  readonly note?: string;
  /** The code of the violation in strict mode; undefined: it is accepted there, too. */
  readonly strict?: string;
  /** Default 200. */
  readonly status?: number;
}

const CLIENT_REQUESTS = loadCases<readonly ClientRequest[]>('http/client-requests.yaml');

/** The parts of a request as text. */
interface Parts {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | undefined;
}

function readParts({ sent, bytes }: ClientRequest): Parts {
  const [head = '', ...rest] = sent.split('\n\n');
  const [line = '', ...fields] = head.split('\n');
  const [method = '', target = ''] = line.split(' ');
  const headers = fields.map((field): [string, string] => {
    const colon = field.indexOf(': ');
    return [field.slice(0, colon), field.slice(colon + 2)];
  });
  if (!headers.some(([name]) => name.toLowerCase() === 'authorization'))
    headers.push(['Authorization', 'Bearer secret']);
  const text = rest.join('\n\n');
  const isMultipart = sent.includes('multipart/form-data');
  const own = rest.length === 0 ? undefined : Buffer.from(isMultipart ? text.replaceAll('\n', '\r\n') : text);
  return { method, target, headers, body: bytes === undefined ? own : Buffer.from(bytes, 'base64') };
}

async function askInProcess(mock: Mock, request: ClientRequest): Promise<number> {
  const { method, target, headers, body } = readParts(request);
  const response = await mock.fetch(target.startsWith('/') ? `http://in-process.test${target}` : target, {
    method,
    headers: headers.map(([name, value]): [string, string] => [name, value]),
    // A view of a whole buffer.
    ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> }),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Writes the bytes of a request to a socket, so that no client changes them. */
async function askOverSocket(port: number, request: ClientRequest): Promise<number> {
  const { method, target, headers, body } = readParts(request);
  const isChunked = request.isChunked === true;
  const own = new Set(headers.map(([name]) => name.toLowerCase()));
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: api.example.com',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(own.has('connection') ? [] : ['Connection: close']),
    ...(isChunked ? ['Transfer-Encoding: chunked'] : []),
    ...(body === undefined || isChunked ? [] : [`Content-Length: ${body.byteLength}`]),
  ];
  const { socket, waitFor } = sendRaw(port, `${lines.join('\r\n')}\r\n\r\n`);
  if (own.has('expect')) await waitFor('HTTP/1.1 100');
  if (body !== undefined) {
    socket.write(isChunked ? `${body.byteLength.toString(16)}\r\n` : '');
    socket.write(body);
    if (isChunked) socket.write('\r\n0\r\n\r\n');
  }
  const answer = await waitFor(/HTTP\/1\.1 [2-5]\d\d[^]*\r\n\r\n/);
  return Number(/(?<=HTTP\/1\.1 )[2-5]\d\d/.exec(answer)?.[0]);
}

describe.each(['in-process', 'over a socket'] as const)('%s', (way) => {
  const requests = CLIENT_REQUESTS.filter(({ socketOnly }) => way === 'over a socket' || socketOnly === undefined);
  const isReached = new Map<boolean, (request: ClientRequest) => Promise<number>>();
  const mocks = new Map<boolean, Mock>();
  beforeAll(async () => {
    for (const strict of [false, true]) {
      const mock = await createMock({ spec, strict, state: false });
      const port = way === 'in-process' ? 0 : (await mock.listen()).port;
      mocks.set(strict, mock);
      isReached.set(strict, (request) =>
        way === 'in-process' ? askInProcess(mock, request) : askOverSocket(port, request),
      );
    }
  });
  afterAll(() => Promise.all([...mocks.values()].map((mock) => mock.close())));

  it.each(requests.map((request) => [request.what, request] as const))(
    '%s is accepted by default',
    async (_, request) => {
      const status = await isReached.get(false)?.(request);
      const last = mocks.get(false)?.journal.last();
      const notes = last?.violations.map(({ code, severity }) => `${severity} ${code}`);
      const wanted = request.note === undefined ? [] : [`note ${request.note}`];
      expect([...new Set(notes)]).toEqual(wanted);
      expect(status).toBe(request.status ?? 200);
      expect(last?.request).toMatchObject(request.read ?? {});
    },
  );

  it.each(requests.map((request) => [request.what, request] as const))('%s is judged by strict', async (_, request) => {
    const status = await isReached.get(true)?.(request);
    const violations = mocks.get(true)?.journal.last()?.violations ?? [];
    const errors = violations.filter(({ severity }) => severity === 'error').map(({ code }) => code);
    expect([...new Set(errors)]).toEqual(request.strict === undefined ? [] : [request.strict]);
    if (request.strict === undefined) expect(status).toBe(request.status ?? 200);
    else expect(status).toBeGreaterThanOrEqual(400);
  });
});

it('docs/leniency.md has a row for each request', async () => {
  const noted = CLIENT_REQUESTS.filter(({ note, strict }) => note !== undefined || strict !== undefined);
  const rows = noted.map(({ what, service, note, strict }) => {
    const byStrict = strict === undefined ? '' : strict === note ? ' refused' : ` refused, \`${strict}\``;
    return `| ${what} | ${service} | \`${note ?? ''}\` |${byStrict} |\n`;
  });
  const others = CLIENT_REQUESTS.filter((request) => !noted.includes(request));
  const list = others.map(({ what, service }) => `- ${what}: ${service}\n`);
  expect(rows.length + list.length).toBe(CLIENT_REQUESTS.length);
  const page = readFileSync('docs/leniency.md', 'utf8');
  // `npx vitest run test/http/client-requests.test.ts --update` writes the rows.
  const written = page
    .replace(/(\| --- [^\n]*\n)[^]*?(?=\n## )/u, (_, rule: string) => `${rule}${rows.join('')}`)
    .replace(/(?<=\n## Accepted without a note\n\nEach with what a real service does:\n\n)[^]*?(?=\n## )/u, () =>
      list.join(''),
    );
  await expect(written).toMatchFileSnapshot('../../docs/leniency.md');
  expect(CLIENT_REQUESTS.length).toBeGreaterThanOrEqual(40);
});
