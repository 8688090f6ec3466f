import { expect, it } from 'vitest';
import { createMock, type Mock } from '../../src/index.js';
import { type Reply, send } from '../send.js';
import { describeDocument } from '../state/real-document.js';

const SMALL = 'test/presets/plaid.yaml';
const CLIENT = { client_id: 'c', secret: 's' };
const HEADERS = { 'plaid-client-id': 'c', 'plaid-secret': 's' };
const USER = { client_name: 'Acme', language: 'en', country_codes: ['US'], user: { client_user_id: 'u1' } };

const open = async (spec: string): Promise<Mock> => {
  const mock = await createMock({ spec, state: { unknownIds: 'not-found' } });
  expect(mock.contract.preset).toBe('plaid');
  return mock;
};

const call = async (mock: Mock, method: string, fields: object): Promise<Reply['body']> => {
  const reply = await send(mock, `/${method}`, { ...CLIENT, ...fields });
  expect([method, reply.status]).toEqual([method, 200]);
  return reply.body;
};

/** The status and the codes of an error; its form is checked here. */
const fail = async (mock: Mock, method: string, fields: object, headers = HEADERS): Promise<readonly unknown[]> => {
  const { status, body } = await send(mock, `/${method}`, fields, headers);
  const text: unknown = expect.any(String);
  expect(body).toMatchObject({ error_message: text, display_message: null, request_id: text });
  return [status, body['error_type'], body['error_code']];
};

const list = (body: Reply['body'], name: string): readonly Reply['body'][] => body[name] as readonly Reply['body'][];

/** An Item from the token of Link to its removal. */
async function live(spec: string): Promise<void> {
  const mock = await open(spec);
  const { link_token } = await call(mock, 'link/token/create', USER);
  expect(link_token).toMatch(/^link-sandbox-[0-9a-f-]{36}$/);
  expect(await call(mock, 'link/token/get', { link_token })).toMatchObject({
    link_token,
    metadata: { client_name: 'Acme' },
  });

  const { access_token, item_id } = await call(mock, 'item/public_token/exchange', {
    public_token: 'public-sandbox-1',
  });
  expect(access_token).toMatch(/^access-sandbox-[0-9a-f-]{36}$/);
  const { item } = await call(mock, 'item/get', { access_token });
  expect(item).toMatchObject({ item_id, error: null });
  expect(item).not.toHaveProperty('access_token');

  const found = await call(mock, 'accounts/get', { access_token });
  expect(found).toMatchObject({ item: { item_id, error: null } });
  const [{ account_id } = {}] = list(found, 'accounts');
  expect(list(found, 'accounts')).toHaveLength(3);
  const one = await call(mock, 'accounts/get', { access_token, options: { account_ids: [account_id] } });
  expect(list(one, 'accounts')).toMatchObject([{ account_id }]);

  const synced: unknown[] = [];
  let page: Reply['body'] = {};
  do {
    const { next_cursor: cursor } = page;
    page = await call(mock, 'transactions/sync', {
      access_token,
      count: 3,
      ...(cursor === undefined ? {} : { cursor }),
    });
    expect(page).toMatchObject({ modified: [], removed: [] });
    synced.push(...list(page, 'added').map(({ transaction_id: id }) => id));
  } while (page['has_more'] === true);
  expect(new Set(synced).size).toBe(8);
  expect(synced).toHaveLength(8);

  const webhook = 'https://example.com/hook';
  expect(await call(mock, 'item/webhook/update', { access_token, webhook })).toMatchObject({
    item: { item_id, webhook },
  });
  await call(mock, 'item/remove', { access_token });
  for (const method of ['item/get', 'accounts/get', 'transactions/sync', 'item/remove']) {
    expect(await fail(mock, method, { access_token })).toEqual([400, 'ITEM_ERROR', 'ITEM_NOT_FOUND']);
  }
}

async function fails(spec: string): Promise<void> {
  const mock = await open(spec);
  const wrong = { access_token: 'access-sandbox-1' };
  expect(await fail(mock, 'item/get', wrong)).toEqual([400, 'INVALID_INPUT', 'INVALID_ACCESS_TOKEN']);
  expect(await fail(mock, 'accounts/get', wrong)).toEqual([400, 'INVALID_INPUT', 'INVALID_ACCESS_TOKEN']);
  const [status, type, code] = await fail(mock, 'link/token/get', { link_token: 'link-sandbox-1' });
  expect([status, type, code]).toEqual([400, 'INVALID_INPUT', 'INVALID_LINK_TOKEN']);
  expect(await fail(mock, 'item/get', {})).toEqual([400, 'INVALID_REQUEST', 'MISSING_FIELDS']);
  expect(await fail(mock, 'item/get', { access_token: 5 })).toEqual([400, 'INVALID_REQUEST', 'INVALID_FIELD']);
  expect(await fail(mock, 'no/such', {})).toEqual([404, 'INVALID_REQUEST', 'NOT_FOUND']);
}

async function authenticate(spec: string): Promise<void> {
  const mock = await open(spec);
  const { access_token } = await call(mock, 'item/public_token/exchange', { public_token: 'public-sandbox-1' });
  const none = {} as typeof HEADERS;
  for (const fields of [{ access_token }, { access_token, client_id: 'c' }]) {
    expect(await fail(mock, 'item/get', fields, none)).toEqual([400, 'INVALID_INPUT', 'INVALID_API_KEYS']);
  }
  expect((await send(mock, '/item/get', { access_token }, HEADERS)).status).toBe(200);
  // One in a header, one in the body.
  const { 'plaid-secret': secret, ...half } = HEADERS;
  expect((await send(mock, '/item/get', { access_token, secret }, half)).status).toBe(200);
}

it('a life of an Item, its accounts and its transactions', () => live(SMALL));
it('errors have a type and a code', () => fails(SMALL));
it('the client and its secret are in headers or in the body', () => authenticate(SMALL));

for (const file of ['plaid.yml', 'plaid.yaml', 'plaid.json']) {
  describeDocument(file, (spec) => {
    it('a life of an Item, its accounts and its transactions', () => live(spec));
    it('errors have a type and a code', () => fails(spec));
    it('the client and its secret are in headers or in the body', () => authenticate(spec));
  });
}
