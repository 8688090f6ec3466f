import { expect, it } from 'vitest';
import { CLOSED, json, sends, TEXT } from './document-parts.js';
import { openShop } from './shop.js';

const NUMBER = { type: 'integer' };
const toReference = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const toObject = (properties: object): object => ({ type: 'object', properties });

const SCHEMAS = {
  Amount: toObject({ currency: TEXT, value: NUMBER }),
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

const SPEC = {
  openapi: '3.1.0',
  info: { title: 'Values', version: '1' },
  components: { schemas: SCHEMAS },
  paths: {
    '/payments': { post: { ...sends(toReference('NewPayment')), responses: { 200: json(toReference('Payment')) } } },
    '/payments/{reference}/captures': {
      post: {
        parameters: [{ name: 'reference', in: 'path', required: true, schema: TEXT }],
        ...sends(toObject({ amount: toReference('Amount') })),
        responses: { 201: json(toObject({ amount: toReference('Amount'), status: TEXT })) },
      },
    },
    '/messages': {
      get: { responses: { 200: json(toObject({ result: { type: 'array', items: toReference('Message') } })) } },
      post: {
        ...sends(toObject({ text: TEXT })),
        responses: { 200: json(toObject({ ok: { type: 'boolean' }, result: toReference('Message') })) },
      },
    },
  },
};

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
