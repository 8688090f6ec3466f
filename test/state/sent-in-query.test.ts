import { describe, expect, it } from 'vitest';
import { CLOSED, type Part } from '../schema-parts.js';
import { loadCases } from '../load-cases.js';
import { openShop } from './shop.js';

const spec = loadCases<Record<string, unknown>>('state/sent-in-query.yaml');

async function open(): Promise<(method: string, path: string, body?: Part) => Promise<Part>> {
  const { send } = await openShop({ ...CLOSED, spec });
  return async (...request) => (await send(...request)).body;
}

describe('properties in the query of a write', () => {
  it('are those of a created item', async () => {
    const send = await open();
    const made = await send('POST', '/pets?name=Rex&age=3&tags=a&tags=b&homeId=h1&expand=home');
    expect(made).toMatchObject({ name: 'Rex', age: 3, tags: ['a', 'b'], home: { id: 'h1' } });
    expect(made['expand']).not.toBe('home');
    expect(await send('GET', `/pets/${String(made['id'])}`)).toEqual(made);
    expect(await send('GET', '/pets')).toEqual([made]);
  });

  it('change an item', async () => {
    const send = await open();
    const { id } = await send('POST', '/pets?name=Rex&age=3');
    const changed = await send('POST', `/pets/${String(id)}?status=sold&name=Max`);
    expect(changed).toMatchObject({ id, name: 'Max', status: 'sold', age: 3 });
    expect(await send('GET', `/pets/${String(id)}`)).toEqual(changed);
  });

  it('are not added to an item whose request leaves them out', async () => {
    const send = await open();
    expect(Object.keys(await send('POST', '/pets?name=Rex'))).not.toContain('age');
  });

  it('give way to the body, and are properties beside one only by their exact names', async () => {
    const send = await open();
    const { id } = await send('POST', '/pets?name=Rex');
    const changed = await send('PATCH', `/pets/${String(id)}?status=available&age=4&note=x`, { status: 'sold' });
    expect(changed).toMatchObject({ status: 'sold', age: 4 });
    expect(changed['pet_note']).not.toBe('x');
  });
});
