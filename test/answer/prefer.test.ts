import { describe, expect, it } from 'vitest';
import { parsePrefer } from '../../src/answer/sources/prefer.js';
import type { Mock, MockOptions } from '../../src/index.js';
import { object, TEXT } from '../document-parts.js';
import { json, openMock } from './open-mock.js';

const pet = object({ name: TEXT }, 'name');
const problem = object({ message: TEXT }, 'message');

function open(options: Partial<MockOptions> = {}): Promise<Mock> {
  const examples = { rex: { value: { name: 'Rex' } }, tom: { value: { name: 'Tom' } }, wrong: { value: { name: 7 } } };
  return openMock(
    {
      '/pet': {
        get: {
          operationId: 'getPet',
          responses: {
            200: json(pet, { examples }),
            404: json(problem, { examples: { gone: { value: { message: 'gone' } } } }),
            '5XX': json(problem),
          },
        },
      },
    },
    {},
    options,
  );
}

async function ask(mock: Mock, path: string, prefer?: string): Promise<readonly [number, unknown, string | null]> {
  const response = await mock.fetch(path, prefer === undefined ? {} : { headers: { prefer } });
  return [response.status, await response.json(), response.headers.get('preference-applied')];
}

describe('Prefer', () => {
  it.each([
    ['a status', 'code=404', [404, { message: 'gone' }, 'code=404']],
    ['a status of a range', 'code=503', [503, { message: expect.any(String) }, 'code=503']],
    ['an example', 'example=tom', [200, { name: 'Tom' }, 'example=tom']],
    ['an example of another response', 'example=gone', [404, { message: 'gone' }, 'example=gone']],
    [
      'both, and a preference that is not ours',
      'respond-async, code=200; x=y, example="tom"',
      [200, { name: 'Tom' }, 'code=200, example=tom'],
    ],
    ['an example that does not fit is mended', 'example=wrong', [200, { name: expect.any(String) }, 'example=wrong']],
  ])('%s is applied', async (_, prefer, want) => {
    expect(await ask(await open(), '/pet', prefer)).toEqual(want);
  });

  it.each(['100', '101', '103', '199', '99', '600', 'abc'])(
    'the status %s, which is not one of an answer, is refused',
    async (code) => {
      const mock = await open();
      const message = expect.stringContaining(`code=${code}`);
      expect((await ask(mock, '/pet', `code=${code}`)).slice(0, 2)).toEqual([400, { message }]);
      expect((await ask(mock, `/pet?__code=${code}`)).slice(0, 2)).toEqual([400, { message }]);
    },
  );

  it('another preference changes nothing', async () => {
    expect(await ask(await open(), '/pet', 'return=minimal')).toEqual([200, { name: 'Rex' }, null]);
  });

  it('an example that a request names is sent, where examples are not used otherwise', async () => {
    const mock = await open({ responses: { examples: 'none' } });
    expect((await ask(mock, '/pet'))[1]).not.toEqual({ name: 'Rex' });
    expect((await ask(mock, '/pet', 'example=rex'))[1]).toEqual({ name: 'Rex' });
  });

  it('dynamic values are generated and depend on the seed', async () => {
    const mock = await open();
    const [, first, applied] = await ask(mock, '/pet', 'dynamic=true, seed=7');
    expect(applied).toBe('dynamic=true, seed=7');
    expect(first).not.toEqual({ name: 'Rex' });
    expect((await ask(mock, '/pet', 'dynamic, seed=7'))[1]).toEqual(first);
    expect((await ask(mock, '/pet', 'seed=8'))[1]).not.toEqual(first);
    expect((await ask(mock, '/pet'))[1]).toEqual({ name: 'Rex' });
  });

  it.each([
    ['?__code=404', [404, { message: 'gone' }]],
    ['?__example=tom', [200, { name: 'Tom' }]],
    ['?__dynamic=true&__seed=3', [200, { name: expect.any(String) }]],
  ])('%s is applied from a browser', async (query, want) => {
    expect((await ask(await open(), `/pet${query}`)).slice(0, 2)).toEqual(want);
  });

  it('a preference in the query is not an undeclared parameter, not even for a strict mock', async () => {
    const mock = await openMock(
      { '/pet': { get: { responses: { 200: json(pet), 404: json(problem) } } } },
      {},
      { strict: true },
    );
    expect((await mock.fetch('/pet?__code=404')).status).toBe(404);
    expect((await mock.fetch('/pet?code=404')).status).toBe(400);
  });

  it.each([
    ['a status that is not declared', 'code=418', '200, 404, 5XX'],
    ['an example that does not exist', 'example=rix', 'did you mean "rex"'],
    ['an example of another status than the one asked for', 'code=404, example=rex', 'gone'],
    ['a status that is no status', 'code=ok', 'code=ok'],
    ['a seed that is no number', 'seed=x', 'seed=x'],
  ])('%s is refused with the known values', async (_, prefer, want) => {
    const [status, body] = await ask(await open(), '/pet', prefer);
    expect(status).toBe(400);
    expect(JSON.stringify(body).replaceAll('\\"', '"')).toContain(want);
  });

  it.each([
    ['example=thrid', 'PREFERENCE_UNKNOWN GET /n has no example "thrid"; it has one, third; did you mean "third"?'],
    ['code=505', 'PREFERENCE_UNKNOWN GET /n declares no status 505; it declares 200, 4XX'],
    ['seed=x', 'PREFERENCE_UNKNOWN Prefer: seed=x is not a valid preference'],
  ])('%s is refused with a list in a header where errors have no text', async (prefer, sentence) => {
    const number = json({ type: 'integer' }, { examples: { one: { value: 1 }, third: { value: 3 } } });
    const responses = { 200: number, '4XX': json(object({ status: { type: 'integer' } }, 'status')) };
    const mock = await openMock({ '/n': { get: { responses } } });
    const response = await mock.fetch('/n', { headers: { prefer } });
    expect([response.status, await response.json()]).toEqual([400, { status: 400 }]);
    expect(response.headers.get('x-mock-violations')).toBe(sentence);
  });
});

describe('the Prefer header is read by RFC 7240', () => {
  it.each([
    ['code=404', { code: '404' }],
    ['Code=404 , EXAMPLE="a \\"b\\""', { code: '404', example: 'a "b"' }],
    ['dynamic', { dynamic: '' }],
    ['wait=10; foo="bar, baz"; x, code=1', { wait: '10', code: '1' }],
    ['code = "404" ; x="\\";", example=a', { code: '404', example: 'a' }],
    ['a b, =c, , example=d', { example: 'd' }],
    ['code=1, code=2', { code: '1' }],
    ['', {}],
  ])('%s', (header, want) => {
    expect(Object.fromEntries(parsePrefer(header))).toEqual(want);
  });

  it('is read in linear time', () => {
    expect(parsePrefer(`${'a'.repeat(8000)}${' '.repeat(8000)}(, code=404`).get('code')).toBe('404');
  });
});
