import { isIP } from 'node:net';
import { MockError } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import { host, isRequest } from '../../base/platform.js';
import type { Contract } from '../../contract/contract.js';

/**
 * Checks that a URL that is fetched in the process is one of the API of the document.
 *
 * A mock answers requests to each host of this machine and of a local network, such as `http://mock`. If the document names public hosts,
 * such as `api.example.com`, a request to another public host is for another API. A `Request` is not checked: frameworks pass on those that
 * they received.
 *
 * @throws MockError `ORIGIN_UNKNOWN`.
 */
export function requireOrigin({ document }: Pick<Contract, 'document'>, input: string | URL | Request): void {
  if (isRequest(input)) return;
  const text = String(input);
  const known = /^https?:/i.test(text) && host.URL.canParse(text) ? listHosts(document) : [];
  if (known.length === 0) return;
  const { hostname, origin, pathname } = new host.URL(text);
  if (!isPublic(hostname) || matches(known, hostname)) return;
  // Paths and operations can have servers of their own. They are read only here, because that reads the whole document.
  const paths = isObject(document['paths']) ? Object.values(document['paths']).filter(isObject) : [];
  const others = paths.flatMap((path) => [path, ...Object.values(path).filter(isObject)].flatMap(listHosts));
  if (matches(others, hostname)) return;
  const message = `${origin} is not the API of the document, which names ${known.join(', ')}`;
  const hint = `fetch ${JSON.stringify(pathname)}, or create a mock with the document of ${hostname}`;
  throw new MockError('ORIGIN_UNKNOWN', message, { hint });
}

/** The public hosts of the servers of an object of the document; `*` for a part that is a variable. */
function listHosts({ servers }: Readonly<Record<string, unknown>>): readonly string[] {
  const urls = Array.isArray(servers) ? servers.filter(isObject).map(({ url }) => String(url)) : [];
  return urls.flatMap((url) => {
    const text = url.replaceAll(/\{[^{}]*\}/g, '*');
    // A URL has no `*` in the name of its host.
    const name = /^https?:\/\/([^/?#:@]+)/i.exec(text)?.[1]?.toLowerCase();
    return name !== undefined && isPublic(name) ? [name] : [];
  });
}

function matches(known: readonly string[], hostname: string): boolean {
  return known.some((name) => {
    const [start = '', ...rest] = name.split('*');
    if (rest.length === 0) return name === hostname;
    return hostname.startsWith(start) && hostname.endsWith(rest.at(-1) ?? '');
  });
}

/** Whether a name can be that of a host on the internet. RFC 6761: names for tests and for this machine cannot. */
function isPublic(name: string): boolean {
  if (name === '*') return true;
  return (
    name.includes('.') && isIP(name) === 0 && !/(?:^|\.)(?:example|internal|invalid|local|localhost|test)$/.test(name)
  );
}
