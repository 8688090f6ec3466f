import { STATUSES_BY_VERB, UNDOES } from '../../conventions/actions.js';
import { means, rankNames } from '../../conventions/conventions.js';
import {
  PARTICIPLE_ENDING,
  RUNNING_ENDING,
  SEPARATE_PREFIX,
  TIME_ENDING,
  UNDOING_PREFIX,
} from '../../conventions/forms.js';
import { listStatuses } from '../../conventions/names.js';
import { readOwn } from '../../base/json.js';
import { readWords, toBareName } from '../../base/names.js';
import { listProperties, type SchemaView } from '../../contract/schema-view/schema-view.js';
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

/** What an action sets: the status, flags (`archived: true`) and times (`canceled`); undefined where the schema has none of them. */
export function findEffect(name: string, schema: SchemaView | undefined): Item | undefined {
  const verb = readVerb(name);
  const status = findStatusFor(verb, schema);
  const { word, undone } = verb;
  const isOn = means(word, 'verbs.enable') ? true : means(word, 'verbs.disable') ? false : undefined;
  const set: Record<string, unknown> = {};
  for (const property of listProperties(schema)) {
    const bare = property.bare.replace(/^is(?=[a-z]{4})/, '');
    const isForm = (base: string): boolean =>
      isParticiple(base, bare.replace(TIME_ENDING, '')) || isParticiple(base, bare);
    const isUndone = undone.some(isForm);
    const isDone = isUndone || isForm(word);
    if (property.schema.type === 'boolean') {
      if (isDone) set[property.name] = !isUndone;
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

/** The status that an action leads to; undefined where the enum of the schema has none like it. */
function findStatusFor(
  verb: Verb,
  schema: SchemaView | undefined,
): { readonly property: string; readonly value: string } | undefined {
  // The likeliest name first.
  const properties = rankNames(schema?.members.keys() ?? [], 'statuses.main').flatMap(
    (name) => schema?.members.get(name) ?? [],
  );
  for (const property of properties) {
    const value = chooseStatus(verb, listStatuses(property.schema));
    if (value !== undefined) return { property: property.name, value };
  }
  return undefined;
}

function chooseStatus({ bases, rest, undone }: Verb, values: readonly string[]): string | undefined {
  const find = (bare: string): string | undefined => values.find((value) => toBareName(value) === bare);
  const known = bases.flatMap((base) => readOwn(STATUSES_BY_VERB, base) ?? []);
  const listed = known.flatMap((each) => find(toBareName(each)) ?? [])[0];
  const form = bases.map((base) => findVerbForm(base, values)).find((each) => each !== undefined);
  return listed ?? form ?? (rest === '' ? undefined : find(rest)) ?? chooseEarlier(undone, values);
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
