// Runs the compose files with a container engine of its own: up, healthy, the published port, a reload through the mount, the inspector, down.
//
//     node .ci/compose.mjs ARCHIVE
//
// ARCHIVE is the image that `.ci/image.sh` has written. Exit code 77: no engine can start here; the last line is the reason.
import { execFile, spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { dump, load } from 'js-yaml';

const run = promisify(execFile);
const SKIPPED = 77;
const WAIT_MS = 60_000;
const POLL_MS = 100;

/** `prepare` fills an empty folder, and returns where in it the compose file and the fixture that is edited are; `edit` is a text of the answer at `path`, and its new text. */
const PROJECTS = [
  {
    name: 'compose.yaml',
    path: '/v1/files/file-handbook/content',
    edit: ['Refunds', 'Returns'],
    prepare: async (folder) => {
      for (const name of ['compose.yaml', 'spec', 'fixtures', 'scenarios'])
        cpSync(name, join(folder, name), { recursive: true });
      return { file: 'compose.yaml', fixture: 'fixtures/files.yaml' };
    },
  },
  {
    name: 'the compose file of vouch init',
    path: '/v1/orders',
    prepare: async (folder) => {
      await run(process.execPath, ['dist/cli/main.js', 'init', 'examples/compose/api/openapi.yaml', '--into', folder]);
      cpSync('examples/compose/api/fixtures', join(folder, 'fixtures'), { recursive: true });
      return { file: 'compose.yaml', fixture: 'fixtures/orders.yaml' };
    },
    edit: ['A book', 'A globe'],
  },
  {
    name: 'examples/compose',
    path: '/v1/orders',
    prepare: async (folder) => {
      cpSync('examples/compose', folder, { recursive: true });
      return { file: 'compose.yaml', fixture: 'api/fixtures/orders.yaml' };
    },
    edit: ['A book', 'A globe'],
  },
];

const HEADERS = { authorization: 'Bearer sk-test' };

const scratch = mkdtempSync(join(tmpdir(), 'vouch-compose-'));
let engine;
try {
  const compose = await findCompose();
  engine = await startEngine();
  await run('docker', ['load', '--quiet', '--input', process.argv[2]], { env: engine.env });
  for (const project of PROJECTS) await check(project, { ...engine, compose });
  await checkCluster({ ...engine, compose });
} catch (error) {
  console.log(error.skip ?? error.stack);
  for (const output of [error.stdout, error.stderr]) if (output) console.log(output);
  process.exitCode = error.skip === undefined ? 1 : SKIPPED;
} finally {
  await engine?.stop();
  rmSync(scratch, { recursive: true, force: true });
}

function skip(reason) {
  return Object.assign(new Error(reason), { skip: `the compose files are not run: ${reason}` });
}

/** The command of compose, of its second version if that is installed. */
async function findCompose() {
  for (const command of [['docker', 'compose'], ['docker-compose']]) {
    const [program, ...words] = command;
    const { stdout } = await run(program, [...words, 'version']).catch(() => ({}));
    if (stdout === undefined) continue;
    console.log(stdout.split('\n')[0]);
    return command;
  }
  throw skip('neither docker compose nor docker-compose is installed');
}

/** Starts dockerd with files of its own, without a bridge that outlives it and without changes to the firewall. */
async function startEngine() {
  if (process.getuid() !== 0) throw skip('dockerd needs root');
  const at = (name) => join(scratch, name);
  writeFileSync(at('daemon.json'), '{}');
  const host = `unix://${at('docker.sock')}`;
  const files = ['--config-file', at('daemon.json'), '--data-root', at('data'), '--exec-root', at('exec')];
  const words = [...files, '--pidfile', at('docker.pid'), '--host', host, '--storage-driver=vfs'];
  const PATH = `${process.env.PATH}:/usr/sbin`;
  const daemon = spawn('dockerd', [...words, '--bridge=none', '--iptables=false', '--ip6tables=false'], {
    env: { ...process.env, PATH },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  daemon.stderr.on('data', (chunk) => (log += chunk));
  const ended = new Promise((resolve) => {
    daemon.once('error', (error) => {
      log = error.message;
      resolve();
    });
    daemon.once('exit', resolve);
  });
  const isRunning = () => daemon.pid !== undefined && daemon.exitCode === null && daemon.signalCode === null;
  const stop = async () => {
    daemon.kill();
    await ended;
  };
  const env = { ...process.env, PATH, DOCKER_HOST: host, DOCKER_CONFIG: scratch, VOUCH_CONTROL_TOKEN: undefined };
  const isReady = () =>
    run('docker', ['info'], { env }).then(
      () => true,
      () => false,
    );
  const endsAt = Date.now() + WAIT_MS;
  while (isRunning() && !(await isReady())) {
    if (Date.now() < endsAt) await delay(POLL_MS);
    else await stop();
  }
  if (isRunning()) return { env, stop };
  throw skip(`dockerd does not start: ${log.trim().split('\n').at(-1)}`);
}

/** Does with one project what a user does. */
async function check({ name, path, edit, prepare }, engine) {
  const folder = makeFolder(`project-${PROJECTS.findIndex((each) => each.name === name)}`);
  const { file, fixture } = await prepare(folder);
  // The port of the file may be in use on this machine.
  const port = await findPort();
  replaceIn(join(folder, file), "'127.0.0.1:4010:4010'", `'127.0.0.1:${port}:4010'`);
  const url = `http://127.0.0.1:${port}`;
  await withProject({ folder, file, services: ['vouch'] }, engine, async ({ waitHealthy, readLogs }) => {
    const healthyMs = await measure(() => waitHealthy('vouch'));
    const read = async () => (await fetch(url + path, { headers: HEADERS })).text();
    const before = await read();
    if (!before.includes(edit[0])) throw new Error(`${path} answers ${before}`);
    replaceIn(join(folder, fixture), ...edit);
    const reloadMs = await measure(() =>
      waitUntil(`${path} has ${edit[1]}`, async () => (await read()).includes(edit[1])),
    );
    await checkInspector(url, await readLogs());
    console.log(
      `${name}: healthy after ${healthyMs} ms, reloaded after ${reloadMs} ms, the inspector opens by its link only`,
    );
  });
}

/** The link that is printed at start opens the page, and its token the control API, which is closed otherwise. */
async function checkInspector(url, logs) {
  const links = [...logs.matchAll(/inspector (http:\/\/127\.0\.0\.1:4010(\/__mock\/)#token=([\w-]+))/g)];
  const [, , path, token] = links[0] ?? [];
  if (links.length !== 1 || logs.split(token).length !== 2)
    throw new Error(`expected one link with a token in\n${logs}`);
  const read = async (at, headers = {}) => (await fetch(url + at, { headers })).status;
  const got = [
    await read(path),
    await read('/__mock/state'),
    await read('/__mock/state', { authorization: 'Bearer wrong' }),
    await read('/__mock/state', { authorization: `Bearer ${token}` }),
  ];
  if (got.join() !== '200,403,403,200')
    throw new Error(`the page, then state without, with a wrong and with the token: ${got.join()}`);
}

/** Three replicas and Redis; the images are made of what is installed here. nginx has none. */
async function checkCluster(engine) {
  const redis = ['redis-server', 'redis-cli'];
  const missing = [];
  for (const program of redis) await run('which', [program]).catch(() => missing.push(program));
  if (missing.length > 0) {
    console.log(`examples/cluster is not run: ${missing.join(' and ')} is not installed`);
    return;
  }
  const folder = makeFolder('cluster');
  cpSync('examples/cluster', folder, { recursive: true });
  await buildClusterImages(folder, engine);
  const file = join(folder, 'compose.yaml');
  const { services, volumes } = load(readFileSync(file, 'utf8'));
  const { api, redis: store } = services;
  // Images of Prometheus and nginx cannot be made here. The first version of compose creates replicas only if it is asked to.
  const { build: _, ...replica } = api;
  // The official image of Redis has the protected mode switched off.
  const own = { ...store, command: [...store.command, '--protected-mode', 'no'] };
  writeFileSync(file, dump({ services: { redis: own, api: { ...replica, image: 'cluster' } }, volumes }));
  const { replicas } = api.deploy;
  const given = { folder, file: 'compose.yaml', services: ['--scale', `api=${replicas}`] };
  await withProject(given, engine, async ({ waitHealthy, listAddresses }) => {
    await waitHealthy('api');
    const urls = (await listAddresses('api')).map((address) => `http://${address}:4010`);
    if (urls.length !== replicas) throw new Error(`${urls.length} of ${replicas} replicas run`);
    const headers = { 'content-type': 'application/json', 'x-mock-control-token': 'local' };
    const body = JSON.stringify({ title: 'Of one replica' });
    const created = await fetch(`${urls[0]}/books`, { method: 'POST', headers, body });
    if (created.status !== 201)
      throw new Error(`the create was answered with ${created.status}: ${await created.text()}`);
    for (const url of urls) {
      const list = await (await fetch(`${url}/books`)).text();
      if (!list.includes('Of one replica'))
        throw new Error(`${url} lacks the book that another replica created: ${list}`);
      const control = [await fetch(`${url}/__mock/state`), await fetch(`${url}/__mock/state`, { headers })];
      if (control.map(({ status }) => status).join() !== '401,200')
        throw new Error(`${url}: the token is not that of the file`);
    }
    console.log(
      `examples/cluster: ${urls.length} replicas share one state; without nginx and Prometheus, whose images cannot be made here`,
    );
  });
}

async function buildClusterImages(folder, { env }) {
  const build = (context, tag) =>
    run('docker', ['build', '--quiet', '--tag', tag, context], { env: { ...env, DOCKER_BUILDKIT: '0' } });
  const replica = makeFolder('replica-image');
  // The client of Redis with what it imports.
  for (const name of ['redis', '@redis', 'cluster-key-slot'])
    cpSync(join('node_modules', name), join(replica, 'modules', name), { recursive: true });
  cpSync(join(folder, 'api'), join(replica, 'api'), { recursive: true });
  const [, command] = /^CMD \["vouch", (.+)\]$/m.exec(readFileSync(join(folder, 'Dockerfile'), 'utf8'));
  const lines = ['FROM vouch', 'COPY modules /app/node_modules/', 'COPY api ./', `CMD [${command}]`];
  writeFileSync(join(replica, 'Dockerfile'), lines.join('\n'));
  await build(replica, 'cluster');
  const store = makeFolder('redis-image');
  for (const program of ['redis-server', 'redis-cli']) {
    const path = (await run('which', [program])).stdout.trim();
    const { stdout: libraries } = await run('ldd', [path]);
    for (const file of [path, ...libraries.match(/\/\S+/g)]) copyInto(join(store, 'root'), file);
  }
  mkdirSync(join(store, 'root/tmp'), { recursive: true });
  mkdirSync(join(store, 'root/data'), { recursive: true });
  writeFileSync(
    join(store, 'Dockerfile'),
    'FROM scratch\nCOPY root /\nENV PATH=/usr/local/bin:/usr/bin:/bin\nWORKDIR /data\nCMD ["redis-server"]',
  );
  await build(store, load(readFileSync('examples/cluster/compose.yaml', 'utf8')).services.redis.image);
}

function copyInto(root, file) {
  mkdirSync(join(root, dirname(file)), { recursive: true });
  cpSync(file, join(root, file), { dereference: true });
}

/** Starts services of a project, passes on what can be asked of it, and ends it. */
async function withProject({ folder, file, services }, { env, compose }, use) {
  const [program, ...words] = compose;
  const call = (...given) => run(program, [...words, '--file', join(folder, file), ...given], { env, cwd: folder });
  const inspect = async (service, format) => {
    const ids = (await call('ps', '-q', service)).stdout.trim().split('\n').filter(Boolean);
    if (ids.length === 0) return [];
    return (await run('docker', ['inspect', '--format', format, ...ids], { env })).stdout.trim().split('\n');
  };
  const readLogs = async () => (await call('logs', '--no-color', '--tail', '200')).stdout;
  try {
    await call('up', '--detach', '--no-build', ...services);
    const isHealthy = async (service) => {
      const states = await inspect(service, '{{.State.Health.Status}}');
      return states.length > 0 && states.every((state) => state === 'healthy');
    };
    await use({
      readLogs,
      waitHealthy: (service) => waitUntil(`${service} is healthy`, () => isHealthy(service)),
      listAddresses: (service) => inspect(service, '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}'),
    });
  } catch (error) {
    console.log(await readLogs().catch(() => 'no logs'));
    throw error;
  } finally {
    await call('down', '--volumes', '--timeout', '5');
  }
  const { stdout } = await run('docker', ['ps', '--all', '--quiet'], { env });
  if (stdout.trim() !== '') throw new Error(`containers are left after down: ${stdout}`);
}

/** A folder that the user of the container can read. */
function makeFolder(name) {
  const folder = join(scratch, name);
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  return folder;
}

function replaceIn(file, from, to) {
  const text = readFileSync(file, 'utf8');
  if (!text.includes(from)) throw new Error(`${file} lacks ${from}`);
  writeFileSync(file, text.replaceAll(from, to));
}

async function findPort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function measure(work) {
  const startedAt = performance.now();
  await work();
  return Math.round(performance.now() - startedAt);
}

async function waitUntil(what, isTrue) {
  for (const endsAt = Date.now() + WAIT_MS; Date.now() < endsAt;) {
    if (await isTrue().catch(() => false)) return;
    await delay(POLL_MS);
  }
  throw new Error(`after ${WAIT_MS / 1000} s it is not true that ${what}`);
}
