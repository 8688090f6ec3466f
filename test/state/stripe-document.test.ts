// @module-tag slow
import Stripe from 'stripe';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Mock } from '../../src/index.js';
import { openMock } from '../sweep/open-mock.js';
import { describeDocument } from './real-document.js';

describeDocument('stripe.yaml', (spec) => {
  let mock: Mock;
  let stripe: Stripe;
  beforeAll(async () => {
    mock = await openMock(spec, { preset: 'auto', state: { initialItems: 0 } });
    const { url } = await mock.listen();
    const { hostname, port } = new URL(url);
    stripe = new Stripe('sk_test_123', {
      host: hostname,
      port: Number(port),
      protocol: 'http',
      maxNetworkRetries: 0,
      telemetry: false,
    });
  });
  afterAll(() => mock.close());

  it('the number of a card is not shown, and what metadata has is', async () => {
    const card = { number: '4242424242424242', cvc: '123', exp_month: 4, exp_year: 2030 };
    const made = await stripe.paymentMethods.create({ type: 'card', card, metadata: { plan: 'pro' } });
    expect(made).toMatchObject({ type: 'card', card: { exp_month: 4, exp_year: 2030 }, metadata: { plan: 'pro' } });
    expect(made.card).not.toHaveProperty('number');
    const read = await stripe.paymentMethods.retrieve(made.id);
    expect(read.card).toEqual(made.card);
    expect(JSON.stringify(read)).not.toContain(card.number);
  });

  it('customers are created, walked newest first, updated, and gone once deleted', async () => {
    const made: string[] = [];
    for (let i = 0; i < 7; i++) {
      const customer = await stripe.customers.create({ name: `Customer ${i}`, metadata: { number: String(i) } });
      expect(customer).toMatchObject({ object: 'customer', name: `Customer ${i}`, metadata: { number: String(i) } });
      made.push(customer.id);
    }
    const walked: string[] = [];
    await stripe.customers.list({ limit: 3 }).autoPagingEach((customer) => void walked.push(customer.id));
    expect(walked).toEqual(made.toReversed());
    const [first = ''] = made;
    await stripe.customers.update(first, { name: 'Renamed', metadata: { color: 'red' } });
    const read = await stripe.customers.retrieve(first);
    expect(read).toMatchObject({ name: 'Renamed', metadata: { number: '0', color: 'red' } });
    expect(await stripe.customers.del(first)).toEqual({ id: first, object: 'customer', deleted: true });
    expect(await stripe.customers.retrieve(first)).toMatchObject({ id: first, deleted: true, object: 'customer' });
    const left = await stripe.customers.list({ limit: 100 });
    expect(left.data.map(({ id }) => id)).toEqual(made.slice(1).toReversed());
  });

  it('products and their prices are created, updated and listed', async () => {
    const product = await stripe.products.create({ name: 'Coffee', description: 'Whole beans' });
    expect(product).toMatchObject({ object: 'product', name: 'Coffee', description: 'Whole beans' });
    const price = await stripe.prices.create({ currency: 'chf', unit_amount: 1250, product: product.id });
    expect(price).toMatchObject({ object: 'price', currency: 'chf', unit_amount: 1250, product: product.id });
    const tea = await stripe.products.create({ name: 'Tea' });
    await stripe.prices.create({ currency: 'eur', unit_amount: 300, product: tea.id });
    const ofCoffee = await stripe.prices.list({ product: product.id });
    expect(ofCoffee.data.map(({ id }) => id)).toEqual([price.id]);
    await stripe.prices.update(price.id, { nickname: 'standard' });
    expect((await stripe.prices.retrieve(price.id)).nickname).toBe('standard');
    await stripe.products.update(product.id, { description: '' });
    expect((await stripe.products.retrieve(product.id)).description).toBeNull();
    expect(await stripe.products.del(tea.id)).toMatchObject({ id: tea.id, deleted: true });
    await expect(stripe.products.retrieve(tea.id)).rejects.toMatchObject({ statusCode: 404 });
  });

  it('a payment intent is created, confirmed and read; another one is cancelled', async () => {
    const intent = await stripe.paymentIntents.create({ amount: 2000, currency: 'usd' });
    expect(intent).toMatchObject({ object: 'payment_intent', amount: 2000, currency: 'usd' });
    expect(['canceled', 'succeeded']).not.toContain(intent.status);
    expect((await stripe.paymentIntents.confirm(intent.id)).status).toBe('succeeded');
    expect((await stripe.paymentIntents.retrieve(intent.id)).status).toBe('succeeded');
    const other = await stripe.paymentIntents.create({ amount: 100, currency: 'usd' });
    const cancelled = await stripe.paymentIntents.cancel(other.id);
    expect(cancelled.status).toBe('canceled');
    expect(cancelled.canceled_at).toBe(Math.floor(mock.clock.now() / 1000));
  });

  it('a subscription is created, updated and cancelled, and stays readable', async () => {
    const customer = await stripe.customers.create({});
    const subscription = await stripe.subscriptions.create({ customer: customer.id, items: [{ price: 'price_1' }] });
    expect(subscription).toMatchObject({ object: 'subscription', customer: customer.id });
    await stripe.subscriptions.update(subscription.id, { metadata: { plan: 'pro' } });
    expect((await stripe.subscriptions.retrieve(subscription.id)).metadata).toMatchObject({ plan: 'pro' });
    expect((await stripe.subscriptions.cancel(subscription.id)).status).toBe('canceled');
    expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe('canceled');
    // The document: "By default, returns a list of subscriptions that have not been canceled."
    expect((await stripe.subscriptions.list({ customer: customer.id })).data).toEqual([]);
    const of = await stripe.subscriptions.list({ customer: customer.id, status: 'canceled' });
    expect(of.data.map(({ id }) => id)).toEqual([subscription.id]);
  });

  it('a subscription shows the prices that it is created with', async () => {
    const product = await stripe.products.create({ name: 'Gold' });
    const price = await stripe.prices.create({ currency: 'usd', unit_amount: 1500, product: product.id });
    const { id: customer } = await stripe.customers.create({});
    const subscription = await stripe.subscriptions.create({ customer, items: [{ price: price.id, quantity: 3 }] });
    const { object, has_more: hasMore, data } = subscription.items;
    expect({ object, hasMore }).toEqual({ object: 'list', hasMore: false });
    expect(data).toMatchObject([
      { price, quantity: 3, subscription: subscription.id, object: 'subscription_item', created: subscription.created },
    ]);
    expect(data[0]?.id).toMatch(/^si_/);
    expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({ items: subscription.items });
    const [element] = data;
    expect(await stripe.subscriptionItems.retrieve(element?.id ?? '')).toEqual(element);
    const period = subscription as unknown as Readonly<Record<string, number>>;
    expect(period['current_period_start']).toBeGreaterThanOrEqual(subscription.created);
    expect(period['current_period_end']).toBeGreaterThan(subscription.created);
  });

  it('refunds and webhook endpoints are created, read, updated and listed over pages', async () => {
    const refund = await stripe.refunds.create({ charge: 'ch_1', amount: 50 });
    expect(refund).toMatchObject({ object: 'refund', charge: 'ch_1', amount: 50 });
    await stripe.refunds.update(refund.id, { metadata: { why: 'test' } });
    expect((await stripe.refunds.retrieve(refund.id)).metadata).toMatchObject({ why: 'test' });
    const made = new Set<string>();
    for (let i = 0; i < 5; i++) {
      const endpoint = await stripe.webhookEndpoints.create({ url: `https://example.com/${i}`, enabled_events: ['*'] });
      expect(endpoint).toMatchObject({ object: 'webhook_endpoint', url: `https://example.com/${i}` });
      made.add(endpoint.id);
    }
    const walked: string[] = [];
    await stripe.webhookEndpoints.list({ limit: 2 }).autoPagingEach((endpoint) => void walked.push(endpoint.id));
    expect(walked).toHaveLength(made.size);
    expect(new Set(walked)).toEqual(made);
    const [first = ''] = made;
    await stripe.webhookEndpoints.update(first, { description: 'changed' });
    expect((await stripe.webhookEndpoints.retrieve(first)).description).toBe('changed');
    expect(await stripe.webhookEndpoints.del(first)).toMatchObject({ id: first, deleted: true });
    await expect(stripe.webhookEndpoints.retrieve(first)).rejects.toMatchObject({ statusCode: 404 });
  });

  it('a retry with its Idempotency-Key creates nothing new, and another body with it is a conflict', async () => {
    const before = (await stripe.coupons.list({ limit: 100 })).data.length;
    const options = { idempotencyKey: 'retry-1' };
    const one = await stripe.coupons.create({ percent_off: 10, duration: 'once' }, options);
    const two = await stripe.coupons.create({ percent_off: 10, duration: 'once' }, options);
    expect(two.id).toBe(one.id);
    expect((await stripe.coupons.list({ limit: 100 })).data).toHaveLength(before + 1);
    const other = stripe.coupons.create({ percent_off: 20, duration: 'once' }, options);
    await expect(other).rejects.toBeInstanceOf(Stripe.errors.StripeIdempotencyError);
    await expect(other).rejects.toMatchObject({ statusCode: 400 });
  });

  it('no answer of all this broke the document', () => {
    const broken = mock.journal.interactions.filter(({ answer }) => answer.status >= 500);
    expect(broken.map(({ request, violations }) => [request.method, request.url, violations[0]?.message])).toEqual([]);
  });
});
