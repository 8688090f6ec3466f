// @module-tag thorough
import { readFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { load, loadAll } from 'js-yaml';
import { afterEach, describe, expect, it } from 'vitest';
import { serveInTest } from '../serve-in-test.js';
import { startRedisInTest } from './redis-in-test.js';
import { REDIS_MISSING } from './redis-server.js';
import { type ReplicaProcess, startReplica } from './replica-process.js';

const FOLDER = 'examples/cluster';

interface Compose {
  readonly services: {
    readonly redis: { readonly command: readonly string[] };
    readonly api: {
      readonly deploy: { readonly replicas: number };
      readonly environment: Readonly<Record<string, string>>;
      readonly healthcheck: { readonly test: readonly string[] };
    };
    readonly prometheus: {
      readonly volumes: readonly string[];
      readonly configs: readonly [{ readonly source: string; readonly target: string }];
    };
  };
  readonly configs: Readonly<Record<string, { readonly content: string }>>;
}

interface PrometheusConfig {
  readonly scrape_configs: readonly [{ readonly metrics_path: string }];
}

interface PodMonitor {
  readonly spec: { readonly selector: object; readonly podMetricsEndpoints: readonly object[] };
}

interface Container {
  readonly args?: readonly string[];
  readonly ports: readonly [{ readonly name: string; readonly containerPort: number }];
  readonly env?: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly secretKeyRef: object };
  }[];
  readonly readinessProbe: { readonly httpGet: { readonly path: string; readonly port: string } };
  readonly livenessProbe: { readonly tcpSocket: { readonly port: string } };
}

interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly replicas: number;
    readonly selector: object;
    readonly ports: readonly [{ readonly port: number; readonly targetPort: string }];
    readonly template: { readonly spec: { readonly containers: readonly [Container] } };
  };
}

const read = (name: string): string => readFileSync(`${FOLDER}/${name}`, 'utf8');
const compose = load(read('compose.yaml')) as Compose;
const resources = loadAll(read('kubernetes.yaml')) as readonly Resource[];
const dockerfile = read('Dockerfile');
const command = JSON.parse(/^CMD (.+)$/m.exec(dockerfile)?.[1] ?? '[]') as readonly string[];
const port = /VOUCH_PORT=(\d+)/.exec(dockerfile)?.[1] ?? '';

function findResource(kind: string, name: string): Resource['spec'] {
  const found = resources.find((each) => each.kind === kind && each.metadata.name === name);
  if (found === undefined) throw new Error(`no ${kind} ${name}`);
  return found.spec;
}

describe('the files of examples/cluster', () => {
  const [mock] = findResource('Deployment', 'mock').template.spec.containers;
  const [redis] = findResource('StatefulSet', 'mock-redis').template.spec.containers;

  it('name options that exist', () => {
    const documented = readFileSync('docs/options.md', 'utf8');
    const names = [...Object.keys(compose.services.api.environment), ...(mock.env ?? []).map(({ name }) => name)];
    expect(names.filter((name) => !documented.includes(`\`${name}\``))).toEqual([]);
  });

  it('agree on ports, hosts and probes', () => {
    expect(dockerfile).toContain(`EXPOSE ${port}`);
    expect(read('nginx.conf')).toContain(`server api:${port} resolve;`);
    expect(compose.services.api.healthcheck.test.at(-1)).toContain(`http://127.0.0.1:${port}/__mock/health`);
    expect(compose.services.api.environment['VOUCH_STORE']).toBe('redis://redis:6379');
    expect(mock.ports).toEqual([{ name: 'http', containerPort: Number(port) }]);
    expect(mock.readinessProbe.httpGet).toEqual({ path: '/__mock/health', port: 'http' });
    expect(mock.livenessProbe.tcpSocket.port).toBe('http');
    expect(findResource('Service', 'mock').ports[0].targetPort).toBe('http');
    const { port: redisPort } = findResource('Service', 'mock-redis').ports[0];
    expect(redis.ports[0].containerPort).toBe(redisPort);
    expect(mock.env?.find(({ name }) => name === 'VOUCH_STORE')?.value).toBe(`redis://mock-redis:${redisPort}`);
    expect(redis.args).toEqual(compose.services.redis.command);
    expect(findResource('Deployment', 'mock').replicas).toBe(compose.services.api.deploy.replicas);
  });

  it('read the metrics of each replica with its token', () => {
    const { scrape_configs: jobs } = load(read('prometheus.yml')) as PrometheusConfig;
    const [job] = jobs;
    const { prometheus, api } = compose.services;
    const [token] = prometheus.configs;
    expect(jobs).toEqual([
      {
        job_name: 'mock',
        metrics_path: '/__mock/metrics',
        authorization: { credentials_file: token.target },
        dns_sd_configs: [{ names: ['api'], type: 'A', port: Number(port) }],
      },
    ]);
    expect(compose.configs[token.source]?.content).toBe(api.environment['VOUCH_CONTROL_TOKEN']);
    expect(prometheus.volumes).toEqual(['./prometheus.yml:/etc/prometheus/prometheus.yml:ro']);
    const { spec } = load(read('pod-monitor.yaml')) as PodMonitor;
    const { selector } = findResource('Deployment', 'mock');
    expect(spec.selector).toEqual(selector);
    const secret = mock.env?.find(({ name }) => name === 'VOUCH_CONTROL_TOKEN')?.valueFrom?.secretKeyRef;
    expect(spec.podMetricsEndpoints).toEqual([
      { port: mock.ports[0].name, path: job.metrics_path, authorization: { credentials: secret } },
    ]);
  });
});

describe.skipIf(REDIS_MISSING !== undefined)('the replicas of examples/cluster', () => {
  let replicas: ReplicaProcess[] = [];
  afterEach(async () => {
    await Promise.all(replicas.map((replica) => replica.end('SIGKILL')));
  });

  it('have one state behind a load balancer, also when one ends and when Redis is away', async () => {
    const [, ...redisOptions] = compose.services.redis.command;
    const redis = await startRedisInTest(redisOptions);
    const { environment, deploy } = compose.services.api;
    const env = { ...environment, VOUCH_CONTROL_TOKEN: 'local', VOUCH_STORE: redis.url, VOUCH_PORT: '0' };
    const options = { cwd: `${FOLDER}/api`, env };
    const [program, ...words] = command;
    expect(program).toBe('vouch');
    replicas = await Promise.all(Array.from({ length: deploy.replicas }, () => startReplica(words, options)));
    let next = 0;
    const url = await serveInTest(createBalancer(() => replicas[next++ % replicas.length]?.url ?? ''));
    const create = async (title: string): Promise<number> => {
      const headers = { 'content-type': 'application/json' };
      return (await fetch(`${url}/books`, { method: 'POST', headers, body: JSON.stringify({ title }) })).status;
    };
    const listTitles = async (): Promise<readonly string[]> => {
      const { data } = (await (await fetch(`${url}/books`)).json()) as { data: readonly { title: string }[] };
      return data.map(({ title }) => title);
    };
    expect(await create('Persuasion')).toBe(201);
    for (const _ of replicas) expect(await listTitles()).toEqual(['Emma', 'Persuasion']);
    const [ended, ...others] = replicas as [ReplicaProcess, ...ReplicaProcess[]];
    replicas = others;
    expect(await ended.end('SIGTERM')).toBe(0);
    expect(await create('Sanditon')).toBe(201);
    for (const _ of replicas) expect(await listTitles()).toEqual(['Emma', 'Persuasion', 'Sanditon']);
    const readHealth = (): Promise<readonly number[]> =>
      Promise.all(replicas.map(async ({ url }) => (await fetch(`${url}/__mock/health`)).status));
    expect(await readHealth()).toEqual([200, 200]);
    await redis.kill();
    expect(await readHealth()).toEqual([503, 503]);
  });
});

/** Passes each request on to the next address. */
function createBalancer(next: () => string): Server {
  return createServer((incoming, outgoing) => {
    const { method, headers, url = '' } = incoming;
    const passed = request(`${next()}${url}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.once('error', () => outgoing.writeHead(502).end());
    incoming.pipe(passed);
  });
}
