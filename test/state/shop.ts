import { createMock, type Mock, type MockOptions } from '../../src/index.js';
import { type Reply, send } from '../send.js';
import { createShopDocument } from './shop-document.js';

export type { Reply };

/** A shop and a short way to ask it. */
export interface Shop {
  readonly mock: Mock;
  send(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Reply>;
}

/** A mock of the shop document; nothing is there unless a test puts it there. */
export async function openShop(options: Partial<MockOptions> = {}): Promise<Shop> {
  const state = options.state === false ? false : { initialItems: 0, ...options.state };
  const mock = await createMock({ spec: createShopDocument(), ...options, state });
  return { mock, send: (method, path, body, headers) => send(mock, `${method} ${path}`, body, headers) };
}
