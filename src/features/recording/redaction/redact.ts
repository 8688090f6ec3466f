import type { Contract } from '../../../contract/contract.js';
import type { Operation } from '../../../contract/operations/operation.js';
import { readSegments, toPointer } from '../../../contract/pointer.js';
import { MockError } from '../../../base/errors.js';
import { isObject } from '../../../base/json.js';
import { decodePrintable, replacePatterns, type SecretPattern } from '../../../conventions/secret-forms.js';
import { isRandom } from '../../../conventions/secret-names.js';
import type { Validators } from '../../../schema/validate.js';
import type { WrittenText } from '../cassette/cassette-writer.js';
import { readJson } from '../../../base/exact-json.js';
import { ExactNumber } from '../../../base/exact-number.js';
import type { NewExchange } from '../cassette/exchange.js';
import { ANY_SHAPE, createPlaceholderRegistry, type PlaceholderRegistry } from './placeholder.js';
import { visitExchange } from './redact-exchange.js';
import { toForms } from './secret-index.js';
import { createSecretRules, type RedactionOptions, type SecretRules } from './secret-rules.js';
import { createSecretWalk, type SecretWalk, type VisitText } from './secret-walk.js';

/** Replaces secrets by placeholders. */
export interface Redactor {
  /** The exchange without its secrets. */
  redact(exchange: NewExchange, operation: Operation): NewExchange;
  /** Searches texts for secrets before they are written. @throws MockError `RECORDING_SECRET` with the pointer and the rule. */
  scan(texts: readonly WrittenText[]): void;
  /** The exchange without the secret that `scan` has found; undefined if its place in the exchange is unknown. */
  redactPlace(exchange: NewExchange, error: MockError): NewExchange | undefined;
  readonly placeholders: PlaceholderRegistry;
}

interface RedactorParts {
  readonly contract: Contract;
  readonly validators: Validators;
  readonly options: RedactionOptions;
  /** The placeholders that the cassette already contains. */
  readonly earlier: Readonly<Record<string, string>>;
  /** Secrets whose values are known in advance: environment variables and the recorder's own credentials. */
  readonly watched: readonly WatchedSecret[];
}

/** A secret whose value is known in advance. */
export interface WatchedSecret {
  readonly rule: string;
  readonly value: string;
}

/** Creates the redactor of one cassette. */
export function createRedactor(parts: RedactorParts): Redactor {
  const rules = createSecretRules(parts.options);
  const walk = createSecretWalk(parts.contract, parts.validators, rules);
  const placeholders = createPlaceholderRegistry(parts.earlier);
  const patterns = [...rules.patterns, createEncodedForm(rules, placeholders)];
  const literals = new Map(patterns.map(({ rule, literal }) => [rule, literal]));
  const watched = parts.watched.filter(({ value }) => value !== '').toSorted((x, y) => y.value.length - x.value.length);

  /** Whether text has a placeholder and no other secret: `Bearer REDACTED0001`. */
  const isRedacted = (text: string): boolean =>
    isIssued(placeholders, text) ||
    isRedactedBasic(placeholders, text) ||
    (/REDACTED\d{4,}/.test(text) && !isRandom(text.replaceAll(/[\w.-]*REDACTED\d{4,}/g, '')));

  // In a pass of its own: a key that only its header reveals is then also replaced in the URL, which is visited earlier.
  const collect: VisitText = (text, location) => {
    const { rule } = location;
    if (rule !== undefined && text !== '') placeholders.placeholder(text, { ...location, rule });
    return text;
  };
  const replace: VisitText = (text, location) => {
    if (text === '' || placeholders.isPlaceholder(text)) return text;
    const { rule: own } = location;
    if (own !== undefined) return placeholders.placeholder(text, { ...location, rule: own });
    let clean = text;
    for (const { rule, value } of watched) {
      if (clean.includes(value)) {
        clean = clean.replaceAll(value, placeholders.placeholder(value, { ...location, rule }));
      }
    }
    return replacePatterns(placeholders.known.replace(clean), patterns, (secret, rule) => {
      if (isRedacted(secret)) return secret;
      const literal = literals.get(rule);
      return placeholders.placeholder(secret, { ...(secret === text ? location : ANY_SHAPE), rule, literal });
    });
  };

  return {
    placeholders,
    scan: createFinalScan(placeholders, { patterns, watched, isRedacted }),
    redactPlace: (exchange, { at }) => {
      const pointer = toExchangePointer(at);
      if (pointer === undefined) return undefined;
      const segments = readSegments(pointer);
      return replaceAt(exchange, segments, (text) => {
        const clean = replace(text, { ...ANY_SHAPE, rule: undefined });
        if (clean !== text) return clean;
        return placeholders.placeholder(text, { ...ANY_SHAPE, rule: `key:${segments.at(-1) ?? ''}` });
      });
    },
    redact: (exchange, operation) => {
      visitExchange(exchange, { operation, walk, visit: collect });
      return visitExchange(exchange, { operation, walk, visit: replace });
    },
  };
}

/**
 * Base64 and hexadecimal text with a secret inside: a known one, one with a form, or a member of JSON with the name of a secret. A signature
 * in it is that of a public log.
 */
function createEncodedForm(rules: SecretRules, placeholders: PlaceholderRegistry): SecretPattern {
  const hasForm = (text: string): boolean => {
    let isFound = placeholders.known.find(text) !== undefined;
    replacePatterns(text, rules.patterns, (secret) => {
      isFound ||= !placeholders.isPlaceholder(secret);
      return secret;
    });
    return isFound;
  };
  const isSecret = (name: string, value: unknown): boolean =>
    !/sig(?:nature)?s?$/i.test(name) && rules.key(name, value) !== undefined;
  const hasSecret = (value: unknown): boolean => {
    if (typeof value === 'string') return hasForm(value);
    if (Array.isArray(value)) return value.some(hasSecret);
    return isObject(value) && Object.entries(value).some(([name, each]) => isSecret(name, each) || hasSecret(each));
  };
  return {
    rule: 'pattern:encoded',
    pattern: /(?<![\w+/=-])[A-Za-z0-9+/_-]{16,65536}={0,2}(?![\w+/=-])/g,
    minLength: 16,
    hasRun: true,
    accepts: (text) => {
      const decoded = decodePrintable(text);
      return decoded !== undefined && hasSecret(/^\s*[{[]/.test(decoded) ? readValue(decoded) : decoded);
    },
  };
}

/** The value of JSON; text that is not JSON as it is. */
function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The pointer into the exchange of a place in a file of it. */
function toExchangePointer(at: MockError['at']): string | undefined {
  if (at?.file === undefined || at.pointer === undefined) return undefined;
  // A large body has a file of its own, in which pointers begin at the value.
  const [, request] = /^bodies\/\d+(\.request)?\.bin$/.exec(at.file) ?? [];
  if (!at.file.startsWith('bodies/')) return at.pointer;
  return at.file.includes('.part-')
    ? undefined
    : `/${request === undefined ? 'response' : 'request'}/body${at.pointer}`;
}

/** A copy with another string or number at a place; undefined if there is none. */
function replaceAt<T>(
  value: T,
  [segment, ...rest]: readonly string[],
  change: (text: string) => string,
): T | undefined {
  if (segment === undefined) {
    const isScalar = typeof value === 'string' || typeof value === 'number' || value instanceof ExactNumber;
    // The caller does not depend on the type of a value inside of a body.
    return isScalar ? (change(value instanceof ExactNumber ? value.source : String(value)) as T) : undefined;
  }
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
  const members = value as Readonly<Record<string, unknown>>;
  const changed = replaceAt(members[segment], rest, change);
  if (changed === undefined) return undefined;
  if (Array.isArray(value)) return value.map((item: unknown, i) => (String(i) === segment ? changed : item)) as T;
  return { ...value, [segment]: changed };
}

/** Replaces every secret and placeholder when requests are compared, because their values may differ. */
const MASK = '\u2039secret\u203a';

/** How requests are masked when they are compared. */
export interface Mask {
  readonly walk: SecretWalk;
  /** Masks a secret, a placeholder, and the forms of secrets inside of text. */
  readonly mask: VisitText;
  /** The mark in place of a secret. */
  readonly mark: string;
  isPlaceholder(text: string): boolean;
}

/** Creates the mask of a cassette. */
export function createMask(
  { contract, validators, options }: Pick<RedactorParts, 'contract' | 'validators' | 'options'>,
  isPlaceholder: (text: string) => boolean,
): Mask {
  const rules = createSecretRules(options);
  const maskPlaceholder = (text: string): string => (isPlaceholder(text) ? MASK : text);
  const mask: VisitText = (text, location) => {
    if (text === '') return text;
    if (location.rule !== undefined || isPlaceholder(text)) return MASK;
    const clean = text.includes('REDACTED') ? text.replaceAll(/[\w.-]*REDACTED\d{4,}/g, maskPlaceholder) : text;
    return replacePatterns(clean, rules.patterns, () => MASK);
  };
  return { walk: createSecretWalk(contract, validators, rules), mask, mark: MASK, isPlaceholder };
}

/** Searches for registered secrets, watched secrets and patterns. */
function createFinalScan(
  { known }: PlaceholderRegistry,
  {
    patterns,
    watched,
    isRedacted,
  }: {
    readonly patterns: readonly SecretPattern[];
    readonly watched: readonly WatchedSecret[];
    isRedacted(text: string): boolean;
  },
): Redactor['scan'] {
  const forms = watched.map(({ rule, value }) => ({ rule, forms: toForms(value) }));
  const findKnown = (text: string): Hit | undefined => {
    for (const { rule, forms: list } of forms) {
      const found = list.find((form) => text.includes(form));
      if (found !== undefined) return { rule, found };
    }
    const found = known.find(text);
    return found === undefined ? undefined : { rule: 'known', found };
  };
  const findPattern = (text: string): Hit | undefined => {
    let hit: Hit | undefined;
    replacePatterns(text, patterns, (found, rule) => {
      if (!isRedacted(found)) hit ??= { rule, found };
      return found;
    });
    return hit;
  };
  return (texts) => {
    for (const { file, text } of texts) {
      const hit = findKnown(file) ?? findKnown(text) ?? findPattern(text);
      if (hit !== undefined) throw refuse(file, text, hit);
    }
  };
}

interface Hit {
  readonly rule: string;
  readonly found: string;
}

/** Whether text is the base64 of a user and a password that are placeholders (RFC 7617). */
function isRedactedBasic(placeholders: PlaceholderRegistry, text: string): boolean {
  const halves = Buffer.from(text, 'base64').toString('utf8').split(':');
  return halves.length === 2 && halves.every((half) => half === '' || placeholders.isPlaceholder(half));
}

/** Whether the match of a pattern is a placeholder, with or without JSON escapes. */
function isIssued(placeholders: PlaceholderRegistry, found: string): boolean {
  if (placeholders.isPlaceholder(found)) return true;
  try {
    return placeholders.isPlaceholder(JSON.parse(`"${found}"`) as string);
  } catch {
    return false;
  }
}

function refuse(file: string, text: string, { rule, found }: Hit): MockError {
  const pointer = findPointer(text, found);
  const message = `a secret remains after redaction (rule ${rule}); the exchange was not written`;
  return new MockError('RECORDING_SECRET', message, {
    // Without a line, because the file does not exist.
    at: { file, ...(pointer !== undefined && { pointer }) },
    hint: 'its place is not a value that can be replaced: add the member to `redact.keys` or the header to `redact.headers`; if it is not a secret, add it to `redact.keep`',
  });
}

/** The pointer of the first string in a JSON text that contains `found`. */
function findPointer(text: string, found: string): string | undefined {
  const search = (value: unknown, pointer: string): string | undefined => {
    if (typeof value === 'string') return JSON.stringify(value).includes(found) ? pointer : undefined;
    if (value instanceof ExactNumber) return value.source === found ? pointer : undefined;
    if (typeof value === 'number') return String(value) === found ? pointer : undefined;
    if (typeof value !== 'object' || value === null) return undefined;
    for (const [name, member] of Object.entries(value)) {
      const below = pointer + toPointer(name);
      const hit = JSON.stringify(name).includes(found) ? below : search(member, below);
      if (hit !== undefined) return hit;
    }
    return undefined;
  };
  try {
    return search(readJson(text), '');
  } catch {
    return undefined;
  }
}
