import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { loadContract } from '../../src/contract/load/load.js';
import { CONTROL_SPEC } from '../../src/server/control/control.js';
import { CONTROL_ROUTES } from '../../src/server/control/routes.js';
import { listenBuiltIn } from '../describe-both.js';

interface Command {
  readonly line: string;
  readonly url: string;
  readonly init: RequestInit;
}

/** The curl commands on a page: `-X`, `-H` and `-d`, words in single quotes or bare. */
function readCommands(page: string): readonly Command[] {
  return page
    .split('\n')
    .filter((line) => line.startsWith('curl '))
    .map((line) => {
      const words = [...line.slice(5).matchAll(/'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? '');
      const headers = new Headers();
      const given = { method: 'GET', url: '', body: undefined as string | undefined };
      for (let i = 0; i < words.length; i++) {
        const word = words[i] ?? '';
        if (word === '-X') given.method = words[++i] ?? '';
        else if (word === '-d') given.body = words[++i];
        else if (word === '-H') headers.set(...((words[++i] ?? '').split(': ') as [string, string]));
        else given.url = word;
      }
      const { method, url, body } = given;
      return { line, url, init: { method, headers, ...(body === undefined ? {} : { body }) } };
    });
}

it('every curl command of docs/control.md gives the response shown, in order', async () => {
  const commands = readCommands(readFileSync('docs/control.md', 'utf8'));
  expect(commands.length).toBeGreaterThan(20);
  const { url } = await listenBuiltIn();
  for (const { line, url: shown, init } of commands) {
    const response = await fetch(shown.replace('http://127.0.0.1:4010', url), init);
    expect(`${line}\n${response.status}: ${await response.text()}`).toMatch(/\n2\d\d: /);
  }
});

it('every operation of the control API is a Hono route, and no other', async () => {
  const contract = await loadContract(CONTROL_SPEC);
  const declared = contract.operations.map(({ method, path, id }) => [
    method,
    path.replaceAll(/\{(\w+)\}/g, ':$1'),
    id,
  ]);
  const byId = (one: readonly unknown[], other: readonly unknown[]): number =>
    String(one[2]).localeCompare(String(other[2]));
  expect(declared.length).toBeGreaterThan(25);
  expect(CONTROL_ROUTES.toSorted(byId)).toEqual(declared.toSorted(byId));
});
