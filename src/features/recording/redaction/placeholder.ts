import { DAY_MS } from '../../../base/clock.js';
import type { SchemaObject } from '../../../base/json.js';
import type { IssuedPlaceholder } from '../cassette/manifest.js';
import { createSecretIndex, type SecretIndex } from './secret-index.js';

/** The rules of the contract for the location of a secret. */
export interface SecretShape {
  /** The schemas of the location. */
  shapes(): readonly SchemaObject[];
  /** Whether a string is valid there. */
  accepts(candidate: string): boolean;
}

/** The facts about a secret when its placeholder is created: its location and the rule that detected it. */
type SecretFacts = SecretShape & {
  readonly rule: string;
  /** The beginning of the secret that only shows its kind. */
  readonly literal?: string | undefined;
};

/** The shape of a location without schemas. */
export const ANY_SHAPE: SecretShape = Object.freeze({ shapes: () => [], accepts: () => true });

/** Maps secrets to placeholders: the same secret has the same placeholder everywhere. */
export interface PlaceholderRegistry {
  /** The placeholder of a secret, created on first use. */
  placeholder(secret: string, facts: SecretFacts): string;
  /** Whether a string is a placeholder of this run or of an earlier one of the cassette. */
  isPlaceholder(text: string): boolean;
  /** The placeholders that were created since the last call, each with its rule. */
  takeNew(): readonly IssuedPlaceholder[];
  /** The secrets that were detected by their location, which no pattern finds elsewhere. */
  readonly known: SecretIndex;
}

const PLACEHOLDER = /^[\w.-]*REDACTED\d{4,}$/;

/** Creates a registry whose ordinals continue after the ordinals of `earlier`. */
export function createPlaceholderRegistry(earlier: Readonly<Record<string, string>>): PlaceholderRegistry {
  const bySecret = new Map<string, string>();
  const issued = new Set<string>(Object.keys(earlier));
  const known = createSecretIndex();
  let created: IssuedPlaceholder[] = [];
  const issue = (placeholder: string, rule: string): void => {
    issued.add(placeholder);
    created.push([placeholder, rule]);
  };
  return {
    placeholder: (secret, facts) => {
      const existing = bySecret.get(secret);
      if (existing !== undefined) return existing;
      // A placeholder of another cassette, such as an exported one that is imported again.
      if (!issued.has(secret) && PLACEHOLDER.test(secret)) issue(secret, facts.rule);
      if (issued.has(secret)) return secret;
      let ordinal = issued.size + 1;
      while (issued.has(createPlaceholder(secret, ordinal, facts))) ordinal += 1;
      const placeholder = createPlaceholder(secret, ordinal, facts);
      bySecret.set(secret, placeholder);
      issue(placeholder, facts.rule);
      if (!facts.rule.startsWith('pattern:')) known.add(secret, placeholder);
      return placeholder;
    },
    isPlaceholder: (text) => issued.has(text),
    takeNew: () => {
      const taken = created;
      created = [];
      return taken;
    },
    known,
  };
}

/** The first candidate that is valid at the location of the secret; without one, the plain form. */
function createPlaceholder(secret: string, ordinal: number, facts: SecretFacts): string {
  for (const candidate of listCandidates(secret, ordinal, facts)) if (facts.accepts(candidate)) return candidate;
  return fill(readPublicPrefix(secret, facts), secret.length, ordinal);
}

function* listCandidates(secret: string, ordinal: number, facts: SecretFacts): Generator<string> {
  if (facts.rule === 'pattern:jwt') {
    const payload = Buffer.from(`{"redacted":${ordinal}}`).toString('base64url');
    yield `eyJhbGciOiJub25lIn0.${payload}.${fill('', 0, ordinal)}`;
  }
  if (facts.rule === 'pattern:pem') {
    const label = /-----BEGIN ([A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?)-----/.exec(secret)?.[1] ?? 'PRIVATE KEY';
    yield `-----BEGIN ${label}-----\n${fill('', 16, ordinal)}\n-----END ${label}-----`;
  }
  if (facts.rule === 'pattern:card') yield `1${String(ordinal).padStart(secret.length - 1, '0')}`;
  for (const { format } of facts.shapes()) {
    const create = format === undefined ? undefined : BY_FORMAT[format];
    if (create !== undefined) yield create(ordinal);
  }
  yield fill(readPublicPrefix(secret, facts), secret.length, ordinal);
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
  date: (ordinal) => new Date(ordinal * DAY_MS).toISOString().slice(0, 10),
  byte: (ordinal) => Buffer.from(`REDACTED${ordinal}`).toString('base64'),
};

/** The prefix of a secret that only shows its kind; empty for rules without such a prefix. */
function readPublicPrefix(secret: string, { rule, literal = '' }: SecretFacts): string {
  return PREFIXES[rule]?.exec(secret)?.[0] ?? (secret.startsWith(literal) ? literal : '');
}

const PREFIXES: Readonly<Record<string, RegExp>> = {
  'pattern:sk': /^sk-(?:(?:admin|ant|proj|svcacct|live|test|or|api\d*)-)*/,
  'pattern:stripe': /^(?:(?:sk|rk)_(?:live|test)|whsec)_/,
  'pattern:github': /^(?:gh[pousr]|github_pat)_/,
  'pattern:gitlab': /^gl\w+-/,
  'pattern:slack': /^x\w{3,4}-/,
  'pattern:aws': /^A[A-Z]{3}/,
  'pattern:digitalocean': /^do\w_v1_/,
  'pattern:shopify': /^shp\w\w_/,
  'pattern:hashicorp': /^(?:hv[sbr]|s)\./,
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
