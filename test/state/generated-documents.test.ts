import { describe, expect, it } from 'vitest';
import { inPath, json, pathParameter, sends, shows, toDocument } from '../operation-parts.js';
import { arrayOf, INTEGER, NUMBER, object, type Part, ref, TEXT, WORLDS } from '../schema-parts.js';
import { openShop } from './shop.js';

const BOAT = object({ id: INTEGER, name: TEXT, hull: TEXT }, 'id', 'name');
const items: Part = arrayOf(ref('Boat'));

describe('a version of the API that is a parameter of the path', () => {
  it.each(['/api/v{version}', '/api/{apiVersion}', '/{api-version}', '/v{version:apiVersion}'])(
    'is not the id of an item: %s',
    async (base) => {
      const name = /\{([^}]+)\}/.exec(base)?.[1] ?? '';
      const version = pathParameter(name);
      const spec = toDocument(
        {
          [`${base}/boats`]: {
            parameters: [version],
            get: shows(items),
            post: { ...sends(object({ name: TEXT })), ...shows(ref('Boat')) },
          },
          [`${base}/boats/{id}`]: { parameters: [version, pathParameter('id', INTEGER)], get: shows(ref('Boat')) },
        },
        { Boat: BOAT },
      );
      const { send } = await openShop({ spec });
      const at = base.replace(/\{[^}]+\}/, '1');
      const { body } = await send('POST', `${at}/boats`, { name: 'Heron' });
      expect((await send('GET', `${at}/boats/${String(body['id'])}`)).body).toMatchObject({ name: 'Heron' });
    },
  );

  it('is an item where the path ends in it', async () => {
    const spec = toDocument(
      {
        '/apps/{app}/versions': { ...inPath('app'), post: { ...sends(object({ name: TEXT })), ...shows(ref('Boat')) } },
        '/apps/{app}/versions/{version}': { ...inPath('app', 'version'), get: shows(ref('Boat')) },
      },
      { Boat: object({ id: TEXT, name: TEXT }, 'id', 'name') },
    );
    const { send } = await openShop({ spec });
    const { body } = await send('POST', '/apps/a/versions', { name: 'first' });
    expect((await send('GET', `/apps/a/versions/${String(body['id'])}`)).body).toEqual(body);
  });
});

describe('PUT on a collection', () => {
  const paths = (sent: object): Part => ({
    '/boats': {
      get: shows(items),
      post: { ...sends(object({ name: TEXT, hull: TEXT })), ...shows(ref('Boat')) },
      put: { ...sends(sent), ...shows(ref('Boat')) },
    },
    '/boats/{id}': { parameters: [pathParameter('id', INTEGER)], get: shows(ref('Boat')) },
  });

  it.each([
    ['the schema of the item', ref('Boat')],
    ['a schema of its own', object({ id: INTEGER, name: TEXT, hull: TEXT })],
  ])('replaces the item that its body names, with %s', async (_, sent) => {
    const { send } = await openShop({ spec: toDocument(paths(sent), { Boat: BOAT }) });
    const { id } = (await send('POST', '/boats', { name: 'Heron', hull: 'wood' })).body;
    expect((await send('PUT', '/boats', { id, name: 'Egret' })).body).toMatchObject({ id, name: 'Egret' });
    const read = (await send('GET', `/boats/${String(id)}`)).body;
    expect(read).toMatchObject({ id, name: 'Egret' });
    expect(read).not.toHaveProperty('hull');
  });
});

describe('a parent whose parameter has a plain name', () => {
  it.each(WORLDS)('is not mistaken for the item below it, in an %s world', async (_, options) => {
    const spec = toDocument(
      {
        '/shows': { post: { ...sends(object({ name: TEXT })), ...shows(ref('Show')) } },
        '/shows/{id}': { ...inPath('id'), get: shows(ref('Show')) },
        '/shows/{id}/episodes': {
          ...inPath('id'),
          get: shows(object({ items: arrayOf(ref('Episode')) })),
          post: { ...sends(object({ name: TEXT })), ...shows(ref('Episode')) },
        },
        '/episodes/{id}': { ...inPath('id'), get: shows(ref('Episode')) },
      },
      {
        Show: object({ id: TEXT, name: TEXT }, 'id', 'name'),
        Episode: object({ id: TEXT, name: TEXT, length: TEXT }, 'id', 'name'),
      },
    );
    const { send } = await openShop({ ...options, spec });
    const show = String((await send('POST', '/shows', { name: 'first' })).body['id']);
    const { body } = await send('POST', `/shows/${show}/episodes`, { name: 'pilot' });
    expect((await send('GET', `/episodes/${String(body['id'])}`)).body).toEqual(body);
    expect((await send('GET', `/shows/${show}/episodes`)).body['items']).toEqual([body]);
  });
});

it('reads one item in an array whose elements show more than those of the list', async () => {
  const key = object({ key_id: TEXT, name: TEXT }, 'key_id', 'name');
  const details: Part = { allOf: [ref('Key'), object({ scopes: arrayOf(TEXT) })] };
  const spec = toDocument(
    {
      '/keys': {
        get: shows(object({ result: arrayOf(ref('Key')) })),
        post: { ...sends(object({ name: TEXT })), ...shows(ref('Key')) },
      },
      '/keys/{key_id}': { ...inPath('key_id'), get: shows(object({ result: arrayOf(details) })) },
    },
    { Key: key },
  );
  const { send } = await openShop({ spec });
  const { body } = await send('POST', '/keys', { name: 'first' });
  const read = (await send('GET', `/keys/${String(body['key_id'])}`)).body['result'];
  expect(read).toEqual([expect.objectContaining({ key_id: body['key_id'], name: 'first' })]);
});

describe.each(WORLDS)('in a %s world, operations that declare', (_, options) => {
  const error = json(object({ message: TEXT, statusCode: INTEGER }, 'message'));
  const cat = object({ name: TEXT, price: NUMBER }, 'name');
  it.each<readonly [string, (success: number) => Part, number]>([
    ['only 4xx', () => ({ 400: error, 404: error }), 204],
    ['only a default error', () => ({ default: error }), 204],
    ['a success without content', (status) => ({ [status]: { description: '' } }), 200],
  ])('%s keep items with what requests send', async (_name, toResponses, removed) => {
    const one = { responses: toResponses(200) };
    const spec = toDocument({
      '/cats': { get: one, post: { ...sends(cat), responses: toResponses(201) } },
      '/cats/{id}': { ...inPath('id'), get: one, patch: { ...sends(object({ price: NUMBER })), ...one }, delete: one },
    });
    const { send } = await openShop({ ...options, spec });
    const created = await send('POST', '/cats', { name: 'Tom', price: 3 });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({ id: expect.any(String), name: 'Tom', price: 3 });
    const path = `/cats/${String(created.body['id'])}`;
    expect(created.headers.get('location')).toBe(path);
    expect((await send('GET', '/cats')).list).toEqual([created.body]);
    expect((await send('PATCH', path, { price: 4 })).body).toEqual({ ...created.body, price: 4 });
    expect((await send('GET', path)).body).toEqual({ ...created.body, price: 4 });
    expect((await send('DELETE', path)).status).toBe(removed);
    expect((await send('GET', path)).status).toBe(404);
    expect((await send('GET', '/cats')).list).toEqual([]);
  });
});

it('the success of an operation that declares errors only is noted in the journal', async () => {
  const spec = toDocument({ '/ping': { get: { operationId: 'ping', responses: { 400: { description: '' } } } } });
  const { send, mock } = await openShop({ spec });
  expect((await send('GET', '/ping')).status).toBe(200);
  expect(mock.contract.problems.map(({ code }) => code)).toEqual(['SUCCESS_MISSING']);
  expect(mock.journal.last()?.trace.join('\n')).toContain('declares no success response');
  expect(mock.journal.last()?.violations).toEqual([]);
});
