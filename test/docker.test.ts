import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);

interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** What the last stage leaves behind. */
interface Image {
  readonly root: string;
  readonly workdir: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
}

interface Stage extends Image {
  readonly name: string;
}

function readInstructions(text: string): readonly Instruction[] {
  const lines = text.replaceAll(/\\\n/gu, ' ').split('\n');
  return lines
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => {
      const space = line.indexOf(' ');
      return { name: line.slice(0, space), rest: line.slice(space + 1).trim() };
    });
}

/** Whether a path of the context gets into the build, for a file of `*` and `!name` lines, which is how ours is written. */
function createContextFilter(text: string): (path: string) => boolean {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  if (lines[0] !== '*' || !lines.slice(1).every((line) => /^![^*?]+$/u.test(line))) {
    throw new Error('.dockerignore has to be * and lines of !name');
  }
  return (path) => lines.includes(`!${path.split('/')[0]}`);
}

/** Runs the steps of a Dockerfile, each stage in a folder of its own instead of an image of its own. */
async function build(dockerfile: string, folder: string): Promise<Image> {
  const isInContext = createContextFilter(readFileSync('.dockerignore', 'utf8'));
  const stages: Stage[] = [];
  for (const { name, rest } of readInstructions(dockerfile)) {
    const stage = stages.at(-1);
    if (name === 'FROM') stages.push(openStage(rest, join(folder, `stage-${stages.length}`)));
    else if (stage === undefined) throw new Error(`${name} before FROM`);
    else stages[stages.length - 1] = await step(stage, { name, rest }, { stages, isInContext });
  }
  const last = stages.at(-1);
  if (last === undefined) throw new Error('no stage');
  return last;
}

function openStage(rest: string, root: string): Stage {
  const match = /^node:(?<version>\d+)\.\d+-slim(?: AS (?<name>\w+))?$/u.exec(rest);
  if (match === null) throw new Error(`FROM ${rest} is not a pinned slim Node image`);
  const nothing = { workdir: '/', environment: {}, user: 'root', entrypoint: [], command: [], healthcheck: [] };
  return { ...nothing, name: match.groups?.['name'] ?? '', root };
}

interface Build {
  readonly stages: readonly Stage[];
  readonly isInContext: (path: string) => boolean;
}

async function step(stage: Stage, { name, rest }: Instruction, { stages, isInContext }: Build): Promise<Stage> {
  // The exec form of an instruction is a JSON array of strings.
  const readList = (text: string): readonly string[] => JSON.parse(text) as string[];
  switch (name) {
    case 'WORKDIR':
      mkdirSync(join(stage.root, rest), { recursive: true });
      return { ...stage, workdir: rest };
    case 'ENV': {
      const pairs = rest.split(' ').map((pair) => pair.split('=') as [string, string]);
      return { ...stage, environment: { ...stage.environment, ...Object.fromEntries(pairs) } };
    }
    case 'COPY':
      copy(stage, rest, { stages, isInContext });
      return stage;
    case 'RUN':
      await run('/bin/sh', ['-c', rest], {
        cwd: join(stage.root, stage.workdir),
        env: { ...toEnvironment(stage), npm_config_prefer_offline: 'true' },
      });
      return stage;
    case 'USER':
      return { ...stage, user: rest };
    case 'EXPOSE':
      return stage;
    case 'HEALTHCHECK':
      return { ...stage, healthcheck: readList(rest.slice(rest.indexOf(' CMD ') + 5)) };
    case 'ENTRYPOINT':
      return { ...stage, entrypoint: readList(rest) };
    case 'CMD':
      return { ...stage, command: readList(rest) };
    default:
      throw new Error(`${name}: this test cannot run that instruction`);
  }
}

function copy(stage: Stage, rest: string, { stages, isInContext }: Build): void {
  const words = rest.split(' ');
  const from = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined;
  const source = stages.find(({ name }) => name === from);
  if (from !== undefined && source === undefined) throw new Error(`COPY from "${from}", which is no stage`);
  const target = join(stage.root, stage.workdir, words.pop() ?? '');
  for (const word of words) {
    if (source === undefined && !isInContext(word)) throw new Error(`COPY ${word}: .dockerignore leaves it out`);
    const path = source === undefined ? word : join(source.root, word);
    const into = rest.endsWith('/') ? join(target, basename(word)) : target;
    cpSync(path, into, { recursive: true });
  }
}

/** Nothing of the machine but where programs and the npm cache are. */
function toEnvironment({ environment }: Image): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, ...environment };
}

function listFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .map((path) => `${path} ${statSync(join(folder, path)).mtimeMs}`)
    .toSorted((a, b) => (a < b ? -1 : 1));
}

describe('the Dockerfile, its steps run one by one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vouch-docker-'));
  let image: Image;
  let server: ChildProcess | undefined;

  beforeAll(async () => {
    image = await build(readFileSync('Dockerfile', 'utf8'), folder);
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
      server?.once('exit', () => reject(new Error(`the server ended:\n${printed}`)));
    });
  };

  it('leaves development behind and takes the contract along', () => {
    const app = join(image.root, 'app');
    expect(existsSync(join(app, 'node_modules/typescript'))).toBe(false);
    expect(existsSync(join(app, 'node_modules/hono'))).toBe(true);
    expect(existsSync(join(app, 'src'))).toBe(false);
    for (const name of ['dist', 'spec', 'fixtures', 'scenarios', 'LICENSE']) expect(readdirSync(app)).toContain(name);
  });

  it('does not run as root, and listens beyond the container', () => {
    expect(image.user).toBe('node');
    expect(image.environment).toMatchObject({ NODE_ENV: 'production', VOUCH_HOST: '0.0.0.0', VOUCH_PORT: '4010' });
  });

  it('serves, is healthy, writes nothing into its folder, and ends on SIGTERM with exit code 0', async () => {
    const app = join(image.root, 'app');
    const before = listFiles(app);
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
    expect(listFiles(app)).toEqual(before);
  });
});

describe('compose.yaml', () => {
  // Our own file; the shape is what the assertions are about.
  const { services } = load(readFileSync('compose.yaml', 'utf8')) as {
    readonly services: { readonly vouch: Readonly<Record<string, unknown>> };
  };

  it('runs read-only and mounts what a team edits where the image has it', () => {
    expect(services.vouch).toMatchObject({ build: '.', read_only: true });
    const mounts = (services.vouch['volumes'] as readonly string[]).map((volume) => volume.split(':'));
    const copied = readFileSync('Dockerfile', 'utf8');
    for (const [source = '', target = '', mode] of mounts) {
      expect(existsSync(source)).toBe(true);
      expect(copied).toContain(`COPY ${basename(source)} ./${basename(target)}`);
      expect(mode).toBe('ro');
    }
    expect(mounts).toHaveLength(3);
  });
});
