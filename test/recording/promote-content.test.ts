// @module-tag slow
// Binary answers of a recording, which are the content of items in the promoted mock.
import { expect, it } from 'vitest';
import { arrayOf, INTEGER, inPath, json, object, ref, TEXT, toDocument } from '../document-parts.js';
import { type Ask, describeDifferences, openTwin, recordAndPromote } from './promoted.js';
import type { Intercept } from './upstream.js';

const BYTES: object = { type: 'string', format: 'binary' };
const bytes = (type: string, schema: object = BYTES): object => ({
  description: 'ok',
  content: { [type]: { schema } },
});
const DOCUMENT = toDocument(
  {
    '/pictures': {
      get: { responses: { 200: json(arrayOf(ref('Picture'))) } },
      post: {
        requestBody: { content: { 'application/json': { schema: object({ name: TEXT }) } } },
        responses: { 201: json(ref('Picture')) },
      },
    },
    '/pictures/{id}': { ...inPath('id'), get: { responses: { 200: json(ref('Picture')) } } },
    '/pictures/{id}/download': { ...inPath('id'), get: { responses: { 200: bytes('application/octet-stream') } } },
    '/pictures/{id}/thumbnail': { ...inPath('id'), get: { responses: { 200: bytes('image/png') } } },
    '/pictures/{id}/log': { ...inPath('id'), get: { responses: { 200: bytes('text/plain', TEXT) } } },
    '/scans': { get: { responses: { 200: json(arrayOf(ref('Picture'))) } } },
    '/scans/{id}': { ...inPath('id'), get: { responses: { 200: json(ref('Picture')) } } },
    '/scans/{id}/page': { ...inPath('id'), get: { responses: { 200: bytes('application/octet-stream') } } },
    '/logo': { get: { responses: { 200: bytes('image/png') } } },
    '/blobs/{digest}': {
      ...inPath('digest'),
      get: { responses: { 200: bytes('application/octet-stream'), 404: json(object({ message: TEXT })) } },
      put: {
        requestBody: { content: { 'application/octet-stream': { schema: BYTES } } },
        responses: { 201: { description: 'stored' } },
      },
    },
  },
  { Picture: object({ id: TEXT, name: TEXT, size: INTEGER }) },
  { servers: [{ url: '/v1' }] },
);

const toBytes = (seed: number, length: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, i) => (i * seed) % 256));

const createServer = (): Intercept => {
  const pictures = new Map([
    ['p1', { id: 'p1', name: 'sea', size: 3000 }],
    ['p2', { id: 'p2', name: 'hill', size: 20 }],
  ]);
  const blobs = new Map<string, Buffer>([['d1', toBytes(13, 500)]]);
  return ({ method, url, body }, response) => {
    const [, , of = '', id = '', part = ''] = url.split('/');
    const send = (status: number, type: string, out: Buffer | string): true => {
      response.writeHead(status, type === '' ? {} : { 'content-type': type }).end(out);
      return true;
    };
    const picture = pictures.get(id);
    if (part === 'page' && picture !== undefined) return send(200, 'application/zip', toBytes(17, picture.size));
    if (of === 'logo') return send(200, 'image/png', toBytes(5, 300));
    if (of === 'blobs') {
      if (method === 'PUT') blobs.set(id, body);
      const blob = blobs.get(id);
      if (method === 'PUT') return send(201, '', '');
      return blob === undefined
        ? send(404, 'application/json', '{"message":"no blob"}')
        : send(200, 'application/octet-stream', blob);
    }
    if (method === 'POST') {
      const made = { id: `p${pictures.size + 1}`, size: 0, ...(JSON.parse(body.toString()) as { name: string }) };
      pictures.set(made.id, made);
      return send(201, 'application/json', JSON.stringify(made));
    }
    if (id === '') return send(200, 'application/json', JSON.stringify([...pictures.values()]));
    if (picture === undefined) return send(404, 'text/plain', 'no picture');
    if (part === 'download') return send(200, 'application/octet-stream', toBytes(7, picture.size));
    if (part === 'thumbnail') return send(200, 'image/png', toBytes(3, 90));
    if (part === 'log') return send(200, 'text/plain', `taken ${id}\nsent ${id}\n`);
    return send(200, 'application/json', JSON.stringify(picture));
  };
};

const put = (ask: Ask, path: string, length: number): Promise<Response> =>
  ask(path, { method: 'PUT', headers: { 'content-type': 'application/octet-stream' }, body: toBytes(11, length) });

const RECORDED =
  `/pictures /pictures/p1/download /pictures/p1/thumbnail /pictures/p1/log /pictures/p2/download /pictures/p2/log
  /pictures/p9/download /scans /scans/p1/page /scans/p2/page /logo /blobs/d1 /blobs/none`.split(/\s+/);

it('bytes of a recording are the content of its items, or the same answer again, with the media type of the service', async () => {
  const seen: unknown[] = [];
  const read = async (ask: Ask, path: string): Promise<unknown> => {
    const response = await ask(`/v1${path}`);
    const content = Buffer.from(await response.arrayBuffer()).toString('base64');
    return [path, response.status, response.headers.get('content-type'), content];
  };
  const outcome = await recordAndPromote(
    async (ask) => {
      for (const path of RECORDED) seen.push(await read(ask, path));
      await put(ask, '/v1/blobs/d2', 40);
      await read(ask, '/blobs/d2');
    },
    { document: DOCUMENT, intercept: createServer() },
  );
  expect(describeDifferences(outcome)).toEqual([]);
  expect(outcome.drift.map((line) => line.replace(/^.*#/, ''))).toEqual([
    '/paths/~1scans~1{id}~1page/get/responses/200/content): send "application/zip" in place of "application/octet-stream", as the service does',
  ]);
  const twin = await openTwin(outcome);
  for (const [i, path] of RECORDED.entries()) expect(await read(twin, path)).toEqual(seen[i]);
  // What the recording made was not there before it, and new content is kept.
  expect((await twin('/v1/blobs/d2')).status).toBe(404);
  await put(twin, '/v1/blobs/d3', 50);
  expect((await twin('/v1/blobs/d3').then((response) => response.arrayBuffer())).byteLength).toBe(50);
  expect((await twin('/v1/scans/p8/page')).status).toBe(404);
});
