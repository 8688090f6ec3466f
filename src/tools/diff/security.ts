import { isEqualJson } from '../../base/json.js';
import type { Contract } from '../../contract/contract.js';
import type { SecurityRequirement } from '../../contract/operations/operation.js';
import type { Change } from './change.js';
import type { OperationChange, OperationPair } from './operation-change.js';
import type { ContractPair } from './schemas.js';

/** The credentials of one alternative, by what a client sends, with their scopes. */
type Credentials = ReadonlyMap<string, readonly string[]>;

/** Compares the credentials that an operation requires. The names of schemes do not count. */
export function compareSecurity({ old, now }: OperationPair, contracts: ContractPair): readonly OperationChange[] {
  const was = listAlternatives(old.security, contracts.old);
  const is = listAlternatives(now.security, contracts.now);
  const at = { old: `${old.pointer}/security`, now: `${now.pointer}/security` };
  const lost = was.filter((sent) => !is.some((needed) => isMet(needed, sent)));
  const gained = is.filter((sent) => !was.some((needed) => isMet(needed, sent)));
  const changes: Change[] = lost.map((sent) => {
    const scopes = is.find((needed) => [...needed.keys()].every((key) => sent.has(key)));
    if (scopes !== undefined) {
      const added = [...scopes].flatMap(([key, names]) => names.filter((name) => !sent.get(key)?.includes(name)));
      return {
        ...at,
        code: 'SCOPE_ADDED',
        text: `the scope ${added.map((name) => `"${name}"`).join(' and ')} is required`,
      };
    }
    const text = `${describe(sent)} ${sent.size === 0 ? 'are' : 'is'} no longer enough: ${is.map(describe).join(' or ')} is required`;
    return { ...at, code: 'SECURITY_ADDED', text };
  });
  if (lost.length === 0 && gained.length > 0)
    changes.push({ ...at, code: 'SECURITY_REMOVED', text: `${gained.map(describe).join(' or ')} is enough now` });
  return changes.map((change) => ({ direction: 'request', where: 'security', change }));
}

function listAlternatives(
  security: readonly SecurityRequirement[],
  { securitySchemes }: Contract,
): readonly Credentials[] {
  const all = security.map((requirement) => {
    return new Map(
      Object.entries(requirement).map(([name, scopes]) => {
        const scheme = securitySchemes[name];
        if (scheme === undefined) return [name, scopes];
        const { type, scheme: of, in: place, key } = scheme;
        // OAuth and OpenID Connect send a bearer token.
        const isToken = type === 'oauth2' || type === 'openIdConnect' || of === 'bearer';
        const text = isToken
          ? 'a bearer token'
          : type === 'apiKey'
            ? `the ${place} key "${key}"`
            : `${of ?? type} credentials`;
        return [text, scopes];
      }),
    );
  });
  const unique = all.filter((each, i) => !all.slice(0, i).some((other) => isEqualJson([...other], [...each])));
  return unique.length === 0 ? [new Map()] : unique;
}

/** Whether a client with some credentials has all that are needed. */
function isMet(needed: Credentials, sent: Credentials): boolean {
  return [...needed].every(([key, scopes]) => {
    const own = sent.get(key);
    return own !== undefined && scopes.every((scope) => own.includes(scope));
  });
}

function describe(credentials: Credentials): string {
  return credentials.size === 0 ? 'no credentials' : [...credentials.keys()].join(' with ');
}
