import type { HandlersOf } from '../answer/handlers.js';
import type { MocksOptions } from './documents/mocks.js';
import type { MockOptions } from './options.js';
import type { TlsOptions } from '../server/secure.js';

/** One of several documents that a configuration file serves together: options of its own, and otherwise the options of the file. */
export interface DocumentConfig extends Omit<MocksOptions, 'handlers' | 'name'> {
  /** The name, which the path of its control API has; default: the file name of the document without its extension. */
  readonly name?: string;
  /** Functions that answer operations, or the path of a module that exports them. */
  readonly handlers?: HandlersOf<unknown> | string;
}

/** The content of a configuration file: the options of a mock, and how its server is reached. Relative paths start at the folder of the file. */
export interface Config<Operations = unknown> extends Omit<MockOptions<Operations>, 'handlers'> {
  /** Functions that answer operations, by operation id or `"GET /path"`, or the path of a module that exports them. */
  readonly handlers?: HandlersOf<NoInfer<Operations>> | string;
  /** Several documents to serve together, instead of `spec`. */
  readonly documents?: readonly DocumentConfig[];
  /** The port to listen on; 0 picks a free port. */
  readonly port?: number;
  /** The address to listen on. */
  readonly host?: string;
  /** The Unix socket, or named pipe on Windows, to listen on instead of a port. */
  readonly socket?: string;
  /** The file to write the port to once the mock listens; removed when it stops. */
  readonly portFile?: string;
  /** Compress answers of 1 KiB and more, for clients that accept it. */
  readonly compress?: boolean;
  /** Use HTTPS, and HTTP/2 with clients that support it. Certificate and key are paths, or PEM; default: a self-signed certificate. */
  readonly tls?: boolean | TlsOptions;
}

/**
 * Types the configuration in `vouch.config.ts` or `vouch.config.js`; returns it unchanged.
 *
 * @example
 * ```ts
 * import { defineConfig } from 'vouch';
 *
 * export default defineConfig({ spec: 'spec/openapi.yaml', seed: 7, port: 4020 });
 * ```
 */
export function defineConfig<Operations = unknown>(config: Config<Operations>): Config<Operations> {
  return config;
}
