import { content, inPath, sends, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, object, ref, TEXT } from '../schema-parts.js';

function answer(schema: object | undefined, headers: object = {}): object {
  return { description: 'an answer', headers, ...(schema === undefined ? {} : { content: content(schema) }) };
}

const MISTAKE = answer(object({ message: TEXT, code: TEXT }, 'message'));

/** A document with one of everything that the store knows how to do. */
export function createShopDocument(): Record<string, unknown> {
  const tag = { ETag: { schema: TEXT } };
  const conditional = { name: 'If-Match', in: 'header', schema: TEXT };
  return toDocument(
    {
      '/orders': {
        get: { operationId: 'listOrders', responses: { 200: answer(arrayOf(ref('Order'))) } },
        post: {
          operationId: 'createOrder',
          ...sends(ref('NewOrder')),
          responses: { 201: answer(ref('Order'), tag), 409: MISTAKE },
        },
      },
      '/orders/batch': {
        post: {
          operationId: 'createOrders',
          ...sends(arrayOf(ref('Order'))),
          responses: { 201: answer(arrayOf(ref('Order'))) },
        },
      },
      '/orders/{order_id}': {
        ...inPath('order_id'),
        get: {
          operationId: 'readOrder',
          responses: { 200: answer(ref('Order'), tag), 304: answer(undefined), 404: MISTAKE },
        },
        patch: {
          operationId: 'updateOrder',
          parameters: [conditional],
          requestBody: {
            content: {
              ...content({ type: 'object' }),
              ...content(arrayOf({ type: 'object' }), 'application/json-patch+json'),
            },
          },
          responses: { 200: answer(ref('Order')), 404: MISTAKE, 409: MISTAKE, 412: MISTAKE },
        },
        put: {
          operationId: 'replaceOrder',
          ...sends(ref('NewOrder')),
          responses: { 200: answer(ref('Order')), 201: answer(ref('Order')), 404: MISTAKE },
        },
        delete: { operationId: 'deleteOrder', responses: { 204: answer(undefined), 404: MISTAKE } },
      },
      '/orders/{order_id}/cancel': {
        ...inPath('order_id'),
        post: { operationId: 'cancelOrder', responses: { 200: answer(ref('Order')), 404: MISTAKE } },
      },
      '/orders/{order_id}/copy': {
        ...inPath('order_id'),
        post: { operationId: 'copyOrder', responses: { 201: answer(ref('Order')), 404: MISTAKE } },
      },
      '/orders/{order_id}/lines': {
        ...inPath('order_id'),
        get: { operationId: 'listLines', responses: { 200: answer(arrayOf(ref('Line'))), 404: MISTAKE } },
        post: {
          operationId: 'createLine',
          ...sends(object({ text: TEXT })),
          responses: { 201: answer(ref('Line')), 404: MISTAKE },
        },
      },
      '/orders/{order_id}/lines/{line_id}': {
        ...inPath('order_id', 'line_id'),
        get: { operationId: 'readLine', responses: { 200: answer(ref('Line')), 404: MISTAKE } },
      },
      '/orders/{order_id}/invoice': {
        ...inPath('order_id'),
        get: { operationId: 'readInvoice', responses: { 200: answer(ref('Invoice')), 404: MISTAKE } },
        put: { operationId: 'writeInvoice', ...sends(ref('Invoice')), responses: { 200: answer(ref('Invoice')) } },
        delete: { operationId: 'deleteInvoice', responses: { 204: answer(undefined), 404: MISTAKE } },
      },
      '/me': { get: { operationId: 'readMe', responses: { 200: answer(ref('Person')) } } },
    },
    {
      Order: {
        ...object(
          {
            id: { type: 'string', readOnly: true, examples: ['ord_8VnGx3RkT5cJq0WbY7mLz2Pd'] },
            status: { type: 'string', enum: ['cancelled', 'open', 'paid'] },
            name: TEXT,
            reference: TEXT,
            note: { type: ['string', 'null'] },
            address: object({ city: TEXT, street: TEXT }),
            tags: arrayOf(TEXT),
            created_at: { type: 'string', format: 'date-time' },
            updated_at: { type: 'string', format: 'date-time' },
            cancelled_at: { type: ['string', 'null'], format: 'date-time' },
          },
          'id',
          'status',
          'created_at',
        ),
        additionalProperties: false,
      },
      NewOrder: object({ name: TEXT, reference: TEXT, address: { type: 'object' }, tags: arrayOf(TEXT) }),
      Line: object({ id: TEXT, order_id: TEXT, text: TEXT }, 'id', 'order_id'),
      Invoice: object({ number: TEXT, paid: BOOLEAN }, 'number'),
      Person: object({ name: TEXT }, 'name'),
    },
  );
}
