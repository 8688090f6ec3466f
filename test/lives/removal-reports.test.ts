import { describe, expect, it } from 'vitest';
import { inPath, json, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, INTEGER, NUMBER, object, ref, TEXT } from '../schema-parts.js';
import { openShop, type Reply } from '../state/shop.js';

/** The answer to a DELETE that is declared so. */
const remove = async (answer: object): Promise<Reply> => {
  const spec = toDocument(
    {
      '/rafts': { get: shows(arrayOf(ref('Raft'))), post: takes(object({ name: TEXT }), ref('Raft'), 201) },
      '/rafts/{id}': { ...inPath('id'), get: shows(ref('Raft')), delete: { responses: { 200: json(answer) } } },
    },
    { Raft: object({ id: TEXT, name: TEXT, afloat: BOOLEAN }, 'id') },
  );
  const { send } = await openShop({ spec });
  const { id } = (await send('POST', '/rafts', { name: 'One' })).body;
  return send('DELETE', `/rafts/${String(id)}`);
};

describe('the answer to a DELETE', () => {
  it.each([
    [object({ success: BOOLEAN, result: BOOLEAN, took: NUMBER }), { success: true, result: true }],
    [object({ data: BOOLEAN }), { data: true }],
    [object({ outcome: BOOLEAN, reason: TEXT }), { outcome: true }],
    [object({ done: BOOLEAN, dry_run: BOOLEAN }, 'done'), { done: true }],
    [BOOLEAN, true],
    [object({ result: { ...TEXT, enum: ['ok', 'not found'] } }), { result: 'ok' }],
    [object({ status: { ...TEXT, enum: ['error', 'success'] } }), { status: 'success' }],
    [object({ result: { ...TEXT, enum: ['created', 'updated', 'deleted'] } }), { result: 'deleted' }],
    [object({ deleted: INTEGER, ok: BOOLEAN }), { deleted: 1, ok: true }],
    [object({ deleted_count: INTEGER }), { deleted_count: 1 }],
    [object({ data: object({}) }), { data: {} }],
  ])('says that it was done: %j', async (answer, wanted) => {
    const { body } = await remove(answer);
    if (typeof wanted === 'boolean') expect(body).toBe(wanted);
    else expect(body).toMatchObject(wanted);
  });

  it('reports no failure, and shows the flags of an item as they are', async () => {
    expect((await remove(object({ failed: BOOLEAN }))).body).not.toMatchObject({ failed: true });
    expect((await remove(object({ left: INTEGER }))).body).toEqual({});
    expect((await remove(ref('Raft'))).body).toMatchObject({ name: 'One' });
    expect((await remove(ref('Raft'))).body).not.toMatchObject({ afloat: true });
  });
});
