import { MockError } from '../../errors.js';

/** One shape of secret that is recognised wherever it stands. */
export interface SecretPattern {
  readonly rule: string;
  /** Global; the group `secret` is what gets replaced, the whole match where there is none. */
  readonly pattern: RegExp;
}

/** What a user adds to the rules, or takes from them. */
export interface RedactionOptions {
  /** Further header names. */
  readonly headers?: readonly string[];
  /** Further names of JSON members, form fields and query parameters. */
  readonly keys?: readonly string[];
  /** Further regular expressions, for secrets that are recognised wherever they stand; as text, `/source/flags` has flags. */
  readonly patterns?: readonly (string | RegExp)[];
  /** Names of environment variables whose values are secrets. */
  readonly env?: readonly string[];
  /** Names of headers and members that are no secrets here, whatever the rules say. */
  readonly keep?: readonly string[];
}

/** The names of these settings, as a manifest may have them. */
export const REDACTION_MEMBERS: readonly (keyof RedactionOptions)[] = ['headers', 'keys', 'patterns', 'env', 'keep'];

const HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'x-apikey',
  'apikey',
  'x-goog-api-key',
  'x-amz-security-token',
  'x-functions-key',
  'ocp-apim-subscription-key',
  'x-csrf-token',
  'x-xsrf-token',
  'private-token',
  'x-vault-token',
]);

// The words that make a header a secret whatever stands around them: `x-acme-access-token`, `stripe-signature`.
const HEADER_WORDS =
  /(?:^|-)(?:api-?key|secret|password|(?:access|auth|refresh|session|id|security|csrf|bearer)-token|signature)(?:$|-)/;

const KEYS: ReadonlySet<string> = new Set([
  'accesskey',
  'accesskeysecret',
  'accesstoken',
  'apikey',
  'apisecret',
  'apitoken',
  'authtoken',
  'bearertoken',
  'clientassertion',
  'clientsecret',
  'connectionstring',
  'encryptionkey',
  'idtoken',
  'passphrase',
  'passwd',
  'password',
  'privatekey',
  'refreshtoken',
  'secret',
  'secretaccesskey',
  'secretkey',
  'securitytoken',
  'sessiontoken',
  'sharedsecret',
  'signingkey',
  'signingsecret',
  'webhooksecret',
]);

// A key that is written as an object, member by member; an `api_key` that is one describes the key.
const GROUPS: ReadonlySet<string> = new Set([
  'clientsecret',
  'connectionstring',
  'privatekey',
  'secret',
  'sharedsecret',
  'signingkey',
]);

// Query parameters that sign a URL.
const QUERY_KEYS: ReadonlySet<string> = new Set([
  'sig',
  'signature',
  'xamzsignature',
  'xamzcredential',
  'xgoogsignature',
  'xgoogcredential',
]);

// Repetitions that may have to be tried again from every place are bounded: a body of megabytes must not hold the process.
const PATTERNS: readonly SecretPattern[] = [
  {
    rule: 'pattern:pem',
    pattern: /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]{0,16384}?-----END [A-Z ]{0,30}PRIVATE KEY-----/g,
  },
  { rule: 'pattern:jwt', pattern: /\beyJ[\w-]{8,}\.eyJ[\w-]{2,}\.[\w-]*/g },
  // A digit or a capital somewhere, so that `sk-learn-from-examples` stays a word.
  { rule: 'pattern:sk', pattern: /(?<![A-Za-z0-9])sk-(?=[\w-]{0,64}[0-9A-Z])[\w-]{16,}/g },
  { rule: 'pattern:stripe', pattern: /\b(?:(?:sk|rk)_(?:live|test)|whsec)_[A-Za-z0-9+/=]{10,}/g },
  { rule: 'pattern:github', pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{22,})/g },
  { rule: 'pattern:gitlab', pattern: /\bgl(?:pat|ptt|rt)-[\w-]{20,}/g },
  { rule: 'pattern:slack', pattern: /\bxox[abceoprs]-[A-Za-z0-9-]{10,}/g },
  { rule: 'pattern:aws', pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g },
  { rule: 'pattern:google', pattern: /\bAIza[\w-]{35}/g },
  { rule: 'pattern:npm', pattern: /\bnpm_[A-Za-z0-9]{36}/g },
  { rule: 'pattern:bearer', pattern: /\bBearer\s+(?<secret>[\w.~+/-]{16,}=*)/gi },
  {
    rule: 'pattern:userinfo',
    pattern: /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@"']{1,256}:(?<secret>[^\s/@"']{1,1024})@/gi,
  },
  // In text that is no JSON of its own: forms, logs, XML, JSON inside a string.
  {
    rule: 'pattern:assignment',
    pattern:
      /(?:access_?token|refresh_?token|client_?secret|api_?key|private_?key|secret_?key|password)\\*["']?\s*[:=>]\s*\\*["']?(?<secret>[^\s"'&<>,;\\]{8,})/gi,
  },
];

/** The questions that redaction asks about names and texts. */
export interface SecretRules {
  /** The rule that makes a header secret, or undefined. */
  header(name: string): string | undefined;
  /** The same for a member of an object or a field of a form. */
  key(name: string): string | undefined;
  /** The same for a member that is an object itself: whether everything below it is secret. */
  group(name: string): string | undefined;
  /** The same for a query parameter. */
  query(name: string): string | undefined;
  readonly patterns: readonly SecretPattern[];
}

/** The rules that hold by default, with what a user added and took away. */
export function createSecretRules(options: RedactionOptions): SecretRules {
  const keep = new Set((options.keep ?? []).map(toPlainName));
  const headers = new Set((options.headers ?? []).map((name) => name.toLowerCase()));
  const keys = new Set((options.keys ?? []).map(toPlainName));
  const key = (name: string): string | undefined => {
    // `card[client_secret]` in a form is the member `client_secret`.
    const plain = toPlainName(/\[([^[\]]+)\]$/.exec(name)?.[1] ?? name);
    return !keep.has(plain) && (KEYS.has(plain) || keys.has(plain)) ? `key:${name}` : undefined;
  };
  return {
    header: (name) => {
      const lower = name.toLowerCase();
      const hit = HEADERS.has(lower) || headers.has(lower) || HEADER_WORDS.test(lower);
      return hit && !keep.has(toPlainName(name)) ? `header:${lower}` : undefined;
    },
    key,
    group: (name) => (GROUPS.has(toPlainName(name)) || keys.has(toPlainName(name)) ? key(name) : undefined),
    query: (name) => {
      const plain = toPlainName(name);
      return key(name) ?? (QUERY_KEYS.has(plain) && !keep.has(plain) ? `query:${name}` : undefined);
    },
    patterns: [
      ...PATTERNS,
      ...(options.patterns ?? []).map((pattern, i) => ({ rule: `pattern:${i + 1}`, pattern: toGlobal(pattern) })),
    ],
  };
}

/** What a user added, as a manifest keeps it: patterns as text, nothing that is empty. */
export function toPlainRedaction(options: RedactionOptions): RedactionOptions {
  const patterns = (options.patterns ?? []).map((pattern) => (typeof pattern === 'string' ? pattern : String(pattern)));
  return Object.fromEntries(Object.entries({ ...options, patterns }).filter(([, list]) => list.length > 0));
}

/** The rules of two places taken together. */
export function joinRedactions(one: RedactionOptions, other: RedactionOptions): RedactionOptions {
  const join = <T>(first: readonly T[] = [], second: readonly T[] = []): readonly T[] => [
    ...new Set([...first, ...second]),
  ];
  return {
    headers: join(one.headers, other.headers),
    keys: join(one.keys, other.keys),
    patterns: join(one.patterns, other.patterns),
    env: join(one.env, other.env),
    keep: join(one.keep, other.keep),
  };
}

/** A name without case and separators: `client_secret`, `clientSecret` and `Client-Secret` are one. */
function toPlainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

function toGlobal(pattern: string | RegExp): RegExp {
  if (typeof pattern === 'string') {
    // `/source/flags` is how a manifest writes an expression that has flags.
    const [, source = pattern, flags = ''] = /^\/(.+)\/([a-z]*)$/.exec(pattern) ?? [];
    try {
      return new RegExp(source, `${flags.replace('g', '')}g`);
    } catch (cause) {
      throw new MockError('OPTION_INVALID', `${JSON.stringify(pattern)} is no regular expression`, {
        hint: 'give the form of a secret, such as cust-\\d{8}',
        cause,
      });
    }
  }
  return pattern.global ? pattern : new RegExp(pattern.source, `${pattern.flags}g`);
}
