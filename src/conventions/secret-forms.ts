import { memoizeText } from '../base/memoize.js';
import { UUID } from '../base/names.js';
import { hasCheckDigit, isRandom, isSecretName } from './secret-names.js';
import { escapePattern } from '../base/text.js';

/** A pattern that detects secrets anywhere in a string. */
export interface SecretPattern {
  readonly rule: string;
  /** Global; the group `secret` is replaced, or the whole match without such a group. */
  readonly pattern: RegExp;
  /** The length of the shortest match; default 0. */
  readonly minLength?: number;
  /** Whether every match has `MIN_RUN` characters in a row that are printable or white space. */
  readonly hasRun?: boolean;
  /** Every match contains it: a fast test before the pattern. If a secret begins with it, its placeholder does too. */
  readonly literal?: string | undefined;
  /** Whether `RARE` finds the literal, too. */
  readonly isRare?: boolean;
  /** Whether a match is a secret. */
  readonly accepts?: ((secret: string, groups: MatchGroups) => boolean) | undefined;
}

/** The other named groups of a match. */
interface MatchGroups {
  readonly name?: string;
  readonly sign?: string;
}

/** Text in base64 or hexadecimal that is printable; undefined for other text. */
export function decodePrintable(text: string): string | undefined {
  const encoding = /^(?:[\da-f]{2})+$/i.test(text) ? 'hex' : 'base64';
  // Most of what has this form is random, which its beginning shows.
  if (!PRINTABLE.test(Buffer.from(text.slice(0, 8), encoding).toString('latin1'))) return undefined;
  const decoded = Buffer.from(text, encoding).toString('utf8');
  return PRINTABLE.test(decoded) ? decoded : undefined;
}

const PRINTABLE = /^[\t\n\r\x20-\x7e\u00a1-\ufffc]+$/;

/** Replaces the matches of patterns in a string. */
export function replacePatterns(
  text: string,
  patterns: readonly SecretPattern[],
  replace: (secret: string, rule: string) => string,
): string {
  let clean = text;
  let isRun: boolean | undefined;
  let hasRare: boolean | undefined;
  for (const { rule, pattern, minLength = 0, hasRun = false, literal, isRare = false, accepts } of patterns) {
    if (text.length < minLength) continue;
    if (hasRun && !(isRun ??= containsRun(text))) continue;
    if (isRare && !(hasRare ??= RARE.test(text))) continue;
    if (literal !== undefined && !clean.includes(literal)) continue;
    pattern.lastIndex = 0;
    if (!pattern.test(clean)) continue;
    pattern.lastIndex = 0;
    clean = clean.replace(pattern, (match: string, ...rest: unknown[]) => {
      // The last argument has the groups, if the pattern names some.
      const last = rest.at(-1);
      const groups = typeof last === 'object' && last !== null ? (last as Readonly<Record<string, string>>) : undefined;
      const secret = groups === undefined ? match : groups['secret'];
      if (secret === undefined || accepts?.(secret, groups ?? {}) === false) return match;
      return match === secret ? replace(secret, rule) : replaceLast(match, secret, replace(secret, rule));
    });
  }
  return clean;
}

/** The shortest text that a pattern of the list matches. */
const MIN_LENGTH = 8;

/** The length of the shortest match of those patterns of the list that find a form and not a name: a card number. */
const MIN_RUN = 14;

/**
 * Whether a string has `MIN_RUN` characters in a row that are printable or white space. Binary data seldom has, and what has no such run needs
 * no search for the forms of secrets: most of the time that it takes to record a large image or archive.
 */
function containsRun(text: string): boolean {
  let start = 0;
  for (let at = MIN_RUN - 1; at < text.length; at = start + MIN_RUN - 1) {
    while (at >= start && isPrintable(text.charCodeAt(at))) at -= 1;
    if (at < start) return true;
    start = at + 1;
  }
  return false;
}

/** Characters beyond Latin-1 count as well: some are white space. */
function isPrintable(code: number): boolean {
  return (code > 31 && code < 127) || (code > 8 && code < 14) || code === 160 || code > 255;
}

function replaceLast(text: string, part: string, by: string): string {
  const at = text.lastIndexOf(part);
  return `${text.slice(0, at)}${by}${text.slice(at + part.length)}`;
}

type Form = readonly [literal: string | undefined, pattern: RegExp, accepts?: SecretPattern['accepts']];

/** Decides by a name whether the value that follows it in text is a secret. */
type IsSecretName = (name: string, value: string) => boolean;

/**
 * The patterns of secrets. The formats of tokens are those that the vendors document; secretlint
 * (https://github.com/secretlint/secretlint, MIT) and gitleaks (https://github.com/gitleaks/gitleaks, MIT) publish rules for the same
 * formats, which served as the list of kinds. Repetitions are bounded, so that backtracking over megabytes does not block the process.
 *
 * @param isNamed - Whether a name makes its value a secret, in `name=value` and in the queries of URLs.
 */
export function createSecretForms(isNamed: IsSecretName): readonly SecretPattern[] {
  const named: Readonly<Record<string, Form>> = {
    // The parameters of a URL inside text: signed URLs, redirects with a code.
    url: [
      '=',
      /[?&#;](?<name>[\w.~%[\]-]{1,60})=(?<secret>[^&\s"'`<>#\\]{4,4096})/g,
      (secret, { name = '' }) => isNamed(name, secret) || (/^code$/i.test(name) && isRandom(secret)),
    ],
    // An environment variable: `POSTGRES_PASSWORD=x`.
    env: [
      '=',
      /\b(?<name>[A-Z][A-Z0-9]{0,30}(?:_[A-Z0-9]{1,30}){0,6})=(?<secret>[^\s"'&<>,;\\]{3,1024})/g,
      (secret, { name = '' }) => isNamed(name, secret),
    ],
    // For text other than JSON: forms, logs, XML, JSON inside a string.
    assignment: [
      undefined,
      /(?:pass|pwd|secret|token|key|signature|otp|pin|sas|assertion|verifier|auth|string|session|sid|bearer|hmac|code|mnemonic|ssn|iban|jwt|[cx]srf|phrase|number|response|answer|seed|cookie|confirmation|credential|cvc|cvv|psk|config)[A-Za-z0-9_-]{0,16}(?<=(?<name>[\w-]{1,60}))(?<sign>\\{0,8}["']?\s{0,8}[:=]\s{0,8}\\{0,8}["']?|>)(?<secret>[^\s"'`&<>,;\\]{4,4096})/gi,
      (secret, { name = '', sign = '' }) => {
        const isPassword = /pass|pwd|pin|otp|secret/i.test(name);
        // `the token: something` is prose, `{"token":"Hello"}` a part of a sentence, and `key: read(` code. A short number has no quotes to stay in.
        const isShort = secret.length < 8 && (!isPassword || /^:\s+$/.test(sign) || /^[-\d.]+[\]})]*$/.test(secret));
        const isProse = /^:\s+$/.test(sign) && /^[a-z]+[.:!]?$/i.test(secret) && !/pass|pwd/i.test(name);
        return isNamed(name, secret) && !isShort && !isProse && !/^[\w.]+\(/.test(secret);
      },
    ],
    // The words of a wallet: `seed phrase: abandon ability …`.
    phrase: [
      undefined,
      /(?:mnemonic|phrase|words)(?:\\{0,8}["'])?\s{0,4}[:=>]\s{0,4}(?:\\{0,8}["'])?(?<secret>[a-z]{3,8}(?:\s[a-z]{3,8}){11,23})(?![a-z])/gi,
    ],
    // An error that repeats what it refuses: `Incorrect API key provided: …`.
    sentence: [
      undefined,
      /\b(?:token|secret|password|api[ _-]?key|credentials?)["'`:]{0,2}(?:\s[a-z]{1,12}){0,3}[\s:]{1,3}["'`(<]{0,2}(?<secret>[\w.~+/=-]{16,4096})/gi,
      (secret) => isRandom(secret) && !UUID.test(secret),
    ],
    // A link with a token: `/reset-password/…`, `/verify/…`.
    path: [
      '/',
      /\/(?<name>[\w-]{3,60})\/(?<secret>[\w.~-]{16,1024})(?![\w./~-])/g,
      (secret, { name = '' }) => isRandom(secret) && !UUID.test(secret) && (LINKS.test(name) || isNamed(name, secret)),
    ],
  };
  return [...Object.entries(FORMS), ...Object.entries(named)].map(([name, [literal, pattern, accepts]]) => ({
    rule: `pattern:${name}`,
    // A copy, because a global expression has a position.
    pattern: new RegExp(pattern),
    minLength: MIN_LENGTH,
    hasRun: name in FORMS && name !== 'userinfo',
    literal,
    isRare: RARE_LITERALS.has(literal ?? ''),
    accepts,
  }));
}

/** Segments of paths before a token that a link has. */
const LINKS =
  /^(?:verify|verification|confirm|confirmation|activate|activation|reset|recover|unsubscribe|invites?|invitations?|magic(?:-?link)?|e?mail-?verification|sign-?in|log-?in)$/i;

function isSecretInText(name: string, value: string): boolean {
  return isSecretName(name, value, { kind: 'query' });
}

const FORMS: Readonly<Record<string, Form>> = {
  pem: [
    '-----BEGIN ',
    /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:(?!-----BEGIN )[\s\S]){0,16384}?-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/g,
  ],
  // Certificates (` CERT`) and public keys (` PUBL`) are not secret.
  'pem-base64': ['LS0tLS1CRUdJTi', /LS0tLS1CRUdJTi(?!BDRVJU|BQVUJM)[A-Za-z0-9+/_-]{24,32768}={0,2}/g],
  jwt: [
    'eyJ',
    /\beyJ(?:(?!\beyJ)[\w-]){8,4096}\.(?:eyJ[\w-]{2,16384}\.[\w-]{0,4096}|[\w-]{0,1024}\.[\w-]{8,64}\.[\w-]{1,16384}\.[\w-]{16,128})/g,
  ],
  // A digit or a capital letter is required, so that `sk-learn-from-examples` does not match.
  sk: ['sk-', /(?<![A-Za-z0-9])sk-(?=[\w-]{0,64}[0-9A-Z])[\w-]{16,1024}/g],
  stripe: [undefined, /\b(?:(?:sk|rk)_(?:live|test)|whsec)_[A-Za-z0-9+/=]{10,256}/g],
  github: [undefined, /\b(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_\w{22,255})/g],
  gitlab: ['gl', /\bgl(?:pat|ptt|rt|dt|cbt|agent|soat|imt|ft|oas|ffct)-[\w.-]{20,300}/g],
  'gitlab-runner': ['GR1348941', /\bGR1348941[\w-]{20,64}/g],
  slack: ['x', /\b(?:xox[abceoprs](?:\.xox[bp])?|xapp)-[A-Za-z0-9-]{10,255}/g],
  'slack-webhook': [
    'hooks.slack',
    /hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/(?<secret>[\w+/-]{20,120})/g,
  ],
  'discord-webhook': [
    '/webhooks/',
    /discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/\d{5,25}\/(?<secret>[\w-]{20,120})/g,
  ],
  'teams-webhook': ['.webhook.office.com/', /\.webhook\.office\.com\/webhookb2\/(?<secret>[\w@/-]{40,300})/g],
  discord: [undefined, /\b[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}/g],
  telegram: [':AA', /\b\d{8,10}:AA[\w-]{32,34}(?![\w-])/g],
  aws: ['A', /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g],
  google: ['AIza', /\bAIza[\w-]{35}/g],
  'google-oauth': ['ya29.', /\bya29\.[\w.-]{20,2048}/g],
  'google-secret': ['GOCSPX-', /\bGOCSPX-[\w-]{20,64}/g],
  'google-refresh': ['1//0', /(?<![\w/])1\/\/0[\w-]{30,256}/g],
  'azure-key': ['Key=', /\b(?:AccountKey|SharedAccessKey|AccessKey)=(?<secret>[A-Za-z0-9+/]{20,120}={0,2})/g],
  'azure-sas': ['sig', /\bsig=(?<secret>[A-Za-z0-9%+/_-]{20,160}={0,2})/g],
  'azure-secret': ['8Q~', /(?<![\w~.-])[\w~.-]{3}8Q~[\w~.-]{31,34}/g],
  sendgrid: ['SG.', /\bSG\.[\w-]{16,32}\.[\w-]{32,64}/g],
  npm: ['npm_', /\bnpm_[A-Za-z0-9]{36}/g],
  pypi: ['pypi-AgE', /\bpypi-AgE[\w-]{40,512}/g],
  huggingface: ['hf_', /\bhf_[A-Za-z0-9]{30,64}/g],
  digitalocean: ['_v1_', /\bdo[opr]_v1_[a-f0-9]{64}/g],
  shopify: ['shp', /\bshp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}/g],
  hashicorp: [undefined, /\bhv[sbr]\.[\w-]{20,255}|(?<![\w.])s\.(?=[A-Za-z]{0,23}\d)[A-Za-z0-9]{24}(?![\w.])/g],
  databricks: ['dapi', /\bdapi[a-f0-9]{32}(?:-\d)?/g],
  twilio: ['SK', /\bSK[a-f0-9]{32}\b/g],
  mailgun: ['key-', /(?<![\w-])key-[a-f0-9]{32}\b/g],
  mailchimp: ['-us', /\b[a-f0-9]{32}-us\d{1,2}\b/g],
  square: ['sq0', /\bsq0(?:atp|csp)-[\w-]{22,60}/g],
  atlassian: ['ATATT3', /\bATATT3[\w=-]{40,300}/g],
  linear: ['lin_api_', /\blin_api_[A-Za-z0-9]{32,64}/g],
  postman: ['PMAK-', /\bPMAK-[a-f0-9]{24}-[a-f0-9]{34}/g],
  newrelic: ['NRAK-', /\bNRAK-[A-Z0-9]{27}/g],
  grafana: ['gl', /\bgl(?:c_[A-Za-z0-9+/]{32,400}={0,2}|sa_[A-Za-z0-9]{32}_[a-f0-9]{8})/g],
  doppler: ['dp.', /\bdp\.(?:pt|st|sa|scim|audit|ct)\.[\w.-]{40,80}/g],
  pulumi: ['pul-', /\bpul-[a-f0-9]{40}/g],
  terraform: ['.atlasv1.', /\b[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,80}/g],
  planetscale: ['pscale_', /\bpscale_(?:tkn|pw|oauth)_[\w.=-]{32,64}/g],
  age: ['AGE-SECRET-KEY-1', /\bAGE-SECRET-KEY-1[0-9A-Z]{58}/g],
  figma: ['figd_', /\bfigd_[\w-]{30,64}/g],
  airtable: ['pat', /\bpat[A-Za-z0-9]{14}\.[a-f0-9]{64}/g],
  // ISO/IEC 7812: the lengths and first digits of the large networks, and the check digit.
  card: [
    undefined,
    /(?<![\w.-])(?:(?:4\d{3}|5[1-5]\d\d|2[2-7]\d\d|6(?:011|[25]\d\d|4[4-9]\d)|35\d\d)(?:[ -]?\d{4}){3}|3[47]\d\d[ -]?\d{6}[ -]?\d{5}|3(?:0[0-5]|[68]\d)\d[ -]?\d{6}[ -]?\d{4})(?![\w-]|\.\d)/g,
    hasCheckDigit,
  ],
  bearer: [undefined, /\bBearer\s{1,8}(?<secret>[\w.~+/-]{16,8192}={0,2})/gi],
  // RFC 7617: user and password.
  basic: [
    undefined,
    /\bBasic\s{1,8}(?<secret>[A-Za-z0-9+/]{8,4096}={0,2})/gi,
    (secret) => {
      return /^[\x20-\x7e]+:[\x20-\x7e]*$/.test(Buffer.from(secret, 'base64').toString('latin1'));
    },
  ],
  // `IDENTIFIED BY 'x'`, `WITH PASSWORD 'x'` and `SET PASSWORD FOR jane = 'x'` of SQL, also in a query.
  sql: [
    "'",
    /(?<![A-Za-z_])(?:PASSWORD(?:(?:\s|%20|\+){1,4}FOR(?:\s|%20|\+){1,4}[\w.'"@%-]{1,128})?(?:\s|%20|\+){0,4}=?|IDENTIFIED(?:\s|%20|\+){1,4}BY)(?:\s|%20|\+){0,4}'(?<secret>[^'\s]{1,1024})'/gi,
  ],
  userinfo: ['://', /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@"']{0,256}:(?<secret>[^\s/@"']{1,1024})@/gi],
  // `https://TOKEN@host`.
  'userinfo-token': ['://', /:\/\/(?<secret>[\w.~-]{12,512})@/g, isRandom],
};

/** The literals that ordinary text and bytes seldom have. */
const RARE_LITERALS: ReadonlySet<string> = new Set(
  Object.values(FORMS).flatMap(([literal = '']) => (literal.length > 2 && /\w/.test(literal) ? [literal] : [])),
);

/** Finds all of them in one pass, where a search for each takes most of the time of a large body. */
const RARE = new RegExp([...RARE_LITERALS].map(escapePattern).join('|'));

const MARK = '[redacted]';

const ALL_FORMS = createSecretForms(isSecretInText);

/** Text without the secrets that patterns find, for messages and logs. */
export function hideSecrets(text: string): string {
  return replacePatterns(text, ALL_FORMS, () => MARK);
}

/** A path without random segments below one that names a secret: `/password/…`. */
export function hidePathSecrets(path: string): string {
  const segments = path.split('/');
  const isSecret = (segment: string, i: number): boolean =>
    isRandom(segment) && isSecretName(segments[i - 1] ?? '', segment, { kind: 'member' });
  return segments.map((segment, i) => (isSecret(segment, i) ? MARK : segment)).join('/');
}

/** A URL without its secrets, for logs. */
export function hideUrlSecrets(url: string): string {
  const start = url.indexOf('?');
  const path = hideSecrets(start === -1 ? url : url.slice(0, start));
  if (start === -1) return path;
  const shown = url
    .slice(start + 1)
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=');
      const name = pair.slice(0, Math.max(equals, 0));
      const value = pair.slice(equals + 1);
      return equals !== -1 && (/^key$/i.test(name) || isSecretName(name, value, { kind: 'query', path }))
        ? `${name}=…`
        : hideSecrets(pair);
    });
  return `${path}?${shown.join('&')}`;
}

/** The sentence of a violation without the value that it quotes, if that is a secret by its name or its form. */
export function hideQuotedSecret(message: string, name: string): string {
  const hidden =
    message.includes('got ') && isNameOfSecret(name) ? message.replace(QUOTED_VALUE, 'got a secret value') : message;
  // Values of the client are in quotes.
  return QUOTED_TEXT.test(hidden) ? hideSecrets(hidden) : hidden;
}

const isNameOfSecret = memoizeText((name) => isSecretInText(name, 'value'));

const QUOTED_VALUE = /\bgot (?:".*"(?: \(\d+ characters\))?|-?\d[\d.e+]*)/s;
// At least as long as the shortest secret that a pattern finds.
const QUOTED_TEXT = /"[^"]{8}/;
