/** One kind of request that the bench repeats. */
export interface BenchRequest {
  readonly name: string;
  readonly method: string;
  /** The path of the n-th request of this kind; it differs only for deletes. */
  readonly path: (n: number) => string;
  readonly body: string | undefined;
  /** Default: JSON. */
  readonly mediaType?: string;
  /** The expected status; any other stops the bench. */
  readonly status: number;
}

/** Memberships are spread over this many vector stores, so that no list in the store is unusually long. */
const STORES = 100;

/** The five requests of the built-in contract that are measured. */
export const REQUESTS: readonly BenchRequest[] = [
  // The number of fixtures: the page stays the same while creates append to the list.
  { name: 'list', method: 'GET', path: () => '/v1/organization/admin_api_keys?limit=7', body: undefined, status: 200 },
  {
    name: 'create',
    method: 'POST',
    path: () => '/v1/organization/admin_api_keys',
    body: '{"name":"Bench key"}',
    status: 200,
  },
  { name: 'content', method: 'GET', path: () => '/v1/files/file-handbook/content', body: undefined, status: 200 },
  { name: 'delete', method: 'DELETE', path: readMembershipPath, body: undefined, status: 200 },
  {
    name: 'invalid create',
    method: 'POST',
    path: () => '/v1/organization/admin_api_keys',
    body: '{"name":7}',
    status: 400,
  },
];

/** The ids of the n-th membership; each n gives a different pair. */
export function readMembership(n: number): { readonly store: string; readonly file: string } {
  return { store: `vs_${n % STORES}`, file: `file-${Math.floor(n / STORES)}` };
}

/** Encodes a request as the bytes sent on the socket. */
export function toBytes(request: BenchRequest, n: number): Buffer {
  const lines = [
    `${request.method} ${request.path(n)} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Authorization: Bearer bench-token',
    'Accept: application/json',
    'User-Agent: bench',
  ];
  if (request.body !== undefined) {
    lines.push(
      `Content-Type: ${request.mediaType ?? 'application/json'}`,
      `Content-Length: ${Buffer.byteLength(request.body)}`,
    );
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${request.body ?? ''}`);
}

function readMembershipPath(n: number): string {
  const { store, file } = readMembership(n);
  return `/v1/vector_stores/${store}/files/${file}`;
}
