import { host } from '../../base/platform.js';

/** The content of problem details (RFC 9457). */
interface Problem {
  readonly status: number;
  readonly detail: string;
  /** A stable name of the problem, for programs. */
  readonly code?: string | undefined;
  /** The suggested fix. */
  readonly hint?: string | undefined;
  /** Each single mistake; more members of an entry are left out. */
  readonly errors?: readonly { readonly code: string; readonly in?: string; pointer: string; message: string }[];
}

/** The media type of problem details. */
export const PROBLEM_TYPE = 'application/problem+json';

/** The body of problem details (RFC 9457). */
export function toProblem({ status, detail, code, hint, errors = [] }: Problem): Readonly<Record<string, unknown>> {
  return {
    type: 'about:blank',
    title: readStatusTitle(status),
    status,
    detail,
    ...(code === undefined ? {} : { code }),
    ...(hint === undefined ? {} : { hint }),
    ...(errors.length === 0 ? {} : { errors: errors.map(toEntry) }),
  };
}

function toEntry({ code, in: place, pointer, message }: NonNullable<Problem['errors']>[number]): object {
  return { code, in: place, pointer, message };
}

/** The title of a status in words (RFC 9110 section 15). */
export function readStatusTitle(status: number): string {
  return TITLES.get(status) ?? `Status ${status}`;
}

/** By the names of RFC 9110 and 6585; Node's own table has older ones. */
const TITLES: ReadonlyMap<number, string> = new Map(
  (
    '400 Bad Request,401 Unauthorized,402 Payment Required,403 Forbidden,404 Not Found,' +
    '405 Method Not Allowed,406 Not Acceptable,407 Proxy Authentication Required,408 Request Timeout,' +
    '409 Conflict,410 Gone,411 Length Required,412 Precondition Failed,413 Content Too Large,' +
    '414 URI Too Long,415 Unsupported Media Type,416 Range Not Satisfiable,417 Expectation Failed,' +
    '421 Misdirected Request,422 Unprocessable Content,423 Locked,424 Failed Dependency,425 Too Early,' +
    '426 Upgrade Required,428 Precondition Required,429 Too Many Requests,' +
    '431 Request Header Fields Too Large,451 Unavailable For Legal Reasons,500 Internal Server Error,' +
    '501 Not Implemented,502 Bad Gateway,503 Service Unavailable,504 Gateway Timeout,' +
    '507 Insufficient Storage'
  )
    .split(',')
    .map((line) => [Number(line.slice(0, 3)), line.slice(4)]),
);

/** A response with problem details, for what has no answer in the form of the contract. */
export function toProblemResponse(facts: Parameters<typeof toProblem>[0]): Response {
  const headers = { 'content-type': PROBLEM_TYPE };
  return new host.Response(JSON.stringify(toProblem(facts)), { status: facts.status, headers });
}
