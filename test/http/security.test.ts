import { describe, expect, it } from 'vitest';
import { type Asked, createAsk, toDocument, toLines } from './decode.js';

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer' },
  basic: { type: 'http', scheme: 'Basic' },
  header: { type: 'apiKey', in: 'header', name: 'X-Key' },
  query: { type: 'apiKey', in: 'query', name: 'key' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
  oauth: { type: 'oauth2', flows: {} },
  openid: { type: 'openIdConnect', openIdConnectUrl: 'https://id.test/.well-known/openid-configuration' },
  tls: { type: 'mutualTLS' },
  digest: { type: 'http', scheme: 'digest' },
};

interface Case {
  readonly name: string;
  readonly security: readonly object[];
  readonly asked: Omit<Asked, 'ask'> & { readonly ask?: string };
  readonly credentials?: object;
  readonly lines?: readonly string[];
}

const bearer = (token: string) => ({ headers: { authorization: token } });
const both = [{ bearer: [], header: [] }];
const either = [{ bearer: [] }, { header: [] }];

const TABLE: readonly Case[] = [
  { name: 'a bearer token', security: [{ bearer: [] }], asked: bearer('Bearer abc'), credentials: { bearer: 'abc' } },
  {
    name: 'the scheme in any case',
    security: [{ bearer: [] }],
    asked: bearer('bEaReR abc'),
    credentials: { bearer: 'abc' },
  },
  {
    name: 'oauth2 as bearer',
    security: [{ oauth: ['read'] }],
    asked: bearer('Bearer abc'),
    credentials: { oauth: 'abc' },
  },
  {
    name: 'openIdConnect as bearer',
    security: [{ openid: [] }],
    asked: bearer('Bearer abc'),
    credentials: { openid: 'abc' },
  },
  {
    name: 'basic, decoded',
    security: [{ basic: [] }],
    asked: bearer('Basic dXNlcjpww6Rzcw=='),
    credentials: { basic: 'user:päss' },
  },
  {
    name: 'another http scheme as it is',
    security: [{ digest: [] }],
    asked: bearer('Digest username="a"'),
    credentials: { digest: 'username="a"' },
  },
  {
    name: 'a key in a header',
    security: [{ header: [] }],
    asked: { headers: { 'x-key': 'k' } },
    credentials: { header: 'k' },
  },
  {
    name: 'a key in the query',
    security: [{ query: [] }],
    asked: { ask: 'GET /things?key=a%20b' },
    credentials: { query: 'a b' },
  },
  {
    name: 'a key in a cookie',
    security: [{ cookie: [] }],
    asked: { headers: { cookie: 'a=1; sid=s' } },
    credentials: { cookie: 's' },
  },
  {
    name: 'both of two',
    security: both,
    asked: { headers: { authorization: 'Bearer a', 'x-key': 'k' } },
    credentials: { bearer: 'a', header: 'k' },
  },
  { name: 'either of two', security: either, asked: { headers: { 'x-key': 'k' } }, credentials: { header: 'k' } },
  { name: 'none where none is asked for', security: [], asked: {}, credentials: {} },
  { name: 'none where {} makes it optional', security: [{ bearer: [] }, {}], asked: {}, credentials: {} },
  {
    name: 'one that is optional and came',
    security: [{}, { bearer: [] }],
    asked: bearer('Bearer a'),
    credentials: { bearer: 'a' },
  },
  {
    name: 'mutual TLS, assumed',
    security: [{ tls: [] }],
    asked: {},
    credentials: { tls: '' },
    lines: ['note CREDENTIAL_UNCHECKED /tls'],
  },
  { name: 'missing', security: [{ bearer: [] }], asked: {}, lines: ['error CREDENTIAL_MISSING /bearer'] },
  {
    name: 'an empty header',
    security: [{ bearer: [] }],
    asked: bearer(''),
    lines: ['error CREDENTIAL_MISSING /bearer'],
  },
  {
    name: 'the scheme alone',
    security: [{ bearer: [] }],
    asked: bearer('Bearer'),
    lines: ['error CREDENTIAL_EMPTY /bearer'],
  },
  {
    name: 'the wrong scheme',
    security: [{ bearer: [] }],
    asked: bearer('Basic dXNlcjpw'),
    lines: ['error CREDENTIAL_WRONG_SCHEME /bearer'],
  },
  {
    name: 'a token without a scheme',
    security: [{ bearer: [] }],
    asked: bearer('abc'),
    lines: ['error CREDENTIAL_WRONG_SCHEME /bearer'],
  },
  {
    name: 'basic that is no base64 of a pair',
    security: [{ basic: [] }],
    asked: bearer('Basic abc'),
    lines: ['error CREDENTIAL_MALFORMED /basic'],
  },
  {
    name: 'a token that is not accepted',
    security: [{ bearer: [] }],
    asked: bearer('Bearer bad'),
    lines: ['error CREDENTIAL_REJECTED /bearer'],
  },
  {
    name: 'one of two that must both be there',
    security: both,
    asked: bearer('Bearer a'),
    lines: ['error CREDENTIAL_MISSING /header'],
  },
  {
    name: 'neither of two',
    security: either,
    asked: {},
    lines: ['error CREDENTIAL_MISSING /bearer', 'error CREDENTIAL_MISSING /header'],
  },
  {
    name: 'the one that was tried',
    security: either,
    asked: bearer('Bearer bad'),
    lines: ['error CREDENTIAL_REJECTED /bearer'],
  },
  {
    name: 'an empty key in the query',
    security: [{ query: [] }],
    asked: { ask: 'GET /things?key=' },
    lines: ['error CREDENTIAL_EMPTY /query'],
  },
  {
    name: 'a wrong one where none was needed, as a note',
    security: [{ bearer: [] }, {}],
    asked: bearer('Bearer bad'),
    lines: ['note CREDENTIAL_REJECTED /bearer'],
  },
];

describe('security', () => {
  it.each(TABLE)('finds or misses: $name', async ({ security, asked, credentials = {}, lines = [] }) => {
    const document = toDocument({ security }, { components: { securitySchemes } });
    const ask = await createAsk(document, { credentials: (_scheme, credential) => credential !== 'bad' });
    const call = await ask({ ask: 'GET /things', ...asked });
    expect(call.credentials).toEqual(credentials);
    expect(toLines(call)).toEqual(lines);
    for (const violation of call.violations) {
      expect(violation.status).toBe(violation.severity === 'error' ? 401 : undefined);
    }
  });

  it('is inherited from the document, and an operation may open itself', async () => {
    const more = { components: { securitySchemes }, security: [{ bearer: [] }] };
    expect(toLines(await (await createAsk(toDocument({}, more)))('GET /things'))).toEqual([
      'error CREDENTIAL_MISSING /bearer',
    ]);
    expect(toLines(await (await createAsk(toDocument({ security: [] }, more)))('GET /things'))).toEqual([]);
  });

  it('tells each scheme as a challenge', async () => {
    const security = [{ bearer: [] }, { basic: [] }, { header: [] }];
    const ask = await createAsk(toDocument({ security }, { components: { securitySchemes } }));
    const call = await ask('GET /things');
    expect(call.violations.map(({ challenge }) => challenge)).toEqual([
      'Bearer',
      'Basic realm="vouch", charset="UTF-8"',
      'ApiKey in="header", name="X-Key"',
    ]);
  });
});
