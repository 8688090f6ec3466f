import { omit, quote, type Node, type Site } from './site.js';

/** The types of JSON Schema (2020-12 validation, section 6.1.1). */
const TYPES: ReadonlySet<unknown> = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);

/** Names that are no types, and what their authors mean. */
const MEANT: Readonly<Record<string, Node>> = {
  any: {},
  bool: { type: 'boolean' },
  binary: { type: 'string', format: 'binary' },
  bytes: { type: 'string', format: 'binary' },
  date: { type: 'string', format: 'date' },
  'date-time': { type: 'string', format: 'date-time' },
  datetime: { type: 'string', format: 'date-time' },
  decimal: { type: 'number' },
  dict: { type: 'object' },
  double: { type: 'number', format: 'double' },
  email: { type: 'string', format: 'email' },
  enum: { type: 'string' },
  file: { type: 'string', format: 'binary' },
  float: { type: 'number', format: 'float' },
  hash: { type: 'object' },
  int: { type: 'integer' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  list: { type: 'array' },
  long: { type: 'integer', format: 'int64' },
  map: { type: 'object' },
  nil: { type: 'null' },
  none: { type: 'null' },
  str: { type: 'string' },
  text: { type: 'string' },
  timestamp: { type: 'string' },
  uri: { type: 'string', format: 'uri' },
  url: { type: 'string', format: 'uri' },
  uuid: { type: 'string', format: 'uuid' },
};

/** A schema whose `type` is a type or a list of types, or is not there. */
export function repairType(node: Node, site: Site): Node {
  const { type } = node;
  if (TYPES.has(type)) return node;
  const meant = Array.isArray(type) ? readList(type, site) : readOne(type, site);
  const inList = Array.isArray(type) && Array.isArray(meant['type']) && meant['type'].length === type.length;
  if (inList && type.every((one, i) => one === (meant['type'] as unknown[])[i])) return node;
  // `format` of the document wins over the one that a wrong type name stands for.
  return { ...omit(node, 'type'), ...meant, ...('format' in node ? { format: node['format'] } : {}) };
}

/** The schema a shorthand such as `name: string` means; undefined where the text names no type. */
export function readTypeName(value: unknown): Node | undefined {
  if (typeof value !== 'string') return undefined;
  if (TYPES.has(value)) return { type: value };
  const name = value.toLowerCase();
  return TYPES.has(name) ? { type: name } : Object.hasOwn(MEANT, name) ? MEANT[name] : undefined;
}

function readOne(type: unknown, site: Site): Node {
  // YAML reads a bare null as a value, not as the word.
  if (type === null) return { type: 'null' };
  const meant = readTypeName(type);
  if (meant === undefined) {
    site.report({ message: `${quote(type)} is no type`, assumed: 'any type is accepted', inside: ['type'] });
    return {};
  }
  // Swagger 2.0 has the type "file" (section "Response Object" and "Parameter Object").
  if (type !== 'file' || site.dialect !== 20) {
    const assumed = 'type' in meant ? `it means ${quote(meant['type'])}` : 'any type is accepted';
    site.report({ message: `${quote(type)} is no type`, assumed, inside: ['type'] });
  }
  return meant;
}

function readList(types: readonly unknown[], site: Site): Node {
  const names = types.flatMap((type) => {
    if (TYPES.has(type)) return [type];
    const meant = readOne(type, site)['type'];
    return meant === undefined ? [] : [meant];
  });
  const unique = [...new Set(names)];
  if (unique.length === 0) {
    site.report({ message: 'the list of types is empty', assumed: 'any type is accepted', inside: ['type'] });
    return {};
  }
  return { type: unique };
}
