import { execFileSync } from 'node:child_process';
import { findPorts } from '../../find-ports.js';
import { findProgram, launch, type Service } from './service.js';

const FOLDERS = '/rest/config/folders';

/** Errors are text; creates and changes are answered without a body. */
export const SYNCTHING: Service = {
  spec: 'test/recording/contracts/syncthing.yaml',
  headers: { 'x-api-key': 'syncthing-key-0123456789' },
  start: async (folder) => {
    const program = findProgram('syncthing') ?? '';
    execFileSync(program, ['generate', `--home=${folder}`, '--no-default-folder'], { stdio: 'ignore' });
    const [port] = await findPorts(1);
    const alone = [`--home=${folder}`, '--no-browser', '--no-restart', '--no-upgrade'];
    const own = [`--gui-address=127.0.0.1:${port}`, `--gui-apikey=${SYNCTHING.headers['x-api-key']}`];
    const child = launch('syncthing', ['serve', ...alone, ...own]);
    return { child, url: `http://127.0.0.1:${port}`, ready: '/rest/system/ping' };
  },
  workflow: [
    { method: 'GET', path: '/rest/system/ping' },
    { method: 'GET', path: FOLDERS, anonymous: true },
    { method: 'GET', path: FOLDERS },
    { method: 'GET', path: `${FOLDERS}/none` },
    { method: 'POST', path: FOLDERS, body: { id: 'docs', label: 'Docs', path: '/tmp/vouch-docs' } },
    { method: 'GET', path: `${FOLDERS}/docs` },
    { method: 'POST', path: FOLDERS, body: { id: 'music', label: 'Music', path: '/tmp/vouch-music', paused: true } },
    { method: 'GET', path: FOLDERS },
    { method: 'PATCH', path: `${FOLDERS}/docs`, body: { label: 'Documents' } },
    { method: 'GET', path: `${FOLDERS}/docs` },
    { method: 'PATCH', path: `${FOLDERS}/none`, body: { label: 'None' } },
    { method: 'GET', path: '/rest/db/status?folder=none' },
    { method: 'DELETE', path: `${FOLDERS}/docs` },
    { method: 'GET', path: `${FOLDERS}/docs` },
    { method: 'DELETE', path: `${FOLDERS}/docs` },
    { method: 'GET', path: FOLDERS },
  ],
  isOffContract: true,
  notCompared: [],
  differs: [],
  skipped: [],
};
