import type { Contract } from '../../contract/contract.js';
import type { Operation } from '../../contract/operations/operation.js';
import { isObject, readMember } from '../../base/json.js';
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
  readonly body: unknown;
  readonly bytes: Uint8Array | undefined;
  readonly violations: readonly Violation[];
}

/**
 * Decodes a request to one of several operations whose path keys differ only after their `#`, such as `/answers` and `/answers#stream`: it is
 * a call of the one that names a member of its body (`/rpc#method=add`), else of the first one that its body fits, else of the one that the
 * router has found.
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
    if (call.bytes === undefined) return call;
    const body = { kind: 'bytes', bytes: call.bytes } as const;
    const others = listOthers(call.operation);
    const named = findNamed(others, call.body);
    const fitting = hasErrors(call.violations) ? others.filter((each) => !isNamed(each, call.body)) : [];
    for (const operation of named === undefined ? fitting : [named]) {
      // The body is there already, so that nothing is waited for.
      const other = decode({ ...matched, operation, body });
      if (!isPromise(other) && (named !== undefined || !hasErrors(other.violations))) return other;
    }
    return call;
  };
  if (!keys) return decode;
  return (matched) => {
    const call = decode(matched);
    return isPromise(call) ? call.then((read) => choose(matched, read)) : choose(matched, call);
  };
}

/** The operation whose path key has, after its `#`, a member of a body with its value; undefined without one. */
export function findNamed(operations: readonly Operation[], body: unknown): Operation | undefined {
  return operations.find((operation) => isNamed(operation, body, readName(operation)?.value));
}

/** Whether a body has the member that a path key has after its `#`. @param value - Which value it must have; default: any. */
function isNamed(operation: Operation, body: unknown, value?: string): boolean {
  const { name } = readName(operation) ?? {};
  const own = name !== undefined && isObject(body) ? readMember(body, name) : undefined;
  return own !== undefined && (value === undefined || own === value);
}

function readName({ path }: Operation): { readonly name: string; readonly value: string } | undefined {
  const [, name, value] = /#([^=&]+)=([^=&]+)$/.exec(path) ?? [];
  return name === undefined || value === undefined ? undefined : { name, value };
}

/** What operations have in common whose path keys differ only after their `#`. */
export function readKey({ method, path }: Operation): string {
  return `${method} ${path.split('#', 1)[0]}`;
}
