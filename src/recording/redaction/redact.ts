import type { Contract } from '../../contract/contract.js';
import type { Operation } from '../../contract/operations/operation.js';
import { toPointer } from '../../contract/pointer.js';
import { MockError } from '../../errors.js';
import type { Validators } from '../../schema/validate.js';
import type { WrittenText } from '../cassette/cassette-writer.js';
import type { NewExchange } from '../cassette/exchange.js';
import { ANY_SHAPE, createPlaceholderRegistry, type PlaceholderRegistry } from './placeholder.js';
import { visitExchange } from './redact-exchange.js';
import { createSecretRules, type RedactionOptions, type SecretPattern } from './secret-rules.js';
import { createSecretWalk, type SecretWalk, type VisitText } from './secret-walk.js';

/** Replaces secrets by placeholders. */
export interface Redactor {
  /** The exchange without its secrets. */
  redact(exchange: NewExchange, operation: Operation): NewExchange;
  /** Searches texts for secrets before they are written. @throws MockError `RECORDING_SECRET` with the pointer and the rule. */
  scan(texts: readonly WrittenText[]): void;
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
  const watched = parts.watched.filter(({ value }) => value !== '').toSorted((x, y) => y.value.length - x.value.length);

  // Two passes: first all locations of secrets, then all strings. A key that only its header reveals is then also replaced
  // in the URL, which is visited earlier.
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
    for (const [secret, placeholder] of placeholders.known) {
      if (clean.includes(secret)) clean = clean.replaceAll(secret, placeholder);
      const encoded = encodeURIComponent(secret);
      if (encoded !== secret && clean.includes(encoded)) clean = clean.replaceAll(encoded, placeholder);
    }
    return replacePatterns(clean, rules.patterns, (secret, rule) =>
      placeholders.isPlaceholder(secret)
        ? secret
        : placeholders.placeholder(secret, { ...(secret === text ? location : ANY_SHAPE), rule }),
    );
  };

  return {
    placeholders,
    scan: createFinalScan(placeholders, rules.patterns, watched),
    redact: (exchange, operation) => {
      visitExchange(exchange, { operation, walk, visit: collect });
      return visitExchange(exchange, { operation, walk, visit: replace });
    },
  };
}

/** Replaces every secret and placeholder when requests are compared, because their values may differ. */
const MASK = '\u2039secret\u203a';

/** Creates the walk through requests and the visit that masks every secret and placeholder. */
export function createMask(
  { contract, validators, options }: Pick<RedactorParts, 'contract' | 'validators' | 'options'>,
  isPlaceholder: (text: string) => boolean,
): { readonly walk: SecretWalk; readonly mask: VisitText } {
  const rules = createSecretRules(options);
  const mask: VisitText = (text, location) => {
    if (text === '') return text;
    if (location.rule !== undefined || isPlaceholder(text)) return MASK;
    return replacePatterns(text, rules.patterns, () => MASK);
  };
  return { walk: createSecretWalk(contract, validators, rules), mask };
}

/** Replaces the matches of patterns in a string. */
export function replacePatterns(
  text: string,
  patterns: readonly SecretPattern[],
  replace: (secret: string, rule: string) => string,
): string {
  let clean = text;
  for (const { rule, pattern } of patterns) {
    pattern.lastIndex = 0;
    if (!pattern.test(clean)) continue;
    pattern.lastIndex = 0;
    clean = clean.replace(pattern, (match: string, ...rest: unknown[]) => {
      const groups = rest.at(-1);
      const secret = typeof groups === 'object' && groups !== null ? (groups as { secret?: string }).secret : match;
      if (secret === undefined) return match;
      return match === secret ? replace(secret, rule) : replaceLast(match, secret, replace(secret, rule));
    });
  }
  return clean;
}

function replaceLast(text: string, part: string, by: string): string {
  const at = text.lastIndexOf(part);
  return `${text.slice(0, at)}${by}${text.slice(at + part.length)}`;
}

/** Searches for registered secrets, watched secrets and patterns. */
function createFinalScan(
  placeholders: PlaceholderRegistry,
  patterns: readonly SecretPattern[],
  watched: readonly WatchedSecret[],
): Redactor['scan'] {
  const variants = new Map<string, readonly string[]>();
  const findSecret = (text: string, value: string): string | undefined => {
    const known = variants.get(value) ?? toVariants(value);
    variants.set(value, known);
    return known.find((variant) => text.includes(variant));
  };
  const findKnown = (text: string): Hit | undefined => {
    for (const { rule, value } of watched) {
      const found = findSecret(text, value);
      if (found !== undefined) return { rule, found };
    }
    for (const secret of placeholders.secrets()) {
      const found = findSecret(text, secret);
      if (found !== undefined) return { rule: 'known', found };
    }
    return undefined;
  };
  const findPattern = (text: string): Hit | undefined => {
    let hit: Hit | undefined;
    replacePatterns(text, patterns, (found, rule) => {
      if (!isIssued(placeholders, found)) hit ??= { rule, found };
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

/** The forms of a secret in a file: plain, JSON, URL and base64. */
function toVariants(secret: string): readonly string[] {
  const base64 = Buffer.from(secret).toString('base64');
  return [...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), base64])];
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
    hint: 'add the member to `redact.keys` or the header to `redact.headers`; if it is not a secret, add it to `redact.keep`',
  });
}

/** The pointer of the first string in a JSON text that contains `found`. */
function findPointer(text: string, found: string): string | undefined {
  const search = (value: unknown, pointer: string): string | undefined => {
    if (typeof value === 'string') return JSON.stringify(value).includes(found) ? pointer : undefined;
    if (typeof value !== 'object' || value === null) return undefined;
    for (const [name, member] of Object.entries(value)) {
      const below = pointer + toPointer(name);
      const hit = JSON.stringify(name).includes(found) ? below : search(member, below);
      if (hit !== undefined) return hit;
    }
    return undefined;
  };
  try {
    return search(JSON.parse(text), '');
  } catch {
    return undefined;
  }
}
