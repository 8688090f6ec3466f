import { describe, expect, it } from 'vitest';
import { pathParameter, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, INTEGER, object, TEXT } from '../schema-parts.js';
import { openShop } from './shop.js';

const date = { type: ['string', 'null'], format: 'date-time' };
const id = { parameters: [pathParameter('job_id')] };

interface Given {
  readonly statuses?: readonly string[];
  readonly body?: object;
  readonly acts?: readonly string[];
  readonly hint?: unknown;
}

const createDocument = ({
  statuses = [],
  body = { name: TEXT },
  acts = [],
  hint,
}: Given): Readonly<Record<string, unknown>> => {
  const properties = {
    id: TEXT,
    name: TEXT,
    status: { type: 'string', enum: statuses },
    started_at: date,
    completed_at: date,
    output: TEXT,
    progress: INTEGER,
  };
  const job = object(properties, 'id', 'status', 'completed_at');
  const actions = acts.map((act) => [`/jobs/{job_id}/${act}`, { ...id, post: shows(job) }]);
  return toDocument(
    {
      '/jobs': { get: shows(arrayOf(job)), post: takes(object(body), job, 201) },
      '/jobs/{job_id}': { ...id, get: shows(job) },
      ...Object.fromEntries(actions),
    },
    undefined,
    hint === undefined ? {} : { 'x-mock': { collections: { jobs: { lifecycle: hint } } } },
  );
};

/** The statuses of a created job: of the answer to its create, and of the reads after it. */
const poll = async (given: Given, acts: readonly string[] = []): Promise<readonly unknown[]> => {
  const { send } = await openShop({ spec: createDocument(given), state: { unknownIds: 'not-found' } });
  const { body } = await send('POST', '/jobs', { name: 'a' });
  const path = `/jobs/${String(body['id'])}`;
  const statuses = [body['status']];
  for (const act of acts) statuses.push((await send('POST', `${path}/${act}`)).body['status']);
  for (let i = 0; i < 5; i++) {
    const read = (await send('GET', path)).body;
    statuses.push(read['status']);
    expect((await send('GET', '/jobs')).list).toEqual([read]);
  }
  return [...new Set(statuses)];
};

const WORK = ['queued', 'in_progress', 'completed', 'failed', 'cancelled'];

describe('the status of a created item', () => {
  it.each([
    ['work', WORK, ['queued', 'in_progress', 'completed']],
    ['in alphabetical order', ['completed', 'failed', 'queued', 'running'], ['queued', 'running', 'completed']],
    ['in capitals', ['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED'], ['PENDING', 'RUNNING', 'SUCCEEDED']],
    ['of a server', ['active', 'provisioning', 'off'], ['provisioning', 'active']],
  ])('advances with each read: %s', async (_, statuses, want) => {
    expect(await poll({ statuses })).toEqual(want);
  });

  it.each([
    ['that only an action changes', ['draft', 'published', 'archived'], ['draft']],
    ['that waits for its client', ['requires_action', 'processing', 'succeeded'], ['requires_action', 'processing']],
    ['without an end', ['pending', 'approved', 'rejected'], ['pending']],
  ])('stays as it is: one %s', async (_, statuses, want) => {
    expect(want).toEqual(expect.arrayContaining([...(await poll({ statuses }))]));
  });

  it('stays as it is where requests set it', async () => {
    expect(await poll({ statuses: WORK, body: { status: TEXT } })).toEqual(['queued']);
  });

  it('reaches what an action sets only by that action', async () => {
    expect(await poll({ statuses: WORK, acts: ['complete'] })).toEqual(['queued', 'in_progress']);
    expect(await poll({ statuses: WORK, acts: ['cancel'] }, ['cancel'])).toEqual(['queued', 'cancelled']);
  });

  it('is stored with the times and the output that belong to it', async () => {
    const { send } = await openShop({ spec: createDocument({ statuses: WORK }), state: { unknownIds: 'not-found' } });
    const { body } = await send('POST', '/jobs', { name: 'a' });
    expect(body).toMatchObject({ completed_at: null, progress: 0 });
    expect(body).not.toHaveProperty('output');
    const path = `/jobs/${String(body['id'])}`;
    const { body: running } = await send('GET', path);
    expect(running).toMatchObject({ started_at: expect.any(String), completed_at: null });
    expect((await send('GET', path)).body).toMatchObject({
      started_at: running['started_at'],
      completed_at: expect.any(String),
      progress: 100,
      output: expect.any(String),
    });
  });

  it('is shown by a read before it is the last one, and only reads of the item advance it', async () => {
    const spec = createDocument({ statuses: ['pending', 'completed'] });
    const { send } = await openShop({ spec, state: { unknownIds: 'not-found' } });
    const { body, headers } = await send('POST', '/jobs', { name: 'a' });
    const path = `/jobs/${String(body['id'])}`;
    const { body: other } = await send('POST', '/jobs', { name: 'b' });
    const statuses = async (): Promise<unknown> => (await send('GET', '/jobs')).list.map(({ status }) => status);
    expect(await statuses()).toEqual(['pending', 'pending']);
    const first = await send('GET', path);
    expect(first.body).toEqual(body);
    expect(first.headers.get('etag')).toBe(headers.get('etag'));
    for (let i = 0; i < 3; i++) await send('GET', `/jobs/${String(other['id'])}`);
    expect(await statuses()).toEqual(['pending', 'completed']);
    expect((await send('GET', path)).body['status']).toBe('completed');
    expect(await statuses()).toEqual(['completed', 'completed']);
  });

  it('stays as it is in a fixture', async () => {
    const fixtures = { jobs: [{ id: 'j1', status: 'queued', completed_at: null }] };
    const { send } = await openShop({ spec: createDocument({ statuses: WORK }), fixtures });
    for (let i = 0; i < 3; i++) expect((await send('GET', '/jobs/j1')).body['status']).toBe('queued');
  });
});

describe('the hint "lifecycle"', () => {
  it('names the statuses', async () => {
    const hint = { statuses: ['draft', 'checked', 'live'] };
    expect(await poll({ statuses: ['live', 'checked', 'draft'], hint })).toEqual(['draft', 'checked', 'live']);
  });

  it('switches it off', async () => {
    expect(await poll({ statuses: WORK, hint: false })).toEqual(['queued']);
  });

  it('lets the clock advance it', async () => {
    const spec = createDocument({ statuses: WORK, hint: { seconds: 10 } });
    const { send, mock } = await openShop({ spec, state: { unknownIds: 'not-found' } });
    const { body } = await send('POST', '/jobs', { name: 'a' });
    const path = `/jobs/${String(body['id'])}`;
    for (let i = 0; i < 3; i++) expect((await send('GET', path)).body['status']).toBe('queued');
    mock.clock.advance(15_000);
    expect((await send('GET', '/jobs')).list[0]?.['status']).toBe('in_progress');
    mock.clock.advance(5000);
    expect((await send('GET', path)).body['status']).toBe('completed');
  });

  it.each([
    [{ property: 'stage' }, 'no property "stage"'],
    [{ statuses: ['queued', 'gone'] }, '"gone" is not a value of "status"'],
  ])('is refused where it cannot be followed: %j', async (hint, message) => {
    await expect(openShop({ spec: createDocument({ statuses: WORK, hint }) })).rejects.toThrow(message);
  });
});
