import { describe, expect, it } from 'vitest';
import type { Interaction } from '../../src/index.js';
import { content, object, ref } from '../document-parts.js';
import { openMock } from './open-mock.js';

const PATHS = {
  '/pet': {
    get: {
      operationId: 'getPet',
      responses: {
        200: {
          description: '',
          headers: { 'X-Needed': { required: true, schema: { const: 'yes' } } },
          content: { ...content(ref('Pet')), 'application/x-ndjson': { itemSchema: ref('Pet') } },
        },
        400: { description: '' },
      },
    },
  },
};
const PET = object({ name: { type: 'string', minLength: 2 }, pin: { type: 'string', writeOnly: true } }, 'name');

type Verified = Pick<Interaction, 'violations' | 'trace'> & { readonly response: Response; readonly text: string };

/** What leaves where a handler returns an answer, which can be in the name of another source. */
async function verify(given: object): Promise<Verified> {
  const answer = { status: 200, headers: {}, body: { name: 'Rex' }, mediaType: 'application/json', violations: [] };
  const handlers = { getPet: () => ({ ...answer, from: 'handler', ...given }) };
  const mock = await openMock(PATHS, { components: { schemas: { Pet: PET } } }, { handlers });
  const response = await mock.fetch('/pet');
  const { violations = [], trace = [] } = mock.journal.last() ?? {};
  return { response, violations, trace, text: await response.text() };
}

it('an answer that conforms to the contract is sent unchanged, with the header that it lacks', async () => {
  const { response, violations, text } = await verify({ mediaType: 'application/json; charset=utf-8' });
  expect([response.status, violations, text]).toEqual([200, [], '{"name":"Rex"}']);
  expect(response.headers.get('x-needed')).toBe('yes');
});

describe('an answer that breaks the contract', () => {
  it.each([
    ['a fixture', 'state', 'the state source'],
    ['an example', 'example:rex', 'example "rex"'],
    ['a handler', 'handler', 'the handler source'],
    ['a scenario', 'scenario:flaky', 'scenario "flaky"'],
  ])('becomes a 500 that names %s', async (_, from, culprit) => {
    const { response, violations, trace, text } = await verify({ from, body: { name: 'R' }, onInvalid: 'fail' });
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([500, 'false']);
    for (const part of [culprit, 'at /name', '#/components/schemas/Pet/properties/name/minLength'])
      expect(text.replaceAll('\\"', '"')).toContain(part);
    expect(violations[0]).toMatchObject({ pointer: '/name', by: 'mock', code: 'LENGTH' });
    expect(trace.join()).toContain('breaks the contract');
  });

  it.each([
    ['a status that is not declared', { status: 201 }, 'STATUS_UNDECLARED'],
    ['a media type that is not declared', { mediaType: 'text/html', body: '<p>' }, 'MEDIA_TYPE_UNDECLARED'],
    ['null for an object', { body: null }, 'TYPE'],
    ['a property that never leaves', { body: { name: 'Rex', pin: '1' } }, 'WRITE_ONLY'],
    ['an item of a list of lines', { mediaType: 'application/x-ndjson', body: [{ name: 'Rex' }, {}] }, 'REQUIRED'],
  ])('is found: %s', async (_, given, code) => {
    const { response, violations } = await verify(given);
    expect([response.status, violations[0]?.code]).toEqual([500, code]);
  });

  it.each([{ from: 'generate' }, { from: 'weather', onInvalid: 'regenerate' }])(
    'is generated again if it was generated, %j',
    async (given) => {
      const { response, violations, text } = await verify({ ...given, body: { name: 7 } });
      expect([response.status, JSON.parse(text), violations]).toEqual([200, { name: expect.any(String) }, []]);
    },
  );

  it.each([{ violates: 'a test of the client' }, { onInvalid: 'report' }])(
    'is sent unchanged with its violations if it says so, %j',
    async (given) => {
      const { response, violations, text } = await verify({ ...given, body: { name: 7 } });
      expect([response.status, text]).toEqual([200, '{"name":7}']);
      expect(violations).toMatchObject([{ pointer: '/name', code: 'TYPE' }]);
    },
  );

  it('has what is missing completed if it says so', async () => {
    const { text } = await verify({ onInvalid: 'complete', body: { age: 3 } });
    expect(JSON.parse(text)).toEqual({ name: expect.any(String), age: 3 });
  });

  it('is sent anyway if it is an error that cannot be completed', async () => {
    const { response, text } = await verify({
      status: 418,
      from: 'refuse',
      onInvalid: 'complete',
      body: { odd: true },
    });
    expect([response.status, text]).toEqual([418, '{"odd":true}']);
  });

  it('ends a stream where an item breaks the contract', async () => {
    async function* items(...values: readonly unknown[]): AsyncGenerator {
      yield* values;
    }
    const lines = (...values: readonly unknown[]): Promise<Verified> =>
      verify({ mediaType: 'application/x-ndjson', body: items(...values) });
    expect((await lines({ name: 'Rex' }, { name: 'Tom' })).text).toBe('{"name":"Rex"}\n{"name":"Tom"}\n');
    await expect(lines({ name: 'Rex' }, { name: 7 })).rejects.toThrow('an item of the stream breaks the contract');
  });
});
