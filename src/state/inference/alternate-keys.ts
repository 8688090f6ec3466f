import { isObject, type SchemaObject } from '../../contract/json.js';
import type { Operation, Parameter } from '../../contract/operations/operation.js';
import { type ItemProperty, type ItemSchema, isNumeric, listProperties, readSchemaType } from '../item-schema.js';
import { isNamedAfter, PART_NAME, OR } from '../names.js';
import { toBareName } from '../../contract/names.js';
import { escapePattern } from '../../contract/patterns/guarded-pattern.js';
import type { CollectionCandidate } from './candidates.js';
import type { ContractIndex } from './contract-index.js';

/**
 * The properties that identify an item besides its id: `fingerprint` for a parameter that is "the ID or the fingerprint of a key",
 * `slug` for `{id_or_slug}`, `email` for `/users/by-email/{email}` or `/users/{email}` beside `/users/{id}`, and `login` for `{username}`.
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
    const said = readMention(index, parameter, operation);
    for (const { path, property } of properties) {
      if (found.has(path)) continue;
      const isNamed = isOwn
        ? id === 'id' && toBareName(parameter.name) === property.bare
        : isNamedAfter(property.name, parameter.name) || isLogin(property.bare, parameter.name);
      if (isNamed || isMentioned(said, property)) found.add(path);
    }
  }
  return [...found];
}

/** Names of the property with the name that a person or an organization has. */
export const LOGIN_NAMES: readonly string[] = ['login', 'username'];

/** Whether a parameter calls a login by its other name: `/users/{username}` beside `/user/{account_id}`, where users have a `login`. */
function isLogin(bare: string, parameter: string): boolean {
  return LOGIN_NAMES.includes(bare) && LOGIN_NAMES.includes(toBareName(parameter));
}

/**
 * Pointer to the schema of the ids of a collection: that of the path parameter, unless it takes any text and another path, also one
 * below an item, takes only numbers or UUIDs, or the answer to the create shows a number: each id has to be right at all of them.
 */
export function findIdSchema(
  index: ContractIndex,
  { key, itemKey, groups }: CollectionCandidate,
  id: ItemProperty | undefined,
): string | undefined {
  const methods = index.operationsAt(itemKey);
  const [first] = methods.values();
  const operation = methods.get('GET') ?? first;
  const own = operation && findPathParameter(operation, groups.at(-1)?.parameters.at(-1) ?? '')?.schemaPointer;
  const read = (pointer: string | undefined): SchemaObject => index.read(pointer)?.schema ?? {};
  // An id with a form of its own has that.
  if ((id !== undefined && !isAnyText(id.schema)) || (own !== undefined && !isAnyText(read(own)))) return own;
  const created = listProperties(index.answer(index.operationsAt(key).get('POST'))).find(
    ({ name }) => name === id?.name,
  );
  // Thousands of paths can be below an item.
  const told = index.idParameters(itemKey).filter((each) => !(isObject(each.schema) && isPlainText(each.schema)));
  const others = [...told.map(({ schemaPointer }) => schemaPointer), created?.target];
  const strict = [isNumeric, isUuid].flatMap((isStrict) => others.find((each) => isStrict(read(each))) ?? []);
  return strict[0] ?? own;
}

/** Whether a schema takes strings of any form. */
function isAnyText(schema: SchemaObject): boolean {
  const isText = (readSchemaType(schema) ?? 'string') === 'string';
  return isText && schema.format === undefined && schema.pattern === undefined && schema.enum === undefined;
}

function isPlainText({ type, format }: SchemaObject): boolean {
  return type === 'string' && format === undefined;
}

function isUuid({ format }: SchemaObject): boolean {
  return format === 'uuid';
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

/** What says that a parameter takes another property as well. */
interface Mention {
  /** The bare names in the name of the parameter, where it has several: `id_or_slug`. */
  readonly parts: readonly string[];
  readonly descriptions: readonly Description[];
  /** The bare names of the schemas that the parameter can have: `#/components/schemas/key_fingerprint`. */
  readonly branches: readonly string[];
}

interface Description {
  readonly text: string;
  /** As a bare name: it has the bare names of all words in it. */
  readonly bare: string;
}

function readMention(index: ContractIndex, parameter: Parameter, operation: Operation): Mention {
  const parts = parameter.name.split(OR);
  const { schema } = index.contract.resolve(parameter.schema, parameter.schemaPointer);
  const described = isObject(schema) && typeof schema.description === 'string' ? schema.description : '';
  const texts = [parameter.description ?? '', described, readAccepted(operation)].filter((text) =>
    ALTERNATIVE.test(text),
  );
  return {
    parts: parts.length > 1 ? parts.map(toBareName) : [],
    descriptions: texts.map((text) => ({ text, bare: toBareName(text) })),
    branches: listBranchNames(index, parameter),
  };
}

/** Words of a description of several keys. */
const ALTERNATIVE = /\bor\b|\||\b(also|as well|either|alternatively)\b/i;

/** Whether the name, the description or a branch of the schema of a parameter says that it takes a property as well. */
function isMentioned({ parts, descriptions, branches }: Mention, { name, bare }: ItemProperty): boolean {
  if (parts.some((part) => part === bare || (bare.length > 2 && part.endsWith(bare)))) return true;
  if (bare.length > 3 && branches.some((branch) => branch.endsWith(bare))) return true;
  return descriptions.some((each) => each.bare.includes(bare) && isDescribed(each.text, name));
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

function listBranchNames({ contract }: ContractIndex, { schema, schemaPointer }: Parameter): readonly string[] {
  const { schema: target } = contract.resolve(schema, schemaPointer);
  if (!isObject(target)) return [];
  return [...(target.anyOf ?? []), ...(target.oneOf ?? [])].flatMap((branch) => {
    const reference = isObject(branch) && typeof branch.$ref === 'string' ? branch.$ref.split('/').at(-1) : undefined;
    return reference === undefined ? [] : [toBareName(reference)];
  });
}
