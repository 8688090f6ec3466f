import { describe, expect, it } from 'vitest';
import { type AnswerSource, createChain, type Exchange } from '../../src/answer/chain.js';
import { createErrorAnswers } from '../../src/answer/error-answers.js';
import { findUsualErrors } from '../../src/answer/choose-response.js';
import { createVerifySource } from '../../src/answer/sources/verify.js';
import { createVirtualClock } from '../../src/clock.js';
import { loadContract } from '../../src/contract/load/load.js';
import { createGenerator } from '../../src/generate/generate.js';
import type { Answer } from '../../src/http/answer.js';
import { createCallDecoder } from '../../src/http/request/call.js';
import { createValidators } from '../../src/schema/validate.js';
import { NO_VIOLATIONS } from '../../src/schema/violation.js';
import type { Session } from '../../src/session/session.js';
import { object, TEXT, ref, toDocument } from '../document-parts.js';

const DOCUMENT = toDocument(
  {
    '/pet': {
      get: {
        operationId: 'getPet',
        responses: {
          200: {
            description: '',
            headers: { 'X-Needed': { required: true, schema: { const: 'yes' } }, 'X-Free': { schema: TEXT } },
            content: {
              'application/json': { schema: ref('Pet') },
              'text/csv': { schema: TEXT },
              'application/x-ndjson': { itemSchema: ref('Pet') },
            },
          },
          204: { description: '' },
        },
      },
    },
  },
  { Pet: object({ name: { type: 'string', minLength: 2 }, pin: { type: 'string', writeOnly: true } }, 'name') },
);

/** The names of real sources with what they say about their wrong answers. */
const SOURCES: readonly Omit<AnswerSource, 'answer'>[] = [
  { name: 'state', getsDeclaredHeaders: true, hint: 'Correct the fixture.' },
  { name: 'generate', onInvalid: 'regenerate' },
  { name: 'refuse', onInvalid: 'complete' },
  { name: 'replay', onInvalid: 'report' },
  { name: 'forward', onInvalid: 'report' },
];

/** What leaves when a source below gives this answer. */
async function verify(
  given: Partial<Answer>,
  about: readonly Omit<AnswerSource, 'answer'>[] = SOURCES,
): Promise<Answer & { readonly trace: readonly string[] }> {
  const contract = await loadContract(DOCUMENT);
  const validators = createValidators(contract);
  const generator = createGenerator(contract, validators);
  const errors = createErrorAnswers(
    { contract, validators, generator },
    { withTemplates: [], usualErrors: () => findUsualErrors(contract), isChecked: false },
  )(1);
  const operation = contract.operation('getPet');
  if (operation === undefined) throw new Error('the document has the operation');
  const decoder = createCallDecoder(contract, validators, { bodyLimitBytes: 1000 });
  const request = new Request('http://x.test/pet');
  const call = await decoder.decode({ operation, pathText: {}, request });
  // Of a session, verify reads the seed and the clock alone.
  const session = { seed: 1, clock: createVirtualClock() } as unknown as Session;
  const trace: string[] = [];
  const exchange: Exchange = {
    contract,
    call,
    session,
    request,
    clock: session.clock,
    note: (line) => void trace.push(line),
  };
  const answer: Answer = {
    status: 200,
    headers: { 'x-needed': 'yes' },
    body: { name: 'Rex' },
    mediaType: 'application/json',
    from: 'state',
    violations: NO_VIOLATIONS,
    ...given,
  };
  const sources = about.map((source): AnswerSource => ({ ...source, answer: () => answer }));
  const left = await createChain([
    createVerifySource({ contract, validators, generator, errors, sources }),
    ...sources,
  ])(exchange);
  if (left === undefined) throw new Error('verify lets every answer through, or answers itself');
  return { ...left, trace };
}

const textOf = ({ body }: Answer): string => JSON.stringify(body);

describe('an answer that keeps the contract', () => {
  it.each([
    ['an object', {}],
    ['a text of another type', { body: 'a,b', mediaType: 'text/csv' }],
    ['bytes', { body: new Uint8Array([1]) }],
    ['no body', { status: 204, body: undefined, mediaType: undefined, headers: {} }],
    ['parameters of a type', { mediaType: 'application/json; charset=utf-8' }],
  ])('is sent unchanged: %s', async (_, given) => {
    const left = await verify(given);
    expect(left).toMatchObject({ status: 200, from: 'state', violations: [], ...given });
  });
});

describe('an answer that breaks the contract', () => {
  it.each([
    ['a fixture', 'state', 'the state source'],
    ['an example', 'example:rex', 'example "rex"'],
    ['a handler', 'handler', 'the handler source'],
    ['a scenario', 'scenario:flaky', 'scenario "flaky"'],
  ])('becomes a 500 that names %s', async (_, from, culprit) => {
    const left = await verify({ from, body: { name: 'R' } });
    expect(left.status).toBe(500);
    expect(textOf(left).replaceAll('\\"', '"')).toContain(culprit);
    expect(textOf(left)).toContain('at /name');
    expect(textOf(left)).toContain('#/components/schemas/Pet/properties/name/minLength');
    expect(left.violations[0]).toMatchObject({ pointer: '/name', by: 'mock', code: 'LENGTH' });
    expect(left.headers).toMatchObject({ 'x-should-retry': 'false' });
    expect(left.trace.join()).toContain('breaks the contract');
  });

  it.each([
    ['a status that is not declared', { status: 201 }, 'STATUS_UNDECLARED'],
    ['a media type that is not declared', { mediaType: 'text/html', body: '<p>' }, 'MEDIA_TYPE_UNDECLARED'],
    ['null for an object', { body: null }, 'TYPE'],
    ['a property that never leaves', { body: { name: 'Rex', pin: '1' } }, 'WRITE_ONLY'],
    ['an item of a list of lines', { mediaType: 'application/x-ndjson', body: [{ name: 'Rex' }, {}] }, 'REQUIRED'],
  ])('is found: %s', async (_, given, code) => {
    const left = await verify(given);
    expect([left.status, left.violations[0]?.code]).toEqual([500, code]);
  });

  it('is generated again if it was generated', async () => {
    const left = await verify({ from: 'generate', body: { name: 7 } });
    expect(left).toMatchObject({ status: 200, from: 'generate', body: { name: expect.any(String) } });
  });

  it('is sent unchanged with its violations if it violates on purpose or was recorded', async () => {
    for (const given of [{ violates: 'a test of the client' }, { from: 'replay:session' }, { from: 'forward' }]) {
      const left = await verify({ ...given, body: { name: 7 } });
      expect(left).toMatchObject({ status: 200, body: { name: 7 }, violations: [{ pointer: '/name' }] });
    }
  });

  it('is sent anyway if it is an error that cannot be completed', async () => {
    expect(await verify({ status: 418, from: 'refuse', body: { odd: true } })).toMatchObject({
      status: 418,
      body: { odd: true },
    });
  });
});

describe('a custom source', () => {
  const wrong = { from: 'weather: rain', body: { name: 7 } };

  it('fails with its own hint by default', async () => {
    const left = await verify(wrong, [{ name: 'weather', hint: 'Ask another station.' }]);
    expect(left.status).toBe(500);
    expect(textOf(left)).toContain('Ask another station.');
  });

  it('has its wrong answer sent unchanged if it says so', async () => {
    const left = await verify(wrong, [{ name: 'weather', onInvalid: 'report' }]);
    expect(left).toMatchObject({ status: 200, body: { name: 7 }, violations: [{ pointer: '/name', code: 'TYPE' }] });
  });

  it('has what is missing completed if it says so', async () => {
    const left = await verify({ ...wrong, body: { age: 3 } }, [{ name: 'weather', onInvalid: 'complete' }]);
    expect(left).toMatchObject({ status: 200, body: { name: expect.any(String), age: 3 }, violations: [] });
  });

  it('has its wrong answer generated again if it says so', async () => {
    const left = await verify(wrong, [{ name: 'weather', onInvalid: 'regenerate' }]);
    expect(left).toMatchObject({ status: 200, body: { name: expect.any(String) }, violations: [] });
  });

  it('is overruled by the answer itself', async () => {
    const left = await verify({ ...wrong, onInvalid: 'report' }, [{ name: 'weather', onInvalid: 'regenerate' }]);
    expect(left).toMatchObject({ status: 200, body: { name: 7 } });
  });

  it('answers a call that no source above answers', async () => {
    const left = await verify({ from: 'weather' }, [{ name: 'weather' }]);
    expect(left).toMatchObject({ status: 200, from: 'weather', body: { name: 'Rex' }, violations: [] });
  });
});

it('a missing header is generated if it is required, and in an answer of the state if it is declared', async () => {
  expect((await verify({ headers: {}, from: 'replay' })).headers).toEqual({ 'x-needed': 'yes' });
  expect((await verify({ headers: {}, from: 'state' })).headers).toEqual({
    'x-needed': 'yes',
    'x-free': expect.any(String),
  });
});

describe('a stream', () => {
  async function* items(...values: readonly unknown[]): AsyncIterable<unknown> {
    yield* values;
  }
  const read = async (body: unknown): Promise<readonly unknown[]> => {
    const seen: unknown[] = [];
    // What was given as a stream leaves as one.
    for await (const item of body as AsyncIterable<unknown>) seen.push(item);
    return seen;
  };

  it('passes item by item', async () => {
    const left = await verify({ mediaType: 'application/x-ndjson', body: items({ name: 'Rex' }, { name: 'Tom' }) });
    expect(await read(left.body)).toEqual([{ name: 'Rex' }, { name: 'Tom' }]);
  });

  it('ends where an item breaks the contract', async () => {
    const left = await verify({ mediaType: 'application/x-ndjson', body: items({ name: 'Rex' }, { name: 7 }) });
    await expect(read(left.body)).rejects.toThrow('an item of the stream breaks the contract');
  });
});
