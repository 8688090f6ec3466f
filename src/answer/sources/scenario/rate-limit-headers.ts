import { toLetters } from '../../../contract/names.js';
import { isObject } from '../../../contract/json.js';
import type { DeclaredHeader, Operation } from '../../../contract/operations/operation.js';
import { findResponse } from '../../../contract/operations/responses.js';
import type { Answer } from '../../../http/answer.js';
import type { LimitState } from '../../../scenario/rules/evaluate.js';

/**
 * Adds the headers of an active rate limit to an answer: those that the rule names, and those that the contract declares for its
 * status, by their names (`X-RateLimit-Remaining`, `RateLimit`, `Retry-After`).
 *
 * What a handler, a rule or a real server sets stays; generated values and those of examples are replaced.
 */
export function addLimitHeaders(answer: Answer, operation: Operation, limit: LimitState): Answer {
  const declared = findResponse(operation, answer.status)?.headers ?? [];
  const values = declared.flatMap((header) => {
    const value = writeHeader(header, limit);
    return value === undefined ? [] : [[header.name.toLowerCase(), value] as const];
  });
  const headers = { ...Object.fromEntries(values), ...limit.headers };
  const isGenerated = /^(example|generate|state)/.test(answer.from);
  return { ...answer, headers: isGenerated ? { ...answer.headers, ...headers } : { ...headers, ...answer.headers } };
}

/** The value of a declared header with the state of a rate limit; undefined for another header. */
function writeHeader(header: DeclaredHeader, limit: LimitState): string | undefined {
  const name = toLetters(header.name.replace(/^x-/i, ''));
  if (name === 'retryafter') return limit.isExceeded ? writeEnd(header, limit) : undefined;
  const [, rest] = /^ratelimit(ing)?/.test(name) ? [name, name.replace(/^ratelimit(ing)?/, '')] : [];
  // A limit of another quantity, such as tokens.
  if (rest === undefined || /token|byte|cost|point/.test(rest)) return undefined;
  const { calls, remaining, windowMs } = limit;
  const seconds = Math.ceil(windowMs / 1000);
  const isParameters = listSamples(header).some((sample) => /^limit=|;w=/.test(sample));
  if (rest === 'policy') return isParameters ? `${calls};w=${seconds}` : `"default";q=${calls};w=${seconds}`;
  if (rest.startsWith('remaining')) return String(remaining);
  if (rest.startsWith('used')) return String(calls - remaining);
  if (rest.startsWith('reset')) return writeEnd(header, limit);
  if (rest.startsWith('limit')) return String(calls);
  if (rest !== '') return undefined;
  if (isObject(header.schema) && ['integer', 'number'].includes(String(header.schema.type))) return String(calls);
  // The drafts of the RateLimit header (draft-ietf-httpapi-ratelimit-headers): until the seventh, and since the eighth.
  const left = secondsUntilEnd(limit);
  return isParameters ? `limit=${calls}, remaining=${remaining}, reset=${left}` : `"default";r=${remaining};t=${left}`;
}

/** The end of the window as the header declares it: a date, a time since 1970, or the seconds until then. */
function writeEnd(header: DeclaredHeader, limit: LimitState): string {
  const { schema } = header;
  const samples = listSamples(header);
  const end = limit.now + secondsUntilEnd(limit) * 1000;
  const format = isObject(schema) ? schema.format : undefined;
  if (format === 'date-time' || samples.some((sample) => /^\d{4}-\d\d-\d\dT/.test(sample)))
    return new Date(end).toISOString();
  if (samples.some((sample) => sample.endsWith(' GMT'))) return new Date(end).toUTCString();
  if (samples.some((sample) => /^\d{13}$/.test(sample))) return String(end);
  const text = isObject(schema) ? (schema.description ?? '') : '';
  const isSince = /epoch|unix|since 1970|timestamp/i.test(`${header.description ?? ''} ${text}`);
  if (isSince || samples.some((sample) => /^\d{10}$/.test(sample))) return String(Math.ceil(end / 1000));
  const isDuration = samples.some((sample) => /^[\d.]+m?s$/.test(sample));
  return `${secondsUntilEnd(limit)}${isDuration ? 's' : ''}`;
}

// RFC 9110 10.2.3: Retry-After counts whole seconds; rounded up, so that a client that waits is not refused again.
function secondsUntilEnd({ now, end }: LimitState): number {
  return Math.max(1, Math.ceil((end - now) / 1000));
}

function listSamples({ examples, schema }: DeclaredHeader): readonly string[] {
  const own = isObject(schema) ? [schema.example, ...(schema.examples ?? [])] : [];
  return [...examples.map(({ value }) => value), ...own].flatMap((value) =>
    typeof value === 'string' || typeof value === 'number' ? [String(value)] : [],
  );
}
