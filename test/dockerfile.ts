import { execFile } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  type Dirent,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** The image that the last stage builds. */
export interface Image {
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

/** Whether a path belongs to the build context; supports a `.dockerignore` of `*` and `!name` lines. */
function createContextFilter(text: string): (path: string) => boolean {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  if (lines[0] !== '*' || !lines.slice(1).every((line) => /^![^*?]+$/u.test(line))) {
    throw new Error('.dockerignore must contain * and lines of !name');
  }
  return (path) => lines.includes(`!${path.split('/')[0]}`);
}

/** Executes the steps of a Dockerfile; each stage is a folder instead of an image. */
export async function buildImage(dockerfile: string, folder: string): Promise<Image> {
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
  if (match === null) throw new Error(`FROM ${rest} must be a slim Node image with a fixed version`);
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
      await runCommand(stage, rest);
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
      throw new Error(`${name} is not supported by this test`);
  }
}

async function runCommand(stage: Stage, command: string): Promise<void> {
  const cwd = join(stage.root, stage.workdir);
  const isInstall = command === 'npm ci --ignore-scripts';
  if (command === 'npm run build') copyDeclarations(cwd);
  // The packages are those that the same command installed in the repository: to unpack them again takes more CPU time than all other steps.
  await run('/bin/sh', ['-c', isInstall ? `${command} --dry-run` : command], {
    cwd,
    // Nothing that the steps do depends on what registries say about security and funding.
    env: {
      ...toEnvironment(stage),
      npm_config_prefer_offline: 'true',
      npm_config_audit: 'false',
      npm_config_fund: 'false',
    },
  });
  if (isInstall) linkInstalled(cwd);
}

/**
 * Gives a folder the declarations of the build in the repository, and what tsc has noted of it: to check sources again that are the same
 * takes half the CPU time of all steps. tsc compares every file that it reads with the notes, and checks what differs or is missing.
 */
function copyDeclarations(folder: string): void {
  const isDeclaration = (name: string): boolean => name.endsWith('.d.ts') || name === '.tsbuildinfo';
  for (const name of readdirSync('dist', { recursive: true, encoding: 'utf8' }).filter(isDeclaration)) {
    const target = join(folder, 'dist', name);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join('dist', name), target);
  }
}

/** Gives a folder the packages that are installed in the repository, without the caches that tools keep beside them. */
function linkInstalled(folder: string): void {
  const isCache = (name: string): boolean => name.startsWith('.') && name !== '.bin' && name !== '.package-lock.json';
  linkFolder('node_modules', join(folder, 'node_modules'), ({ name }) => !isCache(name));
}

/** A copy of a folder whose files are hard links; those that npm writes again, and all of another file system, are copied. */
function linkFolder(from: string, to: string, isIncluded: (entry: Dirent) => boolean): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true }).filter(isIncluded)) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isDirectory()) linkFolder(source, target, () => true);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else if (entry.name === '.package-lock.json') copyFileSync(source, target);
    else linkFile(source, target);
  }
}

function linkFile(source: string, target: string): void {
  try {
    linkSync(source, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    copyFileSync(source, target);
  }
}

function copy(stage: Stage, rest: string, { stages, isInContext }: Build): void {
  const words = rest.split(' ');
  const from = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined;
  const source = stages.find(({ name }) => name === from);
  if (from !== undefined && source === undefined) throw new Error(`COPY from "${from}", which is not a stage`);
  const target = join(stage.root, stage.workdir, words.pop() ?? '');
  for (const word of words) {
    if (source === undefined && !isInContext(word)) throw new Error(`COPY ${word}: .dockerignore excludes it`);
    const path = source === undefined ? word : join(source.root, word);
    const into = rest.endsWith('/') ? join(target, basename(word)) : target;
    cpSync(path, into, { recursive: true });
  }
}

/** The environment of a process in an image: of this machine's variables only PATH and HOME. */
export function toEnvironment({ environment }: Image): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, ...environment };
}
