import { capitalize, toBareName } from '../../base/names.js';
import { isObject, readOwn } from '../../base/json.js';
import type { Contract } from '../../contract/contract.js';
import type { Operation, SecurityRequirement, SecurityScheme } from '../../contract/operations/operation.js';
import { listProperties, type ReadSchema } from '../../contract/schema-view/schema-view.js';
import { type ClientReport, toError, toNote, type Violation } from '../../schema/violation.js';
import { decodeForm, decodePercent, readPairs } from '../text.js';
import { splitCookies } from './parameters.js';
import type { RequestHeaders } from '../request-headers.js';

/** Whether a mock accepts a credential: a bearer token, `user:password`, or an API key. */
export type AcceptCredential = (scheme: SecurityScheme, credential: string) => boolean;

/** Where the credentials of a request are. */
interface CredentialSource {
  readonly headers: RequestHeaders;
  readonly search: string;
  /** The decoded body, where it has been read. */
  readonly body?: unknown;
}

/** Finds the credentials of one request; violations are pushed to the array. */
type SecurityReader = (source: CredentialSource, violations: Violation[]) => Readonly<Record<string, string>>;

/** The properties of a body in which API keys may be, by scheme. */
type KeysInBody = ReadonlyMap<SecurityScheme, string>;

/** The credential of one scheme, or why there is none. */
type Finding = { readonly credential: string; readonly note?: ClientReport } | Refusal;

type Refusal = { readonly report: ClientReport; readonly absent: boolean };

/** The credentials of a call that has none. */
export const NO_CREDENTIALS: Readonly<Record<string, string>> = Object.freeze({});

/** The security check of an operation, and whether it is complete only once the body is read. */
interface SecurityCheck {
  readonly readSecurity: SecurityReader;
  readonly needsBody: boolean;
}

/** Creates the security check of an operation: alternatives (OR) of schemes that must all be met (AND). */
export function createSecurityReader(
  operation: Operation,
  { contract, read }: { readonly contract: Contract; readonly read: ReadSchema },
  accept: AcceptCredential | undefined,
): SecurityCheck {
  const alternatives = operation.security.map((requirement) => toSchemes(requirement, contract));
  if (alternatives.length === 0) return { readSecurity: () => NO_CREDENTIALS, needsBody: false };
  // `{}` among the alternatives makes credentials optional; existing ones are still checked.
  const open = alternatives.some((schemes) => schemes.length === 0);
  const schemes = [...new Set(alternatives.flat())];
  const keys = findKeysInBody(operation, schemes, read);
  const rules = { keys, accept };
  const readSecurity: SecurityReader = (source, violations) => {
    const findings = new Map(schemes.map((scheme) => [scheme, findCredential(scheme, source, rules)]));
    const held = alternatives.filter((all) => all.every((scheme) => 'credential' in (findings.get(scheme) ?? {})));
    const met = held.find((all) => all.length > 0);
    if (met !== undefined) return collect(met, findings, violations);
    const failures = [...findings.values()].flatMap((finding) => ('report' in finding ? [finding] : []));
    if (held.length > 0 && failures.every(({ absent }) => absent)) return NO_CREDENTIALS;
    // A wrong credential is reported, not the missing ones of other schemes.
    const tried = failures.filter(({ absent }) => !absent);
    const shown = tried.length > 0 ? tried : failures;
    violations.push(...shown.map(({ report }) => (open ? toNote(report) : toError({ ...report, status: 401 }))));
    return NO_CREDENTIALS;
  };
  return { readSecurity, needsBody: keys.size > 0 };
}

/**
 * The optional properties of a body with the name of a scheme or of its key: OpenAPI has no form for an API key that may be in the body.
 * A required one is what the operation is about.
 */
function findKeysInBody({ body }: Operation, schemes: readonly SecurityScheme[], read: ReadSchema): KeysInBody {
  const keys = new Map<SecurityScheme, string>();
  const named = schemes.filter(({ type }) => type === 'apiKey');
  if (named.length === 0) return keys;
  for (const { schemaPointer } of body?.content ?? []) {
    const optional = listProperties(read(schemaPointer)).filter(({ required }) => !required);
    for (const scheme of named) {
      const names = new Set([scheme.name, scheme.key ?? ''].map(toBareName));
      const found = optional.find(({ bare }) => names.has(bare));
      if (found !== undefined) keys.set(scheme, found.name);
    }
  }
  return keys;
}

function toSchemes(requirement: SecurityRequirement, contract: Contract): readonly SecurityScheme[] {
  // An undeclared scheme cannot be checked; the loader reports it.
  return Object.keys(requirement).flatMap((name) => readOwn(contract.securitySchemes, name) ?? []);
}

function collect(
  schemes: readonly SecurityScheme[],
  findings: ReadonlyMap<SecurityScheme, Finding>,
  violations: Violation[],
): Readonly<Record<string, string>> {
  const credentials: Record<string, string> = {};
  for (const scheme of schemes) {
    const finding = findings.get(scheme);
    if (finding === undefined || !('credential' in finding)) continue;
    credentials[scheme.name] = finding.credential;
    if (finding.note !== undefined) violations.push(toNote(finding.note));
  }
  return credentials;
}

function findCredential(
  scheme: SecurityScheme,
  source: CredentialSource,
  { keys, accept }: { readonly keys: KeysInBody; readonly accept: AcceptCredential | undefined },
): Finding {
  const finding = scheme.type === 'apiKey' ? findKey(scheme, source, keys) : findAuthorization(scheme, source.headers);
  if (!('credential' in finding) || finding.note !== undefined || accept === undefined) return finding;
  if (accept(scheme, finding.credential)) return finding;
  const noun = scheme.type === 'apiKey' ? 'API key' : scheme.scheme === 'basic' ? 'user name and password' : 'token';
  const refusal = refuse(scheme, 'CREDENTIAL_REJECTED', `the ${noun} is not accepted by this server`);
  if (refusal.report.challenge !== 'Bearer') return refusal;
  return { ...refusal, report: { ...refusal.report, challenge: 'Bearer error="invalid_token"' } };
}

/** An API key in a header, the query, a cookie, or else the body. */
function findKey(scheme: SecurityScheme, { headers, search, body }: CredentialSource, keys: KeysInBody): Finding {
  const key = scheme.key ?? '';
  let found: string | undefined;
  if (scheme.in === 'query') {
    const raw = readPairs(search).find(({ name }) => name === key);
    found = raw === undefined ? undefined : (decodeForm(raw.raw ?? '') ?? raw.raw);
  } else if (scheme.in === 'cookie') {
    const raw = splitCookies(headers.get('cookie') ?? '').find(({ name }) => name === key)?.raw;
    found = raw === undefined ? undefined : (decodePercent(raw) ?? raw);
  } else found = headers.get(key.toLowerCase()) ?? undefined;
  const name = keys.get(scheme);
  const sent = name !== undefined && isObject(body) ? readOwn(body, name) : undefined;
  if (typeof sent === 'string') found ??= sent;
  const place = `the API key in ${scheme.in === 'query' ? 'query parameter' : (scheme.in ?? 'header')} "${key}"`;
  if (found === undefined) return refuse(scheme, 'CREDENTIAL_MISSING', `${place} is missing`);
  return found === '' ? refuse(scheme, 'CREDENTIAL_EMPTY', `${place} is empty`) : { credential: found };
}

/** A credential in the Authorization header (RFC 9110 section 11.6.2). */
function findAuthorization(scheme: SecurityScheme, headers: RequestHeaders): Finding {
  if (scheme.type === 'mutualTLS') {
    const message = `security scheme "${scheme.name}" is mutual TLS, which is not checked`;
    return {
      credential: '',
      note: { code: 'CREDENTIAL_UNCHECKED', in: 'security', name: scheme.name, message, schemaPointer: scheme.pointer },
    };
  }
  const wanted = scheme.type === 'http' ? (scheme.scheme ?? 'bearer') : 'bearer';
  const header = headers.get('authorization');
  const shown = wanted === 'bearer' ? 'Bearer' : wanted === 'basic' ? 'Basic' : wanted;
  if (header === null || header.trim() === '')
    return refuse(scheme, 'CREDENTIAL_MISSING', `the Authorization header is missing; it must be "${shown} …"`);
  const [, given = '', rest = ''] = /^\s*(\S+)\s*(.*)$/s.exec(header) ?? [];
  if (given.toLowerCase() !== wanted) {
    const named = /^[\w-]+$/.test(given) && rest !== '' ? `uses the scheme "${given}"` : 'has no scheme';
    const message = `the Authorization header ${named}; it must be "${shown} …"`;
    return refuse(scheme, 'CREDENTIAL_WRONG_SCHEME', message);
  }
  const credential = rest.trim();
  if (credential === '')
    return refuse(scheme, 'CREDENTIAL_EMPTY', `the Authorization header has no credential after "${shown}"`);
  if (wanted !== 'basic') return { credential };
  // RFC 7617 section 2: base64 of `user:password`.
  const text = Buffer.from(credential, 'base64').toString('utf8');
  if (/^[A-Za-z0-9+/_-]+={0,2}$/.test(credential) && text.includes(':')) return { credential: text };
  return refuse(scheme, 'CREDENTIAL_MALFORMED', 'the Basic credential must be the base64 of "user:password"');
}

function refuse(scheme: SecurityScheme, code: ClientReport['code'], message: string): Refusal {
  const { name, pointer: schemaPointer } = scheme;
  const report: ClientReport = { code, in: 'security', name, message, schemaPointer, challenge: toChallenge(scheme) };
  return { report, absent: code === 'CREDENTIAL_MISSING' };
}

/** The challenge of a scheme. RFC 9110 11.6.1 requires one; there is no registered one for API keys. */
function toChallenge(scheme: SecurityScheme): string {
  if (scheme.type === 'apiKey') return `ApiKey in="${scheme.in ?? 'header'}", name="${scheme.key ?? ''}"`;
  if (scheme.type !== 'http' || scheme.scheme === 'bearer' || scheme.scheme === undefined) return 'Bearer';
  // RFC 7617 section 2: Basic must name a realm.
  if (scheme.scheme === 'basic') return 'Basic realm="vouch", charset="UTF-8"';
  return capitalize(scheme.scheme);
}
