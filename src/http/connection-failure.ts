import { isError } from '../base/platform.js';

/** Why a request got no answer. */
export interface ConnectionFailure {
  /** The code of Node.js, such as `ECONNREFUSED`; empty without one. */
  readonly code: string;
  /** One line. */
  readonly reason: string;
}

/** Reads the error of a connection, also as the cause of the one of `fetch`. */
export function readConnectionFailure(error: unknown): ConnectionFailure {
  if (!isError(error)) return { code: '', reason: String(error) };
  if (isError(error.cause)) return readConnectionFailure(error.cause);
  // Fetch standard 2.9: port blocking.
  if (error.message === 'bad port') return { code: 'ERR_BAD_PORT', reason: '"fetch" sends no request to this port' };
  const code = readCode(error);
  if (NOT_TLS.test(error.message))
    return { code: NO_TLS, reason: 'the server does not use TLS there; its URL starts with http:' };
  return { code, reason: error.message === '' ? code : error.message };
}

/** The code of a server that does not use TLS. */
export const NO_TLS = 'ERR_SSL_WRONG_VERSION_NUMBER';

/** What OpenSSL says about an answer that is not TLS. */
const NOT_TLS = /wrong version number|packet length too long/;

function readCode(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined) return code;
  // All addresses of a host name have failed.
  const [first] = 'errors' in error ? (error.errors as Error[]) : [];
  return first === undefined ? '' : readCode(first);
}

/** Whether no connection was made: the server has not seen the request. */
export function isUnreachable({ code }: ConnectionFailure): boolean {
  return (
    /^(?:ECONNREFUSED|E(?:HOST|NET)UNREACH|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|ERR_BAD_PORT)$/.test(code) ||
    isTls({ code })
  );
}

/** Whether TLS failed, such as for a certificate that is not trusted. */
export function isTls({ code }: Pick<ConnectionFailure, 'code'>): boolean {
  return /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_/.test(code);
}
