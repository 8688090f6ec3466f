// @module-tag slow
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { MAIN, runProgram } from './run-program.js';
import { createSharedFolder } from '../folders.js';

// Issue 16, part 6. The codes of `recordings drift` are tested with it, as those of `record`, `replay` and `coverage` are.

const paths = (schema: string): string =>
  `paths: {/a: {get: {operationId: a, responses: {200: {description: ok, content: {application/json: {schema: ${schema}}}}}}}}\n`;
const head = 'openapi: 3.1.0\ninfo: {title: A, version: "1"}\n';
const run = promisify(execFile);
const folder = createSharedFolder({
  'good.yaml': head + paths('{type: string}'),
  'bad.yaml': head + paths('{$ref: "#/components/schemas/None"}'),
});

it.each([
  [['--help'], 0],
  [['--version'], 0],
  [['serve', '--help'], 0],
  [['check', 'good.yaml'], 0],
  [['explain', 'RANGE'], 0],
  [['serve', 'good.yaml', '--port', '0'], 0],
  [['check', 'bad.yaml'], 1],
  [['check', 'missing.yaml'], 1],
  [['check'], 1],
  [['serve', 'missing.yaml'], 1],
  [['serve', '--port', 'x'], 1],
  [['serve', '--prot', '1'], 1],
  [['mock', 'good.yaml'], 1],
  [['record', '--mode', 'loud'], 1],
  [['sevre'], 1],
  [[], 1],
  [['explain', 'NO_SUCH'], 1],
  [['coverage', 'missing'], 1],
  [['fixtures', 'init', 'good.yaml', '--into', 'good.yaml'], 1],
  [['fixtures', 'init', 'good.yaml', '--into', 'good.yaml/below'], 1],
] as const)('the exit code of vouch %j is %d', async (words, want) => {
  const { code, out, error } = await runProgram(words, { cwd: folder });
  expect(code, out + error).toBe(want);
  if (want === 1) expect(`${error}${out}`).not.toContain('please report this');
});

it.each([
  ['mock', 'use vouch serve; docs/migration/prism.md has its flags'],
  ['proxy', 'use vouch record; docs/migration/prism.md has its flags'],
  ['drift', 'use vouch recordings drift'],
  ['promote', 'use vouch recordings promote'],
])(
  'the exit code of %s, a command of Prism or of another command, comes with the command that does the same',
  async (name, want) => {
    const { error } = await runProgram([name, 'good.yaml'], { cwd: folder });
    expect(error).toBe(`error: unknown command '${name}'\n(${want})\n`);
  },
);

it('the content of a file that is not PEM is not printed', async () => {
  const { code, error } = await runProgram(['serve', 'good.yaml', '--tls-key', 'good.yaml'], { cwd: folder });
  expect(code).toBe(1);
  expect(error).toContain("argument 'good.yaml' is invalid. The file is not PEM");
  expect(error).not.toContain('openapi:');
});

it.skipIf(!existsSync('/dev/full'))('an output that cannot be written is one line', async () => {
  const words = ['-c', '"$@" >/dev/full', 'sh', process.execPath, MAIN, 'check', 'good.yaml'];
  const failed = (await run('sh', words, { cwd: folder }).catch((error: unknown) => error)) as Failed;
  expect(failed).toMatchObject({ code: 1, stderr: /^the output cannot be written: ENOSPC.*\n$/ });
});

interface Failed {
  readonly code: number;
  readonly stderr: string;
}

it('the exit code is listed in docs/cli.md for each of these', () => {
  const [, table = ''] = readFileSync('docs/cli.md', 'utf8').split('## Exit codes');
  const codes = [...table.matchAll(/^\| (\d) \|/gmu)].map((match) => match[1]);
  expect([...new Set(codes)]).toEqual(['0', '1', '2', '3', '4', '5']);
});
