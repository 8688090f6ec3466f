// @module-tag slow
import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/contract/load/load.js';
import { inferResources } from '../../src/state/inference/infer.js';
import type { Resources } from '../../src/state/resource.js';
import { describeDocument, inferDocument, loadDocument } from './real-document.js';
import { TEXT, object, pathParameter, content, toDocument, arrayOf, INTEGER } from '../document-parts.js';

/** What was found of some operations: `action collection {what it sets}`, or undefined where nothing was. */
function describeBindings(resources: Resources, places: readonly string[]): readonly (string | undefined)[] {
  const all = new Map(
    [...resources.bindings.values()].map((each) => [`${each.operation.method} ${each.operation.path}`, each]),
  );
  return places.map((place) => {
    const binding = all.get(place);
    if (binding === undefined) return undefined;
    const set = Object.values(binding.set).map(String);
    const within = binding.within === undefined ? [] : [`within ${binding.within.property}`];
    return [binding.action, binding.collection, ...set, ...within].join(' ');
  });
}

/** Checked by hand: what each operation does in the real service, as its documentation says. */
const KNOWN: Readonly<Record<string, Readonly<Record<string, string | undefined>>>> = {
  'openai.yaml': {
    'GET /files': 'list files',
    'POST /files': 'create files',
    'GET /files/{file_id}': 'read files',
    'DELETE /files/{file_id}': 'delete files',
    'GET /files/{file_id}/content': 'content files',
    'GET /vector_stores': 'list vector_stores',
    'POST /vector_stores/{vector_store_id}': 'update vector_stores',
    'POST /vector_stores/{vector_store_id}/files': 'create vector_stores.files',
    'DELETE /vector_stores/{vector_store_id}/files/{file_id}': 'delete vector_stores.files',
    'POST /vector_stores/{vector_store_id}/file_batches/{batch_id}/cancel': 'act vector_stores.file_batches cancelled',
    'POST /assistants/{assistant_id}': 'update assistants',
    'GET /threads/{thread_id}/messages': 'list threads.messages',
    'POST /threads/{thread_id}/messages/{message_id}': 'update threads.messages',
    'GET /threads/{thread_id}/runs/{run_id}/steps/{step_id}': 'read threads.runs.steps',
    'POST /threads/{thread_id}/runs/{run_id}/cancel': 'act threads.runs cancelled',
    'POST /fine_tuning/jobs/{fine_tuning_job_id}/cancel': 'act jobs cancelled',
    'GET /fine_tuning/jobs/{fine_tuning_job_id}/events': 'list jobs.events',
    'POST /batches/{batch_id}/cancel': 'act batches cancelled',
    'POST /uploads/{upload_id}/complete': 'act uploads completed',
    'GET /organization/admin_api_keys': 'list admin_api_keys',
    'DELETE /organization/admin_api_keys/{key_id}': 'delete admin_api_keys',
    'POST /organization/groups/{group_id}/users': 'create groups.users',
    'GET /organization/spend_limit': 'read spend_limit',
    'POST /videos/{video_id}/remix': 'copy videos',
    'POST /embeddings': undefined,
    'POST /moderations': undefined,
    'POST /threads/runs': undefined,
    'POST /vector_stores/{vector_store_id}/search': undefined,
  },
  'stripe.yaml': {
    'GET /v1/customers': 'list customers',
    'POST /v1/customers': 'create customers',
    'GET /v1/customers/search': 'search customers',
    'POST /v1/customers/{customer}': 'update customers',
    'DELETE /v1/customers/{customer}': 'delete customers',
    'GET /v1/customers/{customer}/tax_ids/{id}': 'read customers.tax_ids',
    'GET /v1/customers/{customer}/payment_methods': 'list payment_methods within customer',
    'POST /v1/payment_intents/{intent}/confirm': 'act payment_intents succeeded',
    'POST /v1/payment_intents/{intent}/cancel': 'act payment_intents canceled',
    'DELETE /v1/subscriptions/{subscription_exposed_id}': 'act subscriptions canceled',
    'POST /v1/subscriptions/{subscription}/resume': 'act subscriptions active',
    'POST /v1/invoices/{invoice}/finalize': 'act invoices open',
    'POST /v1/invoices/{invoice}/pay': 'act invoices paid',
    'POST /v1/invoices/{invoice}/void': 'act invoices void',
    'GET /v1/invoices/{invoice}/lines': 'list invoices.lines',
    'POST /v1/quotes/{quote}/accept': 'act quotes accepted',
    'GET /v1/quotes/{quote}/pdf': 'content quotes',
    'POST /v1/disputes/{dispute}/close': 'act disputes',
    'POST /v1/transfers/{id}/reversals': 'create transfers.reversals',
    'POST /v1/transfers/{transfer}/reversals/{id}': 'update transfers.reversals',
    'GET /v1/balance': 'read balance',
    'POST /v1/tax/settings': 'update settings',
    'DELETE /v1/webhook_endpoints/{webhook_endpoint}': 'delete webhook_endpoints',
    'POST /v1/test_helpers/treasury/inbound_transfers/{id}/fail': 'act inbound_transfers failed',
    'POST /v1/account_links': undefined,
    'GET /v1/invoices/upcoming': undefined,
    'GET /v1/credit_notes/preview': undefined,
  },
  'box.json': {
    'GET /files/{file_id}': 'read files',
    'PUT /files/{file_id}': 'update files',
    'DELETE /files/{file_id}': 'delete files',
    'POST /files/{file_id}/copy': 'copy files',
    'GET /files/{file_id}/content': 'content files',
    'GET /files/{file_id}/versions': 'list files.versions',
    'GET /files/{file_id}/watermark': 'read files.watermark',
    'PUT /files/{file_id}/watermark': 'replace files.watermark',
    'DELETE /files/{file_id}/watermark': 'delete files.watermark',
    'POST /folders': 'create folders',
    'GET /folders/{folder_id}/items': 'list folders.items',
    'POST /comments': 'create comments',
    'PUT /comments/{comment_id}': 'update comments',
    'GET /users': 'list users',
    'GET /users/me': 'read users',
    'GET /users/{user_id}/memberships': 'list group_memberships within user',
    'POST /users/{user_id}/email_aliases': 'create users.email_aliases',
    'DELETE /users/{user_id}/email_aliases/{email_alias_id}': 'delete users.email_aliases',
    'GET /groups/{group_id}/memberships': 'list group_memberships within group',
    'POST /sign_requests/{sign_request_id}/cancel': 'act sign_requests cancelled',
    'GET /metadata_taxonomies/{namespace}/{taxonomy_key}': 'read metadata_taxonomies',
    'GET /retention_policies/{retention_policy_id}/assignments':
      'list retention_policy_assignments within retention_policy',
    'POST /oauth2/token': undefined,
    'POST /ai/ask': undefined,
    'GET /files/{file_id}/thumbnail.{extension}': undefined,
  },
  'petstore-3.0.yaml': {
    'POST /pet': 'create pet',
    'PUT /pet': 'replace pet',
    'GET /pet/findByStatus': 'search pet',
    'GET /pet/findByTags': 'search pet',
    'GET /pet/{petId}': 'read pet',
    'DELETE /pet/{petId}': 'delete pet',
    'POST /store/order': 'create order',
    'DELETE /store/order/{orderId}': 'delete order',
    'POST /user/createWithList': 'batch user',
    'GET /user/{username}': 'read user',
    'PUT /user/{username}': 'replace user',
    'GET /user/login': undefined,
    'GET /store/inventory': undefined,
  },
  'train-travel-3.1.json': {
    'GET /stations': 'list stations',
    'GET /trips': 'list trips',
    'GET /bookings': 'list bookings',
    'POST /bookings': 'create bookings',
    'GET /bookings/{bookingId}': 'read bookings',
    'DELETE /bookings/{bookingId}': 'delete bookings',
    'POST /bookings/{bookingId}/payment': undefined,
  },
};

for (const [file, known] of Object.entries(KNOWN)) {
  describeDocument(file, (spec) => {
    it('is understood the way a reader of its documentation understands it', async () => {
      const resources = await inferDocument(spec);
      const places = Object.keys(known);
      const found = describeBindings(resources, places);
      expect(Object.fromEntries(places.map((place, i) => [place, found[i]]))).toEqual(known);
    });

    it('shows what each operation does, or why it is not bound', async () => {
      const contract = await loadDocument(spec);
      const { bindings, unbound } = await inferDocument(spec);
      expect(bindings.size + unbound.length).toBe(contract.operations.length);
      for (const { why } of [...bindings.values(), ...unbound]) expect(why).not.toBe('');
      for (const { confidence } of bindings.values()) expect(confidence).toBeGreaterThan(0);
    });
  });
}

const THING = object({ id: TEXT, status: { enum: ['active', 'archived'] } }, 'id');

/** A document from paths to methods to what they answer; `null` answers with nothing. */
async function infer(paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>): Promise<Resources> {
  const contract = await loadContract(
    toDocument(
      Object.fromEntries(
        Object.entries(paths).map(([path, methods]) => [
          path,
          {
            parameters: [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => pathParameter(name ?? '')),
            ...Object.fromEntries(
              Object.entries(methods).map(([method, schema]) => [
                method,
                {
                  ...(/post|put|patch/.test(method) ? { requestBody: { content: content(THING) } } : {}),
                  responses: { 200: { description: 'ok', ...(schema === null ? {} : { content: content(schema) }) } },
                },
              ]),
            ),
          },
        ]),
      ),
    ),
  );
  return inferResources(contract);
}

describe('names', () => {
  it.each([
    ['the last word of the path', ['/v1/things/{id}'], ['things']],
    ['the parent before the child', ['/things/{thing_id}/parts/{part_id}'], ['things', 'things.parts']],
    ['more words where one is not enough', ['/a/things/{id}', '/b/things/{id}'], ['a.things', 'b.things']],
    ['the short name for the shorter path', ['/things/{id}', '/b/things/{id}'], ['things', 'b.things']],
    ['no word for a version', ['/v2/shop/things/{id}'], ['things']],
  ])('a collection takes %s', async (_, paths, want) => {
    const resources = await infer(
      Object.fromEntries(paths.map((path, i) => [path, { get: { ...THING, title: `T${i}` } }])),
    );
    expect([...resources.collections.keys()]).toEqual(want);
  });
});

describe('an operation', () => {
  it.each([
    ['a list in an array', '/things', { get: arrayOf(THING) }, 'GET', 'list'],
    ['a list in an envelope', '/things', { get: object({ things: arrayOf(THING) }) }, 'GET', 'list'],
    ['an action after a colon', '/things/{id}:archive', { post: THING }, 'POST', undefined],
    ['PUT without a whole body', '/things/{id}', { get: THING, put: null }, 'PUT', 'update'],
    ['me', '/me', { get: THING }, 'GET', 'read'],
  ])('%s', async (...[, path, methods, method, want]) => {
    const { bindings } = await infer({ [path]: methods });
    const binding = [...bindings.values()].find(({ operation }) => operation.method === method);
    expect(binding?.action).toBe(want);
  });

  it('behind a colon acts on the item whose schema it answers with', async () => {
    const component = { $ref: '#/paths/~1things~1{id}/get/responses/200/content/application~1json/schema' };
    const { bindings } = await infer({ '/things/{id}': { get: THING }, '/things/{id}:archive': { post: component } });
    const binding = [...bindings.values()].find(({ operation }) => operation.method === 'POST');
    expect(binding).toMatchObject({ action: 'act', collection: 'things', set: { status: 'archived' } });
  });
});

describe('an item', () => {
  const issue = object({ id: INTEGER, number: INTEGER, name: TEXT });

  it.each([
    ['{number}', 'number'],
    ['{issue_number}', 'number'],
    ['{issueName}', 'name'],
    ['{issue_id}', 'id'],
    ['{key}', 'id'],
  ])('is known by what the path parameter names: %s', async (parameter, want) => {
    const { collections } = await infer({ [`/issues/${parameter}`]: { get: issue } });
    expect(collections.get('issues')?.idProperty).toBe(want);
  });

  it('is what is changed: a version of it has a longer path', async () => {
    const longFirst = { '/things/{id}/{version}': { get: THING }, '/things/{id}': { get: THING, delete: null } };
    const shortFirst = { '/things/{id}': { get: THING, delete: null }, '/things/{id}/{version}': { get: THING } };
    for (const paths of [longFirst, shortFirst]) {
      const wanted = ['read things', 'delete things', undefined];
      const places = ['GET /things/{id}', 'DELETE /things/{id}', 'GET /things/{id}/{version}'];
      expect(describeBindings(await infer(paths), places)).toEqual(wanted);
    }
  });

  it('has the longer path where the shorter one lists it', async () => {
    const list = arrayOf(THING);
    const resources = await infer({
      '/things/{scope}': { get: list },
      '/things/{scope}/{id}': { get: THING, put: THING },
    });
    const places = ['GET /things/{scope}', 'GET /things/{scope}/{id}', 'PUT /things/{scope}/{id}'];
    expect(describeBindings(resources, places)).toEqual(
      ['list', 'read', 'update'].map((each) => `${each} scopes.things`),
    );
  });
});
