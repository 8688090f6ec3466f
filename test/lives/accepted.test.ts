import { describe, expect, it } from 'vitest';
import { content, inPath, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, INTEGER, object, ref, TEXT } from '../schema-parts.js';
import { openShop } from '../state/shop.js';
import { loadContract } from '../../src/index.js';

/** A response in several media types, in this order. */
const inTypes = (schema: unknown, ...types: readonly string[]): object => ({
  responses: {
    200: { description: 'ok', content: Object.assign({}, ...types.map((type) => content(schema, type))) as object },
  },
});

describe('media types of an object that begin with text/plain, as documents of ASP.NET have them', () => {
  const types = ['text/plain', 'application/json', 'text/json'];
  const spec = toDocument(
    {
      '/api/Boats': {
        get: inTypes(arrayOf(ref('Boat')), ...types),
        post: { ...takes(ref('Boat'), ref('Boat')), ...inTypes(ref('Boat'), ...types) },
      },
      '/api/Boats/{id}': { ...inPath('id'), get: inTypes(ref('Boat'), ...types) },
      '/api/Motto': { get: inTypes({ ...TEXT, enum: ['steady as she goes'] }, ...types) },
    },
    { Boat: object({ id: INTEGER, name: TEXT }) },
  );

  it.each([undefined, '*/*', 'application/json, text/plain, */*'])(
    'Accept: %s gets JSON from state',
    async (accept) => {
      const { send } = await openShop({ spec });
      const headers: Readonly<Record<string, string>> = accept === undefined ? {} : { accept };
      const { body } = await send('POST', '/api/Boats', { name: 'Petrel' }, headers);
      expect(body).toMatchObject({ name: 'Petrel' });
      expect((await send('GET', `/api/Boats/${String(body['id'])}`, undefined, headers)).body).toEqual(body);
      expect((await send('GET', '/api/Boats', undefined, headers)).body).toEqual([body]);
    },
  );

  it('a client that asks for text gets text, and a string stays text', async () => {
    const { mock, send } = await openShop({ spec });
    await send('POST', '/api/Boats', { name: 'Petrel' });
    const wanted = await mock.fetch('/api/Boats', { headers: { accept: 'text/plain' } });
    expect(wanted.headers.get('content-type')).toMatch(/^text\/plain/);
    const motto = await mock.fetch('/api/Motto');
    expect(motto.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(await motto.text()).toBe('steady as she goes');
  });
});

describe('a security requirement with two schemes for the Authorization header', () => {
  const securitySchemes = {
    password: { type: 'http', scheme: 'basic' },
    token: { type: 'oauth2', flows: {} },
    tenant: { type: 'apiKey', in: 'header', name: 'X-Tenant' },
  };
  const spec = toDocument({ '/tides': { get: shows(arrayOf(object({ height: INTEGER }))) } }, undefined, {
    components: { securitySchemes },
    security: [{ password: [], token: ['read'], tenant: [] }],
  });

  it('is two alternatives; what else it needs is needed with either', async () => {
    const { send } = await openShop({ spec });
    const ask = async (headers: Readonly<Record<string, string>>): Promise<number> =>
      (await send('GET', '/tides', undefined, headers)).status;
    const tenant = { 'x-tenant': 't' };
    expect(await ask({ ...tenant, authorization: 'Basic dTpw' })).toBe(200);
    expect(await ask({ ...tenant, authorization: 'Bearer t' })).toBe(200);
    expect(await ask({ authorization: 'Bearer t' })).toBe(401);
    expect(await ask(tenant)).toBe(401);
  });

  it('is reported where the document is checked', async () => {
    const { problems, operations } = await loadContract(spec);
    expect(problems.map(({ code, at }) => [code, at.pointer])).toEqual([['SECURITY_CONTRADICTORY', '/security']]);
    expect(operations[0]?.security).toEqual([
      { password: [], tenant: [] },
      { token: ['read'], tenant: [] },
    ]);
  });
});
