import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { toBareName } from '../../src/base/names.js';
import { CONVENTIONS, means, rankNames } from '../../src/conventions/conventions.js';
import { readDocumentNames } from './document-names.js';

const SPECS = new Map([
  ['Box', 'box.json'],
  ['GitHub', 'github.json'],
  ['OpenAI', 'openai.yaml'],
  ['Petstore', 'petstore-2.0.yaml'],
  ['Stripe', 'stripe.yaml'],
  ['Train Travel', 'train-travel-3.1.json'],
]);
const toPath = (file: string): string => `../shared/specs/${file}`;
const present = [...SPECS].filter(([, file]) => existsSync(toPath(file)));

describe('a convention', () => {
  it.each([...CONVENTIONS])('%s says where it is seen', (_, { seen }) => expect(seen).toMatch(/\w/));

  it.each([...CONVENTIONS])('%s has names in the form in which they are compared', (_, { names, unless = '' }) => {
    for (const name of `${names} ${unless}`.split(/\s+/)) {
      const plain = name.replaceAll(/[()|?*@]/g, '');
      expect(plain === '-' ? '' : plain).toBe(toBareName(plain));
    }
  });

  it.skipIf(present.length < SPECS.size)('is used by the documents that it names', () => {
    const names = new Map(present.map(([title, file]) => [title, readDocumentNames(toPath(file))]));
    const missing = [...CONVENTIONS].flatMap(([idea, { where, seen }]) =>
      seen
        .split(', ')
        .filter((title) => names.has(title) && !stands(names.get(title)?.[where], idea))
        .map((title) => `${idea} in ${title}`),
    );
    // Prose of a service says what its document does not.
    expect(missing).toEqual(['headers.otherLimit in OpenAI']);
  });
});

function stands(names: ReadonlySet<string> | undefined, idea: string): boolean {
  // The keys of the table are the ideas.
  return [...(names ?? [])].some((name) => means(name, idea as Parameters<typeof means>[1]));
}

describe('the meaning of a name', () => {
  it('ignores case and separators', () => {
    for (const name of ['next_page_token', 'nextPageToken', 'Next-Page-Token', '$nextPageToken'])
      expect(means(name, 'pages.next')).toBe(true);
  });

  it('is that of the whole name', () => {
    expect(means('next_door', 'pages.next')).toBe(false);
    expect(means('', 'pages.next')).toBe(false);
  });

  it('reads optional letters, optional groups and groups in groups', () => {
    expect(
      ['total', 'total_count', 'totalFilteredCount', 'continuation'].map((name) => means(name, 'pages.total')),
    ).toEqual([true, true, true, false]);
    expect(['continue', 'continuation', 'continuationToken'].every((name) => means(name, 'pages.next'))).toBe(true);
    expect(['result', 'results', 'resultss'].map((name) => means(name, 'envelopes.items'))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('reads a star as any text', () => {
    expect(means('payment_status', 'statuses.name')).toBe(true);
    expect(means('last_evaluated_key', 'pages.next')).toBe(true);
  });

  it('is not what the row excludes', () => {
    expect(means('client_secret', 'secrets.new')).toBe(true);
    expect(means('next_page_token', 'secrets.new')).toBe(false);
  });

  it('keeps the @ of JSON-LD and OData', () => {
    expect(means('@id', 'links.self')).toBe(true);
    expect(means('id', 'links.self')).toBe(false);
  });

  it('is one of several', () => {
    expect(means('slug', 'ids.id', 'ids.name')).toBe(true);
    expect(means('slug', 'ids.id')).toBe(false);
  });
});

it('names with a meaning are sorted as the row has them', () => {
  expect(rankNames(['title', 'id', 'slug', 'login', 'Name'], 'ids.readable')).toEqual(['login', 'slug', 'Name', 'id']);
  expect(rankNames(['color'], 'ids.readable')).toEqual([]);
});
