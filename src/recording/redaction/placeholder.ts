import type { SchemaObject } from '../../contract/json.js';

/** What the contract says about the place a secret stands in. */
export interface SecretShape {
  /** Schemas of the place. */
  shapes(): readonly SchemaObject[];
  /** Whether a text is valid there. */
  accepts(candidate: string): boolean;
}

/** What is known about a secret when its placeholder is made. */
interface SecretFacts extends SecretShape {
  /** The rule that found it. */
  readonly rule: string;
}

/** A place of which nothing is known. */
export const ANY_SHAPE: SecretShape = Object.freeze({ shapes: () => [], accepts: () => true });

/** Secrets and what stands for them: the same secret gets the same placeholder wherever it turns up. */
export interface Vault {
  /** The placeholder of a secret; made when it is first asked for. */
  placeholder(secret: string, facts: SecretFacts): string;
  /** Whether a text is a placeholder, of this run or of the cassette's earlier ones. */
  isPlaceholder(text: string): boolean;
  /** Placeholder -> rule. */
  issued(): Readonly<Record<string, string>>;
  /** How many placeholders there are. */
  readonly size: number;
  /** The rule that a placeholder was made by. */
  ruleOf(placeholder: string): string | undefined;
  /** Secrets that are known by where they stood, and would not be recognised elsewhere; longest first. */
  readonly known: readonly (readonly [secret: string, placeholder: string])[];
  /** Every secret of this run that is long enough to be looked for. */
  secrets(): Iterable<readonly [secret: string, placeholder: string]>;
}

/** Shorter ones are replaced where they stand only: to look for `1234` everywhere would spoil innocent text. */
const SEARCHABLE_LENGTH = 8;

const OURS = /^[\w-]*REDACTED\d{4,}$/;

/** A vault whose ordinals go on after those of `earlier`. */
export function createVault(earlier: Readonly<Record<string, string>>): Vault {
  const bySecret = new Map<string, string>();
  const issued = new Map<string, string>(Object.entries(earlier));
  let known: readonly (readonly [string, string])[] = [];
  return {
    placeholder: (secret, facts) => {
      const found = bySecret.get(secret);
      if (found !== undefined) return found;
      if (issued.has(secret)) return secret;
      if (OURS.test(secret)) {
        // Out of another cassette: an export that is imported again.
        issued.set(secret, facts.rule);
        return secret;
      }
      let ordinal = issued.size + 1;
      while (issued.has(createPlaceholder(secret, ordinal, facts))) ordinal += 1;
      const made = createPlaceholder(secret, ordinal, facts);
      bySecret.set(secret, made);
      issued.set(made, facts.rule);
      if (!facts.rule.startsWith('pattern:') && secret.length >= SEARCHABLE_LENGTH) {
        known = [...known, [secret, made] as const].sort(([x], [y]) => y.length - x.length);
      }
      return made;
    },
    isPlaceholder: (text) => issued.has(text),
    issued: () => Object.fromEntries(issued),
    get size() {
      return issued.size;
    },
    ruleOf: (placeholder) => issued.get(placeholder),
    get known() {
      return known;
    },
    secrets: function* () {
      for (const entry of bySecret) if (entry[0].length >= SEARCHABLE_LENGTH) yield entry;
    },
  };
}

/** The first candidate that is valid where the secret stood; the plain one where none is. */
function createPlaceholder(secret: string, ordinal: number, facts: SecretFacts): string {
  const plain = fill(readPublicPrefix(secret, facts.rule), secret.length, ordinal);
  for (const candidate of listCandidates(secret, ordinal, facts)) if (facts.accepts(candidate)) return candidate;
  return plain;
}

function* listCandidates(secret: string, ordinal: number, facts: SecretFacts): Generator<string> {
  if (facts.rule === 'pattern:jwt') {
    const payload = Buffer.from(`{"redacted":${ordinal}}`).toString('base64url');
    yield `eyJhbGciOiJub25lIn0.${payload}.${fill('', 0, ordinal)}`;
  }
  if (facts.rule === 'pattern:pem') {
    const label = /-----BEGIN ([A-Z ]*PRIVATE KEY)-----/.exec(secret)?.[1] ?? 'PRIVATE KEY';
    yield `-----BEGIN ${label}-----\n${fill('', 16, ordinal)}\n-----END ${label}-----`;
  }
  for (const { format } of facts.shapes()) {
    const make = format === undefined ? undefined : BY_FORMAT[format];
    if (make !== undefined) yield make(ordinal);
  }
  yield fill(readPublicPrefix(secret, facts.rule), secret.length, ordinal);
  for (const { pattern } of facts.shapes()) {
    // What the contract itself publishes as the beginning of every value.
    const literal = /^\^((?:[\w-](?![?*+{|]))+)/.exec(pattern ?? '')?.[1];
    if (literal !== undefined) {
      yield fill(literal, secret.length, ordinal);
      yield literal + String(ordinal).padStart(Math.max(0, secret.length - literal.length), '0');
    }
  }
  yield String(ordinal).padStart(secret.length, '0');
  yield fillLetters(secret.length, ordinal, 'redacted');
  yield fillLetters(secret.length, ordinal, 'REDACTED');
  yield toSameClasses(secret, ordinal);
}

const BY_FORMAT: Readonly<Record<string, (ordinal: number) => string>> = {
  uuid: (ordinal) => `00000000-0000-4000-8000-${String(ordinal).padStart(12, '0')}`,
  email: (ordinal) => `redacted-${ordinal}@example.com`,
  uri: (ordinal) => `https://redacted-${ordinal}.example.com/`,
  url: (ordinal) => `https://redacted-${ordinal}.example.com/`,
  hostname: (ordinal) => `redacted-${ordinal}.example.com`,
  ipv4: (ordinal) => `192.0.2.${ordinal % 256}`,
  'date-time': (ordinal) => new Date(ordinal * 1000).toISOString(),
  date: (ordinal) => new Date(ordinal * 86_400_000).toISOString().slice(0, 10),
  byte: (ordinal) => Buffer.from(`REDACTED${ordinal}`).toString('base64'),
};

/** The part of a secret that only names its kind; a rule that knows no such part shows nothing of it. */
function readPublicPrefix(secret: string, rule: string): string {
  const prefix = PREFIXES[rule];
  return prefix?.exec(secret)?.[0] ?? '';
}

const PREFIXES: Readonly<Record<string, RegExp>> = {
  'pattern:sk': /^sk-(?:(?:admin|ant|proj|svcacct|live|test|or|api\d*)-)*/,
  'pattern:stripe': /^(?:(?:sk|rk)_(?:live|test)|whsec)_/,
  'pattern:github': /^(?:gh[pousr]|github_pat)_/,
  'pattern:gitlab': /^gl\w+-/,
  'pattern:slack': /^xox\w-/,
  'pattern:aws': /^(?:AKIA|ASIA)/,
  'pattern:google': /^AIza/,
  'pattern:npm': /^npm_/,
};

/** `REDACTED`, then the ordinal with as many zeros as the length asks for: `sk-admin-REDACTED000001`. */
function fill(prefix: string, length: number, ordinal: number): string {
  const room = length - prefix.length - 'REDACTED'.length;
  return `${prefix}REDACTED${String(ordinal).padStart(Math.max(4, room), '0')}`;
}

function fillLetters(length: number, ordinal: number, word: string): string {
  const first = word === 'REDACTED' ? 65 : 97;
  let letters = '';
  for (let rest = ordinal; rest > 0; rest = Math.floor(rest / 26))
    letters = String.fromCharCode(first + (rest % 26)) + letters;
  const zero = String.fromCharCode(first);
  return `${word}${letters.padStart(Math.max(0, length - word.length), zero)}`.slice(-Math.max(length, 1));
}

/** Every character replaced by one of its kind; the ordinal goes into the last ones. */
function toSameClasses(secret: string, ordinal: number): string {
  let rest = ordinal;
  return Array.from(secret)
    .toReversed()
    .map((character) => {
      const [first, size] = readClass(character);
      if (size === 0) return character;
      const digit = rest % size;
      rest = Math.floor(rest / size);
      return String.fromCharCode(first + digit);
    })
    .toReversed()
    .join('');
}

function readClass(character: string): readonly [first: number, size: number] {
  if (/[0-9]/.test(character)) return [48, 10];
  if (/[a-f]/.test(character)) return [97, 6];
  if (/[g-z]/.test(character)) return [97, 26];
  if (/[A-Z]/.test(character)) return [65, 26];
  return [0, 0];
}
