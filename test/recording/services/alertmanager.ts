import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createMock } from '../../../src/index.js';
import { findPorts } from '../../find-ports.js';
import { launch, readMember, type Service } from './service.js';

export const ALERTMANAGER: Service = {
  spec: 'test/recording/contracts/alertmanager.yaml',
  headers: {},
  start: async (folder) => {
    const config = join(folder, 'alertmanager.yml');
    writeFileSync(config, 'route:\n  receiver: none\nreceivers:\n  - name: none\n');
    const [port] = await findPorts(1);
    const listen = [`--web.listen-address=127.0.0.1:${port}`, '--cluster.listen-address='];
    const child = launch('prometheus-alertmanager', [
      `--config.file=${config}`,
      `--storage.path=${join(folder, 'data')}`,
      ...listen,
    ]);
    return { child, url: `http://127.0.0.1:${port}/api/v2`, ready: '/status' };
  },
  workflow: [
    { method: 'GET', path: '/status' },
    { method: 'GET', path: '/silences' },
    { method: 'POST', path: '/silences', body: silence('first') },
    { method: 'GET', path: (bodies) => `/silence/${readMember(bodies[2], 'silenceID')}` },
    { method: 'POST', path: '/silences', body: silence('second') },
    { method: 'GET', path: (bodies) => `/silence/${readMember(bodies[4], 'silenceID')}` },
    { method: 'DELETE', path: (bodies) => `/silence/${readMember(bodies[2], 'silenceID')}` },
    { method: 'GET', path: (bodies) => `/silence/${readMember(bodies[2], 'silenceID')}` },
    { method: 'GET', path: '/silence/00000000-0000-0000-0000-000000000000' },
    { method: 'POST', path: '/alerts', body: [{ labels: { alertname: 'Disk' } }] },
    { method: 'GET', path: '/alerts' },
    { method: 'POST', path: '/alerts', body: [{ labels: {} }] },
  ],
  notCompared: [
    [
      '0002-getSilences.200.json',
      'recorded-list-empty',
      'the list in the recording is empty, so that its items cannot be compared',
    ],
  ],
  // A silence that is removed ends then.
  differs: [['0008-getSilence.200.json', /^\/endsAt .*a time that the server chose/]],
  skipped: [],
  verify: async ({ files }, into) => {
    const overlays = files.filter((file) => file.endsWith('.overlay.json'));
    const mock = await createMock({ spec: ALERTMANAGER.spec, fixtures: into, overlays });
    const headers = { 'content-type': 'application/json' };
    const created = await mock.fetch('/silences', { method: 'POST', headers, body: JSON.stringify(silence('third')) });
    const id = readMember(await created.text(), 'silenceID');
    expect(await (await mock.fetch(`/silence/${id}`)).json()).toMatchObject({ comment: 'third' });
    expect(await (await mock.fetch('/silences')).json()).toMatchObject([{ id, status: { state: 'active' } }]);
    // Alertmanager still shows a silence that has expired; the contract does not say so.
    await mock.fetch(`/silence/${id}`, { method: 'DELETE' });
    const expired = { id, comment: 'third', status: { state: 'expired' } };
    expect(await (await mock.fetch(`/silence/${id}`)).json()).toMatchObject(expired);
  },
};

function silence(comment: string): object {
  const matchers = [{ name: 'alertname', value: comment, isRegex: false }];
  return { matchers, startsAt: '2026-01-01T00:00:00Z', endsAt: '2100-01-01T00:00:00Z', createdBy: 'test', comment };
}
