// @module-tag slow
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runResources } from '../../src/cli/commands/resources.js';
import { loadContract } from '../../src/contract/load/load.js';
import { createMock, loadContract as loadForMocks } from '../../src/index.js';

const SPECS = '../shared/specs';
const names = (await readdir('presets')).map((file) => file.replace('.yaml', ''));

const json = (schema: object): object => ({ content: { 'application/json': { schema } } });
const object = (properties: object, required: readonly string[] = []): object => ({
  type: 'object',
  properties,
  required,
});
const text = { type: 'string' };

/** A small document with the title of a vendor's: one resource with an action, and errors. */
function createDocument(info: object, more: object = {}): Readonly<Record<string, unknown>> {
  const schema = { $ref: '#/components/schemas/payment_intent' };
  const fails = { default: { description: 'error', ...json({ $ref: '#/components/schemas/error' }) } };
  const parameters = [{ name: 'intent', in: 'path', required: true, schema: text }];
  return {
    openapi: '3.1.0',
    info: { title: 'Payments', version: '1', ...info },
    ...more,
    paths: {
      '/v1/payment_intents': {
        get: { responses: { 200: { description: 'all', ...json({ type: 'array', items: schema }) }, ...fails } },
        post: {
          requestBody: json(object({ amount: { type: 'integer' } })),
          responses: { 200: { description: 'created', ...json(schema) }, ...fails },
        },
      },
      '/v1/payment_intents/{intent}': {
        parameters,
        get: { responses: { 200: { description: 'one', ...json(schema) }, ...fails } },
      },
      '/v1/disputes/{dispute}': {
        parameters: [{ name: 'dispute', in: 'path', required: true, schema: text }],
        get: {
          responses: { 200: { description: 'one', ...json({ $ref: '#/components/schemas/dispute' }) }, ...fails },
        },
      },
      '/v1/disputes/{dispute}/close': {
        parameters: [{ name: 'dispute', in: 'path', required: true, schema: text }],
        post: {
          responses: { 200: { description: 'closed', ...json({ $ref: '#/components/schemas/dispute' }) }, ...fails },
        },
      },
    },
    components: {
      schemas: {
        payment_intent: object(
          {
            id: text,
            amount: { type: 'integer' },
            status: { type: 'string', enum: ['canceled', 'processing', 'requires_payment_method'] },
          },
          ['id', 'status'],
        ),
        dispute: object({ id: text, status: { type: 'string', enum: ['lost', 'needs_response', 'won'] } }, ['id']),
        error: object(
          {
            error: object({
              type: { type: 'string', enum: ['api_error', 'idempotency_error', 'invalid_request_error'] },
              code: text,
              message: text,
              param: text,
            }),
          },
          ['error'],
        ),
      },
    },
  };
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
      hint: 'the presets are openai, stripe, and none for no preset',
    });
  });

  it('from the document cache, too', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'vouch-presets-'));
    const spec = join(folder, 'api.json');
    await writeFile(spec, JSON.stringify(STRIPE));
    const load = (preset: string | false): ReturnType<typeof loadContract> =>
      loadContract(spec, { preset, cacheFolder: join(folder, 'cache') });
    const pointer = '/components/schemas/payment_intent/properties/id/example';
    const [first, again, without] = [await load('auto'), await load('auto'), await load(false)];
    expect([first.preset, again.preset, without.preset]).toEqual(['stripe', 'stripe', undefined]);
    expect(again.at(pointer)).toBe(first.at(pointer));
    expect([again.hash, without.at(pointer)]).toEqual([first.hash, undefined]);
    expect(without.hash).not.toBe(first.hash);
    await rm(folder, { recursive: true });
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
    const spec = { openapi: '3.1.0', info: { title: 'Stripe API', version: '1' }, paths: {} };
    const mock = await createMock({ spec });
    expect([mock.contract.preset, mock.problems]).toEqual(['stripe', []]);
    expect(mock.contract.document).toEqual((await createMock({ spec, preset: false })).contract.document);
  });

  it('is applied before the overlays of the user', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'vouch-presets-'));
    const file = join(folder, 'own.yaml');
    const target = '$.components.schemas.payment_intent.properties.id';
    await writeFile(
      file,
      `overlay: 1.0.0\nactions:\n  - target: ${target}\n    update: { example: own_1a2b3c4d5e6f7g8h }\n`,
    );
    const mock = await createMock({ spec: STRIPE, overlays: [file] });
    expect((await readJson(mock.fetch('/v1/payment_intents', POST)))['id']).toMatch(/^own_/);
    await rm(folder, { recursive: true });
  });

  it('is named by vouch resources', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'vouch-presets-'));
    const spec = join(folder, 'api.json');
    await writeFile(spec, JSON.stringify(STRIPE));
    const print = async (options: object): Promise<string> => {
      const lines: string[] = [];
      await runResources({ spec, write: (line) => lines.push(line), ...options });
      return lines.join('\n');
    };
    expect(await print({})).toContain('Stripe API 1 (preset: stripe)');
    expect(await print({ preset: false })).not.toContain('preset');
    expect(JSON.parse(await print({ json: true }))).toMatchObject({ preset: 'stripe' });
    await rm(folder, { recursive: true });
  });
});

describe('the preset openai', () => {
  it('gives ids and one form of errors', async () => {
    const schema = { $ref: '#/components/schemas/Batch' };
    const spec = {
      openapi: '3.1.0',
      info: { title: 'OpenAI API', version: '2' },
      paths: {
        '/batches': { post: { responses: { 200: { description: 'created', ...json(schema) } } } },
        '/batches/{batch_id}': {
          parameters: [{ name: 'batch_id', in: 'path', required: true, schema: text }],
          get: { responses: { 200: { description: 'one', ...json(schema) } } },
        },
      },
      components: {
        schemas: {
          Batch: object({ id: text, status: { type: 'string', enum: ['completed', 'validating'] } }, ['id', 'status']),
          ErrorResponse: object({ error: object({ type: text, code: {}, message: text, param: {} }) }, ['error']),
        },
      },
    };
    const mock = await createMock({ spec, state: { unknownIds: 'not-found' } });
    const created = await readJson(mock.fetch('/batches', { method: 'POST' }));
    expect(created).toMatchObject({ id: expect.stringMatching(/^batch_\w{24}$/), status: 'validating' });
    expect(await readJson(mock.fetch('/batches/batch_x'))).toMatchObject({
      error: { type: 'invalid_request_error', param: 'batch_id' },
    });
  });
});

describe('each preset', () => {
  it.each(names)('%s is an overlay with a title and a host, and docs/presets.md describes it', async (name) => {
    const overlay = await readFile(join('presets', `${name}.yaml`), 'utf8');
    expect(overlay).toMatch(/^overlay: 1\.0\.0\n[\s\S]*\nx-preset:\n {2}titles: .+\n {2}hosts: .+\nactions:\n/);
    expect(await readFile('docs/presets.md', 'utf8')).toContain(`\n## ${name}\n`);
  });
});

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
  }, 60_000);
  afterAll(() => undefined);

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
