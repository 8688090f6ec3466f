import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { readYamlPlace, writeYaml } from '../../inspector/yaml.js';

describe('YAML that the inspector writes', () => {
  it.each([
    [{ a: 1, b: [1, 'x', { c: true, d: [] }], e: {}, f: null }],
    [{ operations: { '*': [{ delay: 500 }, { respond: { status: 503, body: { message: 'a: b # c' } } }] } }],
    [
      {
        'GET /a/{id}': 'yes',
        on: '1.5',
        'x y': ' padded ',
        dates: ['2026-01-01', '-', '', 'null', '~', 'a\nb', "it's"],
      },
    ],
    [[['nested'], [[1]]]],
    [{}],
    ['text'],
  ])('is read as the same value: %j', (value) => expect(load(writeYaml(value))).toEqual(value));

  it('is in block style, with quotes only where they are needed', () => {
    const rules = [{ when: { 'query.limit': 3 }, respond: { status: 503 } }];
    expect(writeYaml({ description: 'The list is down', operations: { listKeys: rules } })).toBe(
      'description: The list is down\noperations:\n  listKeys:\n    - when:\n        query.limit: 3\n      respond:\n        status: 503\n',
    );
  });
});

describe('the place in a YAML text', () => {
  it.each([
    ['a name at the top', 'oper', [], 'oper'],
    ['a name below another', 'operations:\n  li', ['operations'], 'li'],
    ['a name after others', 'operations:\n  a: 1\n  b:\n    c: 2\n  li', ['operations'], 'li'],
    ['a name in an item', 'operations:\n  a:\n    - wh', ['operations', 'a', '0'], 'wh'],
    ['a second name in an item', 'operations:\n  a:\n    - delay: 5\n      re', ['operations', 'a', '0'], 're'],
    ['an item with the indentation of its name', 'a:\n- b: 1\n- c', ['a', '0'], 'c'],
    ['a quoted name', 'operations:\n  "*":\n    wh', ['operations', '*'], 'wh'],
    ['a name after a comment', '# x:\noperations:\n  # y:\n  li', ['operations'], 'li'],
  ])('%s', (_, text, path, word) => {
    expect(readYamlPlace(text, text.length)).toMatchObject({ path, word, isName: true });
  });

  it('a value', () => {
    const text = 'operations:\n  a:\n    respond:\n      status: 5';
    const path = ['operations', 'a', 'respond', 'status'];
    expect(readYamlPlace(text, text.length)).toMatchObject({ path, word: '5', isName: false });
  });
});

interface Completing {
  complete(
    text: string,
    at: number,
    schema: object,
  ): { readonly choices: readonly { readonly text: string }[] } | undefined;
}

describe('completion', async () => {
  // The page is compiled with other options, so that its types are not those of the tests.
  const { complete } = (await import(new URL('../../inspector/completion.ts', import.meta.url).pathname)) as Completing;
  const status = { enum: ['up', 'yes'] };
  const rule = { type: 'object', properties: { status, delay: { type: 'integer' } } };
  const schema = { properties: { rule, rules: { type: 'array', items: rule } } };
  it.each([
    ['a name', 'rule:\n  st', ['status: ']],
    ['names that are not there yet', 'rule:\n  delay: 1\n  ', ['status: ']],
    ['a name in an item', 'rules:\n  - de', ['delay: ']],
    ['a value, with quotes where YAML needs them', 'rule:\n  status: ', ['up', '"yes"']],
    ['a name in flow style', 'rule: { st', ['status: ']],
    ['a name of JSON', '{ "rule": { "st', ['"status": ']],
  ])('lists %s', (_, text, want) => {
    expect(complete(text, text.length, schema)?.choices.map((choice) => choice.text)).toEqual(want);
  });
});
