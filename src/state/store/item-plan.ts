import { isObject, setOwn } from '../../contract/json.js';
import { createIdGenerator } from '../../generate/text/identifiers.js';
import { createRandom } from '../../random.js';
import type { Violation } from '../../schema/violation.js';
import type { ItemProperty, ItemSchema } from '../item-schema.js';
import type { Resource } from '../resource.js';
import type { Item } from './item-list.js';
import { chooseFirstStatus, isStatus } from './status.js';
import { createMomentWriter, isChangeMoment, isMoment, writeMoment } from './timestamp.js';

/** What a new item is made from. */
interface ItemInput {
  readonly id: string | number | undefined;
  /** What the request says. */
  readonly body: Item;
  /** What the operation, the hints and the path say; wins over the request. */
  readonly fixed: Item;
  /** What the fixtures say; the request wins. */
  readonly defaults: Item;
  readonly seed: number;
  /** Names the item, so that everything made up for it is a function of the seed and this. */
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Makes the values that no rule gives, and says whether an item is legal. */
interface ItemMaker {
  check(item: Item): readonly Violation[];
  complete(item: Item, input: ItemInput): Item;
}

/** How the items of a resource come about. */
export interface ItemPlan {
  create(input: ItemInput): Item;
  /** An item with changes from a request: properties the server keeps stay, the moment of the change is noted. */
  change(item: Item, changes: Item, now: number): Item;
  /** An item anew from a whole body: what only the server sets stays as it was. */
  replace(item: Item, input: ItemInput): Item;
  /** Whether a request may set a property. */
  isOpen(name: string): boolean;
  /** The part of a request that becomes part of the item. */
  accept(body: Item): Item;
}

interface Rule {
  readonly property: ItemProperty;
  /** A value for a new item where the request gives none; undefined leaves the property out. */
  value(input: ItemInput): unknown;
  /** Whether the request may set it. */
  readonly open: boolean;
}

/** Plans the items of a resource: which properties the server sets and which come from the request. */
export function createItemPlan(
  resource: Resource,
  parts: { readonly schema: ItemSchema | undefined; readonly maker: ItemMaker },
): ItemPlan {
  const { schema, maker } = parts;
  const rules = [...(schema?.properties.values() ?? [])].map((property) => createRule(resource, property));
  const known = new Map(rules.map((rule) => [rule.property.name, rule]));
  const loose = schema === undefined || (rules.length === 0 && !schema.closed);
  const mask = createMask(resource, [...known.keys()]);
  const changed = rules.filter(({ property }) => isChangeMoment(property));

  const accept = (body: Item): Item => {
    if (loose) return body;
    const kept: Record<string, unknown> = {};
    for (const name in body) if (known.get(name)?.open === true) kept[name] = body[name];
    return kept;
  };
  const settle = (draft: Item, input: ItemInput): Item => {
    if (schema === undefined || maker.check(draft).length === 0) return draft;
    const completed = maker.complete(draft, input);
    const left = maker.check(completed);
    if (left.length === 0) return completed;
    // What the request gave has another form than what the item shows: the item keeps its own.
    const wrong = new Set(left.map(({ pointer }) => pointer.split('/')[1]));
    return maker.complete(Object.fromEntries(Object.entries(draft).filter(([name]) => !wrong.has(name))), input);
  };

  const plan: ItemPlan = {
    accept,
    isOpen: (name) => loose || known.get(name)?.open === true,
    create: (input) => {
      const given = { ...input.defaults, ...accept(input.body), ...input.fixed };
      const draft: Record<string, unknown> =
        loose && input.id !== undefined ? { [resource.idProperty ?? 'id']: input.id } : {};
      for (const { property, value } of rules) {
        const { name } = property;
        const own = name === resource.idProperty ? input.id : undefined;
        const chosen = own ?? (Object.hasOwn(given, name) ? given[name] : value(input));
        if (chosen !== undefined) draft[name] = chosen;
      }
      if (loose)
        for (const [name, value] of Object.entries(given)) if (!Object.hasOwn(draft, name)) setOwn(draft, name, value);
      return settle(mask(draft, given), input);
    },
    replace: (item, input) => {
      const kept = rules.filter(
        ({ open, property }) => !open && !isChangeMoment(property) && Object.hasOwn(item, property.name),
      );
      const fixed = Object.fromEntries(kept.map(({ property }) => [property.name, item[property.name]]));
      return plan.create({ ...input, fixed: { ...fixed, ...input.fixed } });
    },
    change: (item, changes, now) => {
      const next: Record<string, unknown> = { ...item, ...changes };
      for (const { property } of changed) {
        if (Object.hasOwn(item, property.name) || property.required) next[property.name] = writeMoment(property, now);
      }
      for (const name of Object.keys(next)) if (next[name] === undefined) delete next[name];
      const input = { id: undefined, body: {}, fixed: {}, defaults: {}, seed: 0, key: resource.name, now };
      return schema === undefined ? next : settle(next, input);
    },
  };
  return plan;
}

/** Puts masked forms of secrets where the request gives none, each in the place the schema gives it. */
function createMask(resource: Resource, names: readonly string[]): (draft: Item, given: Item) => Item {
  const masks = new Map(Object.entries(resource.redacts));
  const pairs = [...masks];
  const known = new Set(names);
  return (draft, given) => {
    const isMasked = (name: string, plain: string): boolean =>
      typeof draft[plain] === 'string' && !Object.hasOwn(given, name);
    if (!pairs.some(([name, plain]) => isMasked(name, plain))) return draft;
    const ordered: Record<string, unknown> = {};
    for (const name of names) {
      const plain = masks.get(name);
      const value = plain !== undefined && isMasked(name, plain) ? redact(String(draft[plain])) : draft[name];
      if (value !== undefined) ordered[name] = value;
    }
    for (const name of Object.keys(draft)) if (!known.has(name)) setOwn(ordered, name, draft[name]);
    return ordered;
  };
}

/** The masked form of a secret: its prefix and its last four characters around three dots. */
function redact(secret: string): string {
  const prefix = /^(?:[A-Za-z0-9]{1,12}[-_])+/.exec(secret)?.[0] ?? secret.slice(0, 3);
  return `${prefix}...${secret.slice(-4)}`;
}

function createRule(resource: Resource, property: ItemProperty): Rule {
  const { schema, name } = property;
  const isId = name === resource.idProperty;
  const closed = property.readOnly || property.writeOnly || 'const' in schema;
  const always = (value: unknown): Rule => ({ property, value: () => value, open: !closed && !isId });
  if ('const' in schema) return always(schema.const);
  if (Object.hasOwn(resource.set, name)) return { property, value: () => resource.set[name], open: false };
  if (isId || property.writeOnly) return { property, value: () => undefined, open: false };
  if (Array.isArray(schema.enum) && schema.enum.length === 1 && property.required) return always(schema.enum[0]);
  if (isMoment(property)) {
    const write = createMomentWriter(property);
    return { property, value: ({ now }) => write(now), open: false };
  }
  const pattern = Object.hasOwn(resource.patterns, name) ? resource.patterns[name] : undefined;
  if (pattern !== undefined || resource.once.includes(name)) return createTextRule(property, pattern);
  if (isStatus(name) && Array.isArray(schema.enum)) {
    return { property, value: () => schema.default ?? chooseFirstStatus(schema.enum ?? []), open: !closed };
  }
  if (schema.default !== undefined && schema.default !== null && !isObject(schema.default))
    return always(schema.default);
  if (property.required && property.nullable) return always(null);
  return always(undefined);
}

function createTextRule(property: ItemProperty, pattern: string | undefined): Rule {
  const form = createIdGenerator(property.schema, pattern);
  const { name } = property;
  return {
    property,
    value: ({ seed, key }) => form?.(createRandom(seed, `${key}\0${name}`)),
    open: false,
  };
}
