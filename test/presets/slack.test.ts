import { expect, it } from 'vitest';
import { createMock, type Mock, type MockOptions } from '../../src/index.js';
import { type Reply, send } from '../send.js';
import { describeDocument } from '../state/real-document.js';

const SMALL = 'test/presets/slack.yaml';
const BEARER = { authorization: 'Bearer xoxb-1' };
const CLOSED: Partial<MockOptions> = { state: { unknownIds: 'not-found' } };

const open = (spec: string, options: Partial<MockOptions> = CLOSED): Promise<Mock> => createMock({ spec, ...options });

/** Sends a form as the clients of the service do, also to methods of GET. */
const call = async (
  mock: Mock,
  method: string,
  fields: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = BEARER,
): Promise<Reply['body']> => {
  const reply = await send(mock, `/api/${method}`, new URLSearchParams(fields), headers);
  expect([method, reply.status]).toEqual([method, 200]);
  expect(reply.headers.get('x-mock-ignored')).toBeNull();
  return reply.body;
};

const fails = (error: string): unknown => expect.objectContaining({ ok: false, error });

/** A channel, its messages, and what unknown ones and missing tokens get. */
async function live(spec: string): Promise<void> {
  const mock = await open(spec);
  expect(mock.contract.preset).toBe('slack');
  const created = await call(mock, 'conversations.create', { name: 'harbor' });
  expect(created).toMatchObject({ ok: true, channel: { name: 'harbor', is_channel: true, is_archived: false } });
  const channel = (created['channel'] as { readonly id: string }).id;
  expect(channel).toMatch(/^C0[A-Z0-9]{9}$/);
  expect(await call(mock, 'conversations.create', { name: 'harbor' })).toEqual(fails('name_taken'));
  expect(await call(mock, 'conversations.list')).toMatchObject({ ok: true, channels: [{ id: channel }] });

  const times: string[] = [];
  for (const text of ['one', 'two', 'three']) {
    const posted = await call(mock, 'chat.postMessage', { channel, text });
    expect(posted).toMatchObject({ ok: true, channel, message: { text, type: 'message', ts: posted['ts'] } });
    times.push(String(posted['ts']));
  }
  const [ts = ''] = times;
  const first = await call(mock, 'conversations.history', { channel, limit: '2' });
  expect(first).toMatchObject({ ok: true, has_more: true, messages: [{ text: 'three' }, { text: 'two' }] });
  const { next_cursor: cursor } = first['response_metadata'] as { readonly next_cursor: string };
  const second = await call(mock, 'conversations.history', { channel, limit: '2', cursor });
  expect(second).toMatchObject({ ok: true, has_more: false, messages: [{ text: 'one', ts }] });
  expect(await call(mock, 'conversations.history', { channel, cursor: 'x' })).toEqual(fails('invalid_arguments'));

  expect(await call(mock, 'chat.update', { channel, ts, text: 'uno' })).toMatchObject({
    ok: true,
    channel,
    ts,
    text: 'uno',
  });
  expect(await call(mock, 'chat.delete', { channel, ts })).toMatchObject({ ok: true, channel, ts });
  expect(await call(mock, 'chat.delete', { channel, ts })).toEqual(fails('message_not_found'));
  expect(await call(mock, 'chat.postMessage', { channel: 'C00000000', text: 'x' })).toEqual(fails('channel_not_found'));
  expect(await call(mock, 'conversations.history', { channel: 'C00000000' })).toEqual(fails('channel_not_found'));
  expect(await call(mock, 'users.info', { user: 'U00000000' })).toEqual(fails('user_not_found'));
  expect(await call(mock, 'chat.postMessage', { text: 'x' })).toEqual(fails('invalid_arguments'));
  expect(await call(mock, 'no.such')).toEqual(fails('unknown_method'));

  expect(await call(mock, 'conversations.archive', { channel })).toEqual({ ok: true });
  expect(await call(mock, 'conversations.info', { channel })).toMatchObject({ channel: { is_archived: true } });
}

/** The token of a request is in one of three places. */
async function authenticate(spec: string): Promise<void> {
  const mock = await open(spec);
  const { channel } = await call(mock, 'conversations.create', { name: 'harbor' });
  const message = { channel: (channel as { readonly id: string }).id, text: 'one' };
  expect(await call(mock, 'auth.test', {}, {})).toEqual({ ok: false, error: 'not_authed' });
  expect(await call(mock, 'chat.postMessage', message, {})).toEqual({ ok: false, error: 'not_authed' });
  expect(await call(mock, 'chat.postMessage', { ...message, token: 'xoxb-1' }, {})).toMatchObject({ ok: true });
  expect(await call(mock, 'chat.postMessage', message, { token: 'xoxb-1' })).toMatchObject({ ok: true });
  expect(await call(mock, 'conversations.list', { token: 'xoxb-1' }, {})).toMatchObject({ ok: true });
  expect(await call(mock, 'auth.test')).toMatchObject({ ok: true });
  const listed = await send(mock, '/api/conversations.list?token=xoxb-1');
  expect(listed.body).toMatchObject({ ok: true });
}

async function postJson(spec: string): Promise<void> {
  const mock = await open(spec);
  const { body } = await send(mock, '/api/conversations.create', { name: 'harbor' }, BEARER);
  const { id: channel } = body['channel'] as { readonly id: string };
  const posted = await send(mock, '/api/chat.postMessage', { channel, text: 'one' }, BEARER);
  expect(posted.body).toMatchObject({ ok: true, channel, message: { text: 'one' } });
  expect((await send(mock, '/api/chat.postMessage', { text: 'one' }, BEARER)).body).toEqual(fails('invalid_arguments'));
}

it('a life of a channel, its messages and their errors', () => live(SMALL));
it('the token is in the header Authorization, the query or form, or a header of its own', () => authenticate(SMALL));
it('methods take JSON', () => postJson(SMALL));

it('without the preset, errors have their own statuses', async () => {
  const mock = await open(SMALL, { preset: false });
  expect((await send(mock, '/api/auth.test')).status).toBe(401);
});

for (const file of ['slack.json', 'slack.yaml']) {
  describeDocument(file, (spec) => {
    it('a life of a channel, its messages and their errors', () => live(spec));
    it('the token is in one of three places', () => authenticate(spec));
    it('methods take JSON', () => postJson(spec));
  });
}
