import { isInside } from '../../../base/inside-folder.js';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import { toPointer } from '../../../contract/pointer.js';
import { type HeaderFields, joinRepeated, omitFields } from '../../../http/header-fields.js';
import { joinConditions } from '../conditions.js';
import {
  ANY_REQUEST,
  carry,
  type Condition,
  type ItemList,
  listOthers,
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

/** The members that are read, those that have no effect on answers, and those of the proxy mode, which is named as a whole. */
const KNOWN = {
  environment: new Set(
    (
      'uuid lastMigration name port hostname endpointPrefix latency rootChildren folders routes headers data cors ' +
      'callbacks proxyMode proxyHost proxyRemovePrefix proxyReqHeaders proxyResHeaders'
    ).split(' '),
  ),
  route: new Set(
    'uuid type documentation method endpoint responses responseMode streamingMode streamingInterval'.split(' '),
  ),
  response: new Set(
    (
      'uuid label statusCode headers body bodyType filePath databucketID latency rules rulesOperator default ' +
      'disableTemplating sendFileAsBody fallbackTo404 crudKey callbacks'
    ).split(' '),
  ),
  rule: new Set('target modifier value operator invert'.split(' ')),
};
const RESPONSE_MODES: ReadonlySet<unknown> = new Set(['SEQUENTIAL', 'RANDOM', 'DISABLE_RULES', 'FALLBACK', '']);

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
  const { enabled: isEncrypted, ...tls } = readObject(own['tlsOptions']);
  const others = listSet({ ...own, tlsOptions: isEncrypted === true ? tls : undefined }, KNOWN.environment);
  for (const what of others) environment.remarks.push({ at: basename(file), what, why: 'it is not carried over' });
  for (const { route, at } of sortRoutes(own, basename(file))) {
    const endpoint = readText(route['endpoint']) ?? '';
    const method = (readText(route['method']) ?? 'all').toUpperCase();
    const name = `${route['type'] === 'crud' ? 'CRUD' : method} /${endpoint}`;
    const note = (why: string, hint?: string): void =>
      void environment.remarks.push({ at, what: name, why, ...(hint !== undefined && { hint }) });
    const context = { at, name, route, environment, note };
    for (const member of listSet(route, KNOWN.route)) note(`${member} is not carried over`);
    if (route['type'] === 'ws') note('WebSocket routes have no counterpart');
    else if (route['type'] === 'crud') lists.push(...readCrud(context));
    else stubs.push(...readRoute(context, method));
  }
  return { stubs, lists, remarks: environment.remarks };
}

/** The other members of an object that are set: other versions of Mockoon have settings that are off. */
function listSet(value: Members, known: ReadonlySet<string>): readonly string[] {
  return listOthers(value, known).filter((name) => value[name] !== false);
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
  const key = readText(main['crudKey']) ?? 'id';
  if (key !== 'id')
    note(`the key ${key} of its items is not carried over: the contract says which property is their id`);
  const fields = joinHeaders([environment.value['headers'], main['headers']].flatMap(readObjects));
  const { latency, callbacks } = main;
  const lost = listSet(
    { latency: Number(latency ?? 0) > 0, callbacks, ...omitFields(fields, ['content-type']) },
    new Set(),
  );
  if (lost.length > 0) note(`not carried over from a CRUD route: ${lost.join(', ')}`);
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
  if (!RESPONSE_MODES.has(mode ?? '')) note(`the response mode ${readText(mode) ?? ''} is not carried over`);
  if (mode === 'SEQUENTIAL') {
    if (new Set(responses.map(({ latency }) => Number(latency ?? 0))).size > 1)
      note('sequential responses: each has the latency of the first one');
    return [{ ...delayed(answers), isCycle: true }];
  }
  if (mode === 'RANDOM') {
    note('random responses: the seed of the mock decides which one is sent');
    // Each answers its share of the calls that the others left.
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
        (): Stub => ({ ...delayed([each]), ...readRules(rules, note) }),
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
  const given = joinHeaders([environment.value['headers'], response['headers']].flatMap(readObjects));
  const { headers: own, left } = convertHeaders(given, toExpression);
  const file = response['bodyType'] === 'FILE' ? (readText(response['filePath']) ?? '') : '';
  const isAttached = file !== '' && response['sendFileAsBody'] !== true;
  const headers = {
    ...own,
    ...(isAttached && { 'content-disposition': `attachment; filename="${basename(file)}"` }),
  };
  const text = readAnswerText(response, { environment, note });
  const isTemplate = response['disableTemplating'] !== true && text !== undefined && hasTags(text);
  const converted = isTemplate
    ? convertTemplate(text, toExpression)
    : { body: readBody({ status, headers, text }), left: [] };
  const unknown = [...new Set([...left, ...converted.left])];
  if (unknown.length > 0) note(`no counterpart of ${unknown.join(' ')}: the mock generates the value from the schema`);
  if (readObjects(response['callbacks']).length > 0) note('callbacks are not sent');
  for (const member of listSet(response, KNOWN.response)) note(`${member} is not carried over`);
  return { answer: { status, headers, body: converted.body, isTemplate, isPartial: converted.left.length > 0 } };
}

/** The fields of an answer: as Mockoon does, a later one replaces an earlier one, except Set-Cookie. */
function joinHeaders(fields: readonly Members[]): HeaderFields {
  const all = fields.flatMap(({ key, value }): [string, string][] => {
    const name = readText(key)?.toLowerCase() ?? '';
    return name === '' ? [] : [[name, readText(value) ?? '']];
  });
  const cookies = all.filter(([name]) => name === 'set-cookie');
  return { ...Object.fromEntries(all), ...joinRepeated(cookies) };
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
  const isNamed = !relative(folder, file).startsWith('..');
  if (isNamed && existsSync(file) && isInside(folder, file)) return readFileSync(file, 'utf8');
  note(`the file ${name} is not in the folder of the environment: the mock generates the body from the schema`);
  return '{{file}}';
}

type RuleConditions = Partial<Pick<Stub, 'parameters' | 'query' | 'header' | 'cookie' | 'body' | 'call'>>;

/** The conditions of rules that must all be true. @throws NotCarried */
function readRules(rules: readonly Members[], note: RouteContext['note']): RuleConditions {
  const read: Record<'parameters' | 'query' | 'header' | 'cookie', Record<string, Condition>> = {
    parameters: {},
    query: {},
    header: {},
    cookie: {},
  };
  const bodies: Condition[] = [];
  const calls = rules.filter(isCallRule);
  if (calls.length > 1) throw new NotCarried('several rules for request_number have no counterpart');
  if (calls.length > 0 && rules.length > 1)
    note('request_number counts the calls that meet the other rules of the response, not every call of the route');
  for (const rule of rules.filter((each) => !isCallRule(each))) {
    const target = readText(rule['target']) ?? '';
    const name = readText(rule['modifier']) ?? '';
    const condition = readCondition(rule);
    const place = PLACES[target];
    if (hasTags(`${name}${readText(rule['value']) ?? ''}`))
      throw new NotCarried('a rule with a template has no counterpart');
    const [other] = listOthers(rule, KNOWN.rule);
    if (other !== undefined) throw new NotCarried(`${other} of a rule has no counterpart`);
    if (condition === undefined)
      throw new NotCarried(`the operator ${readText(rule['operator']) ?? ''} of a rule has no counterpart`);
    const pointer = toBodyPointer(name);
    if (place !== undefined && name !== '') {
      const key = place === 'header' ? name.toLowerCase() : name;
      if (Object.hasOwn(read[place], key))
        throw new NotCarried(`several rules for ${target} ${name} have no counterpart`);
      read[place][key] = condition;
    } else if (target === 'body' && pointer !== undefined && pointer !== '') bodies.push(toNested(pointer, condition));
    else throw new NotCarried(`a rule for ${target} ${name} has no counterpart`);
  }
  const body = joinConditions(bodies, (each) => each);
  const [call] = calls.map(({ value }) => Number(value));
  return { ...read, ...(body !== undefined && { body }), ...(call !== undefined && { call }) };
}

function isCallRule({ target, operator, invert }: Members): boolean {
  return target === 'request_number' && operator === 'equals' && invert !== true;
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
