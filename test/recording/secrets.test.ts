// @module-tag slow
import { describe, expect, it } from 'vitest';
import { hideUrlSecrets } from '../../src/conventions/secret-forms.js';
import { isRandom, isSecretName } from '../../src/conventions/secret-names.js';
import { type Change, JSON_TYPE, openShopRecorder, type ShopRecorder } from './exchanges.js';

const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };
const TEXT_TYPE = { 'content-type': 'text/plain' };
const EVENTS_TYPE = { 'content-type': 'text/event-stream' };
const encode = encodeURIComponent;

/** The places of a named value. */
const NAMED: Readonly<Record<string, (name: string, value: string) => Change>> = {
  'request header': (name, value) => ({ request: { headers: { ...JSON_TYPE, [name.toLowerCase()]: value } } }),
  'response header': (name, value) => ({ response: { headers: { ...JSON_TYPE, [name.toLowerCase()]: value } } }),
  query: (name, value) => ({ request: { query: { [name]: value } } }),
  'JSON member': (name, value) => ({ request: { body: { [name]: value } } }),
  'nested member': (name, value) => ({ response: { body: { list: [{ settings: { [name]: value } }] } } }),
  'form field': (name, value) => ({
    request: { headers: FORM_TYPE, bodyText: `a=b&${encode(name)}=${encode(value)}` },
  }),
  'multipart part': (name, value) => ({
    request: { headers: { 'content-type': 'multipart/form-data; boundary=x' }, parts: [{ name, bodyText: value }] },
  }),
  'name and value': (name, value) => ({ response: { body: { env: [{ name, value }] } } }),
  text: (name, value) => ({ response: { headers: TEXT_TYPE, bodyText: `set ${name}="${value}" and restart` } }),
  URL: (name, value) => ({ response: { headers: { location: `https://a.example/b?c=d&${name}=${encode(value)}` } } }),
  'JSON in a string': (name, value) => ({
    response: { body: { log: `sent ${JSON.stringify({ a: 1, [name]: value })}` } },
  }),
  event: (name, value) => ({
    response: { headers: EVENTS_TYPE, events: [{ atMs: 0, data: JSON.stringify({ [name]: value }) }] },
  }),
};

/** The places of a secret that is detected by its form. */
const UNNAMED: Readonly<Record<string, (secret: string) => Change>> = {
  'request header': (secret) => ({ request: { headers: { ...JSON_TYPE, 'x-note': secret } } }),
  'response header': (secret) => ({ response: { headers: { ...JSON_TYPE, 'x-note': `see ${secret}` } } }),
  query: (secret) => ({ request: { query: { q: secret } } }),
  path: (secret) => ({ request: { path: `/api/items/${encode(secret)}`, pathParams: { id: secret } } }),
  'JSON member': (secret) => ({ request: { body: { note: secret } } }),
  'nested member': (secret) => ({ response: { body: { list: [[{ note: `it is ${secret}` }]] } } }),
  'form field': (secret) => ({ request: { headers: FORM_TYPE, bodyText: `a=b&note=${encode(secret)}` } }),
  'multipart part': (secret) => ({
    request: {
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      parts: [{ name: 'note', bodyText: secret }],
    },
  }),
  text: (secret) => ({ response: { headers: TEXT_TYPE, bodyText: `use ${secret} here` } }),
  event: (secret) => ({ response: { headers: EVENTS_TYPE, events: [{ atMs: 0, data: `token ${secret}` }] } }),
  bytes: (secret) => ({
    response: { headers: { 'content-type': 'application/zip' }, bytes: Buffer.from(`\u0000\u00ff${secret}`, 'latin1') },
  }),
  failure: (secret) => ({ failure: { kind: 'reset', message: `no answer to ${secret}` } }),
};

/** Names in the spelling of several languages and services. */
const NAMES = (
  'token pwd pass otp pin password Password userPassword new_password db_password DB_PASSWORD passwordConfirmation passphrase ' +
  'access_token refreshToken id_token auth-token session_token client_secret clientSecret app_secret webhook_secret private_token ' +
  'csrf_token csrfmiddlewaretoken XSRF-TOKEN signature sas X-Amz-Security-Token x-acme-token x-acme-key dd-api-key ' +
  'dd-application-key api_key apiKey X-API-Key secretAccessKey private_key encryption_key client_assertion code_verifier ' +
  'authorization connectionString GITHUB_TOKEN session session_id sessionId PHPSESSID auth x-auth bearer hmac secret_key_base recovery_code ' +
  'backupCode verification_code authorization_code device_code mnemonic seed_phrase license_key licenceKey activation_key kubeconfig ssn ' +
  'iban assertion saml_assertion hmac_key jwt_key psk server_key'
).split(' ');

/** Digits and letters that are the same in every run and different for every seed. */
function generate(seed: string, length: number, alphabet: string): string {
  let state = Array.from(seed).reduce((hash, character) => (hash * 31 + character.charCodeAt(0)) >>> 0, 7);
  return Array.from({ length }, () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return alphabet.charAt((state >>> 8) % alphabet.length);
  }).join('');
}

const HEX = '0123456789abcdef';
const DIGITS = '0123456789';
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const ALL = `${UPPER}abcdefghijklmnopqrstuvwxyz`;

/** The text of a secret with its form, and the part of it that must not be on disk. */
type Form = (random: (length: number, alphabet?: string) => string) => string | readonly [text: string, secret: string];

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const toPart = (text: string): string => Buffer.from(text).toString('base64url');
const armor = (label: string, content: string): string =>
  `-----BEGIN ${label}-----\n${content}\n-----END ${label}-----`;

const inside = (secret: string, write: (secret: string) => string): readonly [string, string] => [
  write(secret),
  secret,
];

// Written in parts, so that scanners of repositories do not report this file.
const FORMS: Readonly<Record<string, Form>> = {
  JWT: (random) => inside(random(43), (end) => `${toPart('{"alg":"HS256"}')}.${toPart('{"sub":"jane"}')}.${end}`),
  'AWS key id': (random) => `AKIA${random(16, UPPER)}`,
  'AWS temporary key id': (random) => `ASIA${random(16, UPPER)}`,
  'Google API key': (random) => `AIza${random(35)}`,
  'Google access token': (random) => `ya29.${random(60)}`,
  'Google client secret': (random) => `GOCSPX-${random(28)}`,
  'Azure storage key': (random) =>
    inside(`${random(86)}==`, (key) => `AccountName=shop;AccountKey=${key};EndpointSuffix=core`),
  'Azure SAS': (random) =>
    inside(random(43), (sig) => `https://shop.blob.core.example/c/b?sv=2024&sig=${sig}%3D&se=2030`),
  'Azure client secret': (random) => `${random(3)}8Q~${random(33)}`,
  GitHub: (random) => `ghp_${random(36)}`,
  'GitHub server': (random) => `ghs_${random(36)}`,
  'GitHub fine-grained': (random) => `github_pat_${random(22)}_${random(59)}`,
  GitLab: (random) => `glpat-${random(20)}`,
  'GitLab runner': (random) => `GR1348941${random(20)}`,
  Slack: (random) => `xoxb-${random(11, DIGITS)}-${random(12, DIGITS)}-${random(24)}`,
  'Slack app': (random) => `xapp-1-${random(11, UPPER)}-${random(12, DIGITS)}-${random(64, HEX)}`,
  'Slack webhook': (random) =>
    inside(random(24), (end) => `https://hooks.slack.com/services/T${random(8, UPPER)}/B${random(8, UPPER)}/${end}`),
  'Discord webhook': (random) =>
    inside(random(68), (end) => `https://discord.com/api/webhooks/${random(18, DIGITS)}/${end}`),
  Stripe: (random) => `sk_live_${random(24)}`,
  'Stripe webhook': (random) => `whsec_${random(32)}`,
  SendGrid: (random) => `SG.${random(22)}.${random(43)}`,
  npm: (random) => `npm_${random(36)}`,
  PyPI: (random) => `pypi-AgEIcHlwaS5vcmc${random(70)}`,
  'Hugging Face': (random) => `hf_${random(34)}`,
  DigitalOcean: (random) => `dop_v1_${random(64, HEX)}`,
  Shopify: (random) => `shpat_${random(32, HEX)}`,
  Vault: (random) => `hvs.${random(90)}`,
  Databricks: (random) => `dapi${random(32, HEX)}`,
  PEM: (random) => inside(random(60), (content) => armor('RSA PRIVATE KEY', content)),
  PGP: (random) => inside(random(60), (content) => armor('PGP PRIVATE KEY BLOCK', `\n${content}`)),
  'PEM in base64': (random) => base64(armor('PRIVATE KEY', random(120))),
  card: (random) => withCheckDigit(`4${random(14, DIGITS)}`),
  'card in groups': (random) => withCheckDigit(`51${random(13, DIGITS)}`).replaceAll(/(\d{4})(?=\d)/g, '$1 '),
  'signed URL of AWS': (random) =>
    inside(random(64, HEX), (end) => `https://b.s3.example/k?X-Amz-Date=20260101T000000Z&X-Amz-Signature=${end}`),
  'signed URL of Google': (random) =>
    inside(random(64, HEX), (end) => `https://s.example/k?X-Goog-Expires=9&X-Goog-Signature=${end}`),
  'password in a URL': (random) => inside(random(14), (password) => `postgres://jane:${password}@db.example/shop`),
  OpenAI: (random) => `sk-proj-${random(48)}`,
  Twilio: (random) => `SK${random(32, HEX)}`,
  Mailgun: (random) => `key-${random(32, HEX)}`,
  Telegram: (random) => `${random(10, DIGITS).replace(/^0/, '1')}:AA${random(33)}`,
  Grafana: (random) => `glsa_${random(32)}_${random(8, HEX)}`,
  Postman: (random) => `PMAK-${random(24, HEX)}-${random(34, HEX)}`,
  Square: (random) => `sq0csp-${random(43)}`,
  'redirect with a code': (random) => inside(random(32), (code) => `https://app.example/cb?state=x&code=${code}`),
};

function withCheckDigit(digits: string): string {
  const sum = Array.from(digits, Number)
    .toReversed()
    .reduce((total, digit, i) => total + (i % 2 === 0 ? (digit * 2 > 9 ? digit * 2 - 9 : digit * 2) : digit), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

interface Case {
  readonly label: string;
  readonly secret: string;
  readonly change: Change;
}

const CASES: Case[] = [
  ...NAMES.flatMap((name) =>
    Object.entries(NAMED).map(([place, toChange]): Case => {
      // Neither long nor random: only the name makes it a secret.
      const secret = `plum${generate(`${name} in ${place}`, 9, 'bcdfghklmnprst')}`;
      return { label: `${name} in ${place}`, secret, change: toChange(name, secret) };
    }),
  ),
  ...Object.entries(FORMS).flatMap(([kind, write]) =>
    Object.entries(UNNAMED)
      // RFC 9110 5.5: a header has no line breaks.
      .filter(([place]) => !(/^(?:PEM|PGP)$/.test(kind) && place.endsWith('header')))
      .map(([place, toChange]): Case => {
        const label = `${kind} in ${place}`;
        let count = 0;
        const form = write((length, alphabet = ALL) => generate(`${label} ${(count += 1)}`, length, alphabet));
        const [text, secret] = typeof form === 'string' ? [form, form] : form;
        return { label, secret, change: toChange(text) };
      }),
  ),
];

/** A random token, which only its place shows. */
function token(label: string, toChange: (secret: string) => Change, alphabet = ALL): Case {
  const secret = generate(label, 40, alphabet);
  return { label, secret, change: toChange(secret) };
}

const toText = (bodyText: string): Change => ({ response: { headers: TEXT_TYPE, bodyText } });
const PHRASE = 'abandon ability able about above absent absorb abstract absurd abuse access accident';

/** Secrets below a name, in a code, in a path, in a message, and numbers. */
const PLACED: readonly Case[] = [
  ...['secrets', 'credentials', 'passwords', 'api_keys', 'client_secret', 'password', 'token'].map((name) =>
    other(`the value of ${name}`, (value) => ({ response: { body: { [name]: [{ id: 1, value }] } } })),
  ),
  ...['recovery_codes', 'backup_codes', 'secrets', 'passwords', 'api_keys'].map((name) =>
    other(`an element of ${name}`, (value) => ({ response: { body: { [name]: [value, 'other'] } } })),
  ),
  ...['password', 'token', 'client_secret', 'api_key', 'session_id'].flatMap((name) => [
    other(`base64 of JSON with ${name}`, (value) => ({
      response: { body: { data: base64(`{"a":1,"${name}":"${value}"}`) } },
    })),
    other(`base64url of JSON with ${name}`, (value) => ({
      request: { query: { state: toPart(`{"${name}":"${value}"}`) } },
    })),
    other(`hexadecimal JSON with ${name}`, (value) =>
      toText(`data ${Buffer.from(`{"b":{"${name}":"${value}"}}`).toString('hex')} end`),
    ),
    other(`a variable of GraphQL: ${name}`, (value) => ({
      request: { body: { query: 'mutation A($a: B) { c }', variables: { input: { [name]: value } } } },
    })),
    other(`XML with ${name}`, (value) => ({
      response: { headers: { 'content-type': 'application/xml' }, bodyText: `<a><${name}>${value}</${name}></a>` },
    })),
    other(`an attribute of XML: ${name}`, (value) => toText(`<a ${name}="${value}"/>`)),
  ]),
  other('base64 of a text', (value) => ({ response: { body: { env: base64(`A=1\nDB_PASSWORD=${value}\n`) } } })),
  token('a known token in base64', (value) => ({
    request: { headers: { ...JSON_TYPE, authorization: `Bearer ${value}` } },
    response: { body: { echo: base64(`for ${value}, of user 7`) } },
  })),
  token('a known token in hexadecimal', (value) => ({
    request: { headers: { ...JSON_TYPE, authorization: `Bearer ${value}` } },
    response: { body: { echo: Buffer.from(value).toString('hex') } },
  })),
  ...['reset-password', 'verify', 'confirm', 'activate', 'invite', 'magic-link', 'token'].flatMap((segment) => [
    token(`the path /${segment}`, (value) => ({ request: { path: `/api/${segment}/${value}` } })),
    token(`a Location with /${segment}`, (value) => ({
      response: { headers: { location: `https://a.example/${segment}/${value}?lang=en` } },
    })),
    token(`a link with /${segment}`, (value) => toText(`open https://a.example/${segment}/${value} now`), HEX),
  ]),
  ...['access_token', 'id_token', 'session', 'auth', 'reset_code'].map((name) =>
    token(`a Location with #${name}`, (value) => ({
      response: { headers: { location: `https://a.example/cb#state=x&${name}=${value}` } },
    })),
  ),
  ...[
    'Incorrect API key provided: #. Ask for another.',
    'The token "#" has expired',
    'invalid credentials (#)',
    "secret '#' does not match",
  ].flatMap((message) =>
    [HEX, ALL].map((alphabet) =>
      token(
        `${message} ${alphabet.length}`,
        (value) => ({ response: { body: { error: { message: message.replace('#', value) } } } }),
        alphabet,
      ),
    ),
  ),
  ...['Server=a;User Id=b;Password=#;', 'mysql://a:#@b/c', 'amqp://a:#@b', 'redis://:#@b:6379/0'].map((text) =>
    other(`the connection ${text}`, (value) => ({ response: { body: { note: text.replace('#', value) } } })),
  ),
  ...(['mnemonic', 'seed_phrase', 'recoveryPhrase'] as const).flatMap((name): Case[] => [
    { label: `words of ${name}`, secret: PHRASE, change: { response: { body: { [name]: PHRASE } } } },
    { label: `words of ${name} in a text`, secret: PHRASE, change: toText(`${name}: ${PHRASE}\n`) },
  ]),
  ...[
    ['ssn', '078-05-1120'],
    ['iban', 'DE89 3704 0044 0532 0130 00'],
    ['card_number', '6304219447607087665'],
    ['cardNumber', '4222222222222'],
    ['card[number]', '4000 0566 5566 5556'],
    ['number', '6200000000000005'],
    ['recovery_code', '8123-4417'],
  ].flatMap(([name = '', value = '']): Case[] => [
    { label: `${name} in JSON`, secret: value, change: { request: { body: { [name]: value } } } },
    {
      label: `${name} in a form`,
      secret: value,
      change: { request: { headers: FORM_TYPE, bodyText: `a=b&${encode(name)}=${encode(value)}` } },
    },
  ]),
  { label: 'a code as a number', secret: '81234417', change: { request: { body: { verification_code: 81234417 } } } },
];

/** A case of its own, with the text that has the secret. */
function other(label: string, toChange: (secret: string) => Change): Case {
  const secret = `plum${generate(label, 12, 'bcdfghklmnprst')}`;
  return { label, secret, change: toChange(secret) };
}

const OTHERS: readonly Case[] = [
  other('the code of OAuth in a query', (code) => ({ request: { path: '/api/oauth/callback', query: { code } } })),
  other('the code of OAuth in a form', (code) => ({
    request: { path: '/api/oauth/token', headers: FORM_TYPE, bodyText: `grant_type=authorization_code&code=${code}` },
  })),
  other('the code of OAuth in JSON', (code) => ({ request: { path: '/api/oauth/token', body: { code } } })),
  other('a cookie', (value) => ({ request: { headers: { ...JSON_TYPE, cookie: `theme=${value}; a=b` } } })),
  other('Basic in a text', (password) => ({
    response: { headers: TEXT_TYPE, bodyText: `curl -H "Authorization: Basic ${base64(`jane:${password}`)}"` },
  })),
  other('echoed headers', (value) => ({ response: { body: { headers: { Authorization: `Token ${value} x` } } } })),
  other('an environment', (value) => ({ response: { body: { Env: ['PATH=/bin', `MYSQL_ROOT_PASSWORD=${value}`] } } })),
  other('a key of the contract in a header', (value) => ({ request: { headers: { ...JSON_TYPE, 'x-shop': value } } })),
  other('a key of the contract in the query', (value) => ({ request: { query: { shop_key: value } } })),
  other('a member with format password', (pin) => ({ response: { body: { pin } } })),
  other('an array below a name', (value) => ({ response: { body: { access_token: [value] } } })),
  other('members of an object', (value) => ({ response: { body: { client_secret: { current: value } } } })),
  other('a member of an object in a form', (value) => ({
    request: { headers: FORM_TYPE, bodyText: `card%5Bclient_secret%5D=${value}` },
  })),
  ...["CREATE USER a WITH PASSWORD '#'", "set password for 'a'@'%' = '#'", "ALTER USER a IDENTIFIED BY '#'"].map(
    (sql) => other(`SQL: ${sql}`, (value) => ({ request: { body: { q: sql.replace('#', value) } } })),
  ),
  other('SQL in a query', (value) => ({
    request: { query: { q: `CREATE%20USER%20a%20WITH%20PASSWORD%20'${value}'` } },
  })),
  other('XML', (value) => ({ response: { headers: TEXT_TYPE, bodyText: `<a><password>${value}</password></a>` } })),
  other('YAML', (value) => ({ response: { headers: TEXT_TYPE, bodyText: `db:\n  password: ${value}\n` } })),
  other('a member with an ordinary name', (value) => ({ response: { body: { note: value } } })),
  other('a short password in prose', (value) => ({
    response: { headers: TEXT_TYPE, bodyText: `the password is ${value}` },
  })),
  other('a webhook whose path is requested', (value) => ({
    request: { path: `/services/T0A1B2C3D/B0A1B2C3D/${value}` },
  })),
];

CASES.push(...OTHERS, ...PLACED);
CASES.push(
  other('Basic in a header', (password) => ({
    request: { headers: { ...JSON_TYPE, authorization: `Basic ${base64(`jane:${password}`)}` } },
  })),
  other('a cookie that is set', (value) => ({
    response: { headers: { ...JSON_TYPE, 'set-cookie': [`sid=${value}; Path=/; HttpOnly`] } },
  })),
  other('a member deep inside, by its schema', (pin) => ({
    response: { body: { id: 'a', parent: { parent: { pin } } } },
  })),
  other('an x-sensitive member', (token) => ({ response: { body: { id: 'a', token } } })),
  {
    label: 'a writeOnly member',
    secret: '8c9f6b1e-6a0e-4c22-9c5e-1d2b3c4d5e6f',
    change: { request: { body: { id: 'a', ticket: '8c9f6b1e-6a0e-4c22-9c5e-1d2b3c4d5e6f' } } },
  },
  {
    label: 'the id of a session in a header of its own',
    secret: 'aodfgpgu67Vd9JzJO8',
    change: { response: { headers: { ...JSON_TYPE, 'x-acme-session-id': 'aodfgpgu67Vd9JzJO8' } } },
  },
  {
    label: 'a token that is the name of a member',
    secret: `ghp_${generate('member', 30, ALL)}`,
    change: { response: { body: { [`ghp_${generate('member', 30, ALL)}`]: 1 } } },
  },
);

/** What is not redacted, with the reason; `docs/recordings.md` lists it too. */
const SURVIVORS: Readonly<Record<string, string>> = {
  'a member with an ordinary name': 'neither its name nor its form is known',
  'a short password in prose': 'there is no sign between the name and the value',
  'a webhook whose path is requested': 'the host, which makes it a webhook, is not in the path of a request',
};

async function record(changes: readonly Change[]): Promise<ShopRecorder> {
  const shop = openShopRecorder();
  await Promise.all(changes.map((change) => shop.add(change)));
  await shop.recorder.settle();
  expect(shop.recorder.failures).toEqual([]);
  return shop;
}

describe('kinds of secrets in all places', () => {
  it('leaves nothing on disk of at least 95 %, and the others are listed with reasons', async () => {
    const { read } = await record(CASES.map(({ change }) => change));
    const disk = [...read().values()].join('\n');
    const left = CASES.filter(({ secret }) =>
      [secret, encode(secret), base64(secret).replace(/=+$/, '')].some((form) => disk.includes(form)),
    );
    expect(left.map(({ label }) => label)).toEqual(Object.keys(SURVIVORS));
    expect(CASES.length).toBeGreaterThan(230);
    expect(left.length / CASES.length).toBeLessThan(0.05);
  });

  it('keeps what only sounds like a secret', async () => {
    const body = {
      token_count: 4096,
      max_tokens: 16,
      tokens: ['Hello', 'world'],
      token_type: 'bearer-of-news',
      next_page_token: 'page-2-of-9',
      password_hint: null,
      passwordChangedAt: '2026-01-01',
      has_password: true,
      pin_code: '110001',
      token: 17,
      pin: 13,
      public_key: 'ssh-ed25519 public',
      compass: 'north-west',
      toolkit: 'sk-learn-and-other-toolkits',
      status_code: 'a-b-c',
      code: 'invalid_request',
      key: 'PROJ-123',
      design: 'signature-free',
      order: '4111111111111112',
      bigint: '123456789012345678',
      session: 'cs_test_a1b2c3d4e5f6g7h8',
      session_id: '0b6cdd2e-5f0c-4f1e-9a55-1d2b3c4d5e6f',
      auth: 'oauth2_client_credentials',
      hmac: 'sha256',
      hashed_token: 'c0535e4be2b79ffd93291305436bf889314e4a3faec05ecffcbb7df31ad9e51a',
      sha: '25f94a2a5c7fbaf499c665bc73d67c1c87e496da',
      digest: 'sha256:9f86d081884c7d659a2feaa0c55ad0159f86d081884c7d659a2feaa0c55ad015',
      cursor: Buffer.from('{"id":"item_12","created":1700000000}').toString('base64'),
      canonicalizedBody: Buffer.from('{"spec":{"signature":"MEQCIEGIGAm7gZVL"}}').toString('base64'),
      language_code: 'en',
      secret: 'https://static.example/images/1f923.png?v8',
      api_key: '${SHOP_API_KEY}',
      signing_keys: ['ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
      secrets: [{ name: 'SHOP_A', created_at: '2026-01-01T00:00:00Z' }],
      values: [{ name: 'page', value: 'two-hundred-items' }],
      tokens_of_text: [{ token: 17, value: 'Hello' }],
      sentence: 'the token that a session has is valid for one hour, see https://a.example/verify/addresses',
      example: 'apiKey: Environment.GetEnvironmentVariable("SHOP"), {"token":"Hello"}, <code>client_secret</code>',
      note: 'phrase: one two three four',
      url: 'https://a.example/items/25f94a2a5c7fbaf499c665bc73d67c1c87e496da/verify',
    };
    const headers = {
      ...JSON_TYPE,
      'x-ratelimit-remaining-tokens': '4000',
      'x-idempotency-key': 'order-1',
      etag: '"abc"',
    };
    const query = { token_limit: '50', page_token: 'page-2', sort_key: 'name' };
    // Inside of a member without a schema, because the contract marks its own `pin` and `token`.
    const facts = { facts: body };
    const { read } = await record([{ request: { query, headers, body: facts }, response: { body: facts } }]);
    const [file = ''] = read('.200.json').values();
    const { request, response } = JSON.parse(file) as { request: object; response: object };
    expect(request).toMatchObject({ query, headers, body: facts });
    expect(response).toMatchObject({ body: facts });
  });

  it('replaces a plain password where it is one, and nowhere else', async () => {
    const body = { password: 'postgres', engine: 'postgres', stage: 'development', secret: 'development' };
    const { read } = await record([{ request: { body } }, { response: { body: { image: 'postgres:17' } } }]);
    const [first = '', second = ''] = read('.200.json').values();
    expect(JSON.parse(first)).toMatchObject({
      request: {
        body: {
          password: expect.stringContaining('REDACTED') as string,
          engine: 'postgres',
          stage: 'development',
          secret: expect.stringContaining('REDACTED') as string,
        },
      },
    });
    expect(second).toContain('postgres:17');
  });

  it('redacts members that only a search of the whole text finds, where they are', async () => {
    const body = {
      new_password: 'plum-pudding',
      userPassword: 'plum-pie',
      db_password: 'plum-jam',
      n: 4242424242424242,
    };
    const { read } = await record([{ response: { reason: 'ghp_0123456789abcdefghijABCDEFGHIJ', body } }]);
    expect(read('.200.json').get('0001-addItem.200.json')).toMatch(/"reason": "ghp_REDACTED\d+"/);
    expect([...read().values()].join('\n')).not.toMatch(/plum|4242424242424242|ghp_0123/);
  });

  it('keeps each of 1,000 new credentials in the manifest', async () => {
    const { add, recorder, writer } = openShopRecorder();
    const body = Array.from({ length: 20 }, (_, i) => ({ id: `item-${i}`, name: `the name of item ${i}` }));
    for (let i = 0; i < 1000; i += 1) {
      const headers = { ...JSON_TYPE, authorization: `Bearer ${generate(`token ${i}`, 40, ALL)}` };
      await add({ request: { headers }, response: { body } });
    }
    await recorder.settle();
    expect(Object.keys(writer.read().manifest.redacted)).toHaveLength(1000);
  });
});

describe('what is a secret', () => {
  it.each([
    ['postgres', false],
    ['development', false],
    ['correct-horse-battery-staple', false],
    ['PostgresDevelopmentPassword1', false],
    ['2026-01-01T00:00:00Z', false],
    ['changeme123', false],
    ['a1B2c3D4e5F6', true],
    ['9f86d081884c7d659a2feaa0c55ad015', true],
    ['0b6cdd2e-5f0c-4f1e-9a55-1d2b3c4d5e6f', true],
  ])('%s as free text: %s', (text, want) => {
    expect(isRandom(text)).toBe(want);
  });

  it.each([
    ['code', 'query', '/oauth/token', true],
    ['code', 'query', '/currencies', false],
    ['x-next-page-token', 'header', '/', false],
    ['x-vault-token', 'header', '/', true],
    ['Signature-Input', 'header', '/', false],
    ['X-Amz-Date', 'query', '/', false],
    ['X-Amz-Credential', 'query', '/', true],
  ] as const)('%s in a %s of %s: %s', (name, kind, path, want) => {
    expect(isSecretName(name, 'some-value', { kind, path })).toBe(want);
  });

  it('hides the same names and forms in the URLs of logs', () => {
    expect(hideUrlSecrets('/a?page=2&access_token=x1&key=k&X-Amz-Signature=y')).toBe(
      '/a?page=2&access_token=…&key=…&X-Amz-Signature=…',
    );
    expect(hideUrlSecrets('https://jane:hunter2@a.example/ghp_0123456789abcdefghijABCDEFGHIJ')).toBe(
      'https://jane:[redacted]@a.example/[redacted]',
    );
  });
});
