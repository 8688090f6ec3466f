import { expect, it } from 'vitest';
import { CLOSED, json, sends, TEXT, INTEGER, object, arrayOf, BOOLEAN, toDocument, inPath } from '../document-parts.js';
import { openShop } from './shop.js';

const toReference = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const toObject = (properties: object): object => object(properties);

const SCHEMAS = {
  Amount: toObject({ currency: TEXT, value: INTEGER }),
  Payment: toObject({
    pspReference: TEXT,
    amount: toReference('Amount'),
    resultCode: TEXT,
    refusal: TEXT,
    order: TEXT,
  }),
  NewPayment: toObject({
    additionalAmount: toReference('Amount'),
    amount: toReference('Amount'),
    merchantAccount: TEXT,
    returnUrl: TEXT,
  }),
  Message: toObject({ id: TEXT, text: TEXT, reply: toReference('Message'), pinned: toReference('Message') }),
};

const SPEC = toDocument(
  {
    '/payments': { post: { ...sends(toReference('NewPayment')), responses: { 200: json(toReference('Payment')) } } },
    '/payments/{reference}/captures': {
      post: {
        ...inPath('reference'),
        ...sends(toObject({ amount: toReference('Amount') })),
        responses: { 201: json(toObject({ amount: toReference('Amount'), status: TEXT })) },
      },
    },
    '/messages': {
      get: { responses: { 200: json(toObject({ result: arrayOf(toReference('Message')) })) } },
      post: {
        ...sends(toObject({ text: TEXT })),
        responses: { 200: json(toObject({ ok: BOOLEAN, result: toReference('Message') })) },
      },
    },
  },
  SCHEMAS,
);

it('the schema of several properties is that of a value, not of the item', async () => {
  const { send } = await openShop({ ...CLOSED, spec: SPEC });
  const amount = { currency: 'EUR', value: 1000 };
  const sent = { merchantAccount: 'm', amount, additionalAmount: { currency: 'EUR', value: 5 } };
  expect((await send('POST', '/payments', sent)).body).toMatchObject({ amount });
});

it('an item can hold others of its kind', async () => {
  const { send } = await openShop({ ...CLOSED, spec: SPEC });
  const { body } = await send('POST', '/messages', { text: 'Hello' });
  expect(body['result']).toMatchObject({ id: expect.any(String), text: 'Hello' });
  expect((await send('GET', '/messages')).body['result']).toEqual([body['result']]);
});
