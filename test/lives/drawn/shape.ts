import type { Random } from '../../../src/base/random.js';

/** What a document can be like, in each respect; the plainest choice first. */
export const CHOICES = {
  /** `query`: read by `/nouns/info?nounId=`; `rpc`: `POST /nouns.create`; `rpc-get`: the same with `GET /nouns.get?nounId=`. */
  style: ['rest', 'query', 'rpc', 'rpc-get'],
  /** The names of methods: `nouns.create` or `nouns.createNoun`. */
  method: ['verb', 'verb-noun'],
  prefix: ['', '/api/v3'],
  /** Whether the noun of the items is two words, and how its plural is formed. */
  noun: ['one', 'two', 'y', 'x'],
  letters: ['camel', 'snake'],
  /** Whether the schemas of the item are references to one. */
  schemas: ['shared', 'inline'],
  /** Whether a request has the schema of the item. */
  input: ['own', 'item'],
  /** Which properties of an item are required. */
  required: ['some', 'none', 'all'],
  /** What else an item has, before its other properties. */
  extra: ['none', 'time', 'other-id', 'url'],
  /** Whether lists show the whole item. */
  listed: ['whole', 'summary'],
  /** What is around the item, and around the array of a list. */
  item: ['none', 'data', 'noun', 'word', 'deep'],
  list: ['none', 'data', 'noun', 'word', 'deep'],
  /** Whether requests have the item in what is around it in answers. */
  request: ['bare', 'wrapped'],
  sibling: ['none', 'number', 'string', 'meta', 'success'],
  siblingIs: ['optional', 'required'],
  /** What a create answers. */
  create: ['item', 'id', 'task', 'nothing', 'no-content', 'union', 'many'],
  /** `put-all`: a PUT of the collection creates one item. */
  createAt: ['collection', 'put', 'put-ok', 'put-all', 'word', 'parent'],
  /** What names a task in the answer that promises it, and in the task. */
  task: ['nounId', 'id', 'uid'],
  createStatus: ['201', '200'],
  id: ['id', 'nounId', 'uuid', 'external'],
  idType: ['text', 'uuid', 'integer', 'example'],
  idIs: ['open', 'read-only'],
  parameter: ['same', 'nounId', 'id'],
  total: ['none', 'total', 'count', 'totalCount', 'nounCount', 'meta'],
  page: ['none', 'page', 'offset', 'cursor', 'token', 'after'],
  /** What says that a page is the last one, beside a cursor. */
  end: ['none', 'has-more', 'next-page', 'next-url', 'pages'],
  filter: ['none', 'status', 'statuses', 'status-array', 'status-comma', 'ids', 'parent'],
  update: ['none', 'put', 'patch'],
  updated: ['item', 'nothing', 'task'],
  /** Whether changes are sent to the item, or to the collection with the id in the body. */
  changeAt: ['item', 'collection'],
  /** Those with two verbs lead to a status and back. */
  action: [
    'none',
    'archive',
    'made-up',
    'pause-resume',
    'suspend-reactivate',
    'archive-restore',
    'stop-start',
    'disable-enable',
  ],
  acted: ['item', 'nothing'],
  remove: ['no-content', 'item', 'success', 'task'],
  removeAt: ['item', 'query'],
  /** Whether a removed item can be brought back. */
  restore: ['none', 'restore', 'undelete'],
  /** How items become members of another resource. */
  members: ['none', 'put', 'post', 'post-many'],
  media: ['json', 'text-first', 'charset', 'vendor', 'vendor-first', 'xml-first', 'any'],
  errors: ['declared', 'undeclared'],
  /** Whether the mock has items at the start. */
  start: ['none', 'some'],
  /** What is around the item in the answer to its create. */
  created: ['same', 'bare', 'data', 'word'],
  /** How a PATCH says what changes. */
  patch: ['plain', 'merge', 'operations'],
} as const;

type Choices = typeof CHOICES;

/** A choice in each respect. */
export type Shape = { readonly [Respect in keyof Choices]: Choices[Respect][number] };

export const RESPECTS = Object.keys(CHOICES) as readonly (keyof Shape)[]; // the keys of the type

/** The plainest document there is. */
export const PLAIN = Object.fromEntries(RESPECTS.map((respect) => [respect, CHOICES[respect][0]])) as unknown as Shape; // one choice in each respect

/** Draws a shape that a document can have. Half of the choices are plain, so that not every document has every difficulty. */
export function drawShape(random: Random): Shape {
  const drawn = RESPECTS.map((respect) => [
    respect,
    random.next() < 0.4 ? PLAIN[respect] : random.pick<string>(CHOICES[respect]),
  ]);
  return settle(Object.fromEntries(drawn) as Shape); // one choice in each respect
}

/** What differs from the plainest document. */
export function listDifferences(shape: Partial<Shape>): Partial<Shape> {
  return Object.fromEntries(
    Object.entries(shape).filter(([respect, choice]) => PLAIN[respect as keyof Shape] !== choice),
  );
}

/** A name of a shape: `item=data update=put`. */
export function toName(shape: Partial<Shape>): string {
  const all = Object.entries(listDifferences(shape)).map(([respect, choice]) => `${respect}=${choice}`);
  return all.length === 0 ? 'plain' : all.join(' ');
}

/** Whether a shape has all choices of a combination. */
export function hasChoices(shape: Shape, choices: Partial<Shape>): boolean {
  return Object.entries(choices).every(([respect, choice]) => shape[respect as keyof Shape] === choice);
}

/** Makes choices plain that contradict others, or have no effect beside them. */
export function settle(shape: Shape): Shape {
  const settled = { ...shape };
  for (const rule of RULES) Object.assign(settled, rule(settled));
  return settled;
}

const isRpc = ({ style }: Shape): boolean => style === 'rpc' || style === 'rpc-get';

/** Whether the client chooses the id, by the path. */
export const isPut = ({ createAt }: Pick<Shape, 'createAt'>): boolean => isOneOf(createAt, 'put', 'put-ok');

const isOneOf = (choice: string, ...choices: readonly string[]): boolean => choices.includes(choice);

/** What can say that a page is the last one. */
const ENDS: Readonly<Record<Shape['page'], readonly Shape['end'][]>> = {
  none: ['none'],
  page: ['none', 'has-more', 'next-page', 'next-url', 'pages'],
  offset: ['none', 'has-more', 'next-url'],
  cursor: ['none', 'has-more'],
  token: ['none', 'has-more'],
  after: ['has-more'],
};

const RULES: readonly ((shape: Shape) => Partial<Shape>)[] = [
  (shape) => (isRpc(shape) ? {} : { method: 'verb' }),
  // A method has one path, and no URL for the item.
  (shape) => (isRpc(shape) ? { createAt: 'collection' } : {}),
  (shape) =>
    shape.style !== 'rest' &&
    (isOneOf(shape.create, 'nothing', 'no-content') || (isRpc(shape) && shape.create !== 'id'))
      ? { create: 'item' }
      : {},
  ({ style, filter }) =>
    style === 'rpc' && isOneOf(filter, 'statuses', 'status-array', 'status-comma', 'ids') ? { filter: 'status' } : {},
  (shape) => (isRpc(shape) && shape.update === 'put' ? { update: 'patch' } : {}),
  // The client knows the id by other means than the answer.
  ({ createAt, create }) =>
    isOneOf(createAt, 'put', 'put-ok') && isOneOf(create, 'union', 'many') ? { create: 'item' } : {},
  ({ createAt, style }) => (isOneOf(createAt, 'put', 'put-ok') && style === 'query' ? { style: 'rest' } : {}),
  ({ create, createAt }) =>
    isOneOf(create, 'union', 'many') && createAt !== 'collection' ? { createAt: 'collection' } : {},
  ({ create }) => (isOneOf(create, 'task', 'nothing', 'no-content') ? { createStatus: '201' } : {}),
  ({ createAt }) => (isOneOf(createAt, 'put', 'put-ok') ? { createStatus: '201' } : {}),
  // One operation creates and replaces: the status says which it did, or the answer is the same.
  ({ createAt, update }) => (createAt === 'put-ok' && update === 'put' ? { create: 'item', updated: 'item' } : {}),
  ({ createAt, update, create }) =>
    createAt === 'put' && update === 'put' && isOneOf(create, 'task', 'no-content') ? { create: 'item' } : {},
  // The client chooses this id.
  ({ id }) => (id === 'external' ? { idType: 'text', idIs: 'open', parameter: 'same' } : {}),
  // The schema of the item is also that of the request, which has no id.
  ({ input, id, createAt }) =>
    input === 'item' && id !== 'external' && !isOneOf(createAt, 'put', 'put-ok') ? { idIs: 'read-only' } : {},
  ({ id, parameter }) => (id === 'id' && parameter === 'id' ? { parameter: 'same' } : {}),
  ({ id, parameter }) => (id === 'nounId' && parameter === 'nounId' ? { parameter: 'same' } : {}),
  (shape) => (isRpc(shape) || isOneOf(shape.item, 'none', 'deep') ? { request: 'bare' } : {}),
  ({ item, list }) => (item === 'none' && list === 'none' ? { sibling: 'none' } : {}),
  ({ sibling }) => (sibling === 'none' ? { siblingIs: 'optional' } : {}),
  ({ create, updated, remove }) => (isOneOf('task', create, updated, remove) ? {} : { task: 'nounId' }),
  (shape) => (isRpc(shape) ? { changeAt: 'item', removeAt: 'item', restore: 'none', members: 'none' } : {}),
  (shape) => (isRpc(shape) && shape.updated === 'task' ? { updated: 'item' } : {}),
  (shape) => (isRpc(shape) && shape.remove === 'task' ? { remove: 'no-content' } : {}),
  // Only what is asked for by GET has a URL.
  ({ style, end }) => (style === 'rpc' && end === 'next-url' ? { end: 'none' } : {}),
  // One PUT has one meaning.
  ({ createAt, update }) => (createAt === 'put-all' && update === 'put' ? { changeAt: 'item' } : {}),
  ({ update, createAt }) => (update === 'none' || isOneOf(createAt, 'put', 'put-ok') ? { changeAt: 'item' } : {}),
  ({ updated, update, createAt }) =>
    updated === 'task' && update === 'put' && isOneOf(createAt, 'put', 'put-ok') ? { updated: 'item' } : {},
  // Only where nothing else has the path, and the items do not say whose they are.
  ({ createAt, filter }) => (createAt === 'parent' || filter === 'parent' ? { members: 'none' } : {}),
  ({ action, restore }) => (action === 'archive-restore' && restore === 'restore' ? { restore: 'none' } : {}),
  // An array has no place for a number or a cursor.
  ({ list }) => (list === 'none' ? { total: 'none', end: 'none' } : {}),
  ({ list, page }) => (list === 'none' && isOneOf(page, 'cursor', 'token', 'after') ? { page: 'offset' } : {}),
  ({ page, end }) => (ENDS[page].includes(end) ? {} : { end: ENDS[page][0] ?? 'none' }),
  ({ update }) => (update === 'none' ? { updated: 'item' } : {}),
  ({ action }) => (action === 'none' ? { acted: 'item' } : {}),
  ({ create, createAt, item, created }) =>
    !isOneOf(create, 'item', 'id') || isPut({ createAt }) || created === (item === 'none' ? 'bare' : item)
      ? { created: 'same' }
      : {},
  (shape) => (isRpc(shape) || shape.update !== 'patch' || shape.changeAt !== 'item' ? { patch: 'plain' } : {}),
];
