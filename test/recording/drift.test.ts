// @module-tag slow
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadContract } from '../../src/index.js';
import { createResponseCheck } from '../../src/http/response/response-check.js';
import {
  formatDrift,
  readDriftExit,
  toDriftJson,
  toDriftJunit,
} from '../../src/features/recording/drift/drift-report.js';
import { type DriftResult, type DriftVerdict, findDrift } from '../../src/features/recording/drift/drift.js';
import { createUpstream } from '../../src/features/recording/upstream/upstream.js';
import { createValidators } from '../../src/schema/validate.js';
import { KEYS, record, sendAll, SPEC } from './recorded.js';
import { startUpstream, type UpstreamOptions, reply } from './upstream.js';
import { createSharedFolder } from '../folders.js';

const TOKEN = 'Bearer drift-token-1';
// The built-in contract leaves the roles open; with an enum there is something that can grow.
const action = { target: '$.components.schemas.Owner.properties.role', update: { enum: ['member'] } };
const overlay = { overlay: '1.0.0', info: { title: 'Roles', version: '1' }, actions: [action] };
const folder = createSharedFolder({ 'roles.json': JSON.stringify(overlay) });
const contract = await loadContract(SPEC, { overlays: [join(folder, 'roles.json')] });
const validators = createValidators(contract);

type Body = Readonly<Record<string, unknown>>;
type List = Body & { readonly data: readonly Body[] };

/** Changes every key in a list. */
const each = (change: (key: Body) => Body): UpstreamOptions => ({
  change: (body) => ({ ...(body as List), data: (body as List).data.map(change) }),
});
const adds = (more: Body): UpstreamOptions => each((key) => ({ ...key, ...more }));
const adopts = (role: string): UpstreamOptions =>
  each((key) => ({ ...key, owner: { ...(key['owner'] as Body), role } }));
const WITHOUT_OWNER = each(({ owner: _owner, ...key }) => key);
/** A value that breaks the contract. */
const OFF = adds({ created_at: 'yesterday' });

/** Records a list with one upstream and asks another one whether it still holds. */
async function drift(
  before: UpstreamOptions,
  after: UpstreamOptions,
  more: {
    requests?: readonly RequestInit[];
    headers?: Readonly<Record<string, string>>;
    operations?: readonly string[];
    down?: boolean;
    path?: string;
  } = {},
): Promise<{ results: readonly DriftResult[]; asked: readonly string[] }> {
  const old = await startUpstream(before);
  const headers = { authorization: TOKEN, 'content-type': 'application/json', ...more.headers };
  const requests = (more.requests ?? [{}]).map((init) => [more.path ?? KEYS, { ...init, headers }] as const);
  const cassette = await record(old.url, (mock) => sendAll(mock, requests), { spec: contract });
  await old.close();
  const live = await startUpstream(after);
  if (more.down === true) await live.close();
  const upstream = createUpstream(live.url);
  onTestFinished(upstream.close);
  const results = await findDrift({
    contract,
    cassette,
    upstream,
    headers: { authorization: TOKEN },
    operations: more.operations ?? [],
    check: createResponseCheck(validators),
  });
  return { results, asked: live.seen.map(({ method, url }) => `${method} ${url}`) };
}

const send = (...answer: Parameters<typeof reply>): UpstreamOptions => ({ intercept: reply(...answer) });
const status = (code: number): UpstreamOptions =>
  send(code, { 'content-type': 'application/json' }, '{"error":{"message":"no","type":"t","param":null,"code":null}}');

/** The exit code of each verdict. */
const EXITS: Partial<Record<DriftVerdict, number>> = {
  'in-sync': 0,
  'recording-old': 1,
  'recording-stale': 1,
  'api-left-contract': 2,
  'contract-wrong': 2,
  'both-off-contract': 2,
  unreachable: 3,
  'recorded-list-empty': 3,
  'list-empty': 4,
  gone: 5,
};

const WAYS: readonly (readonly [
  way: string,
  before: UpstreamOptions,
  after: UpstreamOptions,
  verdict: DriftVerdict,
  fact: RegExp,
])[] = [
  ['nothing but values changed', { keys: 2 }, { keys: 5 }, 'in-sync', /^= 0001/],
  ['an optional field was added', {}, adds({ value: 'shown' }), 'recording-old', /\/data\/\*\/value is new/],
  ['an undeclared field was added', {}, adds({ color: 'red' }), 'recording-old', /\/data\/\*\/color is new/],
  ['an optional field was removed', adds({ value: 'shown' }), {}, 'recording-old', /\/data\/\*\/value is missing/],
  ['a declared status came instead', {}, status(400), 'recording-old', /the status was 200 and is 400/],
  ['the API refuses to answer so often', {}, status(429), 'unreachable', /the API answered 429/],
  ['the API has an outage', {}, status(503), 'unreachable', /the API answered 503: try again/],
  ['there is nothing at the path any more', {}, status(404), 'gone', /may not exist there/],
  ['404 was recorded', status(404), {}, 'unreachable', /the recorded 404 does not happen now/],
  ['both answer 404, which is not declared', status(404), status(404), 'contract-wrong', /suggested change: .* 404/],
  [
    'the API redirects to a login',
    {},
    send(302, { location: 'https://sso.example.com/?return=1' }),
    'unreachable',
    /redirects to a login, https:\/\/sso\.example\.com/,
  ],
  [
    'the API redirects elsewhere',
    {},
    send(302, { location: '/v2/blog-in-german' }),
    'api-left-contract',
    /status 302 is not declared/,
  ],
  [
    'a login page came instead',
    {},
    send(200, { 'content-type': 'text/html' }, '<form><input name="p" type="password"></form>'),
    'unreachable',
    /login page/,
  ],
  ['the list is empty now', { keys: 2 }, { keys: 0 }, 'list-empty', /the list of the API is empty/],
  ['the recorded list is empty', { keys: 0 }, { keys: 2 }, 'recorded-list-empty', /the list in the recording is empty/],
  [
    'the recorded items violate the contract, and the list is empty now',
    OFF,
    { keys: 0 },
    'list-empty',
    /the list of the API is empty/,
  ],
  ['both lists are empty', { keys: 0 }, { keys: 0 }, 'in-sync', /^= 0001/],
  ['a required field was removed', {}, WITHOUT_OWNER, 'api-left-contract', /live: .*owner.* is required/],
  ['a type changed', {}, OFF, 'api-left-contract', /created_at was number and is string/],
  ['an enum got a new member', {}, adopts('owner'), 'api-left-contract', /live: .*role.*"owner"/],
  [
    'a constant changed',
    {},
    { change: (body) => ({ ...(body as Body), object: 'page' }) },
    'api-left-contract',
    /live: .*object/,
  ],
  ['an undeclared status came instead', {}, status(418), 'api-left-contract', /live: status 418 is not declared/],
  [
    'an undeclared media type came instead',
    {},
    send(200, { 'content-type': 'text/html' }, '<p>'),
    'api-left-contract',
    /the media type was application\/json and is text\/html/,
  ],
  ['the API came back to its contract', OFF, {}, 'recording-stale', /recorded: .*created_at/],
  [
    'recording and API agree against the contract',
    OFF,
    OFF,
    'contract-wrong',
    /suggested change: .*spec\/openapi\.yaml:\d+.*: also allow the type "string"/,
  ],
  ['both are off, each in its own way', OFF, WITHOUT_OWNER, 'both-off-contract', /in different ways/],
];

it.each(WAYS.map(([way, before, after, verdict, fact]) => ({ way, before, after, verdict, fact })))(
  'drift says $verdict where $way',
  async ({ before, after, verdict, fact }) => {
    const { results } = await drift(before, after);
    expect(results.map((result) => result.verdict)).toEqual([verdict]);
    expect(readDriftExit(results)).toBe(EXITS[verdict]);
    expect(formatDrift(results).join('\n')).toMatch(fact);
  },
);

it('drift suggests the enum value that API and recording agree on', async () => {
  const { results } = await drift(adopts('owner'), adopts('owner'));
  expect(results[0]?.suggestions).toEqual([expect.stringMatching(/properties\/role.*: also allow the value "owner"$/)]);
});

it('drift ends with exit code 3 if the API cannot be reached', async () => {
  const { results } = await drift({}, {}, { down: true });
  expect(results).toMatchObject([
    { verdict: 'unreachable', reason: expect.stringContaining('ECONNREFUSED') as string },
  ]);
  expect(readDriftExit(results)).toBe(3);
});

it('drift sends safe methods and the selected operations only', async () => {
  const requests = [{ method: 'POST', body: '{"name":"ci"}' }];
  const silent = await drift({}, {}, { requests });
  expect(silent.asked).toEqual([]);
  expect(silent.results).toMatchObject([
    { verdict: 'skipped', reason: 'POST is not a safe method: send it with --operation createAdminApiKey' },
  ]);
  expect(readDriftExit(silent.results)).toBe(3);
  const named = await drift({}, {}, { requests, operations: ['createAdminApiKey'] });
  expect(named.asked).toEqual([`POST ${KEYS}`]);
  expect(named.results).toMatchObject([{ verdict: 'in-sync' }]);
});

it('drift sends a request that was recorded several times once', async () => {
  const { asked, results } = await drift({}, {}, { requests: [{}, {}, {}] });
  expect(asked).toEqual([`GET ${KEYS}`]);
  expect(results).toHaveLength(1);
});

it('drift does not send placeholders', async () => {
  const { asked, results } = await drift({}, {}, { path: `${KEYS}?after=sk-admin-0123456789abcdefghijABCDEFGHIJ` });
  expect(asked).toEqual([]);
  expect(results).toMatchObject([{ verdict: 'skipped', reason: 'the request contains the placeholder of a secret' }]);
});

it('drift cannot compare an error that follows from a secret in a header field that is not sent', async () => {
  const headers = { 'x-session-id': 'aodfgpgu67Vd9JzJO8' };
  const { results } = await drift({}, status(409), { headers });
  const reason = 'the API answered 409: pass the secrets of x-session-id with --header';
  expect(results).toMatchObject([{ verdict: 'unreachable', reason }]);
});

it('drift is reported as text, as JSON and as JUnit', async () => {
  const { results } = await drift({}, adds({ 'a<b>&"c"': 1 }));
  expect(formatDrift(results)).toEqual([
    `~ 0001-listAdminApiKeys.200.json  GET ${KEYS}`,
    '    the recording is outdated: record it again',
    '    /data/*/a<b>&"c" is new',
    '',
    '1 × the recording is outdated',
  ]);
  expect(JSON.parse(toDriftJson(results))).toMatchObject({
    exitCode: 1,
    results: [{ file: '0001-listAdminApiKeys.200.json', verdict: 'recording-old', differences: [{ kind: 'added' }] }],
  });
  expect(toDriftJunit(results, 'keys')).toBe(
    [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<testsuites tests="1" failures="1" errors="0" skipped="0">',
      '  <testsuite name="drift of keys" tests="1" failures="1" errors="0" skipped="0">',
      `    <testcase classname="listAdminApiKeys" name="GET ${KEYS}"><failure type="recording-old" message="the recording is outdated: record it again">/data/*/a&lt;b&gt;&amp;&quot;c&quot; is new</failure></testcase>`,
      '  </testsuite>',
      '</testsuites>',
    ].join('\n'),
  );
});
