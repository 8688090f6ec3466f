import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildImage, toEnvironment, type Image } from './dockerfile.js';

const run = promisify(execFile);

function listFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .map((path) => `${path} ${statSync(join(folder, path)).mtimeMs}`)
    .toSorted((a, b) => (a < b ? -1 : 1));
}

describe('the Dockerfile, executed step by step', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vouch-docker-'));
  let image: Image;
  let server: ChildProcess | undefined;

  beforeAll(async () => {
    image = await buildImage(readFileSync('Dockerfile', 'utf8'), folder);
  }, 300_000);

  afterAll(async () => {
    if (server?.exitCode === null) {
      server.kill('SIGKILL');
      await once(server, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
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
    writeFileSync(join(image.root, 'mock/spec/openapi.json'), JSON.stringify(document));
    const port = await start();
    expect((await fetch(`http://127.0.0.1:${port}/v1/ping`)).status).toBe(204);
    expect((await fetch(`http://127.0.0.1:${port}/v1/files/file-handbook/content`)).status).toBe(404);
  });
});

describe('compose.yaml', () => {
  // Our own file; the assertions below check its shape.
  const { services } = load(readFileSync('compose.yaml', 'utf8')) as {
    readonly services: { readonly vouch: Readonly<Record<string, unknown>> };
  };

  it('is read-only and mounts its folders at the mount points of the image', () => {
    expect(services.vouch).toMatchObject({ build: '.', read_only: true });
    const mounts = (services.vouch['volumes'] as readonly string[]).map((volume) => volume.split(':'));
    const mkdir = /^WORKDIR \/mock\nRUN mkdir (?<names>.+)$/mu.exec(readFileSync('Dockerfile', 'utf8'))?.groups?.[
      'names'
    ];
    for (const [source = '', target = '', mode] of mounts) {
      expect(existsSync(source)).toBe(true);
      expect(target).toBe(join('/mock', source));
      expect(mkdir).toContain(basename(target));
      expect(mode).toBe('ro');
    }
    expect(mounts).toHaveLength(3);
  });
});
