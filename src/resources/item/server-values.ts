import { INSTANT_NAME } from '../../conventions/forms.js';
import { COUNTS_CHANGES } from '../../conventions/descriptions.js';
import { means, rankNames } from '../../conventions/conventions.js';
import {
  type PropertyView,
  type SchemaView,
  type ReadSchema,
  isNumeric,
  listProperties,
  readSchemaType,
} from '../../contract/schema-view/schema-view.js';
import { toLetters } from '../../base/names.js';
import { escapePattern } from '../../base/text.js';
import { listExamples, setOwn } from '../../base/json.js';
import { type Binding, type Resource, CHANGES } from './resource.js';
import { fillDerived } from '../../generate/derived-values.js';
import type { Item, NewEntry } from '../store/lists/item-list.js';

const CHANGE = /updat|modif/i;

/** Whether a property says when an item was created or last changed. */
export function isTimestamp(property: PropertyView): boolean {
  return means(property.known, 'times.stamp') && readUnit(property) !== undefined;
}

/** Names of properties that count the changes of an item. */
const VERSION = /^_?(version|revision|(lock|row)_?version|(version|revision)_?number)$/i;

/** The property that counts the changes of an item: as it says, or because changes require it and creates do not. */
export function findVersion(
  read: ReadSchema,
  schema: SchemaView | undefined,
  bindings: readonly Binding[],
): string | undefined {
  const requires = ({ operation: { body, parameters } }: Binding, name: string): boolean =>
    parameters.some((each) => each.in === 'query' && each.name === name && each.required) ||
    (body?.content ?? []).some(({ schemaPointer }) => {
      const all = listProperties(read(schemaPointer));
      const inner = all.flatMap(({ target }) => read(target)?.members.get(name) ?? []);
      return [...all.filter((each) => each.name === name), ...inner].some(({ required }) => required);
    });
  return listProperties(schema).find(({ name, schema: own, readOnly }) => {
    const isNumber = [own.type].flat().includes('integer') && own.enum === undefined;
    if (!isNumber || !VERSION.test(name)) return false;
    if (readOnly || COUNTS_CHANGES.test(own.description ?? '')) return true;
    const requiring = bindings.filter((binding) => requires(binding, name));
    return requiring.length > 0 && requiring.every(({ action }) => CHANGES.has(action));
  })?.name;
}

/** Whether a property says when an item was last changed. */
export function isChangeTimestamp(property: PropertyView): boolean {
  return isTimestamp(property) && CHANGE.test(property.name);
}

/** Whether a property is a date or a time, by its format or its name. */
export function isInstant(property: PropertyView): boolean {
  const { format } = property.schema;
  const unit = readUnit(property);
  return (
    unit !== undefined &&
    (format === 'date' || format === 'date-time' || format === 'unix-time' || INSTANT_NAME.test(property.name))
  );
}

/** Whether a property says when an item got a status: `cancelled_at` for `cancelled`. */
function isStatusTimestamp(property: PropertyView, status: string): boolean {
  const name = toLetters(property.name);
  const word = toLetters(status);
  return (name === `${word}at` || name === `${word}on` || name === `${word}date`) && readUnit(property) !== undefined;
}

/** Writes instants in the form of a property: seconds, milliseconds if the schema mentions them, or a date string. */
export function createTimestampWriter(property: Pick<PropertyView, 'schema'>): (now: number) => unknown {
  switch (readUnit(property)) {
    case 'seconds':
      return (now) => Math.floor(now / 1000);
    case 'milliseconds':
      return (now) => now;
    case 'date':
      return (now) => new Date(now).toISOString().slice(0, 10);
    default:
      return (now) => new Date(now).toISOString();
  }
}

function readUnit(
  property: Pick<PropertyView, 'schema'>,
): 'date' | 'date-time' | 'milliseconds' | 'seconds' | undefined {
  const { schema } = property;
  if (isNumeric(schema)) {
    const long = listExamples(schema).some((example) => typeof example === 'number' && example > 100_000_000_000);
    return long || /millisecond/i.test(schema.description ?? '') ? 'milliseconds' : 'seconds';
  }
  if (readSchemaType(schema) !== 'string' || schema.pattern !== undefined) return undefined;
  if (schema.format === 'date') return 'date';
  return means(schema.format ?? 'date-time', 'times.format') ? 'date-time' : undefined;
}

/** Whether a property of this name holds the status of an item. */
export function isStatus(name: string): boolean {
  return means(name, 'statuses.main');
}

/** As `isStatus`, also for the status of a part: `payment_status`. */
export function isStatusName(name: string): boolean {
  return means(name, 'statuses.name');
}

/** The time of a change, as the value of a property that an operation sets. */
export const CHANGE_TIME = '$now';

/** Whether a property says when an item stopped to be active: `date_delete`, `disabled_at`. */
export function isInactiveTime(property: PropertyView): boolean {
  return means(property.known, 'removed.time') && isTime(property);
}

/** Whether a property is a number of seconds or a date, not any string. */
export function isTime(property: PropertyView): boolean {
  const { type, format } = property.schema;
  return readUnit(property) !== undefined && (format?.startsWith('date') === true || ![type].flat().includes('string'));
}

/** The initial status of a new item: a usual one, else the first value that is not a later status. */
export function chooseInitialStatus(values: readonly unknown[], description = ''): unknown {
  const names = sortAsDescribed(
    values.filter((value) => typeof value === 'string'),
    description,
  );
  const [usual] = rankNames(names, 'statuses.initial');
  if (usual !== undefined) return usual;
  const early = names.filter((value) => !means(value, 'statuses.later'));
  return early.find((value) => !means(value, 'statuses.none')) ?? early[0] ?? values[0];
}

/** Values in the order in which a description lists all of them, which is that of a life; enums are often sorted by name. */
function sortAsDescribed(names: readonly string[], description: string): readonly string[] {
  const at = new Map(
    names.map((name) => [name, description.search(new RegExp(`(?<![\\w-])${escapePattern(name)}(?![\\w-])`))]),
  );
  if ([...at.values()].includes(-1)) return names;
  return names.toSorted((a, b) => (at.get(a) ?? 0) - (at.get(b) ?? 0));
}

/** Adds the masked forms of secrets that are not given, each at its position in the schema. */
export function createMask({ redacts: masked }: Resource, names: readonly string[]): (item: Item, given: Item) => Item {
  const redacts = Object.entries(masked);
  const masks = new Map(redacts);
  const known = new Set(names);
  return (item, given) => {
    const isMasked = (name: string, plain: string): boolean =>
      typeof item[plain] === 'string' && !Object.hasOwn(given, name);
    if (!redacts.some(([name, plain]) => isMasked(name, plain))) return item;
    const ordered: Record<string, unknown> = {};
    for (const name of names) {
      const plain = masks.get(name);
      const value = plain !== undefined && isMasked(name, plain) ? redact(String(item[plain])) : item[name];
      if (value !== undefined) ordered[name] = value;
    }
    for (const name of Object.keys(item)) if (!known.has(name)) setOwn(ordered, name, item[name]);
    return ordered;
  };
}

/** The prefix of a key, such as `sk-admin-`: words of at most 12 letters and digits, each with a separator. */
const KEY_PREFIX = /^(?:[a-z\d]{1,12}[-_])+/i;

/** The masked form of a secret: its prefix, three dots and its last four characters. */
function redact(secret: string): string {
  const [prefix = secret.slice(0, 3)] = KEY_PREFIX.exec(secret) ?? [];
  return `${prefix}...${secret.slice(-4)}`;
}

/** A new item without the properties that only the answer to its create shows, and these. @param fixed - Properties that are shown anyway. */
export function takeSecrets(resource: Resource, fixed: Item, item: Item): Pick<NewEntry, 'item' | 'secrets'> {
  const { once, secretKey } = resource;
  const names = [
    ...once.filter((name) => !Object.hasOwn(fixed, name)),
    ...(secretKey === undefined ? [] : [secretKey.name]),
  ];
  if (names.length === 0) return { item, secrets: undefined };
  const shown: Record<string, unknown> = {};
  const secrets: Record<string, unknown> = {};
  for (const name of Object.keys(item)) setOwn(names.includes(name) ? secrets : shown, name, item[name]);
  return { item: shown, secrets };
}

/** Plans the properties that a hint derives from others; undefined without any. */
export function createDerive({ derived }: Pick<Resource, 'derived'>): ((item: Item) => Item) | undefined {
  if (derived === undefined) return undefined;
  const templates = Object.entries(derived);
  return (item) => {
    const values = templates.map(([name, template]) => [name, fillDerived(template, item)] as const);
    return Object.fromEntries(values.filter(([, value]) => value !== undefined));
  };
}

/** The changed item with its version and timestamps: `updated_at`, and `cancelled_at` for the status `cancelled`, also for one in `set`. */
export type Stamp = (before: Item, change: { readonly after: Item; readonly set: Item; readonly now: number }) => Item;

/** Creates the function that writes the version and the timestamps of a changed item. */
export function createStamp(properties: readonly PropertyView[], version: string | undefined): Stamp {
  const changing = properties.filter(isChangeTimestamp);
  const changes = changing.map((property) => ({ property, write: createTimestampWriter(property) }));
  const statuses = properties.filter(({ name }) => isStatus(name));
  return (before, { after, set, now }) => {
    const stamped: Record<string, unknown> = { ...after, ...set };
    const stamp = (name: string, write: (now: number) => unknown): void => {
      // A change that sets the timestamp itself takes precedence.
      if (after[name] === before[name] && !Object.hasOwn(set, name)) stamped[name] = write(now);
    };
    if (version !== undefined) {
      const count = before[version];
      stamped[version] = typeof count === 'number' ? count + 1 : after[version];
    }
    for (const property of properties) {
      if (set[property.name] === CHANGE_TIME) stamped[property.name] = createTimestampWriter(property)(now);
    }
    for (const { property, write } of changes) {
      if (Object.hasOwn(before, property.name) || property.required) stamp(property.name, write);
    }
    const reached = statuses.flatMap(({ name }) => (after[name] === before[name] ? [] : after[name]));
    for (const status of [...reached, ...Object.values(set)]) {
      if (typeof status !== 'string') continue;
      for (const property of properties) {
        if (isStatusTimestamp(property, status)) stamp(property.name, createTimestampWriter(property));
      }
    }
    for (const name of Object.keys(stamped)) if (stamped[name] === undefined) delete stamped[name];
    return stamped;
  };
}
