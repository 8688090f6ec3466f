import { URL } from 'node:url';
import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP } from 'node:net';

/** Limits of one download. */
const MAX_BYTES = 64 * 1024 * 1024;
const TIMEOUT_MS = 15_000;
const MAX_REDIRECTS = 5;

/**
 * Fetches the text of an http(s) URL.
 *
 * Addresses of this machine and of private networks are refused when the connection is made, whatever name or redirect they come from.
 *
 * @param trusted - The host in the URL of the user, which is exempt.
 *
 * @throws Error with a message for the user.
 */
export async function fetchText(url: URL, trusted: string | undefined): Promise<string> {
  let current = url;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const answer = await fetchOnce(current, current.host === trusted);
    if (answer.location === undefined) return answer.text;
    current = new URL(answer.location, current);
    if (current.protocol !== 'http:' && current.protocol !== 'https:') {
      throw new Error(`it redirects to "${current.protocol}", which is not followed`);
    }
  }
  throw new Error(`it redirects more than ${MAX_REDIRECTS} times`);
}

/** Whether an address is of this machine, of a private network or not routable (RFC 6890). */
export function isPrivateAddress(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/iu.exec(address)?.[1];
  const plain = mapped ?? address;
  return createPrivateList().check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
}

/** A response body, or the URL that a redirect leads to. */
type FetchedText = { readonly text: string; readonly location: string | undefined };

function fetchOnce(url: URL, isTrusted: boolean): Promise<FetchedText> {
  const host = url.hostname.replaceAll(/^\[|\]$/gu, '');
  if (!isTrusted && isIP(host) > 0 && isPrivateAddress(host)) return Promise.reject(new Error(describePrivate(host)));
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    const headers = { accept: 'application/json, application/yaml, text/yaml, */*;q=0.5', 'user-agent': 'vouch' };
    const options = { headers, timeout: TIMEOUT_MS, ...(isTrusted ? {} : { lookup: lookupPublic }) };
    const request = send(url, options, (response) => {
      readResponse(response).then(resolve, reject);
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)));
    request.on('error', reject);
    request.end();
  });
}

async function readResponse(response: IncomingMessage): Promise<FetchedText> {
  const status = response.statusCode ?? 0;
  const { location } = response.headers;
  if (status !== 200) {
    response.resume();
    if (status >= 300 && status < 400 && location !== undefined) return { text: '', location };
    throw new Error(`it answers ${status}`);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  // node:http yields buffers where no encoding is set.
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES / 1024 / 1024} MB`);
    chunks.push(chunk);
  }
  return { text: Buffer.concat(chunks).toString('utf8'), location: undefined };
}

type LookupCallback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/** `dns.lookup` for public addresses only: the checked address is the one that is connected to. */
function lookupPublic(hostname: string, options: LookupOptions, callback: LookupCallback): void {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) {
      callback(error, []);
      return;
    }
    const refused = addresses.find(({ address }) => isPrivateAddress(address));
    const first = addresses[0];
    if (refused !== undefined || first === undefined) callback(new Error(describePrivate(hostname)), []);
    else if (options.all === true) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
}

function describePrivate(host: string): string {
  return `"${host}" is an address of this machine or of a private network, which references cannot use`;
}

function createPrivateList(): BlockList {
  const list = new BlockList();
  for (const network of PRIVATE_NETWORKS) {
    const [address = '', prefix] = network.split('/');
    list.addSubnet(address, Number(prefix), address.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
}

const PRIVATE_NETWORKS: readonly string[] = (
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.168.0.0/16 ' +
  '198.18.0.0/15 224.0.0.0/3 ::/128 ::1/128 64:ff9b:1::/48 fc00::/7 fe80::/10 ff00::/8'
).split(' ');
