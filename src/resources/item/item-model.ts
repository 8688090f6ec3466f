import type { IdValue } from '../../base/exact-number.js';
import type { Contract } from '../../contract/contract.js';
import { filterMembers, isObject, joinObjects, overlay, mergePatch, setOwn, withPath } from '../../base/json.js';
import { readSegments } from '../../contract/pointer.js';
import type { Generator } from '../../generate/generate.js';
import { createIdGenerator } from '../../generate/text/identifiers.js';
import { createRandom } from '../../base/random.js';
import type { Validators } from '../../schema/validate.js';
import { type IsValid, NO_VIOLATIONS, type Violation } from '../../schema/violation.js';
import {
  type PropertyView,
  type SchemaView,
  type ReadSchema,
  listProperties,
} from '../../contract/schema-view/schema-view.js';
import { listStatuses } from '../../conventions/names.js';
import type { Binding, Resource, Resources } from './resource.js';
import { listSubtypeProperties } from '../../contract/schema-view/parts.js';
import type { Item } from '../store/lists/item-list.js';
import { createIdentity, type Identity, type IdProperty } from './identity.js';
import { completeWork, createLifecycle, type Lifecycle } from './lifecycle.js';
import {
  createAnswerValue,
  createElements,
  createKindChooser,
  createNewValue,
  findEmptyValue,
  isAnswered,
  isNullMeaningful,
  type IsSettable,
} from './new-values.js';
import {
  chooseInitialStatus,
  createMask,
  createStamp,
  createTimestampWriter,
  findVersion,
  isChangeTimestamp,
  isInstant,
  isStatus,
  isStatusName,
  isTimestamp,
  type Stamp,
} from './server-values.js';

/** Everything that is derived once from the schema of a resource: how its items are identified, built and checked. */
export interface ItemModel {
  readonly resource: Resource;
  readonly schema: SchemaView | undefined;
  /** The property that is the id; undefined where the schema does not declare it. */
  readonly idProperty: IdProperty | undefined;
  readonly identity: Identity;
  /** The property that counts the changes of an item. */
  readonly version: string | undefined;
  /** How the status of a created item advances by itself. */
  readonly lifecycle: Lifecycle | undefined;
  /** A new item, valid against the schema. */
  create(input: ItemInput): Item;
  /** Replaces an item by a complete body; properties that only the server sets are kept. */
  replace(item: Item, input: ItemInput): Item;
  /** A merge (RFC 7386) of a patch into an item; `null` sets a nullable property to null and removes any other. */
  merge(item: Item, patch: Item): Item;
  /** Adds what a change of an item changes by itself. */
  readonly stamp: Stamp;
  /** The item where it is valid; else with the invalid properties generated again. @param valid - The item, if it is known to be valid. */
  repair(item: Item, input: Pick<ItemInput, 'key' | 'now' | 'seed'>, valid?: Item): Item;
  /** Whether a request may set a property. */
  accepts(name: string): boolean;
  /** The part of a request body that becomes part of the item. */
  accept(body: Item): Item;
  check(item: Item): readonly Violation[];
  /** The item with its revision as `etag`, for resources whose schema has that property. */
  tag(item: Item, revision: number): Item;
}

/** The inputs of a new item. */
interface ItemInput {
  readonly id: IdValue | undefined;
  /** The item that the request sends. */
  readonly body: Item;
  /** Properties that take precedence over the request: from the operation, the path or a hint. */
  readonly fixed: Item;
  /** Default values; the request takes precedence. */
  readonly defaults: Item;
  readonly seed: number;
  /** The name of the item for the random generator: all generated values are a function of the seed and this. */
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The facts about a resource that its model needs, besides the schema. */
interface ItemModelFacts {
  readonly idProperty: IdProperty | undefined;
  readonly read: ReadSchema;
  /** Whether a request can set a property. */
  readonly isSettable: IsSettable;
  readonly bindings: readonly Binding[];
  readonly resources: Resources;
}

/** The parts that item models are built with. */
export interface ItemModelParts {
  readonly contract: Contract;
  readonly validators: Validators;
  readonly generator: Generator;
}

interface Rule {
  readonly property: PropertyView;
  /** The value for a new item where the request gives none; undefined leaves the property out. */
  value(input: ItemInput): unknown;
  /** Whether the request may set it. */
  readonly open: boolean;
  /** Whether no request can set it, so that a new item shows a value that the server makes. */
  readonly made: boolean;
}

/** Builds the model of a resource: which properties the server sets and which come from the request. */
export function createItemModel(
  resource: Resource,
  schema: SchemaView | undefined,
  parts: ItemModelParts & ItemModelFacts,
): ItemModel {
  const { contract, validators, idProperty } = parts;
  const lifecycle = createLifecycle({ ...parts, resource, schema });
  const version = findVersion(parts.read, schema, parts.bindings);
  const pointer = resource.schema ?? '';
  const checkSchema = resource.schema === undefined ? undefined : validators.check(pointer, 'response');
  const check = (item: Item): readonly Violation[] => checkSchema?.(item, 'body') ?? NO_VIOLATIONS;
  const fits = checkSchema === undefined ? (): boolean => true : validators.accepts(pointer, 'response');
  return {
    resource,
    schema,
    idProperty,
    version,
    lifecycle,
    identity: createIdentity(contract, resource, { schema, property: idProperty }),
    merge: (item, patch) => merge(schema, item, patch),
    stamp: createStamp(listProperties(schema), version),
    check,
    tag: createTag(schema),
    ...createWriter(resource, schema, { ...parts, lifecycle, version, check, fits }),
  };
}

/** How items are checked: `fits` without the reasons, which cost much more. */
interface ItemChecks extends Pick<ItemModel, 'check'> {
  readonly fits: IsValid;
}

function createWriter(
  resource: Resource,
  schema: SchemaView | undefined,
  parts: ItemModelParts & ItemModelFacts & ItemChecks & Pick<ItemModel, 'lifecycle' | 'version'>,
): Pick<ItemModel, 'accept' | 'accepts' | 'create' | 'repair' | 'replace'> {
  const { contract, generator, idProperty, lifecycle, check, fits } = parts;
  const topId = idProperty?.isNested === true ? undefined : resource.idProperty;
  const rules = createRules(resource, schema, parts);
  const byName = new Map(rules.map((rule) => [rule.property.name, rule]));
  const isLoose = schema === undefined || (rules.length === 0 && !schema.closed);
  const subtypes = schema === undefined ? NO_NAMES : listSubtypeProperties(contract, schema.pointer);
  const isMap = schema?.isMap === true;
  const isOpen = (name: string): boolean => byName.get(name)?.open ?? (isMap || subtypes.has(name));
  const mask = createMask(resource, [...byName.keys()]);
  const complete = createElements(parts.read, resource, schema);
  const repair = createRepair(resource.schema ?? '', parts, { generator, complete });
  const omitUnfit = createFitting(rules);
  const isComplete = isAnswered(parts.bindings);
  const keep = createKept(resource, rules);
  const accept = (body: Item): Item => (isLoose ? body : filterMembers(body, isOpen));
  const fill = createFiller(rules, topId, { subtypes, isMap, choose: createKindChooser(contract, schema) });
  const create: ItemModel['create'] = (input) => {
    const sent = accept(input.body);
    const given = joinObjects(input.defaults, sent, overlay(sent, input.fixed));
    const idName = resource.idProperty ?? 'id';
    // Without a schema, the id has the type that the client gave it.
    const isNamed = isLoose && input.id !== undefined && String(given[idName]) !== String(input.id);
    const named = isNamed ? { [idName]: input.id } : {};
    const masked = mask(isLoose ? { ...named, ...given, ...named } : fill(given, input), given);
    const isNested = idProperty?.isNested === true && input.id !== undefined;
    const whole = isNested ? withPath(masked, (resource.idProperty ?? '').split('.'), input.id) : masked;
    const created = fits(whole)
      ? repair(whole, input, whole)
      : repair(omitUnfit?.(whole, given, check(whole)) ?? whole, input);
    return isComplete ? completeWork(lifecycle, created, input) : created;
  };
  return {
    accept,
    accepts: (name) => isLoose || isOpen(name),
    create,
    repair,
    replace: (item, input) => {
      const { fixed, defaults } = keep(item);
      return create({ ...input, defaults: { ...defaults, ...input.defaults }, fixed: { ...fixed, ...input.fixed } });
    },
  };
}

/** Plans the properties of a new item, in the order of its schema: what is given, else what is right for its kind. */
function createFiller(
  rules: readonly Rule[],
  topId: string | undefined,
  kinds: {
    readonly subtypes: ReadonlySet<string>;
    /** Whether the item has what its schema does not name too. */
    readonly isMap: boolean;
    readonly choose: ReturnType<typeof createKindChooser>;
  },
): (given: Item, input: ItemInput) => Item {
  const ruled = new Set(rules.map(({ property }) => property.name));
  return (given, input) => {
    const item: Record<string, unknown> = {};
    const kind = kinds.choose?.(given);
    for (const { property, value } of rules) {
      const { name, variant } = property;
      const isGiven = Object.hasOwn(given, name);
      if (variant && !isGiven && kind?.names.has(name) === false) continue;
      const id = name === topId ? input.id : undefined;
      const chosen = id ?? (isGiven ? given[name] : (kind?.constants.get(name) ?? value(input)));
      if (chosen !== undefined) item[name] = chosen;
    }
    for (const name of kinds.subtypes) if (Object.hasOwn(given, name)) setOwn(item, name, given[name]);
    if (!kinds.isMap) return item;
    const others = Object.entries(given).filter(([name]) => !ruled.has(name));
    for (const [name, value] of others) setOwn(item, name, value);
    return item;
  };
}

const NO_NAMES: ReadonlySet<string> = new Set();

function createRepair(
  pointer: string,
  { check, fits }: ItemChecks,
  { generator, complete }: Pick<ItemModelParts, 'generator'> & { readonly complete: ReturnType<typeof createElements> },
): ItemModel['repair'] {
  return (item, { seed, key, now }, valid) => {
    let left = complete(item, { seed, key, now });
    if (left === valid || fits(left)) return left;
    for (let round = 0; ; round++) {
      // The schema of a collection's items describes objects.
      const completed = generator.complete(pointer, left, { seed, key, direction: 'response', now }) as Item;
      const violations = check(completed);
      if (violations.length === 0 || round === 2 * MAX_REPAIRS) return completed;
      // A value in a request may have another form than in the item: then it is generated, also inside of an object.
      left = round < MAX_REPAIRS ? omitInvalidParts(left, violations) : omitInvalid(left, violations);
    }
  };
}

/** How often a repair leaves out the innermost invalid properties, and then whole properties. */
const MAX_REPAIRS = 4;

/** The rules of the properties of a schema, in its order. */
function createRules(
  resource: Resource,
  schema: SchemaView | undefined,
  parts: ItemModelFacts & ItemModelParts & Pick<ItemModel, 'lifecycle' | 'version'>,
): readonly Rule[] {
  const { idProperty, read, isSettable, lifecycle } = parts;
  const nullable = isNullMeaningful(idProperty);
  return listProperties(schema).map((property): Rule => {
    const { fixed, ...rule } = createRule(resource, property, read);
    const { open } = rule;
    const { name } = property;
    if (name === parts.version)
      return { property, open: false, made: false, value: () => property.schema.minimum ?? 1 };
    if (name === lifecycle?.property) return { property, open, made: false, value: () => lifecycle.initial };
    if (lifecycle?.isResult(name) === true && (property.nullable || !property.required))
      return { property, open, made: true, value: () => (property.nullable ? null : undefined) };
    const made = !isSettable(name);
    // A server makes a key that only this item has.
    const generate = made && resource.alternateKeys.includes(name) ? createIdGenerator(property.schema) : undefined;
    if (generate !== undefined)
      return { property, open, made, value: ({ seed, key }) => generate(createRandom(seed, `${key}\0${name}`)) };
    if (fixed) return rule;
    // A required date that no request sent is not before the creation.
    if (!made && !(property.required && isInstant(property))) return rule;
    const isAnswer = isAnswered(parts.bindings) && property.required && property.schema.type === 'array';
    const value = isAnswer
      ? createAnswerValue(property, parts)
      : createNewValue(property, { ...parts, resource }, nullable);
    return { property, open, made, value };
  });
}

/** Omits the values of the server that do not fit the rest of a new item: those that are wrong, or all where the item as a whole is. */
function createFitting(
  rules: readonly Rule[],
): ((item: Item, given: Item, violations: readonly Violation[]) => Item) | undefined {
  const made = new Set(rules.filter((rule) => rule.made).map(({ property }) => property.name));
  if (made.size === 0) return undefined;
  return (item, given, violations) => {
    const wrong = new Set(violations.map(({ pointer }) => pointer.split('/')[1]));
    const isUnfit = (name: string): boolean =>
      made.has(name) && !Object.hasOwn(given, name) && (wrong.has(name) || wrong.has(undefined));
    return filterMembers(item, (name) => !isUnfit(name));
  };
}

/** An object without the properties that violate its schema. */
export function omitInvalid(item: Item, violations: readonly Violation[]): Item {
  const names = new Set(violations.map(({ pointer }) => pointer.split('/')[1]));
  return filterMembers(item, (name) => !names.has(name));
}

/** An object without the innermost properties that violate its schema; an array of invalid elements is left out as a whole. */
export function omitInvalidParts(item: Item, violations: readonly Violation[]): Item {
  const omit = (value: unknown, [name = '', ...rest]: readonly string[]): unknown => {
    if (Array.isArray(value))
      return value.map((each, i) => (String(i) === name ? omit(each, rest) : (each as unknown)));
    if (!isObject(value)) return value;
    const { [name]: own, ...others } = value;
    const isInside = rest.some((each) => !/^\d+$/.test(each)) && Object.hasOwn(value, name);
    return isInside ? { ...value, [name]: omit(own, rest) } : others;
  };
  // An object stays an object.
  return violations.reduce((left, { pointer }) => omit(left, readSegments(pointer)) as Item, item);
}

/** Plans what a replacement keeps of an item that it does not send. */
function createKept({ redacts }: Resource, rules: readonly Rule[]): (item: Item) => Record<'fixed' | 'defaults', Item> {
  const pick = (item: Item, from: readonly Rule[]): Item =>
    Object.fromEntries(from.flatMap(({ property: { name } }) => (name in item ? [[name, item[name]]] : [])));
  const fixed = rules.filter(({ open, made, property }) => (!open || made) && !isChangeTimestamp(property));
  // The properties that an item must have, and its status, unless the contract has a default.
  const defaults = rules.filter(({ open, property: { name, required, schema } }) => {
    const isNeeded = required ? schema.default === undefined : isStatus(name) && schema.enum !== undefined;
    return open && isNeeded && !Object.hasOwn(redacts, name);
  });
  return (item) => ({ fixed: pick(item, fixed), defaults: pick(item, defaults) });
}

function merge(schema: SchemaView | undefined, item: Item, patch: Item): Item {
  const merged: Record<string, unknown> = { ...item };
  for (const [name, value] of Object.entries(patch)) {
    if (value !== null) setOwn(merged, name, mergePatch(item[name], value));
    else if (schema?.members.get(name)?.nullable === true) merged[name] = null;
    else delete merged[name];
  }
  return merged;
}

function createTag(schema: SchemaView | undefined): ItemModel['tag'] {
  const property = schema?.members.get('etag');
  const isTagged = property !== undefined && !('const' in property.schema) && property.schema.type !== 'object';
  return (item, revision) => (isTagged ? { ...item, etag: String(revision) } : item);
}

/** Creates a rule before it is known what requests can set; `fixed` where that does not matter. */
function createRule(resource: Resource, property: PropertyView, read: ReadSchema): Rule & { readonly fixed: boolean } {
  const { schema, name } = property;
  const isId = name === resource.idProperty;
  const isServerOnly = (property.readOnly && !resource.sent.includes(name)) || property.writeOnly || 'const' in schema;
  const common = { property, made: false, fixed: true, open: false };
  const initially = (value: unknown): ReturnType<typeof createRule> => ({
    ...common,
    value: () => value,
    open: !isServerOnly && !isId,
  });
  const always = (value: Rule['value']): ReturnType<typeof createRule> => ({ ...common, value });
  if ('const' in schema) return initially(schema.const);
  if (Object.hasOwn(resource.set, name)) return always(() => resource.set[name]);
  if (isId || property.writeOnly) return { ...always(() => undefined), open: resource.keyProperties.includes(name) };
  if (Array.isArray(schema.enum) && schema.enum.length === 1 && property.required) return initially(schema.enum[0]);
  if (isTimestamp(property)) {
    const write = createTimestampWriter(property);
    return always(({ now }) => write(now));
  }
  const pattern = Object.hasOwn(resource.patterns, name) ? resource.patterns[name] : undefined;
  if (pattern !== undefined || resource.once.includes(name)) {
    const generate = createIdGenerator(schema, pattern);
    return always(({ seed, key }) => generate?.(createRandom(seed, `${key}\0${name}`)));
  }
  const statuses = schema.enum ?? (isStatus(name) && schema.type === 'string' ? listStatuses(schema) : []);
  if (isStatusName(name) && statuses.length > 0) {
    const initial = schema.default ?? chooseInitialStatus(statuses, schema.description);
    if (isStatus(name) || property.required) return { ...initially(initial), open: !isServerOnly };
  }
  const otherwise = findEmptyValue(property, read);
  const value = isObject(schema.default) ? otherwise : (schema.default ?? otherwise);
  const isKept = resource.keyProperties.includes(name) || Object.hasOwn(resource.redacts, name) || name === 'etag';
  return { ...initially(value), fixed: isKept };
}
