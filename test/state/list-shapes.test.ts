import { describe, expect, it } from 'vitest';
import { readPointer } from '../../src/contract/pointer.js';
import { createMock, type Mock } from '../../src/index.js';

type Schema = Readonly<Record<string, unknown>>;

const TEXT = { type: 'string' };
const WHOLE = { type: 'integer' };
const YES_OR_NO = { type: 'boolean' };
const LINK = { type: 'object', required: ['href'], properties: { href: { type: 'string', format: 'uri' } } };

const json = (schema: Schema): Schema => ({ 'application/json': { schema } });

const query = (name: string, schema: Schema = TEXT): Schema => ({ name, in: 'query', schema });

const members = (properties: Schema, ...required: readonly string[]): Schema => ({
  type: 'object',
  properties,
  ...(required.length === 0 ? {} : { required }),
});

/** A document with widgets that a client names, and with one list. */
function createDocument(of: {
  readonly envelope?: Schema;
  readonly parameters?: readonly Schema[];
  readonly properties?: Schema;
  readonly summary?: Schema;
  readonly paths?: Schema;
}): Record<string, unknown> {
  const items = { type: 'array', items: of.summary ?? { $ref: '#/components/schemas/Widget' } };
  const widget = { $ref: '#/components/schemas/Widget' };
  const missing = { description: 'none', content: json(members({ message: TEXT })) };
  const id = { name: 'id', in: 'path', required: true, schema: TEXT };
  return {
    openapi: '3.1.0',
    info: { title: 'Widgets', version: '1' },
    paths: {
      '/widgets': {
        get: {
          operationId: 'listWidgets',
          parameters: of.parameters ?? [],
          responses: {
            200: { description: 'a page', content: json(members({ widgets: items, ...of.envelope }, 'widgets')) },
          },
        },
        post: {
          operationId: 'createWidget',
          requestBody: { required: true, content: json(members({ name: TEXT, ...of.properties }, 'name')) },
          responses: { 201: { description: 'one', content: json(widget) } },
        },
      },
      '/widgets/{id}': {
        get: {
          operationId: 'readWidget',
          parameters: [id],
          responses: { 200: { description: 'one', content: json(widget) }, 404: missing },
        },
      },
      ...of.paths,
    },
    components: { schemas: { Widget: members({ id: TEXT, name: TEXT, ...of.properties }, 'id', 'name') } },
  };
}

async function start(of: Parameters<typeof createDocument>[0]): Promise<Mock> {
  return createMock({ spec: createDocument(of), state: { initialItems: 0 } });
}

async function send(mock: Mock, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
  const reply = await mock.fetch(
    new Request(`http://widgets.test${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  const answer: unknown = await reply.json();
  return { status: reply.status, answer, violation: reply.headers.get('x-mock-violation') };
}

async function create(mock: Mock, bodies: readonly Schema[], path = '/widgets'): Promise<void> {
  for (const body of bodies) expect((await send(mock, path, body)).status).toBe(201);
}

/** The names of the widgets in an answer. */
function readNames(answer: unknown): unknown {
  const widgets = readPointer(answer, '/widgets') as readonly { readonly name: string }[]; // the document says so
  return widgets.map(({ name }) => name);
}

const FIVE = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name }));

const PAGE = [query('page', { type: 'integer', minimum: 1 }), query('per_page', { ...WHOLE, default: 2 })];
const CURSOR = [query('after'), query('limit', { ...WHOLE, default: 2 })];
const OFFSET = [query('offset', { ...WHOLE, default: 0 }), query('limit', { ...WHOLE, default: 2 })];

/** Where each envelope shows the next page. */
const SHAPES: Readonly<
  Record<string, { readonly parameters: readonly Schema[]; readonly envelope: Schema; readonly next: string }>
> = {
  'links.pages.next in a union': {
    parameters: PAGE,
    envelope: {
      links: members({ pages: { anyOf: [members({ first: TEXT, prev: TEXT }), members({ last: TEXT, next: TEXT })] } }),
    },
    next: '/links/pages/next',
  },
  'links.next.href': {
    parameters: PAGE,
    envelope: { links: members({ next: LINK, prev: LINK }) },
    next: '/links/next/href',
  },
  'a map of links': {
    parameters: PAGE,
    envelope: { _links: { type: 'object', additionalProperties: LINK } },
    next: '/_links/next/href',
  },
  'next_page with offset, path and uri': {
    parameters: [query('offset'), query('limit', { ...WHOLE, default: 2 })],
    envelope: {
      next_page: {
        ...members({ offset: TEXT, path: TEXT, uri: { type: 'string', format: 'uri' } }),
        type: ['object', 'null'],
      },
    },
    next: '/next_page/uri',
  },
  'cursors.after': {
    parameters: CURSOR,
    envelope: { cursors: members({ before: TEXT, after: TEXT }) },
    next: '/cursors/after',
  },
  'paging.next.after': {
    parameters: CURSOR,
    envelope: { paging: members({ next: members({ after: TEXT, link: TEXT }, 'after') }) },
    next: '/paging/next/after',
  },
  'metadata.continue': {
    parameters: [query('continue'), query('limit', { ...WHOLE, default: 2 })],
    envelope: { metadata: members({ continue: TEXT, remainingItemCount: WHOLE }) },
    next: '/metadata/continue',
  },
  '@odata.nextLink': {
    parameters: [query('$top', { ...WHOLE, default: 2 }), query('$skip', WHOLE), query('$count', YES_OR_NO)],
    envelope: { '@odata.nextLink': TEXT, '@odata.count': WHOLE },
    next: '/@odata.nextLink',
  },
  nextPageToken: {
    parameters: [query('pageToken'), query('pageSize', { ...WHOLE, default: 2 })],
    envelope: { nextPageToken: TEXT },
    next: '/nextPageToken',
  },
  'result_info.cursors': {
    parameters: [query('cursor'), query('per_page', { ...WHOLE, default: 2 })],
    envelope: { result_info: members({ count: WHOLE, cursors: members({ after: TEXT }) }) },
    next: '/result_info/cursors/after',
  },
  'pagination.next_offset': {
    parameters: OFFSET,
    envelope: { pagination: members({ next_offset: WHOLE, total: WHOLE }) },
    next: '/pagination/next_offset',
  },
};

const POSITIONS: ReadonlySet<string> = new Set(['after', 'continue', 'pageToken', 'cursor', 'offset', 'page']);

function toNextPath(next: unknown, parameters: readonly Schema[]): string {
  if (typeof next === 'string' && /^(http|\/)/.test(next)) {
    const { pathname, search } = new URL(next, 'http://widgets.test');
    return pathname + search;
  }
  const position = parameters.map(({ name }) => String(name)).find((name) => POSITIONS.has(name));
  return `/widgets?${position ?? ''}=${encodeURIComponent(String(next))}`;
}

describe('an envelope with the next page', () => {
  it.each(Object.entries(SHAPES))('as %s leads through all pages', async (_, { parameters, envelope, next }) => {
    const mock = await start({ parameters, envelope });
    await create(mock, FIVE);
    const names: unknown[] = [];
    let path = '/widgets';
    for (let page = 1; page <= 3; page++) {
      const { answer, status } = await send(mock, path);
      expect(status).toBe(200);
      names.push(readNames(answer));
      const value = readPointer(answer, next);
      if (page === 3) expect(value ?? undefined).toBeUndefined();
      else path = toNextPath(value, parameters);
    }
    expect(names).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
  });

  it('counts the items that remain', async () => {
    const mock = await start({
      parameters: [query('continue'), query('limit', WHOLE)],
      envelope: { metadata: members({ continue: TEXT, remainingItemCount: WHOLE }) },
    });
    await create(mock, FIVE);
    const { answer } = await send(mock, '/widgets?limit=2');
    expect(readPointer(answer, '/metadata/remainingItemCount')).toBe(3);
  });
});
