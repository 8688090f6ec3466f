import type { IdValue } from '../../base/exact-number.js';
import { toNumber, isIdValue } from '../../base/exact-number.js';
import { means } from '../../conventions/conventions.js';
import { createHash } from 'node:crypto';
import { type Contract, readSchemaAt } from '../../contract/contract.js';
import { isObject, readMember, type SchemaObject, withPath, listExamples } from '../../base/json.js';
import { createIdGenerator, createLikeExample, createPrefixed, fitLength } from '../../generate/text/identifiers.js';
import { readPattern, type TextGenerator } from '../../generate/text/pattern.js';
import { createRandom } from '../../base/random.js';
import {
  type PropertyView,
  type SchemaView,
  isNumeric,
  findPropertyAt,
  listProperties,
  type ReadSchema,
  readSchemaType,
} from '../../contract/schema-view/schema-view.js';
import { toSingular } from '../../conventions/names.js';
import { toBareName, UUID } from '../../base/names.js';
import { isPathId, type Resource, type SecretKey } from './resource.js';
import { type Collection, readScope } from '../store/collection.js';
import type { Item } from '../store/lists/item-list.js';

/** The inputs of a generated id. */
interface IdSource {
  readonly seed: number;
  readonly number: number;
  /** Distinguishes lists that show parts of one collection. */
  readonly part?: string;
}

/** Generates and converts the ids of one collection. */
export interface Identity {
  /** The id of create number `number`: a function of the seed, the collection and that number, unused in this scope. */
  generateId(collection: Collection, scope: string, source: IdSource): IdValue;
  /** The id that is a hash of what an item holds; undefined where ids are generated, or where the item does not hold that. */
  readonly deriveId: ((values: Item) => string | undefined) | undefined;
  /** The key of create number `number` that only its answer shows; undefined where the id identifies the items. */
  readonly generateKey: ((source: IdSource) => string) | undefined;
  /** Whether an id has the type of the ids: only digits do where they are numbers. */
  fits(id: string): boolean;
  /** The id in the form of an item: a number where the schema requires one, a full resource name with the ids of the parents in the scope. */
  toValue(id: IdValue, scope: string, origin?: string): IdValue;
}

/** The property that is the id of an item. */
export interface IdProperty extends PropertyView {
  /** Whether it is inside of an object of the item: `metadata.name`. */
  readonly isNested: boolean;
}

/** Finds the property of an id; a name with dots that is not a property itself is a path. */
export function findIdProperty(
  read: ReadSchema,
  { idProperty = '' }: Resource,
  schema: SchemaView | undefined,
): IdProperty | undefined {
  const found = schema && findPropertyAt(read, schema, idProperty);
  return found && { ...found, isNested: schema.members.get(idProperty) === undefined };
}

/** Creates ids from the pattern, format or examples of the id, else with a prefix from the name of the resource. */
export function createIdentity(
  contract: Contract,
  resource: Resource,
  known: { readonly schema: SchemaView | undefined; readonly property: PropertyView | undefined },
): Identity {
  const { schema, property } = known;
  const parameter = readSchemaAt(contract, resource.idParameterSchema);
  // The pattern and the examples of a full name or a URL do not apply to its last step.
  const shown = (isPathId(resource) ? undefined : property?.schema) ?? parameter ?? {};
  const whole = isNumeric(shown);
  // A string in the item whose path parameter is a number is a number in a string.
  const form =
    whole || (parameter !== undefined && isNumeric(parameter))
      ? undefined
      : findForm(resource, schema, [shown, parameter]);
  const told = contract.at((resource.idParameterSchema ?? '').replace(/\/schema$/, '/description'));
  return {
    deriveId: createHashReader(schema, [property?.schema.description, told]),
    generateKey: resource.secretKey && createKeyGenerator(contract, resource, resource.secretKey),
    fits: (id) => !whole || /^-?\d+$/.test(id),
    toValue: (id, scope, origin) => {
      if (resource.selfUrl !== undefined)
        return toSelfUrl(resource.selfUrl, [...readScope(scope), readIdInUrl(String(id))], origin);
      if (resource.fullName !== undefined)
        return toFullName(resource.fullName, [...readScope(scope), readLastStep(String(id))]);
      return whole && /^-?\d+$/.test(String(id)) ? toNumber(String(id)) : whole ? id : String(id);
    },
    generateId: (collection, scope, { seed, number, part = '' }) => {
      const list = collection.list(scope);
      if (form === undefined) {
        // The next number after the existing items, so that numbers stay small; `number` skips those that were removed.
        let next = Math.max(list.size + 1, number);
        while (list.recall(String(next)) !== undefined) next += 1;
        return next;
      }
      for (let attempt = 0; ; attempt++) {
        const key = `${collection.name}\0${scope}${part}\0${number}${attempt === 0 ? '' : `\0${attempt}`}`;
        const id = form(createRandom(seed, key));
        // A pattern may allow only few ids: then the number is appended.
        if (list.recall(id) === undefined) return id;
        if (attempt > 20) return `${id}${number}`;
      }
    },
  };
}

/** Computes what descriptions call a hash of a property: "The MD5 hash of the lowercase version of the member's email address". */
function createHashReader(schema: SchemaView | undefined, descriptions: readonly unknown[]): Identity['deriveId'] {
  for (const description of descriptions) {
    const [, algorithm = '', of = ''] =
      typeof description === 'string' ? (/\b(md5|sha-?(?:1|256|512))\b([^.]*)/i.exec(description) ?? []) : [];
    const hash = toBareName(algorithm);
    if (hash === '') continue;
    const text = toBareName(of);
    const names = [...(schema?.members.keys() ?? [])].toSorted((a, b) => b.length - a.length);
    const name = names.find((each) => toBareName(each).length > 3 && text.includes(toBareName(each)));
    if (name === undefined) continue;
    const isLower = /lower-?\s?cased?/i.test(of);
    return (values) => {
      const value = values[name];
      if (typeof value !== 'string') return undefined;
      return createHash(hash)
        .update(isLower ? value.toLowerCase() : value)
        .digest('hex');
    };
  }
  return undefined;
}

function createKeyGenerator(
  contract: Contract,
  { name: collection, patterns }: Resource,
  { name, schema }: SecretKey,
): NonNullable<Identity['generateKey']> {
  const hinted = Object.hasOwn(patterns, name) ? patterns[name] : undefined;
  const form = createIdGenerator(readSchemaAt(contract, schema) ?? {}, hinted) ?? createPrefixed(`${name}_`);
  return ({ seed, number }) => form(createRandom(seed, `${collection}\0${name}\0${number}`));
}

/** Plans the secrets in the answer to a create that items do not have: `secret` of a new key; undefined without any. */
export function createNewSecrets(
  answer: SchemaView,
  item: SchemaView,
): ((seed: number, key: string) => Item) | undefined {
  const secrets = listProperties(answer).flatMap(({ name, bare, schema, writeOnly }) => {
    const isNew = readSchemaType(schema) === 'string' && !writeOnly && !item.members.has(name);
    if (!isNew || !means(bare, 'secrets.new')) return [];
    return [{ name, form: createIdGenerator(schema) ?? fitLength(createPrefixed(''), [schema]) }];
  });
  if (secrets.length === 0) return undefined;
  return (seed, key) =>
    Object.fromEntries(secrets.map(({ name, form }) => [name, form(createRandom(seed, `${key}\0${name}`))]));
}

/** The id of an item in its collection: the id property, or, where several parameters identify an item, their values joined by `/`. */
export function readItemKey({ keyProperties, fullName, selfUrl }: Resource, item: Item, id: unknown): string {
  if (selfUrl !== undefined && typeof id === 'string') return readIdInUrl(id);
  if (fullName !== undefined && typeof id === 'string') return readLastStep(id);
  if (keyProperties.length === 0) return typeof id === 'string' ? id : String(id);
  return keyProperties.map((name) => String(readMember(item, name))).join('/');
}

/** An item with its own URL, and the URLs of the lists in it, where it shows them. */
export function showOwnUrls(
  { links, keyProperties }: Resource,
  item: Item,
  of: { readonly scope: string; readonly id: string; readonly origin: string | undefined },
): Item {
  const shown = links.filter(({ property }) => typeof readMember(item, property) === 'string');
  const ids = [...readScope(of.scope), ...(keyProperties.length > 1 ? of.id.split('/') : [of.id])];
  return shown.reduce(
    (result, { property, template, isPath }) =>
      withPath(result, property.split('.'), toSelfUrl(template, ids, isPath === true ? '' : of.origin)),
    item,
  );
}

/** The last segment of the URL of an item; what is not a URL is the id itself. */
function readIdInUrl(url: string): string {
  if (!/^https?:\/\//.test(url)) return url;
  const segment = readLastStep(url.replace(/[?#].*$/, '').replace(/\.(json|xml)$/, ''));
  try {
    return decodeURIComponent(segment);
  } catch {
    // A percent sign that encodes nothing is part of the id.
    return segment;
  }
}

/** The URL of an item with these ids, its own last; the origin is that of a template which is a path. */
function toSelfUrl(template: string, ids: readonly string[], origin = 'http://localhost'): string {
  const [start = '', ...texts] = template.split(/\{[^{}]+\}/);
  const base = start.startsWith('/') ? origin + start : start;
  const [last = ''] = ids.slice(-1);
  // The id of a parent can have several parts.
  const all = ids.length < texts.length ? [...ids.slice(0, -1).flatMap((id) => id.split('/')), last] : ids;
  const own = all.slice(-texts.length);
  return texts.reduce((url, text, i) => url + encodeURIComponent((own[i] ?? '-').toWellFormed()) + text, base);
}

/** An item whose properties that repeat all parts of its key have their current values. */
export function withJoinedKeys({ joinedKeys, keyProperties }: Resource, item: Item): Item {
  if (joinedKeys.length === 0) return item;
  const parts = keyProperties.map((name) => readMember(item, name));
  if (!parts.every(isIdValue)) return item;
  return { ...item, ...Object.fromEntries(joinedKeys.map((name) => [name, parts.join('/')])) };
}

function readLastStep(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/** `projects/p1/topics/t1` of the words `projects` and `topics` and the ids `p1` and `t1`. */
function toFullName(words: readonly string[], ids: readonly string[]): string {
  const own = ids.slice(-words.length);
  return words.map((word, i) => `${word}/${own[i] ?? '-'}`).join('/');
}

function findForm(
  { name, idProperty, patterns }: Resource,
  schema: SchemaView | undefined,
  [shown, parameter]: readonly [shown: SchemaObject, parameter: SchemaObject | undefined],
): TextGenerator {
  const id = idProperty ?? 'id';
  const isHinted = idProperty !== undefined && Object.hasOwn(patterns, idProperty);
  const byItem = createIdGenerator(shown, isHinted ? patterns[idProperty] : undefined);
  const isFormed = parameter?.pattern !== undefined || parameter?.format === 'uuid';
  const byPath = isHinted || !isFormed ? undefined : createIdGenerator(parameter);
  // The path must accept every id that is handed out.
  const own = byPath !== undefined && !fits(byItem, parameter) ? byPath : byItem;
  if (own !== undefined) return own;
  const bounded = [shown, parameter];
  for (const example of listExamples(schema?.schema ?? {})) {
    const form = isObject(example) && typeof example[id] === 'string' ? createLikeExample(example[id]) : undefined;
    if (form !== undefined) return fitLength(form, bounded);
  }
  const named = parameter === undefined ? undefined : createIdGenerator(parameter);
  return named ?? fitLength(createPrefixed(`${toSingular(name.split('.').at(-1) ?? 'item')}_`), bounded);
}

/** Whether a generated id matches the pattern and the format of the path parameter. */
function fits(generate: TextGenerator | undefined, parameter: SchemaObject | undefined): boolean {
  const sample = generate?.(createRandom(1, 'id'));
  if (sample === undefined || (parameter?.format === 'uuid' && !UUID.test(sample))) return false;
  return readPattern(parameter?.pattern ?? '').expression.test(sample);
}
