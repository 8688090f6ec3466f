import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { URL } from 'node:url';
import { isInside } from '../../../base/inside-folder.js';
import { mapValues } from '../../../base/json.js';
import { listFields, lowerNames } from '../../../http/header-fields.js';
import { decodeBytes } from '../../../http/request/body-codec.js';
import {
  ANY_REQUEST,
  carry,
  type Conditions,
  listOthers,
  NotCarried,
  type OldMock,
  type PathText,
  readBody,
  readConditionMembers,
  readHeaders,
  readObject,
  readSearch,
  readText,
  type Remark,
  type Stub,
  type StubAnswer,
} from '../stub.js';
import { convertHeaders, convertTemplate, hasTags, toBodyPointer } from '../templates.js';
import { toBodyCondition, toFormCondition, toTextCondition } from './wiremock-matchers.js';

/** One file of mappings. */
export interface MappingFile {
  readonly name: string;
  readonly value: unknown;
}

type Members = Readonly<Record<string, unknown>>;

interface Mapping {
  readonly at: string;
  readonly value: Members;
  /** The folder of the bodies, `__files`. */
  readonly bodies: string;
  note(remark: Omit<Remark, 'at' | 'what'>): void;
}

const DEFAULT_PRIORITY = 5;

/** Reads the mappings of WireMock 2 and 3. @param bodies - The folder `__files`. */
export function readWireMock(files: readonly MappingFile[], bodies: string): OldMock {
  const remarks: Remark[] = [];
  const all = files.flatMap(({ name, value }) => {
    const { mappings } = readObject(value);
    const list: readonly unknown[] = Array.isArray(mappings) ? mappings : [value];
    return list.map((each, i) => ({
      at: Array.isArray(mappings) ? `${name}#/mappings/${i}` : name,
      value: readObject(each),
    }));
  });
  const stubs = all.flatMap(({ at, value }, index) => {
    const note = (remark: Omit<Remark, 'at' | 'what'>): void =>
      void remarks.push({ at, what: nameOf(value), ...remark });
    const priority = typeof value['priority'] === 'number' ? value['priority'] : DEFAULT_PRIORITY;
    return carry(() => readMapping({ at, value, bodies, note }), note).map((stub) => ({ stub, priority, index }));
  });
  // The lowest number wins; of equals, the one that was loaded last.
  const sorted = stubs.toSorted((x, y) => x.priority - y.priority || y.index - x.index);
  return { stubs: sorted.map(({ stub }) => stub), lists: [], remarks };
}

function nameOf({ name, request }: Members): string {
  const own = readObject(request);
  const path = readText(
    own['url'] ?? own['urlPath'] ?? own['urlPathTemplate'] ?? own['urlPathPattern'] ?? own['urlPattern'],
  );
  return readText(name) ?? `${readText(own['method']) ?? 'ANY'} ${path ?? '/'}`;
}

/** Why members of a request or a response are not carried over; any other that is not known is named alone. */
const REASONS: Readonly<Record<string, readonly [why: string, hint?: string]>> = {
  customMatcher: ['a custom matcher is code', 'write the rule by hand, or a handler'],
  multipartPatterns: ['the parts of a multipart body cannot be matched'],
  host: ['a rule cannot depend on the host'],
  clientIp: ['a rule cannot depend on the address of the client'],
  proxyBaseUrl: ['it forwards to a real server', 'use vouch record, or --owner OPERATION=forward with --upstream'],
  fromConfiguredStub: ['it refers to another stub'],
};

/** The members that are read, and those that have no effect on answers. */
const KNOWN = {
  mapping: new Set(
    (
      'id uuid name priority request response scenarioName requiredScenarioState newScenarioState persistent ' +
      'insertionIndex metadata'
    ).split(' '),
  ),
  request: new Set(
    (
      'method url urlPath urlPathTemplate urlPathPattern urlPattern queryParameters headers cookies pathParameters ' +
      'formParameters bodyPatterns basicAuth basicAuthCredentials'
    ).split(' '),
  ),
  response: new Set(
    (
      'status headers body jsonBody base64Body bodyFileName fixedDelayMilliseconds delayDistribution ' +
      'chunkedDribbleDelay fault transformers'
    ).split(' '),
  ),
};
const TEMPLATES = 'response-template';

/** @throws NotCarried for a member without which the stub would answer other requests, or from elsewhere. */
function rejectMembers(request: Members, response: Members): void {
  const own = Object.keys(response).filter((name) => Object.hasOwn(REASONS, name));
  const [member] = [...listOthers(request, KNOWN.request), ...own];
  if (member === undefined) return;
  const [why, hint] = REASONS[member] ?? ['it has no counterpart'];
  throw new NotCarried(`${member}: ${why}`, hint);
}

/** Names the other members: the stub is carried over without them. */
function noteMembers({ value, note }: Mapping, response: Members): void {
  const transformers = [response['transformers'] ?? []].flat().filter((name) => name !== TEMPLATES);
  const all = [
    ...listOthers(value, KNOWN.mapping),
    ...listOthers(response, KNOWN.response),
    ...transformers.map((name) => `the transformer ${readText(name) ?? ''}`),
  ];
  for (const member of all) note({ why: `${member} is not carried over: the rest of the stub is` });
}

function readMapping(mapping: Mapping): Stub {
  const { value, at } = mapping;
  const [request, response] = [readObject(value['request']), readObject(value['response'])];
  rejectMembers(request, response);
  const path = readPath(request);
  if (path === undefined)
    throw new NotCarried('it has no url, urlPath, urlPathTemplate, urlPathPattern or urlPattern that names one path');
  const conditions = readConditions(request);
  noteMembers(mapping, response);
  const method = readText(request['method'] ?? 'ANY');
  if (method === undefined) throw new NotCarried('a matcher of the method has no counterpart');
  return {
    ...ANY_REQUEST,
    ...conditions,
    ...path,
    at,
    name: nameOf(value),
    method: method === 'ANY' ? undefined : method.toUpperCase(),
    query: { ...path.query, ...conditions.query },
    ...readState(value),
    ...readDelay(response, mapping),
    answers: [readAnswer(response, mapping)],
  };
}

interface ReadPath extends Pick<Stub, 'path' | 'query' | 'isQueryExact'> {}

function readPath(request: Members): ReadPath | undefined {
  const [url, urlPath, template, pathPattern, pattern] = [
    'url',
    'urlPath',
    'urlPathTemplate',
    'urlPathPattern',
    'urlPattern',
  ].map((name) => readText(request[name]));
  const at = (kind: PathText['kind'], text: string): ReadPath => ({
    path: { kind, text },
    query: {},
    isQueryExact: false,
  });
  if (url !== undefined) {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    return { path: { kind: 'path', text: pathname }, query: readSearch(searchParams), isQueryExact: true };
  }
  if (urlPath !== undefined) return at('path', urlPath);
  if (template !== undefined) return at('template', template);
  if (pathPattern !== undefined) return at('pattern', pathPattern);
  if (pattern === undefined) return undefined;
  const [own = '', ...search] = pattern.split(String.raw`\?`);
  const query = readSearchPattern(search.join(String.raw`\?`));
  return query && { ...at('pattern', own), query, isQueryExact: search.join('') !== ANY_SEARCH };
}

const ANY_SEARCH = '.*';

/** The conditions of the query of a pattern, such as `status=(open|paid)&limit=[0-9]+`; undefined where it has another form. */
function readSearchPattern(search: string): Conditions | undefined {
  if (search === '' || search === ANY_SEARCH) return {};
  const pairs = search.split('&').map((pair) => /^([\w.-]+)=(.*)$/s.exec(pair));
  if (pairs.includes(null)) return undefined;
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', { matches: `^(?:${pair?.[2] ?? ''})$` }]));
}

type ReadConditions = Pick<Stub, 'parameters' | 'query' | 'header' | 'cookie' | 'body' | 'isBodyExact'>;

function readConditions(request: Members): ReadConditions {
  const header = lowerNames(readMatchers(request, 'headers'));
  const basic = request['basicAuthCredentials'] ?? request['basicAuth'];
  const form = toFormCondition(request['formParameters']);
  const isForm = Object.keys(form).length > 0;
  const body = toBodyCondition(request['bodyPatterns']);
  if (isForm && body.condition !== undefined)
    throw new NotCarried('formParameters and bodyPatterns of one request cannot be combined');
  return {
    parameters: readMatchers(request, 'pathParameters'),
    query: readMatchers(request, 'queryParameters'),
    header: {
      // WireMock reads no fields from a body of another type.
      ...(isForm && { 'content-type': { contains: 'application/x-www-form-urlencoded' } }),
      ...header,
      ...(basic !== undefined && { authorization: toBasic(basic) }),
    },
    cookie: readMatchers(request, 'cookies'),
    body: isForm ? form : body.condition,
    isBodyExact: body.isExact,
  };
}

function toBasic(value: unknown): string {
  const { username, password } = readObject(value);
  if (readText(username) === undefined) throw new NotCarried('the user of its credentials is not a string');
  return `Basic ${Buffer.from(`${readText(username) ?? ''}:${readText(password) ?? ''}`).toString('base64')}`;
}

function readMatchers(request: Members, member: string): Conditions {
  return mapValues(readConditionMembers(request[member], member), (matcher) => {
    const condition = toTextCondition(matcher);
    const { equals, ...others } = readObject(condition);
    return equals !== undefined && Object.keys(others).length === 0 ? equals : condition;
  });
}

function readState({ scenarioName, requiredScenarioState, newScenarioState }: Members): Pick<Stub, 'needs' | 'sets'> {
  const name = readText(scenarioName);
  const [needed, set] = [readText(requiredScenarioState), readText(newScenarioState)];
  if (name === undefined) return {};
  return {
    ...(needed !== undefined && { needs: { [name]: needed } }),
    ...(set !== undefined && { sets: { [name]: set } }),
  };
}

function readDelay(response: Members, { note }: Mapping): Pick<Stub, 'delay'> {
  const { fixedDelayMilliseconds: fixed, delayDistribution } = response;
  const { type, lower, upper, median, sigma, milliseconds, ...others } = readObject(delayDistribution);
  // WireMock adds both; a rule has one delay.
  const own = typeof fixed === 'number' ? fixed : 0;
  const add = (value: unknown): number => Math.round(own + Number(value));
  const [other] = Object.keys(others);
  if (other !== undefined) note({ why: `${other} of delayDistribution is not carried over` });
  if (type === 'uniform') return { delay: { uniform: [add(lower), add(upper)] } };
  // 2.326 is the 99th percentile of the standard normal distribution.
  if (type === 'lognormal') {
    return {
      delay: { lognormal: { median: add(median), p99: add(Number(median) * Math.exp(2.326 * Number(sigma))) } },
    };
  }
  if (type === 'fixed') return { delay: add(milliseconds) };
  if (delayDistribution !== undefined)
    note({ why: `the delayDistribution ${readText(type) ?? ''} is not carried over: the rest of the stub is` });
  return own > 0 ? { delay: own } : {};
}

const FAULTS: Readonly<Record<string, string>> = {
  CONNECTION_RESET_BY_PEER: 'reset',
  EMPTY_RESPONSE: 'empty',
  RANDOM_DATA_THEN_CLOSE: 'garbage',
  MALFORMED_RESPONSE_CHUNK: 'malformed-chunk',
};

function readAnswer(response: Members, mapping: Mapping): StubAnswer {
  const sent = readHeaders(response['headers']);
  const status = Number(response['status'] ?? 200);
  const named = readText(response['fault']);
  const fault = FAULTS[named ?? ''];
  if (fault !== undefined) return { status, headers: sent, body: { kind: 'none' }, isTemplate: false, fault };
  if (named !== undefined) throw new NotCarried(`the fault ${named} has no counterpart`);
  const text = readAnswerText(response, mapping.bodies);
  const drip = readDrip(response['chunkedDribbleDelay'], text);
  if (response['chunkedDribbleDelay'] !== undefined && drip.fault === undefined)
    mapping.note({ why: 'chunkedDribbleDelay is not carried over: the rest of the stub is' });
  const tagged = [text ?? '', ...listFields(sent).map(([, value]) => value)].filter(hasTags);
  if (![response['transformers'] ?? []].flat().includes(TEMPLATES)) {
    if (tagged.length > 0) {
      const hint =
        'if WireMock ran with --global-response-templating, add "transformers": ["response-template"] and import again';
      mapping.note({
        why: 'tags of a template are sent as they are, because the stub does not have the transformer',
        hint,
      });
    }
    return { status, headers: sent, ...drip, body: readBody({ status, headers: sent, text }), isTemplate: false };
  }
  const { headers, left } = convertHeaders(sent, toExpression);
  const isTemplate = text !== undefined && hasTags(text);
  const converted = isTemplate
    ? convertTemplate(text, toExpression)
    : { body: readBody({ status, headers, text }), left: [] };
  const unknown = [...new Set([...left, ...converted.left])];
  if (unknown.length > 0)
    mapping.note({ why: `no counterpart of ${unknown.join(' ')}: the mock generates the value from the schema` });
  return { status, headers, ...drip, body: converted.body, isTemplate, isPartial: converted.left.length > 0 };
}

function readDrip(value: unknown, text = ''): Pick<StubAnswer, 'fault'> {
  const { numberOfChunks: chunks, totalDuration: duration } = readObject(value);
  if (typeof chunks !== 'number' || typeof duration !== 'number' || chunks < 1) return {};
  const bytes = Math.max(1, Math.ceil(Buffer.byteLength(text) / chunks));
  return { fault: { drip: { bytes, every: Math.max(1, Math.round(duration / chunks)) } } };
}

/** The text of a body. */
function readAnswerText(response: Members, folder: string): string | undefined {
  const { body, jsonBody, base64Body, bodyFileName } = response;
  if (jsonBody !== undefined) return JSON.stringify(jsonBody);
  if (body !== undefined) return readText(body) ?? JSON.stringify(body);
  const name = readText(bodyFileName);
  const file = name === undefined ? undefined : join(folder, name);
  if (file !== undefined && (relative(folder, file).startsWith('..') || !existsSync(file) || !isInside(folder, file))) {
    throw new NotCarried(`the file ${name ?? ''} is not in __files`, 'import the folder that has mappings and __files');
  }
  const bytes = file === undefined ? readText(base64Body) : readFileSync(file);
  if (bytes === undefined) return undefined;
  const text = decodeBytes(typeof bytes === 'string' ? Buffer.from(bytes, 'base64') : bytes);
  if (text !== undefined) return text;
  const hint = 'write a handler that sends it, or record the answer: recordings have bytes';
  throw new NotCarried('the body is not text', hint);
}

const REQUEST_TAG = /^request\.(path|query|headers|cookies|pathSegments)\.(?:\[(\d+|[^\]]+)\]|([\w-]+))(?:\.\[?0\]?)?$/;
const PLACES: Readonly<Record<string, string>> = { query: 'query', headers: 'header', cookies: 'cookie' };

/** The runtime expression of a tag of WireMock's response templates. */
function toExpression(tag: string): string | undefined {
  const [, place = '', index, name] = REQUEST_TAG.exec(tag) ?? [];
  const own = index ?? name;
  if (own !== undefined && place.startsWith('path')) return `$request.path.${/^\d+$/.test(own) ? '#' : ''}${own}`;
  if (own !== undefined) return `$request.${PLACES[place] ?? place}.${place === 'headers' ? own.toLowerCase() : own}`;
  const path = /^jsonPath\s+request\.body\s+['"](\$[^'"]*)['"]$/.exec(tag)?.[1];
  const pointer = path === undefined ? undefined : toBodyPointer(path);
  return pointer === undefined ? undefined : `$request.body#${pointer}`;
}
