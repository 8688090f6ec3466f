import type { ItemProperty, ItemSchema } from '../item-schema.js';

const TIMESTAMP =
  /^(created|updated|modified|last_?modified|inserted)(_?(at|on|date|time|timestamp|datetime))?$|^(date|time)_?(created|updated|modified)$|^(creation|modification|last_?update)_?(date|time)$/i;

const CHANGE = /updat|modif/i;

/** Whether a property says when an item was created or last changed. */
export function isTimestamp(property: ItemProperty): boolean {
  return TIMESTAMP.test(property.name) && readUnit(property) !== undefined;
}

/** Whether a property says when an item was last changed. */
export function isChangeTimestamp(property: ItemProperty): boolean {
  return isTimestamp(property) && CHANGE.test(property.name);
}

/** Whether a property says when an item got a status: `cancelled_at` for `cancelled`. */
export function isStatusTimestamp(property: ItemProperty, status: string): boolean {
  const name = property.name.toLowerCase().replaceAll(/[^a-z]/g, '');
  const word = status.toLowerCase().replaceAll(/[^a-z]/g, '');
  return (name === `${word}at` || name === `${word}on` || name === `${word}date`) && readUnit(property) !== undefined;
}

/** Writes instants in the form of a property: seconds, milliseconds if the schema mentions them, or a date string. */
export function createTimestampWriter(property: ItemProperty): (now: number) => unknown {
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

function readUnit(property: ItemProperty): 'date' | 'date-time' | 'milliseconds' | 'seconds' | undefined {
  const { schema } = property;
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.find((each) => each !== 'null');
  if (type === 'integer' || type === 'number') {
    const examples = [schema.example, ...(Array.isArray(schema.examples) ? schema.examples : [])];
    const long = examples.some((example) => typeof example === 'number' && example > 100_000_000_000);
    return long || /millisecond/i.test(schema.description ?? '') ? 'milliseconds' : 'seconds';
  }
  if (type !== 'string' || schema.pattern !== undefined) return undefined;
  if (schema.format === 'date') return 'date';
  return schema.format === 'date-time' || schema.format === undefined ? 'date-time' : undefined;
}

const STATUS_NAMES: readonly string[] = ['status', 'state', 'phase'];

/** Whether a property of this name holds the status of an item. */
export function isStatus(name: string): boolean {
  return STATUS_NAMES.includes(name);
}

/** Verbs whose status is spelled differently; the first value that the enum has is used. */
const STATUSES_BY_VERB: Readonly<Record<string, readonly string[]>> = {
  activate: ['active', 'enabled'],
  capture: ['captured', 'succeeded', 'paid'],
  confirm: ['confirmed', 'succeeded', 'processing'],
  deactivate: ['inactive', 'disabled'],
  deliver: ['delivered'],
  disable: ['disabled', 'inactive'],
  enable: ['enabled', 'active'],
  finalize: ['finalized', 'open'],
  freeze: ['frozen'],
  pay: ['paid'],
  publish: ['published', 'live'],
  reopen: ['open', 'reopened'],
  restart: ['running', 'in_progress', 'queued'],
  restore: ['active', 'restored'],
  resume: ['active', 'running', 'in_progress', 'queued'],
  return: ['returned'],
  run: ['running', 'in_progress'],
  send: ['sent'],
  ship: ['shipped'],
  start: ['running', 'started', 'in_progress'],
  stop: ['stopped'],
  succeed: ['succeeded', 'posted'],
  unpause: ['active'],
  verify: ['verified'],
  void: ['void', 'voided'],
  voidinvoice: ['void'],
};

/** The status that the name of an action suggests; undefined where the enum of the schema has none like it. */
export function findStatusFor(
  verb: string,
  schema: ItemSchema,
): { readonly property: string; readonly value: string } | undefined {
  const word = verb.toLowerCase().replaceAll(/[^a-z]/g, '');
  const first = verb.split(/[_-]/)[0] ?? '';
  const known = [...readStatuses(word), ...readStatuses(verb.split('_')[0] ?? '')];
  for (const property of STATUS_NAMES) {
    const values = (schema.properties.get(property)?.schema.enum ?? []).filter((each) => typeof each === 'string');
    const listed = known.find((each) => values.includes(each));
    const value = listed ?? findVerbForm(word, values) ?? findVerbForm(first.toLowerCase(), values);
    if (value !== undefined) return { property, value };
  }
  return undefined;
}

/** `Object.hasOwn`, since an action may be called `constructor`. */
function readStatuses(word: string): readonly string[] {
  return (Object.hasOwn(STATUSES_BY_VERB, word) ? STATUSES_BY_VERB[word] : undefined) ?? [];
}

/** The value that is a form of the verb: `cancel` -> `cancelled` or `canceled`, `close` -> `closed`; past tense first. */
function findVerbForm(verb: string, values: readonly string[]): string | undefined {
  const stem = verb.replace(/(e|y)$/, '');
  if (stem.length < 3) return undefined;
  const forms = values.filter((value) => value.toLowerCase().startsWith(stem));
  return forms.find((value) => value.endsWith('ed')) ?? forms[0];
}

const INITIAL_STATUSES: readonly string[] =
  'new created draft queued pending open active enabled available in_progress'.split(' ');

/** Parts of statuses that an item only gets later, never initially. */
const LATER_STATUS =
  /cancel|fail|delet|expir|clos|complet|succe|reject|revok|archiv|past_due|unpaid|ended|lost|won|void|inactive|disabled|error|refund|return|deliver|sold|frozen|suspend|incomplete|paused|block|lock/i;

/** The initial status of a new item: a usual one, else the first value that is not a later status. */
export function chooseInitialStatus(values: readonly unknown[]): unknown {
  return (
    INITIAL_STATUSES.find((word) => values.includes(word)) ??
    values.find((value) => !LATER_STATUS.test(String(value))) ??
    values[0]
  );
}
