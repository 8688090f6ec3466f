import { readBranches } from '../../contract/schema-view/parts.js';
import { KEY_SEPARATOR, KEY_OF_OTHER, MASKED_NAME } from '../../conventions/forms.js';
import { means, rankNames } from '../../conventions/conventions.js';
import { isObject, type SchemaObject, isScalarType } from '../../base/json.js';
import { readNameSpan } from '../../contract/router/path-span.js';
import type { CollectionCandidate } from './candidates.js';
import type { ContractIndex } from './contract-index.js';
import { isSummary } from '../item/positions.js';
import {
  type PropertyView,
  type SchemaView,
  findValueArray,
  listProperties,
  listShownValues,
  isNumeric,
  readSchemaType,
} from '../../contract/schema-view/schema-view.js';
import { isNamedAfter, toBareNoun } from '../../conventions/names.js';
import { toBareName } from '../../base/names.js';
import { type Binding, type OwnUrl, type Resource, type SecretKey, createResource } from '../item/resource.js';
import { findListUrls, findSelfLink, findSelfUrl, findShownUrls } from './self-url.js';
import type { Operation, Parameter } from '../../contract/operations/operation.js';
import { escapePattern } from '../../base/text.js';

/** The properties of an item that hold its own URLs, and those of the lists in it. */
function findLinks(
  index: ContractIndex,
  schema: SchemaView,
  known: { readonly reading: Operation; readonly sent: readonly string[]; readonly id: string | undefined },
): readonly OwnUrl[] {
  const self = findSelfLink(index, schema, known);
  const shown = findShownUrls(schema, known).filter(({ property }) => property !== self?.property);
  return [...(self === undefined ? [] : [self]), ...shown, ...findListUrls(index, schema, known.reading)];
}

/** Describes a resource: its id, parents, secrets and masked properties. */
export function describeResource(
  index: ContractIndex,
  candidate: CollectionCandidate,
  facts: {
    readonly name: string;
    readonly parents: readonly string[];
    readonly aliases: readonly CollectionCandidate[];
  },
): Resource {
  const { groups, itemKey, singleton } = candidate;
  const schema = index.read(candidate.schema);
  const named = schema === undefined || singleton ? undefined : findFullName(schema, candidate);
  const own = schema === undefined ? 'id' : (named?.property ?? findIdProperty(index, schema, candidate));
  const sent = findSent(index, candidate, schema);
  const self = named === undefined ? findOwnUrl(index, schema, { candidate, id: own }) : undefined;
  const reading = singleton ? undefined : index.operationsAt(itemKey).get('GET');
  const isLinked = schema !== undefined && reading !== undefined && self === undefined && named === undefined;
  const idProperty = singleton ? undefined : (self?.property ?? own);
  const keyProperties = findKeyProperties(index, schema, candidate);
  const paths = new Set([candidate, ...facts.aliases].flatMap((each) => each.itemKey ?? []));
  return Object.assign(createResource(facts.name), {
    path: groups.map(({ words, parameters }, i) => toPath(words, i < groups.length - 1 ? parameters : [])).join(''),
    singleton,
    parents: facts.parents,
    schema: candidate.schema,
    idProperty,
    keyProperties,
    fullName: named?.words,
    selfUrl: self?.template,
    links: isLinked ? findLinks(index, schema, { reading, sent, id: idProperty }) : [],
    alternateKeys: findAlternateKeys(index, schema, { candidate, paths, id: idProperty }),
    idParameterSchema: findIdSchema(index, candidate, schema?.members.get(idProperty ?? '')),
    sent,
    ...(schema && {
      joinedKeys: findJoinedKeys(schema, keyProperties),
      secretKey: findSecretKey(index, candidate, schema),
      once: findOnce(index, candidate, schema).filter((name) => name !== idProperty),
      redacts: findRedacted(schema),
    }),
    // What no request creates or removes exists: the settings of an account, the user of the request.
    unknownIds: singleton && isAlwaysThere(index, candidate) ? 'create' : undefined,
  } as const);
}

/** Whether requests only read and change a singleton. */
function isAlwaysThere(index: ContractIndex, { key }: CollectionCandidate): boolean {
  const methods = [...index.operationsAt(key).keys()];
  return methods.includes('PATCH') && methods.every((method) => method === 'GET' || method === 'PATCH');
}

/** The property that holds the URL of an item, where nothing else identifies it. */
function findOwnUrl(
  index: ContractIndex,
  schema: SchemaView | undefined,
  { candidate, id }: { readonly candidate: CollectionCandidate; readonly id: string | undefined },
): OwnUrl | undefined {
  const methods = index.operationsAt(candidate.itemKey);
  const reading = methods.get('GET') ?? [...methods.values()][0];
  const { parameters = [] } = candidate.groups.at(-1) ?? {};
  const [parameter] = parameters;
  if (schema === undefined || reading === undefined || parameter === undefined || parameters.length > 1)
    return undefined;
  return findSelfUrl(index, schema, { reading, parameter, id });
}

/** The property that holds the full resource name of an item: `projects/p1/topics/t1` at `/projects/{project}/topics/{topic}`. */
function findFullName(
  schema: SchemaView,
  { groups }: CollectionCandidate,
): { readonly property: string; readonly words: readonly string[] } | undefined {
  if (groups.some(({ parameters }, i) => parameters.length > (i < groups.length - 1 ? 1 : Infinity))) return undefined;
  for (const property of listProperties(schema)) {
    if (!means(property.known, 'ids.resourceName')) continue;
    const { description, pattern } = property.schema;
    const shown = listShownValues(schema, property).map((value) =>
      typeof value === 'string' ? value.split('/').map((part, i) => (i % 2 === 0 ? part : undefined)) : undefined,
    );
    const told = [description, pattern?.replaceAll(/^\^|\$$/g, '').replaceAll(/\[\^?[^\]]*\][*+]/g, '*')].map((text) =>
      typeof text === 'string' ? readNameSpan(text) : undefined,
    );
    const isSpanned = groups.at(-1)?.parameters.some((name) => name.includes('#'));
    const own = isSpanned === true ? groups.flatMap(({ words }) => [words.at(-1), undefined]) : undefined;
    for (const span of [own, ...told, ...shown]) {
      const words = span?.filter((part) => part !== undefined) ?? [];
      const last = groups.slice(-words.length).map((group) => group.words.at(-1));
      const isPath =
        words.length > 0 && span?.length === 2 * words.length && words.every((word, i) => word === last[i]);
      if (isPath) return { property: property.name, words };
    }
  }
  return undefined;
}

/** The property with the name of the path parameter, with or without the noun, else `id`, else the noun and `id`; a path with dots inside an object. */
function findIdProperty(index: ContractIndex, schema: SchemaView, candidate: CollectionCandidate): string | undefined {
  const parameter = candidate.groups.at(-1)?.parameters.at(-1);
  const noun = toBareNoun(candidate.groups.at(-1)?.words.at(-1));
  // `{idOrName}` takes another property as well.
  const [name = 'id'] = parameter?.replace(/#\d+$/, '').split(KEY_SEPARATOR) ?? [];
  const lastWord = /[A-Z]?[a-z0-9]+$/.exec(name)?.[0].toLowerCase() ?? '';
  const [operation] = index.operationsAt(candidate.itemKey).values();
  const isText = operation?.parameters.some(
    (each) => each.name === parameter && isObject(each.schema) && each.schema.type === 'string',
  );
  const words: IdWords = { noun, wanted: toBareName(name), lastWord, isText: isText === true };
  const other = findOtherItem(index, schema, words);
  if (other !== undefined) return other;
  const own = findIdIn(schema, words);
  // A `name` that the parameter does not mention gives way to an id inside of an object.
  const isGuess = own !== undefined && means(own, 'ids.other') && !words.wanted.endsWith(toBareName(own));
  if (own !== undefined && !isGuess) return own;
  for (const { name, target } of listProperties(schema)) {
    const inner = means(name, 'envelopes.holder') ? index.read(target) : undefined;
    const nested = inner === undefined ? undefined : findIdIn(inner, words);
    if (nested !== undefined && (own === undefined || nested === 'id')) return `${name}.${nested}`;
  }
  return own ?? (candidate.listedAt === undefined ? undefined : findHeldId(index, schema));
}

/** The id of the only object in a membership that has one. */
function findHeldId(index: ContractIndex, schema: SchemaView): string | undefined {
  const held = listProperties(schema).filter(({ target, scalar }) => !scalar && index.read(target)?.members.has('id'));
  const [only, ...others] = held;
  return only === undefined || others.length > 0 ? undefined : `${only.name}.id`;
}

/** The id of the item that a parameter of another noun names: `user.id` for the `{user_id}` of a member. */
function findOtherItem(index: ContractIndex, schema: SchemaView, { noun, wanted }: IdWords): string | undefined {
  const [, stem = '', key = 'id'] = KEY_OF_OTHER.exec(wanted) ?? [];
  if (stem === '' || noun === '' || wanted.startsWith(noun)) return undefined;
  const names = listProperties(schema);
  const holder = names.find(({ bare, scalar }) => bare === stem && !scalar);
  if (holder === undefined || names.some(({ bare }) => bare === wanted)) return undefined;
  const inner = listProperties(index.read(holder.target)).find(({ bare }) => bare === key);
  return inner && `${holder.name}.${inner.name}`;
}

/** The bare words that the name of an id can be made of. */
interface IdWords {
  readonly noun: string;
  readonly wanted: string;
  /** Its last word. */
  readonly lastWord: string;
  /** Whether it is a string. */
  readonly isText: boolean;
}

function findIdIn(schema: SchemaView, of: IdWords): string | undefined {
  const { noun, wanted } = of;
  const properties = listProperties(schema).filter(
    ({ schema: { type } }) => type === undefined || (type !== 'boolean' && isScalarType(type)),
  );
  const names = new Set(properties.map(({ name }) => name));
  const bare = new Map(properties.map((property) => [property.bare, property.name]));
  // `{username}` is the `login` of a user who has a `name` for people, too, and `{external_guest_id}` the `external_id` of a guest.
  const handle = wanted === `${noun}name` ? bare.get('login') : undefined;
  const named = bare.get(wanted) ?? handle ?? (noun.length > 2 ? bare.get(wanted.replace(noun, '')) : undefined);
  // `{space_number}` identifies one of the `copilot-spaces` by its `number`.
  const stem = wanted.slice(0, -of.lastWord.length);
  const isOwn = noun !== '' && (wanted.startsWith(noun) || (stem.length > 2 && noun.endsWith(stem)));
  const short = isOwn ? bare.get(wanted.startsWith(noun) ? wanted.slice(noun.length) : of.lastWord) : undefined;
  // `{username}` identifies a user by the property `username`, even if the schema has an id as well.
  const explicit = [named, short].find((name) => name !== undefined && name !== 'id');
  if (explicit !== undefined) return explicit;
  // `{specSlug}` names what identifies an item, whatever the item is called in the path.
  const isKey = of.isText && means(of.lastWord, 'ids.keyWord') && !noun.endsWith(of.lastWord);
  const key = isKey ? bare.get(of.lastWord) : undefined;
  if (key !== undefined) return key;
  // `{host_name}` identifies what has no other id than its `host`.
  const plain = noun !== '' && of.isText && wanted === `${noun}name` && !bare.has('id') ? bare.get(noun) : undefined;
  if (plain !== undefined) return plain;
  // `{username}` without such a property: the name that a person or an organization has, if its id is a number.
  const login = isNumeric(schema.members.get('id')?.schema ?? {})
    ? LOGIN_NAMES.find((name) => names.has(name))
    : undefined;
  if (login !== undefined && of.isText && !of.wanted.endsWith('id')) return login;
  const main = rankNames(names, 'ids.main').find((name) => !name.startsWith('$'));
  if (main !== undefined) return main;
  // `{sectionGid}` without such a property: the last word of the parameter.
  const last = bare.get(of.lastWord);
  // `{user}` names a user by the property `username`.
  const after = wanted === noun ? properties.find(({ name }) => isNamedAfter(name, wanted))?.name : undefined;
  return short ?? bare.get(`${noun}id`) ?? after ?? last ?? rankNames(names, 'ids.other')[0];
}

/** For `{namespace}/{taxonomy_key}` the properties `namespace` and `key`; none where a parameter matches no property. */
function findKeyProperties(
  index: ContractIndex,
  schema: SchemaView | undefined,
  candidate: CollectionCandidate,
): readonly string[] {
  const { parameters = [], words = [] } = candidate.groups.at(-1) ?? {};
  if (parameters.length < 2 || schema === undefined) return [];
  const noun = toBareNoun(words.at(-1));
  const found = parameters.flatMap(
    (parameter) => findKeyProperty(index, schema, { noun, name: toBareName(parameter) }) ?? [],
  );
  return found.length === parameters.length ? found : [];
}

/** The strings that hold all parts of a key, by their name or by an example of as many parts: `mira/ledger`. */
function findJoinedKeys(schema: SchemaView, keys: readonly string[]): readonly string[] {
  const isExample = (value: unknown): boolean =>
    typeof value === 'string' && /^[^/\s:]+(\/[^/\s:]+)+$/.test(value) && value.split('/').length === keys.length;
  const joined = listProperties(keys.length < 2 ? undefined : schema).filter(
    ({ name, schema: { type, format, example } }) => {
      if (![type].flat().includes('string') || format !== undefined || keys.includes(name)) return false;
      if (means(name, 'ids.joined')) return example === undefined || isExample(example);
      return means(name, 'ids.ending') && isExample(example);
    },
  );
  return joined.map(({ name }) => name);
}

/** The property that one of several parameters matches: `owner.login` for `{owner}`, `name` for the `{repo}` of a repo. */
function findKeyProperty(
  index: ContractIndex,
  schema: SchemaView,
  of: { readonly noun: string; readonly name: string },
): string | undefined {
  const properties = listProperties(schema);
  const exact = properties.find(({ bare }) => bare === of.name);
  const held = exact === undefined ? findHeldKey(index, properties, of.name) : undefined;
  if (held !== undefined) return held;
  const own = exact ?? properties.find(({ bare }) => bare.length > 1 && of.name.endsWith(bare));
  const inner = index.read(own?.target);
  const nested = inner && rankNames(inner.members.keys(), 'ids.readable')[0];
  if (own !== undefined && !own.scalar && nested !== undefined) return `${own.name}.${nested}`;
  if (own !== undefined) return own.name;
  return of.name === of.noun ? rankNames(schema.members.keys(), 'ids.readable')[0] : undefined;
}

/** The property of an object in the item that a parameter names with that object: `owner.name` for `{owner_name}`. */
function findHeldKey(index: ContractIndex, properties: readonly PropertyView[], wanted: string): string | undefined {
  for (const { name, bare, scalar, target } of properties) {
    const rest = scalar || !wanted.startsWith(bare) ? '' : wanted.slice(bare.length);
    const inner = rest === '' ? undefined : listProperties(index.read(target)).find((each) => each.bare === rest);
    if (inner?.scalar === true) return `${name}.${inner.name}`;
  }
  return undefined;
}

/** The token in a path that the create shows and the item does not have: `export_token` for `/exports/{export_token}`. */
function findSecretKey(
  index: ContractIndex,
  candidate: CollectionCandidate,
  schema: SchemaView,
): SecretKey | undefined {
  const { parameters = [] } = candidate.groups.at(-1) ?? {};
  const name = toBareName(parameters[0] ?? '');
  if (parameters.length !== 1 || !means(name, 'ids.secret')) return undefined;
  const create = index.operationsAt(candidate.key).get('POST');
  const shown = listProperties(index.answer(create));
  const key = shown.find((property) => property.schema.type === 'string' && property.bare === name);
  const isOfItem = listProperties(schema).some(({ bare }) => name.endsWith(bare));
  return key === undefined || isOfItem ? undefined : { name: key.name, schema: key.target };
}

/** Properties that the response to a create requires and the item does not: secrets that are shown once, or the id. */
function findOnce(index: ContractIndex, candidate: CollectionCandidate, schema: SchemaView): readonly string[] {
  const create = index.operationsAt(candidate.key).get('POST');
  const answer = index.answer(create);
  if (answer?.pointer === schema.pointer || answer?.members.has('id') !== true) return [];
  if (index.list(create) !== undefined) return [];
  // Where the item requires nothing, an optional property is not a secret.
  const isPrecise = listProperties(schema).some(({ required }) => required);
  const isHidden = (name: string): boolean => {
    const shown = schema.members.get(name);
    return shown === undefined || (isPrecise && !shown.required);
  };
  return listProperties(answer).flatMap(({ name, required }) => (required && isHidden(name) ? [name] : []));
}

/** The properties of an item that the bodies of its requests declare and do not declare as read-only. */
function findSent(
  index: ContractIndex,
  { key, itemKey }: CollectionCandidate,
  item: SchemaView | undefined,
): readonly string[] {
  const operations = [key, itemKey].flatMap((each) => [...index.operationsAt(each).values()]);
  const names = new Set<string>();
  for (const operation of operations) {
    const body = index.body(operation);
    if (body === undefined || body.pointer === item?.pointer) continue;
    for (const { bare, readOnly } of body.members.values()) if (!readOnly) names.add(bare);
  }
  if (names.size === 0) return [];
  return listProperties(item).flatMap(({ name, bare }) => (names.has(bare) ? [name] : []));
}

/** The properties that are the masked forms of others. */
function findRedacted(schema: SchemaView): Readonly<Record<string, string>> {
  const redacted: Record<string, string> = {};
  for (const name of schema.members.keys()) {
    const plain = MASKED_NAME.exec(name)?.[1];
    if (plain === undefined) continue;
    const match = listProperties(schema).find(({ bare }) => bare === toBareName(plain));
    if (match !== undefined) redacted[name] = match.name;
  }
  return redacted;
}

/** Memberships: collections below a parent with the noun of a top-level one and its path parameter, or whose create requires that parameter, or several. */
export function findMembers(
  collections: ReadonlyMap<string, Resource>,
  bindings: ReadonlyMap<string, Binding>,
  index: ContractIndex,
): ReadonlyMap<string, { readonly members: string; readonly memberParameter: string }> {
  const parameters = new Map<string, string>();
  const all = [...bindings.values()];
  for (const { collection, id, action } of all) {
    const parameter = id.at(-1);
    if (parameter !== undefined && action !== 'list') parameters.set(collection, parameter);
  }
  const members = new Map<string, { readonly members: string; readonly memberParameter: string }>();
  for (const resource of collections.values()) {
    if (resource.parents.length === 0) continue;
    const noun = resource.name.split('.').at(-1) ?? '';
    const top = collections.get(noun);
    const parameter = parameters.get(resource.name);
    if (top === undefined || top.parents.length > 0 || parameter === undefined) continue;
    const own = all.filter(({ collection }) => collection === resource.name);
    const create = own.find(({ action }) => action === 'create');
    const required = index.body(create?.operation)?.members.get(parameter);
    const isArray = ({ action, operation }: Binding): boolean =>
      action === 'batch' && findValueArray(index.read, index.body(operation), { parameter }) !== undefined;
    // What a request writes as a whole is an item of its own.
    const isWritten = own.some(({ action, operation }) => action === 'replace' && operation.body !== undefined);
    const sameParameter = !isWritten && parameters.get(top.name) === parameter && top.schema !== resource.schema;
    if (required !== undefined || own.some(isArray) || (create === undefined && sameParameter)) {
      members.set(resource.name, { members: top.name, memberParameter: parameter });
    }
  }
  return members;
}

/** The id of what is below a parent and has none of its own but a URL, where a collection at the top with the same noun has items of the same schema. */
export function findSharedIds(
  collections: ReadonlyMap<string, Resource>,
  { read }: Pick<ContractIndex, 'read'>,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { name, parents, schema, idProperty, selfUrl, singleton } of collections.values()) {
    const hasOwn = idProperty !== undefined && selfUrl === undefined;
    if (parents.length === 0 || hasOwn || singleton) continue;
    const top = collections.get(name.split('.').at(-1) ?? '');
    const [own, item] = [read(schema), read(top?.schema)];
    const isOfTop = own !== undefined && item !== undefined && (own === item || isSummary(read, own, item));
    if (isOfTop && top?.parents.length === 0 && top.idProperty !== undefined && own.members.has(top.idProperty))
      found.set(name, top.idProperty);
  }
  return found;
}

function toPath(words: readonly string[], parameters: readonly string[]): string {
  return [...words, ...parameters.map((name) => `{${name}}`)].map((segment) => `/${segment}`).join('');
}

/**
 * The properties that identify an item besides its id: `fingerprint` for a parameter that is "the ID or the fingerprint of a key",
 * `slug` for `{id_or_slug}`, `email` for `/users/by-email/{email}` or `/users/{email}` beside `/users/{id}`, and `login` for `{username}`.
 */
function findAlternateKeys(
  index: ContractIndex,
  schema: SchemaView | undefined,
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
const LOGIN_NAMES: readonly string[] = ['login', 'username'];

/** Whether a parameter calls a login by its other name: `/users/{username}` beside `/user/{account_id}`, where users have a `login`. */
function isLogin(bare: string, parameter: string): boolean {
  return LOGIN_NAMES.includes(bare) && LOGIN_NAMES.includes(toBareName(parameter));
}

/**
 * Pointer to the schema of the ids of a collection: that of the path parameter, unless it takes any text and another path, also one
 * below an item, takes only numbers or UUIDs, or the answer to the create shows a number: each id has to be right at all of them.
 */
function findIdSchema(
  index: ContractIndex,
  { key, itemKey, groups }: CollectionCandidate,
  id: PropertyView | undefined,
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
  const told = index
    .idParameters(itemKey)
    .filter((each) => !(isObject(each.schema) && each.schema.type === 'string' && each.schema.format === undefined));
  const others = [...told.map(({ schemaPointer }) => schemaPointer), created?.target];
  const isUuid = ({ format }: SchemaObject): boolean => format === 'uuid';
  const strict = [isNumeric, isUuid].flatMap((isStrict) => others.find((each) => isStrict(read(each))) ?? []);
  return strict[0] ?? own;
}

/** Whether a schema takes strings of any form. */
function isAnyText(schema: SchemaObject): boolean {
  const isText = (readSchemaType(schema) ?? 'string') === 'string';
  return isText && schema.format === undefined && schema.pattern === undefined && schema.enum === undefined;
}

/** Objects that hold the name of a person. */
const HOLDER = /^profile$/i;

/** The properties that can identify an item, those of its profile after its own. */
function findKeys(
  { read }: ContractIndex,
  schema: SchemaView,
): readonly { readonly path: string; readonly property: PropertyView }[] {
  const own = listProperties(schema).map((property) => ({ path: property.name, property }));
  const held = own
    .filter(({ path }) => HOLDER.test(path) || means(path, 'envelopes.part'))
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
function canIdentify({ schema, scalar }: PropertyView): boolean {
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
  const parts = parameter.name.split(KEY_SEPARATOR);
  const { schema } = index.contract.resolve(parameter.schema, parameter.schemaPointer);
  const described = isObject(schema) && typeof schema.description === 'string' ? schema.description : '';
  // "Accepts either an incident id, or an incident number."
  const [accepted = ''] = /\baccepts?\b[^.]*\b(ids?|identifiers?)\b[^.]*/i.exec(operation.description ?? '') ?? [];
  const texts = [parameter.description ?? '', described, accepted].filter((text) => ALTERNATIVE.test(text));
  return {
    parts: parts.length > 1 ? parts.map(toBareName) : [],
    descriptions: texts.map((text) => ({ text, bare: toBareName(text) })),
    branches: listBranchNames(index, parameter),
  };
}

/** Words of a description of several keys. */
const ALTERNATIVE = /\bor\b|\||\b(also|as well|either|alternatively)\b/i;

/** Whether the name, the description or a branch of the schema of a parameter says that it takes a property as well. */
function isMentioned({ parts, descriptions, branches }: Mention, { name, bare }: PropertyView): boolean {
  if (parts.some((part) => part === bare || (bare.length > 2 && part.endsWith(bare)))) return true;
  if (bare.length > 3 && branches.some((branch) => branch.endsWith(bare))) return true;
  return descriptions.some((each) => each.bare.includes(bare) && isDescribed(each.text, name));
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
  return readBranches(target).flatMap((branch) => {
    const reference = isObject(branch) && typeof branch.$ref === 'string' ? branch.$ref.split('/').at(-1) : undefined;
    return reference === undefined ? [] : [toBareName(reference)];
  });
}
