// @module-tag thorough
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { createSharedFolder } from './folders.js';

const run = promisify(execFile);

interface Manifest {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, unknown>>;
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

// Subpath of the package -> its file in `src/` and `dist/`.
const entries = JSON.parse(readFileSync('build/entries.json', 'utf8')) as Readonly<
  Record<string, { readonly subpath?: string; readonly commonjs?: boolean }>
>;

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
    const room = /^(?:(?:features|tools)\/)?[^/]+\//u.exec(path)?.[0] ?? path;
    // Without doc comments: their examples import this package.
    const code = readFileSync(join('src', path), 'utf8').replaceAll(/^\s*\*.*$/gmu, '');
    const imports = code.matchAll(/(?:from |import\()'((?:@[^/']+\/)?[^./'][^/']*)/gu);
    for (const [, name = ''] of imports) {
      if (!name.startsWith('node:')) (importers[name] ??= new Set()).add(room);
    }
  }
  return importers;
}

/** The packages whose code is in `dist/`. */
function readBundled(): readonly { readonly name: string; readonly license: string }[] {
  const text = readFileSync('dist/licences.txt', 'utf8');
  return [...text.matchAll(/^(\S+) \d\S* \((.+)\)$/gmu)].map(([, name = '', license = '']) => ({ name, license }));
}

describe('docs/dependencies.md', () => {
  const page = readFileSync('docs/dependencies.md', 'utf8');

  it('lists exactly the dependencies of package.json', () => {
    expect(new Set(readListed(page, 'Installed'))).toEqual(new Set(Object.keys(manifest.dependencies)));
    expect(readListed(page, 'Development').toSorted()).toEqual(Object.keys(manifest.devDependencies).toSorted());
  });

  it('lists every package whose code is in the build, whose licence texts the package includes', () => {
    const bundled = readBundled().map(({ name }) => name);
    expect(bundled.toSorted()).toEqual(readListed(page, 'Bundled').toSorted());
  });

  it('names the folders that import each package that is needed at run time', () => {
    const imported = readImporters();
    const rows = page.split('\n').filter((line) => line.startsWith('| `') && line.split('|').length === 7);
    const listed = rows.map((row) => [readTicked(row, 1)[0], new Set(readTicked(row, 4))] as const);
    expect(Object.fromEntries(listed)).toEqual(imported);
  });

  it('names the licence of every package that users install, alone or in the build', () => {
    const installed = Object.entries(lock.packages).flatMap(([path, { dev, license }]) =>
      path === '' || dev === true ? [] : [license ?? `none in ${path}`],
    );
    const licences = [...installed, ...readBundled().map(({ license }) => license)];
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

it('loads vouch/vitest/shared without the rest of the package, so that it runs in a browser', () => {
  const text = readFileSync('dist/runners/vitest-shared.js', 'utf8');
  expect([...text.matchAll(/\b(?:from|import)\b\s*\(?\s*["']([^"']+)/g)].map(([, name]) => name)).toEqual(['vitest']);
});

it('package.json exports the entries of build/entries.json, and no other', () => {
  const expected = Object.entries(entries).flatMap(
    ([name, { subpath, commonjs }]): readonly (readonly [string, object])[] => {
      if (subpath === undefined) return [];
      const module = { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` };
      if (commonjs !== true) return [[subpath, module]];
      const require = { types: `./dist/${name}.d.cts`, default: `./dist/${name}.cjs` };
      return [[subpath, { 'module-sync': module, require, default: module }]];
    },
  );
  expect(manifest.exports).toEqual({ ...Object.fromEntries(expected), './package.json': './package.json' });
  expect(Object.values(manifest.bin).map((file) => file.replace(/^dist\/|\.js$/gu, ''))).toEqual(
    Object.keys(entries).filter((name) => entries[name]?.subpath === undefined),
  );
});

describe('the packed package', () => {
  const folder = createSharedFolder();
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
    const hono = `hono@${manifest.dependencies['hono'] ?? ''}`;
    await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', hono, join(folder, packed.filename)], {
      cwd: join(folder, 'user'),
      env: { ...process.env, NODE_EXTRA_CA_CERTS: process.env['VOUCH_TEST_CA_CERTS'] },
    });
  }, 180_000);

  it('has code that this version of Node.js can parse', async () => {
    const script = `
      import { readdirSync, readFileSync } from 'node:fs';
      import { SourceTextModule } from 'node:vm';
      const files = readdirSync('dist', { recursive: true }).filter((name) => name.endsWith('.js'));
      for (const name of files) {
        try {
          new SourceTextModule(readFileSync('dist/' + name, 'utf8'));
        } catch (error) {
          console.log(name + ': ' + error.message);
        }
      }
      console.log(files.length);`;
    const flags = ['--experimental-vm-modules', '--no-warnings', '--input-type=module'];
    const { stdout } = await run(process.execPath, [...flags, '--eval', script]);
    expect(stdout).toMatch(/^\d\d+\n$/u);
  });

  it('contains the files needed at run time, the documentation, and no others', () => {
    for (const path of [
      'dist/index.js',
      'dist/index.d.ts',
      'dist/index.cjs',
      'dist/index.d.cts',
      'dist/licences.txt',
      'dist/inspector.html.gz',
      'dist/cli/main.js',
      'spec/openapi.yaml',
      'fixtures/files.yaml',
      'presets/stripe.yaml',
      'LICENSE',
      'README.md',
      'docs/README.md',
      'docs/guides/uploads.md',
      'docs/images/inspector-log.png',
    ]) {
      expect(files).toContain(path);
    }
    expect(
      files.filter((path) =>
        /^(?:src|test|bench|\.ci|docs\/maintainers)\/|^docs\/(?:development|dependencies)\.md$|tsbuildinfo/u.test(path),
      ),
    ).toEqual([]);
  });

  /** In the format of npm. */
  const readInstalled = (): { readonly packages: object } =>
    JSON.parse(readFileSync(join(folder, 'user/node_modules/.package-lock.json'), 'utf8')) as {
      readonly packages: object;
    };

  it('takes at most 16 packages and 20 MB where it is installed', () => {
    const installed = join(folder, 'user', 'node_modules');
    const { packages } = readInstalled();
    const paths = readdirSync(installed, { recursive: true, encoding: 'utf8' });
    const bytes = paths.reduce((sum, path) => sum + statSync(join(installed, path)).size, 0);
    expect(Object.keys(packages)).toContain('node_modules/vouch');
    expect(Object.keys(packages).length).toBeLessThanOrEqual(16);
    expect(bytes).toBeLessThanOrEqual(20_000_000);
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

  it('loads on import only what every mock needs', async () => {
    const program = `
      import { createMock } from 'vouch';
      import module from 'node:module';
      const isLoaded = (name) => Object.keys(module._cache).some((file) => file.includes('/node_modules/' + name + '/'));
      const listLoaded = () => ['ajv', '@faker-js/faker', 'json-p3', '@rgrove/parse-xml'].filter(isLoaded).join();
      const has = (name) => process.moduleLoadList.includes('NativeModule ' + name);
      console.log(listLoaded(), has('internal/deps/undici/undici'), has('http2'));
      const mock = await createMock({ spec: 'node_modules/vouch/spec/openapi.yaml', fixtures: 'node_modules/vouch/fixtures' });
      const url = '/v1/organization/admin_api_keys';
      await mock.fetch(url, { headers: { authorization: 'Bearer any' } });
      await mock.fetch('/__mock/health');
      console.log(listLoaded());
      await mock.fetch(url, { method: 'POST', headers: { authorization: 'Bearer any', 'content-type': 'application/json' }, body: '{}' });
      console.log(listLoaded());
    `;
    const { stdout } = await run('node', ['--input-type=module', '--eval', program], { cwd: join(folder, 'user') });
    expect(stdout.split('\n')).toEqual([' false false', '', 'ajv', '']);
  });

  it('shares its packages with a program that depends on them', () => {
    const { packages } = readInstalled();
    expect(Object.keys(packages).filter((path) => path.endsWith('node_modules/hono'))).toEqual(['node_modules/hono']);
    expect(Object.keys(packages).filter((path) => path.includes('/node_modules/vouch/node_modules/'))).toEqual([]);
  });

  it('says which package is missing where requests are intercepted without it', async () => {
    const program = `
      import module from 'node:module';
      import { createMock } from 'vouch';
      // A folder above may have the package.
      const resolve = module._resolveFilename;
      module._resolveFilename = (name, ...rest) => resolve(name.replace('@mswjs/', '@missing/'), ...rest);
      const mock = await createMock({ spec: 'node_modules/vouch/spec/openapi.yaml' });
      const before = [globalThis.fetch, Object.getOwnPropertySymbols(globalThis).length];
      try {
        mock.intercept('https://api.example.com');
      } catch (error) {
        console.log(error.message);
      }
      console.log(before[0] === globalThis.fetch, before[1] === Object.getOwnPropertySymbols(globalThis).length);
    `;
    const { stdout } = await run('node', ['--input-type=module', '--eval', program], { cwd: join(folder, 'user') });
    expect(stdout.trim().split('\n')).toEqual([
      'INTERCEPTOR_MISSING  mock.intercept needs the package @mswjs/interceptors',
      '  hint: install it: npm install --save-dev @mswjs/interceptors',
      'true true',
    ]);
  });

  it('is one module for `import` and `require`', async () => {
    const program = `
      const one = require('vouch');
      void import('vouch').then((other) => console.log(one.createMock === other.createMock));
    `;
    const { stdout, stderr } = await run('node', ['--eval', program], { cwd: join(folder, 'user') });
    expect([stdout.trim(), stderr]).toEqual(['true', '']);
  });

  it('has a CommonJS build that requires no ES module, for test runners whose loader cannot', async () => {
    const program = `
      const path = require('node:path');
      const one = require(path.resolve('node_modules/vouch/dist/index.cjs'));
      void import('vouch').then(async (other) => {
        const spec = 'node_modules/vouch/spec/openapi.yaml';
        const mock = await one.createMock({ spec, fixtures: 'node_modules/vouch/fixtures' });
        const answer = await mock.fetch('/v1/organization/admin_api_keys', { headers: { authorization: 'Bearer any' } });
        console.log(answer.status, (await answer.json()).data.length);
        const health = await mock.fetch('/__mock/health');
        console.log(health.status);
        const generated = await one.createMock({ spec: {
          openapi: '3.1.0', info: { title: 'x', version: '1' },
          paths: { '/people': { get: { responses: { 200: { description: 'x', content: { 'application/json': {
            schema: { type: 'object', required: ['first_name'], properties: { first_name: { type: 'string' } } } } } } } } } },
        } });
        console.log(typeof (await (await generated.fetch('/people')).json()).first_name);
        // Both builds in one process: errors of one are those of the other.
        const error = await one.createMock({ spec: 'absent.yaml' }).catch((error) => error);
        console.log(error instanceof one.MockError, error instanceof other.MockError, error instanceof TypeError);
        console.log(new TypeError() instanceof one.MockError);
      });
    `;
    const { stdout, stderr } = await run('node', ['--no-experimental-require-module', '--eval', program], {
      cwd: join(folder, 'user'),
    });
    expect([stdout.trim().split('\n'), stderr]).toEqual([['200 7', '200', 'string', 'true true false', 'false'], '']);
  });

  it('has types that compile in a strict program, as an ES module and as CommonJS', async () => {
    const program = `
      import { createMock, MockError, type Mock, type MockOptions } from 'vouch';
      const options: MockOptions = { spec: 'a.yaml', seed: 7 };
      export const mock: Promise<Mock> = createMock(options);
      export const codeOf = (error: unknown): string | undefined => (error instanceof MockError ? error.code : undefined);
      export const reasonOf = (error: MockError): string => error.reason;
    `;
    // One program of both: the declarations of the platform are read once.
    const names = ['program.ts', 'program.cts'];
    for (const name of names) writeFileSync(join(folder, 'user', name), program);
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
    // The compiler exits with an error where it finds one.
    const { stdout } = await run(compiler, [...options, ...types, '--listFiles', ...names], {
      cwd: join(folder, 'user'),
    });
    for (const file of ['index.d.ts', 'index.d.cts']) expect(stdout).toContain(`/node_modules/vouch/dist/${file}\n`);
  });

  it('installs a command that prints its version', async () => {
    const { stdout } = await run(join(folder, 'user/node_modules/.bin/vouch'), ['--version']);
    expect(stdout.trim()).toBe(manifest.version);
  });
});
