// @module-tag slow
// Promoted mocks of services of several kinds answer requests that were not recorded as the service does.
import { expect, it } from 'vitest';
import { type Ask, openTwin, recordAndPromote } from './promoted.js';
import { type Reply, type Step, type Twin, TWINS } from './twins.js';
import { TWINS_BY_POSITION } from './twins-by-position.js';
import { TWINS_OF_URLS } from './twins-of-urls.js';
import { type Intercept, startUpstream } from './upstream.js';

const toIntercept = ({ start }: Twin): Intercept => {
  const answer = start();
  return ({ method, url, body, headers }, response) => {
    const { pathname, searchParams } = new URL(url.replace('/v1', ''), 'http://a');
    const isJson = body.byteLength > 0 && headers['content-type'] === 'application/json';
    const sent = isJson ? (JSON.parse(body.toString()) as Readonly<Record<string, unknown>>) : {};
    const isAnonymous = headers.authorization === undefined;
    const [status, out, type, location]: Reply = answer({
      method,
      path: pathname,
      query: searchParams,
      sent,
      bytes: body,
      isAnonymous,
    });
    const isSent = typeof out === 'string' || Buffer.isBuffer(out);
    const label = out === undefined ? {} : { 'content-type': type ?? 'application/json' };
    response
      .writeHead(status, { ...label, ...(location !== undefined && { location }) })
      .end(out === undefined || isSent ? out : JSON.stringify(out));
    return true;
  };
};

/** What is said of an answer. */
interface Seen {
  readonly status: number;
  readonly type: string | undefined;
  readonly body: string;
}

async function run(ask: Ask, steps: readonly Step[]): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  for (const [method, path, body, anonymous] of steps) {
    const bodies = seen.map((each) => each.body);
    const sent = typeof body === 'function' ? (body as (bodies: readonly string[]) => object)(bodies) : body;
    const init: RequestInit = {
      method,
      ...(sent !== undefined && { body: typeof sent === 'string' ? sent : JSON.stringify(sent) }),
      headers: {
        ...(anonymous && { authorization: '' }),
        ...(typeof sent === 'string' && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
    };
    const response = await ask(`/v1${typeof path === 'string' ? path : path(bodies)}`, init);
    const type = response.headers.get('content-type')?.split(';')[0];
    seen.push({ status: response.status, type, body: await response.text() });
  }
  return seen;
}

/** The answers without the ids that each server makes: they are numbered. */
function withoutIds(seen: readonly Seen[]): readonly unknown[] {
  const ids: string[] = [];
  for (const { status, body } of seen) {
    for (const [, id = ''] of body.matchAll(/"(?:\w*_?id|result)":"(\w+[-_]\w+)"/g))
      if (status < 300 && !ids.includes(id)) ids.push(id);
  }
  const replace = (text: string): string => ids.reduce((known, id, i) => known.replaceAll(id, `#${i}`), text);
  return seen.map(({ status, type, body }) => {
    const text = replace(body);
    try {
      return [status, type, JSON.parse(text)];
    } catch {
      return [status, type, text];
    }
  });
}

it.each([...TWINS, ...TWINS_OF_URLS, ...TWINS_BY_POSITION])(
  'the promoted mock of $name gives the answers of the service to new requests',
  async (twin) => {
    const outcome = await recordAndPromote((ask) => run(ask, twin.recorded), {
      document: twin.document,
      intercept: toIntercept(twin),
    });
    expect(outcome.answers.filter(({ verdict }) => verdict !== 'right')).toEqual([]);
    const service = await startUpstream({ intercept: toIntercept(twin) });
    const askService: Ask = (path, init) => {
      const given = {
        authorization: 'Bearer promote-token-1',
        'content-type': 'application/json',
        ...(init?.headers as object),
      };
      const headers = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
      return fetch(service.origin + path, { ...init, headers });
    };
    const wanted = withoutIds(await run(askService, twin.fresh));
    const given = withoutIds(await run(await openTwin(outcome), twin.fresh));
    expect(given).toEqual(wanted);
  },
);
