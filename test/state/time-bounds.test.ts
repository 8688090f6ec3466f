import { describe, expect, it } from 'vitest';
import { json, query, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, CLOSED, INTEGER, object, TEXT } from '../schema-parts.js';
import { openShop } from './shop.js';

const DAY_MS = 24 * 60 * 60 * 1000;

const TIME = { type: 'string', format: 'date-time' };

type Bounds = readonly [earliest: string, latest: string];

const open = async (
  time: object,
  [earliest, latest]: Bounds,
  schema: object,
): Promise<Awaited<ReturnType<typeof openShop>>> => {
  const event = object({ id: TEXT, name: TEXT, created_at: time }, 'id', 'name');
  const description = 'A Unix timestamp, or a date.';
  const parameters = [earliest, latest].map((name) => Object.assign({ description }, query(name, schema)));
  return openShop({
    ...CLOSED,
    spec: toDocument({
      '/events': {
        get: {
          parameters: [...parameters, query('limit', INTEGER)],
          responses: { 200: json(arrayOf(event)), 400: { description: 'wrong' } },
        },
        post: takes(object({ name: TEXT }, 'name'), event, 201),
      },
    }),
  });
};

describe.each<[names: Bounds]>([
  [['since', 'until']],
  [['after', 'before']],
  [['created_after', 'created_before']],
  [['starting_after', 'ending_before']],
])('a list with %s', (names) => {
  it.each<[kind: string, time: object, schema: object, write: (now: number) => string]>([
    ['dates', TIME, TIME, (now) => new Date(now).toISOString()],
    ['seconds', INTEGER, INTEGER, (now) => String(Math.floor(now / 1000))],
    ['seconds for dates', TIME, INTEGER, (now) => String(Math.floor(now / 1000))],
    ['dates for seconds', INTEGER, TIME, (now) => new Date(now).toISOString()],
  ])('leaves out the items of other times, named by %s', async (_, time, schema, write) => {
    const [earliest, latest] = names;
    const { mock, send } = await open(time, names, schema);
    const now = mock.clock.now();
    await send('POST', '/events', { name: 'first' });
    mock.clock.advance(2 * DAY_MS);
    await send('POST', '/events', { name: 'second' });
    const between = encodeURIComponent(write(now + DAY_MS));
    const list = async (text: string): Promise<readonly unknown[]> =>
      (await send('GET', `/events?${text}`)).list.map(({ name }) => name);
    expect(await list(`${earliest}=${between}`)).toEqual(['second']);
    expect(await list(`${latest}=${between}`)).toEqual(['first']);
    expect(await list('limit=5')).toHaveLength(2);
  });
});

it('a list with both ends of a range leaves out the items outside of it, also where they have dates without a time', async () => {
  const day = { type: 'string', format: 'date' };
  const task = object({ id: TEXT, start_date: day, end_date: day }, 'id', 'start_date', 'end_date');
  const { send } = await openShop({
    spec: toDocument({
      '/tasks': {
        get: { parameters: [query('startDate', TIME), query('endDate', TIME)], ...shows(arrayOf(task)) },
        post: takes(object({ start_date: day, end_date: day }), task, 201),
      },
    }),
  });
  for (const month of ['01', '02', '03'])
    await send('POST', '/tasks', { start_date: `2026-${month}-01`, end_date: `2026-${month}-20` });
  const list = async (text: string): Promise<readonly unknown[]> =>
    (await send('GET', `/tasks?${text}`)).list.map(({ start_date }) => start_date);
  expect(await list('startDate=2026-02-01T00:00:00Z')).toEqual(['2026-02-01', '2026-03-01']);
  expect(await list('startDate=2026-02-01T00:00:00Z&endDate=2026-02-20T00:00:00Z')).toEqual(['2026-02-01']);
});
