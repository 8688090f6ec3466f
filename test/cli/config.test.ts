// @module-tag slow
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Command } from 'commander';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { defineCommand as defineConfigCommand } from '../../src/cli/commands/config.js';
import { defineCommand as defineInit } from '../../src/cli/commands/init.js';
import { defineCommand as defineRecord } from '../../src/cli/commands/recordings/record.js';
import { defineCommand as defineReplay } from '../../src/cli/commands/recordings/replay.js';
import { defineCommand as defineSchema } from '../../src/cli/commands/schema.js';
import type { Output } from '../../src/cli/output.js';
import { defineConfig } from '../../src/index.js';
import { loadCases } from '../load-cases.js';
import { messageOf } from '../message-of.js';
import { type Program, startProgram } from './run-program.js';
import { createFolder, writeFiles } from '../folders.js';
import { runCommand } from './run-command.js';

const run = promisify(execFile);
const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const TRAINS = join(REPOSITORY, 'examples/client/openapi.yaml');

let folder = '';
beforeEach(() => {
  folder = createFolder();
});

/** Writes a file of the folder. @returns its path. */
function write(name: string, text: string): string {
  writeFiles(folder, { [name]: text });
  return join(folder, name);
}

/** Runs a command in this process. @returns what it printed. */
async function runHere(define: (command: Command, output: Output) => void, words: readonly string[]): Promise<string> {
  return (await runCommand(define, words)).text;
}

type Printed = Readonly<Record<string, { readonly value: unknown; readonly origin: string }>>;

async function readConfig(words: readonly string[]): Promise<Printed> {
  const text = await runHere(defineConfigCommand, ['--json', ...words]);
  return (JSON.parse(text) as { readonly settings: Printed }).settings;
}

/** Why an action is refused, without the path of the folder. */
async function refusal(action: Promise<unknown>): Promise<string> {
  return (await messageOf(() => action)).replaceAll(`${folder}/`, '');
}

describe('a setting', () => {
  it('is that of the flag, then of the variable, of the configuration file and the default', async () => {
    const file = write('a.yaml', `spec: ${TRAINS}\nseed: 7\n`);
    const origin = expect.stringMatching(/a\.yaml$/) as string;
    expect((await readConfig(['--no-config', TRAINS]))['seed']).toEqual({ value: 1, origin: 'default' });
    expect((await readConfig(['--config', file]))['seed']).toEqual({ value: 7, origin });
    process.env['VOUCH_SEED'] = '8';
    try {
      expect((await readConfig(['--config', file]))['seed']).toEqual({ value: 8, origin: 'VOUCH_SEED' });
      const flag = ['--config', file, '--seed', '9'];
      expect((await readConfig(flag))['seed']).toEqual({ value: 9, origin: 'flag --seed' });
    } finally {
      delete process.env['VOUCH_SEED'];
    }
  });

  it.each<readonly [name: string, config: string, flags: readonly string[], want: object]>([
    ['a group of the file is switched off', 'state: {initialItems: 5}', ['--no-state'], { state: false }],
    [
      'a group that the file switches off gets a member',
      'state: false',
      ['--initial-items', '4'],
      { state: undefined, 'state.initialItems': 4 },
    ],
    [
      'one member of a group is replaced',
      'state: {initialItems: 5, maxItems: 6}',
      ['--initial-items', '4'],
      { 'state.initialItems': 4, 'state.maxItems': 6 },
    ],
    ['a list is replaced', 'overlays: [a.yaml]', ['--overlay', '/b.yaml'], { overlays: ['/b.yaml'] }],
    ['a short form is expanded', 'scenarios: {a: {}}', [], { 'scenarios.from': { a: {} } }],
    ['scenarios are switched off', 'scenarios: folder', ['--no-scenarios'], { 'scenarios.from': {} }],
    ['the port of the file is used', 'port: 0', [], { port: 0 }],
    ['the port of the flag wins', 'port: 0', ['--port', '1'], { port: 1 }],
    [
      'the socket and the file of the port of the flags win',
      'socket: /a.sock\nportFile: /a.port\n',
      ['--socket', '/b.sock', '--port-file', '/b.port'],
      { socket: '/b.sock', portFile: '/b.port' },
    ],
    ['TLS is switched on', 'tls: true\ncompress: true\n', [], { tls: true, compress: true }],
    ['a name of the certificate is added', 'tls: {names: [a.test]}', [], { tls: true, 'tls.names': ['a.test'] }],
    [
      'the certificate of the file replaces nothing of other flags',
      'tls: {cert: /a.pem, key: /a-key.pem}',
      ['--compress'],
      { 'tls.cert': '/a.pem', 'tls.key': '/a-key.pem', compress: true },
    ],
    ['a base path is set', 'basePath: /a', ['--base-path', '/b'], { basePath: '/b' }],
  ])('is merged by group: %s', async (_, config, flags, want) => {
    const settings = await readConfig(['--config', write('a.yaml', config), ...flags]);
    for (const [name, value] of Object.entries(want)) expect(settings[name]?.value, name).toEqual(value);
  });

  it('that is a relative path starts at the folder of the file', async () => {
    write('a/b/c.yaml', '');
    const text = JSON.stringify({ spec: 'b/c.yaml', fixtures: './f', scenarios: { from: 's' }, overlays: ['o.yaml'] });
    const settings = await readConfig(['--config', write('a/vouch.config.json', text)]);
    const shown = ['spec', 'fixtures', 'scenarios.from'].map((name) =>
      join(process.cwd(), String(settings[name]?.value)),
    );
    expect(shown).toEqual(['a/b/c.yaml', 'a/f', 'a/s'].map((path) => join(folder, path)));
    expect(settings['overlays']?.value).toEqual([expect.stringMatching(/a\/o\.yaml$/)]);
  });

  it.each([
    ['the document', 'spec: none.yaml', [], 'SPEC_NOT_FOUND'],
    ['a document', `documents: [{spec: ${TRAINS}}, {spec: none.yaml}]`, [], 'SPEC_NOT_FOUND'],
    ['a document of the command line', `spec: ${TRAINS}`, ['none.yaml'], 'SPEC_NOT_FOUND'],
  ])('is refused where %s does not exist', async (_, config, words, want) => {
    await expect(readConfig(['--config', write('a.yaml', config), ...words])).rejects.toMatchObject({ code: want });
  });

  it.each([
    ['a name is there twice', '{name: a, spec: $}, {name: a, spec: $}', 'two documents have the name "a"'],
    ['a document has no spec', '{spec: $}, {prefix: /b}', 'document 2 has no "spec"'],
    ['there are none', '', 'there are no documents to serve'],
  ])('of several documents is refused where %s', async (_, documents, want) => {
    const text = `documents: [${documents.replaceAll('$', TRAINS)}]`;
    expect(await refusal(readConfig(['--config', write('a.yaml', text)]))).toContain(want);
  });

  it('that is a URL is not read', async () => {
    const settings = await readConfig(['--no-config', 'http://127.0.0.1:9/openapi.yaml']);
    expect(settings['spec']?.value).toBe('http://127.0.0.1:9/openapi.yaml');
  });

  it('that is a credential is not printed', async () => {
    const config = 'auth: {tokens: [sk-1]}\nrecordings: {folder: r, upstreamHeaders: {authorization: sk-2}}\n';
    const words = ['--config', write('a.yaml', config), '--control-token', 'sk-3'];
    const text = await runHere(defineConfigCommand, words);
    expect(text).not.toContain('sk-');
    expect(text).toMatch(/^control\.token +"\(hidden\)" +flag --control-token$/m);
  });
});

describe('a configuration file is refused with its place:', () => {
  type Case = Readonly<Record<'name' | 'file' | 'text' | 'want', string>>;

  it.each(loadCases<readonly Case[]>('cli/config-mistakes.yaml'))('$name', async ({ file, text, want }) => {
    const path = write(file, text);
    const message = await refusal(readConfig(['--config', path]));
    // A file far outside of the working folder is named by its path.
    expect(message).toBe(want);
  });

  it('an ES module that Node.js reads as CommonJS', async () => {
    write('a.cjs', 'export default { seed: 1 };');
    const program = startProgram(['config', '--config', 'a.cjs'], { cwd: folder });
    expect(await program.exit).toBe(1);
    expect(program.error()).toContain(
      "OPTION_INVALID  a.cjs:1  the configuration cannot be loaded: Unexpected token 'export'\n" +
        '  hint: Node.js reads this file as CommonJS: rename it to .mjs, or add "type": "module" to package.json\n',
    );
  });

  it('one that never ends', async () => {
    write('a.mjs', 'await new Promise(() => {});');
    const program = startProgram(['config', '--config', 'a.mjs'], { cwd: folder });
    expect(await program.exit).toBe(1);
    expect(program.error()).toContain('a module that it loads waits for something that never happens');
  });

  it('one that does not exist', async () => {
    const message = 'the configuration file cannot be read: ENOENT: no such file or directory, open';
    expect(await refusal(readConfig(['--config', join(folder, 'a.yaml')]))).toContain(message);
    const code = 'OPTION_INVALID  a.mjs  the configuration cannot be loaded: there is no such file';
    expect(await refusal(readConfig(['--config', join(folder, 'a.mjs')]))).toBe(code);
  });
});

it('vouch record and vouch replay use the configuration file', async () => {
  const file = write(
    'a.yaml',
    `spec: ${TRAINS}\nport: 4999\nrecordings: {folder: r, cassette: c, mode: replay, upstream: "http://127.0.0.1:4999"}\n`,
  );
  expect(await refusal(runHere(defineRecord, ['--config', file]))).toBe(
    'OPTION_INVALID  the upstream http://127.0.0.1:4999 is the address of vouch itself\n' +
      '  hint: choose another port for vouch, or give the address of the real server',
  );
  expect(await refusal(runHere(defineReplay, ['--config', file]))).toBe(
    'RECORDING_NOT_FOUND  r/c  no cassette "c" in r\n  hint: available cassettes: none',
  );
  expect(await refusal(runHere(defineRecord, ['--no-config', TRAINS]))).toBe(
    'OPTION_INVALID  the base URL of the API to record is missing\n' +
      '  hint: give --upstream <url>, or recordings.upstream in a configuration file',
  );
});

it('defineConfig returns the configuration', () => {
  const config = { spec: 'a.yaml', port: 1, handlers: './handlers.mjs' };
  expect(defineConfig(config)).toBe(config);
});

it('vouch schema writes a schema of configuration files', async () => {
  await runHere(defineSchema, [TRAINS, '--out', folder]);
  const schema = JSON.parse(readFileSync(join(folder, 'config.schema.json'), 'utf8')) as object;
  const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schema);
  expect(validate({ $schema: 'x', port: 1, host: 'a', handlers: './a.mjs', seed: 1 })).toBe(true);
  expect(validate({ socket: 'a', portFile: 'b', compress: true, tls: { cert: 'c', key: 'd' } })).toBe(true);
  expect(validate({ port: -1 })).toBe(false);
  expect(validate({ tls: { certificate: 'a' } })).toBe(false);
  expect(validate({ fixture: 'x' })).toBe(false);
});

describe('vouch init', () => {
  it('writes a folder whose mock starts and whose test passes', async () => {
    const text = await runHere(defineInit, [TRAINS, '--into', folder]);
    expect(text.replaceAll(folder, 'F')).toBe(
      [
        'wrote F/spec/openapi.yaml',
        'wrote F/fixtures/stations.yaml',
        'wrote F/fixtures/bookings.yaml',
        'wrote F/vouch.config.yaml',
        'wrote F/scenarios/slow.yaml',
        'wrote F/compose.yaml',
        'wrote F/test/mock.test.mjs',
        '',
        'to start the mock: cd F && npx vouch serve',
        'to run the test:   cd F && npm install --save-dev vouch && node --test',
      ].join('\n'),
    );
    // As `npm install` does.
    write('package.json', '{}');
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(REPOSITORY, join(folder, 'node_modules/vouch'));
    const { stdout } = await run(process.execPath, ['--test', '--test-reporter=tap'], { cwd: folder });
    expect(stdout).toMatch(/^# pass 1$/m);
    const { baseUrl, output } = await serve(['--port', '0', '--scenario', 'slow']);
    expect(output).toContain('config vouch.config.yaml\nfixtures ./fixtures (2 collections)  seed 1');
    expect(output).toContain('\nscenarios ./scenarios (1)  active slow\n');
    expect((await fetch(`${baseUrl}/stations`)).status).toBe(200);
  });

  it('writes nothing where a file exists, except with --force', async () => {
    write('compose.yaml', 'mine');
    expect(await refusal(runHere(defineInit, [TRAINS, '--into', folder]))).toBe(
      'FILE_EXISTS  these files exist: compose.yaml; no file was written\n' +
        '  hint: add --force to overwrite, or name another folder with --into',
    );
    expect(readdirSync(folder)).toEqual(['compose.yaml']);
    await runHere(defineInit, [TRAINS, '--into', folder, '--force']);
    expect(readFileSync(join(folder, 'compose.yaml'), 'utf8')).not.toBe('mine');
  });

  it('uses a document of the folder where it is, and adds credentials to the test', async () => {
    const document = {
      openapi: '3.1.0',
      info: { title: 'T', version: '1' },
      components: {
        securitySchemes: {
          key: { type: 'apiKey', in: 'query', name: 'k' },
          bearer: { type: 'http', scheme: 'bearer' },
        },
      },
      security: [{ key: [], bearer: [] }],
      paths: { '/a': { get: { responses: { 204: { description: 'ok' } } } } },
    };
    const path = write('api/a.json', JSON.stringify(document));
    await runHere(defineInit, [path, '--into', folder, '--preset', 'none']);
    expect(readdirSync(folder).toSorted()).toEqual([
      'api',
      'compose.yaml',
      'fixtures',
      'scenarios',
      'test',
      'vouch.config.yaml',
    ]);
    expect(readFileSync(join(folder, 'vouch.config.yaml'), 'utf8').split('\n').slice(1)).toEqual([
      'spec: "api/a.json"',
      'preset: "none"',
      'scenarios: "scenarios"',
      '',
    ]);
    const test = readFileSync(join(folder, 'test/mock.test.mjs'), 'utf8');
    expect(test).toContain("useMock({ spec: 'api/a.json', preset: 'none' });");
    expect(test).toContain(
      'mock.fetch(mock.baseUrl + \'/a?k=secret\', { headers: {"authorization":"bearer secret-token"} })',
    );
  });

  it('refuses to copy a document that refers to other files', async () => {
    const path = write('a.yaml', 'openapi: 3.1.0\ninfo: {title: T, version: "1"}\npaths: {/a: {$ref: b.yaml}}\n');
    expect(await refusal(runHere(defineInit, [path, '--into', join(folder, 'x')]))).toBe(
      'OPTION_INVALID  a.yaml  the document refers to other files, which are not copied\n' +
        '  hint: copy all of its files into x, and run vouch init with the path there',
    );
  });
});

/** Starts `vouch serve` in the folder; the process is killed when the address was read. */
async function serve(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = { NO_COLOR: '1', FORCE_COLOR: undefined },
): Promise<{ readonly baseUrl: string; readonly output: string }> {
  const program = startProgram(['serve', ...words], { cwd: folder, env: environment });
  started.push(program);
  return { baseUrl: await program.listening(), output: program.output() };
}

const started: Program[] = [];
afterAll(() => Promise.all(started.map((program) => program.end('SIGKILL'))));

describe('vouch serve', () => {
  it('answers with the handlers of a configuration file and of --handlers', async () => {
    write('vouch.config.mjs', `export default { spec: ${JSON.stringify(TRAINS)}, port: 0, handlers: './h.cjs' };\n`);
    write('h.cjs', "exports.listStations = () => ({ status: 200, body: [{ id: 'ABC', name: 'file' }] });\n");
    write(
      'flag.mjs',
      "export default { listStations: () => ({ status: 200, body: [{ id: 'ABC', name: 'flag' }] }) };\n",
    );
    const [file, flag] = await Promise.all([serve([]), serve(['--handlers', 'flag.mjs'])]);
    expect(await (await fetch(`${file.baseUrl}/stations`)).json()).toEqual([{ id: 'ABC', name: 'file' }]);
    expect(await (await fetch(`${flag.baseUrl}/stations`)).json()).toEqual([{ id: 'ABC', name: 'flag' }]);
  });

  it('loads a configuration in TypeScript, or says what to do where Node.js cannot', async () => {
    write('vouch.config.ts', `export default { spec: ${JSON.stringify(TRAINS)} as string, seed: 7, port: 0 };\n`);
    const version = process.versions.node;
    const isSupported = 'typescript' in process.features && Boolean(process.features.typescript);
    const outcome = await serve([]).then(
      ({ output }) => output,
      (error: unknown) => String(error).replace(/ before .* was printed/u, ''),
    );
    if (isSupported) expect(outcome).toContain('seed 7');
    else {
      expect(outcome).toBe(
        `Error: exited with 1:\nTYPESCRIPT_UNSUPPORTED  vouch.config.ts  the configuration cannot be loaded: Node.js ${version} does not load TypeScript\n` +
          '  hint: use Node.js 22.18 or later, a .js or .mjs file, or a loader: NODE_OPTIONS="--import tsx" npx vouch serve\n',
      );
    }
  });

  it.each([
    ['without colour', { NO_COLOR: '1', FORCE_COLOR: undefined }],
    ['with colour', { NO_COLOR: undefined, FORCE_COLOR: '1' }],
  ])('says in an empty folder that it serves the built-in example, %s', async (_, environment) => {
    const { output } = await serve(['--port', '0'], environment);
    const paint = (open: number, close: number) => (text: string) =>
      environment.NO_COLOR === undefined ? `\u001B[${open}m${text}\u001B[${close}m` : text;
    const yellow = paint(33, 39);
    const bold = paint(1, 22);
    const gray = paint(90, 39);
    const shown = output.replaceAll(/:\d{4,5}/g, ':PORT');
    // The repository can be near the folder of temporary files.
    const show = (name: string): string => {
      const near = relative(folder, join(REPOSITORY, name));
      return near.startsWith('../../..') ? join(REPOSITORY, name) : near;
    };
    expect(shown).toBe(
      [
        yellow('no document given: this is the built-in example'),
        yellow('  to serve your own: vouch serve openapi.yaml (a file or URL), or save it as spec/openapi.yaml'),
        yellow('  to set up a folder for it: vouch init openapi.yaml'),
        `${bold('Organization Key, File Content and Vector Store File Removal')} 2.3.0  ${show('spec/openapi.yaml')}  4 operations`,
        `fixtures ${show('fixtures')} (4 collections)  seed 1  clock 2026-01-01T00:00:00.000Z`,
        `scenarios ${show('scenarios')} (16)`,
        'control API http://127.0.0.1:PORT/__mock',
        'inspector http://127.0.0.1:PORT/__mock/',
        `listening on ${bold('http://127.0.0.1:PORT/v1')}`,
        gray("try: curl http://127.0.0.1:PORT/v1/organization/admin_api_keys -H 'authorization: bearer secret-token'"),
        '',
      ].join('\n'),
    );
  });
});
