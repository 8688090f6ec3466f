import { omit, type Node, type Site } from './site.js';

/** What says something about a schema rather than about its values, and so belongs on the outside of a wrapped one. */
const ANNOTATIONS: ReadonlySet<string> = new Set(
  'title description default example examples deprecated readOnly writeOnly xml externalDocs $comment'.split(' '),
);

/** Keywords that may refuse null where there is no `type`; all others look at other types only. */
const DECIDING = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'const'];

/**
 * OpenAPI 3.0's `nullable` and 2.0's `x-nullable` as 2020-12 says it: null among the types and the members of `enum`, or, around
 * whatever else may refuse null, an `anyOf` with null.
 */
export function upgradeNullable(node: Node, site: Site): Node {
  const isNullable = node['nullable'] === true || node['x-nullable'] === true;
  const rest = omit(node, 'nullable', 'x-nullable');
  if (!isNullable) return rest;
  if (site.dialect === 31 && node['nullable'] === true) {
    const message = '"nullable" is a keyword of OpenAPI 3.0';
    site.report({ message, assumed: 'null is accepted here', inside: ['nullable'] });
  }
  const { type } = rest;
  const types: readonly unknown[] = Array.isArray(type) ? type : type === undefined ? [] : [type];
  if (DECIDING.some((keyword) => rest[keyword] !== undefined)) return wrap(rest, site);
  const members = rest['enum'];
  return {
    ...rest,
    ...(types.length === 0 || types.includes('null') ? {} : { type: [...types, 'null'] }),
    // 3.0.3 wants null listed; those who forget it mean it.
    ...(Array.isArray(members) && !members.includes(null) ? { enum: [...(members as unknown[]), null] } : {}),
  };
}

function wrap(node: Node, site: Site): Node {
  const outside: Record<string, unknown> = {};
  const inside: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(node)) {
    const isOutside = ANNOTATIONS.has(keyword) || keyword.startsWith('x-');
    (isOutside ? outside : inside)[keyword] = value;
  }
  site.moved(['anyOf', '0'], []);
  return { ...outside, anyOf: [inside, { type: 'null' }] };
}
