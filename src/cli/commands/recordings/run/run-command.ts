import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { promisify } from 'node:util';
import { URL } from 'node:url';
import type { Clock } from '../../../../base/clock.js';
import { countOf, type MockError } from '../../../../base/errors.js';
import type { Mock } from '../../../../mock/handles.js';
import { createMock } from '../../../../mock/mock.js';
import type { OptionName } from '../../../../mock/options-table.js';
import { nestOptions } from '../../../../mock/read-options.js';
import { loadHooks } from '../../../hooks.js';
import { colour, type Output } from '../../../output.js';
import type { RecordingSettings } from '../serve-recordings.js';
import { createOrigins } from './origins.js';
import { PRELOAD } from './preload.js';
import { startProxy } from './proxy.js';

/** The options of a mock that belong to the document of one host: that of `--upstream`. */
const OF_UPSTREAM: readonly OptionName[] = ['recordings.upstream', 'recordings.upstreamHeaders', 'recordings.cassette'];

interface RunOptions extends RecordingSettings, Output {
  /** The program and its arguments. */
  readonly words: readonly string[];
  readonly mode: 'once' | 'record-all' | 'record-missing' | 'replay';
}

/**
 * Runs a program whose requests are recorded to a cassette for each host, or replayed from these.
 *
 * @returns the exit code of the program; 127 if it does not exist, 1 if it succeeded and a request was not recorded or not replayed.
 */
export async function runCommand(options: RunOptions): Promise<number> {
  const { words, mode, settings, spec, writeError } = options;
  const given = settings.options;
  const { 'recordings.folder': named } = given;
  const folder = typeof named === 'string' ? named : 'fixtures/recordings';
  const upstream = typeof given['recordings.upstream'] === 'string' ? new URL(given['recordings.upstream']) : undefined;
  const hooks = Object.entries(await loadHooks(options)).map(([name, hook]) => [`recordings.${name}`, hook] as const);
  const onFailure = (error: MockError): void => writeError(colour('red', String(error)));
  const origins = createOrigins({
    recordings: folder,
    isReplay: mode === 'replay',
    open: (origin, own) => {
      const isUpstream = upstream?.origin === origin;
      const rest = Object.entries(given).filter(([name]) => isUpstream || !OF_UPSTREAM.some((each) => each === name));
      return createMock({
        ...nestOptions({
          clock: 'real',
          ...Object.fromEntries(rest),
          ...(isUpstream && { spec }),
          control: false,
          cors: false,
          watch: false,
          'recordings.folder': own.folder,
          'recordings.cassette': own.cassette,
          'recordings.mode': mode,
          'recordings.live': true,
          'recordings.onFailure': onFailure,
          ...(mode !== 'replay' && { 'recordings.upstream': origin }),
          ...Object.fromEntries(hooks),
        }),
      });
    },
  });
  // Java sends no credential that a system property names.
  const isJava = JAVA.test(words.join(' '));
  const proxy = await startProxy(origins.socketOf, !isJava);
  const files = mkdtempSync(join(tmpdir(), 'vouch-'));
  try {
    const env = toEnvironment(proxy.url, files, origins.authority);
    const java = isJava ? await toJavaOptions(proxy.url, files, origins.authority) : {};
    const code = await spawnCommand(words, { ...env, ...java }, writeError);
    const wrong = describeOrigins(origins.opened, options);
    return code === 0 && wrong > 0 ? 1 : code;
  } finally {
    await proxy.close();
    await origins.close();
    rmSync(files, { recursive: true, force: true });
  }
}

/** Prints what was recorded or replayed. @returns how many requests were not. */
function describeOrigins(opened: ReadonlyMap<string, Mock<Clock>>, { mode, writeError }: RunOptions): number {
  let wrong = 0;
  for (const [origin, mock] of opened) {
    const failures = mode === 'replay' ? countMissing(mock) : (mock.recordings?.failures.length ?? 0);
    wrong += failures;
    const verb = mode === 'replay' ? 'replayed' : 'recorded';
    const left = failures === 0 ? '' : `, ${failures} not ${verb}`;
    const calls = countOf(mock.journal.interactions.length, 'request');
    writeError(colour(failures === 0 ? 'gray' : 'yellow', `vouch: ${origin}: ${calls} ${verb}${left}`));
  }
  return wrong;
}

/** How many requests had no recorded response. */
function countMissing(mock: Mock<Clock>): number {
  try {
    mock.verify({ ignore: () => true, unusedRules: false });
    return 0;
  } catch (error) {
    const lines = String(error)
      .split('\n')
      .filter((line) => line.includes('no recording'));
    return Math.max(1, lines.length);
  }
}

/** The environment of the program: the proxy, and the authority beside those that it would trust. */
function toEnvironment(proxy: string, folder: string, authority: string): NodeJS.ProcessEnv {
  const bundle = join(folder, 'authorities.pem');
  const own = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'].flatMap((name) => {
    const file = process.env[name];
    return file === undefined || file === '' ? [] : [readFileSync(file, 'utf8')];
  });
  writeFileSync(bundle, [authority, ...own, ...rootCertificates].join('\n'));
  const preload = join(folder, 'preload.cjs');
  writeFileSync(preload, PRELOAD);
  const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
  const trusted = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE', 'GIT_SSL_CAINFO'];
  const options = `--require ${JSON.stringify(preload)}`;
  return {
    ...process.env,
    ...Object.fromEntries(proxies.map((name) => [name, proxy])),
    ...Object.fromEntries(trusted.map((name) => [name, bundle])),
    VOUCH_PROXY: proxy,
    NODE_OPTIONS: [process.env['NODE_OPTIONS'], options].filter(Boolean).join(' '),
  };
}

/** Programs that run on the Java virtual machine. */
const JAVA = /\b(?:java|javac|jshell|mvnw?|gradlew?|sbt|kotlinc?|scala|groovy)\b/;

const execute = promisify(execFile);

/** The options of the Java virtual machine: it takes neither proxies nor authorities from the environment. `keytool` is part of it. */
async function toJavaOptions(proxy: string, folder: string, authority: string): Promise<NodeJS.ProcessEnv> {
  const { hostname, port } = new URL(proxy);
  const [file, store, secret] = [join(folder, 'authority.pem'), join(folder, 'trust.p12'), 'changeit'];
  writeFileSync(file, authority);
  const target = ['-keystore', store, '-storetype', 'PKCS12', '-storepass', secret];
  await execute('keytool', ['-importcert', '-noprompt', '-alias', 'vouch', '-file', file, ...target]);
  const properties = {
    'http.proxyHost': hostname,
    'http.proxyPort': port,
    'https.proxyHost': hostname,
    'https.proxyPort': port,
    'http.nonProxyHosts': '',
    'javax.net.ssl.trustStore': store,
    'javax.net.ssl.trustStorePassword': secret,
  };
  const options = Object.entries(properties).map(([name, value]) => `-D${name}=${value}`);
  return { JAVA_TOOL_OPTIONS: [process.env['JAVA_TOOL_OPTIONS'], ...options].filter(Boolean).join(' ') };
}

async function spawnCommand(
  [program = '', ...parameters]: readonly string[],
  env: NodeJS.ProcessEnv,
  writeError: Output['writeError'],
): Promise<number> {
  const child = spawn(program, parameters, { stdio: 'inherit', env });
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, pass);
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    return code ?? 128 + (constants.signals[signal ?? 'SIGTERM'] ?? 0);
  } catch (error) {
    writeError(`vouch: ${program} cannot be started: ${(error as Error).message}`);
    return 127;
  } finally {
    for (const signal of signals) process.off(signal, pass);
  }
}
