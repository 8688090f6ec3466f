import type { SchemaObject } from '../../contract/json.js';

/** What the contract says about the location of a secret. */
export interface SecretShape {
  /** The schemas of the location. */
  shapes(): readonly SchemaObject[];
  /** Whether a string is valid there. */
  accepts(candidate: string): boolean;
}

/** What is known about a secret when its placeholder is created: its location and the rule that detected it. */
type SecretFacts = SecretShape & { readonly rule: string };

/** The shape of a location without schemas. */
export const ANY_SHAPE: SecretShape = Object.freeze({ shapes: () => [], accepts: () => true });

/** Maps secrets to placeholders: the same secret has the same placeholder everywhere. */
export interface PlaceholderRegistry {
  /** The placeholder of a secret, created on first use. */
  placeholder(secret: string, facts: SecretFacts): string;
  /** Whether a string is a placeholder of this run or of an earlier one of the cassette. */
  isPlaceholder(text: string): boolean;
  /** The rule that each placeholder was created by. */
  readonly issued: ReadonlyMap<string, string>;
  /** Secrets detected by their location, which no pattern finds elsewhere; longest first. */
  readonly known: readonly (readonly [secret: string, placeholder: string])[];
  /** Every secret of this run that is long enough to search for. */
  secrets(): Iterable<string>;
}

/** Shorter secrets are only replaced at their location: replacing `1234` everywhere would change unrelated text. */
const SEARCHABLE_LENGTH = 8;

const PLACEHOLDER = /^[\w-]*REDACTED\d{4,}$/;

/** Creates a registry whose ordinals continue after those of `earlier`. */
export function createPlaceholderRegistry(earlier: Readonly<Record<string, string>>): PlaceholderRegistry {
  const bySecret = new Map<string, string>();
  const issued = new Map<string, string>(Object.entries(earlier));
  let known: readonly (readonly [string, string])[] = [];
  return {
    placeholder: (secret, facts) => {
      const existing = bySecret.get(secret);
      if (existing !== undefined) return existing;
      // A placeholder of another cassette, such as an exported one that is imported again.
      if (!issued.has(secret) && PLACEHOLDER.test(secret)) issued.set(secret, facts.rule);
      if (issued.has(secret)) return secret;
      let ordinal = issued.size + 1;
      while (issued.has(createPlaceholder(secret, ordinal, facts))) ordinal += 1;
      const created = createPlaceholder(secret, ordinal, facts);
      bySecret.set(secret, created);
      issued.set(created, facts.rule);
      if (!facts.rule.startsWith('pattern:') && secret.length >= SEARCHABLE_LENGTH) {
        known = [...known, [secret, created] as const].sort(([x], [y]) => y.length - x.length);
      }
      return created;
    },
    isPlaceholder: (text) => issued.has(text),
    issued,
    get known() {
      return known;
    },
    secrets: function* () {
      for (const secret of bySecret.keys()) if (secret.length >= SEARCHABLE_LENGTH) yield secret;
    },
  };
}

/** The first candidate that is valid at the location of the secret; without one, the plain form. */
function createPlaceholder(secret: string, ordinal: number, facts: SecretFacts): string {
  for (const candidate of listCandidates(secret, ordinal, facts)) if (facts.accepts(candidate)) return candidate;
  return fill(readPublicPrefix(secret, facts.rule), secret.length, ordinal);
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
    const create = format === undefined ? undefined : BY_FORMAT[format];
    if (create !== undefined) yield create(ordinal);
  }
  yield fill(readPublicPrefix(secret, facts.rule), secret.length, ordinal);
  for (const { pattern } of facts.shapes()) {
    // The literal prefix of the pattern is public.
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

/** The prefix of a secret that only tells its kind; empty for rules without such a prefix. */
function readPublicPrefix(secret: string, rule: string): string {
  return PREFIXES[rule]?.exec(secret)?.[0] ?? '';
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

/** `REDACTED` and the ordinal, padded with zeros to the length of the secret: `sk-admin-REDACTED000001`. */
function fill(prefix: string, length: number, ordinal: number): string {
  const room = length - prefix.length - 'REDACTED'.length;
  return `${prefix}REDACTED${String(ordinal).padStart(Math.max(4, room), '0')}`;
}

function fillLetters(length: number, ordinal: number, word: string): string {
  const zero = word === 'REDACTED' ? 'A' : 'a';
  let letters = '';
  for (let rest = ordinal; rest > 0; rest = Math.floor(rest / 26))
    letters = String.fromCharCode(zero.charCodeAt(0) + (rest % 26)) + letters;
  return `${word}${letters.padStart(Math.max(0, length - word.length), zero)}`.slice(-Math.max(length, 1));
}

const CLASSES: readonly (readonly [pattern: RegExp, characters: string])[] = [
  [/[0-9]/, '0123456789'],
  [/[a-f]/, 'abcdef'],
  [/[g-z]/, 'abcdefghijklmnopqrstuvwxyz'],
  [/[A-Z]/, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
];

/** Replaces every character by one of its class; the last ones encode the ordinal. */
function toSameClasses(secret: string, ordinal: number): string {
  let rest = ordinal;
  const replace = (character: string): string => {
    const [, characters] = CLASSES.find(([pattern]) => pattern.test(character)) ?? [];
    if (characters === undefined) return character;
    const digit = rest % characters.length;
    rest = Math.floor(rest / characters.length);
    return characters.charAt(digit);
  };
  return Array.from(secret).reduceRight((text, character) => replace(character) + text, '');
}
