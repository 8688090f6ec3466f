import type { OperationReport } from '../../src/resources/answer/report.js';
import { runResources } from '../../src/cli/commands/resources.js';
import { isObject } from '../../src/base/json.js';
import { findSuccessMedia } from '../../src/contract/operations/responses.js';
import { readPointer, readSegments } from '../../src/contract/pointer.js';
import { type Item, type Mock, MockError } from '../../src/index.js';
import { memoize } from '../../src/base/memoize.js';
import { draftRequest, type RequestDraft, toRequest } from '../../src/features/inspector/sample-request.js';
import { setAt } from '../state/manifest-body.js';
import { openMock, readSchemas, type SweepOptions } from './open-mock.js';

/** A collection as `vouch resources --json` reports it. */
interface Collection {
  readonly name: string;
  readonly singleton: boolean;
  readonly id?: string;
  readonly keyProperties: readonly string[];
  readonly parents: readonly string[];
  /** The collection whose items these are memberships of. */
  readonly members?: string;
  readonly operations: readonly OperationReport[];
}

/** The result for one resource: the steps that succeeded, and the first failure. */
export interface ResourceReport {
  readonly resource: string;
  readonly steps: readonly string[];
  readonly failure: string | undefined;
}

type Values = Readonly<Record<string, unknown>>;

interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

/** An item that a request created, with the ids of its parents and the strings that were sent, by property. */
interface Created {
  readonly item: Item;
  readonly parents: readonly string[];
  readonly sent: Values;
}

/** What is wrong with an answer. */
class Failure extends Error {}

const readCollections = memoize(async (key: string): Promise<readonly Collection[]> => {
  const [spec, preset] = JSON.parse(key) as readonly [string, string | false];
  let text = '';
  await runResources({ spec, preset, json: true, write: (line) => void (text += line) });
  return (JSON.parse(text) as { readonly collections: readonly Collection[] }).collections;
}, 4);

/**
 * Creates, reads, lists, updates and removes an item of every resource of a document, and walks the pages of its list, as
 * `vouch resources` says that its operations do: so it also checks that report.
 */
export async function sweepLifecycles(spec: string, options: SweepOptions = {}): Promise<readonly ResourceReport[]> {
  const collections = await readCollections(JSON.stringify([spec, options.preset ?? false]));
  const mock = await openMock(spec, options);
  try {
    const reports: ResourceReport[] = [];
    for (const collection of collections) {
      const find = (...actions: readonly string[]): OperationReport | undefined =>
        collection.operations.find(({ action, within }) => actions.includes(action) && within === undefined);
      const read = find('read');
      if (read === undefined || collection.singleton) continue;
      const changes = { update: find('update', 'replace'), remove: find('delete') };
      for (const create of collection.operations.filter((each) => isCreate(mock, each))) {
        mock.reset();
        const steps: string[] = [];
        const failure = await createLife(mock, collections, { collection, create, read, ...changes })(steps).then(
          () => undefined,
          (error: unknown) => {
            if (error instanceof Failure) return error.message;
            throw error;
          },
        );
        reports.push({ resource: `${collection.name} by ${create.operation}`, steps, failure });
      }
    }
    return reports;
  } finally {
    await mock.close();
  }
}

interface Operations {
  readonly collection: Collection;
  readonly create: OperationReport;
  readonly read: OperationReport;
  readonly update: OperationReport | undefined;
  readonly remove: OperationReport | undefined;
}

/** @returns runs the life, adds its steps to a list, and throws what goes wrong. */
function createLife(
  mock: Mock,
  collections: readonly Collection[],
  { collection, create, read, update, remove }: Operations,
): (steps: string[]) => Promise<void> {
  const { generator, validators } = readSchemas(mock);
  let counter = 0;

  /** Sends the request that the document requires with some changes. */
  const send = async (operation: OperationReport, change: Partial<RequestDraft> = {}): Promise<Reply> => {
    const draft = draftOf(operation);
    const path = { ...draft.path, ...change.path };
    const request = toRequest({ ...draft, ...change, path, query: { ...draft.query, ...change.query } });
    request.headers.set('accept', 'application/json, */*;q=0.1');
    // RFC 9110 13.1.1: any version of an item that exists.
    if (request.headers.has('if-match')) request.headers.set('if-match', '*');
    const response = await mock.fetch(request);
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '') && text !== '';
    return { status: response.status, body: isJson ? JSON.parse(text) : undefined, headers: response.headers };
  };

  const draftOf = ({ operation: id }: OperationReport): RequestDraft => {
    const operation = mock.contract.operation(id);
    if (operation === undefined) throw new Error(`the document has no operation ${id}`);
    return draftRequest(mock.contract, generator, operation);
  };

  const readIds = ({ id = 'id', keyProperties }: Collection, item: Item): readonly string[] =>
    (keyProperties.length > 0 ? keyProperties : [id]).map((name) => {
      const value = String(readPointer(item, toPointer(name)));
      // The id in the URL of an item.
      return /^https?:/.test(value) ? (value.split('/').at(-1) ?? '') : value;
    });

  /** The path and query with the ids of the parents and of an item. */
  const place = (operation: OperationReport, parents: readonly string[], ids: readonly string[] = []) => {
    const names = [...operation.parents.flatMap(({ parameters }) => parameters), ...operation.id];
    const own = names.length - ids.length;
    const values = names.map((parameter, i) => [parameter, i < own ? parents[i] : ids[i - own]] as const);
    const inside = (where: string): Values =>
      Object.fromEntries(values.flatMap(([each, value]) => (each.in === where ? [[each.name, value]] : [])));
    return { path: inside('path'), query: inside('query'), inBody: inside('body') };
  };

  /** The ids of parents that are there, the outermost first. */
  const addParents = (operation: OperationReport): readonly string[] => {
    const ids: string[] = [];
    for (const { collection: name } of operation.parents) {
      const parent = collections.find((each) => each.name === name);
      if (parent === undefined) continue;
      const above = parent.parents.length === 0 || ids.length === 0 ? {} : { $parent: ids.join('/') };
      // A membership has the id of an item that is there.
      const target = collections.find((each) => each.name === parent.members);
      const own = target && { [parent.id ?? 'id']: readIds(target, mock.state.collection(target.name).add()).at(-1) };
      ids.push(...readIds(parent, mock.state.collection(name).add({ ...above, ...own })));
    }
    return ids;
  };

  /** The body of a request with a new string in each property that is stored and takes any string. */
  const fill = (
    operation: OperationReport,
    inBody: Values,
    { left, round }: { readonly left: ReadonlySet<string>; readonly round: number },
  ) => {
    const { body } = draftOf(operation);
    const sent: Record<string, unknown> = {};
    const names = new Map<string, string>();
    if (body?.media.schema === undefined) return { body, sent, names };
    const { item = '', stored = [], renamed = [] } = operation.request ?? {};
    // An update of the id renames the item.
    const keys = new Set([collection.id, ...collection.keyProperties]);
    const check = validators.check(body.media.schemaPointer, 'request');
    let value = Object.entries(inBody).reduce((all, [pointer, id]) => {
      const fits = (each: unknown): boolean => check(setAt(all, readSegments(pointer), each), 'body').length === 0;
      const own = [id, Number(id)].find(fits) ?? id;
      return setAt(all, readSegments(pointer), own);
    }, body.value);
    for (const [i, name] of stored.entries()) {
      if (left.has(name) || (operation !== create && keys.has(name))) continue;
      const at = [...readSegments(item), name];
      const text = `vouch-${round}-${i}`;
      const changed = setAt(value, at, text);
      if (check(changed, 'body').length > 0) continue;
      value = changed;
      const own = renamed.find((each) => each.body === toPointer(name))?.item ?? toPointer(name);
      sent[own] = text;
      names.set(text, name);
    }
    return { body: { ...body, value }, sent, names };
  };

  const addItem = ({ name, id = 'id' }: Collection, value: string): boolean => {
    try {
      mock.state.collection(name).add({ [id]: value });
      return true;
    } catch (error) {
      if (error instanceof MockError) return false;
      throw error;
    }
  };

  /** What a body says about the id of its item: a change of it renames the item. */
  const keepIds = (operation: OperationReport, item: Item): Values => {
    const { body } = draftOf(operation);
    const keys = [collection.id ?? 'id', ...collection.keyProperties];
    const sent = keys.map((name) => [`${operation.request?.item ?? ''}${toPointer(name)}`, item[name]] as const);
    return Object.fromEntries(sent.filter(([pointer]) => readPointer(body?.value, pointer) !== undefined));
  };

  /** Sends a body; adds the items that it names and that do not exist, or leaves out their names. */
  const write = async (operation: OperationReport, { inBody, ...at }: ReturnType<typeof place>) => {
    const left = new Set<string>();
    const round = (counter += 1);
    for (let attempt = 0; ; attempt++) {
      const { body, sent, names } = fill(operation, inBody, { left, round });
      const reply = await send(operation, { ...at, ...(body && { body }) });
      if (reply.status < 300) return { reply, sent };
      const text = JSON.stringify(reply.body);
      const [, noun, id] = /no (\w[\w ]*) has the id \\"([^"\\]+)\\"/.exec(text) ?? [];
      const own = names.get(id ?? '');
      const other = collections.find(({ name }) => toNoun(name) === noun?.replaceAll(/[ _]/g, ''));
      if (attempt > 8 || id === undefined || (own === undefined && other === undefined))
        throw new Failure(`${operation.operation} answers ${reply.status} ${text.slice(0, 300)}`);
      if ((other === undefined || !addItem(other, id)) && own !== undefined) left.add(own);
    }
  };

  const createItem = async (above?: readonly string[]): Promise<Created> => {
    const parents = above ?? addParents(create);
    const items = mock.state.collection(collection.name);
    const toKey = (each: Item): string => `${String(each['$parent'])} ${readIds(collection, each).join('/')}`;
    const before = new Set(items.items.map(toKey));
    // The path of a PUT names the new item.
    const ids = create.id.map((_, i) => `vouch-id-${counter}-${i}`);
    const { reply, sent } = await write(create, place(create, parents, ids));
    const item = items.items.find((each) => !before.has(toKey(each)));
    if (item === undefined) throw new Failure('the create adds no item');
    compare('create', create, reply, sent);
    return { item, parents, sent };
  };

  /** Throws for the first string that an answer shows differently, or does not show. */
  const compare = (step: string, { answer, operation }: OperationReport, { body }: Reply, sent: Values): void => {
    const declared = mock.contract.operation(operation);
    const media = declared && findSuccessMedia(declared);
    if (answer === undefined || body === undefined || media?.schema === undefined) return;
    const check = validators.check(media.schemaPointer, 'response');
    for (const [pointer, value] of Object.entries(sent)) {
      const own = answer.renamed.find((each) => each.item === pointer)?.body ?? pointer;
      if (!answer.shown.includes(readSegments(own)[0] ?? '')) continue;
      const found = readPointer(body, `${answer.item}${own}`);
      const shown = JSON.stringify(found) ?? 'nothing';
      // Some answers show a string in another form, or declare another type.
      const fits = check(setAt(body, readSegments(`${answer.item}${own}`), value), 'body').length === 0;
      if (fits && !isObject(found) && !Array.isArray(found) && !shown.includes(String(value)))
        throw new Failure(`${step} shows ${shown} as ${own}, not ${String(value)}`);
    }
  };

  const readBack = async (step: string, { item, parents }: Created, sent: Values): Promise<void> => {
    const reply = await send(read, place(read, parents, readIds(collection, item)));
    if (reply.status !== 200) throw new Failure(`${step} answers ${reply.status} ${JSON.stringify(reply.body)}`);
    compare(step, read, reply, sent);
  };

  /** One page of a list: its elements as JSON, and the query of the next page. */
  const readPage = async (operation: OperationReport, parents: readonly string[], query: Record<string, unknown>) => {
    const { list } = operation;
    const at = place(operation, parents);
    const reply = await send(operation, { path: at.path, query: { ...at.query, ...query } });
    if (reply.status >= 300) throw new Failure(`${operation.operation} answers ${reply.status}`);
    const found = readPointer(reply.body, list?.items ?? '');
    const elements = Array.isArray(found) ? (found as readonly unknown[]) : [];
    return {
      elements: elements.map((each) => readId(list, each)),
      next: readNext(operation, reply, elements, query),
    };
  };

  /** The id of an element of a list, which can be the id itself. */
  const readId = (list: OperationReport['list'], element: unknown): string => {
    const item: unknown = readPointer(element, list?.element?.item ?? '');
    return readIds(collection, isObject(item) ? item : { [collection.id ?? 'id']: element }).at(-1) ?? '';
  };

  const readNext = (
    { list }: OperationReport,
    { body, headers }: Reply,
    elements: readonly unknown[],
    query: Readonly<Record<string, unknown>>,
  ): Record<string, unknown> | undefined => {
    const { limit, page, offset, ...cursors } = list?.parameters ?? {};
    const of = (role: string): unknown => {
      const [pointer] = Object.entries(list?.envelope ?? {}).find(([, each]) => each === role) ?? [];
      return pointer === undefined ? undefined : readPointer(body, pointer);
    };
    const cursor = cursors['token'] ?? cursors['after'];
    const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? of('next');
    if (typeof next === 'string' && /[?&]/.test(next))
      return Object.fromEntries(new URL(next, 'http://sweep.test').searchParams);
    if (next !== undefined && next !== null && cursor !== undefined) return { ...query, [cursor]: next };
    const last = elements.at(-1);
    if (of('hasMore') === true && cursor !== undefined && isObject(last))
      return { ...query, [cursor]: of('lastId') ?? last[collection.id ?? 'id'] };
    const size = limit === undefined ? 0 : Number(query[limit]);
    if (elements.length < size || size === 0) return undefined;
    if (list?.style === 'page' && page !== undefined) return { ...query, [page]: Number(query[page] ?? 1) + 1 };
    return list?.style !== 'offset' || offset === undefined
      ? undefined
      : { ...query, [offset]: Number(query[offset] ?? 0) + size };
  };

  /** What every request of a list has, as an item matches it. */
  const toQuery = (operation: OperationReport, item: Item): Record<string, unknown> => {
    const required = Object.keys(draftOf(operation).query);
    const filters = operation.list?.filters.filter((name) => required.includes(name)) ?? [];
    return Object.fromEntries(
      filters.flatMap((name) => {
        // `x_id` is that of `x: { id }`.
        const value = item[name] ?? readPointer(item, `/${name.replace(/_id$/, '')}/id`);
        return value === undefined ? [] : [[name, value]];
      }),
    );
  };

  const isListed = async (operation: OperationReport, { item, parents }: Created): Promise<boolean> => {
    const { limit } = operation.list?.parameters ?? {};
    const size = limit === undefined ? {} : { [limit]: operation.list?.maximumLimit ?? 100 };
    const { elements } = await readPage(operation, parents, { ...toQuery(operation, item), ...size });
    return elements.includes(readIds(collection, item).at(-1) ?? '');
  };

  /** Creates items until there are three pages: each one has to be on exactly one of them. */
  const walk = async (operation: OperationReport, first: Created): Promise<boolean> => {
    const { limit } = operation.list?.parameters ?? {};
    if (limit === undefined) return false;
    const created = [first];
    while (created.length < 4) created.push(await createItem(first.parents));
    const filters = JSON.stringify(toQuery(operation, first.item));
    if (created.some(({ item }) => JSON.stringify(toQuery(operation, item)) !== filters)) return false;
    const ids = new Set(created.map(({ item }) => readIds(collection, item).at(-1) ?? ''));
    let query: Record<string, unknown> | undefined = { ...toQuery(operation, first.item), [limit]: 2 };
    const seen: string[] = [];
    for (let pages = 0; query !== undefined; pages++) {
      const { elements, next } = await readPage(operation, first.parents, query);
      if (elements.length > 2) throw new Failure(`a page of 2 shows ${elements.length} items`);
      if (pages === 0 && next === undefined && elements.length === 2) return false;
      seen.push(...[...ids].filter((id) => elements.includes(id)));
      if (pages > 40) throw new Failure(`the pages of ${operation.operation} do not end`);
      query = next;
    }
    if (seen.toSorted().join(' ') !== [...ids].toSorted().join(' '))
      throw new Failure(`the pages of ${operation.operation} show ${seen.join(', ')}, not ${[...ids].join(', ')}`);
    return true;
  };

  return async (steps) => {
    const created = await createItem();
    steps.push('create');
    await readBack('read', created, created.sent);
    steps.push('read');
    const isOwn = ({ action, within, list, parents }: OperationReport): boolean =>
      action === 'list' &&
      within === undefined &&
      list?.items !== undefined &&
      parents.length === create.parents.length;
    const lists = collection.operations.filter(isOwn);
    for (const list of lists) {
      if (!(await isListed(list, created))) throw new Failure(`${list.operation} does not show the created item`);
      steps.push('list');
    }
    const at = (operation: OperationReport) => place(operation, created.parents, readIds(collection, created.item));
    if (update !== undefined) {
      const { path, query, inBody } = at(update);
      const { sent } = await write(update, { path, query, inBody: { ...inBody, ...keepIds(update, created.item) } });
      await readBack('read after the update', created, sent);
      steps.push('update');
    }
    if (lists[0] !== undefined && (await walk(lists[0], created))) steps.push('pages');
    if (remove === undefined) return;
    const { status } = await send(remove, at(remove));
    // RFC 9110 9.3.5 and 15.4.4: a document can declare that another resource shows the removal.
    if (status >= 300 && status !== 303) throw new Failure(`delete answers ${status}`);
    steps.push('delete');
    const gone = await send(read, at(read));
    const isMarked =
      Object.keys(remove.set).length > 0 || /"(deleted|archived)":true/.test(JSON.stringify(gone.body) ?? '');
    if (gone.status < 400 && !isMarked)
      throw new Failure(`read after delete answers ${gone.status} ${JSON.stringify(gone.body)}`);
    for (const list of lists)
      if (!isMarked && (await isListed(list, created))) throw new Failure(`${list.operation} still shows the item`);
    steps.push('gone');
  };
}

/** Whether an operation creates items, also one that replaces those that exist. */
const isCreate = (mock: Mock, { action, operation }: OperationReport): boolean =>
  action === 'create' ||
  (action === 'replace' &&
    mock.contract.operation(operation)?.responses.some(({ status }) => status === '201') === true);

const toPointer = (name: string): string => `/${name.replaceAll('.', '/')}`;

/** The noun of one item of a collection: `customer` for `shop.customers`. */
function toNoun(collection: string): string {
  const word = collection.split('.').at(-1) ?? '';
  return word.replaceAll('_', '').replace(/ies$/, 'y').replace(/s$/, '');
}
