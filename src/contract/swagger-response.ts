import { isObject, setOwn } from './schema.js';
import { omit, type Node, type Site } from './site.js';

/** A Swagger 2.0 response as a 3.x one: its schema and examples under each media type that `produces` names. */
export function liftResponse(node: Node, site: Site): Node {
  return liftResponseOf(node, readMediaTypes(site.readRoot('produces')), site.moved.bind(site));
}

/**
 * @param produces - Of the operation, or of the document for a shared response.
 * @param moved - Takes steps relative to the response.
 */
export function liftResponseOf(node: Node, produces: readonly string[], moved: Site['moved']): Node {
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
export function readMediaTypes(value: unknown): readonly string[] {
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
