import { closedObject, eitherOf } from '../base/json-schema.js';
import { DAY_MS } from '../base/clock.js';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isObject, mapValues } from '../base/json.js';
import { MockError, toReason } from '../base/errors.js';
import { loadTextFile } from '../base/inside-folder.js';
import type { OptionKind, OptionName } from '../mock/options-table.js';
import { KINDS } from '../mock/read-options.js';
import { readUserCacheFolder } from '../base/package-folder.js';
import { replaceFileSync } from '../base/replace-file.js';
import { type Certificate, createCertificate } from '../server/certificate.js';
import type { Listening, ListenOptions } from '../server/listen.js';
import type { TlsOptions } from '../server/secure.js';
import { addOptionFlags, collect, listFlagOptions, readPem } from './flags.js';
import type { LogFlags } from './serving/log.js';

/** Flags that say how a server is reached. */
export interface TransportFlags {
  readonly port: number;
  readonly host: string;
  readonly socket?: string;
  readonly portFile?: string;
  readonly compress?: boolean;
  readonly tls?: boolean;
  /** In PEM. */
  readonly tlsCert?: string;
  /** In PEM. */
  readonly tlsKey?: string;
  readonly tlsName?: readonly string[];
}

/** Flags of every command that starts a server. */
export interface ListenFlags extends TransportFlags, LogFlags {}

/** The name of a setting that says how a server is reached. */
export type TransportName = 'port' | 'host' | 'socket' | 'portFile' | 'compress' | 'tls' | `tls.${keyof TlsOptions}`;

/** The property of the flag that says the same as a setting, its kind, its meaning, and how messages call its values if not by the kind. */
type TransportSetting = readonly [flag: keyof TransportFlags, kind: OptionKind, description: string, noun?: string];

/** The settings of a configuration file for how a server is reached. */
export const TRANSPORT_SETTINGS: Readonly<Record<TransportName, TransportSetting>> = {
  port: [
    'port',
    'integer',
    'The port to listen on; 0 picks a free port.',
    'an integer from 0 (any free port) to 65535',
  ],
  host: ['host', 'string', 'The address to listen on.'],
  socket: ['socket', 'string', 'The Unix socket, or named pipe on Windows, to listen on instead of a port.'],
  portFile: ['portFile', 'string', 'The file to write the port to once the mock listens.'],
  compress: ['compress', 'boolean', 'Compress answers of 1 KiB and more, for clients that accept it.'],
  tls: [
    'tls',
    'boolean',
    'Use HTTPS, with a self-signed certificate or one of your own.',
    'a boolean, or an object with cert, key and names',
  ],
  'tls.cert': ['tlsCert', 'string', 'The certificate: a path, or PEM.'],
  'tls.key': ['tlsKey', 'string', 'The private key of the certificate: a path, or PEM.'],
  'tls.names': ['tlsName', 'strings', 'Host names of the self-signed certificate.'],
};

const MAX_PORT = 65_535;

/** Whether a name is that of a setting that says how a server is reached. */
export function isTransportName(name: string): name is TransportName {
  return Object.hasOwn(TRANSPORT_SETTINGS, name);
}

/** JSON Schemas of the members of a configuration file that say how a server is reached. */
export function createTransportSchemas(): Readonly<Record<string, object>> {
  const toSchema = ([, kind, description]: TransportSetting): object => ({ description, ...KINDS[kind].schema });
  const {
    port,
    tls: _,
    'tls.cert': cert,
    'tls.key': key,
    'tls.names': names,
    ...others
  } = mapValues(TRANSPORT_SETTINGS, toSchema);
  const group = closedObject({ cert, key, names });
  const [, , description] = TRANSPORT_SETTINGS.tls;
  return {
    port: { ...port, minimum: 0, maximum: MAX_PORT },
    ...others,
    tls: { description, ...eitherOf(KINDS.boolean.schema, group) },
  };
}

/** Reads a member of a configuration file that says how a server is reached. @throws MockError `OPTION_INVALID`. */
export function readTransportMember(
  name: TransportName,
  value: unknown,
): readonly (readonly [name: TransportName, value: unknown])[] {
  if (name === 'tls' && isObject(value)) {
    const members = Object.entries(value).flatMap(([member, each]) => {
      const own = `tls.${member}`;
      if (isTransportName(own)) return readTransportMember(own, each);
      const hint = 'the options of "tls" are cert, key, names';
      throw new MockError('OPTION_INVALID', `there is no option "${own}"`, { hint });
    });
    return members.some(([member]) => member !== 'tls.names') ? members : [['tls', true], ...members];
  }
  const [, kind, , noun = KINDS[kind].noun] = TRANSPORT_SETTINGS[name];
  const isInRange = name !== 'port' || (Number(value) >= 0 && Number(value) <= MAX_PORT);
  if (KINDS[kind].accepts(value) && isInRange) return [[name, value]];
  throw new MockError('OPTION_INVALID', `the option "${name}" must be ${noun}`);
}

/** The settings that say how a server is reached, as its flags. */
export function readTransportSettings(all: ReadonlyMap<string, { readonly value: unknown }>): TransportFlags {
  const given = Object.entries(TRANSPORT_SETTINGS).map(([name, [flag]]) => [flag, all.get(name)?.value] as const);
  // Values of flags have been parsed, and those of the configuration file checked.
  return Object.fromEntries(given.filter(([, value]) => value !== undefined)) as unknown as TransportFlags;
}

/** Options of the mock that every command that starts a server has flags for. */
const SERVER_OPTIONS: readonly OptionName[] = listFlagOptions(/^(basePath|connections|cors|coverage)\b/);

/** Adds the flags of every command that starts a server. */
export function addListenFlags(command: Command): Command {
  command
    .addOption(
      new Option('-p, --port <port>', 'port to listen on; 0 picks a free port')
        .default(4010)
        .argParser(readPort)
        .env('VOUCH_PORT'),
    )
    .addOption(new Option('--host <host>', 'address to listen on').default('127.0.0.1').env('VOUCH_HOST'))
    .option('--socket <path>', 'Unix socket, or named pipe on Windows, to listen on instead of a port')
    .option('--port-file <file>', 'file to write the port to once the mock listens; removed when it stops')
    .option('--compress', 'compress answers of 1 KiB and more, for clients that accept it')
    .option('--tls', 'use HTTPS, and HTTP/2 with clients that support it, with a self-signed certificate')
    .addOption(new Option('--tls-cert <file>', 'certificate for --tls, in PEM').argParser(readPem))
    .addOption(new Option('--tls-key <file>', 'private key of --tls-cert, in PEM').argParser(readPem))
    .addOption(
      new Option(
        '--tls-name <name>',
        'host name of the self-signed certificate, besides localhost, 127.0.0.1 and ::1; repeatable',
      ).argParser(collect),
    )
    .option('--json', 'print one JSON object per line instead of text')
    .option('--quiet', 'do not log requests')
    .option('--trace', 'log with each request why each answer source did or did not answer')
    .option(
      '--verbose',
      'log with each request the trace, and every violation with the line of the document that it violates',
    );
  return addOptionFlags(command, SERVER_OPTIONS);
}

function readPort(value: string): number {
  const port = Number(value);
  if (/^\d+$/.test(value) && port <= 65535) return port;
  throw new InvalidArgumentError('A port must be an integer from 0 (any free port) to 65535.');
}

/** Serves a mock until SIGINT, SIGTERM or SIGHUP; `announce` gets its address. @returns the signal; the mock is still open. */
export async function listenUntilSignal<Server extends Pick<Listening, 'port'>>(
  mock: { listen(where: ListenOptions): Promise<Server> },
  flags: ListenFlags,
  announce: (server: Server, notes: Transport['notes']) => void,
): Promise<NodeJS.Signals> {
  const { options, notes } = readTransport(flags);
  const server = await mock.listen(options);
  // Registered before the address is printed: a reader of the output may send the signal at once.
  const received = waitForSignal();
  const removePortFile = writePortFile(flags, server);
  announce(server, notes);
  return received.finally(removePortFile);
}

/** Resolves with the first SIGINT, SIGTERM or SIGHUP from now on. */
export function waitForSignal(): Promise<NodeJS.Signals> {
  const signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', ...(endsAtHangUp() ? ['SIGHUP' as const] : [])];
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals): void => {
      for (const each of signals) process.off(each, stop);
      resolve(signal);
    };
    for (const each of signals) process.on(each, stop);
  });
}

/** Whether SIGHUP ends the process: a listener would undo `nohup`, which ignores it. False where that is unknown. */
function endsAtHangUp(): boolean {
  try {
    const [, ignored = 'f'] = /^SigIgn:\s*([\da-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return BigInt(`0x${ignored}`) % 2n === 0n;
  } catch {
    return false;
  }
}

/** How a mock is served, and what to print about it. */
interface Transport {
  readonly options: ListenOptions;
  /** How clients trust a self-signed certificate; empty without one. */
  readonly notes: readonly string[];
}

/**
 * Reads the flags for Unix sockets and TLS. A self-signed certificate is kept for the next start, so that it has to be trusted only once.
 *
 * @throws MockError `OPTION_INVALID`.
 */
function readTransport(flags: TransportFlags): Transport {
  const { port, host, socket, compress = false, tlsName = [] } = flags;
  const [cert, key] = [flags.tlsCert, flags.tlsKey].map((given) => given && readCertificateFile(given));
  const place = { compress, ...(socket === undefined ? { port, host } : { socket }) };
  const isGiven = cert !== undefined || key !== undefined;
  if (isGiven) return { options: { ...place, tls: { ...(cert && { cert }), ...(key && { key }) } }, notes: [] };
  if (flags.tls !== true && tlsName.length === 0) return { options: place, notes: [] };
  const isNamed = socket === undefined && host !== '0.0.0.0' && host !== '::' && host !== '';
  const { file, ...tls } = keepCertificate(isNamed ? [host, ...tlsName] : tlsName);
  return {
    options: { ...place, tls },
    notes: [
      `certificate ${file}`,
      `  to trust it: NODE_EXTRA_CA_CERTS=${quote(file)}, or curl --cacert, or ca in the options of the client`,
    ],
  };
}

/** The PEM of a certificate or key: a configuration file may have its path. */
function readCertificateFile(given: string): string {
  if (given.includes('-----BEGIN')) return given;
  const hint = 'tls.cert and tls.key are paths of PEM files, or PEM';
  return loadTextFile(given, 'OPTION_INVALID', { hint });
}

/** Writes the port to the file that was named. @returns a function that removes the file. */
function writePortFile({ portFile }: TransportFlags, { port }: Pick<Listening, 'port'>): () => void {
  if (portFile === undefined) return () => undefined;
  writeWhole(portFile, `${port}\n`);
  return () => rmSync(portFile, { force: true });
}

/** Days for which a kept certificate must still be valid. */
const MIN_DAYS = 7;

/** The self-signed certificate of the last start, or a new one if its time is almost over or it lacks a name. */
function keepCertificate(names: readonly string[]): Certificate & { readonly file: string } {
  const folder = join(readUserCacheFolder(), 'tls');
  const file = join(folder, 'certificate.pem');
  // Together in one file, so that two processes cannot mix the key of one with the certificate of the other.
  const pair = join(folder, 'certificate-and-key.pem');
  const kept = readKept(pair, names);
  const used = kept ?? createCertificate(names);
  if (kept === undefined) writeWhole(pair, used.cert + used.key, 0o600);
  if (readText(file) !== used.cert) writeWhole(file, used.cert);
  return { ...used, file };
}

function readKept(pair: string, names: readonly string[]): Certificate | undefined {
  const [, cert = '', key = ''] =
    /^(-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----\n)([^]*)$/.exec(readText(pair)) ?? [];
  try {
    const certificate = new X509Certificate(cert);
    const isValid = Date.parse(certificate.validTo) > Date.now() + MIN_DAYS * DAY_MS;
    const hasNames = names.every((name) => (certificate.checkHost(name) ?? certificate.checkIP(name)) !== undefined);
    return isValid && hasNames && certificate.checkPrivateKey(createPrivateKey(key)) ? { cert, key } : undefined;
  } catch {
    // There is none yet, or it is damaged; it is written again.
    return undefined;
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Writes a file in one step: a process that waits for it never reads a part. */
function writeWhole(file: string, text: string, mode = 0o644): void {
  try {
    mkdirSync(dirname(resolve(file)), { recursive: true });
    replaceFileSync(file, (temporary) => writeFileSync(temporary, text, { mode }));
  } catch (cause) {
    const hint = 'name a file that you may write to';
    throw new MockError('OPTION_INVALID', `the file "${file}" cannot be written: ${toReason(cause)}`, { hint, cause });
  }
}

function quote(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : JSON.stringify(path);
}
