// @module-tag slow
// Members that the document requires and the service does not send: requests have to send them as before.
import { expect, it } from 'vitest';
import { arrayOf, inPath, json, object, ref, TEXT, toDocument } from '../document-parts.js';
import { type Ask, describeDifferences, openTwin, recordAndPromote } from './promoted.js';
import type { Intercept } from './upstream.js';

const takes = (schema: object): object => ({
  requestBody: { required: true, content: { 'application/json': { schema } } },
});
const DOCUMENT = toDocument(
  {
    '/boats': {
      get: { responses: { 200: json(arrayOf(ref('Boat'))) } },
      post: { ...takes(ref('Boat')), responses: { 201: json(ref('Boat')) } },
    },
    '/boats/{name}': { ...inPath('name'), get: { responses: { 200: json(ref('Boat')) } } },
    '/fleets': {
      post: {
        ...takes(object({ title: TEXT, boats: arrayOf(ref('Boat')) }, 'title', 'boats')),
        responses: { 204: { description: 'done' } },
      },
    },
  },
  {
    Boat: {
      allOf: [ref('Named'), object({ key: TEXT, owner: TEXT, seat: { ...TEXT, readOnly: true } }, 'key', 'seat')],
    },
    Named: object({ name: TEXT, port: TEXT }, 'name', 'port'),
  },
  { servers: [{ url: '/v1' }] },
);

/** A server of boats that never shows their keys and seats, and shows ports only of some. */
const createServer = (): Intercept => {
  const boats = new Map<string, object>();
  return ({ method, url, body }, response) => {
    const [, , of, name = ''] = url.split('/');
    const send = (status: number, out?: unknown): true => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(out));
      return true;
    };
    if (of === 'fleets') return send(204);
    if (method === 'GET') return send(200, name === '' ? [...boats.values()] : boats.get(name));
    const { key, port, ...sent } = JSON.parse(body.toString()) as Readonly<Record<string, string>>;
    if (key === undefined || port === undefined) return send(400, { message: 'a member is missing' });
    const made = port === 'none' ? sent : { ...sent, port };
    boats.set(String(sent['name']), made);
    return send(201, made);
  };
};

const post = (ask: Ask, path: string, body: object): Promise<Response> =>
  ask(`/v1${path}`, { method: 'POST', body: JSON.stringify(body) });

it('what answers do not have is not required of them, and still of requests, in every place of the schema', async () => {
  const outcome = await recordAndPromote(
    async (ask) => {
      await post(ask, '/boats', { name: 'Ida', key: 'k1', port: 'none' });
      await post(ask, '/boats', { name: 'Ada', key: 'k2', port: 'Kiel' });
      for (const path of ['', '/Ida', '/Ada']) await ask(`/v1/boats${path}`);
      await post(ask, '/fleets', { title: 'all', boats: [{ name: 'Ida', key: 'k1', port: 'none' }] });
    },
    { document: DOCUMENT, intercept: createServer() },
  );
  expect(outcome.drift.map((line) => line.replace(/^.*?: /, '')).toSorted()).toEqual([
    '"key" is only in requests ("writeOnly")',
    'remove "port" from "required", except in requests',
    'remove "seat" from "required"',
  ]);
  expect(describeDifferences(outcome)).toEqual([]);
  const twin = await openTwin(outcome);
  const statusOf = async (path: string, body: object): Promise<number> => (await post(twin, path, body)).status;
  const boat = { name: 'Eva', key: 'k', port: 'Kiel' };
  const { key: _, ...keyless } = boat;
  const { port: __, ...portless } = boat;
  const created = await post(twin, '/boats', boat);
  expect([created.status, await created.json()]).toEqual([201, expect.not.objectContaining({ key: 'k' })]);
  expect([await statusOf('/boats', keyless), await statusOf('/boats', portless)]).toEqual([400, 400]);
  expect(await statusOf('/fleets', { title: 'a', boats: [boat] })).toBe(204);
  for (const each of [keyless, portless]) expect(await statusOf('/fleets', { title: 'a', boats: [each] })).toBe(400);
  expect(await (await twin('/v1/boats/Eva')).json()).toMatchObject({ name: 'Eva', port: 'Kiel' });
});
