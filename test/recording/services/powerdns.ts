import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createMock } from '../../../src/index.js';
import { findPorts } from '../../find-ports.js';
import { launch, type Service } from './service.js';

const ZONES = '/servers/localhost/zones';
const ZONE = { name: 'example.org.', kind: 'Native', nameservers: ['ns1.example.org.'] };
const RECORD = { content: '192.0.2.1', disabled: false };
export const POWERDNS: Service = {
  spec: 'test/recording/contracts/powerdns.yaml',
  headers: { 'x-api-key': 'pdns-key-0123456789' },
  start: async (folder) => {
    const database = join(folder, 'pdns.sqlite');
    execFileSync('sqlite3', [database, `.read ${POWERDNS_SCHEMA}`]);
    const [port, dns] = await findPorts(2);
    const server = `--webserver=yes --webserver-address=127.0.0.1 --webserver-port=${port}`;
    const fixed = '--launch=gsqlite3 --api=yes --daemon=no --guardian=no --disable-syslog=yes --write-pid=no';
    const child = launch('pdns_server', [
      ...`${fixed} ${server} --local-address=127.0.0.1 --local-port=${dns}`.split(' '),
      `--config-dir=${folder}`,
      `--socket-dir=${folder}`,
      `--gsqlite3-database=${database}`,
      `--api-key=${POWERDNS.headers['x-api-key']}`,
    ]);
    return { child, url: `http://127.0.0.1:${port}/api/v1`, ready: '/servers' };
  },
  workflow: [
    { method: 'GET', path: '/servers' },
    { method: 'GET', path: '/servers/localhost' },
    { method: 'GET', path: '/servers', anonymous: true },
    { method: 'GET', path: ZONES },
    { method: 'POST', path: ZONES, body: ZONE },
    { method: 'POST', path: ZONES, body: ZONE },
    { method: 'POST', path: ZONES, body: { ...ZONE, name: 'example.net.' } },
    { method: 'POST', path: ZONES, body: { name: 'relative', kind: 'Native' } },
    { method: 'GET', path: ZONES },
    { method: 'GET', path: `${ZONES}/example.org.` },
    {
      method: 'PATCH',
      path: `${ZONES}/example.org.`,
      body: { rrsets: [{ name: 'www.example.org.', type: 'A', ttl: 300, changetype: 'REPLACE', records: [RECORD] }] },
    },
    { method: 'GET', path: `${ZONES}/example.net.` },
    { method: 'DELETE', path: `${ZONES}/example.org.` },
    { method: 'GET', path: `${ZONES}/example.org.` },
    { method: 'GET', path: `${ZONES}/nothing.example.` },
  ],
  notCompared: [],
  differs: [],
  skipped: [],
  verify: async ({ files }, into) => {
    const overlays = files.filter((file) => file.endsWith('.overlay.json'));
    const mock = await createMock({ spec: POWERDNS.spec, fixtures: into, overlays });
    const headers = { ...POWERDNS.headers, 'content-type': 'application/json' };
    const add = (name: string): Promise<Response> =>
      mock.fetch(ZONES, { method: 'POST', headers, body: JSON.stringify({ ...ZONE, name, rrsets: [] }) });
    const statuses = [await add('other.example.'), await add('other.example.'), await add('more.example.')];
    expect(statuses.map(({ status }) => status)).toEqual([201, 409, 201]);
    const [zone] = (await (await mock.fetch(ZONES, { headers })).json()) as readonly object[];
    expect(zone).toMatchObject({ name: 'other.example.', account: '' });
    expect(zone).not.toHaveProperty('rrsets');
    const read = await (await mock.fetch(`${ZONES}/other.example.`, { headers })).json();
    expect(read).toMatchObject({ rrsets: [], soa_edit_api: 'DEFAULT' });
  },
};
export const POWERDNS_SCHEMA = '/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql';
