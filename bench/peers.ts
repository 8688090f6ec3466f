import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { readAnswer } from './load.js';

/** Another mock server of OpenAPI documents. */
interface Peer {
  readonly name: string;
  /** The program and its arguments. */
  command(spec: string, port: number): readonly string[];
}

/** A peer that answers. */
export interface RunningPeer {
  readonly name: string;
  readonly port: number;
  /** The id of its process. */
  readonly id: number;
  readonly isOptional: true;
  stop(): Promise<void>;
}

const FOLDER = 'bench/peers';
const MODULES = `${FOLDER}/node_modules`;

// Each with the options that make it quick: one process, no log of requests.
const PEERS: readonly Peer[] = [
  ...(process.env['NODE24'] === undefined ? [] : [createScalar(process.env['NODE24'])]),
  {
    name: 'steady 0.22',
    command: (spec, port) => [`${MODULES}/.bin/steady`, ...toArguments(port, '--host'), '--quiet', spec],
  },
  {
    name: 'prism 5.14',
    command: (spec, port) => {
      const program = `${MODULES}/@stoplight/prism-cli/dist/index.js`;
      const quick = ['--multiprocess=false', '--verboseLevel', 'silent'];
      return [process.execPath, program, 'mock', ...toArguments(port, '--host'), ...quick, spec];
    },
  },
  {
    name: 'openapi-backend 5.21',
    command: (spec, port) => [process.execPath, `${FOLDER}/openapi-backend.mjs`, spec, `${port}`],
  },
  {
    name: 'mockoon 9.9',
    command: (spec, port) => {
      const quick = ['--disable-log-to-file', '--disable-admin-api'];
      return [`${MODULES}/.bin/mockoon-cli`, 'start', '--data', spec, ...toArguments(port, '--hostname'), ...quick];
    },
  },
];

/** Scalar's mock server needs Node.js 22. @param node - The path of one. */
function createScalar(node: string): Peer {
  return { name: 'scalar 0.14', command: (spec, port) => [node, `${FOLDER}/scalar.mjs`, spec, `${port}`] };
}

function toArguments(port: number, host: string): readonly string[] {
  return ['--port', `${port}`, host, '127.0.0.1'];
}

/** Installs the peers, once; without a registry there are none. */
function installPeers(): boolean {
  if (existsSync(MODULES)) return true;
  try {
    // One of them needs a later Node.js, which is started with `NODE24`.
    const flags = ['--engine-strict=false', '--no-audit', '--no-fund', '--no-package-lock'];
    execFileSync('npm', ['install', ...flags, '--prefix', FOLDER], { stdio: ['ignore', 'ignore', 'inherit'] });
    return true;
  } catch {
    return false;
  }
}

/** Starts every peer that can serve a document; the others are named on standard error. */
export async function startPeers(spec: string): Promise<readonly RunningPeer[]> {
  if (!installPeers()) {
    console.error('the other mock servers could not be installed and are left out');
    return [];
  }
  const running: RunningPeer[] = [];
  for (const peer of PEERS) {
    const started = await startPeer(peer, spec);
    if (started === undefined) console.error(`${peer.name} does not serve ${spec} and is left out`);
    else running.push(started);
  }
  return running;
}

/** How long a peer has to answer after it was started. */
const START_MS = 60_000;

async function startPeer({ name, command }: Peer, spec: string): Promise<RunningPeer | undefined> {
  const port = await findFreePort();
  const [program = '', ...args] = command(spec, port);
  // A group of its own: some programs start the server in another process.
  const child = spawn(program, args, { stdio: 'ignore', detached: true, env: { ...process.env, NO_COLOR: '1' } });
  child.once('error', () => undefined);
  const id = child.pid;
  // The program could not be started.
  if (id === undefined) return undefined;
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    process.kill(-id, 'SIGKILL');
    await once(child, 'exit');
  };
  if (await waitFor(child, port)) return { name, port, id, isOptional: true, stop };
  await stop();
  return undefined;
}

/** Waits until anything answers on a port. */
async function waitFor(child: ChildProcess, port: number): Promise<boolean> {
  const probe = Buffer.from('GET /bench-probe HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n');
  const endsAt = performance.now() + START_MS;
  while (performance.now() < endsAt && child.exitCode === null) {
    try {
      await readAnswer(port, probe);
      return true;
    } catch {
      await delay(50);
    }
  }
  return false;
}

/** A port that no process listens on. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server's address is an AddressInfo.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
