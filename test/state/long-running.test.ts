import { describe, expect, it } from 'vitest';
import { finds, inPath, json, pathParameter, sends, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, object, ref, TEXT } from '../schema-parts.js';
import { openShop } from './shop.js';

const broker = object({ id: TEXT, tier: TEXT }, 'id');
const newBroker = object({ tier: TEXT });

/** Brokers whose changes are answered with an operation, which another path reads. */
function createDocument(operation: object, status: number): Readonly<Record<string, unknown>> {
  const accepted = { responses: { [status]: json(operation), 404: { description: 'none' } } };
  return toDocument(
    {
      '/brokers': { get: shows(arrayOf(broker)), post: { ...sends(newBroker), ...accepted } },
      '/brokers/{id}': {
        ...inPath('id'),
        get: finds(broker),
        patch: { ...sends(newBroker), ...accepted },
        delete: accepted,
      },
      '/operations/{operation}': { ...inPath('operation'), get: shows(operation) },
    },
    {
      Operation: object({ name: TEXT, done: BOOLEAN, response: { type: 'object' }, error: object({ code: TEXT }) }),
      Work: object(
        { id: TEXT, status: { type: 'string', enum: ['queued', 'running', 'succeeded', 'failed'] } },
        'id',
        'status',
      ),
    },
  );
}

describe.each(['create', 'not-found'] as const)('where unknown ids are answered by %s', (unknownIds) => {
  it('a change is answered with an operation that can be polled and has the item', async () => {
    const spec = createDocument(ref('Operation'), 200);
    const { send } = await openShop({ spec, state: { unknownIds } });
    const { body: created } = await send('POST', '/brokers', { tier: 'basic' });
    expect(created).toMatchObject({ name: expect.any(String) as string, done: true, response: { tier: 'basic' } });
    expect((await send('GET', `/operations/${String(created['name'])}`)).body).toEqual(created);
    const { id } = created['response'] as { id: string }; // matched above
    const { body: changed } = await send('PATCH', `/brokers/${id}`, { tier: 'standard' });
    expect(changed).toMatchObject({ done: true, response: { id, tier: 'standard' } });
    expect(changed['name']).not.toBe(created['name']);
    expect((await send('GET', '/brokers')).list).toEqual([{ id, tier: 'standard' }]);
    const { body: removed } = await send('DELETE', `/brokers/${id}`);
    expect(removed).toMatchObject({ done: true });
    expect(removed).not.toHaveProperty('error');
    expect((await send('GET', `/operations/${String(removed['name'])}`)).body).toEqual(removed);
    expect((await send('GET', `/brokers/${id}`)).status).toBe(404);
  });

  it('a change is answered with a job that has succeeded', async () => {
    const document = createDocument(ref('Work'), 202);
    const paths = Object.entries(document['paths'] as object).map(([path, item]) => [
      path.replace('/operations/{operation}', '/jobs/{operation}'),
      item as unknown,
    ]);
    const { send } = await openShop({
      spec: { ...document, paths: Object.fromEntries(paths) as object },
      state: { unknownIds },
    });
    const created = await send('POST', '/brokers', { tier: 'basic' });
    expect(created).toMatchObject({ status: 202, body: { status: 'succeeded' } });
    expect((await send('GET', `/jobs/${String(created.body['id'])}`)).body).toEqual(created.body);
    expect((await send('GET', '/brokers')).list).toMatchObject([{ tier: 'basic' }]);
  });
});

it('a change is answered with an operation that is done where no path reads operations, and the list shows the item', async () => {
  const operation = object({ name: TEXT, done: BOOLEAN, response: { type: 'object' } });
  const apps = object({ apps: arrayOf(object({ name: TEXT, title: TEXT, size: TEXT })) });
  const parameters = [pathParameter('parent')];
  const spec = toDocument({
    '/v1/{parent}/apps': {
      parameters,
      get: { operationId: 'hub.projects.places.apps.list', ...shows(apps) },
      post: {
        operationId: 'hub.projects.places.apps.create',
        ...takes(object({ name: TEXT, title: TEXT }), operation),
      },
    },
  });
  const { send } = await openShop({ spec, state: { unknownIds: 'not-found', initialItems: 0 } });
  const path = '/v1/projects/p1/places/b2/apps';
  const { body } = await send('POST', path, { title: 'first' });
  expect(body).toMatchObject({ done: true, response: { title: 'first' } });
  expect((await send('GET', path)).body).toMatchObject({ apps: [{ title: 'first' }] });
  expect((await send('GET', '/v1/projects/p1/places/b3/apps')).body).toEqual({ apps: [] });
});
