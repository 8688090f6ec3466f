import { describe, expect, it } from 'vitest';
import { inPath, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, INTEGER, object, type Part, ref, TEXT } from '../schema-parts.js';
import { openShop, type Shop } from '../state/shop.js';

const open = (paths: Part, schemas: Part): Promise<Shop> =>
  openShop({ spec: toDocument(paths, schemas), state: { initialItems: 0 } });

describe('beside the list that a batch answers with', () => {
  const Entry = object({ id: TEXT, text: TEXT, is_deleted: BOOLEAN }, 'id', 'text', 'is_deleted');
  const Sent = object({ text: TEXT });
  const one = object({ data: object({ entry: ref('Entry') }, 'entry') }, 'data');
  const members = { entry_ids: arrayOf(TEXT), entry: ref('Entry'), entries: arrayOf(ref('Entry')), known: INTEGER };
  const paths = {
    '/books/{book_id}/entries': {
      ...inPath('book_id'),
      get: shows(object({ data: object({ entries: arrayOf(ref('Entry')) }, 'entries') }, 'data')),
      post: takes(
        object({ entry: ref('Sent'), entries: arrayOf(ref('Sent')) }),
        object({ data: object(members, 'entry_ids', 'known') }, 'data'),
        201,
      ),
    },
    '/books/{book_id}/entries/{entry_id}': { ...inPath('book_id', 'entry_id'), get: shows(one), delete: shows(one) },
  };

  it('are the ids of its items, or the only item where one was sent', async () => {
    const { send } = await open(paths, { Entry, Sent });
    const single = (await send('POST', '/books/b/entries', { entry: { text: 'one' } })).body['data'] as Part;
    const { id } = single['entry'] as Part;
    expect(single).toMatchObject({ entry_ids: [id], entry: { text: 'one' } });
    expect(single).not.toHaveProperty('entries');
    const both = (await send('POST', '/books/b/entries', { entries: [{ text: 'two' }, { text: 'three' }] })).body[
      'data'
    ] as { readonly entry_ids: readonly string[]; readonly entries: readonly Part[] };
    expect(both.entries.map(({ text }) => text)).toEqual(['two', 'three']);
    expect(both.entry_ids).toEqual(both.entries.map((each) => each['id']));
    expect(both).not.toHaveProperty('entry');
    expect((await send('GET', `/books/b/entries/${both.entry_ids[1] ?? ''}`)).body['data']).toMatchObject({
      entry: { text: 'three' },
    });
  });

  it('a flag says in the answer to the removal that the item is removed', async () => {
    const { send } = await open(paths, { Entry, Sent });
    const { entry } = (await send('POST', '/books/b/entries', { entry: { text: 'one' } })).body['data'] as Part;
    const { id } = entry as Part;
    expect((await send('GET', `/books/b/entries/${String(id)}`)).body['data']).toMatchObject({
      entry: { is_deleted: false },
    });
    expect((await send('DELETE', `/books/b/entries/${String(id)}`)).body['data']).toMatchObject({
      entry: { id, is_deleted: true },
    });
  });
});

describe('a task that an answer shows', () => {
  const Disk = object({ id: INTEGER, label: TEXT, size: INTEGER }, 'id', 'label');
  const Step = object(
    {
      id: INTEGER,
      status: { ...TEXT, enum: ['success', 'running', 'error'] },
      percent: INTEGER,
      disk_id: { ...INTEGER, nullable: true },
    },
    'id',
    'status',
  );
  const step = object({ step: ref('Step') });
  const paths = {
    '/disks': {
      get: shows(object({ disks: arrayOf(ref('Disk')) })),
      post: takes(
        object({ label: TEXT }, 'label'),
        object({ disk: ref('Disk'), step: ref('Step') }, 'disk', 'step'),
        201,
      ),
    },
    '/disks/{id}': { ...inPath('id'), get: shows(object({ disk: ref('Disk') })), delete: shows(step) },
    '/steps': { get: shows(object({ steps: arrayOf(ref('Step')) })) },
    '/steps/{id}': { ...inPath('id'), get: shows(step) },
  };

  it.each([
    ['beside the item', 'POST', '/disks'],
    ['in place of the item', 'DELETE', '/disks/1'],
  ])('%s is read where the document reads it, and advances', async (_, method, path) => {
    const { send } = await open(paths, { Disk, Step });
    const created = (await send('POST', '/disks', { label: 'a' })).body;
    expect(created['disk']).toMatchObject({ id: 1, label: 'a' });
    const { body } = method === 'POST' ? { body: created } : await send(method, path);
    const shown = body['step'] as Part;
    expect(shown).toMatchObject({ status: 'running', disk_id: 1 });
    const read = async (): Promise<unknown> =>
      ((await send('GET', `/steps/${String(shown['id'])}`)).body['step'] as Part)['status'];
    expect([await read(), await read()]).toContain('success');
    expect(((await send('GET', '/steps')).body['steps'] as readonly Part[]).map(({ id }) => id)).toContain(shown['id']);
  });
});
