import { assert, property, string } from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMock, type Mock } from '../../src/index.js';
import { readFilterExpression } from '../../src/resources/list/filter-expression.js';
import { inPath, query, REMOVED, shows, takes, toDocument } from '../operation-parts.js';
import { arrayOf, BOOLEAN, INTEGER, object, ref, TEXT } from '../schema-parts.js';

const USERS = [
  {
    name: 'Ada',
    age: 36,
    active: true,
    city: { name: 'London' },
    tags: ['maths', 'first'],
    born: '1815-12-10T00:00:00Z',
  },
  { name: "O'Neil, Ben", age: 7, active: false, city: { name: 'Rome' }, tags: [], born: '2015-01-01T00:00:00Z' },
  { name: 'adrian', age: 40, active: true, tags: ['tennis'], phones: [{ type: 'work', number: '555' }] },
];

/** The names of the users that an expression selects, each by its first letters. */
const CASES: readonly (readonly [language: string, expression: string, names: readonly string[]])[] = [
  ['OData', "name eq 'Ada'", ['Ada']],
  ['OData', "name ne 'Ada'", ["O'N", 'adr']],
  ['OData', "name eq 'O''Neil, Ben'", ["O'N"]],
  ['OData', 'age gt 7 and age le 36', ['Ada']],
  ['OData', "age lt 10 or name eq 'adrian'", ["O'N", 'adr']],
  ['OData', 'active eq true', ['Ada', 'adr']],
  ['OData', 'not (active eq true)', ["O'N"]],
  ['OData', 'active', ['Ada', 'adr']],
  ['OData', 'city eq null', ['adr']],
  ['OData', "startswith(name,'Ad')", ['Ada', 'adr']],
  ['OData', "endswith(tolower(name),'ben') eq true", ["O'N"]],
  ['OData', "contains(name,'d') eq false", ["O'N"]],
  ['OData', "tolower(name) eq 'ada'", ['Ada']],
  ['OData', "substringof('neil', name)", ["O'N"]],
  ['OData', "city/name eq 'Rome'", ["O'N"]],
  ['OData', "name in ('Ada','adrian')", ['Ada', 'adr']],
  ['OData', "tags/any(t: t eq 'tennis')", ['adr']],
  ['OData', "tags/all(t:t ne 'tennis')", ['Ada', "O'N"]],
  ['OData', "phones/any(p:p/type eq 'work' and p/number eq '555')", ['adr']],
  ['OData', 'tags/any()', ['Ada', 'adr']],
  ['OData', 'born ge 1900-01-01T00:00:00Z', ["O'N"]],
  ['OData', "born lt datetime'1900-01-01T00:00:00Z'", ['Ada']],
  ['SCIM', 'name eq "Ada"', ['Ada']],
  ['SCIM', 'NAME sw "ad" and active eq "true"', ['Ada', 'adr']],
  ['SCIM', 'name co "drI"', ['adr']],
  ['SCIM', 'name ew "en"', ["O'N"]],
  ['SCIM', 'phones.number pr', ['adr']],
  ['SCIM', 'phones.type eq "work"', ['adr']],
  ['AIP-160', 'name = Ada', ['Ada']],
  ['AIP-160', 'name="Ad*"', ['Ada', 'adr']],
  ['AIP-160', 'age >= 36 AND NOT name != "adrian"', ['adr']],
  ['AIP-160', 'active = true age < 40', ['Ada']],
  ['AIP-160', 'tags:maths OR phones:*', ['Ada', 'adr']],
  ['AIP-160', '(age > 1 AND age < 8) OR city.name = "London"', ['Ada', "O'N"]],
];

describe('a filter expression', () => {
  let mock: Mock;
  beforeAll(async () => {
    const own = {
      id: TEXT,
      name: TEXT,
      age: INTEGER,
      active: BOOLEAN,
      city: object({ name: TEXT }),
      tags: arrayOf(TEXT),
      phones: arrayOf(object({ type: TEXT, number: TEXT })),
      born: { type: 'string', format: 'date-time' },
    };
    const list = object({ value: arrayOf(ref('user')) }, 'value');
    const spec = toDocument(
      {
        '/users': {
          get: { parameters: [query('$filter'), query('$orderby')], ...shows(list) },
          post: takes(ref('user'), ref('user'), 201),
          delete: { parameters: [query('filter')], ...REMOVED },
        },
        '/users/{id}': { ...inPath('id'), get: shows(ref('user')) },
      },
      { user: object(own, 'name') },
    );
    mock = await createMock({ spec, state: { initialItems: 0 } });
    const headers = { 'content-type': 'application/json' };
    for (const each of USERS) {
      const created = await mock.fetch('/users', { method: 'POST', headers, body: JSON.stringify(each) });
      expect(created.status).toBe(201);
    }
  });

  const list = async (parameters: Readonly<Record<string, string>>): Promise<readonly string[]> => {
    const response = await mock.fetch(`/users?${new URLSearchParams(parameters).toString()}`);
    expect(response.status).toBe(200);
    const { value } = (await response.json()) as { readonly value: readonly { readonly name: string }[] };
    return value.map(({ name }) => name.slice(0, 3));
  };

  it.each(CASES)('of %s: %s', async (_, expression, names) => {
    expect(await list({ $filter: expression })).toEqual(names);
    expect(mock.journal.last()?.trace.join('\n')).not.toContain('has no effect');
  });

  it.each([
    ["name eq 'Ada", 'the expression cannot be read'],
    ["constructor(name,'A')", 'the expression cannot be read'],
    ['name eq', 'the expression cannot be read'],
    ['age add 2 gt 5', '"age" is compared with nothing'],
    ['name', '"name" is compared with nothing'],
    ['('.repeat(200), 'the expression cannot be read'],
    ['silver-fox', 'items have no property "silver-fox"'],
    ["nmae eq 'Ada'", 'items have no property "nmae"'],
  ])('that says nothing about items has no effect, which the trace says: %s', async (expression, problem) => {
    expect(await list({ $filter: expression })).toHaveLength(USERS.length);
    expect(mock.journal.last()?.trace.join('\n')).toContain(`has no effect: ${problem}`);
  });

  it('is combined with an order by several properties', async () => {
    expect(await list({ $orderby: 'active desc,name', $filter: 'age gt 1' })).toEqual(['Ada', 'adr', "O'N"]);
    expect(await list({ $orderby: 'age desc' })).toEqual(['adr', 'Ada', "O'N"]);
  });

  it('of any characters is read without an error', { tags: 'slow' }, () => {
    assert(
      property(string({ unit: 'binary', maxLength: 60 }), (text) => {
        const { test, problem } = readFilterExpression(text, undefined);
        expect(test === undefined ? typeof problem : typeof test({ name: 'Ada' })).toMatch(/^(string|boolean)$/);
      }),
    );
  });

  it('that cannot be read removes nothing', async () => {
    const remove = (filter: string): Promise<Response> =>
      mock.fetch(`/users?${new URLSearchParams({ filter }).toString()}`, { method: 'DELETE' });
    expect((await remove('name eq')).status).toBe(204);
    expect(await list({})).toHaveLength(USERS.length);
    await remove("name eq 'Ada'");
    expect(await list({})).toEqual(["O'N", 'adr']);
  });
});
