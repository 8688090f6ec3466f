import { join } from 'node:path';
import { findPorts } from '../../find-ports.js';
import { launch, type Service } from './service.js';

const KEY = base64('name');
export const ETCD: Service = {
  spec: 'test/recording/contracts/etcd.yaml',
  headers: {},
  start: async (folder) => {
    const [port, peer] = await findPorts(2);
    const [client, other] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peer}`];
    const child = launch('etcd', [
      `--data-dir=${join(folder, 'data')}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${other}`,
      `--initial-advertise-peer-urls=${other}`,
      `--initial-cluster=default=${other}`,
    ]);
    return { child, url: client, ready: '/health' };
  },
  workflow: [
    { method: 'POST', path: '/v3/kv/put', body: { key: KEY, value: base64('first') } },
    { method: 'POST', path: '/v3/kv/range', body: { key: KEY } },
    { method: 'POST', path: '/v3/kv/put', body: { key: KEY, value: base64('second'), prev_kv: true } },
    { method: 'POST', path: '/v3/kv/range', body: { key: KEY } },
    { method: 'POST', path: '/v3/lease/grant', body: { TTL: '60' } },
    { method: 'POST', path: '/v3/watch', body: { create_request: { key: KEY } }, until: '"created":true' },
    { method: 'POST', path: '/v3/kv/deleterange', body: { key: KEY } },
    { method: 'POST', path: '/v3/kv/range', body: { key: KEY } },
    { method: 'POST', path: '/v3/kv/put', body: {} },
  ],
  notCompared: [],
  differs: [],
  skipped: [],
};

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
