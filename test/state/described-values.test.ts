import { expect, it } from 'vitest';
import { inPath, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, CLOSED, object, ref, TEXT } from '../schema-parts.js';
import { openShop } from './shop.js';

const TASK = object(
  {
    id: TEXT,
    name: TEXT,
    tags: arrayOf(TEXT),
    status: { type: 'string', description: 'The status is CANCELED, FAILED, PENDING or COMPLETED.' },
    state: { type: 'string', description: 'Where it is: `Texas` or `Ohio`.' },
  },
  'id',
  'status',
);
const REFERENCE = ref('Task');
const NEW = object({ name: TEXT, tags: TASK.properties.tags, state: TEXT });
const LIST = object({ tasks: arrayOf(REFERENCE) });
const IDS = object({ task_ids: arrayOf(TEXT) });

const toQuery = (name: string, more: object): object => ({ name, in: 'query', ...more });

const SPEC = toDocument(
  {
    '/tasks': {
      get: {
        parameters: [
          toQuery('tag_name', { schema: TEXT }),
          toQuery('show_completed', { description: 'The default is True.', schema: BOOLEAN }),
        ],
        ...shows(LIST),
      },
      post: takes(NEW, REFERENCE, 201),
    },
    '/tasks/batch-retrieve': { post: takes(IDS, LIST) },
    '/tasks/{id}': { ...inPath('id'), get: shows(REFERENCE) },
    '/tasks/{id}/complete': { ...inPath('id'), post: shows(REFERENCE) },
  },
  { Task: TASK },
);

async function openTasks() {
  const { send } = await openShop({ ...CLOSED, spec: SPEC });
  const create = async (sent: object): Promise<Readonly<Record<string, unknown>>> =>
    (await send('POST', '/tasks', sent)).body;
  const list = async (method: string, path: string, body?: object): Promise<readonly unknown[]> =>
    (await send(method, path, body)).body['tasks'] as readonly unknown[];
  return { send, create, list };
}

it('a status whose values only its description lists starts with the usual one, and an action sets another', async () => {
  const { send, create } = await openTasks();
  const task = await create({ name: 'a' });
  expect(task).toEqual({ id: expect.any(String), name: 'a', status: 'PENDING' });
  const { body } = await send('POST', `/tasks/${String(task['id'])}/complete`);
  expect(body['status']).toBe('COMPLETED');
});

it('a flag that shows items by default, as its description says, hides them where it is false', async () => {
  const { send, create, list } = await openTasks();
  const [one, two] = [await create({ name: 'a' }), await create({ name: 'b' })];
  const { body: done } = await send('POST', `/tasks/${String(one['id'])}/complete`);
  expect(await list('GET', '/tasks')).toEqual([done, two]);
  expect(await list('GET', '/tasks?show_completed=true')).toEqual([done, two]);
  expect(await list('GET', '/tasks?show_completed=false')).toEqual([two]);
});

it('a parameter named after one element of an array lists the items that have it', async () => {
  const { create, list } = await openTasks();
  const [one] = [await create({ name: 'a', tags: ['web', 'eu'] }), await create({ name: 'b', tags: ['db'] })];
  expect(await list('GET', '/tasks?tag_name=web')).toEqual([one]);
});

it('several items are read by the ids in a body', async () => {
  const { create, list } = await openTasks();
  const [one, , three] = [await create({ name: 'a' }), await create({ name: 'b' }), await create({ name: 'c' })];
  expect(await list('POST', '/tasks/batch-retrieve', { task_ids: [one['id'], three['id']] })).toEqual([one, three]);
});
