// Starts the built CLI as a user does, sends one request and stops the server with SIGTERM. The exit code is 0 if each step succeeds.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const server = spawn(process.execPath, ['dist/cli/main.js', 'serve', '--port', '0', '--json'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const deadline = setTimeout(() => server.kill('SIGKILL'), 20_000);

let printed = '';
for await (const chunk of server.stdout.iterator({ destroyOnReturn: false })) {
  printed += chunk;
  if (printed.includes('\n')) break;
}
const { listening } = JSON.parse(printed.slice(0, printed.indexOf('\n')));
const answer = await fetch(`${listening}/organization/admin_api_keys?limit=2`, {
  headers: { authorization: 'Bearer smoke' },
});
const page = await answer.json();
server.stdout.resume();
server.kill('SIGTERM');
const [code] = await once(server, 'exit');
clearTimeout(deadline);

const succeeded = answer.status === 200 && page.data.length === 2 && page.has_more === true && code === 0;
console.log(`${listening} answered ${answer.status} with ${page.data?.length} keys; SIGTERM: exit code ${code}`);
process.exitCode = succeeded ? 0 : 1;
