import { createMock, type Mock, type MockOptions } from '../../src/index.js';
import { createShopDocument } from './shop-document.js';

/** What an answer holds. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // Tests say what they expect of a body; its type is theirs to know.
  readonly body: Readonly<Record<string, unknown>>;
  readonly list: readonly Readonly<Record<string, unknown>>[];
}

/** A shop and a short way to ask it. */
export interface Shop {
  readonly mock: Mock;
  send(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Reply>;
}

/** A mock of the shop document; nothing is there unless a test puts it there. */
export async function openShop(options: Partial<MockOptions> = {}): Promise<Shop> {
  const state = options.state === false ? false : { initialItems: 0, ...options.state };
  const mock = await createMock({ spec: createShopDocument(), ...options, state });
  return {
    mock,
    send: async (method, path, body, headers = {}) => {
      const typed = body === undefined ? headers : { 'content-type': 'application/json', ...headers };
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await mock.fetch(path, { method, headers: typed, ...sent });
      const text = await response.text();
      const value: unknown = text === '' ? {} : JSON.parse(text);
      const list = Array.isArray(value) ? value : [];
      return { status: response.status, headers: response.headers, body: value as Reply['body'], list };
    },
  };
}
