import type { Random } from '../../../src/base/random.js';

/** The words and values of one drawn document. None is in a dictionary, so that no list of words can know what they mean. */
export interface Words {
  readonly noun: string;
  /** The noun of what the items belong to. */
  readonly holder: string;
  /** The noun of what a create that takes time answers. */
  readonly task: string;
  /** What an item is created from, or a list is in. */
  readonly source: string;
  readonly verb: string;
  readonly statuses: readonly [string, string];
  readonly text: string;
  readonly size: string;
  readonly tags: string;
  readonly detail: string;
  readonly part: string;
  readonly sibling: string;
}

const WORD_NAMES = [
  'noun',
  'holder',
  'task',
  'source',
  'verb',
  'text',
  'size',
  'tags',
  'detail',
  'part',
  'sibling',
] as const;

/** Draws words that differ from each other. */
export function drawWords(random: Random): Words {
  const words = new Set<string>();
  while (words.size < WORD_NAMES.length + 2) words.add(drawWord(random));
  const [first = '', second = '', ...rest] = words;
  return {
    statuses: [first, second],
    ...(Object.fromEntries(WORD_NAMES.map((name, i) => [name, rest[i] ?? ''])) as Omit<Words, 'statuses'>), // the names of the type
  };
}

/** A word that can be spoken, with a regular plural and participle: `brolumak`. */
export function drawWord(random: Random): string {
  const syllable = (): string => random.pick(STARTS) + random.pick(VOWELS);
  return `${syllable()}${syllable()}${random.pick(ENDS)}`;
}

const STARTS = ['b', 'br', 'd', 'dr', 'f', 'fl', 'g', 'gr', 'k', 'kl', 'm', 'p', 'pl', 'v', 'z', 'zw'];
const VOWELS = ['a', 'e', 'i', 'o', 'u', 'oo'];
const ENDS = ['bb', 'lf', 'lk', 'lm', 'mp', 'nk', 'rb', 'rf', 'rk', 'rm'];

export function toPlural(noun: string): string {
  if (noun.endsWith('y')) return `${noun.slice(0, -1)}ies`;
  return noun.endsWith('x') ? `${noun}es` : `${noun}s`;
}

export const toTitle = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** A name of several words: `brolumakId` or `brolumak_id`. */
export function joinWords(words: readonly string[], letters: 'camel' | 'snake'): string {
  return letters === 'snake' ? words.join('_') : words.map((word, i) => (i === 0 ? word : toTitle(word))).join('');
}
