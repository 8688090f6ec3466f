import type { Draft, Survey } from './inference/draft.js';

import type { ItemProperty, ItemSchema } from './item-schema.js';
import { type Binding, type Resource, toBareName, toSingular } from './resource.js';

/** A resource with everything its schemas say of it. */
export function describeResource(
  survey: Survey,
  draft: Draft,
  facts: { readonly name: string; readonly parents: readonly string[] },
): Resource {
  const schema = draft.schema === undefined ? undefined : survey.read(draft.schema);
  const item = draft.itemKey === undefined ? undefined : [...survey.operationsAt(draft.itemKey).values()][0];
  const parameter = draft.groups.at(-1)?.parameters.at(-1);
  return {
    name: facts.name,
    path: draft.groups
      .map(({ words, parameters }, i) => toText(words, i < draft.groups.length - 1 ? parameters : []))
      .join(''),
    singleton: draft.singleton,
    parents: facts.parents,
    schema: draft.schema,
    idProperty: draft.singleton ? undefined : schema === undefined ? 'id' : findIdProperty(schema, draft, parameter),
    keyProperties: findKeyProperties(schema, draft),
    idParameterSchema: item?.parameters.find(({ name, in: place }) => place === 'path' && name === parameter)
      ?.schemaPointer,
    members: undefined,
    memberParameter: undefined,
    once: schema === undefined ? [] : findOnce(survey, draft, schema),
    redacts: schema === undefined ? {} : findRedacted(schema),
    patterns: {},
    unique: [],
    set: {},
    unknownIds: undefined,
  };
}

/**
 * The property the path parameter is named after, alone or behind the noun (`{issue_number}`), else `id`, else one that ends in `id`
 * and is named after the resource.
 */
function findIdProperty(schema: ItemSchema, draft: Draft, parameter: string | undefined): string | undefined {
  const names = [...schema.properties.values()].filter(canBeId).map(({ name }) => name);
  const noun = toSingular(draft.groups.at(-1)?.words.at(-1) ?? '');
  const bare = new Map(names.map((name) => [toBareName(name), name]));
  const wanted = toBareName(parameter ?? 'id');
  const named = bare.get(wanted);
  const short = wanted.startsWith(toBareName(noun)) ? bare.get(wanted.slice(toBareName(noun).length)) : undefined;
  // `{username}` names a user by what it is called, even where the schema has an id too.
  const told = [named, short].find((name) => name !== undefined && name !== 'id');
  if (told !== undefined) return told;
  if (names.includes('id')) return 'id';
  return (
    short ??
    bare.get(`${toBareName(noun)}id`) ??
    ['_id', 'uuid', 'guid', 'uid', 'key', 'slug', 'code', 'name'].find((name) => names.includes(name))
  );
}

/** An id is a text or a number. */
function canBeId({ schema }: ItemProperty): boolean {
  return schema.type === undefined || !['object', 'array', 'boolean'].includes(String(schema.type));
}

/** `{namespace}/{taxonomy_key}`: the properties `namespace` and `key`; none where a parameter stands for no property. */
function findKeyProperties(schema: ItemSchema | undefined, draft: Draft): readonly string[] {
  const parameters = draft.groups.at(-1)?.parameters ?? [];
  if (parameters.length < 2 || schema === undefined) return [];
  const names = [...schema.properties.keys()];
  const found = parameters.flatMap(
    (parameter) =>
      names.find((name) => toBareName(name) === toBareName(parameter)) ??
      names.find((name) => toBareName(parameter).endsWith(toBareName(name))) ??
      [],
  );
  return found.length === parameters.length ? found : [];
}

/** Properties that the answer to a create must show and the item need not: they are shown once. */
function findOnce(survey: Survey, draft: Draft, schema: ItemSchema): readonly string[] {
  const create = survey.operationsAt(draft.key).get('POST');
  const answer = create === undefined ? undefined : survey.answer(create);
  if (answer === undefined || answer.pointer === schema.pointer || !answer.properties.has('id')) return [];
  if (create !== undefined && survey.list(create) !== undefined) return [];
  return [...answer.properties.values()]
    .filter(({ name, required }) => required && schema.properties.get(name)?.required !== true)
    .map(({ name }) => name);
}

/** `redacted_value` is the masked form of `value`. */
function findRedacted(schema: ItemSchema): Readonly<Record<string, string>> {
  const redacted: Record<string, string> = {};
  for (const name of schema.properties.keys()) {
    const plain = /^(?:redacted|masked|obfuscated)_?(.+)$/i.exec(name)?.[1];
    const match =
      plain === undefined
        ? undefined
        : [...schema.properties.keys()].find((key) => toBareName(key) === toBareName(plain));
    if (match !== undefined) redacted[name] = match;
  }
  return redacted;
}

/**
 * Collections whose items are taken from another one: below a parent, of the same noun as a collection at the top, and named by
 * the same path parameter or by a property that the create demands.
 */
export function findMembers(
  collections: ReadonlyMap<string, Resource>,
  bindings: ReadonlyMap<string, Binding>,
  survey: Survey,
): ReadonlyMap<string, { readonly members: string; readonly memberParameter: string }> {
  const parameters = new Map<string, string>();
  for (const { collection, id, action } of bindings.values()) {
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
    const create = [...bindings.values()].find((each) => each.collection === resource.name && each.action === 'create');
    const demanded = create === undefined ? undefined : survey.body(create.operation)?.properties.get(parameter);
    const sameParameter = parameters.get(top.name) === parameter && top.schema !== resource.schema;
    if (demanded !== undefined || (create === undefined && sameParameter)) {
      members.set(resource.name, { members: top.name, memberParameter: parameter });
    }
  }
  return members;
}

function toText(words: readonly string[], parameters: readonly string[]): string {
  return [...words, ...parameters.map((name) => `{${name}}`)].map((segment) => `/${segment}`).join('');
}
