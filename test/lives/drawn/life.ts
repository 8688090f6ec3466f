import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../../src/base/json.js';
import { createMock } from '../../../src/index.js';
import {
  type Answer,
  type Client,
  createClient,
  createReader,
  type Id,
  type Json,
  type Reader,
  toPage,
} from './client.js';
import { createDocument, listSummary } from './document.js';
import { isStatusFilter, type Names, type Plan, toNames } from './names.js';
import { isPut } from './shape.js';
import { joinWords } from './words.js';

/** What was wrong in a life. */
export interface Failure {
  /** The sentence that was false. */
  readonly check: string;
  readonly expected: unknown;
  readonly got: unknown;
  readonly answers: readonly Answer[];
}

/** Lives the life of the items of a drawn document. Returns what was wrong first. */
export async function live(plan: Plan): Promise<Failure | undefined> {
  const initialItems = plan.shape.start === 'none' ? 0 : 3;
  const mock = await createMock({ spec: createDocument(plan), state: { unknownIds: 'not-found', initialItems } });
  const client = createClient(mock, plan);
  try {
    await liveWith({ plan, client, read: createReader(plan), names: toNames(plan) });
    return undefined;
  } catch (error) {
    if (!(error instanceof FailedCheck)) throw error;
    return { check: error.message, expected: error.expected, got: error.got, answers: client.answers };
  } finally {
    await mock.close();
  }
}

/** Thrown by the first check of a life that fails. */
class FailedCheck extends Error {
  readonly expected: unknown;
  readonly got: unknown;
  constructor(check: string, expected: unknown, got: unknown) {
    super(check);
    this.expected = expected;
    this.got = got;
  }
}

interface Life {
  readonly plan: Plan;
  readonly client: Client;
  readonly read: Reader;
  readonly names: Names;
}

/** An item as a client knows it. */
interface Known {
  readonly id: Id;
  readonly sent: Json;
}

async function liveWith(life: Life): Promise<void> {
  const { shape } = life.plan;
  const holders = life.names.hasHolder ? [await createHolder(life, 'one'), await createHolder(life, 'two')] : ['', ''];
  const before = await listAll(life);
  const one = await create(life, { index: 0, holder: holders[0] ?? '' });
  await showsItem(life, one, 'after a create');
  await hasSize(life, before.length + 1, 'after a create');
  const other = await create(life, { index: 1, holder: holders[1] ?? '' });
  differs('two creates are two items', other.id, one.id);
  await showsItem(life, other, 'after a second create');
  await showsItem(life, one, 'after the create of another');
  await hasSize(life, before.length + 2, 'after two creates');
  const more = shape.create === 'union' || shape.create === 'many' ? await createPair(life, holders) : [];
  const all = before.length + 2 + more.length;
  if (more.length > 0) await hasSize(life, all, 'after a create of two');
  for (const each of more) await showsItem(life, each, 'after a create of two');
  if (shape.page !== 'none') await walkPages(life);
  if (shape.filter !== 'none') await filterList(life, [one, other], holders);
  const changed = shape.update === 'none' ? one : await update(life, one);
  const acted = shape.action === 'none' ? changed : await act(life, changed);
  await showsItem(life, other, 'after changes of another');
  if (shape.members !== 'none') await share(life, [acted, other], holders);
  await remove(life, acted);
  await hasSize(life, all - 1, 'after a delete');
  await showsItem(life, other, 'after the delete of another');
  if (shape.restore !== 'none') await restore(life, acted);
}

async function createHolder({ client }: Life, name: string): Promise<string> {
  const answer = await client.createHolder(name);
  fits('the create of a parent', answer, [201]);
  return String((answer.body as Json)['id']);
}

/** Values for all that a request can set. */
function toSent({ plan: { shape, words }, names }: Life, index: number, holder: string): Json {
  const { text, source, size, tags, detail, part, noun } = words;
  return {
    ...(shape.id === 'external' ? { [names.id]: `${noun}-${index}` } : {}),
    [joinWords([text, source], shape.letters)]: `${source} ${index}`,
    [size]: 40 + index,
    [tags]: [`${part}${index}`, text],
    [detail]: { [part]: `${noun} ${index}`, [size]: 7 + index },
    ...(isStatusFilter(shape) ? { status: words.statuses[index % 2] } : {}),
    ...(names.isHeld && shape.createAt !== 'parent' ? { [names.holderId]: holder } : {}),
  };
}

const CHOSEN_IDS: Readonly<Record<Plan['shape']['idType'], readonly Id[]>> = {
  text: ['one-4', 'two-5'],
  uuid: ['0b8f1c5e-6a3d-4f7e-9c21-5d0e8a7b6f43', 'c4d2e6f8-1a3b-4c5d-8e9f-0a1b2c3d4e5f'],
  integer: [4711, 4712],
  example: ['kvo_71', 'kvo_72'],
};

async function create(
  life: Life,
  { index, holder }: { readonly index: number; readonly holder: string },
): Promise<Known> {
  const { plan, client, read } = life;
  const { shape } = plan;
  const chosen = CHOSEN_IDS[shape.idType][index] ?? '';
  // Where the schema of a PUT has the id, clients send it.
  const isRepeated = isPut(shape) && shape.input === 'item' && shape.idIs === 'open' && shape.id !== 'external';
  const sent = { ...(isRepeated ? { [life.names.id]: chosen } : {}), ...toSent(life, index, holder) };
  // One or many: the first is sent alone, the second in an array.
  const answer = await client.create(
    shape.create === 'many' || (shape.create === 'union' && index > 0) ? [sent] : sent,
    {
      id: shape.id === 'external' ? `${plan.words.noun}-${index}` : chosen,
      holder,
    },
  );
  fits('a create', answer, [toCreateStatus(shape)]);
  if (['item', 'union', 'many'].includes(shape.create))
    includes('a create shows what was sent', read.created(answer)[0], sent);
  if (shape.create === 'item') succeeds(life, answer, life.names.createdAt);
  if (shape.create === 'task') await readTask(life, answer);
  if (!isPut(shape) && shape.id !== 'external') return { id: await findId(life, answer, sent), sent };
  const wanted = shape.id === 'external' ? `${plan.words.noun}-${index}` : chosen;
  const [made] = read.created(answer);
  const shown = read.id(isObject(made) ? made : undefined);
  if (shape.create === 'item' || shape.create === 'id')
    equals('an item has the id that its client chose', shown, wanted);
  return { id: wanted, sent };
}

function toCreateStatus({ create: answer, createAt, createStatus }: Plan['shape']): number {
  if (answer === 'task') return 202;
  if (answer === 'no-content') return 204;
  return createAt === 'put-ok' ? 200 : Number(createStatus);
}

/** Creates two items in one request. */
async function createPair(life: Life, holders: readonly string[]): Promise<readonly Known[]> {
  const sent = [2, 3].map((index) => toSent(life, index, holders[0] ?? ''));
  const answer = await life.client.create(sent, { id: '', holder: holders[0] ?? '' });
  fits('a create of two', answer, [toCreateStatus(life.plan.shape)]);
  const created = life.read.created(answer);
  equals('a create of two shows two', created.length, 2);
  return sent.map((each, i) => {
    includes('a create of two shows what was sent', created[i], each);
    const id = life.read.id(created[i] as Json); // checked above
    if (id === undefined) throw new FailedCheck('a create of two shows the ids', 'an id', answer.body);
    return { id, sent: each };
  });
}

async function readTask({ client, names }: Life, answer: Answer): Promise<void> {
  const id = isObject(answer.body) ? (answer.body[names.taskId] as Id) : undefined; // the answer fits its schema
  const task = await client.readTask(id);
  fits('the read of a task', task, [200]);
  includes('a task is read', task.body, { [names.taskOwnId]: id });
  // Clients ask until the work is done.
  let status: unknown;
  for (let i = 0; i < 6 && status !== 'succeeded'; i++) {
    const { body } = await client.readTask(id);
    status = isObject(body) ? body['status'] : undefined;
  }
  equals('a task succeeds', status, 'succeeded');
  const all = await client.readTask();
  const listed = Array.isArray(all.body)
    ? all.body.filter((each: Json) => each[names.taskOwnId] === id).length
    : undefined;
  equals('a task is listed once', listed, 1);
}

/** The id of a new item: in the answer, at the end of its URL, or that of the item in the list that has what was sent. */
async function findId(life: Life, answer: Answer, sent: Json): Promise<Id> {
  const { shape } = life.plan;
  const [first] = life.read.created(answer);
  const shown = life.read.id(isObject(first) ? first : undefined);
  if (shape.create === 'nothing' || shape.create === 'no-content') {
    if (answer.location === null) throw new FailedCheck('a create without content has a Location', 'a URL', null);
    const last = decodeURIComponent(answer.location.split('/').at(-1) ?? '');
    return shape.idType === 'integer' ? Number(last) : last;
  }
  if (shape.create !== 'task') {
    if (shown === undefined) throw new FailedCheck('a create shows the id', 'an id', answer.body);
    return shown;
  }
  const text = joinWords([life.plan.words.text, life.plan.words.source], shape.letters);
  const found = (await listAll(life)).find((item) => item[text] === sent[text]);
  const id = life.read.id(found);
  if (id === undefined) throw new FailedCheck('what is created by a task is listed', sent, await listAll(life));
  return id;
}

async function listAll(life: Life, parameters: Json = {}): Promise<readonly Json[]> {
  const { client, plan, read } = life;
  const answer = await client.list({ ...toPage(plan, { index: 0, size: 50 }), ...parameters });
  fits('a list', answer, [200]);
  const list = read.list(answer);
  if (list === undefined) throw new FailedCheck('a list shows an array', 'an array', answer.body);
  const ids = list.map((item) => read.id(item));
  succeeds(life, answer, life.names.listAt);
  equals('a list has no id twice', new Set(ids).size, ids.length);
  if (life.names.totalAt !== undefined) {
    const total = read.total(answer);
    // An envelope may lack what its schema does not require, but not this: clients count with it.
    equals('the total of a list is the number of its items', total, list.length);
  }
  return list;
}

async function hasSize(life: Life, size: number, when: string): Promise<void> {
  const list = await listAll(life);
  equals(`the list has the right number of items ${when}`, list.length, size);
}

/** The read and the list show an item, under its id. */
async function showsItem(life: Life, { id, sent }: Known, when: string): Promise<void> {
  const { read, client } = life;
  const answer = await client.read(id);
  fits(`a read ${when}`, answer, [200]);
  succeeds(life, answer, life.names.itemAt);
  equals(`a read shows the id ${when}`, read.id(read.item(answer)), id);
  includes(`a read shows the item ${when}`, read.item(answer), sent);
  const listed = (await listAll(life)).find((item) => read.id(item) === id);
  if (listed === undefined)
    throw new FailedCheck(`the list has the item ${when}`, id, (await listAll(life)).map(read.id));
  const shown = life.plan.shape.listed === 'whole' ? Object.keys(sent) : listSummary(life.plan, life.names);
  const expected = Object.fromEntries(Object.entries(sent).filter(([name]) => shown.includes(name)));
  includes(`the list shows the item ${when}`, listed, expected);
}

async function walkPages(life: Life): Promise<void> {
  const { plan, client, read } = life;
  const all = (await listAll(life)).map(read.id);
  const walked: (Id | undefined)[] = [];
  let cursor: unknown;
  for (let index = 0; index < 9; index++) {
    const answer = await client.list(toPage(plan, { index, size: 1, cursor, last: walked.at(-1) }));
    fits('a page', answer, [200]);
    const items = read.list(answer) ?? [];
    if (index < all.length) equals('a page has as many items as asked for', items.length, 1);
    if (life.names.totalAt !== undefined && !isOfPage(plan))
      equals('the total on a page is that of all items', read.total(answer), all.length);
    walked.push(...items.map(read.id));
    const isLast = index >= all.length - 1;
    if (items.length > 0) await checkEnd(life, { answer, index, isLast, all });
    cursor = read.cursor(answer) ?? undefined;
    if (isTurned(plan.shape) ? cursor === undefined : items.length === 0) break;
    if (plan.shape.end !== 'none' && isLast) break;
  }
  equals('a walk through the pages shows each item once', walked, all);
}

/** Whether the pages of a list have cursors. */
const isTurned = ({ page }: Plan['shape']): boolean => page === 'cursor' || page === 'token';

/** What a page says of the next one. */
async function checkEnd(
  { plan, read, client }: Life,
  {
    answer,
    index,
    isLast,
    all,
  }: {
    readonly answer: Answer;
    readonly index: number;
    readonly isLast: boolean;
    readonly all: readonly unknown[];
  },
): Promise<void> {
  const end = read.end(answer);
  if (isTurned(plan.shape) && isLast) equals('the last page has no cursor', read.cursor(answer) ?? null, null);
  switch (plan.shape.end) {
    case 'has-more':
      return equals('a page says whether there are more', end, !isLast);
    case 'pages':
      return equals('a page says how many there are', end, all.length);
    case 'next-page':
      return equals('a page has the number of the next', end ?? null, isLast ? null : index + 2);
    case 'next-url': {
      equals('a page has the URL of the next', typeof (end ?? undefined), isLast ? 'undefined' : 'string');
      if (isLast) return undefined;
      const next = await client.follow(String(end));
      fits('the next page', next, [200]);
      return equals('the next page has the next item', read.list(next)?.map(read.id), [all[index + 1]]);
    }
    default:
      return undefined;
  }
}

/** Whether the name can also mean the number of items on the page. */
const isOfPage = ({ shape }: Plan): boolean => shape.total === 'count';

async function filterList(
  life: Life,
  [one, other]: readonly [Known, Known],
  holders: readonly string[],
): Promise<void> {
  const { plan, names, read } = life;
  const { shape, words } = plan;
  const value = { parent: holders[0], ids: one.id }[shape.filter as string] ?? words.statuses[0];
  const { parameter, asked, property } = {
    none: { parameter: '', asked: '', property: '' },
    status: { parameter: 'status', asked: value, property: 'status' },
    statuses: { parameter: 'statuses[]', asked: value, property: 'status' },
    'status-array': { parameter: 'status', asked: [value], property: 'status' },
    'status-comma': { parameter: 'statuses', asked: value, property: 'status' },
    ids: { parameter: 'ids', asked: [value], property: names.id },
    parent: { parameter: names.holderId, asked: value, property: names.holderId },
  }[shape.filter];
  const found = await listAll(life, { [parameter]: asked });
  const ids = new Set(found.map(read.id));
  equals('a filter keeps what it asks for', ids.has(one.id), true);
  equals('a filter leaves out others', ids.has(other.id), false);
  equals('a filter shows only what it asks for', found.filter((item) => item[property] !== value).length, 0);
  const many = MANY[shape.filter]?.(shape.filter === 'ids' ? [one.id, other.id] : words.statuses);
  if (many === undefined) return;
  const both = new Set((await listAll(life, { [parameter]: many })).map(read.id));
  equals('a filter of two values keeps both', [both.has(one.id), both.has(other.id)], [true, true]);
}

/** How clients write several values of a filter. */
const MANY: { readonly [Filter in Plan['shape']['filter']]?: (values: readonly Id[]) => unknown } = {
  'status-array': (values) => values,
  'status-comma': (values) => values.join(','),
  statuses: (values) => values,
  ids: (values) => values,
};

async function update(life: Life, { id, sent }: Known): Promise<Known> {
  const { plan, client, read } = life;
  const { shape, words } = plan;
  const part = { [joinWords([words.text, words.source], shape.letters)]: 'changed', [words.size]: 99 };
  const inside = { [words.part]: 'changed' };
  const changed = { ...sent, ...part, [words.detail]: { ...(sent[words.detail] as Json), ...inside } };
  const answer = await client.update(id, shape.update === 'put' ? changed : { ...part, [words.detail]: inside });
  fits('a change', answer, { item: [200], nothing: [204], task: [202] }[shape.updated]);
  if (shape.updated === 'task') await readTask(life, answer);
  if (shape.updated === 'item') {
    equals('a change shows the id', read.id(read.item(answer)), id);
    includes('a change shows the changed item', read.item(answer), changed);
  }
  await showsItem(life, { id, sent: changed }, 'after a change');
  return { id, sent: changed };
}

async function act(life: Life, known: Known): Promise<Known> {
  const { verb, participle, back, statusName } = life.names;
  const acted = await actBy(life, known, { verb, status: { [statusName]: participle } });
  return back === undefined ? acted : actBy(life, acted, { verb: back.verb, status: { [statusName]: back.status } });
}

async function actBy(
  life: Life,
  { id, sent }: Known,
  { verb, status }: { readonly verb: string; readonly status: Json },
): Promise<Known> {
  const { plan, client, read } = life;
  const answer = await client.act(id, verb);
  fits('an action', answer, plan.shape.acted === 'nothing' ? [204] : [200]);
  const acted = { ...sent, ...status };
  if (plan.shape.acted === 'item') {
    equals('an action shows the id', read.id(read.item(answer)), id);
    includes('an action shows its status', read.item(answer), acted);
  }
  await showsItem(life, { id, sent: acted }, 'after an action');
  return { id, sent: acted };
}

async function remove(life: Life, { id }: Known): Promise<void> {
  const { plan, client, read } = life;
  const { shape } = plan;
  const answer = await client.remove(id);
  fits('a delete', answer, { 'no-content': [204], item: [200], success: [200], task: [202] }[shape.remove]);
  if (shape.remove === 'task') await readTask(life, answer);
  if (shape.remove === 'item') equals('a delete shows the id of the item', read.id(read.item(answer)), id);
  if (shape.remove === 'success') equals('a delete says that it succeeded', answer.body, { success: true });
  const gone = await client.read(id);
  equals('a read after a delete is not found', gone.status, 404);
  equals('the list lacks a removed item', (await listAll(life)).map(read.id).includes(id), false);
}

async function restore(life: Life, known: Known): Promise<void> {
  const { shape } = life.plan;
  const answer = await life.client.act(known.id, shape.restore);
  fits('a restore', answer, [shape.acted === 'nothing' ? 204 : 200]);
  if (shape.acted === 'item') equals('a restore shows the id', life.read.id(life.read.item(answer)), known.id);
  await showsItem(life, known, 'after a restore');
}

/** Makes items members of other resources, and ends a membership. */
async function share(life: Life, [one, other]: readonly [Known, Known], holders: readonly string[]): Promise<void> {
  const { client, read } = life;
  const [first = '', second = ''] = holders;
  const list = async (holder: string): Promise<unknown> => {
    const answer = await client.listMembers(holder);
    fits('a list of members', answer, [200]);
    return read.list(answer)?.map(read.id);
  };
  for (const { id } of [one, other]) fits('a new membership', await client.join(id, first), [204]);
  fits('a membership in another', await client.join(one.id, second), [204]);
  equals('members are listed', new Set((await list(first)) as readonly Id[]), new Set([one.id, other.id]));
  equals('members of another are listed', await list(second), [one.id]);
  fits('the end of a membership', await client.leave(one.id, first), [204]);
  equals('a membership has ended', await list(first), [other.id]);
  equals('the membership in another has not', await list(second), [one.id]);
  await showsItem(life, one, 'after the end of a membership');
}

/** An envelope says that a request succeeded. */
function succeeds({ plan: { shape } }: Life, answer: Answer, at: readonly string[]): void {
  if (shape.sibling !== 'success' || at.length === 0) return;
  equals('an envelope says that the request succeeded', (answer.body as Json)['success'], true);
}

/** An answer has a declared status, is from state and fits its schema. */
function fits(what: string, answer: Answer, statuses: readonly number[]): void {
  if (!statuses.includes(answer.status)) throw new FailedCheck(`${what} has the declared status`, statuses, answer);
  if (answer.violations !== null) throw new FailedCheck(`${what} fits its schema`, null, answer);
  if (answer.source !== 'state') throw new FailedCheck(`${what} is answered from state`, 'state', answer);
}

function equals(check: string, got: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(got, expected)) throw new FailedCheck(check, expected, got);
}

function differs(check: string, got: unknown, other: unknown): void {
  if (isDeepStrictEqual(got, other)) throw new FailedCheck(check, `not ${String(other)}`, got);
}

function includes(check: string, got: unknown, expected: Json): void {
  if (!isIncluded(got, expected)) throw new FailedCheck(check, expected, got);
}

/** Whether an object has all of some properties. */
function isIncluded(got: unknown, expected: Json): boolean {
  return (
    isObject(got) &&
    Object.entries(expected).every(([name, value]) =>
      isObject(value) ? isIncluded(got[name], value) : isDeepStrictEqual(got[name], value),
    )
  );
}
