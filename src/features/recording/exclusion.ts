import type { Contract } from '../../contract/contract.js';
import { UNDOCUMENTED } from '../../contract/operations/undocumented.js';
import { MockError, suggest } from '../../base/errors.js';
import { omitFields } from '../../http/header-fields.js';
import type { NewExchange } from './cassette/exchange.js';
import type { ObservedExchange } from './upstream/recorder.js';

/** The exchanges that are forwarded and not recorded. */
export interface ExclusionOptions {
  /** Operations by id; `*` for requests outside of the contract. */
  readonly operations?: readonly string[];
  /** Headers of requests and responses, by name. */
  readonly headers?: readonly string[];
  /** The size of a body in bytes above which an exchange is not recorded; default: no limit. */
  readonly bodyBytes?: number;
}

/** Decides what of an exchange is recorded. */
export interface Exclusion {
  /** Why an exchange is not recorded; undefined if it is. @param bodyBytes - The size of its larger body. */
  reasonFor(operation: string, bodyBytes: number): string | undefined;
  /** The exchange without the headers that are not recorded. */
  apply(exchange: NewExchange): NewExchange;
}

/** Creates the exclusion of a mock. @throws MockError `OPTION_INVALID` for an unknown operation. */
export function createExclusion(
  { operations = [], headers = [], bodyBytes = Infinity }: ExclusionOptions,
  contract: Contract,
): Exclusion {
  const ids = [UNDOCUMENTED, ...contract.operations.map(({ id }) => id)];
  const unknown = operations.find((operation) => !ids.includes(operation));
  if (unknown !== undefined) {
    const hint = suggest(unknown, ids) ?? 'name operations by their ids; `*` means requests outside of the contract';
    throw new MockError('OPTION_INVALID', `operation "${unknown}" is not in the contract`, { hint });
  }
  const names = headers.map((name) => name.toLowerCase());
  return {
    reasonFor: (operation, size) => {
      if (operations.includes(operation)) return 'the operation is excluded';
      return size > bodyBytes ? `a body has ${size} bytes, more than exclude.bodyBytes` : undefined;
    },
    apply: (exchange) => {
      if (names.length === 0) return exchange;
      const { request, response } = exchange;
      return {
        ...exchange,
        request: { ...request, headers: omitFields(request.headers, names) },
        response: response && { ...response, headers: omitFields(response.headers, names) },
      };
    },
  };
}

/** The size of the larger body of an exchange. */
export function measureBodies({ call, outcome }: Pick<ObservedExchange, 'call' | 'outcome'>): number {
  const sent = call.file?.size ?? call.bytes?.byteLength ?? 0;
  if ('failure' in outcome) return sent;
  const { body } = outcome.response;
  if ('file' in body) return Math.max(sent, body.file.size);
  const received = body.chunks.reduce((size, { bytes }) => size + bytes.byteLength, 0);
  return Math.max(sent, received);
}
