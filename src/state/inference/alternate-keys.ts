import { isObject } from '../../contract/json.js';
import type { Operation, Parameter } from '../../contract/operations/operation.js';
import { type ItemProperty, type ItemSchema, listProperties, readSchemaType } from '../item-schema.js';
import { isNamedAfter, PART_NAME, toBareName, OR, escapePattern } from '../names.js';
import type { CollectionCandidate } from './candidates.js';
import type { ContractIndex } from './contract-index.js';

/**
 * The properties that identify an item besides its id: `fingerprint` for a parameter that is "the ID or the fingerprint of a key",
 * `slug` for `{id_or_slug}`, and `email` for `/users/by-email/{email}` or `/users/{email}` beside `/users/{id}`.
 */
export function findAlternateKeys(
  index: ContractIndex,
  schema: ItemSchema | undefined,
  of: { readonly candidate: CollectionCandidate; readonly paths: ReadonlySet<string>; readonly id: string | undefined },
): readonly string[] {
  const { candidate, paths, id } = of;
  if (schema === undefined || candidate.singleton || candidate.groups.at(-1)?.parameters.length !== 1) return [];
  const properties = findKeys(index, schema).filter(({ path }) => path !== id);
  const found = new Set<string>();
  for (const operation of properties.length === 0 ? [] : index.operationsOn(paths)) {
    const shape = index.shape(operation);
    const name = shape?.groups.at(-1)?.parameters.at(-1);
    const parameter = name === undefined ? undefined : findPathParameter(operation, name);
    if (parameter === undefined) continue;
    const isOwn = shape?.key === candidate.itemKey;
    const accepted = readAccepted(operation);
    for (const { path, property } of properties) {
      const isNamed = isOwn
        ? toBareName(parameter.name) === toBareName(property.name)
        : isNamedAfter(property.name, parameter.name);
      const isSaid = isMentioned(index, parameter, property) || isDescribed(accepted, property.name);
      if ((isNamed && (!isOwn || id === 'id')) || isSaid) found.add(path);
    }
  }
  return [...found];
}

/** Objects that hold the name of a person. */
const HOLDER = /^profile$/i;

/** The properties that can identify an item, those of its profile after its own. */
function findKeys(
  { read }: ContractIndex,
  schema: ItemSchema,
): readonly { readonly path: string; readonly property: ItemProperty }[] {
  const own = listProperties(schema).map((property) => ({ path: property.name, property }));
  const held = own
    .filter(({ path }) => HOLDER.test(path) || PART_NAME.test(path))
    .flatMap(({ path, property: { target } }) =>
      listProperties(read(target)).map((property) => ({
        path: `${path}.${property.name}`,
        property,
      })),
    );
  return [...own, ...held].filter(({ property }) => canIdentify(property));
}

function findPathParameter({ parameters }: Operation, name: string): Parameter | undefined {
  return parameters.find((each) => each.in === 'path' && each.name === name);
}

/** Whether a property can have a value that only one item has. */
function canIdentify({ schema, scalar }: ItemProperty): boolean {
  const type = readSchemaType(schema);
  const isText = type === 'string' || type === 'integer' || (type === undefined && scalar);
  return isText && schema.enum === undefined && !('const' in schema) && schema.format?.startsWith('date') !== true;
}

/** Whether the name, the description or a branch of the schema of a parameter says that it takes a property as well. */
function isMentioned(index: ContractIndex, parameter: Parameter, { name }: ItemProperty): boolean {
  const bare = toBareName(name);
  const parts = parameter.name.split(OR).map(toBareName);
  if (parts.length > 1 && parts.some((part) => part === bare || (bare.length > 2 && part.endsWith(bare)))) return true;
  return isDescribed(parameter.description ?? '', name) || isBranch(index, parameter, bare);
}

/** Where an operation says which ids it takes: "Accepts either an incident id, or an incident number." */
function readAccepted({ description = '' }: Operation): string {
  return /\baccepts?\b[^.]*\b(ids?|identifiers?)\b[^.]*/i.exec(description)?.[0] ?? '';
}

/** "the ID or the fingerprint", "slug or id", "`id | loginName`", "the id, their email address or `me`", "The `handle` is accepted as well". */
function isDescribed(description: string, name: string): boolean {
  const word = `[\`'"*]*${escapePattern(name).replaceAll('_', '[ _-]?')}[\`'"*]*`;
  const text = String.raw`(?:\bor|\||,(?=[^.]*\bor\b))\s+(?:(?:the|its|their|an?|by)\s+)*(?:\w+\s+)?${word}(?![\w-])|(?<![\w-])${word}\s*(?:\bor\b|\|)`;
  if (/\bor\b|\|/i.test(description) && new RegExp(text, 'i').test(description)) return true;
  return description.includes(`\`${name}\``) && /\b(also|as well|either|alternatively)\b/i.test(description);
}

/** Whether one of several schemas of a parameter is named after the property: `#/components/schemas/key_fingerprint`. */
function isBranch({ contract }: ContractIndex, { schema, schemaPointer }: Parameter, bare: string): boolean {
  const { schema: target } = contract.resolve(schema, schemaPointer);
  if (!isObject(target)) return false;
  const branches = [...(target.anyOf ?? []), ...(target.oneOf ?? [])];
  return branches.some((branch) => {
    const reference = isObject(branch) && typeof branch.$ref === 'string' ? branch.$ref.split('/').at(-1) : undefined;
    return bare.length > 3 && reference !== undefined && toBareName(reference).endsWith(bare);
  });
}
