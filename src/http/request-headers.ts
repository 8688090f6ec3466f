/** The header fields of a request as Node.js parses them: alternating names and values, and the same by name. */
export interface ParsedHeaders {
  readonly rawHeaders: readonly string[];
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Header fields by name. */
type Fields = Readonly<Record<string, string>>;

/**
 * The header fields of a request, read once: the headers of a `Request` check and convert a name each time they are read.
 *
 * Several lines of one field are joined by a comma (RFC 9110 5.3), lines of `cookie` by a semicolon (RFC 9113 8.2.3).
 */
export class RequestHeaders {
  /** Names in lower case. */
  readonly fields: Fields;
  readonly #count: number;

  private constructor(fields: Fields, count: number) {
    this.fields = fields;
    this.#count = count;
  }

  /** Reads the headers of a `Request`, or pairs with names in any case. */
  static of(pairs: Iterable<readonly [name: string, value: string]>): RequestHeaders {
    const fields = Object.fromEntries(pairs);
    for (const name in fields) {
      // The platform has names in lower case, happy-dom does not change them.
      if (name === name.toLowerCase()) continue;
      return RequestHeaders.of(Object.entries(fields).map(([given, value]) => [given.toLowerCase(), value]));
    }
    return new RequestHeaders(fields, 0);
  }

  /** The headers with fields that were read already. @param fields - Names in lower case. */
  static from(fields: Fields): RequestHeaders {
    return new RequestHeaders(fields, 0);
  }

  /**
   * Reads the headers of a message on a socket. Where each name was sent once, the object that Node.js made is reused; of some repeated fields
   * Node.js keeps only one, so that those are joined here.
   *
   * @param last - The fields of the request before: if these are the same, as with most clients, the journal keeps one object for both.
   */
  static parse({ rawHeaders, headers }: ParsedHeaders, last: RequestHeaders): RequestHeaders {
    let count = 0;
    let isSame = true;
    for (const name in headers) {
      const value = headers[name];
      if (typeof value !== 'string') return RequestHeaders.of(joinLines(rawHeaders));
      isSame &&= value === last.fields[name];
      count += 2;
    }
    if (count !== rawHeaders.length) return RequestHeaders.of(joinLines(rawHeaders));
    // Every value was found to be a string.
    return isSame && count === last.#count ? last : new RequestHeaders(headers as Fields, count);
  }

  /** The value of a field; null without it. @param name - In lower case. */
  get(name: string): string | null {
    // A name of the client may be `constructor`.
    const value: unknown = this.fields[name];
    return typeof value === 'string' ? value : null;
  }

  /** All fields. */
  [Symbol.iterator](): Iterator<[name: string, value: string]> {
    return Object.entries(this.fields)[Symbol.iterator]();
  }

  /** Whether there is a field. @param name - In lower case. */
  has(name: string): boolean {
    return this.get(name) !== null;
  }
}

/** The fields of a request that is not there. */
export const NO_HEADERS: RequestHeaders = RequestHeaders.of([]);

function joinLines(rawHeaders: readonly string[]): ReadonlyMap<string, string> {
  const joined = new Map<string, string>();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase();
    const value = rawHeaders[i + 1] ?? '';
    const before = joined.get(name);
    joined.set(name, before === undefined ? value : `${before}${name === 'cookie' ? '; ' : ', '}${value}`);
  }
  return joined;
}
