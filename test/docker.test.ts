// @module-tag thorough
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { load } from 'js-yaml';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildImage, toEnvironment, type Image } from './dockerfile.js';
import { MAIN } from './cli/run-program.js';
import { createSharedFolder } from './folders.js';

const run = promisify(execFile);

/** jsdom has no types. */
interface Page {
  readonly window: {
    readonly Event: new (type: string, options: object) => object;
    readonly document: {
      querySelector(selector: string): { dispatchEvent(event: object): boolean } | null;
      querySelectorAll(selector: string): Iterable<{ readonly textContent: string | null }>;
    };
    fetch: typeof fetch;
    eval(script: string): void;
    close(): void;
  };
}
const { JSDOM } = createRequire(import.meta.url)('jsdom') as {
  readonly JSDOM: new (html: string, options: object) => Page;
};

function listFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .map((path) => `${path} ${statSync(join(folder, path)).mtimeMs}`)
    .toSorted((a, b) => (a < b ? -1 : 1));
}

describe('the Dockerfile, executed step by step', () => {
  const folder = createSharedFolder();
  let image: Image;
  let server: ChildProcess | undefined;

  beforeAll(async () => {
    image = await buildImage(readFileSync('Dockerfile', 'utf8'), folder);
  }, 300_000);

  afterEach(async () => {
    if (server?.exitCode !== null) return;
    server.kill('SIGKILL');
    await once(server, 'exit');
  });

  const start = async (): Promise<string> => {
    const [program = '', ...words] = image.entrypoint;
    server = spawn(
      program,
      [...words.map((word) => word.replace(/^\/app\//u, join(image.root, '/app/'))), ...image.command],
      {
        cwd: join(image.root, image.workdir),
        env: { ...toEnvironment(image), VOUCH_PORT: '0' },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    let printed = '';
    return new Promise((resolve, reject) => {
      server?.stdout?.on('data', (chunk) => {
        printed += String(chunk);
        const port = /:(?<port>\d+)\/v1/u.exec(printed)?.groups?.['port'];
        if (port !== undefined) resolve(port);
      });
      server?.once('exit', () => reject(new Error(`the server exited:\n${printed}`)));
    });
  };

  const app = (): string => join(image.root, 'app');

  it('contains production dependencies and the built-in contract only', () => {
    expect(existsSync(join(app(), 'node_modules/typescript'))).toBe(false);
    expect(existsSync(join(app(), 'node_modules/hono'))).toBe(true);
    expect(existsSync(join(app(), 'src'))).toBe(false);
    for (const name of ['dist', 'spec', 'fixtures', 'scenarios', 'presets', 'LICENSE'])
      expect(readdirSync(app())).toContain(name);
  });

  it('does not run as root, and listens on all interfaces', () => {
    expect(image.user).toBe('node');
    expect(image.environment).toMatchObject({ NODE_ENV: 'production', VOUCH_HOST: '0.0.0.0', VOUCH_PORT: '4010' });
  });

  it('serves, is healthy, does not write to its file system, and exits with code 0 on SIGTERM', async () => {
    const before = listFiles(image.root);
    const port = await start();
    const answer = await fetch(`http://127.0.0.1:${port}/v1/files/file-handbook/content`, {
      headers: { authorization: 'Bearer any' },
    });
    expect(await answer.json()).toContain('Refunds');

    const [program = '', ...words] = image.healthcheck;
    const environment = { ...toEnvironment(image), VOUCH_PORT: port };
    await expect(run(program, words, { env: environment })).resolves.toBeDefined();

    server?.kill('SIGTERM');
    const [code] = (await once(server as ChildProcess, 'exit')) as [number];
    expect(code).toBe(0);
    await expect(run(program, words, { env: environment })).rejects.toMatchObject({ code: 1 });
    expect(listFiles(image.root)).toEqual(before);
  });

  it('serves a mounted document instead of the built-in contract', async () => {
    const document = {
      openapi: '3.1.0',
      info: { title: 'Mounted', version: '1' },
      servers: [{ url: '/v1' }],
      paths: { '/ping': { get: { responses: { 204: { description: 'pong' } } } } },
    };
    writeFileSync(join(image.root, 'api/spec/openapi.json'), JSON.stringify(document));
    const port = await start();
    expect((await fetch(`http://127.0.0.1:${port}/v1/ping`)).status).toBe(204);
    expect((await fetch(`http://127.0.0.1:${port}/v1/files/file-handbook/content`)).status).toBe(404);
  });

  it('serves the folder of a project to its page: examples/compose', async () => {
    rmSync(join(image.root, 'api'), { recursive: true });
    cpSync('examples/compose/api', join(image.root, 'api'), { recursive: true });
    const port = await start();
    const origin = 'http://127.0.0.1:8080';
    const { window } = new JSDOM(readFileSync('examples/compose/web/index.html', 'utf8'), {
      url: `${origin}/`,
      runScripts: 'outside-only',
    });
    // As a browser sends it from the page.
    window.fetch = async (address, init) => {
      const headers = new Headers(init?.headers);
      headers.set('origin', origin);
      const response = await fetch(address, { ...init, headers });
      expect(response.headers.get('access-control-allow-origin')).toMatch(/^(?:\*|http:\/\/127\.0\.0\.1:8080)$/u);
      return response;
    };
    window.eval(readFileSync('examples/compose/web/orders.js', 'utf8').replace('127.0.0.1:4010', `127.0.0.1:${port}`));
    const readPage = (): readonly (string | null)[] =>
      [...window.document.querySelectorAll('li, #message')].map(({ textContent }) => textContent);
    await vi.waitFor(() => expect(readPage()).toEqual(['A book', 'A lamp', '2 orders']));
    Object.assign(window.document.querySelector('#item') ?? {}, { value: 'A pen' });
    window.document.querySelector('form')?.dispatchEvent(new window.Event('submit', { cancelable: true }));
    await vi.waitFor(() => expect(readPage()).toEqual(['A book', 'A lamp', 'A pen', '3 orders']));
    window.close();
  });
});

interface Service {
  readonly image: string;
  readonly volumes: readonly string[];
  readonly read_only?: boolean;
}
type Services = Readonly<Record<string, Service>>;

/** Our own files; the assertions below check their shape. */
const readServices = (text: string): Services => (load(text) as { readonly services: Services }).services;

describe('the compose files', () => {
  const folder = createSharedFolder();
  const read = (path: string): string => readFileSync(path, 'utf8');
  const files = { repository: '', init: '', example: '' };
  beforeAll(async () => {
    await run(process.execPath, [MAIN, 'init', 'examples/compose/api/openapi.yaml', '--into', folder]);
    files.repository = read('compose.yaml');
    files.init = read(join(folder, 'compose.yaml'));
    files.example = read('examples/compose/compose.yaml');
  });

  it('of the repository builds the image that the others name, and is the same otherwise', () => {
    const hint = /^ {4}# Build it once.*\n/m;
    expect(files.repository.replace('    build: .\n', '')).toBe(files.init.replace(hint, ''));
    expect(readServices(files.repository)['vouch']).toHaveProperty('build', '.');
  });

  it('of the example has another folder and a page', () => {
    const { vouch, web, ...others } = readServices(files.example);
    const { vouch: own } = readServices(files.init);
    expect(others).toEqual({});
    expect(vouch).toEqual({ ...own, volumes: ['./api:/api:ro'] });
    expect(web?.volumes).toEqual(['./web:/usr/share/nginx/html:ro']);
    for (const name of ['api', 'web']) expect(existsSync(join('examples/compose', name))).toBe(true);
  });

  it('publish the port of the image on this machine only, and mount a folder at its working directory, read-only', () => {
    const dockerfile = read('Dockerfile');
    const [, port] = /^EXPOSE (\d+)$/m.exec(dockerfile) ?? [];
    const [, target] = /^WORKDIR (\/api)$/m.exec(dockerfile) ?? [];
    expect(readServices(files.repository)['vouch']).toMatchObject({
      image: 'vouch',
      read_only: true,
      ports: [`127.0.0.1:${port}:${port}`],
      volumes: [`./:${target}:ro`],
    });
  });
});

it('docs/maintainers/docker.md copies every program that the Dockerfile runs to a base image made of this machine', () => {
  const runs = [...readFileSync('Dockerfile', 'utf8').matchAll(/^RUN (?<program>\S+)/gmu)];
  const programs = runs.map((match) => match.groups?.['program'] ?? '').filter((program) => program !== 'npm');
  const recipe = readFileSync('docs/maintainers/docker.md', 'utf8').split('<!-- base image -->')[1] ?? '';
  const copied = /^for program in (?<list>.+); do$/mu.exec(recipe)?.groups?.['list'] ?? '';
  expect(programs.length).toBeGreaterThan(0);
  for (const program of programs) expect(copied.split(' ')).toContain(`/bin/${program}`);
});
