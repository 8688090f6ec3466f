import { describe, expect, it } from 'vitest';
import { query, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, INTEGER, NUMBER, object, type Part, ref, TEXT } from '../schema-parts.js';
import { openShop, type Shop } from '../state/shop.js';

const TIME = { ...TEXT, format: 'date-time' };
const STATE = { ...TEXT, enum: ['packed', 'sent'] };
const given = {
  title: TEXT,
  state: STATE,
  kind: TEXT,
  weight: NUMBER,
  sent_at: TIME,
  depot: object({ id: TEXT, town: TEXT }, 'id'),
  sender: object({ id: TEXT, login: TEXT, town: TEXT }, 'id'),
  stamps: arrayOf(object({ id: TEXT, label: TEXT })),
};
const Parcel = object({ id: TEXT, ...given, created_at: { ...TIME, readOnly: true } }, 'id', 'title');
const PARCELS: readonly Part[] = [
  {
    title: 'A',
    state: 'packed',
    kind: 'box',
    weight: 2.5,
    sent_at: '2024-03-01T00:00:00Z',
    depot: { id: 'd1', town: 'Ulm' },
    sender: { id: 'u1', login: 'ann', town: 'bob' },
  },
  {
    title: 'B',
    state: 'sent',
    kind: 'bag',
    weight: 10,
    sent_at: '2024-05-01T00:00:00Z',
    depot: { id: 'd2', town: 'Bern' },
    sender: { id: 'u2', login: 'bob', town: 'ann' },
    stamps: [{ id: 's1', label: 'red' }],
  },
];

const open = async (...parameters: readonly Part[]): Promise<Shop> => {
  const found = object({ parcels: arrayOf(ref('Parcel')) }, 'parcels');
  const search = object({
    query: {},
    filter: { type: 'object' },
    filters: arrayOf({ type: 'object' }),
    limit: INTEGER,
  });
  const spec = toDocument(
    {
      '/parcels': { get: { parameters, ...shows(found) }, post: takes(object(given, 'title'), ref('Parcel'), 201) },
      '/parcels/search': { post: takes(search, found) },
    },
    { Parcel },
  );
  const shop = await openShop({ spec });
  for (const each of PARCELS) await shop.send('POST', '/parcels', each);
  return shop;
};

const titles = (body: Part): unknown => (body['parcels'] as readonly Part[]).map(({ title }) => title);

describe('a parameter of a list', () => {
  it.each([
    ['states[]', arrayOf(STATE), 'states[]=sent', ['B']],
    ['states', TEXT, 'states=sent,packed', ['A', 'B']],
    ['states', arrayOf(STATE), 'states=sent', ['B']],
    ['parcel_kinds', arrayOf(TEXT), 'parcel_kinds=bag', ['B']],
    ['parcel_state', STATE, 'parcel_state=packed', ['A']],
    ['filter[state]', STATE, 'filter[state]=sent', ['B']],
    ['depot_ids[]', arrayOf(TEXT), 'depot_ids[]=d2', ['B']],
    ['depotIds', arrayOf(TEXT), 'depotIds=d1&depotIds=d2', ['A', 'B']],
    ['depot_town', TEXT, 'depot_town=Ulm', ['A']],
    ['stamp_label', TEXT, 'stamp_label=red', ['B']],
    ['sent_after', TIME, 'sent_after=2024-04-01T00:00:00Z', ['B']],
    ['sent_before', TEXT, 'sent_before=2024-04-01', ['A']],
    ['since_date', TEXT, 'since_date=2999-01-01', []],
    ['since_date', TEXT, 'since_date=2019-01-01', ['A', 'B']],
    ['min_weight', NUMBER, 'min_weight=2.6', ['B']],
    ['weight_max', NUMBER, 'weight_max=2.6', ['A']],
    ['state[ne]', STATE, 'state[ne]=sent', ['A']],
    ['state__in', TEXT, 'state__in=sent,lost', ['B']],
    ['kind__icontains', TEXT, 'kind__icontains=AG', ['B']],
    ['title_not', TEXT, 'title_not=A', ['B']],
    ['weight__gt', NUMBER, 'weight__gt=2.5', ['B']],
    ['depot', TEXT, 'depot=d2', ['B']],
    ['sender', TEXT, 'sender=ann', ['A']],
  ])('%s (%j) filters: %s', async (name, schema, text, wanted) => {
    const { send } = await open(query(name, schema));
    const { body, headers } = await send('GET', `/parcels?${text}`);
    expect(titles(body)).toEqual(wanted);
    expect(headers.get('x-mock-ignored')).toBeNull();
  });

  it('whose default is false hides what a flag says is removed, and nothing by another flag', async () => {
    const Crate = object({ id: TEXT, trashed: BOOLEAN, fragile: BOOLEAN }, 'id', 'trashed', 'fragile');
    const flag = { ...BOOLEAN, default: false };
    const get = { parameters: [query('trashed', flag), query('fragile', flag)], ...shows(arrayOf(ref('Crate'))) };
    const post = takes(object({ fragile: BOOLEAN, trashed: BOOLEAN }), ref('Crate'), 201);
    const { send } = await openShop({ spec: toDocument({ '/crates': { get, post } }, { Crate }) });
    const { id } = (await send('POST', '/crates', { fragile: true, trashed: true })).body;
    const other = (await send('POST', '/crates', { fragile: true, trashed: false })).body['id'];
    const list = async (text: string): Promise<unknown> =>
      (await send('GET', `/crates${text}`)).list.map((each) => each['id']);
    expect(await list('')).toContain(other);
    expect(await list('')).not.toContain(id);
    expect(await list('?trashed=true')).toEqual([id]);
  });

  it('that nothing reads is named in a header and in the trace', async () => {
    const { mock, send } = await open(query('colours', arrayOf(TEXT)), query('state', STATE), query('limit', INTEGER));
    const { body, headers } = await send('GET', '/parcels?colours=red&state=sent&limit=5');
    expect(titles(body)).toEqual(['B']);
    expect(headers.get('x-mock-ignored')).toBe('colours');
    expect(mock.journal.last()?.trace.join('\n')).toContain('colours has no effect on the list');
  });

  it.each(['expand', 'fields', 'include_deleted', '$filter'])('%s is read elsewhere', async (name) => {
    const { send } = await open(query(name));
    expect((await send('GET', `/parcels?${name}=title`)).headers.get('x-mock-ignored')).toBe(
      name === '$filter' ? '$filter' : null,
    );
  });
});

describe('a parameter that leaves items out', () => {
  it.each([
    ['exclude_state', 'sent', ['A']],
    ['notState', 'packed', ['B']],
    ['exclude_depot_id', 'd1', ['B']],
  ])('%s=%s', async (name, value, wanted) => {
    const { send } = await open(query(name));
    expect(titles((await send('GET', `/parcels?${name}=${value}`)).body)).toEqual(wanted);
    expect(titles((await send('GET', '/parcels')).body)).toEqual(['A', 'B']);
  });

  it('of several values leaves out all of them, and a word that begins alike is another name', async () => {
    const { send } = await open({ ...query('exclude_kind', arrayOf(TEXT)), explode: false }, query('notstate'));
    expect(titles((await send('GET', '/parcels?exclude_kind=bag,box')).body)).toEqual([]);
    expect(titles((await send('GET', '/parcels?notstate=sent')).body)).toEqual(['A', 'B']);
  });

  it('is not a flag, which leaves out members of the answer', async () => {
    const { send } = await open(query('exclude_stamps', BOOLEAN));
    const answer = await send('GET', '/parcels?exclude_stamps=true');
    expect(titles(answer.body)).toEqual(['A', 'B']);
    expect(answer.headers.get('x-mock-ignored')).toBe('exclude_stamps');
  });
});

describe('conditions of a search that are JSON', () => {
  it.each([
    [{ query: { field: 'state', operator: '=', value: 'sent' } }, ['B']],
    [{ query: { field: 'weight', operator: '<', value: 3 } }, ['A']],
    [{ query: { field: 'depot.town', operator: 'in', values: ['Bern', 'Rome'] } }, ['B']],
    [
      {
        query: {
          operator: 'OR',
          value: [
            { field: 'title', operator: '=', value: 'A' },
            { field: 'kind', operator: '~', value: 'ba' },
          ],
        },
      },
      ['A', 'B'],
    ],
    [{ query: { filter: { title: { exact: 'A' } }, sort: { field: 'title' } } }, ['A']],
    [{ filter: { kind: { exact: 'bag' } } }, ['B']],
    [{ filter: { state: 'sent', kind: ['box', 'bag'] } }, ['B']],
    [{ filter: { and: [{ kind: 'box' }, { not: { state: 'sent' } }] } }, ['A']],
    [{ filter: { sent_at: { start_at: '2024-04-01T00:00:00Z', end_at: '2024-06-01T00:00:00Z' } } }, ['B']],
    [{ filter: { depot: { id: 'd1' } } }, ['A']],
    [{ filters: [{ propertyName: 'weight', operator: 'GTE', value: '10' }] }, ['B']],
    [{ filters: [{ propertyName: 'stamps', operator: 'NOT_HAS_PROPERTY' }] }, ['A']],
  ])('%j', async (body, wanted) => {
    const { send } = await open();
    const answer = await send('POST', '/parcels/search', body);
    expect(titles(answer.body)).toEqual(wanted);
    expect(answer.headers.get('x-mock-ignored')).toBeNull();
  });

  it.each([
    [{ query: { field: 'colour', operator: '=', value: 'red' } }, 'query', 'items have no property "colour"'],
    [{ query: { field: 'state', operator: 'resembles', value: 'red' } }, 'query', '"resembles" is not an operator'],
    [{ filter: { state: { looks_like: 'sent' } } }, 'filter', '"state" is compared with {"looks_like":"sent"}'],
  ])('that are not understood are named: %j', async (body, name, reason) => {
    const { mock, send } = await open();
    const answer = await send('POST', '/parcels/search', body);
    expect(titles(answer.body)).toEqual(['A', 'B']);
    expect(answer.headers.get('x-mock-ignored')).toBe(name);
    expect(mock.journal.last()?.trace.join('\n')).toContain(`has no effect: ${reason}`);
  });
});
