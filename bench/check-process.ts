// Run by check.ts: sends what a mock answers to one GET request for each operation of a document, which is named by its only argument.
import { createMock } from 'vouch';
import { loadContract } from 'vouch/contract';
import { listCalls } from './first-calls-requests.js';

/** An exchange as plain data. */
export interface Exchange {
  readonly operation: string;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
  };
  readonly response: { readonly status: number; readonly headers: Record<string, string>; readonly body: unknown };
}

const [, , spec = ''] = process.argv;
const mock = await createMock({ spec });
const found: Exchange[] = [];
for (const { operation, method, url, headers } of listCalls(await loadContract(spec))) {
  if (method !== 'GET') continue;
  const answer = await mock.fetch(url, { method, headers });
  const text = await answer.text();
  if (answer.headers.get('content-type')?.includes('json') !== true || answer.status >= 300) continue;
  const value: unknown = JSON.parse(text);
  // The string of a plain response is its text, which is not JSON then: a check would measure an error.
  const body = typeof value === 'string' ? text : value;
  const response = { status: answer.status, headers: Object.fromEntries(answer.headers), body };
  found.push({ operation, request: { method, url, headers }, response });
}
process.send?.(found);
await mock.close();
