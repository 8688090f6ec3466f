import { isObject, setOwn } from './schema.js';
import type { Node, Site } from './site.js';

/** What belongs to a 2.0 parameter or header rather than to its schema. */
const OUTSIDE: ReadonlySet<string> = new Set(
  (
    'name in required description allowEmptyValue collectionFormat schema content style explode ' +
    'deprecated example examples allowReserved'
  ).split(' '),
);

/** 2.0's `collectionFormat` (section "Parameter Object") as style and explode; `tsv` has no successor and is read like `ssv`. */
const COLLECTION_FORMATS: Readonly<Record<string, Node>> = {
  csv: { style: 'form', explode: false },
  ssv: { style: 'spaceDelimited', explode: false },
  tsv: { style: 'spaceDelimited', explode: false },
  pipes: { style: 'pipeDelimited', explode: false },
  multi: { style: 'form', explode: true },
};

/** A Swagger 2.0 parameter or header that is no body and no form field, as a parameter with a schema. */
export function liftParameter(node: Node, site: Site): Node {
  if (node['schema'] !== undefined || typeof node['$ref'] === 'string') return node;
  const lifted: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(node)) {
    if (name !== 'collectionFormat' && (OUTSIDE.has(name) || name.startsWith('x-'))) setOwn(lifted, name, value);
  }
  site.moved(['schema'], []);
  return { ...lifted, schema: readSimpleSchema(node), ...readCollectionStyle(node) };
}

/** The style and explode of an array in 2.0; in a path or header it is always `simple`. */
export function readCollectionStyle(node: Node): Node {
  if (node['type'] !== 'array') return {};
  const place = node['in'];
  if (place === 'path' || place === 'header' || place === undefined) return { style: 'simple', explode: false };
  const format = typeof node['collectionFormat'] === 'string' ? node['collectionFormat'] : 'csv';
  const known = Object.hasOwn(COLLECTION_FORMATS, format) ? COLLECTION_FORMATS[format] : undefined;
  return known ?? { style: 'form', explode: false };
}

/** The keywords of a schema that stand directly in a parameter, header or `items` of Swagger 2.0. */
export function readSimpleSchema(node: Node): Node {
  const schema: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(node)) {
    if (OUTSIDE.has(name)) continue;
    if (name.startsWith('x-') && name !== 'x-nullable') continue;
    setOwn(schema, name, name === 'items' && isObject(value) ? readSimpleItems(value) : value);
  }
  return schema;
}

function readSimpleItems(items: Node): Node {
  const { collectionFormat: _, ...rest } = items;
  return isObject(rest['items']) ? { ...rest, items: readSimpleItems(rest['items']) } : rest;
}
