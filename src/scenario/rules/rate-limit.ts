/** So many calls in a window of time. */
export interface RateLimit {
  readonly limit: number;
  readonly windowMs: number;
  /** Who shares one bucket: everybody in the session, each operation, or each credential. */
  readonly per: 'session' | 'operation' | 'credential';
  /** Header names in lower case; an undefined one is not sent. */
  readonly headers: RateLimitHeaders;
}

/** Under which names the state of a bucket is told. */
export interface RateLimitHeaders {
  readonly limit: string | undefined;
  readonly remaining: string | undefined;
  readonly reset: string | undefined;
}

/** The usual names. */
export const USUAL_HEADERS: RateLimitHeaders = {
  limit: 'x-ratelimit-limit',
  remaining: 'x-ratelimit-remaining',
  reset: 'x-ratelimit-reset',
};

/** A fixed window: when it began and how many calls it has seen. */
export interface Bucket {
  readonly start: number;
  readonly used: number;
}

/** What one more call does to a bucket, and whether it still fits. */
interface Draw {
  readonly bucket: Bucket;
  readonly allowed: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Takes one call out of a bucket.
 *
 * @param bucket - Undefined: the first call; its window starts now.
 * @param now - By the session's clock, in milliseconds.
 */
export function drawFrom(bucket: Bucket | undefined, limit: RateLimit, now: number): Draw {
  const current = bucket === undefined || now >= bucket.start + limit.windowMs ? { start: now, used: 0 } : bucket;
  const allowed = current.used < limit.limit;
  const next = allowed ? { start: current.start, used: current.used + 1 } : current;
  // RFC 9110 10.2.3: Retry-After counts whole seconds; rounded up, so that one who waits is let in.
  const seconds = String(Math.max(1, Math.ceil((current.start + limit.windowMs - now) / 1000)));
  const headers: Record<string, string> = {};
  if (limit.headers.limit !== undefined) headers[limit.headers.limit] = String(limit.limit);
  if (limit.headers.remaining !== undefined) headers[limit.headers.remaining] = String(limit.limit - next.used);
  if (limit.headers.reset !== undefined) headers[limit.headers.reset] = seconds;
  if (!allowed) headers['retry-after'] = seconds;
  return { bucket: next, allowed, headers };
}
