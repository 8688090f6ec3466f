import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

interface LockEntry {
  readonly dev?: boolean;
  readonly license?: string;
  readonly hasInstallScript?: boolean;
}

// Files of this repository, in the format of npm.
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  readonly packages: Readonly<Record<string, LockEntry>>;
};

/** The packages in the first column of each table below a heading. */
function readListed(page: string, heading: string): readonly string[] {
  const section = page.split(/^## /mu).find((part) => part.startsWith(heading)) ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return rows.flatMap((row) => readTicked(row, 1));
}

/** The values in backticks in one column of a table row. */
function readTicked(row: string, column: number): readonly string[] {
  return [...(row.split('|')[column] ?? '').matchAll(/`([^`]+)`/gu)].map((match) => match[1] ?? '');
}

/** Package -> the folders of `src/` that import it. */
function readImporters(): Readonly<Record<string, ReadonlySet<string>>> {
  const importers: Record<string, Set<string>> = {};
  for (const path of readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))) {
    const room = path.includes('/') ? `${path.slice(0, path.indexOf('/'))}/` : path;
    // Without doc comments: their examples import this package.
    const code = readFileSync(join('src', path), 'utf8').replaceAll(/^\s*\*.*$/gmu, '');
    const imports = code.matchAll(/(?:from |import\()'((?:@[^/']+\/)?[^./'][^/']*)/gu);
    for (const [, name = ''] of imports) {
      if (!name.startsWith('node:')) (importers[name] ??= new Set()).add(room);
    }
  }
  return importers;
}

describe('docs/dependencies.md', () => {
  const page = readFileSync('docs/dependencies.md', 'utf8');

  it('lists exactly the dependencies of package.json', () => {
    expect(new Set(readListed(page, 'Runtime'))).toEqual(new Set(Object.keys(manifest.dependencies)));
    expect(new Set(readListed(page, 'Development'))).toEqual(new Set(Object.keys(manifest.devDependencies)));
  });

  it('names the folders that import each runtime dependency', () => {
    const imported = readImporters();
    const rows = page.split('\n').filter((line) => line.startsWith('| `') && line.split('|').length === 7);
    const listed = rows.map((row) => [readTicked(row, 1)[0], new Set(readTicked(row, 4))] as const);
    expect(Object.fromEntries(listed)).toEqual(imported);
  });

  it('names the licence of every package that users install', () => {
    const licences = Object.entries(lock.packages).flatMap(([path, { dev, license }]) =>
      path === '' || dev === true ? [] : [license ?? `none in ${path}`],
    );
    expect(licences.length).toBeGreaterThan(8);
    expect(licences.filter((licence) => !page.includes(licence))).toEqual([]);
  });

  it('is right that no installed package runs an install script', () => {
    const scripted = Object.keys(lock.packages).filter((path) => {
      const entry = lock.packages[path];
      return entry?.hasInstallScript === true && entry.dev !== true;
    });
    expect(scripted).toEqual([]);
  });
});

describe('the packed package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vouch-package-'));
  let files: readonly string[] = [];

  beforeAll(async () => {
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder]);
    // The format of `npm pack --json`.
    const [packed] = JSON.parse(stdout) as [
      { readonly filename: string; readonly files: readonly { readonly path: string }[] },
    ];
    files = packed.files.map(({ path }) => path);
    mkdirSync(join(folder, 'user'));
    writeFileSync(join(folder, 'user', 'package.json'), '{ "private": true, "type": "module" }');
    await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', join(folder, packed.filename)], {
      cwd: join(folder, 'user'),
    });
  }, 180_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('contains the files needed at run time only', () => {
    for (const path of [
      'dist/index.js',
      'dist/index.d.ts',
      'dist/cli/main.js',
      'spec/openapi.yaml',
      'fixtures/files.yaml',
      'presets/stripe.yaml',
      'LICENSE',
      'README.md',
    ]) {
      expect(files).toContain(path);
    }
    expect(files.filter((path) => /^(?:src|test|bench|docs|\.ci)\/|tsbuildinfo/u.test(path))).toEqual([]);
  });

  it('runs in a program that imports it by name, with the built-in contract', async () => {
    const program = `
      import { createMock } from 'vouch';
      const mock = await createMock({ spec: 'node_modules/vouch/spec/openapi.yaml', fixtures: 'node_modules/vouch/fixtures' });
      const answer = await mock.fetch('/v1/organization/admin_api_keys', { headers: { authorization: 'Bearer any' } });
      console.log(answer.status, (await answer.json()).data.length);
      await mock.close();
    `;
    const { stdout } = await run('node', ['--input-type=module', '--eval', program], { cwd: join(folder, 'user') });
    expect(stdout.trim()).toBe('200 7');
  });

  it('has types that compile in a strict program', async () => {
    const program = `import { createMock, type Mock } from 'vouch';\nexport const mock: Promise<Mock> = createMock({ spec: 'a.yaml', seed: 7 });\n`;
    writeFileSync(join(folder, 'user', 'program.ts'), program);
    const options = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      'false',
      '--module',
      'nodenext',
      '--target',
      'es2022',
    ];
    const types = ['--types', 'node', '--typeRoots', join(process.cwd(), 'node_modules/@types')];
    const compiler = join(process.cwd(), 'node_modules/.bin/tsc');
    await expect(
      run(compiler, [...options, ...types, 'program.ts'], { cwd: join(folder, 'user') }),
    ).resolves.toMatchObject({ stdout: '' });
  });

  it('installs a command that prints its version', async () => {
    const { stdout } = await run(join(folder, 'user/node_modules/.bin/vouch'), ['--version']);
    expect(stdout.trim()).toBe(manifest.version);
  });
});
