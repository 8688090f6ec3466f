import { MockError } from '../../errors.js';

/** A pattern that detects secrets anywhere in a string. */
export interface SecretPattern {
  readonly rule: string;
  /** Global; the group `secret` is replaced, or the whole match without such a group. */
  readonly pattern: RegExp;
}

/** Redaction rules besides the defaults. */
export interface RedactionOptions {
  /** Additional headers with secrets. */
  readonly headers?: readonly string[];
  /** Additional JSON members, form fields and query parameters with secrets. */
  readonly keys?: readonly string[];
  /** Additional patterns of secrets; a string `/source/flags` has flags. */
  readonly patterns?: readonly (string | RegExp)[];
  /** Environment variables with secrets. */
  readonly env?: readonly string[];
  /** Headers and members that are not secrets although a rule says so. */
  readonly keep?: readonly string[];
}

/** The names of the redaction options. */
export const REDACTION_MEMBERS: readonly (keyof RedactionOptions)[] = ['headers', 'keys', 'patterns', 'env', 'keep'];

const HEADERS = toSet(
  'authorization proxy-authorization cookie set-cookie x-api-key x-apikey apikey x-goog-api-key ' +
    'x-amz-security-token x-functions-key ocp-apim-subscription-key x-csrf-token x-xsrf-token private-token ' +
    'x-vault-token',
);

// Words that mark a header as secret, as in `x-acme-access-token` and `stripe-signature`.
const HEADER_WORDS =
  /(?:^|-)(?:api-?key|secret|password|(?:access|auth|refresh|session|id|security|csrf|bearer)-token|signature)(?:$|-)/;

const KEYS = toSet(
  'accesskey accesskeysecret accesstoken apikey apisecret apitoken authtoken bearertoken clientassertion ' +
    'clientsecret connectionstring encryptionkey idtoken passphrase passwd password privatekey refreshtoken ' +
    'secret secretaccesskey secretkey securitytoken sessiontoken sharedsecret signingkey signingsecret ' +
    'webhooksecret',
);

// Names of objects whose members are all secret; an `api_key` object only describes a key.
const GROUPS = toSet('clientsecret connectionstring privatekey secret sharedsecret signingkey');

// Query parameters of signed URLs.
const QUERY_KEYS = toSet('sig signature xamzsignature xamzcredential xgoogsignature xgoogcredential');

// Repetitions are bounded, so that backtracking over a body of megabytes does not block the process.
const PATTERNS: Readonly<Record<string, RegExp>> = {
  pem: /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]{0,16384}?-----END [A-Z ]{0,30}PRIVATE KEY-----/g,
  jwt: /\beyJ[\w-]{8,}\.eyJ[\w-]{2,}\.[\w-]*/g,
  // A digit or a capital letter is required, so that `sk-learn-from-examples` does not match.
  sk: /(?<![A-Za-z0-9])sk-(?=[\w-]{0,64}[0-9A-Z])[\w-]{16,}/g,
  stripe: /\b(?:(?:sk|rk)_(?:live|test)|whsec)_[A-Za-z0-9+/=]{10,}/g,
  github: /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{22,})/g,
  gitlab: /\bgl(?:pat|ptt|rt)-[\w-]{20,}/g,
  slack: /\bxox[abceoprs]-[A-Za-z0-9-]{10,}/g,
  aws: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  google: /\bAIza[\w-]{35}/g,
  npm: /\bnpm_[A-Za-z0-9]{36}/g,
  bearer: /\bBearer\s+(?<secret>[\w.~+/-]{16,}=*)/gi,
  userinfo: /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@"']{1,256}:(?<secret>[^\s/@"']{1,1024})@/gi,
  // For text other than JSON: forms, logs, XML, JSON inside a string.
  assignment:
    /(?:access_?token|refresh_?token|client_?secret|api_?key|private_?key|secret_?key|password)\\*["']?\s*[:=>]\s*\\*["']?(?<secret>[^\s"'&<>,;\\]{8,})/gi,
};

/** Decides by name whether a value is secret; each function returns the rule or undefined. */
export interface SecretRules {
  /** The rule for a header. */
  header(name: string): string | undefined;
  /** The rule for a member of an object or a field of a form. */
  key(name: string): string | undefined;
  /** The rule for a member that is an object, which makes all of its members secret. */
  group(name: string): string | undefined;
  /** The rule for a query parameter. */
  query(name: string): string | undefined;
  readonly patterns: readonly SecretPattern[];
}

/** Creates the rules from the defaults and the options. */
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
      ...Object.entries(PATTERNS).map(([name, pattern]) => ({ rule: `pattern:${name}`, pattern })),
      ...(options.patterns ?? []).map((pattern, i) => ({ rule: `pattern:${i + 1}`, pattern: toGlobal(pattern) })),
    ],
  };
}

/** The options as the manifest stores them: patterns as strings, without empty arrays. */
export function toPlainRedaction(options: RedactionOptions): RedactionOptions {
  const patterns = (options.patterns ?? []).map(String);
  return Object.fromEntries(Object.entries({ ...options, patterns }).filter(([, list]) => list.length > 0));
}

/** Joins two sets of options. */
export function joinRedactions(one: RedactionOptions = {}, other: RedactionOptions = {}): RedactionOptions {
  const lists = REDACTION_MEMBERS.map((name) => [name, [...new Set([...(one[name] ?? []), ...(other[name] ?? [])])]]);
  return Object.fromEntries(lists) as RedactionOptions; // the lists of `REDACTION_MEMBERS`
}

function toSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}

/** A name without case and separators: `client_secret`, `clientSecret` and `Client-Secret` are the same. */
function toPlainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

function toGlobal(pattern: string | RegExp): RegExp {
  if (typeof pattern === 'string') {
    // `/source/flags` is the form of a regular expression in the manifest.
    const [, source = pattern, flags = ''] = /^\/(.+)\/([a-z]*)$/.exec(pattern) ?? [];
    try {
      return new RegExp(source, `${flags.replace('g', '')}g`);
    } catch (cause) {
      throw new MockError('OPTION_INVALID', `${JSON.stringify(pattern)} is not a valid regular expression`, {
        hint: 'use the pattern of a secret, such as cust-\\d{8}',
        cause,
      });
    }
  }
  return pattern.global ? pattern : new RegExp(pattern.source, `${pattern.flags}g`);
}
