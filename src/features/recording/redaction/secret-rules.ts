import { isObject } from '../../../base/json.js';
import { MockError } from '../../../base/errors.js';
import { createSecretForms, type SecretPattern } from '../../../conventions/secret-forms.js';
import {
  isSecretGroup,
  isSecretList,
  isSecretName,
  isSecretObject,
  toElementName,
  type NamedPlace,
} from '../../../conventions/secret-names.js';
import { toBareName } from '../../../base/names.js';

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

/** Decides by name whether a value is secret; each function returns the rule or undefined. */
export interface SecretRules {
  /** The rule for a header. */
  header(name: string, value: string): string | undefined;
  /** The rule for a member of an object or a field of a form. */
  key(name: string, value: unknown, path?: string): string | undefined;
  /** The rule for the value of an element below a name: `secrets: [{ value }]`. */
  element(name: string, value: unknown): string | undefined;
  /** The rule for a query parameter. */
  query(name: string, value: string, path?: string): string | undefined;
  readonly patterns: readonly SecretPattern[];
}

/**
 * Creates the rules from the defaults and the options.
 *
 * @param hidesObjects - Whether an object below the name of a secret is a secret as a whole; a recording that is replayed needs what describes it.
 */
export function createSecretRules(
  options: RedactionOptions,
  more: { readonly hidesObjects?: boolean } = {},
): SecretRules {
  const { hidesObjects = false } = more;
  const keep = new Set((options.keep ?? []).map(toBareName));
  const headers = new Set((options.headers ?? []).map(toBareName));
  const keys = new Set((options.keys ?? []).map(toBareName));
  const isSecret = (name: string, value: unknown, place: NamedPlace): boolean => {
    const own = place.kind === 'header' ? headers : keys;
    if (keep.size > 0 || own.size > 0) {
      // `card[client_secret]` in a form is the member `client_secret`.
      const plain = toBareName(/\[([^[\]]+)\]$/.exec(name)?.[1] ?? name);
      if (keep.has(plain)) return false;
      if (own.has(plain)) return value !== '';
    }
    if (hidesObjects && Array.isArray(value) && !value.some(isObject)) {
      return isSecretName(toElementName(name), value, place);
    }
    if (Array.isArray(value) && !value.some(isObject) && isSecretList(name)) return true;
    if (!isObject(value)) return isSecretName(name, value, place);
    return isSecretGroup(name) || (hidesObjects && isSecretObject(name));
  };
  const toRule = (kind: NamedPlace['kind'], label: string): SecretRules['key'] => {
    return (name, value, path) =>
      isSecret(name, value, { kind, ...(path !== undefined && { path }) }) ? `${label}:${name}` : undefined;
  };
  return {
    header: toRule('header', 'header'),
    key: toRule('member', 'key'),
    element: (name, value) =>
      isSecret(isSecretList(name) ? toElementName(name) : name, value, { kind: 'member' }) ? `key:${name}` : undefined,
    query: toRule('query', 'query'),
    patterns: [
      ...createSecretForms((name, value) => isSecret(name, value, { kind: 'query' })),
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
