import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { URL } from 'node:url';
import type { Clock } from '../../../../base/clock.js';
import { memoize } from '../../../../base/memoize.js';
import type { Mock } from '../../../../mock/handles.js';
import { listCassettes } from '../../../../features/recording/cassette/cassette.js';
import { createAuthority } from '../../../../server/certificate.js';

/** One mock for each origin that a program calls, opened with its first request. */
export interface Origins {
  /** The certificate authority of the origins with TLS, as PEM. */
  readonly authority: string;
  /** The Unix socket on which the mock of an origin listens, with TLS if the origin has it. @param origin - `https://api.example.com:8443`. */
  socketOf(origin: string): Promise<string>;
  /** The mocks that were opened, by origin. */
  readonly opened: ReadonlyMap<string, Mock<Clock>>;
  close(): Promise<void>;
}

interface OriginsParts {
  /** The folder of the cassettes. */
  readonly recordings: string;
  /** Whether the cassettes are replayed. */
  readonly isReplay: boolean;
  /** Opens the mock of an origin with this cassette; `folder` is another one than that of the cassettes if there is no such cassette to replay. */
  open(origin: string, of: { readonly folder: string; readonly cassette: string }): Promise<Mock<Clock>>;
}

/** The name of the cassette of an origin: `api.example.com`, `api.example.com_8443`, `http_localhost_3000`. */
export function toCassetteName(origin: string): string {
  const { protocol, hostname, port } = new URL(origin);
  const host = hostname.replaceAll(/[^\w.-]+/g, '_').replaceAll(/^_+|_+$/g, '');
  return `${protocol === 'http:' ? 'http_' : ''}${host}${port === '' ? '' : `_${port}`}`;
}

/** Creates the origins; their sockets are in a folder that only this user can read. */
export function createOrigins({ recordings, isReplay, open }: OriginsParts): Origins {
  const authority = createAuthority();
  const folder = mkdtempSync(join(tmpdir(), 'vouch-'));
  const opened = new Map<string, Mock<Clock>>();
  const known = new Set(isReplay ? listCassettes(recordings) : []);
  /** A folder with an empty cassette: the answers to its requests say that they were not recorded. */
  const createEmpty = (cassette: string): string => {
    mkdirSync(join(folder, 'empty', cassette, 'bodies'), { recursive: true });
    writeFileSync(join(folder, 'empty', cassette, 'cassette.json'), '{ "version": 1 }\n');
    return join(folder, 'empty');
  };
  const socketOf = memoize(async (origin: string): Promise<string> => {
    const cassette = toCassetteName(origin);
    const isMissing = isReplay && !known.has(cassette);
    const mock = await open(origin, { folder: isMissing ? createEmpty(cassette) : recordings, cassette });
    opened.set(origin, mock);
    const socket = join(folder, `${opened.size}.sock`);
    const { protocol, hostname } = new URL(origin);
    const tls = protocol === 'https:' && authority.issue(hostname.replaceAll(/^\[|\]$/g, ''));
    await mock.listen({ socket, tls });
    return socket;
  });
  return {
    authority: authority.cert,
    socketOf,
    opened,
    close: async () => {
      await Promise.all([...opened.values()].map((mock) => mock.close()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
