import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plan } from './cells.js';
import { runLoad } from './load.js';
import { CLI, toServerFile } from './paths.js';
import { readProcessCpu } from './process-cpu.js';
import { type ServerProcess, startServer } from './server-process.js';
import { readMedian } from './start-up.js';
import type { Table } from './table.js';

/** The cost of one forwarded request. */
interface RecordingFigure {
  readonly name: string;
  /** CPU time of the whole process per request, user and system, in microseconds; the median of the rounds. */
  readonly cpuMicros: number;
  readonly perSecond: number;
  readonly peakMegabytes: number;
}

/** A server to measure. */
interface Subject {
  readonly name: string;
  readonly server: ServerProcess;
  /** Whether each request has a credential that no other has: each is replaced by a placeholder of its own. */
  readonly hasCredentials: boolean;
}

/** Compares `vouch record`, which forwards and records, and the same without recording, with a proxy on plain node:http and with the proxy helper of Hono. */
export async function measureRecording(plan: Plan): Promise<Table> {
  const [cli, proxy, honoProxy] = [CLI, toServerFile('proxy'), toServerFile('hono-proxy')];
  const folder = mkdtempSync(join(tmpdir(), 'vouch-bench-'));
  const spec = join(folder, 'items.json');
  writeFileSync(spec, JSON.stringify(SPEC));
  const upstream = createServer((request, response) => {
    request.resume();
    const item = { id: (request.url ?? '').slice(7), name: 'A widget with a name', tags: ['a', 'b'], n: 17 };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(item));
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const { port } = upstream.address() as AddressInfo;
  const record = [cli, 'record', spec, '--upstream', `http://127.0.0.1:${port}`, '--recordings', folder, '--port', '0'];
  const subjects: Subject[] = [];
  try {
    for (const [name, args] of [
      ['node:http proxy', [proxy, String(port)]],
      ['Hono proxy', [honoProxy, String(port)]],
      ['vouch record', [...record, '--json', '--cassette', 'bench']],
      [WITH_CREDENTIALS, [...record, '--json', '--cassette', 'credentials']],
      ['without recording', [...record, '--json', '--quiet', '--cassette', 'none', '--exclude-operation', 'readItem']],
    ] as const) {
      subjects.push({ name, server: await startServer(args), hasCredentials: name === WITH_CREDENTIALS });
    }
    return tabulate(await runRounds(subjects, plan));
  } finally {
    await Promise.all(subjects.map(({ server }) => server.stop()));
    upstream.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const WITH_CREDENTIALS = 'a new credential in each';

function tabulate(figures: readonly RecordingFigure[]): Table {
  const [proxy] = figures;
  const rows = figures.map(({ name, cpuMicros, perSecond, peakMegabytes }) => [
    name,
    cpuMicros.toFixed(1),
    (cpuMicros / (proxy?.cpuMicros ?? Number.NaN)).toFixed(2),
    Math.round(perSecond).toString(),
    peakMegabytes.toFixed(0),
  ]);
  return { title: 'recording', head: ['server', 'CPU us/request', 'to proxy', 'requests/s', 'peak MB'], rows };
}

async function runRounds(
  subjects: readonly Subject[],
  { rounds, requests, connections }: Plan,
): Promise<readonly RecordingFigure[]> {
  const cells = subjects.map((subject) => ({ ...subject, cpu: [] as number[], perSecond: [] as number[] }));
  for (let round = 0; round <= rounds; round += 1) {
    for (const { server, hasCredentials, cpu, perSecond } of cells) {
      const before = readProcessCpu(server.id);
      const request = (n: number): Buffer => {
        const credential = hasCredentials ? `authorization: Bearer key-${round}-${n}-4f9aXq2Lw8Zr\r\n` : '';
        const head = `GET /items/${round}-${n} HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\n${credential}\r\n`;
        return Buffer.from(head);
      };
      const { elapsedMs } = await runLoad({ port: server.port, connections, requests, request, status: 200 });
      // The first round is the warm-up.
      if (round === 0) continue;
      cpu.push((readProcessCpu(server.id) - before) / requests);
      perSecond.push((requests * 1000) / elapsedMs);
    }
  }
  const figures: RecordingFigure[] = [];
  for (const { name, server, cpu, perSecond } of cells) {
    const { peakKilobytes } = await server.usage();
    figures.push({
      name,
      cpuMicros: readMedian(cpu),
      perSecond: readMedian(perSecond),
      peakMegabytes: peakKilobytes / 1024,
    });
  }
  return figures;
}

const ITEM = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    name: { type: 'string' },
    n: { type: 'integer' },
    tags: { type: 'array', items: { type: 'string' } },
  },
};

const SPEC = {
  openapi: '3.1.0',
  info: { title: 'Items', version: '1' },
  servers: [{ url: '/' }],
  paths: {
    '/items/{id}': {
      get: {
        operationId: 'readItem',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: { 200: { description: 'The item', content: { 'application/json': { schema: ITEM } } } },
      },
    },
  },
};
