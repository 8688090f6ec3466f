import type { Contract } from '../../contract/contract.js';
import type { Operation } from '../../contract/operations/operation.js';
import { toPointer } from '../../contract/pointer.js';
import { MockError } from '../../errors.js';
import type { HeaderFields } from '../../http/header-fields.js';
import type { Validators } from '../../schema/validate.js';
import type { WrittenText } from '../cassette/cassette-writer.js';
import type { RecordedRequest, UnnumberedExchange } from '../cassette/exchange.js';
import { createVault, type Vault } from './placeholder.js';
import { createBodyRedaction } from './redact-body.js';
import { createSecretRules, type RedactionOptions, type SecretPattern } from './secret-rules.js';
import { createSecretWalk, readParameterPointers, type SecretWalk, type VisitText } from './secret-walk.js';

/** Puts placeholders where secrets are, the same one for the same secret. */
export interface Redactor {
  /** An exchange without its secrets. */
  redact(exchange: UnnumberedExchange, operation: Operation): UnnumberedExchange;
  /** The scan before a file is written. */
  readonly scan: FinalScan;
  readonly vault: Vault;
}

/** What a redactor is made of. */
interface RedactorParts {
  readonly contract: Contract;
  readonly validators: Validators;
  readonly options: RedactionOptions;
  /** Placeholders the cassette has already. */
  readonly earlier: Readonly<Record<string, string>>;
  /** Secrets that are known by name from the start: variables of the environment, the recorder's own credentials. */
  readonly watched: readonly WatchedSecret[];
}

/** A secret whose value is known before it is seen. */
interface WatchedSecret {
  readonly rule: string;
  readonly value: string;
}

/** A redactor for one cassette. */
export function createRedactor(parts: RedactorParts): Redactor {
  const rules = createSecretRules(parts.options);
  const walk = createSecretWalk(parts.contract, parts.validators, rules);
  const vault = createVault(parts.earlier);
  const watched = parts.watched.filter(({ value }) => value !== '').toSorted((x, y) => y.value.length - x.value.length);

  // First every place that holds a secret is visited, then every text: a key that is only recognised by the header it came
  // in must also leave the URL that was visited before.
  const collect: VisitText = (text, place) => {
    if (place.rule !== undefined && text !== '') vault.placeholder(text, { ...place, rule: place.rule });
    return text;
  };
  const replace: VisitText = (text, place) => {
    if (text === '' || vault.isPlaceholder(text)) return text;
    if (place.rule !== undefined) return vault.placeholder(text, { ...place, rule: place.rule });
    let clean = text;
    for (const { rule, value } of watched) {
      if (clean.includes(value)) clean = clean.replaceAll(value, vault.placeholder(value, { ...place, rule }));
    }
    for (const [secret, placeholder] of vault.known) {
      if (clean.includes(secret)) clean = clean.replaceAll(secret, placeholder);
      const encoded = encodeURIComponent(secret);
      if (encoded !== secret && clean.includes(encoded)) clean = clean.replaceAll(encoded, placeholder);
    }
    return replacePatterns(clean, rules.patterns, (secret, rule) =>
      vault.isPlaceholder(secret)
        ? secret
        : vault.placeholder(secret, { ...(secret === text ? place : ANYWHERE), rule }),
    );
  };

  return {
    vault,
    scan: createFinalScan(vault, rules.patterns, watched),
    redact: (exchange, operation) => {
      visitExchange(exchange, operation, { walk, visit: collect });
      return visitExchange(exchange, operation, { walk, visit: replace });
    },
  };
}

const ANYWHERE = { shapes: () => [], accepts: () => true };

/** What secrets are replaced by while requests are compared: which one it was does not matter then. */
const MARK = '\u2039secret\u203a';

/** Puts one mark in the place of every secret and every placeholder. */
export function createMask(options: RedactionOptions, isPlaceholder: (text: string) => boolean): VisitText {
  const { patterns } = createSecretRules(options);
  return (text, place) => {
    if (text === '') return text;
    if (place.rule !== undefined || isPlaceholder(text)) return MARK;
    return replacePatterns(text, patterns, () => MARK);
  };
}

/** The way through requests that knows which places hold secrets. */
export function createRequestWalk(parts: Pick<RedactorParts, 'contract' | 'validators' | 'options'>): SecretWalk {
  return createSecretWalk(parts.contract, parts.validators, createSecretRules(parts.options));
}

/** A text with what the patterns find replaced. */
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

interface Visit {
  readonly walk: SecretWalk;
  readonly visit: VisitText;
}

/** Bodies first: their schemas say most about the form of a placeholder. */
function visitExchange(exchange: UnnumberedExchange, operation: Operation, { walk, visit }: Visit): UnnumberedExchange {
  const { request, response } = exchange;
  const body = createBodyRedaction(walk, operation, visit);
  const cleanResponse =
    response === undefined
      ? undefined
      : { ...response, ...body.response(response), headers: visitHeaders(response.headers, { walk, visit }) };
  const direction = 'request' as const;
  const named = (kind: 'query' | 'path', name: string, text: string): string =>
    walk.named(name, text, { kind, visit, direction, pointers: readParameterPointers(operation, kind, name) });
  const cleanBody = body.request(request);
  const query = Object.entries(request.query).map(([name, value]) => [
    visit(name, { ...ANYWHERE, rule: undefined }),
    typeof value === 'string' ? named('query', name, value) : value.map((item) => named('query', name, item)),
  ]);
  const pathParams = Object.entries(request.pathParams).map(([name, value]) => [
    name,
    typeof value === 'string' ? named('path', name, value) : value,
  ]);
  const clean: typeof request = {
    ...request,
    ...cleanBody,
    query: Object.fromEntries(query) as typeof request.query,
    pathParams: Object.fromEntries(pathParams) as typeof request.pathParams,
    headers: visitHeaders(request.headers, { walk, visit }),
    path: visitPath(request, (text) => visit(text, { ...ANYWHERE, rule: undefined }), named),
  };
  const failure = exchange.failure && {
    ...exchange.failure,
    message: visit(exchange.failure.message, { ...ANYWHERE, rule: undefined }),
  };
  return { ...exchange, request: clean, response: cleanResponse, failure };
}

function visitHeaders(headers: HeaderFields, { walk, visit }: Visit): HeaderFields {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? walk.header(name, value, visit) : value.map((line) => walk.header(name, line, visit)),
    ]),
  );
}

/** The path's segments; one that is the value of a parameter is visited as that parameter. */
function visitPath(
  { path, pathParams }: RecordedRequest,
  visit: (text: string) => string,
  named: (kind: 'path', name: string, text: string) => string,
): string {
  const names = new Map(Object.entries(pathParams).map(([name, value]) => [encodeURIComponent(String(value)), name]));
  return path
    .split('/')
    .map((segment) => {
      const name = names.get(segment);
      if (name === undefined) return visit(segment);
      const text = decodeURIComponent(segment);
      const clean = named('path', name, text);
      return clean === text ? segment : encodeURIComponent(clean);
    })
    .join('/');
}

/** Looks for secrets in texts that are about to be written. @throws MockError `RECORDING_SECRET` with place and rule. */
type FinalScan = (texts: readonly WrittenText[]) => void;

/** The scan with what the vault knows, what is watched for, and the patterns. */
function createFinalScan(
  vault: Vault,
  patterns: readonly SecretPattern[],
  watched: readonly { readonly rule: string; readonly value: string }[],
): FinalScan {
  const variants = new Map<string, readonly string[]>();
  const toKnownVariants = (secret: string): readonly string[] => {
    const made = variants.get(secret) ?? toVariants(secret);
    variants.set(secret, made);
    return made;
  };
  const findKnown = (text: string): Hit | undefined => {
    for (const { rule, value } of watched) {
      const variant = toKnownVariants(value).find((candidate) => text.includes(candidate));
      if (variant !== undefined) return { rule, found: variant };
    }
    for (const [secret] of vault.secrets()) {
      const variant = toKnownVariants(secret).find((candidate) => text.includes(candidate));
      if (variant !== undefined) return { rule: 'known', found: variant };
    }
    return undefined;
  };
  const findPattern = (text: string): Hit | undefined => {
    for (const { rule, pattern } of patterns) {
      for (const match of text.matchAll(pattern)) {
        const found = match.groups?.['secret'] ?? match[0];
        if (!isIssued(vault, found)) return { rule, found };
      }
    }
    return undefined;
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

/** The ways in which a secret can stand in a file. */
function toVariants(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return [
    ...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), bytes.toString('base64')]),
  ];
}

/** Whether what a pattern found in a file's text is a placeholder, escaped as JSON escapes it or not. */
function isIssued(vault: Vault, found: string): boolean {
  if (vault.isPlaceholder(found)) return true;
  try {
    return vault.isPlaceholder(JSON.parse(`"${found}"`) as string);
  } catch {
    return false;
  }
}

function refuse(file: string, text: string, { rule, found }: Hit): MockError {
  const pointer = findPointer(text, found);
  return new MockError('RECORDING_SECRET', `a secret is left after redaction (${rule}); the exchange was not written`, {
    // The line would tell nobody anything: the file does not exist.
    at: { file, ...(pointer === undefined ? {} : { pointer }) },
    hint: 'name the member in `redact.keys` or the header in `redact.headers`; if it is no secret, name it in `redact.keep`',
  });
}

/** Where in a JSON text a string stands, as a pointer. */
function findPointer(text: string, found: string): string | undefined {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    return undefined;
  }
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
  return search(root, '');
}
