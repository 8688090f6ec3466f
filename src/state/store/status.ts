import type { ItemSchema } from '../item-schema.js';

/** A status an action leads to. */
interface StatusChange {
  readonly property: string;
  readonly value: string;
}

const STATUS_NAMES: readonly string[] = ['status', 'state', 'phase'];

/** Verbs whose status is not spelled like them; the first that the enum has is taken. */
const MEANINGS: Readonly<Record<string, readonly string[]>> = {
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

/** An action may be called `constructor`. */
function readMeanings(word: string): readonly string[] {
  return (Object.hasOwn(MEANINGS, word) ? MEANINGS[word] : undefined) ?? [];
}

/** The status that the name of an action suggests, or undefined where the schema has none of that name. */
export function findStatusFor(verb: string, schema: ItemSchema): StatusChange | undefined {
  const word = verb.toLowerCase().replaceAll(/[^a-z]/g, '');
  for (const property of STATUS_NAMES) {
    const values = readTexts(schema, property);
    const meant = [...readMeanings(word), ...readMeanings(verb.split('_')[0] ?? '')].find((value) =>
      values.includes(value),
    );
    const value = meant ?? findKin(word, values) ?? findKin((verb.split(/[_-]/)[0] ?? '').toLowerCase(), values);
    if (value !== undefined) return { property, value };
  }
  return undefined;
}

/** Words of a status that something has only after a while, never at its beginning. */
const LATER =
  /cancel|fail|delet|expir|clos|complet|succe|reject|revok|archiv|past_due|unpaid|ended|lost|won|void|inactive|disabled|error|refund|return|deliver|sold|frozen|suspend|incomplete|paused|block|lock/i;

const FIRST: readonly string[] = [
  'new',
  'created',
  'draft',
  'queued',
  'pending',
  'open',
  'active',
  'enabled',
  'available',
  'in_progress',
];

/** The status a new item starts with: a word of beginning, else the first that is no word of an end. */
export function chooseFirstStatus(values: readonly unknown[]): unknown {
  return FIRST.find((word) => values.includes(word)) ?? values.find((value) => !LATER.test(String(value))) ?? values[0];
}

/** Whether a property is one that says how far along an item is. */
export function isStatus(name: string): boolean {
  return STATUS_NAMES.includes(name);
}

function readTexts(schema: ItemSchema, property: string): readonly string[] {
  const values = schema.properties.get(property)?.schema.enum ?? [];
  return values.filter((value): value is string => typeof value === 'string');
}

/** The value that is a form of the verb: `cancel` -> `cancelled` or `canceled`, `close` -> `closed`; past tense first. */
function findKin(verb: string, values: readonly string[]): string | undefined {
  const stem = verb.replace(/(e|y)$/, '');
  if (stem.length < 3) return undefined;
  const kin = values.filter((value) => value.toLowerCase().startsWith(stem));
  return kin.find((value) => value.endsWith('ed')) ?? kin[0];
}
