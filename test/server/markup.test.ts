// @module-tag slow
import { expect, it } from 'vitest';
import { describeBoth } from '../describe-both.js';
import { object, TEXT, pathParameter, INTEGER, arrayOf, toDocument } from '../document-parts.js';

// Issue 13, part 8: input of a request in HTML and XML.

const ATTACK = `<img src=x onerror="alert(0)"><script>alert("1")</script>`;
const html = (schema: unknown, more: object = {}): object => ({ 'text/html': { schema, ...more } });
const page = (schema: unknown, more?: object): object => ({ description: 'ok', content: html(schema, more) });
const item = object({ id: TEXT, name: TEXT, note: TEXT });
const json = (schema: unknown): object => ({ content: { 'application/json': { schema } } });
const anyBody = { requestBody: json({ type: 'object' }) };
const id = pathParameter('id');
const query = { name: 'q', in: 'query', schema: TEXT };
const count = { name: 'count', in: 'query', schema: INTEGER };
const template = { mediaType: 'text/html', body: '<p>{message} {param}</p>' };

const SPEC = toDocument(
  {
    '/pages': {
      get: { parameters: [count, query], responses: { 200: page(arrayOf(item)), 400: page(TEXT) } },
      post: { ...anyBody, responses: { 201: page(item), 400: page(TEXT) } },
    },
    '/pages/{id}': {
      parameters: [id],
      get: { responses: { 200: page(item), 404: page(TEXT) } },
      put: { ...anyBody, responses: { 200: page(item) } },
      delete: { responses: { 200: page(object({ id: TEXT, deleted: { const: true } })) } },
    },
    '/text/{id}': { parameters: [id], get: { responses: { 200: page(TEXT) } } },
    '/shown': { post: { ...anyBody, responses: { 200: page(item, { example: { id: '1', name: 'shown' } }) } } },
    '/typed': {
      parameters: [count],
      post: {
        'x-mock': { errors: { 400: template } },
        requestBody: json(object({ count: INTEGER }, 'count')),
        responses: { 200: page(item), 400: page(TEXT) },
      },
    },
    '/xml': {
      post: {
        'x-mock': { errors: { 400: { mediaType: 'text/xml', body: '<error>{message}</error>' } } },
        requestBody: json(object({ count: INTEGER })),
        responses: {
          200: { description: 'ok', content: { 'application/xml': { schema: item } } },
          400: { description: 'bad' },
        },
      },
    },
    '/scripted': { parameters: [query], get: { operationId: 'scripted', responses: { 200: page(TEXT) } } },
    '/scripted-item': { parameters: [query], get: { operationId: 'scriptedItem', responses: { 200: page(item) } } },
  },
  {},
  { 'x-mock': { errors: { 404: template } } },
);

const SCENARIOS = {
  page: {
    operations: {
      scripted: { respond: { body: '<h1 title="{$request.query.q}">{$request.query.q}</h1>' } },
      scriptedItem: { respond: { body: { id: '1', name: '$request.query.q' } } },
    },
  },
};

describeBoth('input of a request', (start) => {
  const encoded = encodeURIComponent(ATTACK);
  const body = (value: unknown, method = 'POST'): RequestInit => ({
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(value),
  });
  const attack = { id: ATTACK, name: ATTACK, note: ATTACK, [ATTACK]: ATTACK };

  it.each([
    ['an item that is created', '/pages', body(attack)],
    ['an item that is listed', '/pages', {}],
    ['an item that is read', `/pages/${encoded}`, {}],
    ['an item that is replaced', `/pages/${encoded}`, body(attack, 'PUT')],
    ['an item that is deleted', `/pages/${encoded}`, { method: 'DELETE' }],
    ['a generated text', `/text/${encoded}`, {}],
    ['an example that repeats the request', '/shown', body(attack)],
    ['an error in the query', `/pages?count=${encoded}`, {}],
    ['an error of a template', '/typed', body({ count: ATTACK, [ATTACK]: 1 })],
    ['an error of a template about a query', `/typed?count=${encoded}`, body({ count: 1 })],
    ['an unknown path', `/${encoded}`, {}],
    ['a missing item', `/pages/missing${encoded}`, {}],
    ['a scenario with a text', `/scripted?q=${encoded}`, {}],
    ['a scenario with an object', `/scripted-item?q=${encoded}`, {}],
    [
      'a body that cannot be read',
      '/pages',
      { method: 'POST', headers: { 'content-type': 'application/json' }, body: ATTACK },
    ],
    ['an error in XML', '/xml', body({ count: ATTACK })],
    ['a document in XML', '/xml', body(attack)],
    ['an unknown preference', '/pages', { headers: { prefer: `code=${ATTACK}` } }],
    ['an unknown session', '/pages', { headers: { 'x-mock-session': ATTACK } }],
  ])('is escaped in HTML and XML: %s', async (_, path, init) => {
    const { mock, rootUrl, fetch } = await start({
      spec: SPEC,
      fixtures: {},
      state: { unknownIds: path.includes('missing') ? 'not-found' : 'create', initialItems: 0 },
      scenarios: { from: SCENARIOS, active: ['page'] },
    });
    await fetch(`${rootUrl}/pages`, body(attack));
    const response = await fetch(rootUrl + path, init);
    const text = await response.text();
    const type = response.headers.get('content-type') ?? '';
    expect([response.status, type]).not.toEqual([500, expect.anything()]);
    if (/html|xml/.test(type)) expect(text).not.toMatch(/<(?:script|img)/i);
    // What is not markup is not shown as such by a browser.
    else expect(type).toMatch(/^application\/(?:problem\+)?json/);
    mock.reset();
  });

  it('keeps its value in HTML that holds JSON', async () => {
    const { rootUrl, fetch } = await start({ spec: SPEC, fixtures: {} });
    const created = await fetch(`${rootUrl}/pages`, body({ name: `${ATTACK} & more` }));
    expect(created.headers.get('content-type')).toContain('text/html');
    expect(await created.json()).toMatchObject({ name: `${ATTACK} & more` });
  });
});

describeBoth('an uploaded page', (start) => {
  const BINARY = { schema: { type: 'string', format: 'binary' } };
  const file = object({ file: { type: 'string', format: 'binary' } });
  const spec = toDocument({
    '/files': {
      post: {
        requestBody: { content: { 'multipart/form-data': { schema: file } } },
        responses: { 201: { description: 'ok', ...json(object({ id: TEXT, name: TEXT }, 'id')) } },
      },
    },
    '/files/{id}': {
      parameters: [id],
      get: { responses: { 200: { description: 'ok', ...json(object({ id: TEXT, name: TEXT })) } } },
    },
    '/files/{id}/content': {
      parameters: [id],
      get: { responses: { 200: { description: 'ok', content: { 'text/*': BINARY, 'image/*': BINARY } } } },
    },
  });

  it.each(['text/html', 'image/svg+xml', 'text/plain'])('of type %s runs no scripts in a browser', async (type) => {
    const { rootUrl, fetch } = await start({ spec, fixtures: {} });
    const form = new FormData();
    form.append('file', new Blob([ATTACK], { type }), 'page');
    const created = (await (await fetch(`${rootUrl}/files`, { method: 'POST', body: form })).json()) as { id: string };
    const content = await fetch(`${rootUrl}/files/${created.id}/content`, { headers: { accept: type } });
    expect(await content.text()).toBe(ATTACK);
    expect(content.headers.get('content-type')).toContain(type);
    expect(content.headers.get('content-security-policy')).toBe(type === 'text/plain' ? null : 'sandbox');
  });
});
