import type { Contract } from '../../contract/contract.js';
import type { Operation } from '../../contract/operations/operation.js';
import { memoize } from '../../base/memoize.js';
import { hasErrors, type Violation } from '../../schema/violation.js';
import { isPromise } from '../../base/platform.js';
import type { BodyBytes } from './body-bytes.js';

/** A request that is decoded as a call of an operation. */
interface Matched {
  readonly operation: Operation;
  readonly body?: BodyBytes | undefined;
}

/** What is known of it then. */
interface Decoded {
  readonly operation: Operation;
  readonly bytes: Uint8Array | undefined;
  readonly violations: readonly Violation[];
}

/**
 * Decodes a request to one of several operations whose path keys differ only after their `#`, such as `/answers` and `/answers#stream`: it is
 * a call of the first one that its body fits, else of the one that the router has found.
 */
export function createVariantDecoder<Request extends Matched, Call extends Decoded>(
  { operations }: Contract,
  decode: (matched: Request) => Call | Promise<Call>,
): typeof decode {
  const keys = operations.some(({ path }) => path.includes('#'));
  const listOthers = memoize((operation: Operation): readonly Operation[] => {
    const own = readKey(operation);
    return operations.filter((other) => other !== operation && readKey(other) === own);
  });
  const choose = (matched: Request, call: Call): Call => {
    if (call.bytes === undefined || !hasErrors(call.violations)) return call;
    const body = { kind: 'bytes', bytes: call.bytes } as const;
    for (const operation of listOthers(call.operation)) {
      // The body is there already, so that nothing is waited for.
      const other = decode({ ...matched, operation, body });
      if (!isPromise(other) && !hasErrors(other.violations)) return other;
    }
    return call;
  };
  if (!keys) return decode;
  return (matched) => {
    const call = decode(matched);
    return isPromise(call) ? call.then((read) => choose(matched, read)) : choose(matched, call);
  };
}

function readKey({ method, path }: Operation): string {
  return `${method} ${path.split('#', 1)[0]}`;
}
