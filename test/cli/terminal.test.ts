// @module-tag slow
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Ended, MAIN, runProgram, type Running } from './run-program.js';
import { createSharedFolder } from '../folders.js';

// Issue 16, part 6: what is printed, whole.

const folder = createSharedFolder({
  'fixtures/pets.yaml': 'items: [{id: 1, name: Rex}]\n',
  'scenarios/slow.yaml': 'operations: {listPets: {delay: 1ms}}\n',
  'scenarios/down.yaml': 'operations: {listPets: {respond: {status: 503, body: down}, violates: test}}\n',
  'pets.yaml': `openapi: 3.1.0
info: {title: Pets, version: "1"}
paths:
  /pets:
    get:
      operationId: listPets
      parameters:
        - name: limit
          in: query
          schema:
            type: integer
            maximum: 10
      responses:
        "200":
          description: all pets
          content:
            application/json:
              schema: {type: array, items: {$ref: "#/components/schemas/Pet"}}
    post:
      operationId: createPet
      requestBody:
        content:
          application/json:
            schema: {$ref: "#/components/schemas/Pet"}
      responses:
        "201":
          description: the new pet
          content:
            application/json:
              schema: {$ref: "#/components/schemas/Pet"}
components:
  schemas:
    Pet:
      type: object
      properties:
        id: {type: integer}
        name:
          type: string
          minLength: "1"
`,
});

/** Paints as the command does; not at all without colours. */
function createPaint(isColoured: boolean): (name: 'bold' | 'yellow' | 'gray' | 'green', text: string) => string {
  const codes = { bold: [1, 22], yellow: [33, 39], gray: [90, 39], green: [32, 39] } as const;
  return (name, text) => (isColoured ? `\u001B[${codes[name][0]}m${text}\u001B[${codes[name][1]}m` : text);
}

/** Replaces ports and times, which differ each time. */
function toStable(text: string): string {
  return text.replaceAll(/127\.0\.0\.1:\d+/gu, '127.0.0.1:PORT').replaceAll(/[\d.]+ms\b/gu, '0ms');
}

const REQUESTS: readonly (readonly [path: string, init?: RequestInit])[] = [
  ['/pets'],
  ['/pets?limit=11'],
  ['/pets', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"name":7,"nam":1}' }],
];

/** Serves the document for three requests. @param logged - Matches the output when the last one is logged. */
function serve(
  words: readonly string[],
  logged: RegExp,
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<Ended> {
  const whenListening = async ({ url, waitFor }: Running): Promise<void> => {
    // Problems are printed shortly after the start.
    await waitFor(/minLength/u);
    for (const [path, init] of REQUESTS) await (await fetch(`${url}${path}`, init)).text();
    await waitFor(logged);
  };
  return runProgram(['serve', 'pets.yaml', '--port', '0', ...words], { cwd: folder, env, whenListening });
}

const REPAIRED =
  'SCHEMA_REPAIRED  pets.yaml:39:11 (#/components/schemas/Pet/properties/name/minLength)  "minLength" must be a non-negative integer, got "1"; it means 1';

describe('the output of vouch serve', () => {
  it.each([
    ['without colours where it is not a terminal', false, {}],
    ['without colours where NO_COLOR is set', false, { NO_COLOR: '1' }],
    ['with colours where FORCE_COLOR is set', true, { FORCE_COLOR: '1' }],
  ])('is printed whole, %s', async (_, isColoured, env) => {
    const paint = createPaint(isColoured);
    const { code, out, error } = await serve(['--scenario', 'slow', '--verbose'], /POST[^]*refuse: Body/u, env);
    expect(toStable(out)).toBe(
      [
        `${paint('bold', 'Pets')} 1  pets.yaml  2 operations`,
        paint('yellow', 'repaired 1 mistake of the document, see below'),
        'fixtures ./fixtures (1 collection)  seed 1  clock 2026-01-01T00:00:00.000Z',
        'scenarios ./scenarios (2)  active slow',
        'control API http://127.0.0.1:PORT/__mock',
        'inspector http://127.0.0.1:PORT/__mock/',
        `listening on ${paint('bold', 'http://127.0.0.1:PORT')}`,
        paint('gray', 'try: curl http://127.0.0.1:PORT/pets'),
        paint('yellow', REPAIRED),
        `GET    /pets ${paint('green', '200')} ${paint('gray', '0ms')} ${paint('gray', 'state')}`,
        ...[
          'refuse: the request fits the contract',
          'prefer: the request has no preference',
          'scenario: rule slow/listPets[0] (scenarios/slow.yaml:1) applies',
          'handler: none for this operation',
          'state: answered from pets (list)',
        ].map((line) => `       ${paint('gray', line)}`),
        `GET    /pets?limit=11 ${paint('yellow', '400')} ${paint('gray', '0ms')} ${paint('gray', 'refuse')}`,
        `       ${paint('yellow', 'error RANGE query parameter "limit" must be at most 10, got 11')}  pets.yaml:12:13 (#/paths/~1pets/get/parameters/0/schema/maximum)`,
        `       ${paint('gray', 'refuse: Query parameter "limit" must be at most 10, got 11.')}`,
        `POST   /pets ${paint('yellow', '400')} ${paint('gray', '0ms')} ${paint('gray', 'refuse')}`,
        `       ${paint('yellow', 'error TYPE body property "name" must be a string, got 7')}  pets.yaml:38:11 (#/components/schemas/Pet/properties/name/type)`,
        `       ${paint('gray', 'note PROPERTY_UNDECLARED body property "nam" is not declared by the schema; did you mean "name"?')}`,
        `       ${paint('gray', 'refuse: Body property "name" must be a string, got 7.')}`,
        paint('gray', 'SIGTERM: closing'),
        '',
      ].join('\n'),
    );
    expect(error).toBe('');
    expect(code).toBe(0);
  });

  const hasScript = spawnSync('script', ['--version']).status === 0;
  it.runIf(hasScript)('has colours on a terminal', () => {
    // Node.js writes no colours on a machine of a CI service that it does not know.
    const env = { ...process.env, CI: undefined, NO_COLOR: undefined, FORCE_COLOR: undefined, TERM: 'xterm' };
    const words = ['-qec', `'${process.execPath}' '${MAIN}' config pets.yaml`, '/dev/null'];
    expect(spawnSync('script', words, { cwd: folder, env, encoding: 'utf8' }).stdout).toContain('\u001B[90mport');
    const plain = spawnSync('script', words, { cwd: folder, env: { ...env, NO_COLOR: '1' }, encoding: 'utf8' });
    expect(plain.stdout).toContain('port ');
    expect(plain.stdout).not.toContain('\u001B[');
  });

  it('has no requests with --quiet', async () => {
    const { out } = await serve(['--quiet'], /minLength/u);
    expect(toStable(out)).toBe(
      [
        'Pets 1  pets.yaml  2 operations',
        'repaired 1 mistake of the document, see below',
        'fixtures ./fixtures (1 collection)  seed 1  clock 2026-01-01T00:00:00.000Z',
        'scenarios ./scenarios (2)',
        'control API http://127.0.0.1:PORT/__mock',
        'inspector http://127.0.0.1:PORT/__mock/',
        'listening on http://127.0.0.1:PORT',
        'try: curl http://127.0.0.1:PORT/pets',
        REPAIRED,
        'SIGTERM: closing',
        '',
      ].join('\n'),
    );
  });

  it('has the real time beside the time of the mock with --json, and places with --verbose', async () => {
    const before = Date.now();
    const { out, error } = await serve(['--json', '--verbose'], /"number":3/u, { FORCE_COLOR: '1' });
    expect(error).toBe('');
    const [started, problems, listed, tooMany, posted, ...more] = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    expect(more).toEqual([]);
    expect(started).toMatchObject({ spec: 'pets.yaml', fixtures: 'fixtures', scenarios: 2, repaired: 1 });
    expect(problems).toMatchObject({ problems: 1 });
    for (const line of [listed, tooMany, posted]) {
      expect(line?.['time']).toBe('2026-01-01T00:00:00.000Z');
      const real = Date.parse(String(line?.['realTime']));
      expect(real).toBeGreaterThanOrEqual(before);
      expect(real).toBeLessThanOrEqual(Date.now());
    }
    expect(listed?.['violations']).toEqual([]);
    const { violations, trace } = tooMany ?? {};
    expect(violations).toEqual([
      {
        code: 'RANGE',
        severity: 'error',
        in: 'query',
        pointer: '/limit',
        message: 'query parameter "limit" must be at most 10, got 11',
        by: 'client',
        at: { file: 'pets.yaml', line: 12, column: 13, pointer: '/paths/~1pets/get/parameters/0/schema/maximum' },
      },
    ]);
    expect(trace).toEqual(['refuse: Query parameter "limit" must be at most 10, got 11.']);
  });
});

describe('an old version of Node.js', () => {
  // As the oldest Node.js that loads ES modules would say; `.ci/run` runs the command with Node.js 18.
  const pretend = join(folder, 'version.cjs');
  const setVersion = (version: string): void =>
    writeFileSync(
      pretend,
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });\n`,
    );

  it.each(['12.22.12', '18.20.8', '20.18.3'])('gets a clear message, %s', async (version) => {
    setVersion(version);
    const { code, out, error } = await runProgram(['serve'], { node: ['--require', pretend] });
    expect(error).toBe(
      `NODE_UNSUPPORTED  ${process.execPath} is Node.js ${version}; vouch needs 20.19 or later\n` +
        '  hint: install a current version from https://nodejs.org, or with a version manager, such as: nvm install --lts\n',
    );
    expect([code, out]).toEqual([1, '']);
  });

  it.each(['20.19.0', '21.0.0', '22.0.0'])('is not %s', async (version) => {
    setVersion(version);
    const { code, error } = await runProgram(['--version'], { node: ['--require', pretend] });
    expect([code, error]).toEqual([0, '']);
  });

  it('is one that package.json excludes, and the launcher imports nothing before it knows the version', () => {
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly engines: object };
    expect(engines).toEqual({ node: '>=20.19' });
    expect(readFileSync(MAIN, 'utf8')).not.toMatch(/^import\b|\bawait\b|\?\?|\?\./mu);
  });
});
