import { describe, expect, it } from 'vitest';
import { createAsk, toDocument, toLines } from './decode.js';

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
type Row = readonly [style: string, explode: boolean, place: string, texts: Partial<Record<Kind, string>>];

const TABLE: readonly Row[] = [
  [
    'matrix',
    false,
    'path',
    { empty: ';color', string: ';color=blue', array: ';color=blue,black,brown', object: ';color=R,100,G,200,B,150' },
  ],
  [
    'matrix',
    true,
    'path',
    {
      empty: ';color',
      string: ';color=blue',
      array: ';color=blue;color=black;color=brown',
      object: ';R=100;G=200;B=150',
    },
  ],
  ['label', false, 'path', { empty: '.', string: '.blue', array: '.blue,black,brown', object: '.R,100,G,200,B,150' }],
  ['label', true, 'path', { empty: '.', string: '.blue', array: '.blue.black.brown', object: '.R=100.G=200.B=150' }],
  ['simple', false, 'path', { string: 'blue', array: 'blue,black,brown', object: 'R,100,G,200,B,150' }],
  ['simple', true, 'path', { string: 'blue', array: 'blue,black,brown', object: 'R=100,G=200,B=150' }],
  ['simple', false, 'header', { empty: '', string: 'blue', array: 'blue,black,brown', object: 'R,100,G,200,B,150' }],
  ['simple', true, 'header', { empty: '', string: 'blue', array: 'blue,black,brown', object: 'R=100,G=200,B=150' }],
  [
    'form',
    false,
    'query',
    { empty: 'color=', string: 'color=blue', array: 'color=blue,black,brown', object: 'color=R,100,G,200,B,150' },
  ],
  [
    'form',
    true,
    'query',
    { empty: 'color=', string: 'color=blue', array: 'color=blue&color=black&color=brown', object: 'R=100&G=200&B=150' },
  ],
  [
    'spaceDelimited',
    false,
    'query',
    { array: 'color=blue%20black%20brown', object: 'color=R%20100%20G%20200%20B%20150' },
  ],
  [
    'pipeDelimited',
    false,
    'query',
    { array: 'color=blue%7Cblack%7Cbrown', object: 'color=R%7C100%7CG%7C200%7CB%7C150' },
  ],
  ['pipeDelimited', false, 'query', { array: 'color=blue|black|brown', object: 'color=R|100|G|200|B|150' }],
  ['deepObject', true, 'query', { object: 'color[R]=100&color[G]=200&color[B]=150' }],
  [
    'form',
    false,
    'cookie',
    { empty: 'color=', string: 'color=blue', array: 'color=blue,black,brown', object: 'color=R,100,G,200,B,150' },
  ],
  ['form', true, 'cookie', { empty: 'color=', string: 'color=blue', object: 'R=100; G=200; B=150' }],
  // OpenAPI 3.2: style cookie is like form, with "; " in place of "&".
  [
    'cookie',
    true,
    'cookie',
    {
      empty: 'color=',
      string: 'color=blue',
      array: 'color=blue; color=black; color=brown',
      object: 'R=100; G=200; B=150',
    },
  ],
  [
    'cookie',
    false,
    'cookie',
    { empty: 'color=', string: 'color=blue', array: 'color=blue,black,brown', object: 'color=R,100,G,200,B,150' },
  ],
];

const CASES = TABLE.flatMap(([style, explode, place, texts]) =>
  Object.entries(texts).map(([kind, text]) => ({ style, explode, place, kind: kind as Kind, text })),
);

describe('the Style Values table of OpenAPI', () => {
  it.each(CASES)(
    '$place $style explode=$explode reads $kind from "$text"',
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
});
