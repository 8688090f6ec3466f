import { expect, it } from 'vitest';
import { inPath, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, CLOSED, INTEGER, object, TEXT } from '../schema-parts.js';
import { openShop } from './shop.js';

const toReference = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

const SCHEMAS = {
  Amount: object({ currency: TEXT, value: INTEGER }),
  Payment: object({
    pspReference: TEXT,
    amount: toReference('Amount'),
    resultCode: TEXT,
    refusal: TEXT,
    order: TEXT,
  }),
  NewPayment: object({
    additionalAmount: toReference('Amount'),
    amount: toReference('Amount'),
    merchantAccount: TEXT,
    returnUrl: TEXT,
  }),
  Message: object({ id: TEXT, text: TEXT, reply: toReference('Message'), pinned: toReference('Message') }),
};

const SPEC = toDocument(
  {
    '/payments': { post: takes(toReference('NewPayment'), toReference('Payment')) },
    '/payments/{reference}/captures': {
      post: {
        ...inPath('reference'),
        ...takes(
          object({ amount: toReference('Amount') }),
          object({ amount: toReference('Amount'), status: TEXT }),
          201,
        ),
      },
    },
    '/messages': {
      get: shows(object({ result: arrayOf(toReference('Message')) })),
      post: takes(object({ text: TEXT }), object({ ok: BOOLEAN, result: toReference('Message') })),
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
