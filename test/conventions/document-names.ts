import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { isObject } from '../../src/base/json.js';
import type { Convention } from '../../src/conventions/convention.js';

export type NamePlace = Convention['where'];

/** The names in a document by the place where they stand. */
export function readDocumentNames(path: string): Readonly<Record<NamePlace, ReadonlySet<string>>> {
  const text = readFileSync(path, 'utf8');
  const document: unknown = path.endsWith('.json') ? JSON.parse(text) : load(text);
  const names: Record<NamePlace, Set<string>> = {
    extension: new Set(),
    format: new Set(),
    header: new Set(),
    parameter: new Set(),
    property: new Set(),
    schema: new Set(),
    segment: new Set(),
    value: new Set(),
    verb: new Set(),
    word: new Set(),
  };
  const addAll = (place: NamePlace, found: readonly unknown[]): void => {
    for (const name of found) if (typeof name === 'string') names[place].add(name);
  };
  const listKeys = (value: unknown): readonly string[] => (isObject(value) ? Object.keys(value) : []);
  const root = isObject(document) ? document : {};
  addAll(
    'segment',
    listKeys(root['paths']).flatMap((key) => key.split(/[/.:]/)),
  );
  const visited = new Set<unknown>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null || visited.has(node)) return;
    visited.add(node);
    if (isObject(node)) {
      const properties = listKeys(node['properties']);
      addAll('property', properties);
      addAll('schema', [...properties, ...listKeys(node['schemas']), ...listKeys(node['definitions'])]);
      addAll(
        'word',
        properties.flatMap((name) => name.split(/[^a-zA-Z]|(?=[A-Z])/)),
      );
      if (typeof node['in'] === 'string') addAll(node['in'] === 'header' ? 'header' : 'parameter', [node['name']]);
      addAll('header', listKeys(node['headers']));
      addAll('value', [node['const'], ...(Array.isArray(node['enum']) ? node['enum'] : [])]);
      addAll('format', [node['format']]);
      addAll(
        'extension',
        Object.keys(node).filter((name) => name.startsWith('x-')),
      );
      const words = typeof node['operationId'] === 'string' ? node['operationId'].split(/[/_.-]|(?=[A-Z])/) : [];
      addAll('verb', words);
      addAll('segment', words);
    }
    for (const child of Object.values(node)) visit(child);
  };
  visit(document);
  return names;
}
