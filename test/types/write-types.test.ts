// @module-tag slow
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/contract/load/load.js';
import { writeTypes } from '../../src/tools/types/write-types.js';
import { createFolder } from '../folders.js';
import { compile, compileStrictly, writeAll } from './compile.js';

const run = promisify(execFile);

type Schemas = Readonly<Record<string, unknown>>;

/** The members of `components["schemas"]` for shared schemas, each on one line. */
async function writeSchemas(schemas: Schemas): Promise<readonly string[]> {
  const info = { title: 'Schemas', version: '1' };
  const text = writeTypes(await loadContract({ openapi: '3.1.0', info, paths: {}, components: { schemas } }), []);
  const block = /^ {2}schemas: \{\n(?<members>[^]*?)^ {2}\};$/mu.exec(text)?.groups?.['members'] ?? '';
  return block.split(/(?<=;\n)(?= {4}["$\w/])/u).map((member) =>
    member
      .trim()
      .replace(/;$/u, '')
      .replaceAll(/\s*\n\s*/gu, ' '),
  );
}

describe('the type of a schema', () => {
  const CASES: readonly (readonly [name: string, schema: unknown, type: string])[] = [
    ['a schema without keywords is unknown', {}, 'unknown'],
    ['true is unknown', true, 'unknown'],
    ['false is never', false, 'never'],
    ['an array of types is a union', { type: ['string', 'integer', 'null'] }, 'string | number | null'],
    ['an enum is a union of literals', { type: 'string', enum: ['a', 'b"', '\n'] }, String.raw`"a" | "b\"" | "\n"`],
    ['an enum of other types is a union', { enum: [1.5, false, null, { a: [1] }] }, '1.5 | false | null | { a: [1] }'],
    ['a const is a literal', { const: 'on' }, '"on"'],
    ['a const null is null', { const: null }, 'null'],
    [
      'an array of a union has parentheses',
      { type: 'array', items: { type: ['string', 'null'] } },
      '(string | null)[]',
    ],
    ['an array without items is unknown[]', { type: 'array' }, 'unknown[]'],
    ['a tuple has its items', { type: 'array', prefixItems: [{ type: 'string' }, {}] }, '[string, unknown]'],
    [
      'a tuple with items has more of them',
      { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'number' } },
      '[string, ...number[]]',
    ],
    [
      'a tuple with items: false has no more',
      { type: 'array', prefixItems: [{ type: 'string' }], items: false },
      '[string]',
    ],
    ['an object without properties is an empty record', { type: 'object' }, 'Record<string, never>'],
    [
      'additionalProperties is an index signature',
      { additionalProperties: { type: 'number' } },
      '{ [key: string]: number }',
    ],
    [
      'properties and additionalProperties are an intersection',
      { type: 'object', required: ['a'], properties: { a: { type: 'string' } }, additionalProperties: true },
      '{ a: string; } & { [key: string]: unknown }',
    ],
    [
      'patternProperties join additionalProperties',
      { type: 'object', patternProperties: { '^x': { type: 'string' } }, additionalProperties: { type: 'number' } },
      '{ [key: string]: number | string }',
    ],
    [
      'names that are no identifiers are quoted',
      { properties: { 'a-b': {}, $c: {}, "d'": {}, '0': {}, '01': {}, é: {} } },
      `{ 0?: unknown; "a-b"?: unknown; $c?: unknown; "d'"?: unknown; "01"?: unknown; "é"?: unknown; }`,
    ],
    [
      'a property with a default is always in a response',
      { properties: { a: { type: 'string', default: 'x' } } },
      '{ /** @default "x" */ a: string; }',
    ],
    [
      'a property that is read only is readonly, and one that is write only stays',
      { properties: { a: { type: 'string', readOnly: true }, b: { type: 'string', writeOnly: true } } },
      '{ readonly a?: string; b?: string; }',
    ],
    [
      'a description is a comment that it cannot end',
      { properties: { a: { description: 'ends */ here', deprecated: true } } },
      String.raw`{ /** * ends *\/ here * @deprecated */ a?: unknown; }`,
    ],
    [
      'oneOf beside properties is an intersection',
      { properties: { a: {} }, oneOf: [{ properties: { b: {} } }, { properties: { c: {} } }] },
      '{ a?: unknown; } & ({ b?: unknown; } | { c?: unknown; })',
    ],
    [
      'alternatives that only require properties leave the type as it is',
      { type: 'object', properties: { a: {} }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      '{ a?: unknown; }',
    ],
    [
      'required beside allOf counts for the properties of each part',
      { required: ['a'], allOf: [{ properties: { a: {} } }, { properties: { b: {} }, required: ['b'] }] },
      '{ a: unknown; } & { b: unknown; }',
    ],
    ['format binary is a string', { type: 'string', format: 'binary' }, 'string'],
  ];

  it.each(CASES)('%s', async (_name, schema, type) => {
    expect(await writeSchemas({ A: schema })).toStrictEqual([expect.stringMatching(/A: /u)]);
    const [member = ''] = await writeSchemas({ A: schema });
    expect(member.slice(member.indexOf('A: ') + 3)).toBe(type);
  });

  it('a shared schema is referred to by its name, also from itself', async () => {
    const Tree = {
      type: 'object',
      properties: { children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } },
    };
    expect(await writeSchemas({ Tree })).toStrictEqual(['Tree: { children?: components["schemas"]["Tree"][]; }']);
  });

  it('a schema that is shared at another place becomes one of the shared schemas', async () => {
    const written = await writeSchemas({
      A: { type: 'object', properties: { b: { type: 'object', properties: { c: { type: 'string' } } } } },
      B: { $ref: '#/components/schemas/A/properties/b' },
    });
    expect(written.slice(1)).toStrictEqual(['B: components["schemas"]["b"]', 'b: { c?: string; }']);
  });

  it('nullable of OpenAPI 3.0 adds null, also beside a reference', async () => {
    const schemas = {
      A: { type: 'string', nullable: true },
      B: { nullable: true, allOf: [{ $ref: '#/components/schemas/A' }] },
    };
    const document = {
      openapi: '3.0.3',
      info: { title: 'Nullable', version: '1' },
      paths: {},
      components: { schemas },
    };
    const text = writeTypes(await loadContract(document), []);
    expect(text).toContain('A: string | null;');
    expect(text).toContain('B: components["schemas"]["A"] | null;');
  });

  it('a discriminator gives each alternative its values, unless the alternative declares others', async () => {
    const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
    const [, cat, dog] = await writeSchemas({
      Pet: { oneOf: [ref('Cat'), ref('Dog')], discriminator: { propertyName: 'kind' } },
      Cat: { type: 'object', properties: { kind: { type: 'string' } } },
      Dog: { type: 'object', properties: { kind: { type: 'string', enum: ['hound', 'poodle'] } } },
    });
    expect(cat).toBe('Cat: { kind: "Cat"; }');
    expect(dog).toBe('Dog: { kind: "hound" | "poodle"; }');
  });
});

describe('the types of a document', () => {
  it('say what an operation is for, beside it and at its path', async () => {
    const comment = String.raw`/** * List stations * A page of stations. Comments end with *\/ here. */`;
    const text = writeAll(await loadContract('test/types/stations.yaml')).replaceAll(/\s+/gu, ' ');
    expect(text).toMatch(/^\/\*\* Types of Stations 1\.0\.0, written by "vouch types"\./u);
    expect(text).toContain(`${comment} get: operations["listStations"]; put?: never;`);
    expect(text).toContain(
      `${comment} listStations: { parameters: { query: { /** The size of a page. */ limit?: number;`,
    );
    expect(text).toContain('/** @deprecated */ "stations/read": {');
    expect(text).toContain('/** Created. */ 201: { headers: { [name: string]: unknown; };');
    expect(text).toContain('/** A problem. */ default: components["responses"]["Problem"];');
    expect(text).toContain('collections { /** /stations */ stations: components["schemas"]["Station"]; }');
  });

  it('compile with every strict check for the documents of this repository', async () => {
    const own = readdirSync('spec').map((name) => join('spec', name));
    expect(await compileStrictly([...own, 'test/types/stations.yaml', 'test/types/compositions.yaml'])).toEqual(['']);
  });
});

describe('the types of the package', () => {
  it('accept what the files beside this test assign', async () => {
    const folder = createFolder();
    for (const name of ['stations', 'compositions'])
      writeFileSync(join(folder, `${name}-vouch.ts`), writeAll(await loadContract(`test/types/${name}.yaml`)));
    const compilerOptions = {
      // The files import the types as if they were beside them.
      rootDirs: [resolve('test/types'), folder],
      typeRoots: [resolve('node_modules/@types')],
      declaration: false,
      isolatedDeclarations: false,
    };
    const include = [resolve('test/types/*.test-d.ts')];
    const config = { extends: resolve('tsconfig.json'), compilerOptions, include, exclude: [] };
    expect(await compile(folder, config)).toEqual(['']);
  });

  it('report a mistake of a scenario at the value that is wrong', async () => {
    const folder = createFolder();
    writeFileSync(join(folder, 'stations.ts'), writeAll(await loadContract('test/types/stations.yaml')));
    const rules = ['{ status: 500 }', '{ body: { name: 1 } }', '{ status: 422, body: { colour: "red" } }'];
    const lines = [
      `import { defineScenarios, type Mock } from ${JSON.stringify(resolve('dist/index.js'))};`,
      'import type { operations } from "./stations.js";',
      'const define = defineScenarios<operations>;',
      ...rules.map((rule) => `define({ a: { operations: { createStation: { respond: ${rule} } } } });`),
      // A mock has all its members without the types of Node.js and the newest libraries.
      'export const use = (mock: Mock): string => mock.state.collection("a").name + mock.nonsense;',
    ];
    writeFileSync(join(folder, 'scenarios.ts'), lines.join('\n'));
    const options = { strict: true, noEmit: true, skipLibCheck: true, module: 'nodenext', target: 'es2022', types: [] };
    expect(await compile(folder, { compilerOptions: options })).toEqual([
      `(4,57): error TS2322: Type 'number' is not assignable to type '201 | 422 | undefined'.`,
      `(5,65): error TS2322: Type 'number' is not assignable to type 'string'.`,
      expect.stringMatching(/^\(6,78\): error TS2353: .*'colour'/u),
      expect.stringMatching(/^\(7,83\): error TS2339: Property 'nonsense' does not exist on type 'Mock/u),
      '',
    ]);
  });
});

describe('vouch types', () => {
  it('prints the types, or writes them to a file', async () => {
    const text = writeAll(await loadContract('test/types/stations.yaml'));
    const folder = createFolder();
    const types = (...words: readonly string[]): ReturnType<typeof run> =>
      run(process.execPath, ['dist/cli/main.js', 'types', 'test/types/stations.yaml', ...words]);
    expect((await types()).stdout).toBe(text);
    const file = join(folder, 'new', 'api.d.ts');
    expect((await types('-o', file)).stdout).toContain('5 operations, 1 collection');
    expect(readFileSync(file, 'utf8')).toBe(text);
    await expect(types('-o', join(file, 'a.ts'))).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^OPTION_INVALID {2}the file/u),
    });
  });
});
