/** Whose mistake a finding is. */
export type Verdict = 'document' | 'service' | 'unknown';

/** The kinds of findings, each with the sentence that explains it. */
export const FINDING_CODES = {
  ANSWER_MISSING: 'there is no answer, or it ends before it is complete',
  BODY_MALFORMED: 'the body is not what its media type says',
  BODY_WRONG: 'the body does not match its schema',
  CREATED_DIFFERS: 'a created item is not what was sent',
  CREDENTIALS_IGNORED: 'a request without credentials is answered',
  DELETED_LISTED: 'a list shows a deleted item',
  DELETED_READABLE: 'a deleted item can still be read',
  ETAG_IGNORED: 'a read with the current entity tag is not answered with 304',
  HEADER_MISSING: 'a required header is missing',
  HEADER_WRONG: 'a header does not match its schema',
  IDEMPOTENCY_IGNORED: 'two creates with one idempotency key make two items',
  INVALID_ACCEPTED: 'an invalid request is accepted',
  MEDIA_TYPE_UNDECLARED: 'the media type is not declared',
  NOT_CREATED: 'a created item cannot be read',
  NOT_LISTED: 'a list does not show a created item',
  ORDER_CHANGED: 'the order of a list changes between two requests',
  PAGES_ENDLESS: 'the pages of a list do not end',
  PAGES_REPEAT: 'an item is on two pages of a list',
  PAGE_TOO_LARGE: 'a page has more items than were asked for',
  SERVER_ERROR: 'the service fails',
  STATUS_UNDECLARED: 'the status is not declared',
  TOTAL_WRONG: 'the total of a list is not the number of its items',
  UPDATE_LOST: 'an update is not shown by the next read',
  VALID_REFUSED: 'a valid request is refused',
} as const;

/** The names of cases that each operation has. */
export const NOT_JSON = 'a body that is not JSON';
export const OTHER_TYPE = 'a body of another media type';
export const BARE = 'without credentials';

/** The code of a kind of findings. */
export type FindingCode = keyof typeof FINDING_CODES;

/** A request as it was sent, without its credentials. */
export interface SentRequest {
  readonly method: string;
  /** Path and query below the base URL. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** A discrepancy between the service and the document. */
export interface Finding {
  readonly code: FindingCode;
  readonly verdict: Verdict;
  /** The first operation that has it, and those that have the same cause. */
  readonly operations: readonly string[];
  /** One sentence with the values. */
  readonly message: string;
  /** Pointer into the document to what is not kept. */
  readonly pointer: string;
  /** Which request showed it: `minimal`, `query limit=abc`, `read after delete`. */
  readonly case: string;
  /** The smallest request that shows it. */
  readonly request: SentRequest;
  /** The status of its answer; undefined without an answer. */
  readonly status: number | undefined;
  /** The start of the answer. */
  readonly answer: string;
}

/** What a finding is about, before equal causes are joined. */
export type FoundBreak = Omit<Finding, 'operations'> & { readonly operation: string };

/** A fact about the service that the document lacks, such as a rule, a limit or credentials. */
export interface Learned {
  readonly operation: string;
  readonly message: string;
}

/** Cases that are the same for each operation: what is wrong with their answers has one cause. */
const GENERAL: ReadonlySet<string> = new Set([NOT_JSON, OTHER_TYPE, BARE]);

/** What identifies the cause of a finding: findings with the same cause are one. */
export function readCause(found: Pick<FoundBreak, 'case' | 'code' | 'operation' | 'pointer'>): string {
  const { code, pointer, operation } = found;
  if (GENERAL.has(found.case)) return `${code} ${found.case}`;
  // A schema that several operations share has one cause; elsewhere each operation has its own.
  return /\/(?:schemas|headers|parameters)\//.test(pointer) ? `${code} ${pointer}` : `${code} ${operation} ${pointer}`;
}

/** Joins breaks with the same cause, in their order; the first request of each is kept, which is the smallest. */
export function joinCauses(breaks: readonly FoundBreak[]): readonly Finding[] {
  const byCause = new Map<string, { readonly first: FoundBreak; readonly operations: Set<string> }>();
  for (const each of breaks) {
    const cause = readCause(each);
    const known = byCause.get(cause);
    if (known === undefined) byCause.set(cause, { first: each, operations: new Set([each.operation]) });
    else known.operations.add(each.operation);
  }
  return [...byCause.values()].map(({ first: { operation: _operation, ...first }, operations }) => {
    return { ...first, operations: [...operations] };
  });
}

/** A command that sends a request; credentials are those of the caller. @param baseUrl - Without a slash at its end. */
export function writeCurl({ method, target, headers, body }: SentRequest, baseUrl: string): string {
  const words = ['curl', ...(method === 'GET' ? [] : ['-X', method]), quote(baseUrl + target)];
  for (const [name, value] of Object.entries(headers)) words.push('-H', quote(`${name}: ${value}`));
  if (body !== undefined) words.push('-d', quote(body));
  return words.join(' ');
}

/** A word of a shell. */
function quote(text: string): string {
  return /^[\w:/.@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
