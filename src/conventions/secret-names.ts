import { toBareName, readWords, UUID } from '../base/names.js';
import { memoizeText } from '../base/memoize.js';

/**
 * How a name marks a value: `always` also numbers, `text` strings without spaces, `random` only strings that look random, `opaque` strings
 * that are not words, UUIDs or ids with a prefix, `card` digits with the check digit of a card.
 */
type SecretName = 'always' | 'text' | 'credentials' | 'random' | 'opaque' | 'card';

/** Names that end with one of these words, after which a number of at least four digits is a secret too. */
const STRONG = toSet('password passwd pwd passphrase passcode secret otp totp pin puk cvv cvc ssn');

/** Names that end with one of these words. */
const WEAK = toSet('token pass sas sig signature jwt csrf xsrf apikey bearer hmac assertion psk');

/** Names that end with one of these words, whose values may also be the name of a method, or an id. */
const OPAQUE = toSet('auth session sessid sid');

/** Names whose values may have spaces: `Bearer …`, `a=1; b=2`. */
const CREDENTIALS = toSet('authorization proxyauthorization cookie setcookie credential credentials');

/** Words before `token` that make it a position in a list or the key of a repetition. */
const PUBLIC_TOKENS = toSet(
  'page next prev previous continuation continue sync cursor pagination delta change resume skip start end stop idempotency hashed',
);

/** Words before `key` that make it a secret. */
const SECRET_KEYS = toSet(
  'api access secret private encryption decryption signing master account auth shared subscription session service app application admin ' +
    'root webhook license licence activation recovery hmac jwt symmetric server integration ingestion ingest write instrumentation wallet wpa tls ssl function',
);

/** Last words of names that only describe a password. */
const DESCRIPTIONS = toSet(
  'hint hints policy policies count length min max age expiry expires expired expiration at date time on required enabled ' +
    'disabled changed set status strength type kind format algorithm alg url uri link id name field label attempts history ' +
    'rule rules requirements regex pattern mode method version',
);

/** Names without separators, which cannot be split into words. */
const FUSED = toSet(
  'accesskey accesskeysecret accesstoken apisecret apitoken authtoken bearertoken clientassertion codeverifier ' +
    'connectionstring devicecode encryptionkey idtoken jsessionid phpsessid privatekey refreshtoken samlresponse secretaccesskey ' +
    'secretkey securitytoken sessiontoken signingkey',
);
const FUSED_END =
  /(?:password|passwd|passphrase|secret|apikey|authkey|(?:access|auth|refresh|api|session|verification)token|(?:private|secret|licen[cs]e)key|secret(?:value|string|binary)|oauthverifier|hmac(?:sha\d+)?|xprv|privateexponent|pfx|pkcs12)$/;

/** Ends of names, without separators, whose values may have spaces or be numbers. */
const CODES =
  /(?:(?:recovery|backup|scratch|verification|security|onetime|otp|totp|mfa|2fa|twofactor|authorization|auth|device|access|reset|pairing|login|unlock|user|sms)code|(?:seed|recovery|secret|backup|mnemonic|wallet)(?:phrase|words)|mnemonic|(?:otp|totp|wallet)seed|(?:security|secret)answer|kubeconfig|dockerconfigjson|secretkeybase|iban|socialsecuritynumber)$/;

/** Names of the number of a card, without separators. */
const CARDS =
  /(?:^|credit|debit|bank|payment)card(?:number|num|no)?$|^cc(?:number|num|no)?$|^(?:pan|primaryaccountnumber)$/;

/** Header-like names with `key`, except for names of caches, routes and repetitions. */
const VENDOR_KEY =
  /^(?:x|dd)-(?!(?:[\w-]+-)?(?:idempotency|cache|public|partition|routing|sort|row|object|surrogate|message|event|deduplication)-)(?:[\w-]+-)?key$/;

/** Query parameters of signed URLs that are not secret. */
const PUBLIC_SIGNING =
  /^x-(?:amz|goog|oss|cos)-(?:algorithm|date|expires|signedheaders|version|target|id|meta-.*|request-.*)$/;
const SIGNING = /^x-(?:amz|goog|oss|cos)-/;

const OAUTH_PATH = /(?:oauth|openid|token|authori[sz]e|callback|login|signin|connect)/i;

/** Names of objects whose members are all secret; an `api_key` object only describes a key. */
const GROUPS = toSet('clientsecret connectionstring privatekey secret sharedsecret signingkey');

/** The location of a named value. */
export interface NamedPlace {
  readonly kind: 'header' | 'query' | 'member';
  /** The path of the request; `code` is a secret in the requests of OAuth. */
  readonly path?: string;
}

/** Decides by its name whether a value is a secret. */
export function isSecretName(name: string, value: unknown, place: NamedPlace): boolean {
  const { kind, path } = place;
  const inList = typeof value === 'string' && isSecretList(name) ? 'random' : undefined;
  const known = classify(name) ?? inList ?? (kind === 'member' ? undefined : classifyParameter(name, place));
  const isCode = known === undefined && kind !== 'header' && path !== undefined && /^code$/i.test(name);
  const found = isCode && OAUTH_PATH.test(path) ? 'text' : known;
  if (found === undefined || typeof value === 'boolean' || value === null) return false;
  if (found === 'card') return (typeof value === 'string' || typeof value === 'number') && hasCardNumber(`${value}`);
  if (typeof value === 'number') return found === 'always' && Math.abs(value) >= 1000;
  if (typeof value !== 'string') return found !== 'random' && found !== 'opaque';
  if (value === '' || isPublicValue(value)) return false;
  if (found === 'opaque') return isOpaque(value);
  if (found === 'random') return isRandom(value) && /^[\w-]{20,}$/.test(value) && !UUID.test(value);
  return found !== 'text' || !/\s/.test(value.trim());
}

/** Whether all members of an object with this name are secret. */
export function isSecretGroup(name: string): boolean {
  return GROUPS.has(toBareName(name));
}

/** Whether everything in an object with this name is hidden from readers; an object named after a token or key has more than that. */
export function isSecretObject(name: string): boolean {
  const kind = classify(toElementName(name));
  return kind === 'always' || (kind === 'credentials' && !/(?:token|key)$/.test(toBareName(name)));
}

/** Whether the elements of a list with this name are secret; `tokens` are parts of a sentence, and `signing_keys` are those that verify. */
export function isSecretList(name: string): boolean {
  if (/signing_?keys$/i.test(name)) return false;
  const kind = classify(toElementName(name));
  return kind === 'always' || kind === 'credentials';
}

/** The name of one element of a list: `passwords` -> `password`. */
export function toElementName(name: string): string {
  return /[a-z]s$/i.test(name) && !/(?:pass|ss)$/i.test(name) ? name.slice(0, -1) : name;
}

/**
 * Whether a string is so long and random that the same text elsewhere is the same secret: at least 12 characters, 8 of them different,
 * that often change between digits, small letters and capital letters. Words, dates and numbered names do not.
 */
export function isRandom(text: string): boolean {
  if (text.length < 12 || /^\d{4}-\d\d-\d\d[T ]/.test(text)) return false;
  const distinct = new Set(text).size;
  if (/^\d+$/.test(text)) return text.length >= 16 && distinct >= 6;
  if (distinct < 8) return false;
  let changes = 0;
  for (let i = 1; i < text.length; i += 1) {
    const [before, after] = [readClass(text.charCodeAt(i - 1)), readClass(text.charCodeAt(i))];
    // A capital letter before a small one is the beginning of a word.
    if (before !== after && before > 0 && after > 0 && !(before === 3 && after === 2)) changes += 1;
  }
  return changes >= 3 && changes >= text.length / 9;
}

/** 1 for a digit, 2 for a small letter, 3 for a capital letter, 0 for others. */
function readClass(code: number): number {
  if (code >= 48 && code <= 57) return 1;
  if (code >= 97 && code <= 122) return 2;
  return code >= 65 && code <= 90 ? 3 : 0;
}

const NOT_SECRET = /^(?:true|false|null|none|undefined|yes|no|["']?[*•.]+["']?|(?:hmac[-_]?)?sha[-_]?\d{1,3})$/i;
/** What is written in place of a value: `$API_KEY`, `${API_KEY}`, `<token>`, `{{token}}`, `[password]`. */
const PLACEHOLDER = /^(?:\$\{?[A-Z][A-Z\d_]*\}?|<[\w .-]+>|\{{1,2}[\w .-]+\}{1,2}|\[[a-z_ ]+\])$/;
const PLAIN_URL = /^https?:\/\/[^\s#@]*$/i;

/** Whether a value is public whatever its name. */
function isPublicValue(value: string): boolean {
  return (
    NOT_SECRET.test(value) ||
    PLACEHOLDER.test(value) ||
    (PLAIN_URL.test(value) && !value.split(/[/?&=]/).some(isRandom))
  );
}

/** Whether a value identifies more than a method (`oauth2`), and is not a UUID, an id with a prefix (`cs_1a2b`) or words. */
function isOpaque(value: string): boolean {
  return value.length >= 12 && !/\s|^[a-z]{2,8}_|^[a-z]+\d?(?:[-_.][a-z]+\d?)+$|^\d+$/.test(value) && !UUID.test(value);
}

/** Whether a string is the number of a card, with or without separators. */
function hasCardNumber(text: string): boolean {
  return /^\d(?:[ -]?\d){11,18}$/.test(text) && hasCheckDigit(text);
}

/** The check digit of card numbers (Luhn, ISO/IEC 7812-1 annex B). */
export function hasCheckDigit(text: string): boolean {
  const digits = Array.from(text.replaceAll(/\D/g, ''), Number).toReversed();
  const sum = digits.reduce((total, digit, i) => {
    const doubled = i % 2 === 1 ? digit * 2 : digit;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  // A run of one digit is an example.
  return sum % 10 === 0 && new Set(digits).size > 1;
}

const classify = memoizeText((name): SecretName | undefined => {
  // `card[db-password]` in a form is the member `db-password`.
  const words = readWords(/\[([^[\]]+)\]$/.exec(name)?.[1] ?? name);
  const plain = words.join('');
  const last = words.at(-1) ?? '';
  const before = words.at(-2) ?? '';
  if (CREDENTIALS.has(plain)) return 'credentials';
  if (STRONG.has(last)) return 'always';
  if (last === 'token' && PUBLIC_TOKENS.has(before)) return undefined;
  if (/^x?(?:csrf|xsrf)/.test(plain)) return 'text';
  if (plain.includes('password') && !DESCRIPTIONS.has(last)) return 'credentials';
  if (FUSED.has(plain) || FUSED_END.test(plain)) return 'credentials';
  if (CODES.test(plain)) return 'always';
  if (CARDS.test(plain)) return 'card';
  if (WEAK.has(last)) return 'text';
  if (plain === 'access' || plain === 'refresh') return 'random';
  if (OPAQUE.has(last) || /(?:^|[^a-z])session[^a-z]*id$|^sessionid$/.test(words.join('_'))) return 'opaque';
  if (last === 'key' && SECRET_KEYS.has(before)) return 'credentials';
  if (last === 'string' && before === 'connection') return 'credentials';
  return VENDOR_KEY.test(name.toLowerCase()) ? 'credentials' : undefined;
});

/** Classifies names that are secret in a header or query parameter only: ordinary members have them too. */
function classifyParameter(name: string, { kind }: NamedPlace): SecretName | undefined {
  const lower = name.toLowerCase();
  if (kind === 'header') return HEADER.test(lower) ? 'credentials' : undefined;
  if (SIGNING.test(lower)) return PUBLIC_SIGNING.test(lower) ? undefined : 'credentials';
  return lower === 'key' ? 'random' : undefined;
}

// Words that mark a header as secret, as in `x-acme-access-token-v2` and `stripe-signature`.
const HEADER =
  /(?:^|-)(?:api-?key|secret|password|(?:access|auth|refresh|session|id|security|csrf|bearer)-token|session-?id|signature)(?:$|-(?!input$))/;

function toSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}
