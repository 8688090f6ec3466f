import { expect, it } from 'vitest';
import { createMock, type Mock } from '../../src/index.js';
import { content, json, pathParameter, sends, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, INTEGER, object, type Part, TEXT } from '../schema-parts.js';
import { send } from '../send.js';

const FAILURE = json({ type: 'object' });

const inHeader = (name: string): Part => ({ name, in: 'header', schema: TEXT });

const ids = { id: { type: 'string', readOnly: true } };

const create = (schema: Part, body = schema): Part => ({ operationId: 'createOne', ...takes(body, schema, 201) });

async function start(paths: Part): Promise<Mock> {
  return createMock({ spec: toDocument(paths), state: { unknownIds: 'not-found' } });
}

const NOTE = object({ ...ids, text: TEXT }, 'id');

async function startList(statuses: readonly number[]): Promise<Mock> {
  const page = {
    description: 'a page',
    headers: { 'Content-Range': { schema: TEXT } },
    content: content(arrayOf(NOTE)),
  };
  const declared = statuses.map((status) => [status, status < 300 ? page : FAILURE] as const);
  const mock = await start({
    '/notes': {
      post: create(NOTE),
      get: { operationId: 'listNotes', parameters: [inHeader('Range')], responses: Object.fromEntries(declared) },
    },
    '/notes/{id}': { get: { operationId: 'readNote', parameters: [pathParameter('id')], ...shows(NOTE) } },
  });
  for (const text of ['a', 'b', 'c', 'd', 'e']) await send(mock, 'POST /notes', { text });
  return mock;
}

const listTexts = (answer: unknown): readonly unknown[] =>
  (answer as readonly Record<string, unknown>[]).map(({ text }) => text);

it.each([
  ['items=0-1', 206, 'items 0-1/5', ['a', 'b']],
  ['items=3-9', 206, 'items 3-4/5', ['d', 'e']],
  ['2-', 206, '2-4/5', ['c', 'd', 'e']],
  ['items=0-4', 200, 'items 0-4/5', ['a', 'b', 'c', 'd', 'e']],
  ['not a range', 200, 'items 0-4/5', ['a', 'b', 'c', 'd', 'e']],
])('a declared header "Range: %s" names the items of a page', async (range, status, header, want) => {
  const mock = await startList([200, 206, 416]);
  const reply = await send(mock, 'GET /notes', undefined, { range });
  expect(reply.status).toBe(status);
  expect(reply.headers.get('content-range')).toBe(header);
  expect(listTexts(reply.body)).toEqual(want);
});

it('a range of a list keeps the status 200 where no 206 is declared', async () => {
  const mock = await startList([200, 416]);
  const reply = await send(mock, 'GET /notes', undefined, { range: 'items=1-2' });
  expect([reply.status, reply.headers.get('content-range')]).toEqual([200, 'items 1-2/5']);
});

it('a range behind the end of a list is answered with 416', async () => {
  const mock = await startList([200, 206, 416]);
  const reply = await send(mock, 'GET /notes', undefined, { range: 'items=5-9' });
  expect([reply.status, reply.headers.get('content-range')]).toEqual([416, 'items */5']);
});

async function startFile(statuses: readonly number[]) {
  const file = object({ ...ids, filename: TEXT }, 'id');
  const bytes = {
    description: 'bytes',
    content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
  };
  const declared = statuses.map((status) => [status, status < 300 ? bytes : FAILURE] as const);
  const body = { 'multipart/form-data': { schema: object({ file: { ...TEXT, format: 'binary' } }) } };
  const mock = await start({
    '/files': { post: { ...create(file), requestBody: { required: true, content: body } } },
    '/files/{id}': { get: { operationId: 'readFile', parameters: [pathParameter('id')], ...shows(file) } },
    '/files/{id}/content': {
      get: { operationId: 'readContent', parameters: [pathParameter('id')], responses: Object.fromEntries(declared) },
    },
  });
  const form = new FormData();
  form.set('file', new File(['0123456789'], 'digits.bin', { type: 'application/octet-stream' }));
  const made = await mock.fetch(new Request('http://notes.test/files', { method: 'POST', body: form }));
  const { id } = (await made.json()) as { readonly id: string };
  return { mock, path: `GET /files/${id}/content` };
}

it.each([
  ['bytes=0-3', 206, 'bytes 0-3/10', '0123'],
  ['bytes=8-99', 206, 'bytes 8-9/10', '89'],
  ['bytes=6-', 206, 'bytes 6-9/10', '6789'],
  ['bytes=-2', 206, 'bytes 8-9/10', '89'],
  ['bytes=0-1,4-5', 200, null, '0123456789'],
  ['bytes=5-2', 200, null, '0123456789'],
])('a content whose 206 is declared is read in parts: %s', async (range, status, header, want) => {
  const { mock, path } = await startFile([200, 206, 416]);
  const reply = await send(mock, path, undefined, { range });
  expect([reply.status, reply.headers.get('content-range'), reply.body]).toEqual([status, header, want]);
  expect(reply.headers.get('accept-ranges')).toBe('bytes');
});

it('a part behind the end of a content is answered with 416', async () => {
  const { mock, path } = await startFile([200, 206, 416]);
  const reply = await send(mock, path, undefined, { range: 'bytes=10-' });
  expect([reply.status, reply.headers.get('content-range')]).toEqual([416, 'bytes */10']);
});

it('a content is read as a whole where no 206 is declared, or with If-Range', async () => {
  const whole = await startFile([200]);
  const reply = await send(whole.mock, whole.path, undefined, { range: 'bytes=0-3' });
  expect([reply.status, reply.headers.get('accept-ranges'), reply.body]).toEqual([200, null, '0123456789']);
  const { mock, path } = await startFile([200, 206]);
  const other = await send(mock, path, undefined, { range: 'bytes=0-3', 'if-range': '"x"' });
  expect([other.status, other.body]).toEqual([200, '0123456789']);
});

/** Notes whose changes name the version that they are based on. */
async function startVersioned(version: string, refusal: number | undefined) {
  const note = object({ ...ids, text: TEXT, [version]: INTEGER }, 'id', version);
  const draft = object({ text: TEXT }, 'text');
  const change = object({ text: TEXT, [version]: INTEGER }, version);
  const responses = { 200: json(note), ...(refusal === undefined ? {} : { [refusal]: FAILURE }) };
  const asked = { name: version, in: 'query', required: true, schema: INTEGER };
  const item = (operationId: string, schema: Part | undefined, parameters: readonly Part[] = []): Part => ({
    operationId,
    parameters: [pathParameter('id'), ...parameters],
    ...(schema && sends(schema)),
    responses,
  });
  const mock = await start({
    '/notes': { post: create(note, draft) },
    '/notes/{id}': {
      get: item('readNote', undefined),
      patch: item('updateNote', change),
      put: item('replaceNote', change),
      delete: item('deleteNote', undefined, [asked]),
    },
  });
  const { body: answer } = await send(mock, 'POST /notes', { text: 'a' });
  return { mock, note: answer, path: `/notes/${String(answer['id'])}` };
}

it.each<[version: string, status: number]>([
  ['version', 409],
  ['lock_version', 412],
  ['_version', 409],
  ['revision', 412],
])('a change with an old "%s" is refused with the declared %d', async (version, status) => {
  const { mock, note, path } = await startVersioned(version, status);
  const first = Number(note[version]);
  const patched = await send(mock, `PATCH ${path}`, { text: 'b', [version]: first });
  expect([patched.status, patched.body]).toEqual([200, { ...note, text: 'b', [version]: first + 1 }]);
  const stale = await send(mock, `PUT ${path}`, { text: 'c', [version]: first });
  expect(stale.status).toBe(status);
  expect((await send(mock, `GET ${path}`)).body).toMatchObject({ text: 'b', [version]: first + 1 });
  const put = await send(mock, `PUT ${path}`, { text: 'c', [version]: first + 1 });
  expect(put.body).toMatchObject({ text: 'c', [version]: first + 2 });
  expect((await send(mock, `DELETE ${path}?${version}=${first}`)).status).toBe(status);
  expect((await send(mock, `DELETE ${path}?${version}=${first + 2}`)).status).toBe(200);
});

it('an old version is accepted where the contract declares no refusal', async () => {
  const { mock, note, path } = await startVersioned('version', undefined);
  await send(mock, `PATCH ${path}`, { text: 'b', version: note['version'] });
  const again = await send(mock, `PATCH ${path}`, { text: 'c', version: note['version'] });
  expect([again.status, again.body['text']]).toEqual([200, 'c']);
});
