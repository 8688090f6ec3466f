import { isObject, readPath } from '../../../src/base/json.js';
import type { Mock } from '../../../src/index.js';
import { PATCH_TYPES, toMethod, toRequestType } from './document.js';
import { type Plan, toNames } from './names.js';
import { joinWords } from './words.js';

export type Json = Readonly<Record<string, unknown>>;
export type Id = number | string;

/** An answer, and the request that got it. */
export interface Answer {
  readonly line: string;
  readonly sent: unknown;
  readonly status: number;
  readonly source: string;
  readonly violations: string | null;
  readonly location: string | null;
  readonly body: unknown;
}

/** What clients of a drawn document do. */
export interface Client {
  /** Every answer, in order. */
  readonly answers: readonly Answer[];
  create(sent: Json | readonly Json[], to: { readonly id: Id; readonly holder: string }): Promise<Answer>;
  createHolder(name: string): Promise<Answer>;
  read(id: Id): Promise<Answer>;
  readTask(id?: Id): Promise<Answer>;
  /** Asks for a URL of an answer. */
  follow(url: string): Promise<Answer>;
  list(parameters?: Json): Promise<Answer>;
  update(id: Id, sent: Json): Promise<Answer>;
  act(id: Id, verb: string): Promise<Answer>;
  join(id: Id, holder: string): Promise<Answer>;
  leave(id: Id, holder: string): Promise<Answer>;
  listMembers(holder: string): Promise<Answer>;
  remove(id: Id): Promise<Answer>;
}

export function createClient(mock: Mock, plan: Plan): Client {
  const { shape } = plan;
  const names = toNames(plan);
  const answers: Answer[] = [];
  const method = (verb: string): string => toMethod(plan, names, verb);
  const isRpc = shape.style === 'rpc' || shape.style === 'rpc-get';
  const type = toRequestType(plan);

  async function ask(line: string, sent?: unknown): Promise<Answer> {
    const [method = '', path = ''] = line.split(' ');
    const body = sent === undefined ? {} : { body: JSON.stringify(sent) };
    const response = await mock.fetch(path, {
      method,
      ...body,
      headers: {
        ...(shape.media === 'xml-first' ? { accept: 'application/json' } : {}),
        ...(sent === undefined
          ? {}
          : { 'content-type': (method === 'PATCH' ? PATCH_TYPES[shape.patch] : undefined) ?? type }),
      } as Record<string, string>, // no header is undefined
    });
    const text = await response.text();
    const { headers } = response;
    const answer = {
      line,
      sent,
      status: response.status,
      source: headers.get('x-mock-source') ?? '',
      violations: headers.get('x-mock-violations'),
      location: headers.get('location'),
      body: readJson(text),
    };
    answers.push(answer);
    return answer;
  }

  const wrap = (sent: unknown): unknown => names.requestAt.reduceRight((inner, name) => ({ [name]: inner }), sent);
  const toPath = (path: string, id: Id): string => path.replace(`{${names.parameter}}`, encodeURIComponent(id));
  /** Calls a method, or an operation of an item. */
  const call = async (
    verb: string,
    line: string,
    { id, sent }: { readonly id: Id; readonly sent?: Json },
  ): Promise<Answer> =>
    isRpc
      ? ask(`POST ${method(verb)}`, { [names.parameter]: id, ...sent })
      : ask(toPath(line, id), sent === undefined ? undefined : wrap(sent));

  return {
    answers,
    create: async (sent, { id, holder }) => {
      if (isRpc) return ask(`POST ${method('create')}`, sent);
      const path = toPath(names.create, id).replace(`{${names.holderId}}`, holder);
      return ask(`${shape.createAt.startsWith('put') ? 'PUT' : 'POST'} ${path}`, wrap(sent));
    },
    createHolder: async (name) => ask(`POST ${names.holders}`, { name }),
    read: async (id) => {
      const asked = toQuery({ [names.parameter]: id });
      if (shape.style === 'rpc-get') return ask(`GET ${method('get')}${asked}`);
      if (shape.style === 'query') return ask(`GET ${names.root}/info${asked}`);
      return call('get', `GET ${names.one}`, { id });
    },
    readTask: async (id) => ask(`GET ${names.tasks}${id === undefined ? '' : `/${id}`}`),
    follow: async (url) => ask(`GET ${url}`),
    list: async (parameters = {}) => {
      if (shape.style === 'rpc') return ask(`POST ${method('list')}`, parameters);
      return ask(`GET ${shape.style === 'rpc-get' ? method('list') : names.root}${toQuery(parameters)}`);
    },
    update: async (id, sent) =>
      shape.changeAt === 'collection'
        ? ask(`${shape.update.toUpperCase()} ${names.root}`, wrap({ [names.bodyId]: id, ...sent }))
        : shape.patch === 'operations'
          ? ask(`PATCH ${toPath(names.one, id)}`, toOperations(sent))
          : call('update', `${shape.update.toUpperCase()} ${names.one}`, { id, sent }),
    act: async (id, verb) => call(verb, `POST ${names.one}/${verb}`, { id }),
    join: async (id, holder) => {
      const path = names.members.replace(`{${names.holderId}}`, holder);
      if (shape.members === 'put') return ask(`PUT ${path}/${encodeURIComponent(id)}`);
      return ask(
        `POST ${path}`,
        shape.members === 'post' ? { [names.memberId]: id } : { [`${names.memberId}s`]: [id] },
      );
    },
    leave: async (id, holder) =>
      ask(`DELETE ${names.members.replace(`{${names.holderId}}`, holder)}/${encodeURIComponent(id)}`),
    listMembers: async (holder) => ask(`GET ${names.members.replace(`{${names.holderId}}`, holder)}`),
    remove: async (id) =>
      shape.removeAt === 'query'
        ? ask(`DELETE ${names.root}${toQuery({ [names.parameter]: id })}`)
        : call('delete', `DELETE ${names.one}`, { id }),
  };
}

/** The changes of a JSON Patch that set the same as an object. */
function toOperations(sent: Json, above = ''): readonly Json[] {
  return Object.entries(sent).flatMap(([name, value]) =>
    isObject(value) ? toOperations(value, `${above}/${name}`) : [{ op: 'replace', path: `${above}/${name}`, value }],
  );
}

function toQuery(parameters: Json): string {
  const text = Object.entries(parameters)
    .flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((each) => [name, each] as const))
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return text.length === 0 ? '' : `?${text.join('&')}`;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Where the parts of answers are. */
export interface Reader {
  item(answer: Answer): Json | undefined;
  list(answer: Answer): readonly Json[] | undefined;
  id(item: Json | undefined): Id | undefined;
  total(answer: Answer): unknown;
  cursor(answer: Answer): unknown;
  /** What says whether a page is the last. */
  end(answer: Answer): unknown;
  /** The items of a create. */
  created(answer: Answer): readonly unknown[];
}

export function createReader(plan: Plan): Reader {
  const names = toNames(plan);
  return {
    item: ({ body }) => {
      const found = readPath(body, names.itemAt);
      // One or many: one that was sent alone may be an array of one.
      const one: unknown = Array.isArray(found) ? found[0] : found;
      return isObject(one) ? one : undefined;
    },
    list: ({ body }) => {
      const found = readPath(body, names.listAt);
      return Array.isArray(found) ? (found as readonly Json[]) : undefined; // the document declares objects
    },
    id: (item) => {
      const id = item?.[names.id];
      return typeof id === 'string' || typeof id === 'number' ? id : undefined;
    },
    total: ({ body }) => (names.totalAt === undefined ? undefined : readPath(body, names.totalAt)),
    end: ({ body }) => (names.endAt === undefined ? undefined : readPath(body, names.endAt)),
    created: ({ body }) => {
      const found = readPath(body, plan.shape.create === 'many' ? names.listAt : names.createdAt);
      return Array.isArray(found) ? (found as readonly unknown[]) : [found];
    },
    cursor: ({ body }) => (names.cursorAt === undefined ? undefined : readPath(body, names.cursorAt)),
  };
}

/** The parameters of a page of some size, by its index from 0; a cursor is that of the answer before. */
export function toPage(
  { shape }: Plan,
  {
    index,
    size,
    cursor,
    last,
  }: { readonly index: number; readonly size: number; readonly cursor?: unknown; readonly last?: unknown },
): Json {
  switch (shape.page) {
    case 'page':
      return { page: index + 1, [joinWords(['per', 'page'], shape.letters)]: size };
    case 'offset':
      return { offset: index * size, limit: size };
    case 'cursor':
      return { limit: size, ...(cursor === undefined ? {} : { cursor }) };
    case 'token':
      return {
        [joinWords(['page', 'size'], shape.letters)]: size,
        ...(cursor === undefined ? {} : { [joinWords(['page', 'token'], shape.letters)]: cursor }),
      };
    case 'after':
      return { limit: size, ...(last === undefined ? {} : { starting_after: last }) };
    default:
      return {};
  }
}
