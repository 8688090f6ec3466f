// @module-tag slow
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { runResources } from '../../src/cli/commands/resources.js';
import { loadContract } from '../../src/contract/load/load.js';
import { createMock, loadContract as loadForMocks } from '../../src/index.js';
import { arrayOf, inPath, INTEGER, json, object, ref, sends, TEXT, toDocument } from '../document-parts.js';
import { createFolder } from '../folders.js';

const SPECS = '../shared/specs';
const names = (await readdir('presets')).map((file) => file.replace('.yaml', ''));

const oneOf = (...values: readonly string[]): object => ({ type: 'string', enum: values });

/** A small document with the title of a vendor's: one resource with an action, and errors. */
function createDocument(info: object, more: object = {}): ReturnType<typeof toDocument> {
  const answers = (name: string): object => ({
    responses: { 200: json(ref(name)), default: json(ref('error'), 'error') },
  });
  const intent = ref('payment_intent');
  const kind = oneOf('api_error', 'idempotency_error', 'invalid_request_error');
  return toDocument(
    {
      '/v1/payment_intents': {
        get: { responses: { 200: json(arrayOf(intent)), default: json(ref('error'), 'error') } },
        post: { ...sends(object({ amount: INTEGER })), ...answers('payment_intent') },
      },
      '/v1/payment_intents/{intent}': { ...inPath('intent'), get: answers('payment_intent') },
      '/v1/disputes/{dispute}': { ...inPath('dispute'), get: answers('dispute') },
      '/v1/disputes/{dispute}/close': { ...inPath('dispute'), post: answers('dispute') },
    },
    {
      payment_intent: object(
        { id: TEXT, amount: INTEGER, status: oneOf('canceled', 'processing', 'requires_payment_method') },
        'id',
        'status',
      ),
      dispute: object({ id: TEXT, status: oneOf('lost', 'needs_response', 'won') }, 'id'),
      error: object({ error: object({ type: kind, code: TEXT, message: TEXT, param: TEXT }) }, 'error'),
    },
    { info: { title: 'Payments', version: '1', ...info }, ...more },
  );
}

const STRIPE = createDocument({ title: 'Stripe API' });
const POST = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"amount":5}' };

async function readJson(response: Response | Promise<Response>): Promise<Readonly<Record<string, unknown>>> {
  return (await (await response).json()) as Readonly<Record<string, unknown>>;
}

describe('a preset is chosen', () => {
  it.each([
    ['by the title', createDocument({ title: 'Stripe API' }), {}, 'stripe'],
    ['by the title of another vendor', createDocument({ title: 'OpenAI API' }), {}, 'openai'],
    ['by the host of a server', createDocument({}, { servers: [{ url: 'https://api.stripe.com/' }] }), {}, 'stripe'],
    ['by its name', createDocument({}), { preset: 'stripe' }, 'stripe'],
    ['by its name, against the title', createDocument({ title: 'OpenAI API' }), { preset: 'stripe' }, 'stripe'],
    ['for no other document', createDocument({ title: 'Stripe API of mine' }), {}, undefined],
    ['not with preset: false', STRIPE, { preset: false as const }, undefined],
    ['not with preset: none', STRIPE, { preset: 'none' }, undefined],
  ])('%s', async (_, spec, options, want) => {
    expect((await createMock({ spec, ...options })).contract.preset).toBe(want);
  });

  it('and an unknown name is refused with the nearest one', async () => {
    await expect(createMock({ spec: STRIPE, preset: 'strip' })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      hint: 'did you mean "stripe"?',
    });
    await expect(createMock({ spec: STRIPE, preset: 'acme' })).rejects.toMatchObject({
      hint: 'the presets are openai, plaid, slack, stripe, and none for no preset',
    });
  });

  it('from the document cache, too', async () => {
    const folder = createFolder({ 'api.json': JSON.stringify(STRIPE) });
    const spec = join(folder, 'api.json');
    const load = (preset: string | false): ReturnType<typeof loadContract> =>
      loadContract(spec, { preset, cacheFolder: join(folder, 'cache') });
    const pointer = '/components/schemas/payment_intent/properties/id/example';
    const [first, again, without] = [await load('auto'), await load('auto'), await load(false)];
    expect([first.preset, again.preset, without.preset]).toEqual(['stripe', 'stripe', undefined]);
    expect(again.at(pointer)).toBe(first.at(pointer));
    expect([again.hash, without.at(pointer)]).toEqual([first.hash, undefined]);
    expect(without.hash).not.toBe(first.hash);
  });
});

describe('the preset stripe', () => {
  it('gives ids, the first status, the status of an action, and types of errors', async () => {
    const mock = await createMock({ spec: STRIPE });
    const created = await readJson(mock.fetch('/v1/payment_intents', POST));
    expect(created).toMatchObject({ amount: 5, status: 'requires_payment_method' });
    expect(created['id']).toMatch(/^pi_\w{24}$/);
    expect(await readJson(mock.fetch('/v1/disputes/dp_1/close', { method: 'POST' }))).toMatchObject({ status: 'lost' });
    const strict = await createMock({ spec: STRIPE, state: { unknownIds: 'not-found' } });
    expect(await readJson(strict.fetch('/v1/payment_intents/pi_x'))).toMatchObject({
      error: { type: 'invalid_request_error', code: 'resource_missing', param: 'intent' },
    });
  });

  it('changes nothing where the document has none of its targets, and reports no problem', async () => {
    const spec = toDocument({}, undefined, { info: { title: 'Stripe API', version: '1' } });
    const mock = await createMock({ spec });
    expect([mock.contract.preset, mock.problems]).toEqual(['stripe', []]);
    expect(mock.contract.document).toEqual((await createMock({ spec, preset: false })).contract.document);
  });

  it('is applied before the overlays of the user', async () => {
    const target = '$.components.schemas.payment_intent.properties.id';
    const overlay = `overlay: 1.0.0\nactions:\n  - target: ${target}\n    update: { example: own_1a2b3c4d5e6f7g8h }\n`;
    const mock = await createMock({
      spec: STRIPE,
      overlays: [join(createFolder({ 'own.yaml': overlay }), 'own.yaml')],
    });
    expect((await readJson(mock.fetch('/v1/payment_intents', POST)))['id']).toMatch(/^own_/);
  });

  it('is named by vouch resources', async () => {
    const folder = createFolder({ 'api.json': JSON.stringify(STRIPE) });
    const spec = join(folder, 'api.json');
    const print = async (options: object): Promise<string> => {
      const lines: string[] = [];
      await runResources({ spec, write: (line) => lines.push(line), ...options });
      return lines.join('\n');
    };
    expect(await print({})).toContain('Stripe API 1 (preset: stripe)');
    expect(await print({ preset: false })).not.toContain('preset');
    expect(JSON.parse(await print({ json: true }))).toMatchObject({ preset: 'stripe' });
  });
});

it('the preset openai gives ids and one form of errors', async () => {
  const answers = { responses: { 200: json(ref('Batch')) } };
  const spec = toDocument(
    { '/batches': { post: answers }, '/batches/{batch_id}': { ...inPath('batch_id'), get: answers } },
    {
      Batch: object({ id: TEXT, status: oneOf('completed', 'validating') }, 'id', 'status'),
      ErrorResponse: object({ error: object({ type: TEXT, code: {}, message: TEXT, param: {} }) }, 'error'),
    },
    { info: { title: 'OpenAI API', version: '2' } },
  );
  const mock = await createMock({ spec, state: { unknownIds: 'not-found' } });
  const created = await readJson(mock.fetch('/batches', { method: 'POST' }));
  expect(created).toMatchObject({ id: expect.stringMatching(/^batch_\w{24}$/), status: 'validating' });
  expect(await readJson(mock.fetch('/batches/batch_x'))).toMatchObject({
    error: { type: 'invalid_request_error', param: 'batch_id' },
  });
});

it.each(names)(
  'each preset %s is an overlay with a title and a host, and docs/presets.md describes it',
  async (name) => {
    const overlay = await readFile(join('presets', `${name}.yaml`), 'utf8');
    expect(overlay).toMatch(/^overlay: 1\.0\.0\n[\s\S]*\nx-preset:\n {2}titles: .+\n {2}hosts: .+\nactions:\n/);
    expect(await readFile('docs/presets.md', 'utf8')).toContain(`\n## ${name}\n`);
  },
);

describe.each([
  ['stripe', 'stripe.yaml', 'customers', /^cus_/],
  ['openai', 'openai.yaml', 'vector_stores', /^vs_/],
] as const)('the document of %s', (preset, file, collection, form) => {
  const spec = join(SPECS, file);
  const find = existsSync(spec) ? it : it.skip;
  let own: Awaited<ReturnType<typeof loadContract>>;
  let plain: typeof own;
  beforeAll(async () => {
    if (!existsSync(spec)) return;
    own = await loadForMocks(spec);
    plain = await loadForMocks(spec, { preset: false });
  });

  find('gets the preset, which adds no problem', () => {
    expect([own.preset, plain.preset]).toEqual([preset, undefined]);
    expect(own.problems.map(({ message }) => message)).toEqual(plain.problems.map(({ message }) => message));
    expect(own.operations.map(({ id }) => id)).toEqual(plain.operations.map(({ id }) => id));
  });

  find('has items with the ids of the service', async () => {
    const mock = await createMock({ spec: own });
    const items = mock.state.collection(collection).items;
    expect(items).toHaveLength(3);
    for (const item of items) expect(item['id']).toMatch(form);
  });
});
