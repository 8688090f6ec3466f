import { URLSearchParams } from 'node:url';
import { isObject } from '../../../base/json.js';
import { toPointer } from '../../../contract/pointer.js';
import {
  ANY_REQUEST,
  carry,
  type ItemList,
  listOthers,
  NotCarried,
  type OldMock,
  readBody,
  readConditionMembers,
  readHeaders,
  readObject,
  readSearch,
  readText,
  type Remark,
  type Stub,
} from '../stub.js';

type Members = Readonly<Record<string, unknown>>;

/** A handler: an object with its request, or a member whose name is the request. */
interface HandlerEntry {
  readonly at: string;
  readonly request: Members;
  readonly response: Members;
}

/**
 * Reads handlers that are kept as JSON: a list of `{ method, path, status, headers, body }`, whose answer can be in `response`, or an object
 * with one member for each request, `{ "GET /orders": { status, body } }`.
 */
export function readHandlers(value: unknown, file: string): OldMock {
  const { handlers } = readObject(value);
  const root = handlers ?? value;
  const at = handlers === undefined ? `${file}#` : `${file}#/handlers`;
  const remarks: Remark[] = [];
  const entries = Array.isArray(root)
    ? root.map((each, i) => toListed(each, `${at}${toPointer(i)}`))
    : toMembers(root, at);
  const stubs = entries.flatMap((entry) => {
    const note = (remark: Pick<Remark, 'why'>): void =>
      void remarks.push({ at: entry.at, what: 'a handler', ...remark });
    for (const member of listUnread(entry)) note({ why: `the member ${member} is not carried over` });
    return carry(() => readEntry(entry), note);
  });
  return { stubs, lists: [], remarks };
}

const OF_REQUEST = 'method path url endpoint query once delay passthrough response'.split(' ');
const OF_RESPONSE = 'status statusCode headers json body data text delay type error'.split(' ');

/** The members that are not read; beside a `response`, the headers and the body are conditions. */
function listUnread({ request, response }: HandlerEntry): readonly string[] {
  const { delay = request['delay'] } = response;
  const wrong = delay === undefined || typeof delay === 'number' ? [] : ['delay'];
  const known = [...OF_RESPONSE, ...(request === response ? OF_REQUEST : [])];
  const beside = request === response ? [] : listOthers(request, new Set(OF_REQUEST));
  return [...wrong, ...beside, ...listOthers(response, new Set(known))];
}

function toListed(value: unknown, at: string): HandlerEntry {
  const request = readObject(value);
  return { at, request, response: isObject(request['response']) ? request['response'] : request };
}

function toMembers(value: unknown, at: string): readonly HandlerEntry[] {
  return Object.entries(readObject(value)).map(([name, answer]) => {
    const [method = '', path = ''] = name.split(/\s+/);
    const members = readObject(answer);
    const isAnswer = ['status', 'body', 'json', 'headers', 'text'].some((each) => Object.hasOwn(members, each));
    return {
      at: `${at}${toPointer(name)}`,
      request: { method, path },
      response: isAnswer ? members : { body: answer },
    };
  });
}

function readEntry({ at, request, response }: HandlerEntry): Stub {
  const address = readText(request['path'] ?? request['url'] ?? request['endpoint']);
  if (address === undefined) throw new NotCarried('it has no path');
  if (request['passthrough'] === true) throw new NotCarried('it passes the request through to a real server');
  const method = (readText(request['method']) ?? 'GET').toUpperCase();
  const [path = '', search = ''] = address.replace(/^(?:[a-z]+:\/\/[^/]*|\*(?=\/))/i, '').split('?');
  const own = path.startsWith('/') ? path : `/${path}`;
  const json = response['json'] ?? response['body'] ?? response['data'];
  const text =
    readText(response['text']) ??
    (typeof json === 'string' ? json : json === undefined ? undefined : JSON.stringify(json));
  const headers = readHeaders(response['headers']);
  const status = Number(response['status'] ?? response['statusCode'] ?? 200);
  const delay = response['delay'] ?? request['delay'];
  const query = { ...readSearch(new URLSearchParams(search)), ...readConditionMembers(request['query'], 'query') };
  const isNetworkError = response['type'] === 'error' || response['error'] === true;
  const answer = { status, headers, body: readBody({ status, headers, text }), isTemplate: false };
  return {
    ...ANY_REQUEST,
    at,
    name: `${method} ${address}`,
    method: method === 'ALL' ? undefined : method,
    path: { kind: /:|\*|\{/.test(own) ? 'template' : 'path', text: own },
    query,
    ...(typeof delay === 'number' && delay > 0 && { delay }),
    ...(request['once'] === true && { call: 1 }),
    answers: [isNetworkError ? { ...answer, body: { kind: 'none' }, fault: 'reset' } : answer],
  };
}

/** Reads the file of json-server: its arrays are lists of items. */
export function readJsonServer(value: unknown, file: string): OldMock {
  const remarks: Remark[] = [];
  const lists = Object.entries(readObject(value)).flatMap(([name, items]): ItemList[] => {
    const at = `${file}#${toPointer(name)}`;
    if (Array.isArray(items)) return [{ at, path: `/${name}`, items }];
    if (isObject(items)) return [{ at, path: `/${name}`, items: [items] }];
    if (name !== '$schema') remarks.push({ at, what: name, why: 'it is neither a list nor an object' });
    return [];
  });
  return { stubs: [], lists, remarks };
}
