import { join } from 'node:path';
import { findPorts } from '../../find-ports.js';
import { launch, readMember, type Service, type Step } from './service.js';

const call = (id: string, method: string, ...params: readonly unknown[]): Step => ({
  method: 'POST',
  path: '/jsonrpc',
  body: { jsonrpc: '2.0', id, method: `aria2.${method}`, params },
});
/** A call whose parameter is the result of another one. */
const callOf = (id: string, method: string, from: number): Step => ({
  ...call(id, method),
  body: (bodies: readonly string[]) => ({
    jsonrpc: '2.0',
    id,
    method: `aria2.${method}`,
    params: [readMember(bodies[from], 'result')],
  }),
});
const NONE = '0000000000000001';

/** JSON-RPC: every method is at one path, told apart by a member of the body. */
export const ARIA2: Service = {
  spec: 'test/recording/contracts/aria2.yaml',
  headers: {},
  start: async (folder) => {
    const [port] = await findPorts(1);
    const child = launch('aria2c', ['--enable-rpc', `--rpc-listen-port=${port}`, '--no-conf', `--dir=${join(folder)}`]);
    return { child, url: `http://127.0.0.1:${port}`, ready: '/jsonrpc?method=aria2.getVersion&id=0' };
  },
  workflow: [
    call('1', 'getVersion'),
    call('2', 'getGlobalStat'),
    call('3', 'addUri', ['http://127.0.0.1:1/file'], { pause: 'true' }),
    callOf('4', 'tellStatus', 2),
    callOf('5', 'getUris', 2),
    call('6', 'tellStatus', NONE),
    call('7', 'noSuchMethod'),
    call('8', 'getGlobalStat'),
    callOf('9', 'remove', 2),
    callOf('10', 'tellStatus', 2),
    call('11', 'tellActive'),
    call('12', 'getVersion'),
  ],
  notCompared: [],
  differs: [],
  skipped: [],
};
