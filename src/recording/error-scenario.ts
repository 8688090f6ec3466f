import type { Operation } from '../contract/operations/operation.js';
import type { Cassette, StoredExchange } from './cassette.js';
import type { CheckResponse } from './conformance.js';
import { toDoubles } from './exact-json.js';
import { loadBody } from './recorded-body.js';
import { omitFields } from './hop-by-hop.js';

/** What the rules for recorded errors are made with. */
export interface ErrorScenarioParts {
  readonly check: CheckResponse;
  operation(id: string): Operation | undefined;
  /** The key that exchanges with the same request share. */
  keyOf(exchange: StoredExchange): string | undefined;
  /** The query of an exchange, typed by the contract. */
  queryOf(exchange: StoredExchange): Readonly<Record<string, unknown>>;
}

/** A scenario in which these exchanges answer as they were recorded; `undefined` where there are none. */
export function toErrorScenario(
  cassette: Cassette,
  errors: readonly StoredExchange[],
  parts: ErrorScenarioParts,
): object | undefined {
  const operations: Record<string, object[]> = {};
  for (const exchange of errors) {
    const operation = parts.operation(exchange.operation);
    const { response } = exchange;
    if (operation === undefined || response === undefined) continue;
    operations[operation.id] = [...(operations[operation.id] ?? []), toRule(cassette, exchange, { operation, parts })];
  }
  if (Object.keys(operations).length === 0) return undefined;
  return { description: `Errors recorded in the cassette "${cassette.name}".`, operations };
}

function toRule(
  cassette: Cassette,
  exchange: StoredExchange,
  { operation, parts }: { readonly operation: Operation; readonly parts: ErrorScenarioParts },
): object {
  const { request, response } = exchange;
  const body = response === undefined ? {} : loadBody(cassette.folder, response, response.headers);
  const key = parts.keyOf(exchange);
  const same = cassette.exchanges.filter(
    (other) => other.operation === exchange.operation && parts.keyOf(other) === key,
  );
  const query = parts.queryOf(exchange);
  const status = response?.status ?? 500;
  const fields = omitFields(response?.headers ?? {}, ['content-type', 'date', 'connection', 'set-cookie']);
  const kept = Object.entries(fields).filter(
    ([name]) => name === 'retry-after' || name.startsWith('x-ratelimit') || name === 'www-authenticate',
  );
  const violations = response === undefined ? [] : parts.check(operation, { ...response, body: toDoubles(body.body) });
  const when = {
    ...(Object.keys(request.pathParams).length === 0 ? {} : { path: request.pathParams }),
    ...(Object.keys(query).length === 0 ? {} : { query }),
    ...(request.body === undefined ? {} : { body: toDoubles(request.body) }),
    // Where the same request came out differently later, only this turn of it is an error.
    ...(same.length === 1 ? {} : { call: same.indexOf(exchange) + 1 }),
  };
  return {
    when,
    respond: {
      status,
      ...(kept.length === 0 ? {} : { headers: Object.fromEntries(kept) }),
      ...(body.body === undefined ? {} : { body: toDoubles(body.body) }),
    },
    ...(violations.length === 0 ? {} : { violates: `it was recorded so: ${violations[0]?.message ?? ''}` }),
  };
}
