import type { Shape } from './shape.js';
import { joinWords, toPlural, toTitle, type Words } from './words.js';

/** A shape, with words for what has a name. */
export interface Plan {
  readonly shape: Shape;
  readonly words: Words;
}

/** The names and paths that a document and its clients share. */
export interface Names {
  /** The noun of the items: in names of properties, in paths, and as a title. */
  readonly noun: string;
  readonly nouns: string;
  readonly title: string;
  readonly id: string;
  /** What an item has beside its id that looks like another. */
  readonly extra: string;
  /** Of the path, the query or the request, for the id. */
  readonly parameter: string;
  /** The same in the body of a change. */
  readonly bodyId: string;
  readonly holderId: string;
  readonly taskId: string;
  /** The id in a task itself. */
  readonly taskOwnId: string;
  /** Where the item is in answers, its list in lists, and the item in requests. */
  readonly itemAt: readonly string[];
  /** The same in the answer to a create. */
  readonly createdAt: readonly string[];
  readonly listAt: readonly string[];
  readonly requestAt: readonly string[];
  readonly totalAt: readonly string[] | undefined;
  readonly cursorAt: readonly string[] | undefined;
  readonly endAt: readonly string[] | undefined;
  /** The properties of a status, and what a state is called there. */
  readonly statusName: string;
  readonly root: string;
  readonly one: string;
  readonly holders: string;
  readonly tasks: string;
  /** What creates is sent to, with the parameters of its path. */
  readonly create: string;
  readonly verb: string;
  readonly participle: unknown;
  /** The verb that leads back, and where. */
  readonly back: { readonly verb: string; readonly status: unknown } | undefined;
  /** The lists of members, and one of them. */
  readonly members: string;
  readonly hasStatus: boolean;
  readonly hasHolder: boolean;
  /** Whether an item says whose it is. */
  readonly isHeld: boolean;
  /** What an item is called by those it is a member of. */
  readonly memberId: string;
}

export function toNames(plan: Plan): Names {
  const { shape, words } = plan;
  const { holder, task, source, verb, part } = words;
  const nouns = toNouns(plan);
  const noun = joinWords(nouns, shape.letters);
  const join = (...parts: readonly string[]): string => joinWords(parts, shape.letters);
  const nounId = join(...nouns, 'id');
  const id = { id: 'id', nounId, uuid: 'uuid', external: join('external', 'id') }[shape.id];
  const isRpc = shape.style === 'rpc' || shape.style === 'rpc-get';
  // A path says what is external, beside the ids of others; a method is of one noun.
  const same = shape.id === 'external' && !isRpc ? join('external', ...nouns, 'id') : id;
  const parameter = { same, nounId, id: 'id' }[shape.parameter];
  const segment = toPlural(nouns.join('-'));
  const root = `${shape.prefix}/${segment}`;
  const holders = `${shape.prefix}/${toPlural(holder)}`;
  const holderId = join(holder, 'id');
  const itemAt = { none: [], data: ['data'], noun: [noun], word: [source], deep: ['data', noun] }[shape.item];
  const listAt = toListPath(shape.list, toPlural(noun), words);
  const inside = listAt.slice(0, -1);
  const one = `${root}/{${parameter}}`;
  const action = toAction(shape.action, verb);
  const taskId = join(task, shape.task === 'uid' ? 'uid' : 'id');
  return {
    noun,
    nouns: segment,
    title: nouns.map(toTitle).join(''),
    id,
    extra: { none: '', time: join('created', 'at'), 'other-id': join(part, 'id'), url: 'url' }[shape.extra],
    parameter,
    bodyId: shape.id === 'external' ? id : parameter,
    holderId,
    taskId,
    taskOwnId: shape.task === 'nounId' ? taskId : shape.task,
    itemAt,
    createdAt: { same: itemAt, bare: [], data: ['data'], word: [source] }[shape.created],
    listAt,
    requestAt: shape.request === 'bare' ? [] : [{ none: '', data: 'data', noun, word: source, deep: '' }[shape.item]],
    totalAt: toTotalPath(shape.total, inside, join(...nouns, 'count'), join('total', 'count')),
    cursorAt:
      toCursorName(shape.page, join) === undefined ? undefined : [...inside, toCursorName(shape.page, join) ?? ''],
    endAt: shape.end === 'none' ? undefined : [...inside, join(...END_WORDS[shape.end])],
    statusName: shape.action === 'disable-enable' ? 'enabled' : 'status',
    root,
    one,
    holders,
    tasks: `${shape.prefix}/${toPlural(task)}`,
    create: {
      collection: root,
      put: one,
      'put-ok': one,
      'put-all': root,
      word: `${root}/from-${source}`,
      parent: `${holders}/{${holderId}}/${segment}`,
    }[shape.createAt],
    ...action,
    isHeld: shape.filter === 'parent' || shape.createAt === 'parent',
    memberId: nounId,
    members: `${holders}/{${holderId}}/${segment}`,
    hasStatus: shape.action !== 'none' || isStatusFilter(shape),
    hasHolder: shape.filter === 'parent' || shape.createAt === 'parent' || shape.members !== 'none',
  };
}

export const isStatusFilter = ({ filter }: Shape): boolean => filter.startsWith('status');

const END_WORDS = {
  'has-more': ['has', 'more'],
  'next-page': ['next', 'page'],
  'next-url': ['next'],
  pages: ['total', 'pages'],
} as const;

function toCursorName(page: Shape['page'], join: (...words: readonly string[]) => string): string | undefined {
  if (page === 'cursor') return join('next', 'cursor');
  return page === 'token' ? join('next', 'page', 'token') : undefined;
}

/** What an action is called, where it leads, and back. */
function toAction(action: Shape['action'], made: string): Pick<Names, 'verb' | 'participle' | 'back'> {
  switch (action) {
    case 'made-up':
      return { verb: made, participle: `${made}ed`, back: undefined };
    case 'pause-resume':
      return { verb: 'pause', participle: 'paused', back: { verb: 'resume', status: 'active' } };
    case 'suspend-reactivate':
      return { verb: 'suspend', participle: 'suspended', back: { verb: 'reactivate', status: 'active' } };
    case 'archive-restore':
      return { verb: 'archive', participle: 'archived', back: { verb: 'restore', status: 'active' } };
    case 'stop-start':
      return { verb: 'stop', participle: 'stopped', back: { verb: 'start', status: 'running' } };
    case 'disable-enable':
      return { verb: 'disable', participle: false, back: { verb: 'enable', status: true } };
    default:
      return { verb: 'archive', participle: 'archived', back: undefined };
  }
}

/** The words of the noun of the items. */
function toNouns({ shape, words: { noun, sibling } }: Plan): readonly string[] {
  return { one: [noun], two: [sibling, noun], y: [`${noun}y`], x: [`${noun}ax`] }[shape.noun];
}

function toListPath(list: Shape['list'], nouns: string, { source }: Words): readonly string[] {
  return { none: [], data: ['data'], noun: [nouns], word: [toPlural(source)], deep: ['data', nouns] }[list];
}

function toTotalPath(
  total: Shape['total'],
  inside: readonly string[],
  ...[ofNoun, whole]: [string, string]
): Names['totalAt'] {
  if (total === 'none') return undefined;
  if (total === 'meta') return ['meta', 'total'];
  return [...inside, { total, count: total, totalCount: whole, nounCount: ofNoun }[total]];
}
