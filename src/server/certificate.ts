import { DAY_MS } from '../base/clock.js';
import {
  createHash,
  generateKeyPairSync,
  type KeyObject,
  type KeyPairKeyObjectResult,
  randomBytes,
  sign,
} from 'node:crypto';
import { isIP, isIPv6 } from 'node:net';
import { domainToASCII, URL } from 'node:url';
import { MockError } from '../base/errors.js';

/** A certificate with its private key, both as PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** The names that every generated certificate is valid for. */
const LOCAL_NAMES: readonly string[] = ['localhost', '127.0.0.1', '::1'];

/** Apple's systems accept at most 398 days. */
const VALID_DAYS = 397;

/**
 * Creates a self-signed certificate (RFC 5280) with a new ECDSA key on the curve P-256.
 *
 * It is not a certificate authority: browsers refuse an authority as the certificate of a server. `node:crypto` makes keys and signatures;
 * only the few DER structures around them are written here.
 *
 * @param names - Host names and IP addresses besides `localhost`, `127.0.0.1` and `::1`.
 * @throws MockError `OPTION_INVALID` for a name that is not a host name or an IP address.
 */
export function createCertificate(names: readonly string[] = [], now: number = Date.now()): Certificate {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const all = [...new Set([...LOCAL_NAMES, ...names])];
  return toCertificate(pair, {
    subject: SUBJECT,
    issuer: SUBJECT,
    signer: pair.privateKey,
    extensions: listServerExtensions(all),
    now,
  });
}

/** A certificate authority, whose certificates are valid where its own is trusted. */
export interface Authority {
  /** Its own certificate, as PEM. */
  readonly cert: string;
  /** Creates a certificate of a host. */
  issue(name: string): Certificate;
}

/** Creates a certificate authority with a new key, which exists in memory only. */
export function createAuthority(now: number = Date.now()): Authority {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const own = { subject: AUTHORITY, issuer: AUTHORITY, signer: pair.privateKey, now };
  const { cert } = toCertificate(pair, {
    ...own,
    extensions: [
      // RFC 5280 4.2.1.9 and 4.2.1.3: an authority, which signs certificates.
      extension(OID.basicConstraints, sequence(tagged(TAG.boolean, Buffer.of(0xff))), true),
      extension(OID.keyUsage, tagged(TAG.bitString, Buffer.of(2, 0x04)), true),
    ],
  });
  const keyId = tagged(TAG.keyIdentifier, toKeyId(pair.publicKey));
  return {
    cert,
    issue: (name) => {
      const authority = extension(OID.authorityKeyIdentifier, sequence(keyId));
      const extensions = [...listServerExtensions([name]), authority];
      return toCertificate(generateKeyPairSync('ec', { namedCurve: 'P-256' }), {
        ...own,
        subject: SUBJECT,
        extensions,
      });
    },
  };
}

interface CertificateParts {
  readonly subject: Buffer;
  readonly issuer: Buffer;
  readonly signer: KeyObject;
  readonly extensions: readonly Buffer[];
  readonly now: number;
}

function toCertificate(
  { publicKey, privateKey }: KeyPairKeyObjectResult,
  { signer, ...parts }: CertificateParts,
): Certificate {
  const toBeSigned = writeCertificate(publicKey, parts);
  const signature = sign('sha256', toBeSigned, signer);
  const der = sequence(toBeSigned, ECDSA_WITH_SHA256, bitString(signature));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** RFC 5280 4.1: TBSCertificate. */
function writeCertificate(
  publicKey: KeyObject,
  { subject, issuer, extensions, now }: Omit<CertificateParts, 'signer'>,
): Buffer {
  // A certificate that is newer than the clock of a client would not be valid yet.
  const validity = sequence(time(now - DAY_MS), time(now + VALID_DAYS * DAY_MS));
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const keyId = extension(OID.subjectKeyIdentifier, tagged(TAG.octetString, toKeyId(publicKey)));
  return sequence(
    tagged(TAG.explicit0, integer(Buffer.of(VERSION_3))),
    integer(randomBytes(16)),
    ECDSA_WITH_SHA256,
    issuer,
    validity,
    subject,
    spki,
    tagged(TAG.explicit3, sequence(keyId, ...extensions)),
  );
}

function toKeyId(publicKey: KeyObject): Buffer {
  return createHash('sha1')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest();
}

function listServerExtensions(names: readonly string[]): readonly Buffer[] {
  return [
    // RFC 5280 4.2.1.9: no `cA`, which means false.
    extension(OID.basicConstraints, sequence(), true),
    extension(OID.extendedKeyUsage, sequence(oid(OID.serverAuth))),
    extension(OID.subjectAltName, sequence(...names.map(generalName))),
  ];
}

/** X.690 8.1.2: the tags that are used. */
const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  explicit0: 0xa0,
  explicit3: 0xa3,
  dnsName: 0x82,
  ipAddress: 0x87,
  keyIdentifier: 0x80,
} as const;

const OID = {
  commonName: '2.5.4.3',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  authorityKeyIdentifier: '2.5.29.35',
  basicConstraints: '2.5.29.19',
  keyUsage: '2.5.29.15',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  subjectKeyIdentifier: '2.5.29.14',
  subjectAltName: '2.5.29.17',
} as const;

/** The version is counted from 0. */
const VERSION_3 = 2;

const ECDSA_WITH_SHA256 = sequence(oid(OID.ecdsaWithSha256));

const SUBJECT = toName('vouch mock server');
const AUTHORITY = toName('vouch recording proxy');

function toName(name: string): Buffer {
  return sequence(tagged(TAG.set, sequence(oid(OID.commonName), tagged(TAG.utf8String, Buffer.from(name)))));
}

/** X.690 8.1: tag, length and content. */
function tagged(tag: number, ...content: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(content);
  if (bytes.length < 0x80) return Buffer.concat([Buffer.of(tag, bytes.length), bytes]);
  const length = Buffer.from(toEvenHex(bytes.length), 'hex');
  return Buffer.concat([Buffer.of(tag, 0x80 | length.length), length, bytes]);
}

function toEvenHex(number: number): string {
  const hex = number.toString(16);
  return hex.length % 2 === 0 ? hex : `0${hex}`;
}

function sequence(...members: readonly Buffer[]): Buffer {
  return tagged(TAG.sequence, ...members);
}

/** A positive integer without leading zeros (X.690 8.3): the first bit would be the sign. */
function integer(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0);
  const rest = bytes.subarray(start);
  return tagged(TAG.integer, (rest[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), rest]) : rest);
}

/** All bits of the last byte are used. */
function bitString(bytes: Buffer): Buffer {
  return tagged(TAG.bitString, Buffer.of(0), bytes);
}

/** X.690 8.19: the first two numbers are one, and each number has seven bits a byte. */
function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tagged(TAG.oid, Buffer.from([first * 40 + second, ...rest].flatMap(toBase128)));
}

function toBase128(number: number): readonly number[] {
  const groups = [number & 0x7f];
  for (let rest = number >>> 7; rest > 0; rest >>>= 7) groups.unshift((rest & 0x7f) | 0x80);
  return groups;
}

/** RFC 5280 4.1.2.5: years from 2050 have four digits. */
function time(at: number): Buffer {
  const digits = new Date(at).toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  if (digits >= '2050') return tagged(TAG.generalizedTime, Buffer.from(digits));
  return tagged(TAG.utcTime, Buffer.from(digits.slice(2)));
}

function extension(id: string, value: Buffer, isCritical = false): Buffer {
  const critical = isCritical ? [tagged(TAG.boolean, Buffer.of(0xff))] : [];
  return sequence(oid(id), ...critical, tagged(TAG.octetString, value));
}

/** RFC 5280 4.2.1.6: GeneralName. */
function generalName(name: string): Buffer {
  const address = name.replace(/%.*$/, '');
  if (isIP(address) > 0) return tagged(TAG.ipAddress, toAddressBytes(address));
  const ascii = domainToASCII(name);
  if (/^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(ascii)) return tagged(TAG.dnsName, Buffer.from(ascii));
  throw new MockError('OPTION_INVALID', `a certificate cannot have the name ${JSON.stringify(name)}`, {
    hint: 'give a host name such as "api.example.com", or an IP address',
  });
}

function toAddressBytes(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number));
  // The URL parser writes an IPv4 part as hexadecimal groups.
  const [before = '', after] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const [start, end] = [before, after ?? ''].map((part) => part.split(':').filter((group) => group !== ''));
  const groups = [
    ...(start ?? []),
    ...Array<string>(8 - (start ?? []).length - (end ?? []).length).fill('0'),
    ...(end ?? []),
  ];
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
