import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createMock, type Mock, type MockOptions } from '../../src/index.js';
import { describeAll, openBuiltIn } from '../describe-both.js';
import { type AskControl, createControlClient, loadControlDocument } from './control-client.js';
import { TEXT, content, object, INTEGER, pathParameter, toDocument } from '../document-parts.js';

// Issue 17: what the control API offers to the page of the inspector.

const KEYS = '/v1/organization/admin_api_keys';
const AUTHORIZATION = { authorization: 'Bearer sk-test-0123456789' };

let ask: (reach: Parameters<typeof createControlClient>[0]) => AskControl;
beforeAll(async () => {
  const document = await loadControlDocument();
  ask = (reach) => createControlClient(reach, document);
});

const askMock = ({ fetch }: Mock): AskControl => ask({ rootUrl: '', fetch } as Parameters<typeof ask>[0]);

async function open(options: Partial<MockOptions> = {}): Promise<Mock> {
  const mock = await openBuiltIn(options);
  onTestFinished(() => mock.close());
  return mock;
}

/** The events of a stream; `next` skips comments. */
function follow(response: Response): { next(): Promise<StreamedEvent>; cancel(): Promise<void> } {
  if (response.body === null) throw new Error('the response has no body');
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    next: async () => {
      for (;;) {
        const end = text.indexOf('\n\n');
        if (end !== -1) {
          const block = text.slice(0, end);
          text = text.slice(end + 2);
          const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)));
          if (fields.event !== undefined) return { ...fields, data: JSON.parse(fields.data) };
          continue;
        }
        const { done, value } = await reader.read();
        if (done) return { event: 'end', data: {} };
        text += value;
      }
    },
    cancel: () => reader.cancel(),
  };
}

interface StreamedEvent {
  readonly event?: string;
  readonly id?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

describeAll('the control API for the inspector', (start) => {
  it('serves a page without external assets, which runs only its own script', async () => {
    const reach = await start();
    const response = await reach.fetch(`${reach.rootUrl}/__mock/`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/default-src 'none'; script-src 'sha256-\S+'; style-src 'sha256-\S+'; connect-src 'self'/);
    expect(policy).toContain("frame-ancestors 'none'");
    const html = await response.text();
    expect(gzipSync(html).byteLength).toBeLessThan(40_000);
    expect(html.match(/\b(?:src|href)="[^"]*"/g)).toEqual(['href="data:,"']);
  });

  it('redirects the path without the slash at its end', async () => {
    const reach = await start();
    const response = await reach.fetch(`${reach.rootUrl}/__mock`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([308, '__mock/']);
  });

  it('answers a browser at the root with a link, and other clients as before', async () => {
    const reach = await start();
    const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const page = await reach.fetch(`${reach.rootUrl}/`, { headers: { accept: browser } });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await page.text()).toMatch(/<a href="[^"]*\/__mock\/">/);
    for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5']) {
      const response = await reach.fetch(`${reach.rootUrl}/`, { headers: { accept } });
      expect([accept, response.status]).toEqual([accept, 404]);
    }
  });

  it('shows one interaction with the places of its violations in the document', async () => {
    const reach = await start();
    const control = ask(reach);
    const init = { method: 'POST', headers: { ...AUTHORIZATION, 'content-type': 'application/json' } };
    await reach.fetch(`${reach.rootUrl}${KEYS}`, { ...init, body: '{"name":7}' });
    const { body, status } = await control('GET', '/journal/1');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      interaction: { number: 1, operation: 'createAdminApiKey', request: { body: { name: 7 } } },
      declaredAt: expect.stringMatching(/^spec\/openapi\.yaml:\d+:\d+ /),
    });
    const { places, interaction } = body as {
      places: Record<string, string>;
      interaction: { violations: { schemaPointer: string }[] };
    };
    expect(places[interaction.violations[0]?.schemaPointer ?? '']).toMatch(/^spec\/openapi\.yaml:\d+:\d+ /);
    expect(await control('GET', '/journal/2')).toMatchObject({ status: 404, code: 'INTERACTION_UNKNOWN' });
    expect(await control('GET', '/journal/x')).toMatchObject({ status: 400, code: 'CONTROL_INVALID' });
  });

  it('sends a request again, with the secrets that it does not show', async () => {
    const reach = await start({ auth: { tokens: ['sk-test-0123456789'] } });
    const control = ask(reach);
    const init = { method: 'POST', headers: { ...AUTHORIZATION, 'content-type': 'application/json' } };
    await reach.fetch(`${reach.rootUrl}${KEYS}`, { ...init, body: '{"name":"twice"}' });
    expect((await control('POST', '/journal/1/replay')).body).toEqual({ status: 200, number: 2 });
    const names = reach.mock.state.collection('admin_api_keys').items.map(({ name }) => name);
    expect(names.filter((name) => name === 'twice')).toHaveLength(2);
    const { body } = await control('GET', '/journal/2');
    expect(body).toMatchObject({ interaction: { request: { headers: { authorization: 'Bearer [redacted]' } } } });
  });
});

describe('scenarios and samples for the page', () => {
  it('shows a scenario as it was written, and checks one without adding it', async () => {
    const mock = await open({ scenarios: { from: 'scenarios' } });
    const control = askMock(mock);
    expect((await control('GET', '/scenarios/unauthorized')).body).toMatchObject({
      id: 'unauthorized',
      file: 'scenarios/unauthorized.yaml',
      definition: { operations: expect.anything() },
    });
    const rules = (operation: string): object => ({ operations: { [operation]: { respond: { status: 500 } } } });
    expect((await control('POST', '/scenarios/new/check', rules('listAdminApiKeys'))).status).toBe(204);
    const wrong = await control('POST', '/scenarios/new/check', rules('listAdminApiKey'));
    expect(wrong).toMatchObject({ status: 422, code: 'SCENARIO_INVALID' });
    expect((await control('GET', '/scenarios/new')).status).toBe(404);
    expect((await control('GET', '/contract/scenario-schema')).body).toHaveProperty('$defs');
  });

  it('makes a valid request of each operation, with ids that exist', async () => {
    const mock = await open();
    const control = askMock(mock);
    for (const { id } of mock.contract.operations) {
      const { body } = await control('GET', `/contract/operations/${id}/sample`);
      const { url, ...init } = body as { url: string; method: string; headers: Record<string, string>; body?: string };
      expect([id, (await mock.fetch(url, init)).status]).toEqual([id, 200]);
    }
    expect((await control('GET', '/contract')).body).toMatchObject({
      controlPrefix: '/__mock',
      operations: expect.arrayContaining([
        expect.objectContaining({ id: 'listAdminApiKeys', action: 'list', collection: 'admin_api_keys' }),
      ]),
    });
    const unknown = await control('GET', '/contract/operations/listAdminApiKey/sample');
    expect(unknown).toMatchObject({ status: 404, code: 'OPERATION_UNKNOWN', hint: 'did you mean "listAdminApiKeys"?' });
  });

  it('makes a valid request where a document has parameters that are easy to send wrongly', async () => {
    const json = (schema: object): object => content(schema);
    const point = object({ x: INTEGER, y: INTEGER }, 'x', 'y');
    const order = object({ by: { enum: ['name', 'age'], default: 'size' } }, 'by');
    const spec = toDocument(
      {
        '/at/{point}/{color}': {
          put: {
            operationId: 'paint',
            parameters: [
              pathParameter('point', point),
              { name: 'color', in: 'path', required: true, content: json(TEXT) },
              { name: 'key', in: 'query', required: true, schema: TEXT },
              { name: 'Content-Length', in: 'header', required: true, schema: INTEGER },
            ],
            requestBody: { required: true, content: json(order) },
            responses: { 200: { description: 'painted' } },
          },
        },
        '/search?q={q}': {
          get: {
            operationId: 'search',
            parameters: [{ name: 'q', in: 'query', required: true, schema: TEXT }],
            responses: { 200: { description: 'found' } },
          },
        },
        '/orders': {
          post: {
            operationId: 'order',
            requestBody: { required: true, content: { 'application/xml': { schema: order } } },
            responses: { 200: { description: 'ordered' } },
          },
        },
      },
      {},
      {
        security: [{ key: [] }],
        components: { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'key' } } },
      },
    );
    const mock = await createMock({ spec });
    const control = askMock(mock);
    for (const { id } of mock.contract.operations) {
      const { body } = await control('GET', `/contract/operations/${id}/sample`);
      const { url, ...init } = body as { url: string } & RequestInit;
      const answer = await mock.fetch(url, init);
      expect([id, answer.status, await answer.text()]).toEqual([id, 200, '']);
      expect(mock.journal.last()?.violations).toEqual([]);
    }
  });
});

it('a sample leaves out a cursor that a list does not require', async () => {
  const properties = { cursor: TEXT, name: TEXT, next_token: TEXT };
  const schema = object(properties, 'name');
  const mock = await createMock({
    spec: toDocument({
      '/find': {
        post: {
          operationId: 'find',
          requestBody: { required: true, content: content(schema) },
          responses: { 200: { description: 'found' } },
        },
      },
    }),
  });
  const control = askMock(mock);
  const { body } = (await control('GET', '/contract/operations/find/sample')).body as { body: string };
  expect(Object.keys(JSON.parse(body) as object)).not.toContain('cursor');
  expect(JSON.parse(body)).toHaveProperty('name');
});

describe('the stream of the journal', () => {
  it('sends what is there in the order of all sessions, then what comes, and resumes after an id', async () => {
    const mock = await open();
    const send = (session: string): Promise<Response> =>
      mock.fetch(KEYS, { headers: { ...AUTHORIZATION, 'x-mock-session': session } });
    for (const session of ['a', 'default', 'a']) await send(session);
    const stream = follow(await mock.fetch('/__mock/journal/stream'));
    expect(await stream.next()).toMatchObject({ event: 'open' });
    const seen: StreamedEvent[] = [];
    for (let i = 0; i < 3; i++) seen.push(await stream.next());
    expect(seen.map(({ data }) => [data['session'], data['number']])).toEqual([
      ['a', 1],
      ['default', 1],
      ['a', 2],
    ]);
    await send('b');
    expect(await stream.next()).toMatchObject({ data: { session: 'b', number: 1, status: 200, from: 'state' } });
    await stream.cancel();
    await send('a');
    const again = follow(
      await mock.fetch('/__mock/journal/stream', { headers: { 'last-event-id': seen[1]?.id ?? '' } }),
    );
    await again.next();
    const later = [await again.next(), await again.next(), await again.next()];
    expect(later.map(({ data }) => [data['session'], data['number']])).toEqual([
      ['a', 2],
      ['b', 1],
      ['a', 3],
    ]);
    await again.cancel();
  });

  it('follows a session that was closed and opened again, and only one session if it is named', async () => {
    const mock = await open();
    const send = (id: string): Promise<Response> =>
      mock.fetch(KEYS, { headers: { ...AUTHORIZATION, 'x-mock-session': id } });
    await send('a');
    const stream = follow(await mock.fetch('/__mock/journal/stream?session=a'));
    await stream.next();
    expect((await stream.next()).data).toMatchObject({ session: 'a', number: 1 });
    mock.session('a').close();
    await send('b');
    await send('a');
    expect((await stream.next()).data).toMatchObject({ session: 'a', number: 1 });
    await stream.cancel();
  });

  it('keeps nothing for a client that does not read, and tells it how many interactions it missed', async () => {
    const mock = await open({ journal: { limit: 5 } });
    const send = (): Promise<Response> => mock.fetch(KEYS, { headers: AUTHORIZATION });
    await send();
    const stream = follow(await mock.fetch('/__mock/journal/stream'));
    await stream.next();
    expect((await stream.next()).data).toMatchObject({ number: 1 });
    for (let i = 0; i < 40; i++) await send();
    const skipped = await stream.next();
    expect(skipped).toMatchObject({ event: 'skipped', data: { session: 'default' } });
    expect((await stream.next()).data).toMatchObject({ number: Number(skipped.data['count']) + 2 });
    await stream.cancel();
  });

  it('ends when the mock is closed', async () => {
    const mock = await openBuiltIn({ connections: { graceMs: 60_000 } });
    const { url } = await mock.listen();
    const stream = follow(await fetch(`${url}/__mock/journal/stream`));
    expect(await stream.next()).toMatchObject({ event: 'open' });
    await mock.close();
    expect(await stream.next()).toMatchObject({ event: 'end' });
  });

  it('shows bytes in hex, without secrets', async () => {
    const binary = { 'application/octet-stream': { schema: {} } };
    const spec = toDocument({
      '/upload': { post: { requestBody: { content: binary }, responses: { 204: { description: 'stored' } } } },
    });
    const mock = await createMock({ spec });
    const secret = 'sk-proj-0123456789abcdefghijklmnopqrstuvwxyz0123456789ABCD';
    const headers = { 'content-type': 'application/octet-stream' };
    await mock.fetch('/upload', { method: 'POST', headers, body: new Uint8Array([0, 255, 16]) });
    await mock.fetch('/upload', { method: 'POST', headers, body: new TextEncoder().encode(`key ${secret} end`) });
    const read = async (number: number): Promise<unknown> => (await mock.fetch(`/__mock/journal/${number}`)).json();
    expect(await read(1)).toMatchObject({ bytes: { request: { size: 3, hex: '00ff10' } } });
    const { bytes } = (await read(2)) as { bytes: { request: { hex: string } } };
    expect(Buffer.from(bytes.request.hex, 'hex').toString()).toBe('key [redacted] end');
  });
});

it('the page of the inspector with a token loads without the token, which what it shows requires', async () => {
  const mock = await open({ control: { token: 'secret' } });
  expect((await mock.fetch('/__mock/')).status).toBe(200);
  expect((await mock.fetch('/__mock/journal/stream')).status).toBe(401);
  expect((await mock.fetch('/__mock/journal/1')).status).toBe(401);
  const other = { headers: { origin: 'https://evil.example' } };
  expect((await mock.fetch('/__mock/', other)).status).toBe(403);
});
