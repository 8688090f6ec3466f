import { isObject, mapValues, setOwn } from '../../base/json.js';
import { isJsonType } from '../media-type.js';
import { METHODS } from '../operations/operation.js';
import { readEntries, readString, readStrings } from '../pointer.js';
import { type Node, omit, type RepairContext } from './node.js';

/** The shared maps of Swagger 2.0 and their names in `components`. */
export const SHARED_MAPS = {
  schemas: 'definitions',
  responses: 'responses',
  parameters: 'parameters',
  securitySchemes: 'securityDefinitions',
} as const;

/** The root of a Swagger 2.0 document as that of an OpenAPI 3 one; the objects below are upgraded when they are visited. */
export function upgradeDocument(node: Node, context: RepairContext): Node {
  const components: Record<string, unknown> = {};
  for (const [to, from] of Object.entries(SHARED_MAPS)) {
    context.recordMove(['components', to], [from]);
    if (node[from] !== undefined) components[to] = node[from];
  }
  const parameters = readEntries(node['parameters']).filter(([, value]) => !isBodyParameter(value));
  const moved = [...Object.values(SHARED_MAPS), 'host', 'basePath', 'schemes', 'consumes', 'produces'];
  return {
    ...omit(node, ...moved, 'swagger', 'servers'),
    openapi: '3.1.0',
    servers: readServers(node),
    components: { ...components, parameters: Object.fromEntries(parameters) },
  };
}

function readServers(node: Node): readonly Node[] {
  const host = readString(node['host']) ?? '';
  const basePath = readString(node['basePath']) ?? '';
  const path = basePath === '' || basePath.startsWith('/') ? basePath : `/${basePath}`;
  if (host === '') return [{ url: path === '' ? '/' : path }];
  const schemes = readStrings(node['schemes']);
  return (schemes.length > 0 ? schemes : ['https']).map((scheme) => ({ url: `${scheme}://${host}${path}` }));
}

/** A parameter of 2.0 with its reference resolved. */
interface SwaggerParameter {
  readonly value: Node;
  /** The `$ref` it is written as. */
  readonly reference: string | undefined;
  readonly original: unknown;
  /** The path from the path item to it. */
  readonly path: readonly string[];
}

/** A path item whose operations have request bodies instead of body and form parameters. */
export function upgradePathItem(node: Node, context: RepairContext): Node {
  const shared = readSwaggerParameters(node['parameters'], ['parameters'], context);
  const upgraded: Record<string, unknown> = { ...node };
  if (Array.isArray(node['parameters'])) upgraded['parameters'] = keepParameters(shared, ['parameters'], context);
  const inherited = shared.filter(({ value }) => isBodyParameter(value));
  for (const method of METHODS) {
    const operation = node[method];
    if (isObject(operation) && typeof operation['$ref'] !== 'string')
      upgraded[method] = upgradeOperation(operation, inherited, { context, at: [method] });
  }
  return upgraded;
}

/** The context in which an operation is upgraded, and the path from its node to it. */
type OperationPlace = { readonly context: RepairContext; readonly at: readonly string[] };

/** Turns the body and form parameters of an operation, and those that it inherits from its path item, into a request body. */
export function upgradeOperation(operation: Node, inherited: readonly SwaggerParameter[], place: OperationPlace): Node {
  const { context, at } = place;
  const own = readSwaggerParameters(operation['parameters'], [...at, 'parameters'], context);
  const consumes = readStrings(operation['consumes'] ?? context.readRootField('consumes'));
  const produces = readStrings(operation['produces'] ?? context.readRootField('produces'));
  const ownParts = own.filter(({ value }) => isBodyParameter(value));
  const isOverridden = ({ value }: SwaggerParameter): boolean =>
    ownParts.some((part) => part.value['in'] === 'body' || part.value['name'] === value['name']);
  const parts = [...inherited.filter((part) => !isOverridden(part)), ...ownParts];
  const upgraded: Record<string, unknown> = omit(operation, 'consumes', 'produces', 'parameters');
  if (own.length > 0) upgraded['parameters'] = keepParameters(own, [...at, 'parameters'], context);
  const body = parts.find(({ value }) => value['in'] === 'body');
  if (body !== undefined) upgraded['requestBody'] = toBody(body, consumes, place);
  else if (parts.length > 0) upgraded['requestBody'] = toForm(parts, consumes, place);
  const { responses } = operation;
  if (isObject(responses)) upgraded['responses'] = upgradeResponses(responses, produces, place);
  return upgraded;
}

function upgradeResponses(responses: Node, produces: readonly string[], { context, at }: OperationPlace): Node {
  return mapValues(responses, (response, status) => {
    const here = [...at, 'responses', status];
    const recordMove: RepairContext['recordMove'] = (to, from) =>
      context.recordMove([...here, ...to], [...here, ...from]);
    return isObject(response) ? toResponse(response, produces, recordMove) : response;
  });
}

function toBody(body: SwaggerParameter, consumes: readonly string[], { context, at }: OperationPlace): Node {
  const { value, reference, path } = body;
  // The schema of a parameter in another file has references relative to that file, so it is referenced itself.
  const schema = reference === undefined ? value['schema'] : { $ref: toSchemaReference(reference) };
  const content: Record<string, unknown> = {};
  context.recordMove([...at, 'requestBody'], path);
  for (const type of consumes.length > 0 ? consumes : ['application/json']) {
    setOwn(content, type, value['schema'] === undefined ? {} : { schema });
    context.recordMove([...at, 'requestBody', 'content', type, 'schema'], [...path, 'schema']);
  }
  return { ...readDescription(value), required: value['required'] === true, content };
}

const FORM = /^(?:multipart\/form-data|application\/x-www-form-urlencoded)\b/iu;

function toForm(
  fields: readonly SwaggerParameter[],
  consumes: readonly string[],
  { context, at }: OperationPlace,
): Node {
  const hasFile = fields.some(({ value }) => value['type'] === 'file');
  const forms = consumes.filter((type) => FORM.test(type));
  // JSON beside a form has the same fields. Alone, such as for the whole document, it is not meant for forms.
  const json = forms.length > 0 && !hasFile ? consumes.filter(isJsonType) : [];
  const types =
    forms.length > 0 ? [...forms, ...json] : [hasFile ? 'multipart/form-data' : 'application/x-www-form-urlencoded'];
  const properties: Record<string, unknown> = {};
  const encoding: Record<string, unknown> = {};
  const required: string[] = [];
  context.recordMove([...at, 'requestBody'], fields[0]?.path ?? []);
  for (const { value, path } of fields) {
    const name = String(value['name']);
    setOwn(properties, name, { ...readDescription(value), ...readSimpleSchema(value) });
    const style = readCollectionStyle({ ...value, in: 'query' });
    if (Object.keys(style).length > 0) setOwn(encoding, name, style);
    if (value['required'] === true) required.push(name);
    for (const type of types) {
      context.recordMove([...at, 'requestBody', 'content', type, 'schema', 'properties', name], path);
    }
  }
  const schema = { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
  const media = { schema, ...(Object.keys(encoding).length > 0 ? { encoding } : {}) };
  return { required: required.length > 0, content: Object.fromEntries(types.map((type) => [type, media])) };
}

function readDescription(value: Node): Node {
  return typeof value['description'] === 'string' ? { description: value['description'] } : {};
}

function readSwaggerParameters(
  list: unknown,
  path: readonly string[],
  context: RepairContext,
): readonly SwaggerParameter[] {
  if (!Array.isArray(list)) return [];
  return list.map((original: unknown, index): SwaggerParameter => {
    const reference = isObject(original) ? readString(original['$ref']) : undefined;
    const value = reference === undefined ? original : context.findTarget(reference);
    return { original, reference, value: isObject(value) ? value : {}, path: [...path, String(index)] };
  });
}

/** The parameters that are not part of the body, as they are written. */
function keepParameters(
  parameters: readonly SwaggerParameter[],
  to: readonly string[],
  context: RepairContext,
): readonly unknown[] {
  const kept = parameters.filter(({ value }) => !isBodyParameter(value));
  kept.forEach(({ path }, index) => context.recordMove([...to, String(index)], path));
  return kept.map(({ original }) => original);
}

function isBodyParameter(value: unknown): boolean {
  return isObject(value) && (value['in'] === 'body' || value['in'] === 'formData');
}

function toSchemaReference(reference: string): string {
  return reference.includes('#') ? `${reference.replace(/\/$/u, '')}/schema` : `${reference}#/schema`;
}

/** Fields of a 2.0 parameter or header that are not part of its schema. */
const NOT_IN_SCHEMA: readonly string[] = (
  'name in required description allowEmptyValue collectionFormat schema content style explode ' +
  'deprecated example examples allowReserved'
).split(' ');

/**
 * 2.0's `collectionFormat` (section "Parameter Object") as style and explode; the default is `csv`, and `tsv`, which has no successor, is
 * read like `ssv`.
 */
const COLLECTION_FORMATS: ReadonlyMap<unknown, Node> = new Map([
  ['ssv', { style: 'spaceDelimited', explode: false }],
  ['tsv', { style: 'spaceDelimited', explode: false }],
  ['pipes', { style: 'pipeDelimited', explode: false }],
  ['multi', { style: 'form', explode: true }],
]);

/** A Swagger 2.0 parameter or header that is not part of the body, as a parameter with a schema. */
export function upgradeParameter(node: Node, context: RepairContext): Node {
  if (node['schema'] !== undefined || typeof node['$ref'] === 'string') return node;
  const kept = Object.entries(node).filter(([name]) => NOT_IN_SCHEMA.includes(name) || name.startsWith('x-'));
  context.recordMove(['schema'], []);
  const fields = omit(Object.fromEntries(kept), 'collectionFormat');
  return { ...fields, schema: readSimpleSchema(node), ...readCollectionStyle(node) };
}

/** The style and explode of an array in 2.0; in a path or header it is always `simple`. */
function readCollectionStyle(node: Node): Node {
  if (node['type'] !== 'array') return {};
  const place = node['in'];
  if (place === 'path' || place === 'header' || place === undefined) return { style: 'simple', explode: false };
  return COLLECTION_FORMATS.get(node['collectionFormat']) ?? { style: 'form', explode: false };
}

/** The schema keywords of a parameter, header or `items` of Swagger 2.0, which has them beside its other fields. */
export function readSimpleSchema(node: Node): Node {
  const kept = Object.entries(node).filter(
    ([name]) => !NOT_IN_SCHEMA.includes(name) && (!name.startsWith('x-') || name === 'x-nullable'),
  );
  return readSimpleItems(Object.fromEntries(kept));
}

function readSimpleItems(node: Node): Node {
  const { collectionFormat: _, ...rest } = node;
  return isObject(rest['items']) ? { ...rest, items: readSimpleItems(rest['items']) } : rest;
}

/** A Swagger 2.0 response: its schema and examples under each media type of `produces`. */
export function upgradeResponse(node: Node, context: RepairContext): Node {
  return toResponse(node, readStrings(context.readRootField('produces')), (to, from) => context.recordMove(to, from));
}

/** @param produces - Of the operation, or of the document for a shared response. */
function toResponse(node: Node, produces: readonly string[], recordMove: RepairContext['recordMove']): Node {
  if (typeof node['$ref'] === 'string' || isObject(node['content'])) return node;
  const { schema } = node;
  const examples = isObject(node['examples']) ? node['examples'] : {};
  const rest = omit(node, 'schema', 'examples');
  if (schema === undefined && Object.keys(examples).length === 0) return rest;
  const isFile = isObject(schema) && schema['type'] === 'file';
  const named = Object.keys(examples).filter((type) => type.includes('/'));
  const assumed = named.length > 0 ? named : [isFile ? 'application/octet-stream' : 'application/json'];
  const declared = produces.length > 0 ? produces : assumed;
  const content: Record<string, unknown> = {};
  for (const type of new Set([...declared, ...Object.keys(examples)])) {
    const hasExample = Object.hasOwn(examples, type);
    const media = { ...(schema === undefined ? {} : { schema }), ...(hasExample ? { example: examples[type] } : {}) };
    setOwn(content, type, media);
    if (schema !== undefined) recordMove(['content', type, 'schema'], ['schema']);
    if (hasExample) recordMove(['content', type, 'example'], ['examples', type]);
  }
  return { ...rest, content };
}

/** The flows of 2.0 with another name in 3.x. */
const FLOWS: ReadonlyMap<string, string> = new Map([
  ['accessCode', 'authorizationCode'],
  ['application', 'clientCredentials'],
]);

/** A 2.0 security definition as a security scheme. */
export function upgradeSecurityScheme(node: Node): Node {
  if (node['type'] === 'basic') return { ...omit(node, 'type'), type: 'http', scheme: 'basic' };
  if (node['type'] !== 'oauth2' || typeof node['flow'] !== 'string') return node;
  const { flow, authorizationUrl, tokenUrl, scopes, ...rest } = node;
  const urls = {
    ...(authorizationUrl === undefined ? {} : { authorizationUrl }),
    ...(tokenUrl === undefined ? {} : { tokenUrl }),
  };
  return { ...rest, flows: { [FLOWS.get(flow) ?? flow]: { ...urls, scopes: scopes ?? {} } } };
}
