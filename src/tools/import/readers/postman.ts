import { URLSearchParams } from 'node:url';
import { parseOrKeep } from '../../../base/json.js';
import { toPointer } from '../../../contract/pointer.js';
import { type HeaderFields, joinRepeated } from '../../../http/header-fields.js';
import {
  ANY_REQUEST,
  carry,
  type Condition,
  listOthers,
  type OldMock,
  readBody,
  readObject,
  readObjects,
  readSearch,
  readText,
  type Remark,
  type Stub,
  toTextValue,
} from '../stub.js';
import { convertTemplate, hasTags } from '../templates.js';

type Members = Readonly<Record<string, unknown>>;

interface Item {
  readonly at: string;
  readonly name: string;
  readonly value: Members;
}

/** What reads an example: the values of variables, and the remarks of the import. */
interface Collection {
  readonly variables: ReadonlyMap<string, string>;
  readonly remarks: Remark[];
}

/** Reads a collection of Postman (v2.1): each saved example is a stub. */
export function readPostman(value: unknown, file: string): OldMock {
  const root = readObject(value);
  const variables = new Map(
    readObjects(root['variable']).map(({ key, id, value: text }) => [readText(key ?? id) ?? '', readText(text) ?? '']),
  );
  const remarks: Remark[] = [];
  const place = { at: `${file}#`, name: '' };
  noteUncarried({ ...place, name: 'the collection', value: root }, remarks);
  const stubs = listItems(root, place, remarks).flatMap((item) => readItem(item, { variables, remarks }));
  // The most conditions first, as the mock servers of Postman choose; of equals a success.
  const weigh = ({ parameters, query, body }: Stub): number =>
    [parameters, query].flatMap((each) => Object.keys(each)).length + (body === undefined ? 0 : 1);
  const rank = ({ path }: Stub): number => (path.kind === 'path' ? 0 : 1);
  const statusOf = ({ answers: [answer] }: Stub): number => ((answer?.status ?? 200) < 300 ? 0 : 1);
  const sorted = stubs.toSorted((x, y) => rank(x) - rank(y) || weigh(y) - weigh(x) || statusOf(x) - statusOf(y));
  const free = sorted.map((stub) => ({ ...stub, body: undefined }));
  return { stubs: [...sorted.flatMap(toNamed), ...omitRepeated([...sorted, ...free])], lists: [], remarks };
}

/** The example for requests that name it or its status, as the mock servers of Postman do. */
function toNamed(stub: Stub): readonly Stub[] {
  const status = stub.answers[0]?.status ?? 200;
  const [, example = ''] = stub.name.split(EXAMPLE_MARK);
  const common = { ...stub, query: {}, body: undefined };
  const isFree = /^[\x20-\x7e]+$/.test(example);
  return [
    ...(isFree ? [{ ...common, header: { 'x-mock-response-name': example } }] : []),
    ...(status >= 300 ? [{ ...common, header: { 'x-mock-response-code': String(status) } }] : []),
  ];
}

/** The examples that answer requests which name none: of those with the same conditions only the first. */
function omitRepeated(stubs: readonly Stub[]): readonly Stub[] {
  const keyOf = ({ method, path, query, parameters, body }: Stub): string =>
    JSON.stringify([method, path.text, query, parameters, body]);
  const seen = new Set<string>();
  return stubs.filter((stub) => {
    const key = keyOf(stub);
    const isFirst = !seen.has(key);
    seen.add(key);
    return isFirst;
  });
}

const EXAMPLE_MARK = ' · ';

function listItems(
  group: Members,
  { at, name }: { readonly at: string; readonly name: string },
  remarks: Remark[],
): readonly Item[] {
  return readObjects(group['item']).flatMap((value, i): readonly Item[] => {
    const own = { at: `${at}${toPointer('item', i)}`, name: `${name}${readText(value['name']) ?? ''}` };
    noteUncarried({ ...own, value }, remarks);
    if (!Array.isArray(value['item'])) return [{ ...own, value }];
    // The same name can have another value in each folder.
    if (readObjects(value['variable']).length > 0)
      remarks.push({ at: own.at, what: own.name, why: 'its variables are not carried over' });
    return listItems(value, { ...own, name: `${own.name} / ` }, remarks);
  });
}

/** Names the scripts and the authorization of a collection, a folder or a request. */
function noteUncarried({ at, name, value }: Item, remarks: Remark[]): void {
  for (const script of readObjects(value['event'])) {
    const hasCode = /\S/.test([readObject(script['script'])['exec']].flat().join(''));
    if (hasCode)
      remarks.push({ at, what: name, why: `its ${readText(script['listen']) ?? ''} script is not carried over` });
  }
  const type = readText(readObject(value['auth'] ?? readObject(value['request'])['auth'])['type']);
  if (type === undefined || type === 'noauth') return;
  const hint = 'the mock checks credentials as the contract declares them';
  remarks.push({ at, what: name, why: `its authorization (${type}) is not carried over`, hint });
}

function readItem({ at, name, value }: Item, collection: Collection): readonly Stub[] {
  const responses = readObjects(value['response']);
  if (responses.length === 0) {
    const hint = 'save one in Postman, or leave it to the mock: it answers from the contract';
    collection.remarks.push({ at, what: name, why: 'it has no saved example', hint });
  }
  return responses.flatMap((response, i) => {
    const place = {
      at: `${at}${toPointer('response', i)}`,
      name: `${name}${EXAMPLE_MARK}${readText(response['name']) ?? ''}`,
    };
    const original = response['originalRequest'] ?? value['request'];
    // A request can be a URL alone.
    const request = typeof original === 'string' ? { url: original } : readObject(original);
    const note = (remark: Omit<Remark, 'at' | 'what'>): void =>
      void collection.remarks.push({ at: place.at, what: place.name, ...remark });
    return carry(() => readExample({ request, response, place }, collection.variables, note), note);
  });
}

interface Example {
  readonly request: Members;
  readonly response: Members;
  readonly place: Pick<Stub, 'at' | 'name'>;
}

function readExample(
  { request, response, place }: Example,
  variables: ReadonlyMap<string, string>,
  note: (remark: Omit<Remark, 'at' | 'what'>) => void,
): Stub {
  const unknown = new Set<string>();
  const fill = (text: string): string =>
    text.replaceAll(/\{\{([^}]+)\}\}/g, (tag, name: string) => variables.get(name.trim()) ?? tag);
  const fillAll = (text: string): string => {
    const filled = fill(text);
    for (const [tag] of filled.matchAll(/\{\{[^}]+\}\}/g)) unknown.add(tag);
    return filled;
  };
  const path = readPath(request['url'], { fill, fillAll });
  const status = Number(response['code'] ?? 200);
  const headers = readHeaders(response['header'], fillAll);
  const condition = readRequestBody(request, fillAll, note);
  if (unknown.size > 0)
    note({
      why: `no value of ${[...unknown].join(' ')}: any value of its request matches, and its header is left out`,
    });
  noteExample(request, response, note);
  const text = readText(response['body']);
  const filled = text === undefined ? undefined : fill(text);
  const isTemplate = filled !== undefined && hasTags(filled);
  const { body, left } = isTemplate
    ? convertTemplate(filled, () => undefined)
    : { body: readBody({ status, headers, text: filled }), left: [] };
  if (left.length > 0)
    note({ why: `no counterpart of ${left.join(' ')}: the mock generates the value from the schema` });
  const method = (readText(request['method']) ?? 'GET').toUpperCase();
  const answers = [{ status, headers, body, isTemplate, isPartial: left.length > 0 }];
  return { ...ANY_REQUEST, ...place, ...path, ...condition, method, answers };
}

// Headers by which client and server agree on media types; the contract has them.
const NEGOTIATION = /^(?:accept|content)(?:-|$)/i;

/** Names the headers of a saved request, which are not compared, and the cookies that only Postman keeps. */
function noteExample(request: Members, response: Members, note: (remark: Pick<Remark, 'why'>) => void): void {
  const fields = readObjects(request['header']).filter(({ disabled }) => disabled !== true);
  const names = fields.map(({ key }) => readText(key) ?? '').filter((name) => !NEGOTIATION.test(name));
  if (names.length > 0) note({ why: `the headers of its request are not compared: ${names.join(', ')}` });
  const isSent = readObjects(response['header']).some(({ key }) => /^set-cookie$/i.test(readText(key) ?? ''));
  const cookies = readObjects(response['cookie']).map(({ name, key }) => readText(name ?? key) ?? '');
  if (cookies.length > 0 && !isSent)
    note({ why: `the cookies ${cookies.join(', ')} are not carried over: the example has no header Set-Cookie` });
}

/** Whether a string means any value, as openapi-to-postmanv2 and people write it. */
function isPlaceholder(text: string): boolean {
  return text === '' || /^<.*>$/.test(text) || hasTags(text);
}

/** Replaces variables by their values; `fillAll` also notes those that have none. */
interface Fill {
  fill(text: string): string;
  fillAll(text: string): string;
}

function readPath(url: unknown, { fill, fillAll }: Fill): Pick<Stub, 'path' | 'parameters' | 'query'> {
  const { path, host, query, variable, raw } = readObject(url);
  const parts = Array.isArray(path)
    ? path.map((part) => readText(part) ?? readText(readObject(part)['value']) ?? '')
    : [];
  const written = typeof url === 'string' ? url : (readText(raw) ?? '');
  const own = [host]
    .flat()
    .map((part) => readText(part) ?? '')
    .join('.');
  const address = fill(parts.length === 0 && own === '' ? written : `${own}/${parts.join('/')}`);
  // Without the origin, which can be a variable that has no value.
  const [text = ''] = address.replace(/^(?:[a-z]+:\/\/[^/]*|\{\{[^}]*\}\}|[\w.:-]+(?=\/))/, '').split('?');
  const search = Array.isArray(query)
    ? readObjects(query).map(({ key, value, disabled }) => ({ key, value, disabled }))
    : listSearch(written);
  const pairs = search.flatMap(({ key, value, disabled }): [string, string][] => {
    if (disabled === true) return [];
    const filled = fillAll(readText(value) ?? '');
    return isPlaceholder(filled) ? [] : [[readText(key) ?? '', filled]];
  });
  const values = new Map(
    readObjects(variable).map(({ key, value }) => [readText(key) ?? '', fillAll(readText(value) ?? '')]),
  );
  const names = [...text.matchAll(/\/:([^/]+)/g)].map((match) => match[1] ?? '');
  const known = names.flatMap((name): [string, Condition][] => {
    const value = values.get(name) ?? '';
    return isPlaceholder(value) ? [] : [[name, value]];
  });
  fillAll(text);
  const template = text.replaceAll(/\{\{([^}]+)\}\}/g, '{$1}');
  const kind = names.length > 0 || template !== text ? 'template' : 'path';
  return { path: { kind, text: template }, parameters: Object.fromEntries(known), query: readSearch(pairs) };
}

function listSearch(url: string): readonly Members[] {
  const search = url.split('?')[1] ?? '';
  return [...new URLSearchParams(search)].map(([key, value]) => ({ key, value }));
}

function readHeaders(value: unknown, fill: (text: string) => string): HeaderFields {
  const fields = readObjects(value).flatMap(({ key, value: text, disabled }): [string, string][] => {
    if (disabled === true) return [];
    const filled = fill(readText(text) ?? '');
    return hasTags(filled) ? [] : [[(readText(key) ?? '').toLowerCase(), filled]];
  });
  return joinRepeated(fields);
}

/** The body of the saved request as a condition, if its values are not placeholders. */
function readRequestBody(
  request: Members,
  fill: Fill['fill'],
  note: (remark: Pick<Remark, 'why'>) => void,
): Pick<Stub, 'body'> {
  const { mode, disabled, ...modes } = readObject(request['body']);
  const kind = disabled === true ? '' : (readText(mode) ?? '');
  if (kind === 'urlencoded') return { body: readForm(modes[kind], fill, note) };
  const text = kind === 'raw' ? fill(readText(modes['raw']) ?? '') : '';
  const value = text === '' || /"<[^"]*>"|\{\{/.test(text) ? undefined : parseOrKeep(text);
  const body = typeof value === 'object' && value !== null ? value : undefined;
  const isText = body === undefined && value !== undefined;
  if (isText || (kind !== '' && kind !== 'raw' && listOthers(modes, new Set()).length > 0))
    note({ why: `the body of its request (${kind}) is not compared` });
  return { body };
}

/** The conditions of the fields of a form. */
function readForm(fields: unknown, fill: Fill['fill'], note: (remark: Pick<Remark, 'why'>) => void): Condition {
  const sent = readObjects(fields).flatMap(({ key, value, disabled }): [string, string][] => {
    const filled = fill(readText(value) ?? '');
    return disabled === true || isPlaceholder(filled) ? [] : [[readText(key) ?? '', filled]];
  });
  const all = Object.entries(joinRepeated(sent));
  const repeated = all.filter(([, value]) => typeof value !== 'string').map(([name]) => name);
  if (repeated.length > 0) note({ why: `repeated fields of its form are not compared: ${repeated.join(', ')}` });
  const single = all.flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, toTextValue(value)] as const] : [],
  );
  return single.length === 0 ? undefined : Object.fromEntries(single);
}
