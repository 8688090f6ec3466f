import { BlockList, isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { URL } from 'node:url';
import { MockError } from '../../../base/errors.js';
import { hideUrlSecrets } from '../../../conventions/secret-forms.js';

/** The address of a server that listens. */
interface OwnAddress {
  /** A name or an address, as in a URL. */
  readonly host: string;
  readonly port: number;
}

/**
 * Refuses an upstream that is the mock itself, under any name of this machine. The names cannot show every loop, such as one through
 * another process: the field `Via` of forwarded requests ends those.
 *
 * @throws MockError `OPTION_INVALID`.
 */
export function rejectOwnAddress(upstream: string, { host, port }: OwnAddress): void {
  if (!URL.canParse(upstream) || port === 0) return;
  const url = new URL(upstream);
  const given = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  if (given !== port || !(url.hostname === host || isThisMachine(url.hostname))) return;
  throw new MockError('OPTION_INVALID', `the upstream ${hideUrlSecrets(upstream)} is the address of vouch itself`, {
    hint: 'choose another port for vouch, or give the address of the real server',
  });
}

/** Whether a host of a URL is a name or an address of this machine; names are not looked up. */
function isThisMachine(host: string): boolean {
  const name = host.replace(/^\[|\]$|\.$/g, '').toLowerCase();
  if (isIP(name) === 0) return /^(?:.+\.)?localhost$/.test(name) || name === hostname().toLowerCase();
  const own = new BlockList();
  own.addSubnet('127.0.0.0', 8);
  for (const address of ['0.0.0.0', '::', '::1']) own.addAddress(address, toFamily(address));
  for (const { address } of Object.values(networkInterfaces()).flatMap((each) => each ?? [])) {
    own.addAddress(address, toFamily(address));
  }
  // An address of IPv4 that is written as one of IPv6 counts as well.
  return own.check(name, toFamily(name));
}

function toFamily(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
