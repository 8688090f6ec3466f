// Run by in-process.ts: repeats what a test does and sends the milliseconds of the later runs to its parent.
// The packages are imported by their names, as users do, so that the build is measured.
const [, , kind = '', fixtures = ''] = process.argv;
const SPEC = 'spec/openapi.yaml';
const URL_OF_LIST = 'http://mock.test/v1/organization/admin_api_keys?limit=7';
const HEADERS = { headers: { authorization: 'Bearer bench-token' } };

/** Requests of one run of `fetch`; in-process.ts divides by it. */
const REQUESTS_PER_RUN = 200;

/** What a test does: it gets a mock, sends one request and gives the mock back. */
const TESTS: Readonly<Record<string, () => Promise<() => Promise<void>>>> = {
  document: async () => {
    const { createMock } = await import('vouch');
    return () => once(createMock({ spec: SPEC, ...(fixtures === '' ? {} : { fixtures }) }));
  },
  contract: async () => {
    const { createMock, loadContract } = await import('vouch');
    const spec = await loadContract(SPEC);
    return () => once(createMock({ spec, ...(fixtures === '' ? {} : { fixtures }) }));
  },
  session: async () => {
    const { createMock } = await import('vouch');
    const mock = await createMock({ spec: SPEC, ...(fixtures === '' ? {} : { fixtures }) });
    let opened = 0;
    return async () => {
      const session = mock.session(`test-${opened++}`);
      await read(session.fetch(URL_OF_LIST, HEADERS));
      session.verify();
      session.close();
    };
  },
  // Many requests to one mock.
  fetch: async () => {
    const { createMock } = await import('vouch');
    const mock = await createMock({ spec: SPEC, fixtures: 'fixtures' });
    return async () => {
      for (let i = 0; i < REQUESTS_PER_RUN; i++) await read(mock.fetch(URL_OF_LIST, HEADERS));
    };
  },
  msw: async () => {
    const { setupServer } = await import('msw/node');
    const { http, HttpResponse } = await import('msw');
    return async () => {
      const server = setupServer(
        http.get('http://mock.test/v1/organization/admin_api_keys', () =>
          HttpResponse.json({ object: 'list', data: [] }),
        ),
        http.post('http://mock.test/v1/organization/admin_api_keys', () => HttpResponse.json({ id: 'key_1' })),
        http.get('http://mock.test/v1/files/:file/content', () => HttpResponse.text('content')),
        http.delete('http://mock.test/v1/vector_stores/:store/files/:file', () => HttpResponse.json({ deleted: true })),
      );
      server.listen({ onUnhandledRequest: 'error' });
      await read(fetch(URL_OF_LIST, HEADERS));
      server.close();
    };
  },
};

async function once(created: Promise<{ fetch: typeof fetch; close(): Promise<void> }>): Promise<void> {
  const mock = await created;
  await read(mock.fetch(URL_OF_LIST, HEADERS));
  await mock.close();
}

async function read(answer: Promise<Response>): Promise<void> {
  const response = await answer;
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${kind}: status ${response.status}`);
}

const test = await TESTS[kind]?.();
if (test === undefined) throw new Error(`no test "${kind}"`);
const runs: number[] = [];
for (let i = 0; i < 60; i++) {
  const startedAt = performance.now();
  await test();
  runs.push(performance.now() - startedAt);
}
// The first runs warm up: they load and compile the code.
process.send?.(runs.slice(30));
