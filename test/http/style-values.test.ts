import { expect, it } from 'vitest';
import { createAsk, toDocument, toLines } from './decode.js';
import { loadCases } from '../load-cases.js';

/**
 * The Style Values table of OpenAPI 3.1 (section 4.8.12.3, Style Examples), complete: every style with and without explode,
 * an empty text, a text, a list and an object; `n/a` cells are left out as the table leaves them out.
 */
const TYPES = {
  empty: { type: 'string' },
  string: { type: 'string' },
  array: { type: 'array', items: { type: 'string' } },
  object: { type: 'object', properties: { R: { type: 'integer' }, G: { type: 'integer' }, B: { type: 'integer' } } },
};
const VALUES = { empty: '', string: 'blue', array: ['blue', 'black', 'brown'], object: { R: 100, G: 200, B: 150 } };

type Kind = keyof typeof TYPES;
interface Row {
  readonly style: string;
  readonly explode: boolean;
  readonly place: string;
  readonly texts: Partial<Record<Kind, string>>;
}

const CASES = loadCases<readonly Row[]>('http/style-values.yaml').flatMap(({ style, explode, place, texts }) =>
  Object.entries(texts).map(([kind, text]) => ({ style, explode, place, kind: kind as Kind, text })),
);

it.each(CASES)(
  'the Style Values table of OpenAPI $place $style explode=$explode reads $kind from "$text"',
  async ({ style, explode, place, kind, text }) => {
    const parameter = { name: 'color', in: place, style, explode, required: true, schema: TYPES[kind] };
    // Not a segment of its own: a URL swallows the segment ".".
    const key = place === 'path' ? 'get /things/in{color}' : 'get /things';
    const ask = await createAsk(toDocument({ parameters: [parameter] }, {}, key));
    const target = place === 'path' ? `/things/in${text}` : place === 'query' ? `/things?${text}` : '/things';
    const headers: Record<string, string> =
      place === 'header' ? { color: text } : place === 'cookie' ? { cookie: text } : {};
    const call = await ask({ ask: `GET ${target}`, headers });
    const values = { path: call.path, query: call.query, header: call.header, cookie: call.cookie };
    expect(toLines(call)).toEqual([]);
    expect(values[place as keyof typeof values]).toEqual({ color: VALUES[kind] });
  },
);
