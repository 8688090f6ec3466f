import { isObject } from '../json.js';
import { readPattern } from './patterns.js';
import { type Node, omit, quote, type Site } from './node.js';

/** Gives a keyword's value back as it is, repaired, or as undefined to leave the keyword out. */
type RepairValue = (value: unknown, keyword: string, site: Site) => unknown;

/** One repair per keyword whose value JSON Schema restricts (2020-12 validation, section 6). Others are not looked at. */
const REPAIRS: ReadonlyMap<string, RepairValue> = new Map<string, RepairValue>([
  ...[
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
    'minProperties',
    'maxProperties',
    'minContains',
    'maxContains',
  ].map((keyword): [string, RepairValue] => [keyword, repairCount]),
  ...['minimum', 'maximum'].map((keyword): [string, RepairValue] => [keyword, repairNumber]),
  ['multipleOf', repairMultiple],
  ...['uniqueItems', 'readOnly', 'writeOnly', 'deprecated'].map((keyword): [string, RepairValue] => [
    keyword,
    repairFlag,
  ]),
  ['pattern', repairPattern],
  ['patternProperties', checkPatternNames],
  ...['format', 'title', 'description', 'contentEncoding', 'contentMediaType', '$comment'].map(
    (keyword): [string, RepairValue] => [keyword, repairText],
  ),
  ['enum', repairEnum],
  ...['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems', 'additionalItems'].map(
    (keyword): [string, RepairValue] => [keyword, repairBooleanSchema],
  ),
  ...['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((keyword): [string, RepairValue] => [keyword, repairList]),
  ['dependentRequired', repairDependentRequired],
  ['xml', repairXml],
]);

/** The value of one keyword, repaired; undefined leaves the keyword out. The same value where nothing is wrong. */
export function repairKeyword(keyword: string, value: unknown, site: Site): unknown {
  const repair = REPAIRS.get(keyword);
  return repair === undefined ? value : repair(value, keyword, site);
}

function repairNumber(value: unknown, keyword: string, site: Site): unknown {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? replace(site, keyword, [value, number]) : leaveOut(site, keyword, value);
}

function repairCount(value: unknown, keyword: string, site: Site): unknown {
  const number = repairNumber(value, keyword, site);
  if (number === undefined || (typeof number === 'number' && Number.isInteger(number) && number >= 0)) return number;
  return leaveOut(site, keyword, value);
}

function repairMultiple(value: unknown, keyword: string, site: Site): unknown {
  const number = repairNumber(value, keyword, site);
  return typeof number === 'number' && number <= 0 ? leaveOut(site, keyword, value) : number;
}

function repairFlag(value: unknown, keyword: string, site: Site): unknown {
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === 'false') return replace(site, keyword, [value, value === 'true']);
  return leaveOut(site, keyword, value);
}

function repairText(value: unknown, keyword: string, site: Site): unknown {
  if (typeof value === 'string') return value;
  // An empty YAML value says nothing and harms nobody.
  return value === null ? undefined : leaveOut(site, keyword, value);
}

/** A pattern that cannot be read stays: whoever checks a value against its schema has to know that something is missing. */
function repairPattern(value: unknown, keyword: string, site: Site): unknown {
  const pattern = repairText(value, keyword, site);
  if (typeof pattern === 'string') checkPattern(pattern, [keyword], site);
  return pattern;
}

function checkPatternNames(value: unknown, keyword: string, site: Site): unknown {
  if (isObject(value)) for (const pattern of Object.keys(value)) checkPattern(pattern, [keyword, pattern], site);
  return value;
}

function checkPattern(pattern: string, inside: readonly string[], site: Site): void {
  const { remark } = readPattern(pattern);
  if (remark === undefined) return;
  site.report({
    message: `the pattern ${quote(pattern)} is ${remark}`,
    assumed: 'the rest of the schema holds',
    inside,
  });
}

function repairEnum(value: unknown, keyword: string, site: Site): unknown {
  if (Array.isArray(value) && value.length > 0) return value;
  // JSON Schema allows an empty list, which nothing satisfies; nobody means that.
  return leaveOut(site, keyword, value);
}

function repairBooleanSchema(value: unknown, keyword: string, site: Site): unknown {
  if (typeof value === 'boolean' || isObject(value)) return value;
  if (value === 'true' || value === 'false') return replace(site, keyword, [value, value === 'true']);
  return leaveOut(site, keyword, value);
}

function repairList(value: unknown, keyword: string, site: Site): unknown {
  if (Array.isArray(value) && value.length > 0) return value;
  if (isObject(value)) return replace(site, keyword, [value, [value]]);
  return leaveOut(site, keyword, value);
}

function repairXml(value: unknown, keyword: string, site: Site): unknown {
  if (!isObject(value)) return leaveOut(site, keyword, value);
  const wrong = Object.keys(value).filter(
    (name) => (XML_MEMBERS.get(name) ?? typeof value[name]) !== typeof value[name],
  );
  if (wrong.length === 0) return value;
  for (const name of wrong) {
    const message = `"${keyword}.${name}" cannot be ${quote(value[name])}`;
    site.report({ message, assumed: 'it is left out', inside: [keyword, name] });
  }
  return omit(value, ...wrong);
}

/** The JSON type of each member of an XML Object (OpenAPI 3.1 section 4.8.26). */
const XML_MEMBERS: ReadonlyMap<string, string> = new Map([
  ['attribute', 'boolean'],
  ['name', 'string'],
  ['namespace', 'string'],
  ['prefix', 'string'],
  ['wrapped', 'boolean'],
]);

function repairDependentRequired(value: unknown, keyword: string, site: Site): unknown {
  if (!isObject(value)) return leaveOut(site, keyword, value);
  const isRight = (names: unknown): boolean => Array.isArray(names) && names.every((name) => typeof name === 'string');
  if (Object.values(value).every(isRight)) return value;
  const right = Object.fromEntries(Object.entries(value).filter(([, names]) => isRight(names)));
  return replace(site, keyword, [value, right]);
}

function replace(site: Site, keyword: string, [value, right]: readonly [given: unknown, right: unknown]): unknown {
  site.report({
    message: `"${keyword}" cannot be ${quote(value)}`,
    assumed: `it means ${quote(right)}`,
    inside: [keyword],
  });
  return right;
}

function leaveOut(site: Site, keyword: string, value: unknown): undefined {
  site.report({ message: `"${keyword}" cannot be ${quote(value)}`, assumed: 'it is left out', inside: [keyword] });
  return undefined;
}

/**
 * The names of `required`, each once; those of properties that call themselves `required: true` added.
 *
 * @returns The same array where nothing is wrong, undefined for none.
 */
export function repairRequired(node: Node, site: Site): unknown {
  const { required, properties } = node;
  const names = readNames(required, site);
  const own = isObject(properties)
    ? Object.entries(properties).flatMap(([name, schema]) =>
        isObject(schema) && schema['required'] === true ? [name] : [],
      )
    : [];
  const missing = own.filter((name) => !names.includes(name));
  for (const name of missing) {
    const message = `property "${name}" says "required: true"; "required" is a list of names beside "properties"`;
    site.report({ message, assumed: 'the property is required', inside: ['properties', name, 'required'] });
  }
  if (missing.length === 0 && names === required) return required;
  return names.length + missing.length === 0 ? undefined : [...names, ...missing];
}

function readNames(required: unknown, site: Site): readonly string[] {
  // A property's own `required: true` or `false` is read where its parent is.
  if (required === undefined || typeof required === 'boolean') return [];
  if (!Array.isArray(required)) {
    const names = typeof required === 'string' ? [required] : [];
    const assumed = names.length > 0 ? `it means ${quote(names)}` : 'it is left out';
    site.report({ message: `"required" cannot be ${quote(required)}`, assumed, inside: ['required'] });
    return names;
  }
  const names = [...new Set(required.filter((name) => typeof name === 'string'))];
  if (names.length === required.length) return required as readonly string[];
  const message = 'the list "required" names a property twice, or something that is no name';
  site.report({ message, assumed: 'each name counts once', inside: ['required'] });
  return names;
}

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
