import { afterEach, describe, expect, it } from 'vitest';
import { createMock, type Mock } from '../../src/index.js';

// A document whose names are in another language: no usual name says what they mean.
const SPEC = {
  openapi: '3.1.0',
  info: { title: 'Bücher', version: '1' },
  paths: {
    '/buecher': {
      get: {
        operationId: 'zeigeBuecher',
        parameters: [
          { name: 'zeiger', in: 'query', schema: { type: 'string' } },
          { name: 'hoechstens', in: 'query', schema: { type: 'integer', maximum: 50 } },
        ],
        responses: {
          200: {
            description: 'Eine Seite.',
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['stapel', 'gesamt'],
                  properties: {
                    stapel: { type: 'array', items: { $ref: '#/components/schemas/Buch' } },
                    gesamt: { type: 'integer' },
                    weiter: { type: ['string', 'null'] },
                    hinweise: { type: 'array', items: { type: 'string' } },
                  },
                },
              },
            },
          },
        },
      },
      post: {
        operationId: 'legeBuchAn',
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Buch' } } } },
        responses: {
          201: {
            description: 'Das Buch.',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Buch' } } },
          },
        },
      },
    },
    '/buecher/{id}': {
      get: {
        operationId: 'zeigeBuch',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: {
          200: {
            description: 'Das Buch.',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Buch' } } },
          },
        },
      },
    },
  },
  components: {
    schemas: {
      Buch: {
        type: 'object',
        required: ['id', 'titel'],
        properties: { id: { type: 'string', readOnly: true }, titel: { type: 'string' } },
      },
    },
  },
};

const CONVENTIONS = {
  'envelopes.items': 'stapel',
  'envelopes.reports': ['hinweise'],
  'pages.total': 'gesamt',
  'pages.next': 'weiter',
  'queries.token': 'zeiger',
  'queries.limit': 'hoechstens',
};

const opened: Mock[] = [];
afterEach(async () => {
  for (const mock of opened.splice(0)) await mock.close();
});

interface Page {
  readonly stapel: readonly { readonly titel: string }[];
  readonly gesamt: number;
  readonly weiter: string | null;
}

async function readPages(options: Parameters<typeof createMock>[0]): Promise<readonly Page[]> {
  const mock = await createMock(options);
  opened.push(mock);
  for (const titel of ['A', 'B', 'C']) {
    await mock.fetch('http://localhost/buecher', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ titel }),
    });
  }
  const pages: Page[] = [];
  let query = '';
  do {
    const response = await mock.fetch(`http://localhost/buecher?hoechstens=2${query}`);
    const page = (await response.json()) as Page;
    pages.push(page);
    query = page.weiter === null ? '' : `&zeiger=${encodeURIComponent(page.weiter)}`;
  } while (query !== '' && pages.length < 5);
  return pages;
}

describe('names of an API of its own', () => {
  it('mean what the option says', async () => {
    const pages = await readPages({ spec: SPEC, fixtures: { buecher: [] }, conventions: CONVENTIONS });
    expect(pages.map(({ stapel, gesamt }) => [stapel.map(({ titel }) => titel), gesamt])).toEqual([
      [['A', 'B'], 3],
      [['C'], 3],
    ]);
    expect(pages[0]?.weiter).toMatch(/\w/);
  });

  it('mean what the document says', async () => {
    const spec = { ...SPEC, 'x-mock': { conventions: CONVENTIONS } };
    const pages = await readPages({ spec, fixtures: { buecher: [] } });
    expect(pages.map(({ stapel, gesamt }) => [stapel.length, gesamt])).toEqual([
      [2, 3],
      [1, 3],
    ]);
  });

  it('are those of one mock: another one of the same document does not know them', async () => {
    await readPages({ spec: SPEC, fixtures: { buecher: [] }, conventions: CONVENTIONS });
    const [page] = await readPages({ spec: SPEC, fixtures: { buecher: [] } });
    expect(page?.stapel.length).not.toBe(2);
  });

  it('can only be of what a property or a parameter can mean', async () => {
    const open = (conventions: Readonly<Record<string, string>>): Promise<unknown> =>
      createMock({ spec: SPEC, conventions }).then((mock) => mock.close());
    await expect(open({ 'pages.nexd': 'weiter' })).rejects.toThrow(
      /no property or parameter can mean "pages\.nexd"[\s\S]*did you mean "pages\.next"\?/,
    );
    await expect(open({ 'segments.copy': 'kopie' })).rejects.toThrow(
      'no property or parameter can mean "segments.copy"',
    );
  });
});
