/** A problem that the control API answers with (RFC 9457). */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;
  readonly errors: readonly { readonly pointer: string; readonly message: string }[];

  constructor(status: number, body: Partial<ProblemBody>) {
    super(body.detail ?? `the control API answered ${status}`);
    this.status = status;
    this.code = body.code ?? '';
    this.hint = body.hint;
    this.errors = body.errors ?? [];
  }
}

interface ProblemBody {
  readonly detail: string;
  readonly code: string;
  readonly hint: string;
  readonly errors: readonly { readonly pointer: string; readonly message: string }[];
}

/** What a reload of the files of the mock did. */
export interface Reload {
  readonly changed: readonly string[];
  readonly applied: boolean;
  readonly notes: readonly string[];
  readonly breaking: readonly string[];
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly at?: string;
    readonly hint?: string;
  } | null;
}

const TOKEN_KEY = 'vouch-control-token';

/** Keeps the token of a link with `#token=…`, and removes it from the address bar and the history. @returns whether there was one. */
export function takeLinkToken(): boolean {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token === null) return false;
  history.replaceState(history.state, '', location.pathname + location.search);
  saveToken(token);
  return true;
}

/** The token that was typed in or that the link had; it is forgotten with the tab. */
export function readToken(): string | null {
  return sessionStorage.getItem(TOKEN_KEY);
}

/** Keeps the token for this tab. */
export function saveToken(token: string): void {
  sessionStorage.setItem(TOKEN_KEY, token);
}

/** Sends a request to the control API. @throws ApiError for every status of 400 and above; it has status 0 if there was no answer. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const token = readToken();
  if (token !== null) headers.set('x-mock-control-token', token);
  let response: Response;
  try {
    response = await fetch(new URL(`.${path}`, location.href), { ...init, headers, cache: 'no-store' });
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new ApiError(0, { detail: 'the mock does not answer', hint: 'check that it is running' });
  }
  if (response.ok) return response;
  const body: unknown = await response.json().catch(() => ({}));
  throw new ApiError(response.status, body as Partial<ProblemBody>);
}

/** The JSON that the control API answers with; undefined for an answer without a body. @throws ApiError */
export async function call<Body>(method: string, path: string, body?: unknown): Promise<Body> {
  const init =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const response = await request(path, { method, ...init });
  // The caller knows the type from the document of the control API.
  return (response.status === 204 ? undefined : await response.json()) as Body;
}

/** Sends YAML. @throws ApiError */
export async function sendYaml(method: string, path: string, text: string): Promise<void> {
  await request(path, { method, body: text, headers: { 'content-type': 'application/yaml' } });
}

/** The path of a request of one session. */
export function ofSession(path: string, session: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}session=${encodeURIComponent(session)}`;
}

/** A row of the log. */
export interface Row {
  readonly number: number;
  readonly session: string;
  readonly receivedAt: string;
  readonly elapsedMs: number;
  readonly operation: string | null;
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly from: string;
  readonly errors: number;
  readonly notes: number;
  readonly fault?: string;
}

/** One interaction with all that is known about it. */
export interface Details {
  readonly interaction: {
    readonly number: number;
    readonly session: string;
    readonly at: string;
    readonly elapsedMs: number;
    readonly operation: string | null;
    readonly request: {
      readonly method: string;
      readonly url: string;
      readonly path: Readonly<Record<string, unknown>>;
      readonly query: Readonly<Record<string, unknown>>;
      readonly headers: Readonly<Record<string, string>>;
      readonly body?: unknown;
    };
    readonly answer: {
      readonly status: number;
      readonly headers: Readonly<Record<string, string | readonly string[]>>;
      readonly mediaType?: string;
      readonly body?: unknown;
      readonly from: string;
      readonly violates?: string;
      readonly fault?: { readonly kind: string };
    };
    readonly violations: readonly {
      readonly code: string;
      readonly severity: 'error' | 'note';
      readonly message: string;
      readonly by: string;
      readonly schemaPointer?: string;
    }[];
    readonly trace: readonly string[];
  };
  readonly receivedAt: string;
  readonly declaredAt?: string;
  readonly bytes: { readonly request?: Bytes; readonly answer?: Bytes };
  readonly places: Readonly<Record<string, string>>;
}

/** The beginning of a body that is bytes. */
export interface Bytes {
  readonly size: number;
  readonly hex: string;
}

/** A session. */
export interface Session {
  readonly id: string;
  readonly scenarios: readonly string[];
  readonly tokens: number;
  readonly interactions: number;
  readonly now: string;
  readonly prefix: string;
  readonly snapshots: readonly string[];
}

/** What the control API says about the document. */
export interface Contract {
  readonly title: string;
  readonly version: string;
  readonly controlPrefix: string;
  readonly operations: readonly Operation[];
  readonly collections: readonly string[];
  readonly resources: readonly Resource[];
  readonly problems: readonly {
    readonly code: string;
    readonly severity: 'error' | 'warning';
    readonly message: string;
    readonly assumed?: string;
    readonly at?: string;
  }[];
}

/** An operation, and what it does to the state. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary?: string;
  readonly deprecated: boolean;
  readonly statuses: readonly string[];
  readonly collection?: string;
  readonly action?: string;
  readonly why?: string;
  readonly confidence?: number;
  /** Its `x-mock` that says the same as what was inferred. */
  readonly hint?: object;
}

/** A collection as it was inferred. */
export interface Resource {
  readonly name: string;
  readonly path: string;
  readonly parents: readonly string[];
  readonly singleton: boolean;
  readonly members?: string;
  readonly hint: { readonly schema?: string; readonly id?: string };
}
