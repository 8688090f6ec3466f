import { isObject, parseOrKeep, setOwn } from '../../base/json.js';
import { METHODS, SCHEME_TYPES } from '../operations/operation.js';
import { type ObjectType, type Node, omit, quote, type RepairContext } from './node.js';
import { repairSchema } from './repair-schema.js';
import {
  upgradeDocument,
  upgradeParameter,
  upgradePathItem,
  upgradeResponse,
  upgradeSecurityScheme,
  readSimpleSchema,
} from './swagger.js';

type RepairNode = (node: Node, context: RepairContext) => Node;

/** Upgrades and repairs one node without its children; the same object where nothing changes. */
export function repairNode(kind: ObjectType, node: Node, context: RepairContext): Node {
  const upgraded = context.dialect === 20 ? (SWAGGER_UPGRADES[kind]?.(node, context) ?? node) : node;
  return REPAIRS[kind]?.(upgraded, context) ?? upgraded;
}

/** Swagger 2.0 to OpenAPI 3. */
const SWAGGER_UPGRADES: Readonly<Partial<Record<ObjectType, RepairNode>>> = {
  document: upgradeDocument,
  pathItem: upgradePathItem,
  parameter: upgradeParameter,
  header: upgradeParameter,
  response: upgradeResponse,
  securityScheme: upgradeSecurityScheme,
};

const REPAIRS: Readonly<Partial<Record<ObjectType, RepairNode>>> = {
  document: repairDocument,
  example: upgradeExample,
  header: repairParameter,
  operation: repairOperation,
  parameter: repairParameter,
  pathItem: repairPathItem,
  requestBody: repairContent,
  response: repairContent,
  schema: repairSchema,
  securityScheme: repairSecurityScheme,
};

function repairDocument(node: Node, context: RepairContext): Node {
  if (!isObject(node['info'])) {
    const assumed = 'the title is "Untitled API", the version "0"';
    context.report('the document has no "info"', assumed, { code: 'VALUE_MISSING' });
  }
  reportServers(node, context);
  const { paths } = node;
  if (paths === undefined && !isObject(node['webhooks']) && !isObject(node['components'])) {
    const more = { code: 'VALUE_MISSING', severity: 'error' } as const;
    context.report('the document has no "paths"', 'every request gets a 404', more);
  }
  if (!isObject(paths)) return node;
  const wrong = Object.keys(paths).filter((path) => !/^(?:\/|x-|\$ref$)/u.test(path));
  if (wrong.length === 0) return node;
  for (const path of wrong) {
    const inside = ['paths', `/${path}`];
    context.recordMove(inside, ['paths', path]);
    const message = `the path "${path}" does not start with a slash`;
    context.report(message, `it means "/${path}"`, { code: 'PATH_INVALID', inside });
  }
  const right = Object.entries(paths).flatMap(([path, item]): readonly [string, unknown][] => {
    if (!wrong.includes(path)) return [[path, item]];
    return Object.hasOwn(paths, `/${path}`) ? [] : [[`/${path}`, item]];
  });
  return { ...node, paths: Object.fromEntries(right) };
}

function reportServers(node: Node, context: RepairContext): void {
  const { servers } = node;
  if (servers === undefined || servers === null) return;
  const list: readonly unknown[] = Array.isArray(servers) ? servers : [servers];
  list.forEach((server, index) => {
    if (Array.isArray(servers) && isObject(server) && typeof server['url'] === 'string') return;
    const inside = Array.isArray(servers) ? ['servers', String(index)] : ['servers'];
    context.report('a server needs a "url"', 'it is ignored', { code: 'SERVER_INVALID', inside });
  });
}

/** Repairs methods that are not in lower case. */
function repairPathItem(node: Node, context: RepairContext): Node {
  reportServers(node, context);
  for (const [key, value] of Object.entries(node)) {
    const isMethod = key.startsWith('x-') || METHODS.includes(key.toLowerCase());
    if (isMethod || !isObject(value) || !('responses' in value)) continue;
    const more = { code: 'PATH_INVALID', severity: 'error', inside: [key] } as const;
    context.report(`${quote(key)} is not a method`, 'it is ignored', more);
  }
  const wrong = Object.keys(node).filter((key) => key !== key.toLowerCase() && METHODS.includes(key.toLowerCase()));
  if (wrong.length === 0) return node;
  const right = omit(node, ...wrong);
  for (const key of wrong) {
    const method = key.toLowerCase();
    if (Object.hasOwn(node, method)) continue;
    right[method] = node[key];
    context.recordMove([method], [key]);
    const more = { code: 'PATH_INVALID', inside: [method] } as const;
    context.report(`the method "${key}" must be in lower case`, `it means "${method}"`, more);
  }
  return right;
}

function repairOperation(node: Node, context: RepairContext): Node {
  reportServers(node, context);
  const { responses, security } = node;
  for (const status of isObject(responses) ? Object.keys(responses) : []) {
    if (/^(?:[1-5](?:\d\d|XX)|default|x-.*|\$ref)$/iu.test(status)) continue;
    const message = `"${status}" is not a status code, a range such as 4XX or "default"`;
    const more = { code: 'STATUS_INVALID', severity: 'error', inside: ['responses', status] } as const;
    context.report(message, 'it is ignored', more);
  }
  if (security === undefined || Array.isArray(security)) return node;
  const isOne = isObject(security);
  const assumed = isOne ? 'it is the only alternative' : 'the security of the document applies';
  const more = { code: 'SECURITY_INVALID', inside: ['security'] } as const;
  context.report(`"security" must be an array, got ${quote(security)}`, assumed, more);
  return isOne ? { ...node, security: [security] } : omit(node, 'security');
}

/** Repairs a 3.x parameter with `type` outside its schema, as in 2.0. */
function repairParameter(node: Node, context: RepairContext): Node {
  if (node['schema'] !== undefined || node['content'] !== undefined) return repairContent(node, context);
  if (node['type'] === undefined) return node;
  const more = { code: 'PARAMETER_INVALID', inside: ['type'] } as const;
  context.report('"type" must be inside "schema"', 'it is part of the schema', more);
  context.recordMove(['schema'], []);
  return { ...node, schema: readSimpleSchema(node) };
}

/** Keys that are not media types -> the media type that is meant. */
const MEDIA_TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ['', '*/*'],
  ['*', '*/*'],
  ['json', 'application/json'],
  ['xml', 'application/xml'],
  ['text', 'text/plain'],
  ['form', 'application/x-www-form-urlencoded'],
]);

/** RFC 9110 8.3.1, and the ranges of RFC 9110 12.5.1 that OpenAPI allows as keys. */
const MEDIA_TYPE = /^\s*[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+\s*(?:;.*)?$/u;

function repairContent(given: Node, context: RepairContext): Node {
  const node = repairForm(given, context);
  const { content } = node;
  if (!isObject(content)) return node;
  // A reference in place of the map is followed later.
  const wrong = Object.keys(content).filter((type) => !MEDIA_TYPE.test(type) && type !== '$ref');
  if (wrong.length === 0) return node;
  const right: Record<string, unknown> = omit(content, ...wrong);
  for (const type of wrong) {
    const meant = MEDIA_TYPE_NAMES.get(type.trim().toLowerCase());
    const isFree = meant !== undefined && !Object.hasOwn(content, meant);
    if (isFree) {
      setOwn(right, meant, content[type]);
      context.recordMove(['content', meant], ['content', type]);
    }
    const [inside, assumed] = isFree ? [meant, `it means "${meant}"`] : [type, 'it is ignored'];
    const dropped = isFree ? {} : ({ severity: 'error' } as const);
    const more = { code: 'MEDIA_TYPE_INVALID', ...dropped, inside: ['content', inside] } as const;
    context.report(`${quote(type)} is not a media type`, assumed, more);
  }
  return { ...node, content: right };
}

const FORM = 'multipart/form-data';

/** A form is an object: documents that mean a form with one file give the schema of the file (`type: file`, as parameters of Swagger 2.0 had). */
function repairForm(node: Node, context: RepairContext): Node {
  const media = isObject(node['content']) ? node['content'][FORM] : undefined;
  const schema = isObject(media) ? media['schema'] : undefined;
  const type = isObject(schema) ? schema['type'] : undefined;
  if (!isObject(media) || (type !== 'file' && type !== 'string')) return node;
  const inside = ['content', FORM, 'schema'];
  context.report(`the schema of a form must be an object, got ${quote(type)}`, 'any form is accepted', { inside });
  return { ...node, content: { ...(node['content'] as Node), [FORM]: { ...media, schema: { type: 'object' } } } };
}

const EXAMPLE_MEMBERS = ['value', 'externalValue', 'dataValue', 'serializedValue', 'summary', 'description', '$ref'];

/** `dataValue` and `serializedValue` of 3.2 become `value`; an object without any field of an Example Object is the value. */
function upgradeExample(node: Node, context: RepairContext): Node {
  if (Object.hasOwn(node, 'value')) return node;
  if (Object.hasOwn(node, 'dataValue')) return { ...node, value: node['dataValue'] };
  if (typeof node['serializedValue'] === 'string') return { ...node, value: parseOrKeep(node['serializedValue']) };
  if (EXAMPLE_MEMBERS.some((name) => Object.hasOwn(node, name)) || Object.keys(node).length === 0) return node;
  context.report('the example has no "value"', 'the whole object is the value', { code: 'VALUE_MISSING' });
  return { value: node };
}

function repairSecurityScheme(node: Node, context: RepairContext): Node {
  const { type } = node;
  const code = 'SECURITY_INVALID';
  if (SCHEME_TYPES.some((known) => known === type)) {
    if (type !== 'http' || typeof node['scheme'] === 'string') return node;
    context.report('the "http" scheme has no "scheme"', 'it is "bearer"', { code });
    return { ...node, scheme: 'bearer' };
  }
  const name = String(type).toLowerCase();
  const known = SCHEME_TYPES.find((one) => one.toLowerCase() === name);
  const meant = known === undefined ? { type: 'http', scheme: name === 'basic' ? 'basic' : 'bearer' } : { type: known };
  const message = `${quote(type)} is not a security scheme type`;
  context.report(message, `it is ${quote(meant)}`, { code, inside: ['type'] });
  return { ...node, ...meant };
}
