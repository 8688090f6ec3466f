import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { URL } from 'node:url';
import { mapValues } from '../../../base/json.js';
import { type HeaderFields, lowerNames } from '../../../http/header-fields.js';
import { decodeBytes } from '../../../http/request/body-codec.js';
import {
  ANY_REQUEST,
  carry,
  type Conditions,
  NotCarried,
  type OldMock,
  type PathText,
  readBody,
  readObject,
  readText,
  type Remark,
  type Stub,
  type StubAnswer,
} from '../stub.js';
import { convertTemplate, hasTags, toBodyPointer } from '../templates.js';
import { toBodyCondition, toTextCondition } from './wiremock-matchers.js';

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

/** Members of the request or the response with which a mapping cannot be carried over. */
const REFUSED: readonly (readonly [part: 'request' | 'response', member: string, why: string, hint?: string])[] = [
  ['request', 'customMatcher', 'a custom matcher is code', 'write the rule by hand, or a handler'],
  ['request', 'multipartPatterns', 'the parts of a multipart body cannot be matched'],
  ['request', 'host', 'a rule cannot depend on the host'],
  [
    'response',
    'proxyBaseUrl',
    'it forwards to a real server',
    'use vouch record, or --owner OPERATION=forward with --upstream',
  ],
  ['response', 'fromConfiguredStub', 'it refers to another stub'],
];

function readMapping(mapping: Mapping): Stub {
  const { value, at, note } = mapping;
  const [request, response] = [readObject(value['request']), readObject(value['response'])];
  const parts = { request, response };
  const refused = REFUSED.find(([part, member]) => parts[part][member] !== undefined);
  if (refused !== undefined) throw new NotCarried(`${refused[1]}: ${refused[2]}`, refused[3]);
  const path = readPath(request);
  if (path === undefined)
    throw new NotCarried('it has no url, urlPath, urlPathTemplate, urlPathPattern or urlPattern that names one path');
  const conditions = readConditions(request);
  for (const member of ['postServeActions', 'serveEventListeners']) {
    if (value[member] !== undefined) note({ why: `${member} is not carried over: the rest of the stub is` });
  }
  const method = readText(request['method']) ?? 'ANY';
  return {
    ...ANY_REQUEST,
    ...conditions,
    ...path,
    at,
    name: nameOf(value),
    method: method === 'ANY' ? undefined : method.toUpperCase(),
    query: { ...path.query, ...conditions.query },
    ...readState(value),
    ...readDelay(response),
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
    return { path: { kind: 'path', text: pathname }, query: Object.fromEntries(searchParams), isQueryExact: true };
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
  const query = readMatchers(request['queryParameters']);
  const header = readMatchers(request['headers']);
  const cookie = readMatchers(request['cookies']);
  const parameters = readMatchers(request['pathParameters']);
  const body = toBodyCondition(request['bodyPatterns']);
  const { username, password } = readObject(request['basicAuthCredentials'] ?? request['basicAuth']);
  const credentials = Buffer.from(`${readText(username) ?? ''}:${readText(password) ?? ''}`).toString('base64');
  const basic = username === undefined ? {} : { authorization: `Basic ${credentials}` };
  return {
    parameters,
    query,
    header: { ...lowerNames(header), ...basic },
    cookie,
    body: body.condition,
    isBodyExact: body.isExact,
  };
}

function readMatchers(value: unknown): Conditions {
  return mapValues(readObject(value), (matcher) => {
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

function readDelay({ fixedDelayMilliseconds: fixed, delayDistribution }: Members): Pick<Stub, 'delay'> {
  const { type, lower, upper, median, sigma, milliseconds } = readObject(delayDistribution);
  // WireMock adds both; a rule has one delay.
  const own = typeof fixed === 'number' ? fixed : 0;
  const add = (value: unknown): number => Math.round(own + Number(value));
  if (type === 'uniform') return { delay: { uniform: [add(lower), add(upper)] } };
  // 2.326 is the 99th percentile of the standard normal distribution.
  if (type === 'lognormal') {
    return {
      delay: { lognormal: { median: add(median), p99: add(Number(median) * Math.exp(2.326 * Number(sigma))) } },
    };
  }
  if (type === 'fixed') return { delay: add(milliseconds) };
  return own > 0 ? { delay: own } : {};
}

const FAULTS: Readonly<Record<string, string>> = {
  CONNECTION_RESET_BY_PEER: 'reset',
  EMPTY_RESPONSE: 'empty',
  RANDOM_DATA_THEN_CLOSE: 'garbage',
  MALFORMED_RESPONSE_CHUNK: 'malformed-chunk',
};

function readAnswer(response: Members, mapping: Mapping): StubAnswer {
  const headers = readHeaders(response['headers']);
  const status = typeof response['status'] === 'number' ? response['status'] : 200;
  const fault = FAULTS[readText(response['fault']) ?? ''];
  if (fault !== undefined) return { status, headers, body: { kind: 'none' }, isTemplate: false, fault };
  const text = readAnswerText(response, mapping.bodies);
  const drip = readDrip(response['chunkedDribbleDelay'], text);
  const common = { status, headers, ...drip };
  const transformers = Array.isArray(response['transformers']) ? response['transformers'] : [];
  const isTemplate = transformers.includes('response-template') && text !== undefined && hasTags(text);
  if (!isTemplate) {
    if (text?.includes('{{request.') === true) {
      const hint =
        'if WireMock ran with --global-response-templating, add "transformers": ["response-template"] and import again';
      mapping.note({
        why: 'tags of a template are sent as they are, because the stub does not have the transformer',
        hint,
      });
    }
    return { ...common, body: readBody({ status, headers, text }), isTemplate: false };
  }
  const { body, left } = convertTemplate(text, toExpression);
  if (left.length > 0)
    mapping.note({ why: `no counterpart of ${left.join(' ')}: the mock generates the value from the schema` });
  return { ...common, body, isTemplate: true, isPartial: left.length > 0 };
}

function readDrip(value: unknown, text = ''): Pick<StubAnswer, 'fault'> {
  const { numberOfChunks: chunks, totalDuration: duration } = readObject(value);
  if (typeof chunks !== 'number' || typeof duration !== 'number' || chunks < 1) return {};
  const bytes = Math.max(1, Math.ceil(Buffer.byteLength(text) / chunks));
  return { fault: { drip: { bytes, every: Math.max(1, Math.round(duration / chunks)) } } };
}

function readHeaders(value: unknown): HeaderFields {
  return mapValues(lowerNames(readObject(value)), (field) => {
    return Array.isArray(field) ? field.map(String) : (readText(field) ?? '');
  });
}

/** The text of a body. */
function readAnswerText(response: Members, folder: string): string | undefined {
  const { body, jsonBody, base64Body, bodyFileName } = response;
  if (jsonBody !== undefined) return JSON.stringify(jsonBody);
  if (body !== undefined) return readText(body) ?? JSON.stringify(body);
  const name = readText(bodyFileName);
  const file = name === undefined ? undefined : join(folder, name);
  if (file !== undefined && (relative(folder, file).startsWith('..') || !existsSync(file))) {
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
