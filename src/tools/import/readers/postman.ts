import { URLSearchParams } from 'node:url';
import { parseOrKeep } from '../../../base/json.js';
import { toPointer } from '../../../contract/pointer.js';
import type { HeaderFields } from '../../../http/header-fields.js';
import {
  ANY_REQUEST,
  type Condition,
  type OldMock,
  readBody,
  readObject,
  readObjects,
  readText,
  type Remark,
  type Stub,
} from '../stub.js';
import { convertTemplate, hasTags } from '../templates.js';

type Members = Readonly<Record<string, unknown>>;

interface Item {
  readonly at: string;
  readonly name: string;
  readonly value: Members;
}

/** Reads a collection of Postman (v2.1): each saved example is a stub. */
export function readPostman(value: unknown, file: string): OldMock {
  const root = readObject(value);
  const variables = new Map(
    readObjects(root['variable']).map(({ key, id, value: text }) => [readText(key ?? id) ?? '', readText(text) ?? '']),
  );
  const remarks: Remark[] = [];
  const stubs = listItems(root, { at: `${file}#`, name: '' }).flatMap((item) => readItem(item, variables, remarks));
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

function listItems(group: Members, { at, name }: { readonly at: string; readonly name: string }): readonly Item[] {
  return readObjects(group['item']).flatMap((value, i): readonly Item[] => {
    const own = { at: `${at}${toPointer('item', i)}`, name: `${name}${readText(value['name']) ?? ''}` };
    return Array.isArray(value['item']) ? listItems(value, { ...own, name: `${own.name} / ` }) : [{ ...own, value }];
  });
}

function readItem(
  { at, name, value }: Item,
  variables: ReadonlyMap<string, string>,
  remarks: Remark[],
): readonly Stub[] {
  const responses = readObjects(value['response']);
  if (responses.length === 0) {
    const hint = 'save one in Postman, or leave it to the mock: it answers from the contract';
    remarks.push({ at, what: name, why: 'it has no saved example', hint });
  }
  for (const script of readObjects(value['event'])) {
    const hasCode = /\S/.test([readObject(script['script'])['exec']].flat().join(''));
    if (hasCode)
      remarks.push({ at, what: name, why: `its ${readText(script['listen']) ?? ''} script is not carried over` });
  }
  return responses.flatMap((response, i) => {
    const place = {
      at: `${at}${toPointer('response', i)}`,
      name: `${name}${EXAMPLE_MARK}${readText(response['name']) ?? ''}`,
    };
    const request = readObject(response['originalRequest'] ?? value['request']);
    return readExample({ request, response, place }, variables, remarks);
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
  remarks: Remark[],
): readonly Stub[] {
  const fill = (text: string): string =>
    text.replaceAll(/\{\{([^}]+)\}\}/g, (tag, name: string) => variables.get(name.trim()) ?? tag);
  const path = readPath(request['url'], fill);
  const status = Number(response['code'] ?? 200);
  const headers = readHeaders(response['header'], fill);
  const text = readText(response['body']);
  const filled = text === undefined ? undefined : fill(text);
  const isTemplate = filled !== undefined && hasTags(filled);
  const { body, left } = isTemplate
    ? convertTemplate(filled, () => undefined)
    : { body: readBody({ status, headers, text: filled }), left: [] };
  if (left.length > 0) {
    const why = `no counterpart of ${left.join(' ')}: the mock generates the value from the schema`;
    remarks.push({ at: place.at, what: place.name, why });
  }
  const method = (readText(request['method']) ?? 'GET').toUpperCase();
  const answers = [{ status, headers, body, isTemplate, isPartial: left.length > 0 }];
  return [{ ...ANY_REQUEST, ...place, ...path, ...readRequestBody(request), method, answers }];
}

/** Whether a string means any value, as openapi-to-postmanv2 and people write it. */
function isPlaceholder(text: string): boolean {
  return text === '' || /^<.*>$/.test(text) || hasTags(text);
}

function readPath(url: unknown, fill: (text: string) => string): Pick<Stub, 'path' | 'parameters' | 'query'> {
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
    : readSearch(written);
  const pairs = search.flatMap(({ key, value, disabled }): [string, Condition][] => {
    const filled = fill(readText(value) ?? '');
    return disabled === true || isPlaceholder(filled) ? [] : [[readText(key) ?? '', filled]];
  });
  const values = new Map(
    readObjects(variable).map(({ key, value }) => [readText(key) ?? '', fill(readText(value) ?? '')]),
  );
  const names = [...text.matchAll(/\/:([^/]+)/g)].map((match) => match[1] ?? '');
  const known = names.flatMap((name): [string, Condition][] => {
    const value = values.get(name) ?? '';
    return isPlaceholder(value) ? [] : [[name, value]];
  });
  const template = text.replaceAll(/\{\{([^}]+)\}\}/g, '{$1}');
  const kind = names.length > 0 || template !== text ? 'template' : 'path';
  return { path: { kind, text: template }, parameters: Object.fromEntries(known), query: Object.fromEntries(pairs) };
}

function readSearch(url: string): readonly Members[] {
  const search = url.split('?')[1] ?? '';
  return [...new URLSearchParams(search)].map(([key, value]) => ({ key, value }));
}

function readHeaders(value: unknown, fill: (text: string) => string): HeaderFields {
  const fields = readObjects(value).flatMap(({ key, value: text, disabled }): [string, string][] => {
    const filled = fill(readText(text) ?? '');
    return disabled === true || hasTags(filled) ? [] : [[(readText(key) ?? '').toLowerCase(), filled]];
  });
  return Object.fromEntries(fields);
}

/** The body of the saved request as a condition, if its values are not placeholders. */
function readRequestBody(request: Members): Pick<Stub, 'body'> {
  const { mode, raw } = readObject(request['body']);
  const text = mode === 'raw' ? (readText(raw) ?? '') : '';
  const value = text === '' || /"<[^"]*>"|\{\{/.test(text) ? undefined : parseOrKeep(text);
  return { body: typeof value === 'object' && value !== null ? value : undefined };
}
