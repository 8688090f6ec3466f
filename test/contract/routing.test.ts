import fc from 'fast-check';
import { expandPath } from '../../src/contract/router/path-span.js';
import { expect, it, test } from 'vitest';
import { loadContract } from '../../src/contract/load/load.js';
import type { Operation } from '../../src/contract/operations/operation.js';
import { findNearestPaths } from '../../src/contract/router/nearest-path.js';
import { createRouter, type RouteMatch, type Router } from '../../src/contract/router/router.js';
import { loadCases } from '../load-cases.js';

/** A router over `METHOD /path` lines, under the given servers. */
async function createTestRouter(lines: readonly string[], servers: readonly object[] = []): Promise<Router> {
  const paths: Record<string, Record<string, object>> = {};
  for (const line of lines) {
    const [method = '', path = ''] = line.split(' ');
    const item = (paths[path] ??= {});
    const operation = { responses: { 200: { description: 'ok' } } };
    if (/^(?:get|put|post|delete|options|head|patch|trace|query)$/iu.test(method))
      item[method.toLowerCase()] = operation;
    else item['additionalOperations'] = { [method]: operation };
  }
  const contract = await loadContract({ openapi: '3.2.0', info: {}, servers, paths });
  return createRouter(contract.operations);
}

/** What a match says, in one line. */
function describeMatch(match: RouteMatch): string {
  if (match.kind === 'method') return `405 ${match.allow.join(', ')}`;
  if (match.kind === 'none') return ['404', ...match.nearest()].join(' ');
  const values = Object.entries(match.pathText).map(([name, value]) => ` ${name}=${value}`);
  return `${match.operation.method} ${match.operation.path}${values.join('')}`;
}

function ask(router: Router, line: string): string {
  const [method = '', target = ''] = line.split(' ');
  const url = new URL(target, 'http://host');
  return describeMatch(router.match(method, url.pathname, url.search));
}

interface Case extends Readonly<Record<'name' | 'request' | 'want', string>> {
  readonly operations: readonly string[];
}

test.each(loadCases<readonly Case[]>('contract/routing.yaml'))(
  'routing: $name',
  async ({ operations, request, want }) => {
    expect(ask(await createTestRouter(operations), request)).toBe(want);
  },
);

/** An operation whose path parameters have these schemas, and which takes bodies of these types. */
function toOperationObject(id: string, schemas: Readonly<Record<string, object>>, types: readonly string[] = []) {
  const parameters = Object.entries(schemas).map(([name, schema]) => ({ name, in: 'path', required: true, schema }));
  const content = Object.fromEntries(types.map((type) => [type, {}]));
  const body = types.length === 0 ? {} : { requestBody: { content } };
  return { operationId: id, parameters, ...body, responses: { 200: { description: 'ok' } } };
}

const get = (id: string, schemas: Readonly<Record<string, object>>) => ({ get: toOperationObject(id, schemas) });
const post = (id: string, ...types: readonly string[]) => ({ post: toOperationObject(id, {}, types) });
const contract = await loadContract({
  openapi: '3.1.0',
  info: {},
  paths: {
    '/countries/{code2}': get('byCode2', { code2: { type: 'string', minLength: 2, maxLength: 2 } }),
    '/countries/{code3}': get('byCode3', { code3: { type: 'string', minLength: 3, maxLength: 3 } }),
    '/countries/{name}': get('byName', { name: { type: 'string' } }),
    '/folders/{folderId}': get('byId', { folderId: { type: 'string', pattern: '^\\d+$' } }),
    '/folders/{folderPath}': get('byPath', { folderPath: { type: 'string' } }),
    '/sites/{site}/areas/{area}': get('area', { area: { type: 'string', format: 'uuid' } }),
    '/sites/{site}/{kind}/count': get('count', { kind: { enum: ['areas', 'zones'] } }),
    '/users/{id}': get('user', { id: { type: 'integer' } }),
    '/{kind}/{name}': get('any', {}),
    '/tiles/{row}{scale}.{format}': get('tile', { scale: { enum: ['', '@2x'] }, format: { type: 'string' } }),
    '/posts/{id}{extension}': get('post', { extension: { enum: ['.json', '.xml'] } }),
    '/images': post('image', 'application/json'),
    '/images#overload=stream': post('imageInStream', 'image/*', 'multipart/form-data'),
    '/objects/{key}#part': { put: { operationId: 'copyPart' } },
    '/objects/{key}': { put: post('putObject', 'text/xml').post },
    '/#X-Target=Jobs.Start': post('start', 'application/json'),
    '/#X-Target=Jobs.Stop': post('stop', 'application/json'),
  },
});
const router = createRouter(contract.operations, contract.resolve);

it.each<[string, string, Record<string, string>, string]>([
  ['a length', 'GET /countries/de', {}, 'byCode2 code2=de'],
  ['another length', 'GET /countries/deu', {}, 'byCode3 code3=deu'],
  ['no length', 'GET /countries/Germany', {}, 'byName name=Germany'],
  ['a pattern', 'GET /folders/12', {}, 'byId folderId=12'],
  ['no pattern', 'GET /folders/a', {}, 'byPath folderPath=a'],
  ['a format, of paths with different structures', 'GET /sites/1/areas/count', {}, 'count site=1 kind=areas'],
  ['nothing that fits better', 'GET /sites/1/areas/2', {}, 'area site=1 area=2'],
  ['no path with fewer literals', 'GET /users/x', {}, 'user id=x'],
  ['the values of a parameter after another one', 'GET /tiles/7@2x.png', {}, 'tile row=7 scale=%402x format=png'],
  ['an empty value of it', 'GET /tiles/7.png', {}, 'tile row=7 scale= format=png'],
  ['a value with a literal character', 'GET /posts/a.b.json', {}, 'post id=a.b extension=.json'],
  ['no value of it', 'GET /posts/a.csv', {}, 'post id=a.cs extension=v'],
  ['the type of the body', 'POST /images', { 'content-type': 'image/png' }, 'imageInStream'],
  ['the first type of body', 'POST /images', { 'content-type': 'application/json; charset=utf-8' }, 'image'],
  ['a type that neither takes', 'POST /images', { 'content-type': 'text/csv' }, 'image'],
  ['a type of the same kind of body', 'PUT /objects/a', { 'content-type': 'application/xml' }, 'putObject key=a'],
  ['no name after the mark', 'PUT /objects/a', { 'content-type': 'text/plain' }, 'putObject key=a'],
  ['a header field after the mark', 'POST /', { 'x-target': 'Jobs.Stop' }, 'stop'],
  ['none of them', 'POST /', { 'x-target': 'Jobs.Pause' }, 'start'],
])('of two paths that match, the parameters decide: %s', (_name, line, fields, want) => {
  const [method = '', path = ''] = line.split(' ');
  const match = router.match(method, path, '', fields);
  if (match.kind !== 'operation') throw new Error(`${line} is ${match.kind}`);
  const values = Object.entries(match.pathText).map(([name, value]) => `${name}=${value}`);
  expect([match.operation.id, ...values].toSorted()).toEqual(want.split(' ').toSorted());
});

/** [name, servers, request, wanted] for `GET /pets` and `GET /{any}/x`. */
const SERVER_CASES: readonly (readonly [string, readonly object[], string, string])[] = [
  ['a base path with a slash at its end', [{ url: 'https://e.x/v1/' }], 'GET /v1/pets', 'GET /pets'],
  ['every server counts', [{ url: 'https://e.x/v1' }, { url: '/v2' }], 'GET /v2/pets', 'GET /pets'],
  ['a server without a scheme', [{ url: '//e.x/api' }], 'GET /api/pets', 'GET /pets'],
  ['the longest base path first', [{ url: '/a' }, { url: '/a/b' }], 'GET /a/b/pets', 'GET /pets'],
  ['a base path as part of a longer word', [{ url: '/v1' }], 'GET /v1pets', '404 /pets'],
  ['the bare base path', [{ url: '/v1' }], 'GET /v1', '404'],
  ['a near miss is named with its base path', [{ url: '/v1' }], 'GET /v1/petz', '404 /v1/pets'],
  ['a base path with unicode', [{ url: '/ü' }], 'GET /%C3%BC/pets', 'GET /pets'],
  ['a base path that is also a first segment', [{ url: '/v1' }], 'GET /v1/x', 'GET /{any}/x any=v1'],
];

test.each(SERVER_CASES)('servers: %s', async (_name, servers, request, want) => {
  expect(ask(await createTestRouter(['GET /pets', 'GET /{any}/x'], servers), request)).toBe(want);
});

test('an unknown path of 10 kB is refused, and one with mixed segments', { tags: 'slow' }, async () => {
  const lines = Array.from({ length: 1200 }, (_, i) => `GET /collection${i}/{id}.{a}.{b}.{c}/part${i % 7}`);
  const router = await createTestRouter(lines);
  ask(router, 'GET /warm/up');
  // A cubic matcher takes longer than a test may.
  expect(ask(router, `GET /collectio1/${'x'.repeat(10_000)}`)).toMatch(/^404/u);
  expect(ask(router, `GET /${'a/'.repeat(5000)}`)).toBe('404');
  expect(ask(router, `GET /collection3/${'.'.repeat(10_000)}/part9`)).toMatch(/^404/u);
});

test('the nearest of 20,000 paths is found', { tags: 'slow' }, () => {
  const find = (pathname: string, toPath: (i: number) => string) => {
    const paths = Array.from({ length: 20_000 }, (_, i) => toPath(i));
    return findNearestPaths(
      paths.map((path) => ({ path, basePaths: [''], spanned: undefined }) as unknown as Operation),
      pathname,
    );
  };
  expect(find('/resource19876x/7', (i) => `/resource${i}/{id}`)[0]).toBe('/resource19876/{id}');
  const deep = (i: number): string => `/api/v1/group${i % 50}/things${i % 400}/{id}/sub${i}/{sub}/actions`;
  expect(find('/api/v1/group7/things7/12/sub12407/3/actoins', deep)[0]).toBe(
    '/api/v1/group7/things7/{id}/sub12407/{sub}/actions',
  );
  expect(find('/pets/12', (i) => (i === 12_345 ? '/{kind}/{id}' : `/${i}/${i}/${i}/${i}`))).toEqual(['/{kind}/{id}']);
});

test('every string without a slash is the value of its parameter', async () => {
  const router = await createTestRouter(['GET /a/{x}/b', 'GET /a/{x}/b/{y}:go']);
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), fc.string({ minLength: 1 }), (x, y) => {
      const pathname = `/a/${encodeURIComponent(x.toWellFormed())}/b/${encodeURIComponent(y)}:go`;
      const match = router.match('GET', pathname, '');
      if (match.kind !== 'operation') throw new Error(`${pathname} is ${match.kind}`);
      expect(decodeURIComponent(match.pathText['x'] ?? '')).toBe(x.toWellFormed());
      expect(decodeURIComponent(match.pathText['y'] ?? '')).toBe(y);
    }),
  );
});

/** [id of the operation, path, description of the first parameter, written out]. */
const SPANS: readonly (readonly [string, string, string, string | undefined])[] = [
  ['hub.projects.places.apps.list', '/v1/{parent}/apps', '', '/v1/projects/{parent#1}/places/{parent#3}/apps'],
  ['hub.projects.apps.get', '/hub/v1beta2/{name}', '', '/hub/v1beta2/projects/{name#1}/apps/{name#3}'],
  ['hub.projects.apps.start', '/v1/{name}:start', '', '/v1/projects/{name#1}/apps/{name#3}:start'],
  ['hub.projects.agent.intents.list', '/v2/{parent}/intents', '', '/v2/projects/{parent#1}/agent/intents'],
  ['hub.projects.getSettings', '/v1/{name}', '', '/v1/projects/{name#1}/settings'],
  ['hub.projects.getSettings', '/v1/{name}/settings', '', '/v1/projects/{name#1}/settings'],
  [
    'hub.projects.apps.get',
    '/v1/{name}',
    'Format: `{teams|projects}/{id}/apps/{app}`',
    '/v1/projects/{name#1}/apps/{name#3}',
  ],
  ['hub.projects.apps.get', '/v1/{name}', 'Format: `teams/{team}/apps/{app}`', '/v1/teams/{name#1}/apps/{name#3}'],
  ['hub.apps.get', '/apps/{name}', '', undefined],
  ['hub.apps.get', '/v1/apps/{name}', '', undefined],
  ['getApp', '/v1/{name}', '', undefined],
  ['hub.get', '/v1/{name}', '', undefined],
  ['Hub.Apps.Get', '/v1/{name}', '', undefined],
];

test.each(SPANS)('the collections in the id %s are segments of %s %s', (id, path, description, want) => {
  const name = /\{(\w+)\}/.exec(path)?.[1] ?? '';
  const parameter = { name, in: 'path', style: 'simple', description };
  expect(expandPath({ id, path, parameters: [parameter] }, () => ({ type: 'string' }))?.path).toBe(want);
});
