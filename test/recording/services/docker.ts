import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPorts } from '../../find-ports.js';
import { launch, readMember, type Service } from './service.js';

const VOLUME = { Name: 'data', Labels: { tier: 'test' } };
const NETWORK = { Name: 'front', Driver: 'bridge' };
/** A path with the id that the create of the network answered with. */
const network = (bodies: readonly string[]): string => `/networks/${readMember(bodies[12], 'Id')}`;

/** Names that the client chooses and ids that the server makes, for the same items; creates at paths of their own. */
export const DOCKER: Service = {
  spec: 'test/recording/contracts/docker.yaml',
  headers: {},
  start: async (folder) => {
    const config = join(folder, 'daemon.json');
    writeFileSync(config, '{}');
    const [port] = await findPorts(1);
    const listen = `tcp://127.0.0.1:${port}`;
    // Without bridges, the firewall and layers of the kernel, which not every machine lets it change.
    const plain = ['--bridge=none', '--iptables=false', '--ip6tables=false', '--storage-driver=vfs'];
    const files = ['--config-file', config, '--data-root', join(folder, 'data'), '--exec-root', join(folder, 'run')];
    const child = launch('dockerd', [...plain, ...files, '--pidfile', join(folder, 'docker.pid'), '-H', listen]);
    return { child, url: `http://127.0.0.1:${port}/v1.41`, ready: '/_ping' };
  },
  probe: async (url) => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ ...NETWORK, Name: 'probe' });
    const created = await fetch(`${url}/networks/create`, { method: 'POST', headers, body });
    if (!created.ok) return `it creates no networks here: ${await created.text()}`;
    await fetch(`${url}/networks/probe`, { method: 'DELETE' });
    return undefined;
  },
  workflow: [
    { method: 'GET', path: '/_ping' },
    { method: 'GET', path: '/volumes' },
    { method: 'POST', path: '/volumes/create', body: VOLUME },
    { method: 'GET', path: '/volumes/data' },
    { method: 'GET', path: '/volumes' },
    // Docker lists several in no order of its own.
    { method: 'POST', path: '/volumes/create', body: { Name: 'cache' } },
    { method: 'POST', path: '/volumes/create', body: { Name: '-/' } },
    { method: 'GET', path: '/volumes/none' },
    { method: 'DELETE', path: '/volumes/data' },
    { method: 'GET', path: '/volumes/data' },
    { method: 'DELETE', path: '/volumes/data' },
    { method: 'GET', path: '/networks' },
    { method: 'POST', path: '/networks/create', body: NETWORK },
    { method: 'GET', path: network },
    { method: 'GET', path: '/networks/front' },
    { method: 'POST', path: '/networks/create', body: { ...NETWORK, CheckDuplicate: true } },
    { method: 'GET', path: '/networks/none-such' },
    { method: 'DELETE', path: '/networks/front' },
    { method: 'GET', path: network },
    { method: 'DELETE', path: '/networks/front' },
    { method: 'POST', path: '/containers/create?name=web', body: { Image: 'none-such', Cmd: ['/x'] } },
    { method: 'GET', path: '/containers/web/json' },
  ],
  isOffContract: true,
  notCompared: [
    ['0015-NetworkInspect.200.json', 'gone', 'the API answered 404: the recorded item may not exist there'],
  ],
  differs: [],
  skipped: [],
};
