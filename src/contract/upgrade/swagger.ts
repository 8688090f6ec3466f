import { isObject, setOwn } from '../json.js';
import { type Node, omit, type Site } from './node.js';

/** The root of a Swagger 2.0 document as that of a 3.x one; what is below is lifted where it is visited. */
export function liftDocument(node: Node, site: Site): Node {
  const parameters = isObject(node['parameters']) ? node['parameters'] : {};
  const plain = Object.entries(parameters).filter(([, value]) => !isBodyPart(value));
  const components = {
    schemas: node['definitions'],
    responses: node['responses'],
    parameters: Object.fromEntries(plain),
    securitySchemes: node['securityDefinitions'],
  };
  for (const [to, from] of [
    ['schemas', 'definitions'],
    ['responses', 'responses'],
    ['parameters', 'parameters'],
    ['securitySchemes', 'securityDefinitions'],
  ] as const) {
    site.moved(['components', to], [from]);
  }
  const known = ['definitions', 'responses', 'parameters', 'securityDefinitions', 'host', 'basePath', 'schemes'];
  return {
    ...omit(node, ...known, 'consumes', 'produces', 'swagger', 'servers'),
    openapi: '3.1.0',
    servers: readServers(node),
    components: Object.fromEntries(Object.entries(components).filter(([, value]) => value !== undefined)),
  };
}

function readServers(node: Node): readonly Node[] {
  const host = typeof node['host'] === 'string' ? node['host'] : '';
  const basePath = typeof node['basePath'] === 'string' ? node['basePath'] : '';
  const path = basePath === '' || basePath.startsWith('/') ? basePath : `/${basePath}`;
  if (host === '') return [{ url: path === '' ? '/' : path }];
  const schemes = readMediaTypes(node['schemes']);
  return (schemes.length > 0 ? schemes : ['https']).map((scheme) => ({ url: `${scheme}://${host}${path}` }));
}

/** One parameter of 2.0, with its reference followed, and the steps from the path item to where it is written. */
interface Written {
  readonly value: Node;
  /** The reference it was written as. */
  readonly reference: string | undefined;
  readonly original: unknown;
  readonly steps: readonly string[];
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'];

/** A path item whose operations have request bodies instead of body and form parameters. */
export function liftPathItem(node: Node, site: Site): Node {
  const shared = readWritten(node['parameters'], ['parameters'], site);
  const lifted: Record<string, unknown> = { ...node };
  if (Array.isArray(node['parameters'])) {
    lifted['parameters'] = keepPlain(shared, ['parameters'], site);
  }
  const inherited = shared.filter(({ value }) => isBodyPart(value));
  for (const method of METHODS) {
    const operation = node[method];
    if (isObject(operation)) lifted[method] = liftOperation(operation, { site, method, inherited });
  }
  return lifted;
}

interface OperationContext {
  readonly site: Site;
  readonly method: string;
  readonly inherited: readonly Written[];
}

function liftOperation(operation: Node, context: OperationContext): Node {
  const { site, method, inherited } = context;
  const own = readWritten(operation['parameters'], [method, 'parameters'], site);
  const consumes = readMediaTypes(operation['consumes'] ?? site.readRoot('consumes'));
  const produces = readMediaTypes(operation['produces'] ?? site.readRoot('produces'));
  const ownParts = own.filter(({ value }) => isBodyPart(value));
  const isOverridden = ({ value }: Written): boolean =>
    ownParts.some((part) => part.value['in'] === 'body' || part.value['name'] === value['name']);
  const parts = [...inherited.filter((part) => !isOverridden(part)), ...ownParts];
  const lifted: Record<string, unknown> = omit(operation, 'consumes', 'produces', 'parameters');
  if (own.length > 0) lifted['parameters'] = keepPlain(own, [method, 'parameters'], site);
  const body = parts.find(({ value }) => value['in'] === 'body');
  if (body !== undefined) lifted['requestBody'] = liftBody(body, consumes, context);
  else if (parts.length > 0) lifted['requestBody'] = liftForm(parts, consumes, context);
  if (isObject(operation['responses'])) lifted['responses'] = liftResponses(operation['responses'], produces, context);
  return lifted;
}

function liftResponses(responses: Node, produces: readonly string[], { site, method }: OperationContext): Node {
  const lifted: Record<string, unknown> = {};
  for (const [status, response] of Object.entries(responses)) {
    const here = [method, 'responses', status];
    const moved: Site['moved'] = (to, from) => site.moved([...here, ...to], [...here, ...from]);
    setOwn(lifted, status, isObject(response) ? liftResponseOf(response, produces, moved) : response);
  }
  return lifted;
}

function liftBody(body: Written, consumes: readonly string[], { site, method }: OperationContext): Node {
  const { value, reference } = body;
  // The schema of a parameter in another file refers to its own neighbours: it is reached through the same reference.
  const schema = reference === undefined ? value['schema'] : { $ref: appendPointer(reference, '/schema') };
  const types = consumes.length > 0 ? consumes : ['application/json'];
  const content: Record<string, unknown> = {};
  site.moved([method, 'requestBody'], body.steps);
  for (const type of types) {
    setOwn(content, type, value['schema'] === undefined ? {} : { schema });
    site.moved([method, 'requestBody', 'content', type, 'schema'], [...body.steps, 'schema']);
  }
  return { ...readAbout(value), required: value['required'] === true, content };
}

function liftForm(parts: readonly Written[], consumes: readonly string[], { site, method }: OperationContext): Node {
  const hasFile = parts.some(({ value }) => value['type'] === 'file');
  const forms = consumes.filter((type) =>
    /^(?:multipart\/form-data|application\/x-www-form-urlencoded)\b/iu.test(type),
  );
  const types = forms.length > 0 ? forms : [hasFile ? 'multipart/form-data' : 'application/x-www-form-urlencoded'];
  const properties: Record<string, unknown> = {};
  const encoding: Record<string, unknown> = {};
  const required: string[] = [];
  site.moved([method, 'requestBody'], parts[0]?.steps ?? []);
  for (const { value, steps } of parts) {
    const name = String(value['name']);
    setOwn(properties, name, { ...readAbout(value), ...readSimpleSchema(value) });
    const style = readCollectionStyle({ ...value, in: 'query' });
    if (Object.keys(style).length > 0) setOwn(encoding, name, style);
    if (value['required'] === true) required.push(name);
    for (const type of types) site.moved([method, 'requestBody', 'content', type, 'schema', 'properties', name], steps);
  }
  const schema = { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
  const media = { schema, ...(Object.keys(encoding).length > 0 ? { encoding } : {}) };
  return { required: required.length > 0, content: Object.fromEntries(types.map((type) => [type, media])) };
}

function readAbout(value: Node): Node {
  return typeof value['description'] === 'string' ? { description: value['description'] } : {};
}

function readWritten(list: unknown, steps: readonly string[], site: Site): readonly Written[] {
  if (!Array.isArray(list)) return [];
  return list.map((original: unknown, index): Written => {
    const here = { original, steps: [...steps, String(index)] };
    const reference = isObject(original) && typeof original['$ref'] === 'string' ? original['$ref'] : undefined;
    const value = reference === undefined ? original : site.find(reference)?.value;
    return { ...here, reference, value: isObject(value) ? value : {} };
  });
}

/** The parameters that stay parameters, as they are written. */
function keepPlain(written: readonly Written[], to: readonly string[], site: Site): readonly unknown[] {
  const plain = written.filter(({ value }) => !isBodyPart(value));
  plain.forEach(({ steps }, index) => site.moved([...to, String(index)], steps));
  return plain.map(({ original }) => original);
}

function isBodyPart(value: unknown): boolean {
  return isObject(value) && (value['in'] === 'body' || value['in'] === 'formData');
}

function appendPointer(reference: string, pointer: string): string {
  return reference.includes('#') ? `${reference.replace(/\/$/u, '')}${pointer}` : `${reference}#${pointer}`;
}

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
function readCollectionStyle(node: Node): Node {
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

/** A Swagger 2.0 response as a 3.x one: its schema and examples under each media type that `produces` names. */
export function liftResponse(node: Node, site: Site): Node {
  return liftResponseOf(node, readMediaTypes(site.readRoot('produces')), site.moved.bind(site));
}

/**
 * @param produces - Of the operation, or of the document for a shared response.
 * @param moved - Takes steps relative to the response.
 */
function liftResponseOf(node: Node, produces: readonly string[], moved: Site['moved']): Node {
  if (typeof node['$ref'] === 'string' || isObject(node['content'])) return node;
  const { schema } = node;
  const examples = isObject(node['examples']) ? node['examples'] : {};
  const rest = omit(node, 'schema', 'examples');
  if (schema === undefined && Object.keys(examples).length === 0) return rest;
  const isFile = isObject(schema) && schema['type'] === 'file';
  const declared = produces.length > 0 ? produces : [isFile ? 'application/octet-stream' : 'application/json'];
  const content: Record<string, unknown> = {};
  for (const type of new Set([...declared, ...Object.keys(examples)])) {
    const hasExample = Object.hasOwn(examples, type);
    const media = { ...(schema === undefined ? {} : { schema }), ...(hasExample ? { example: examples[type] } : {}) };
    setOwn(content, type, media);
    if (schema !== undefined) moved(['content', type, 'schema'], ['schema']);
    if (hasExample) moved(['content', type, 'example'], ['examples', type]);
  }
  return { ...rest, content };
}

/** `consumes` or `produces` as media types. */
function readMediaTypes(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((type) => typeof type === 'string') : [];
}

/** The flows of 2.0 and their names in 3.x. */
const FLOWS: Readonly<Record<string, string>> = {
  accessCode: 'authorizationCode',
  application: 'clientCredentials',
  implicit: 'implicit',
  password: 'password',
};

/** A 2.0 security definition as a security scheme. */
export function liftSecurityScheme(node: Node): Node {
  if (node['type'] === 'basic') return { ...omit(node, 'type'), type: 'http', scheme: 'basic' };
  if (node['type'] !== 'oauth2' || typeof node['flow'] !== 'string') return node;
  const { flow, authorizationUrl, tokenUrl, scopes, ...rest } = node;
  const urls = {
    ...(authorizationUrl === undefined ? {} : { authorizationUrl }),
    ...(tokenUrl === undefined ? {} : { tokenUrl }),
  };
  return {
    ...rest,
    flows: { [(Object.hasOwn(FLOWS, flow) ? FLOWS[flow] : undefined) ?? flow]: { ...urls, scopes: scopes ?? {} } },
  };
}
