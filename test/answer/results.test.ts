import { expect, it } from 'vitest';
import type { MockOptions } from '../../src/mock/options.js';
import { describeBoth } from '../describe-both.js';
import { json, arrayOf, content, object, INTEGER, NUMBER, TEXT, toDocument } from '../document-parts.js';

const answerOf = (list: string, element: object): object => ({
  200: json({ type: 'object', required: [list], properties: { [list]: arrayOf(element) } }),
});

const post = (operationId: string, properties: object, required: readonly string[], responses: object): object => ({
  post: { operationId, requestBody: { content: content({ type: 'object', required, properties }) }, responses },
});

const VECTOR = object(
  { position: { const: 'fixed' }, index: INTEGER, values: arrayOf(NUMBER) },
  'position',
  'index',
  'values',
);

const SPEC: MockOptions['spec'] & object = toDocument({
  '/vectors': post(
    'makeVectors',
    {
      input: { oneOf: [TEXT, arrayOf(TEXT)] },
      format: { type: 'string', enum: ['float', 'base64'], default: 'float' },
      dimensions: INTEGER,
    },
    ['input'],
    answerOf('data', VECTOR),
  ),
  '/pictures': post(
    'makePictures',
    { prompt: TEXT, n: { type: 'integer', default: 1 }, stop: arrayOf(TEXT) },
    ['prompt'],
    answerOf('pictures', object({ url: { type: 'string', format: 'uri' } }, 'url')),
  ),
  '/notes': post('makeNotes', { tags: arrayOf(TEXT) }, [], answerOf('notes', object({ id: TEXT }, 'id'))),
});

describeBoth('results that follow from the request', (start) => {
  const ask = async (
    path: string,
    body: object,
  ): Promise<Readonly<Record<string, readonly Record<string, unknown>[]>>> => {
    const { rootUrl, fetch } = await start({ spec: SPEC, fixtures: undefined });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(rootUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(response.status).toBe(200);
    return (await response.json()) as Readonly<Record<string, readonly Record<string, unknown>[]>>;
  };

  it('are one for each input, with their places', async () => {
    const { data } = await ask('/vectors', { input: ['a', 'b', 'c', 'd'] });
    expect(data?.map(({ index, position }) => [index, position])).toEqual([0, 1, 2, 3].map((i) => [i, 'fixed']));
    expect(new Set(data?.map(({ values }) => (values as number[]).length)).size).toBe(1);
    expect((await ask('/vectors', { input: 'a' }))['data']).toHaveLength(1);
  });

  it('have as many numbers as the request says, as base64 where it asks for that', async () => {
    const plain = (await ask('/vectors', { input: ['a', 'b'], dimensions: 5 }))['data'];
    expect(plain?.map(({ values }) => (values as number[]).length)).toEqual([5, 5]);
    const encoded = (await ask('/vectors', { input: ['a', 'b'], dimensions: 5, format: 'base64' }))['data'];
    for (const { values } of encoded ?? []) {
      expect(typeof values).toBe('string');
      expect(Buffer.from(String(values), 'base64')).toHaveLength(20);
    }
    expect(encoded).toHaveLength(2);
  });

  it('are as many as a number of the request says', async () => {
    const { pictures } = await ask('/pictures', { prompt: 'a', n: 5, stop: ['x', 'y'] });
    expect(new Set(pictures?.map(({ url }) => url)).size).toBe(5);
    expect((await ask('/pictures', { prompt: 'a' }))['pictures']).toHaveLength(1);
  });

  it('do not follow from a list that is optional', async () => {
    const { notes } = await ask('/notes', { tags: ['a', 'b', 'c', 'd', 'e', 'f'] });
    expect(notes?.length).toBeLessThan(4);
  });
});
