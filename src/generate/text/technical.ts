import { type Idea, means } from '../../conventions/conventions.js';
import type { TextContext } from './formats.js';
import { pickSlug, type WriteWord } from './words.js';

/** How the string of a technical name is written. */
interface TechnicalWord {
  readonly write: WriteWord;
  readonly isAddress: boolean;
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Writes the form of PEM (RFC 7468) with random content. */
const writePem =
  (label: string): WriteWord =>
  ({ random }) =>
    [`-----BEGIN ${label}-----`, ...[64, 64, 44].map((length) => random.text(BASE64, length)), `-----END ${label}-----`]
      .join('\n')
      .concat('\n');
const pick =
  (...values: readonly string[]): WriteWord =>
  ({ random }) =>
    random.pick(values);
const octet = ({ random }: TextContext): number => random.integer(0, 254);

/** Addresses, in which items differ also where the document has an example. */
const ADDRESSES: readonly (readonly [idea: Idea, write: WriteWord])[] = [
  ['technical.host', (context) => `${pickSlug(context)}.example.com`],
  ['technical.ipv4', ({ random }) => `192.0.2.${random.integer(1, 254)}`],
  ['technical.ipv6', ({ random }) => `2001:db8::${random.text('123456789abcdef', 4)}`],
  ['technical.network', (context) => `10.${octet(context)}.${octet(context)}.0/24`],
];

const OTHERS: typeof ADDRESSES = [
  ['technical.repository', (context) => `https://git.example.com/team/${pickSlug(context)}.git`],
  ['technical.image', (context) => `registry.example.com/${pickSlug(context)}:1.${context.random.integer(0, 9)}`],
  // An Ed25519 key begins with its type and length, always the same.
  ['technical.publicKey', ({ random }) => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${random.text(BASE64, 43)}`],
  ['technical.privateKey', writePem('PRIVATE KEY')],
  ['technical.certificate', writePem('CERTIFICATE')],
  ['technical.connection', (context) => `postgres://sample@db.example.com:5432/${pickSlug(context)}`],
  ['technical.branch', () => 'main'],
  ['technical.netmask', () => '255.255.255.0'],
  ['technical.quantity', pick('1GB', '2GB', '4GB', '8GB', '16GB', '32GB')],
  ['technical.machine', pick('standard-1', 'standard-2', 'standard-4')],
  ['technical.zone', pick('eu-west-1a', 'eu-west-1b', 'us-east-1a')],
  ['technical.system', () => 'linux'],
  ['technical.architecture', pick('amd64', 'arm64')],
  ['technical.command', pick('npm start', 'npm test', 'npm run build')],
  ['technical.cron', ({ random }) => `${random.integer(0, 59)} ${random.integer(0, 23)} * * *`],
  ['technical.regex', () => '^[a-z]+$'],
  ['technical.statement', () => 'SELECT * FROM items'],
  ['technical.algorithm', () => 'SHA-256'],
  ['technical.charset', () => 'utf-8'],
  ['technical.protocol', pick('http', 'https', 'tcp')],
  ['technical.resolution', pick('1280x720', '1920x1080', '3840x2160')],
];

/** How the string of a technical name is written; undefined for other names. */
export function findTechnicalWord(name: string): TechnicalWord | undefined {
  const find = (rows: typeof ADDRESSES): WriteWord | undefined => rows.find(([idea]) => means(name, idea))?.[1];
  const address = find(ADDRESSES);
  const write = address ?? find(OTHERS);
  return write && { write, isAddress: address !== undefined };
}
