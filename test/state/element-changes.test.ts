import { expect, it } from 'vitest';
import { inPath, query, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, CLOSED, object, ref, TEXT } from '../schema-parts.js';
import { openShop } from './shop.js';

const TEXTS = arrayOf(TEXT);
const MESSAGE = object({ id: TEXT, labelIds: TEXTS, tags: TEXTS, parents: TEXTS, address: TEXT }, 'id');
const REFERENCE = ref('Message');
const NEW = object({ labelIds: TEXTS, parents: TEXTS, address: TEXT });
const CHANGE = object({
  addLabelIds: TEXTS,
  removeLabelIds: TEXTS,
  tags_to_add: TEXTS,
  tags_to_remove: TEXTS,
  address: TEXT,
});
const toParameter = (name: string): object => query(name);

const SPEC = toDocument(
  {
    '/messages': { post: takes(NEW, REFERENCE, 201) },
    '/messages/{id}': {
      ...inPath('id'),
      get: shows(REFERENCE),
      patch: { parameters: [toParameter('addParents'), toParameter('removeParents')], ...takes(CHANGE, REFERENCE) },
    },
    '/messages/{id}/modify': { ...inPath('id'), post: takes(CHANGE, REFERENCE) },
  },
  { Message: MESSAGE },
);

it('elements are added to an array and removed from it by members named after it, in the body and the query', async () => {
  const { send } = await openShop({ ...CLOSED, spec: SPEC });
  const sent = { labelIds: ['INBOX', 'UNREAD'], parents: ['root'], address: 'Main Street' };
  const { body: message } = await send('POST', '/messages', sent);
  const path = `/messages/${String(message['id'])}`;
  const changed = await send('POST', `${path}/modify`, {
    addLabelIds: ['STARRED', 'INBOX'],
    removeLabelIds: ['UNREAD'],
  });
  expect(changed.body['labelIds']).toEqual(['INBOX', 'STARRED']);
  await send('PATCH', `${path}?addParents=one,two&removeParents=root`, { tags_to_add: ['red', 'blue'] });
  await send('PATCH', path, { tags_to_remove: ['red'], address: 'Side Street' });
  expect((await send('GET', path)).body).toEqual({
    id: message['id'],
    labelIds: ['INBOX', 'STARRED'],
    parents: ['one', 'two'],
    tags: ['blue'],
    address: 'Side Street',
  });
});
