import { isObject } from './schema.js';
import { omit, quote, type Node, type Site } from './site.js';

/**
 * A `discriminator` as an object whose `mapping` names every branch by a reference of the inner document, the implicit names of
 * OpenAPI 3.1 section 4.8.25 included: the last step of each branch's reference.
 */
export function repairDiscriminator(node: Node, site: Site): Node {
  const given = node['discriminator'];
  // Swagger 2.0 gives nothing but the name of the property.
  const discriminator: unknown = typeof given === 'string' ? { propertyName: given } : given;
  if (!isObject(discriminator) || typeof discriminator['propertyName'] !== 'string') {
    const message = `"discriminator" needs a "propertyName", not ${quote(given)}`;
    site.report({ message, assumed: 'it is left out', inside: ['discriminator'] });
    return omit(node, 'discriminator');
  }
  const mapping = readMapping(node, discriminator['mapping'], site);
  const rest = omit(discriminator, 'mapping');
  return { ...node, discriminator: Object.keys(mapping).length === 0 ? rest : { ...rest, mapping } };
}

function readMapping(node: Node, declared: unknown, site: Site): Readonly<Record<string, string>> {
  const explicit = Object.entries(isObject(declared) ? declared : {}).flatMap(([name, reference]) => {
    const inner = typeof reference === 'string' ? site.toInnerSchema(reference) : undefined;
    return inner === undefined ? [] : [[name, inner] as const];
  });
  const taken = new Set(explicit.map(([, inner]) => inner));
  const implicit = [node['oneOf'], node['anyOf']].flatMap((branches) =>
    (Array.isArray(branches) ? branches : []).flatMap((branch: unknown) => {
      const reference = isObject(branch) ? branch['$ref'] : undefined;
      const inner = typeof reference === 'string' ? site.toInnerSchema(reference) : undefined;
      if (inner === undefined || taken.has(inner)) return [];
      return [[readName(String(reference)), inner] as const];
    }),
  );
  return Object.fromEntries([...implicit, ...explicit]);
}

function readName(reference: string): string {
  const last = reference.split(/[#/]/u).findLast((part) => part !== '') ?? reference;
  return last.replace(/\.(?:ya?ml|json)$/u, '');
}
