// @module-tag slow
import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Mock, type ScenarioDefinition } from '../../src/index.js';
import { describeDocument } from '../state/real-document.js';
import { openMock } from '../sweep/open-mock.js';

/** What one case needs beside the usual client. */
interface Setting {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Call = (client: Stripe) => Promise<unknown>;

const { errors } = Stripe;
const charge: Call = (client) => client.charges.create({ amount: 500, currency: 'usd', source: 'tok_visa' });
const anyParameters = (value: object): never => value as never; // the types of the client refuse what the cases send

interface ErrorCase {
  readonly what: string;
  readonly type: abstract new (...args: never) => Error;
  readonly call: Call;
  readonly want: Readonly<Record<string, unknown>>;
  readonly message?: RegExp;
  readonly setting?: Setting;
}

const CASES: readonly ErrorCase[] = [
  {
    what: 'a customer that does not exist',
    type: errors.StripeInvalidRequestError,
    call: (client) => client.customers.retrieve('cus_none'),
    want: { statusCode: 404, rawType: 'invalid_request_error', code: 'resource_missing', param: 'customer' },
  },
  {
    what: 'a body that names a customer which does not exist',
    type: errors.StripeInvalidRequestError,
    call: (client) => client.subscriptions.create({ customer: 'cus_none', items: [{ price: 'price_1' }] }),
    want: { rawType: 'invalid_request_error', code: 'resource_missing', param: 'customer' },
  },
  {
    what: 'an unknown parameter',
    type: errors.StripeInvalidRequestError,
    call: (client) => client.customers.create(anyParameters({ nmae: 'Ada' })),
    want: { statusCode: 400, code: 'parameter_unknown', param: 'nmae' },
  },
  {
    what: 'a missing required parameter',
    type: errors.StripeInvalidRequestError,
    call: (client) => client.prices.create(anyParameters({ unit_amount: 500 })),
    want: { statusCode: 400, code: 'parameter_missing', param: 'currency' },
  },
  {
    what: 'a value of the wrong type',
    type: errors.StripeInvalidRequestError,
    call: (client) => client.paymentIntents.create(anyParameters({ amount: 'much', currency: 'usd' })),
    want: { statusCode: 400, rawType: 'invalid_request_error', param: 'amount' },
    message: /must be an integer, got "much"/,
  },
  {
    what: 'a value that the enum does not have',
    type: errors.StripeInvalidRequestError,
    call: (client) => client.coupons.create(anyParameters({ duration: 'always', percent_off: 5 })),
    want: { statusCode: 400, param: 'duration' },
    message: /"forever", "once", "repeating"/,
  },
  {
    what: 'a key that is not accepted',
    type: errors.StripeAuthenticationError,
    call: (client) => client.customers.list(),
    want: { statusCode: 401, rawType: 'invalid_request_error' },
    setting: { key: 'sk_test_wrong' },
  },
  {
    what: 'no key',
    type: errors.StripeAuthenticationError,
    call: (client) => client.customers.list(),
    want: { statusCode: 401, rawType: 'invalid_request_error' },
    setting: { key: '' },
  },
  {
    what: 'a status that the request prefers',
    type: errors.StripePermissionError,
    call: charge,
    want: { statusCode: 403, rawType: 'invalid_request_error' },
    message: /^Forbidden$/,
    setting: { headers: { prefer: 'code=403' } },
  },
  {
    what: 'a key of another request',
    type: errors.StripeIdempotencyError,
    call: async (client) => {
      const options = { idempotencyKey: 'once' };
      await client.coupons.create({ percent_off: 10, duration: 'once' }, options);
      await client.coupons.create({ percent_off: 20, duration: 'once' }, options);
    },
    want: { statusCode: 400, rawType: 'idempotency_error' },
    message: /"once" was used for a different request/,
  },
  {
    what: 'a rate limit',
    type: errors.StripeRateLimitError,
    call: charge,
    want: { statusCode: 429, code: 'rate_limit', headers: { 'retry-after': '60', 'x-ratelimit-remaining': '0' } },
    setting: { headers: { 'x-mock-scenario': 'limited' } },
  },
  {
    what: 'a card that is declined, by a scenario without a body',
    type: errors.StripeCardError,
    call: charge,
    want: { statusCode: 402, rawType: 'card_error', code: 'card_declined', decline_code: 'generic_decline' },
    setting: { headers: { 'x-mock-scenario': 'declined' } },
  },
  {
    what: 'a card that is declined, by a scenario that says why',
    type: errors.StripeCardError,
    call: charge,
    want: { statusCode: 402, rawType: 'card_error', code: 'card_declined', decline_code: 'insufficient_funds' },
    setting: { headers: { 'x-mock-scenario': 'without-funds' } },
  },
  {
    what: 'a failure of the service',
    type: errors.StripeAPIError,
    call: charge,
    want: { statusCode: 500, rawType: 'api_error' },
    message: /^A failure of the service\.$/,
    setting: { headers: { prefer: 'code=500' } },
  },
  {
    what: 'a service that is not available, by a scenario',
    type: errors.StripeAPIError,
    call: charge,
    want: { statusCode: 503, rawType: 'api_error' },
    setting: { headers: { 'x-mock-scenario': 'outage' } },
  },
  {
    what: 'a connection that is reset',
    type: errors.StripeConnectionError,
    call: charge,
    want: {},
    message: /connection to Stripe/,
    setting: { headers: { 'x-mock-scenario': 'reset' } },
  },
];

const SCENARIOS: Readonly<Record<string, ScenarioDefinition>> = {
  limited: { operations: { '*': { fault: { 'rate-limit': { limit: 0, window: '1m' } } } } },
  declined: { operations: { '*': { respond: { status: 402 } } } },
  'without-funds': {
    operations: { '*': { respond: { status: 402, body: { error: { decline_code: 'insufficient_funds' } } } } },
  },
  outage: { operations: { '*': { respond: { status: 503 } } } },
  reset: { operations: { '*': { fault: 'reset' } } },
};

describeDocument('stripe.yaml', (spec) => {
  describe.each(['in-process', 'on a socket'] as const)('%s', (reach) => {
    let mock: Mock;
    let address = { hostname: 'in-process.test', port: '80' };
    beforeAll(async () => {
      const state = { initialItems: 0, unknownIds: 'not-found' } as const;
      mock = await openMock(spec, { preset: 'auto', state, auth: { tokens: ['sk_test_good'] }, scenarios: SCENARIOS });
      if (reach === 'on a socket') address = new URL((await mock.listen()).url);
    });
    afterAll(() => mock.close());

    function createClient({ key = 'sk_test_good', headers = {} }: Setting): Stripe {
      const send = reach === 'in-process' ? mock.fetch : fetch;
      const withHeaders: typeof fetch = async (input, init) => {
        const all = new Headers({ ...Object.fromEntries(new Headers(init?.headers)), ...headers });
        if (key === '') all.delete('authorization');
        return send(input, { ...init, headers: all });
      };
      return new Stripe(key === '' ? 'sk_none' : key, {
        httpClient: Stripe.createFetchHttpClient(withHeaders),
        protocol: 'http',
        host: address.hostname,
        port: Number(address.port),
        maxNetworkRetries: 0,
        telemetry: false,
      });
    }

    it.each(CASES)('$what is an error of its class', async ({ type, call, want, message = /./, setting = {} }) => {
      const thrown: unknown = await call(createClient(setting)).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(thrown).toBeInstanceOf(type);
      expect(thrown).toMatchObject({ ...want, message: expect.stringMatching(message) as unknown });
    });
  });
});
