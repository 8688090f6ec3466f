import { isObject, isSchemaType } from '../../base/json.js';
import { readEntries, readStrings } from '../pointer.js';
import { hasLinearTest } from '../patterns/guarded-pattern.js';
import { readExpression } from './patterns.js';
import { type Node, omit, quote, type RepairContext, SCHEMA_MAPS } from './node.js';

/** How the value of some keywords is checked and repaired (2020-12 validation, section 6). */
interface KeywordDefinition {
  readonly keywords: string;
  /** The valid values, in a message. */
  readonly expected: string;
  /** The value itself where it is valid, the value that is meant, or undefined where that is unknown. */
  readonly read: (value: unknown) => unknown;
  /** The values that are removed without a report; null is an empty YAML value. */
  readonly ignores?: (value: unknown) => boolean;
}

const DEFINITIONS: readonly KeywordDefinition[] = [
  {
    keywords: 'minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains',
    expected: 'a non-negative integer',
    read: (value) => onlyIf(readNumber(value), (number) => Number.isInteger(number) && number >= 0),
  },
  { keywords: 'minimum maximum', expected: 'a number', read: readNumber },
  {
    keywords: 'multipleOf',
    expected: 'a number greater than 0',
    read: (value) => onlyIf(readNumber(value), (number) => number > 0),
  },
  { keywords: 'uniqueItems readOnly writeOnly deprecated', expected: 'a boolean', read: readBoolean },
  {
    keywords: 'pattern format title description contentEncoding contentMediaType $comment',
    expected: 'a string',
    read: (value) => (typeof value === 'string' ? value : undefined),
    ignores: isNull,
  },
  {
    keywords: 'enum',
    expected: 'an array with at least one value',
    // JSON Schema allows an empty array, which no value satisfies.
    read: (value) => (Array.isArray(value) && value.length > 0 ? value : undefined),
  },
  {
    keywords: 'additionalProperties unevaluatedProperties unevaluatedItems additionalItems',
    expected: 'a schema or a boolean',
    read: (value) => (isObject(value) ? value : readBoolean(value)),
  },
  {
    keywords: 'allOf anyOf oneOf prefixItems',
    expected: 'an array with at least one schema',
    read: (value) =>
      Array.isArray(value) ? (value.length > 0 ? value : undefined) : isObject(value) ? [value] : undefined,
  },
  {
    keywords: 'dependentRequired',
    expected: 'an object with arrays of property names',
    read: readDependentRequired,
  },
  {
    keywords: 'required',
    expected: 'an array of different names',
    read: readRequired,
    // `required: true` or `false` of a property is read with its parent.
    ignores: (value) => typeof value === 'boolean',
  },
  {
    keywords: SCHEMA_MAPS.join(' '),
    expected: 'an object',
    read: (value) => (isObject(value) ? value : undefined),
    ignores: isNull,
  },
  { keywords: 'xml', expected: 'an object', read: (value) => (isObject(value) ? value : undefined) },
];

const BY_KEYWORD: ReadonlyMap<string, KeywordDefinition> = new Map(
  DEFINITIONS.flatMap((definition) => definition.keywords.split(' ').map((keyword) => [keyword, definition] as const)),
);

/** The value of one keyword, repaired; undefined removes the keyword. The same value where nothing is wrong. */
export function repairKeyword(keyword: string, value: unknown, context: RepairContext): unknown {
  if (keyword === 'xml' && isObject(value)) return repairXml(value, context);
  if (keyword === 'patternProperties' && isObject(value)) {
    for (const pattern of Object.keys(value)) checkPattern(pattern, [keyword, pattern], context);
  }
  const definition = BY_KEYWORD.get(keyword);
  if (definition === undefined) return value;
  const right = definition.read(value);
  if (right !== value && definition.ignores?.(value) !== true) {
    const message = `"${keyword}" must be ${definition.expected}, got ${quote(value)}`;
    const assumed = right === undefined ? 'it is ignored' : `it means ${quote(right)}`;
    context.report(message, assumed, { inside: [keyword] });
  }
  // A pattern that cannot be read stays: the validator reports that a part of the schema is not checked.
  if (keyword === 'pattern' && typeof right === 'string') checkPattern(right, [keyword], context);
  return right;
}

/** The finite number that a value is or, as a string, means. */
export function readNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

function isNull(value: unknown): boolean {
  return value === null;
}

function onlyIf(number: number | undefined, isValid: (number: number) => boolean): number | undefined {
  return number !== undefined && isValid(number) ? number : undefined;
}

/** The boolean that a value is or, as a string, means. */
export function readBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  return value === 'true' || value === 'false' ? value === 'true' : undefined;
}

function readDependentRequired(value: unknown): unknown {
  if (!isObject(value)) return undefined;
  const isValid = (names: unknown): boolean => Array.isArray(names) && names.every((name) => typeof name === 'string');
  const valid = Object.entries(value).filter(([, names]) => isValid(names));
  return valid.length === Object.keys(value).length ? value : Object.fromEntries(valid);
}

function checkPattern(pattern: string, inside: readonly string[], context: RepairContext): void {
  const { expression, remark } = readExpression(pattern);
  if (remark !== undefined) {
    context.report(`the pattern ${quote(pattern)} is ${remark}`, 'the rest of the schema applies', { inside });
  } else if (!hasLinearTest(expression)) {
    const message = `the pattern ${quote(pattern)} has back references or too many repetitions to be tested in linear time`;
    context.report(message, 'a value that takes too long is refused', { inside, code: 'PATTERN_COSTLY' });
  }
}

/** The JSON type of each field of an XML Object (OpenAPI 3.1 section 4.8.26). */
const XML_FIELDS: Readonly<Record<string, string>> = {
  attribute: 'boolean',
  name: 'string',
  namespace: 'string',
  prefix: 'string',
  wrapped: 'boolean',
};

function repairXml(value: Node, context: RepairContext): Node {
  const wrong = Object.keys(XML_FIELDS).filter((name) => name in value && typeof value[name] !== XML_FIELDS[name]);
  for (const name of wrong) {
    const message = `"xml.${name}" must be a ${XML_FIELDS[name]}, got ${quote(value[name])}`;
    context.report(message, 'it is ignored', { inside: ['xml', name] });
  }
  return wrong.length === 0 ? value : omit(value, ...wrong);
}

/** The different names of a list, or a single one; the same list where nothing is wrong. */
function readRequired(required: unknown): unknown {
  const list: readonly unknown[] = Array.isArray(required) ? required : [required];
  const names = [...new Set(list.filter((name) => typeof name === 'string'))];
  if (Array.isArray(required) && names.length === required.length) return required;
  return names.length === 0 ? undefined : names;
}

/** A schema whose `required` also has the names of the properties that have `required: true` themselves. */
export function repairRequired(node: Node, context: RepairContext): Node {
  const names = readStrings(node['required']);
  const missing = readEntries(node['properties']).flatMap(([name, schema]) =>
    isObject(schema) && schema['required'] === true && !names.includes(name) ? [name] : [],
  );
  for (const name of missing) {
    const message = `property "${name}" has "required: true"; "required" is an array of names beside "properties"`;
    context.report(message, 'the property is required', { inside: ['properties', name, 'required'] });
  }
  return missing.length === 0 ? node : { ...node, required: [...names, ...missing] };
}

/** Names that are not types of JSON Schema -> the schema that is meant. */
const TYPE_NAMES: ReadonlyMap<string, Node> = new Map<string, Node>([
  ['any', {}],
  ...toNames('bool', { type: 'boolean' }),
  ...toNames('int', { type: 'integer' }),
  ...toNames('decimal', { type: 'number' }),
  ...toNames('str text enum timestamp', { type: 'string' }),
  ...toNames('dict hash map', { type: 'object' }),
  ...toNames('list', { type: 'array' }),
  ...toNames('nil none', { type: 'null' }),
  ...toNames('binary bytes file', { type: 'string', format: 'binary' }),
  ...toNames('datetime date-time', { type: 'string', format: 'date-time' }),
  ...toNames('uri url', { type: 'string', format: 'uri' }),
  ...toNames('int64 long', { type: 'integer', format: 'int64' }),
  ...['date', 'email', 'uuid'].map((format) => [format, { type: 'string', format }] as const),
  ...['double', 'float'].map((format) => [format, { type: 'number', format }] as const),
  ['int32', { type: 'integer', format: 'int32' }],
]);

function toNames(names: string, schema: Node): readonly (readonly [string, Node])[] {
  return names.split(' ').map((name) => [name, schema]);
}

/** A schema whose `type` is a type or an array of types, or is missing. */
export function repairType(node: Node, context: RepairContext): Node {
  const { type } = node;
  if (type === 'null' && describesOthers(node)) {
    context.report(
      '"null" is the only type, but other keywords describe other values',
      'null is accepted beside them',
      {
        inside: ['type'],
      },
    );
    return { ...omit(node, 'type'), 'x-nullable': true };
  }
  if (isSchemaType(type)) return node;
  const meant = Array.isArray(type) ? readTypes(type, context) : readType(type, context);
  const inList = Array.isArray(type) && Array.isArray(meant['type']) && meant['type'].length === type.length;
  if (inList && type.every((one, i) => one === (meant['type'] as unknown[])[i])) return node;
  // `format` of the document wins over the one that a wrong type name means.
  return { ...omit(node, 'type'), ...meant, ...('format' in node ? { format: node['format'] } : {}) };
}

/** Whether a schema has keywords that only make sense if it allows more than null. */
function describesOthers(node: Node): boolean {
  return ['$ref', 'allOf', 'anyOf', 'oneOf', 'properties', 'items'].some((keyword) => node[keyword] !== undefined);
}

/** The schema that a shorthand such as `name: string` means; undefined where the value is not the name of a type. */
export function readTypeName(value: unknown): Node | undefined {
  if (typeof value !== 'string') return undefined;
  const name = isSchemaType(value) ? value : value.toLowerCase();
  return isSchemaType(name) ? { type: name } : TYPE_NAMES.get(name);
}

function readType(type: unknown, context: RepairContext): Node {
  // YAML reads a bare null as a value, not as the word.
  if (type === null) return { type: 'null' };
  const meant = readTypeName(type);
  // Swagger 2.0 has the type "file" (sections "Response Object" and "Parameter Object").
  if (type !== 'file' || context.dialect !== 20) {
    const isKnown = meant !== undefined && 'type' in meant;
    const assumed = isKnown ? `it means ${quote(meant['type'])}` : 'any type is accepted';
    context.report(`${quote(type)} is not a JSON Schema type`, assumed, { inside: ['type'] });
  }
  return meant ?? {};
}

function readTypes(types: readonly unknown[], context: RepairContext): Node {
  const names = types.map((type) => (isSchemaType(type) ? type : readType(type, context)['type']));
  const unique = [...new Set(names.filter((name) => name !== undefined))];
  if (unique.length > 0) return { type: unique };
  context.report('the array of types is empty', 'any type is accepted', { inside: ['type'] });
  return {};
}
