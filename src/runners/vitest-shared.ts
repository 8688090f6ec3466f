import { inject, test as base, type TestAPI } from 'vitest';
import type { SharedServer } from './vitest-global-setup.js';

/** A session of the mock that `createGlobalSetup` started, for one test. */
export interface SharedMock {
  /** The id of the session. */
  readonly id: string;
  /** The header with which a client names the session: `{ 'x-mock-session': id }`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The base URL for the client; it names the session. */
  readonly baseUrl: string;
  /** Sends a request of this session: a path below `baseUrl`, such as `/stations`. @throws as the global `fetch`. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /**
   * Calls the control API for this session, such as `control('/scenarios/slow/activate', { method: 'POST' })`.
   *
   * @returns the JSON of the response; undefined where it has none.
   * @throws Error where the answer is not a success, with its text.
   */
  control(path: string, init?: RequestInit): Promise<unknown>;
  /** Sets whether this test is verified at its end; default true. */
  verifyAtEnd(isVerified: boolean): void;
}

/**
 * The `test` of vitest with the fixture `mock`, a session of the mock that `createGlobalSetup` started. It needs only `fetch`, so that it runs
 * in a browser too.
 *
 * The fixture fails with an Error where no global setup shares a mock, and where the verification at the end of the test finds something.
 *
 * @example
 * ```ts no-run
 * import { test } from 'vouch/vitest/shared';
 *
 * test('lists stations', async ({ mock, expect }) => {
 *   const response = await mock.fetch('/stations');
 *   expect(response.status).toBe(200);
 * });
 * ```
 */
export const test: TestAPI<{ readonly mock: SharedMock }> = base.extend<{ readonly mock: SharedMock }>({
  mock: async ({ task }, use) => {
    const { mock, end } = await openSession(inject('vouch'));
    await use(mock);
    await end(task.result?.state === 'fail');
  },
});

interface OpenSession {
  readonly mock: SharedMock;
  end(hasFailed: boolean): Promise<void>;
}

async function openSession(server: SharedServer | undefined): Promise<OpenSession> {
  if (server === undefined) {
    throw new Error(
      'no mock is shared: export createGlobalSetup({ spec }) of vouch/vitest/global-setup from a file and name it in test.globalSetup',
    );
  }
  const control = `${server.url}${server.controlPrefix}`;
  // The control API answers with its own schemas.
  const { id } = (await call(`${control}/sessions`, { method: 'POST', headers: JSON_TYPE, body: '{}' })) as {
    id: string;
  };
  const own = `${server.url}/~${id}`;
  let isVerified = true;
  return {
    mock: {
      id,
      headers: { 'x-mock-session': id },
      baseUrl: own + server.basePath,
      fetch: (path, init) => fetch(own + server.basePath + path, init),
      control: (path, init) => call(`${own}${server.controlPrefix}${path}`, init),
      verifyAtEnd: (wanted) => void (isVerified = wanted),
    },
    end: async (hasFailed) => {
      try {
        if (isVerified) await verify(`${own}${server.controlPrefix}`, hasFailed);
      } finally {
        await call(`${control}/sessions/${id}`, { method: 'DELETE' });
      }
    },
  };
}

const JSON_TYPE = { 'content-type': 'application/json' };

async function call(url: string, init?: RequestInit): Promise<unknown> {
  const response = await fetch(url, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`the control API answered ${response.status}: ${text}`);
  return text === '' ? undefined : (JSON.parse(text) as unknown);
}

interface Finding {
  /** Null for a rule that no request met. */
  readonly number: number | null;
  readonly message: string;
}

/** @throws Error with every finding; a failed test need not have reached every rule. */
async function verify(control: string, hasFailed: boolean): Promise<void> {
  const { findings } = (await call(`${control}/journal/verification`)) as { findings: readonly Finding[] };
  const counted = findings.filter(({ number }) => number !== null || !hasFailed);
  if (counted.length === 0) return;
  const lines = counted.map(({ number, message }) => `  ${number === null ? '' : `#${number}  `}${message}`);
  // This file also runs in browsers, so it imports nothing of the rest.
  const count = counted.length === 1 ? '1 finding' : `${counted.length} findings`;
  throw new Error(
    `VERIFY_FAILED  verification failed with ${count}:\n${lines.join('\n')}\n  hint: fix the request, or call mock.verifyAtEnd(false) if it is wrong on purpose`,
  );
}
