import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import { toPointer } from '../../../contract/pointer.js';
import {
  ANY_REQUEST,
  carry,
  type Condition,
  type ItemList,
  NotCarried,
  type OldMock,
  readBody,
  readObject,
  readObjects,
  readText,
  type Remark,
  type Stub,
  type StubAnswer,
  toTextValue,
} from '../stub.js';
import { convertHeaders, convertTemplate, hasTags, toBodyPointer, toNested } from '../templates.js';

type Members = Readonly<Record<string, unknown>>;

/** An environment, as its routes are read. */
interface Environment {
  readonly file: string;
  readonly value: Members;
  readonly prefix: string;
  readonly remarks: Remark[];
}

interface RouteContext {
  readonly at: string;
  readonly name: string;
  readonly route: Members;
  readonly environment: Environment;
  note(why: string, hint?: string): void;
}

/** The path that an environment adds to each of its routes. */
export function readPrefix(value: unknown): string {
  const prefix = readText(readEnvironment(value)['endpointPrefix']) ?? '';
  return prefix === '' ? '' : `/${prefix}`;
}

/** The environment of a file; older versions wrap it in an export. */
function readEnvironment(value: unknown): Members {
  const wrapped = readObjects(readObject(value)['data']).find(({ type }) => type === 'environment');
  return wrapped === undefined ? readObject(value) : readObject(wrapped['item']);
}

/** Reads an environment of Mockoon. */
export function readMockoon(value: unknown, file: string): OldMock {
  const own = readEnvironment(value);
  const environment: Environment = { file, value: own, prefix: readPrefix(value), remarks: [] };
  const stubs: Stub[] = [];
  const lists: ItemList[] = [];
  if (own['proxyMode'] === true) {
    const hint = 'use vouch record, or --owner "*=forward" with --upstream';
    environment.remarks.push({ at: basename(file), what: 'proxy mode', why: 'it forwards to a real server', hint });
  }
  for (const { route, at } of sortRoutes(own, basename(file))) {
    const endpoint = readText(route['endpoint']) ?? '';
    const method = (readText(route['method']) ?? 'all').toUpperCase();
    const name = `${route['type'] === 'crud' ? 'CRUD' : method} /${endpoint}`;
    const note = (why: string, hint?: string): void =>
      void environment.remarks.push({ at, what: name, why, ...(hint !== undefined && { hint }) });
    const context = { at, name, route, environment, note };
    if (route['type'] === 'ws') note('WebSocket routes have no counterpart');
    else if (route['type'] === 'crud') lists.push(...readCrud(context));
    else stubs.push(...readRoute(context, method));
  }
  return { stubs, lists, remarks: environment.remarks };
}

/** The routes in the order of the user interface, which decides which one answers. */
function sortRoutes(value: Members, file: string): readonly { readonly route: Members; readonly at: string }[] {
  const routes = readObjects(value['routes']).map((route, i) => ({ route, at: `${file}#${toPointer('routes', i)}` }));
  const folders = readObjects(value['folders']);
  const order: unknown[] = [];
  const visit = (children: unknown): void => {
    for (const { type, uuid } of readObjects(children)) {
      if (type === 'folder') visit(folders.find((folder) => folder['uuid'] === uuid)?.['children']);
      else order.push(uuid);
    }
  };
  visit(value['rootChildren']);
  const placeOf = ({ route }: { readonly route: Members }): number =>
    order.includes(route['uuid']) ? order.indexOf(route['uuid']) : order.length;
  return routes.toSorted((x, y) => placeOf(x) - placeOf(y));
}

function readCrud({ route, at, environment, note }: RouteContext): readonly ItemList[] {
  const responses = readObjects(route['responses']);
  const main = responses.find((response) => response['default'] === true) ?? responses[0] ?? {};
  if (responses.length > 1)
    note('responses with rules of a CRUD route are not carried over', 'write them as a scenario');
  const items = readBucket(environment, main['databucketID']);
  const path = `${environment.prefix}/${readText(route['endpoint']) ?? ''}`;
  if (Array.isArray(items)) return [{ at, path, items }];
  note('its data bucket is not a list of JSON values', 'write its items without templates');
  return [];
}

/** The JSON value of a data bucket; undefined where it is a template. */
function readBucket({ value }: Environment, id: unknown): unknown {
  const bucket = readObjects(value['data']).find((each) => each['id'] === id || each['uuid'] === id);
  try {
    return JSON.parse(readText(bucket?.['value']) ?? '') as unknown;
  } catch {
    return undefined;
  }
}

function readRoute(context: RouteContext, method: string): readonly Stub[] {
  const { route, at, name, environment, note } = context;
  const text = `${environment.prefix}/${readText(route['endpoint']) ?? ''}`;
  const common = {
    ...ANY_REQUEST,
    at,
    name,
    method: method === 'ALL' ? undefined : method,
    path: { kind: 'template', text } as const,
  };
  const responses = readObjects(route['responses']);
  if (route['streamingMode'] !== null && route['streamingMode'] !== undefined)
    note('streaming is not carried over: the answer is sent at once');
  const answers = responses.map((response, i) => {
    const place = `${at}${toPointer('responses', i)}`;
    return { ...readAnswer(response, context), at: place, rules: readObjects(response['rules']), response };
  });
  const delayed = (from: readonly (typeof answers)[number][]): Stub => ({
    ...common,
    at: from[0]?.at ?? at,
    answers: from.map(({ answer }) => answer),
    ...readDelay(from[0]?.response, environment),
  });
  const main = answers.find(({ response }) => response['default'] === true) ?? answers[0];
  const mode = route['responseMode'];
  if (main === undefined) return [];
  if (mode === 'SEQUENTIAL') return [{ ...delayed(answers), isCycle: true }];
  if (mode === 'RANDOM') {
    note('random responses: the seed of the mock decides which one is sent');
    // Of the calls that the others left, each answers its share.
    return answers.map((each, i) => ({
      ...delayed([each]),
      ...(i < answers.length - 1 && { probability: 1 / (answers.length - i) }),
    }));
  }
  const ruled = mode === 'DISABLE_RULES' ? [] : answers.filter(({ rules }) => rules.length > 0);
  const stubs = ruled.flatMap((each) => {
    const groups = each.response['rulesOperator'] === 'AND' ? [each.rules] : each.rules.map((rule) => [rule]);
    const label = JSON.stringify(each.response['label'] ?? '');
    return groups.flatMap((rules) =>
      carry(
        (): Stub => ({ ...delayed([each]), ...readRules(rules) }),
        ({ why }) => note(`response ${label}: ${why}`),
      ),
    );
  });
  return mode === 'FALLBACK' ? stubs : [...stubs, delayed([main])];
}

function readDelay(response: Members = {}, { value }: Environment): Pick<Stub, 'delay'> {
  const ms = Number(response['latency'] ?? 0) + Number(value['latency'] ?? 0);
  return ms > 0 ? { delay: ms } : {};
}

function readAnswer(response: Members, { environment, note }: RouteContext): { readonly answer: StubAnswer } {
  const status = Number(response['statusCode'] ?? 200);
  const given = [...readObjects(environment.value['headers']), ...readObjects(response['headers'])].flatMap(
    ({ key, value }) => {
      const name = readText(key)?.toLowerCase() ?? '';
      return name === '' ? [] : [[name, readText(value) ?? ''] as const];
    },
  );
  const { headers, left } = convertHeaders(Object.fromEntries(given), toExpression);
  const text = readAnswerText(response, { environment, note });
  const isTemplate = response['disableTemplating'] !== true && text !== undefined && hasTags(text);
  const converted = isTemplate
    ? convertTemplate(text, toExpression)
    : { body: readBody({ status, headers, text }), left: [] };
  const unknown = [...new Set([...left, ...converted.left])];
  if (unknown.length > 0) note(`no counterpart of ${unknown.join(' ')}: the mock generates the value from the schema`);
  if (readObjects(response['callbacks']).length > 0) note('callbacks are not sent');
  return { answer: { status, headers, body: converted.body, isTemplate, isPartial: converted.left.length > 0 } };
}

function readAnswerText(
  response: Members,
  { environment, note }: Pick<RouteContext, 'environment' | 'note'>,
): string | undefined {
  if (response['bodyType'] === 'DATABUCKET') {
    const value = readBucket(environment, response['databucketID']);
    // A tag replaces the value, so that the schema supplies it.
    return value === undefined ? '{{data bucket}}' : JSON.stringify(value);
  }
  const name = readText(response['filePath']) ?? '';
  if (response['bodyType'] !== 'FILE' || name === '') return readText(response['body']);
  const folder = dirname(environment.file);
  const file = resolve(folder, name);
  // A file that someone else wrote must not copy files of other folders.
  const isInside = !relative(folder, file).startsWith('..');
  if (isInside && existsSync(file)) return readFileSync(file, 'utf8');
  note(`the file ${name} is not in the folder of the environment: the mock generates the body from the schema`);
  return '{{file}}';
}

type RuleConditions = Partial<Pick<Stub, 'parameters' | 'query' | 'header' | 'cookie' | 'body' | 'call'>>;

/** The conditions of rules that must all be true. @throws NotCarried */
function readRules(rules: readonly Members[]): RuleConditions {
  const read: Record<'parameters' | 'query' | 'header' | 'cookie', Record<string, Condition>> = {
    parameters: {},
    query: {},
    header: {},
    cookie: {},
  };
  let body: unknown;
  let call: number | undefined;
  for (const rule of rules) {
    const target = readText(rule['target']) ?? '';
    const name = readText(rule['modifier']) ?? '';
    if (target === 'request_number' && rule['operator'] === 'equals' && rule['invert'] !== true) {
      call = Number(rule['value']);
      continue;
    }
    const condition = readCondition(rule);
    const place = PLACES[target];
    if (hasTags(`${name}${readText(rule['value']) ?? ''}`))
      throw new NotCarried('a rule with a template has no counterpart');
    if (condition === undefined)
      throw new NotCarried(`the operator ${readText(rule['operator']) ?? ''} of a rule has no counterpart`);
    const pointer = toBodyPointer(name);
    if (place !== undefined && name !== '') {
      const key = place === 'header' ? name.toLowerCase() : name;
      if (Object.hasOwn(read[place], key))
        throw new NotCarried(`several rules for ${target} ${name} have no counterpart`);
      read[place][key] = condition;
    } else if (target === 'body' && pointer !== undefined && pointer !== '')
      body = mergeBodies(body, toNested(pointer, condition));
    else throw new NotCarried(`a rule for ${target} ${name} has no counterpart`);
  }
  return { ...read, ...(body !== undefined && { body }), ...(call !== undefined && { call }) };
}

function mergeBodies(one: unknown, other: unknown): unknown {
  if (one === undefined) return other;
  const [first, second] = [readObject(one), readObject(other)];
  const shared = Object.keys(second).filter((name) => Object.hasOwn(first, name));
  return {
    ...first,
    ...second,
    ...Object.fromEntries(shared.map((name) => [name, mergeBodies(first[name], second[name])])),
  };
}

const PLACES: Readonly<Record<string, 'parameters' | 'query' | 'header' | 'cookie'>> = {
  params: 'parameters',
  query: 'query',
  header: 'header',
  cookie: 'cookie',
};

function readCondition({ operator, value, invert }: Members): Condition {
  const isInverted = invert === true;
  if (operator === 'null') return { present: isInverted };
  const text = readText(value) ?? '';
  const plain: Readonly<Record<string, Condition>> = {
    equals: toTextValue(text),
    regex: { matches: text },
    regex_i: { matches: `(?i)${text}` },
    empty_array: [],
    array_includes: { contains: toTextValue(text) },
  };
  const condition = plain[readText(operator) ?? 'equals'];
  return condition !== undefined && isInverted ? { not: condition } : condition;
}

const HELPER = /^(urlParam|queryParam|header|cookie|body|queryParamRaw|bodyRaw)\s+['"]([^'"]+)['"]$/;

/** The runtime expression of a helper of Mockoon's templates. */
function toExpression(tag: string): string | undefined {
  const [, helper = '', name = ''] = HELPER.exec(tag) ?? [];
  if (helper === 'urlParam') return `$request.path.${name}`;
  if (helper === 'header') return `$request.header.${name.toLowerCase()}`;
  if (helper === 'cookie') return `$request.cookie.${name}`;
  if (helper.startsWith('queryParam')) return `$request.query.${name}`;
  const pointer = helper.startsWith('body') ? toBodyPointer(name) : undefined;
  return pointer === undefined ? undefined : `$request.body#${pointer}`;
}
