// @module-tag slow
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Program, startProgram } from '../cli/run-program.js';
import { DOCUMENT, FILES, writeFiles } from './project.js';
import { createFolder } from '../folders.js';

let folder: string;
let program: Program | undefined;

beforeEach(() => {
  folder = createFolder();
});

afterEach(async () => {
  await program?.end('SIGTERM');
  program = undefined;
});

/** Starts `vouch serve` in the folder. @returns the address. */
async function serve(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  program = startProgram(['serve', ...args, '--port', '0', '--quiet'], { cwd: folder, env });
  return new URL(await program.listening()).origin;
}

/** Does something and waits for each of some lines, which are of two outputs and come in any order. @returns the lines that were printed since, sorted, with a fixed time. */
async function printedBy(act: () => Promise<unknown>, ...lines: readonly RegExp[]): Promise<readonly string[]> {
  const before = program?.output().length ?? 0;
  await act();
  const all = lines.map(({ source }) => `(?=[^]*?${source}.*\\n)`).join('');
  await program?.waitFor(new RegExp(`^[^]{${before}}${all}`));
  const printed = (program?.output() ?? '').slice(before).replaceAll(/ in \d+ ms/g, ' in 9 ms');
  return printed.trimEnd().split('\n').toSorted();
}

/** Changes the folder. @returns what this printed. */
function edit(files: Readonly<Record<string, string>>, ...lines: readonly RegExp[]): Promise<readonly string[]> {
  return printedBy(() => writeFiles(folder, files), ...lines);
}

const { 'overlay.yaml': _overlay, ...PROJECT } = FILES;
const broken = DOCUMENT.replace('info: {', 'info: [');

describe('vouch serve prints', () => {
  it.each([
    [{}, (_colour: string, text: string) => text],
    [{ FORCE_COLOR: '1' }, (code: string, text: string) => `\u001b[${code}m${text}\u001b[39m`],
  ])('what was reloaded, and each mistake until it is corrected, %j', async (env, paint) => {
    await writeFiles(folder, PROJECT);
    await serve(['openapi.yaml'], env);
    const ended = /reloaded/;
    expect(await edit({ 'openapi.yaml': `${DOCUMENT}\n` }, ended)).toEqual([
      paint('90', 'reloaded openapi.yaml in 9 ms'),
    ]);
    const wrong = (await edit({ 'openapi.yaml': broken }, /not reloaded/, /hint: /)).join('\n');
    const mistake = [
      'SPEC_INVALID  openapi.yaml:2:36  the file is neither valid JSON nor valid YAML: missed comma between flow collection entries',
      '  hint: correct this line; an editor with YAML support marks the mistake',
    ];
    const notReloaded = 'not reloaded: openapi.yaml; the last valid version answers until this is corrected';
    const sorted = [...paint('31', mistake.join('\n')).split('\n'), paint('33', notReloaded)].toSorted();
    expect(wrong).toBe(sorted.join('\n'));
    expect(await edit({ 'openapi.yaml': DOCUMENT }, ended)).toEqual([paint('90', 'reloaded openapi.yaml in 9 ms')]);
    const kept = await edit(
      { 'scenarios/gone.yaml': 'operations: { getBok: { respond: { status: 404 } } }\n' },
      /not reloaded/,
      /did you mean/,
    );
    const unknown = [
      'SCENARIO_INVALID  scenarios/gone.yaml:1:15 (#/operations/getBok)  operation "getBok" is not in the contract',
      '  hint: did you mean "getBook"?',
    ];
    const stays = 'not reloaded: scenarios/gone.yaml; the last valid version answers until this is corrected';
    expect(kept).toEqual([...paint('31', unknown.join('\n')).split('\n'), paint('33', stays)].toSorted());
  });

  it('each scenario file with a mistake, after those that were reloaded', async () => {
    await writeFiles(folder, { ...PROJECT, 'scenarios/late.yaml': 'operations: {}\n' });
    await serve(['openapi.yaml']);
    const wrong = 'operations: { getBok: { respond: { status: 404 } } }\n';
    const files = { 'scenarios/gone.yaml': wrong, 'scenarios/late.yaml': `\n${wrong}`, 'scenarios/new.yaml': wrong };
    const added = { 'scenarios/right.yaml': 'operations: {}\n', ...files };
    const lines = await edit(added, /not reloaded.*new/, /INVALID {2}scenarios\/new.*\n.*hint/);
    for (const name of Object.keys(files)) expect(lines.join('\n')).toContain(`SCENARIO_INVALID  ${name}:`);
    expect(lines).toContain('reloaded scenarios/right.yaml in 9 ms');
    const names = Object.keys(files).join(', ');
    expect(lines).toContain(`not reloaded: ${names}; the last valid version answers until this is corrected`);
  });

  it('how many changes of the document break clients, and which', async () => {
    await writeFiles(folder, PROJECT);
    await serve(['openapi.yaml']);
    const extended = DOCUMENT.replace(
      'paths:',
      'paths:\n  /extra: { get: { operationId: extra, responses: { 204: { description: no } } } }',
    );
    expect(await edit({ 'openapi.yaml': extended }, /reloaded/)).toEqual(['reloaded openapi.yaml in 9 ms']);
    expect(await edit({ 'openapi.yaml': DOCUMENT }, /was removed/)).toEqual([
      '  GET /extra: the path /extra was removed',
      'reloaded openapi.yaml in 9 ms; 1 change breaks clients',
    ]);
  });

  it('one JSON object for each reload, with --json', async () => {
    await writeFiles(folder, PROJECT);
    await serve(['openapi.yaml', '--json']);
    const lines = await edit({ 'fixtures/books.yaml': 'items: [{ id: nine, title: Nine }]\n' }, /"reloaded"/);
    const [{ elapsedMs, ...reload } = {} as Readonly<Record<string, unknown>>] = lines.map((line) => {
      return JSON.parse(line) as Readonly<Record<string, unknown>>;
    });
    expect(reload).toEqual({
      reloaded: true,
      changed: ['fixtures/books.yaml'],
      loaded: ['gone'],
      kept: [],
      invalid: [],
      notes: [],
      breaking: [],
      error: null,
    });
    expect(Number.isInteger(elapsedMs)).toBe(true);
  });
});

describe('vouch serve reloads', () => {
  it.each(['--watch', '--no-watch'])('files once that the control API reloads or writes, with %s', async (flag) => {
    await writeFiles(folder, { ...PROJECT, 'parts/book.yaml': 'type: object\n' });
    const url = await serve(['openapi.yaml', ...(flag === '--watch' ? [] : [flag])]);
    const extended = DOCUMENT.replace('    Book:', "    Other: { $ref: 'parts/book.yaml' }\n    Book:");
    const reload = async (): Promise<void> => {
      await writeFiles(folder, { 'openapi.yaml': extended });
      await fetch(`${url}/__mock/reload`, { method: 'POST' });
    };
    const save = (): Promise<Response> =>
      fetch(`${url}/__mock/scenarios/gone/file`, {
        method: 'PUT',
        headers: { 'content-type': 'application/yaml' },
        body: 'operations: { getBook: { respond: { status: 404 } } }\n',
      });
    // The watcher may have seen the change before the request.
    await printedBy(reload, /reloaded all/);
    const lines = [
      ...(await printedBy(save, /reloaded/)),
      // A file that was left to the watcher would be named here.
      ...(flag === '--watch'
        ? await edit({ 'fixtures/books.yaml': 'items: [{ id: nine, title: Nine }]\n' }, /reloaded.*books/)
        : await printedBy(reload, /reloaded all/)),
    ];
    const last = flag === '--watch' ? 'fixtures/books.yaml' : 'all files';
    expect(lines).toEqual(['reloaded scenarios/gone.yaml in 9 ms', `reloaded ${last} in 9 ms`]);
  });

  it('the handlers file and the configuration file, and says what needs a restart', async () => {
    await writeFiles(folder, {
      ...PROJECT,
      'handlers.mjs': "export const listAuthors = () => ['One'];\n",
      'vouch.config.mjs': "export default { spec: 'openapi.yaml', handlers: 'handlers.mjs' };\n",
    });
    const url = await serve([]);
    const authors = async (): Promise<unknown> => (await fetch(`${url}/authors`)).json();
    expect(await authors()).toEqual(['One']);
    expect(await edit({ 'handlers.mjs': "export const listAuthors = () => ['Two'];\n" }, /reloaded/)).toEqual([
      'reloaded handlers.mjs in 9 ms',
    ]);
    expect(await authors()).toEqual(['Two']);
    const wrong = await edit({ 'handlers.mjs': 'export const listAuthors = (' }, /not reloaded/, /cannot be loaded/);
    expect(wrong).toContain('not reloaded: handlers.mjs; the last valid version answers until this is corrected');
    const answer = await fetch(`${url}/authors`);
    expect(answer.headers.get('x-mock-reload-error')).toMatch(
      /^OPTION_INVALID handlers\.mjs the handlers cannot be loaded: /,
    );
    expect(await answer.json()).toEqual(['Two']);
    const config = "export default { spec: 'openapi.yaml', seed: 7, handlers: { listAuthors: () => ['Config'] } };\n";
    expect(await edit({ 'vouch.config.mjs': config }, /next start/)).toEqual([
      '  the option "seed" changes at the next start',
      'reloaded vouch.config.mjs in 9 ms',
    ]);
    expect(await authors()).toEqual(['Config']);
    expect((await fetch(`${url}/authors`)).headers.has('x-mock-reload-error')).toBe(false);
  });

  it('a folder of fixtures that is created beside the document', async () => {
    await writeFiles(folder, { 'openapi.yaml': DOCUMENT, 'authors.yaml': FILES['authors.yaml'] ?? '' });
    const url = await serve(['openapi.yaml']);
    await edit({ 'fixtures/books.yaml': FILES['fixtures/books.yaml'] ?? '' }, /reloaded/);
    expect(await (await fetch(`${url}/books`)).json()).toMatchObject([{ title: 'One' }, { title: 'Two' }]);
  });

  it('nothing with --no-watch, until the control API asks for it', async () => {
    await writeFiles(folder, PROJECT);
    const url = await serve(['openapi.yaml', '--no-watch']);
    await writeFile(join(folder, 'openapi.yaml'), broken);
    const reload = async (method: string): Promise<unknown> => (await fetch(`${url}/__mock/reload`, { method })).json();
    expect(await reload('GET')).toEqual({ watching: false, last: null });
    expect(await reload('POST')).toMatchObject({
      watching: false,
      last: { changed: [], applied: false, error: { code: 'SPEC_INVALID' } },
    });
    expect((await fetch(`${url}/authors`)).headers.get('x-mock-reload-error')).toContain(
      'SPEC_INVALID openapi.yaml:2:',
    );
  });
});
