import { expect, it } from 'vitest';
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
  readonly credentials: object;
  readonly lines: readonly string[];
}

const bearer = (token: string) => ({ headers: { authorization: token } });
const both = [{ bearer: [], header: [] }];
const either = [{ bearer: [] }, { header: [] }];

const row = (
  ...[name, security, asked, credentials = {}, lines = []]: readonly [
    ...[name: string, security: Case['security'], asked: Case['asked']],
    ...[credentials?: object, lines?: readonly string[]],
  ]
): Case => ({ name, security, asked, credentials, lines });

const TABLE: readonly Case[] = [
  row('the scheme in any case', [{ bearer: [] }], bearer('bEaReR abc'), { bearer: 'abc' }),
  row('basic, decoded', [{ basic: [] }], bearer('Basic dXNlcjpww6Rzcw=='), { basic: 'user:päss' }),
  row('another http scheme as it is', [{ digest: [] }], bearer('Digest username="a"'), { digest: 'username="a"' }),
  row('a key in the query', [{ query: [] }], { ask: 'GET /things?key=a%20b' }, { query: 'a b' }),
  row('a key in a cookie', [{ cookie: [] }], { headers: { cookie: 'a=1; sid=s' } }, { cookie: 's' }),
  row('both of two', both, { headers: { authorization: 'Bearer a', 'x-key': 'k' } }, { bearer: 'a', header: 'k' }),
  row('one that is optional and came', [{}, { bearer: [] }], bearer('Bearer a'), { bearer: 'a' }),
  row('mutual TLS, assumed', [{ tls: [] }], {}, { tls: '' }, ['note CREDENTIAL_UNCHECKED /tls']),
  row('a token without a scheme', [{ bearer: [] }], bearer('abc'), undefined, [
    'error CREDENTIAL_WRONG_SCHEME /bearer',
  ]),
  row('basic that is no base64 of a pair', [{ basic: [] }], bearer('Basic abc'), undefined, [
    'error CREDENTIAL_MALFORMED /basic',
  ]),
  row('a token that is not accepted', [{ bearer: [] }], bearer('Bearer bad'), undefined, [
    'error CREDENTIAL_REJECTED /bearer',
  ]),
  row('the one that was tried', either, bearer('Bearer bad'), undefined, ['error CREDENTIAL_REJECTED /bearer']),
  row('an empty key in the query', [{ query: [] }], { ask: 'GET /things?key=' }, undefined, [
    'error CREDENTIAL_EMPTY /query',
  ]),
  row('a wrong one where none was needed, as a note', [{ bearer: [] }, {}], bearer('Bearer bad'), undefined, [
    'note CREDENTIAL_REJECTED /bearer',
  ]),
];

it.each(TABLE)('security finds or misses: $name', async ({ security, asked, credentials, lines }) => {
  const document = toDocument({ security }, { components: { securitySchemes } });
  const ask = await createAsk(document, { credentials: (_scheme, credential) => credential !== 'bad' });
  const call = await ask({ ask: 'GET /things', ...asked });
  expect(call.credentials).toEqual(credentials);
  expect(toLines(call)).toEqual(lines);
  for (const violation of call.violations) {
    expect(violation.status).toBe(violation.severity === 'error' ? 401 : undefined);
  }
});

it('security tells each scheme as a challenge', async () => {
  const security = [{ bearer: [] }, { basic: [] }, { header: [] }];
  const ask = await createAsk(toDocument({ security }, { components: { securitySchemes } }));
  const call = await ask('GET /things');
  expect(call.violations.map(({ challenge }) => challenge)).toEqual([
    'Bearer',
    'Basic realm="vouch", charset="UTF-8"',
    'ApiKey in="header", name="X-Key"',
  ]);
});
