import { STATUSES_BY_VERB, UNDOES } from '../../conventions/actions.js';
import { means, rankNames } from '../../conventions/conventions.js';
import {
  PARTICIPLE_ENDING,
  RUNNING_ENDING,
  SEPARATE_PREFIX,
  TIME_ENDING,
  UNDOING_PREFIX,
} from '../../conventions/forms.js';
import { listStatuses, toFlagName } from '../../conventions/names.js';
import { readOwn } from '../../base/json.js';
import { readWords, toBareName } from '../../base/names.js';
import { listProperties, type PropertyView, type SchemaView } from '../../contract/schema-view/schema-view.js';
import type { Item } from '../store/lists/item-list.js';
import { CHANGE_TIME, chooseInitialStatus, isInactiveTime, isTime } from './server-values.js';

/** What the name of an action says. */
interface Verb {
  /** The verb in lower case. */
  readonly word: string;
  /** What it undoes: `archive` for `unarchive`, `close` for `reopen`. */
  readonly undone: readonly string[];
  /** The verbs whose statuses it leads to, the likeliest first: `activate` for `reactivate`. */
  readonly bases: readonly string[];
  /** The words behind the verb: `paid` for `mark-as-paid`. */
  readonly rest: string;
}

/** What the values of a member of a request do to an item: `{ "action": "poweroff" }`, `{ "state_event": "close" }`. */
export interface SentEffects {
  readonly name: string;
  readonly byValue: Readonly<Record<string, Item>>;
}

function readVerb(name: string): Verb {
  // `re-enable` is one word.
  const words = readWords(name.replace(SEPARATE_PREFIX, '$1'));
  const [word = '', ...rest] = words;
  const [, base] = UNDOING_PREFIX.exec(word) ?? [];
  const again = /^re(?=[a-z]{3})/.test(word) ? word.slice(2) : undefined;
  // What has an opposite can be brought back; to `resend` is only done again, and `report` is another verb.
  const isTwoWay =
    again !== undefined && (means(again, 'verbs.enable') || readOwn(STATUSES_BY_VERB, `un${again}`) !== undefined);
  const repeated = isTwoWay ? [again] : [];
  return {
    word,
    undone: [...(readOwn(UNDOES, word) ?? []), ...(base === undefined ? [] : [base])],
    bases: [...new Set([words.join(''), word, ...repeated])],
    rest: toBareName(rest.filter((each) => each !== 'as').join('')),
  };
}

/** The member of a request whose values are actions on an item; undefined where the item has it, or no value has an effect. */
export function findSentEffects(body: SchemaView | undefined, item: SchemaView | undefined): SentEffects | undefined {
  for (const { name, schema } of listProperties(body)) {
    if (!means(name, 'verbs.sent') || item?.members.has(name) === true) continue;
    const effects = (schema.enum ?? []).flatMap((value) => {
      const set = typeof value === 'string' ? findEffect(value, item) : undefined;
      return set === undefined ? [] : [[String(value), set] as const];
    });
    if (effects.length > 0) return { name, byValue: Object.fromEntries(effects) };
  }
  return undefined;
}

/** What an action sets: the status, flags (`archived: true`) and times (`canceled`); undefined where the schema has none of them. */
export function findEffect(name: string, schema: SchemaView | undefined): Item | undefined {
  const verb = readVerb(name);
  const status = findStatusFor(verb, schema);
  const { word, undone, bases, rest } = verb;
  const turns = (idea: 'verbs.disable' | 'verbs.enable'): boolean => bases.some((base) => means(base, idea));
  const isOn = turns('verbs.enable') ? true : turns('verbs.disable') ? false : undefined;
  const led = findLedFlag(verb, schema);
  const set: Record<string, unknown> = {};
  for (const property of listProperties(schema)) {
    const bare = toFlagName(property.bare);
    const isForm = (base: string): boolean =>
      isParticiple(base, bare.replace(TIME_ENDING, '')) || isParticiple(base, bare);
    // `DELETE /notes/{id}/default` and `unpin` undo what the name of the flag says, too.
    const isUndone = undone.some((base) => isForm(base) || bare === base);
    const isDone = isUndone || isForm(word);
    if (property.schema.type === 'boolean') {
      const isNamed = bare === word || (bare === rest && means(word, 'verbs.mark'));
      if (isDone || isNamed) set[property.name] = !isUndone;
      else if (led?.name === property.name) set[led.name] = led.value;
      else if (isOn !== undefined && means(bare, 'values.active')) set[property.name] = isOn;
      else if (isOn !== undefined && means(bare, 'statuses.inactive')) set[property.name] = !isOn;
    } else if (isDone && isTime(property)) {
      if (isUndone && property.nullable) set[property.name] = null;
      // Beside a status, a change of the status sets it.
      else if (!isUndone && status === undefined) set[property.name] = CHANGE_TIME;
    } else if (status === undefined && isInactiveTime(property)) {
      const none = property.nullable ? null : 0;
      if (/^(disable|deactivate)$/.test(word)) set[property.name] = CHANGE_TIME;
      else if (means(word, 'verbs.enable') && (none === null || property.schema.type === 'integer'))
        set[property.name] = none;
    }
  }
  if (status !== undefined) set[status.property] = status.value;
  return Object.keys(set).length === 0 ? undefined : set;
}

/** The flag of what an action leads to, where none has its own name: `completed` for `close`. */
function findLedFlag(
  { word, undone }: Verb,
  schema: SchemaView | undefined,
): { readonly name: string; readonly value: boolean } | undefined {
  const flags = listProperties(schema).filter((each) => each.schema.type === 'boolean');
  const find = (verb: string): PropertyView | undefined =>
    (readOwn(STATUSES_BY_VERB, verb) ?? [])
      .flatMap((value) => flags.find(({ bare }) => toFlagName(bare) === toBareName(value)) ?? [])
      .at(0);
  const done = find(word);
  if (done !== undefined) return { name: done.name, value: true };
  const [left] = undone.flatMap((verb) => find(verb) ?? []);
  return left && { name: left.name, value: false };
}

/** The status that an action leads to; undefined where the enums of the schema have none like it. */
function findStatusFor(
  verb: Verb,
  schema: SchemaView | undefined,
): { readonly property: string; readonly value: string } | undefined {
  const all = listProperties(schema);
  const isForm = ({ bare }: PropertyView): boolean =>
    [verb.word, ...verb.undone].some((base) => isParticiple(base, bare));
  const isStatus = (each: PropertyView): boolean => means(each.name, 'statuses.name') || isForm(each);
  // The likeliest name first; others are asked where these have no such status, such as `power_status`.
  const main = rankNames(schema?.members.keys() ?? [], 'statuses.main');
  const others = all.filter((each) => !main.includes(each.name) && isStatus(each)).map(({ name }) => name);
  const properties = [...main, ...others].flatMap((name) => schema?.members.get(name) ?? []);
  const statuses = properties.map((property) => ({ property, values: listStatuses(property.schema) }));
  for (const choose of listChoices(verb)) {
    for (const { property, values } of statuses) {
      const value = choose(values);
      if (value !== undefined) return { property: property.name, value };
    }
  }
  return undefined;
}

/** The ways to choose a status of some values, the likeliest first. */
function listChoices({ bases, rest, undone }: Verb): readonly ((values: readonly string[]) => string | undefined)[] {
  const find = (status: string, values: readonly string[]): string | undefined =>
    values.find((value) => toBareName(value) === toBareName(status));
  const known = bases.flatMap((base) => readOwn(STATUSES_BY_VERB, base) ?? []);
  return [
    ...known.map((status) => (values: readonly string[]) => find(status, values)),
    ...bases.map((base) => (values: readonly string[]) => findVerbForm(base, values)),
    (values) => (rest === '' ? undefined : find(rest, values)),
    (values) => undone.map((base) => findOpposite(base, values)).find((each) => each !== undefined),
    (values) => chooseEarlier(undone, values),
  ];
}

/** The value that says that something is not so: `not_suspended` for `suspend`. */
function findOpposite(verb: string, values: readonly string[]): string | undefined {
  return values.find((value) => {
    const [, base] = /^(?:not|un)(.+)$/.exec(toBareName(value)) ?? [];
    return base !== undefined && isParticiple(verb, base);
  });
}

/** The status before another verb, where the values have the one that it leads to: `active` for `unban` beside `banned`. */
function chooseEarlier(undone: readonly string[], values: readonly string[]): string | undefined {
  const left = new Set(undone.map((base) => findVerbForm(base, values)).filter((each) => each !== undefined));
  if (left.size === 0) return undefined;
  const others = values.filter((each) => !left.has(each) && !means(each, 'statuses.failed', 'statuses.later'));
  const active = rankNames(others, 'statuses.setUp')[0];
  const initial = active ?? chooseInitialStatus(others);
  return typeof initial === 'string' ? initial : undefined;
}

/**
 * The value that is a form of the verb: `canceled` or `cancelled`, else the verb itself, else `canceling`, else one that begins so.
 *
 * An action succeeds: `pause` does not lead to `PAUSE_FAILED`.
 */
function findVerbForm(verb: string, values: readonly string[]): string | undefined {
  const stem = toStem(verb);
  if (stem.length < 3) return undefined;
  const isRunning = (bare: string): boolean => bare.startsWith(stem) && RUNNING_ENDING.test(bare.slice(stem.length));
  const find = (isForm: (bare: string) => boolean): string | undefined =>
    values.find((value) => isForm(toBareName(value)));
  return (
    find((bare) => isParticiple(verb, bare)) ??
    find((bare) => bare === verb) ??
    find(isRunning) ??
    find((bare) => bare.startsWith(stem) && !means(bare.slice(stem.length), 'statuses.failed'))
  );
}

/** Whether a word is the past participle of a verb: `archived` of `archive`, `hidden` of `hide`. */
function isParticiple(verb: string, word: string): boolean {
  const stem = toStem(verb);
  return stem.length > 2 && word.startsWith(stem) && PARTICIPLE_ENDING.test(word.slice(stem.length));
}

function toStem(verb: string): string {
  return verb.replace(/(e|y)$/, '');
}
