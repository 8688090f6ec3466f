import { expect, test } from 'vitest';
import { runCheck } from '../../src/cli/commands/check.js';
import { createFolder } from '../folders.js';

async function check(text: string, json = false): Promise<{ code: number; output: string }> {
  const folder = createFolder({ 'api.yaml': text });
  let output = '';
  const write = (line: string): void => void (output += `${line}\n`);
  const code = await runCheck({ spec: `${folder}/api.yaml`, json, write });
  return { code, output: output.replaceAll(`${folder}/`, '') };
}

const HEAD = 'openapi: 3.1.0\ninfo: {title: Pets, version: "2"}\n';

test('a document without problems says so and ends with 0', async () => {
  expect(await check(`${HEAD}paths: {/a: {get: {responses: {200: {description: ok}}}}}\n`)).toEqual({
    code: 0,
    output: 'Pets 2: 1 operation, 0 errors, 0 warnings\n',
  });
});

test('warnings are printed in the order of the text, with what is assumed, and end with 0', async () => {
  const text = `${HEAD}components: {schemas: {A: {type: foo}}}\npaths: {/a: {get: {}}}\n`;
  expect(await check(text)).toEqual({
    code: 0,
    output: [
      'Pets 2: 1 operation, 0 errors, 2 warnings',
      'warning  SCHEMA_REPAIRED  api.yaml:3:28 (#/components/schemas/A/type)  "foo" is not a JSON Schema type; any type is accepted',
      'warning  RESPONSES_MISSING  api.yaml:4:14 (#/paths/~1a/get)  GET /a declares no response; the response is 200 without a body',
      '',
    ].join('\n'),
  });
});

test('a pattern that cannot be tested in linear time is named', async () => {
  const text = `${HEAD}components: {schemas: {A: {pattern: '^(a+)+\\1$'}, B: {pattern: '^(?=.*(a+)+$)'}}}\npaths: {/a: {get: {responses: {200: {description: ok}}}}}\n`;
  const { code, output } = await check(text);
  expect(code).toBe(0);
  expect(output.split('\n').slice(0, -1)).toEqual([
    'Pets 2: 1 operation, 0 errors, 1 warning',
    'warning  PATTERN_COSTLY  api.yaml:3:28 (#/components/schemas/A/pattern)  the pattern "^(a+)+\\\\1$" has back references or too many repetitions to be tested in linear time; a value that takes too long is refused',
  ]);
});

test('an error ends with 1, and JSON tells the same', async () => {
  const { code, output } = await check(`${HEAD}paths: {}\ncomponents: {schemas: {A: {$ref: '#/gone'}}}\n`, true);
  expect(code).toBe(1);
  expect(JSON.parse(output)).toEqual({
    spec: 'api.yaml',
    title: 'Pets',
    version: '2',
    operations: 0,
    errors: 1,
    problems: [
      {
        code: 'REFERENCE_UNRESOLVED',
        severity: 'error',
        message: 'the reference "#/gone" cannot be resolved: there is no such value',
        at: { file: 'api.yaml', line: 4, column: 28, pointer: '/components/schemas/A/$ref' },
        assumed: 'anything is accepted there',
      },
    ],
  });
});

test('a reference that cannot be resolved is one mistake, also where an operation uses it', async () => {
  const schema = "{type: array, items: {$ref: '#/components/schemas/Gone'}}";
  const paths = `paths: {/a: {get: {responses: {200: {description: a, content: {application/json: {schema: ${schema}}}}}}}}\n`;
  const { output } = await check(`${HEAD}${paths}`);
  expect(output.split('\n')[0]).toBe('Pets 2: 1 operation, 1 error, 0 warnings');
  expect(output).toMatch(/^error {4}REFERENCE_UNRESOLVED .*Gone/m);
  // Another part of a schema that cannot be used is still reported beside it.
  const other = paths.replace('{type: array,', "{pattern: '(', type: array,");
  expect((await check(`${HEAD}${other}`)).output).toContain('SCHEMA_UNUSABLE');
});

test('examples that break their schemas are warnings, those of a part that is used twice once', async () => {
  const text = [
    'paths:',
    '  /a: {get: &a {parameters: [{name: n, in: query, schema: {type: integer}, example: x}], responses: {200: {$ref: "#/components/responses/R"}}}}',
    '  /b: {get: {responses: {200: {$ref: "#/components/responses/R"}}}}',
    'components:',
    '  responses:',
    '    R: {description: "", content: {application/json: {schema: {$ref: "#/components/schemas/User"}, examples: {good: {value: {name: A, pin: "1"}}, bad: {value: {name: 7}}}}}}',
    '  schemas: {User: {type: object, required: [name], properties: {name: {type: string}, pin: {type: string, writeOnly: true}}}}',
  ].join('\n');
  const { code, output } = await check(HEAD + text);
  expect(code).toBe(0);
  expect(output.split('\n')).toEqual([
    'Pets 2: 2 operations, 0 errors, 2 warnings',
    expect.stringMatching(
      /^warning {2}EXAMPLE_INVALID {2}api\.yaml:4:\d+ .*query parameter "n" must be an integer, got "x"$/,
    ),
    expect.stringMatching(
      /^warning {2}EXAMPLE_INVALID {2}api\.yaml:8:\d+ .*the example "bad" .* at \/name: .*; the example is not served$/,
    ),
    '',
  ]);
});

test('a schema that cannot be compiled is named, however deep, with what is dropped', async () => {
  // Found at load or, at the latest, when every schema is compiled.
  const broken = `{type: object, properties: {a: {type: string, dependentRequired: {b: 7}}}}`;
  const text = `${HEAD}paths: {/a: {get: {responses: {200: {description: ok, content: {application/json: {schema: ${broken}}}}}}}}\n`;
  const { output } = await check(text);
  expect(output).toMatch(/\nwarning +SCHEMA_(?:UNUSABLE|REPAIRED) +api\.yaml:3:\d+ .*dependentRequired/);
});

test('what no value can fit is an error, at the part that contradicts another; what can be left out is not', async () => {
  const text = [
    'paths:',
    '  /a: {get: {responses: {200: {description: "", content: {application/json: {schema: {$ref: "#/components/schemas/Deep"}}}}}}}',
    '  /b: {get: {responses: {200: {description: "", content: {application/json: {schema: {$ref: "#/components/schemas/Optional"}}}}}}}',
    '  /c: {get: {responses: {200: {description: "", content: {application/json: {schema: {oneOf: [{$ref: "#/components/schemas/Never"}, {type: string}]}}}}}}}',
    '  /d: {get: {responses: {200: {description: "", content: {application/json: {schema: {type: array, minItems: 1, items: {$ref: "#/components/schemas/Never"}}}}}}}}',
    '  /e: {get: {responses: {200: {description: "", content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Never"}}}}}}}}',
    'components:',
    '  schemas:',
    '    Never: {allOf: [{type: array}, {type: object}]}',
    '    Deep: {type: object, required: [x], properties: {x: {type: object, required: [y], properties: {y: {type: integer, minimum: 3, maximum: 2}}}}}',
    '    Optional: {type: object, properties: {x: {$ref: "#/components/schemas/Never"}, next: {$ref: "#/components/schemas/Optional"}}}',
    '',
  ].join('\n');
  const { code, output } = await check(`${HEAD}${text}`);
  expect(output.split('\n')).toEqual([
    'Pets 2: 5 operations, 2 errors, 0 warnings',
    expect.stringMatching(/^error {4}SCHEMA_CONTRADICTORY {2}api.yaml:11:.*no value can fit: .*must be an array/),
    expect.stringMatching(/^error {4}SCHEMA_CONTRADICTORY {2}api.yaml:12:.*no value can fit: .*"x.y" must be at/),
    '',
  ]);
  expect(code).toBe(1);
});

test('only the problems of an operation, and of the schemas that it refers to, are printed where a filter names it', async () => {
  const folder = createFolder({
    'api.yaml': `${HEAD}paths:
  /a: {get: {operationId: readA, responses: {200: {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}}}}}
  /b: {get: {operationId: readB}}
  /c: {post: {responses: {201: {description: ok}}}}
components: {schemas: {A: {type: object, properties: {b: {$ref: '#/components/schemas/B'}}}, B: {type: foo}, C: {type: bar}}}
`,
  });
  const list = async (operation: string): Promise<readonly string[]> => {
    const lines: string[] = [];
    await runCheck({ spec: `${folder}/api.yaml`, operation, write: (line) => lines.push(line) });
    return lines.map((line) => line.replace(/ {2}.*#/, ' #').replace(/\).*/, ')'));
  };
  expect(await list('readA')).toEqual([
    'Pets 2: 3 operations, 0 errors, 1 warning',
    'warning #/components/schemas/B/type)',
  ]);
  expect(await list('GET /b')).toEqual(['Pets 2: 3 operations, 0 errors, 1 warning', 'warning #/paths/~1b/get)']);
  await expect(list('readC')).rejects.toThrow('no operation of the document matches the filters');
  await expect(list('raedA')).rejects.toThrow('did you mean "readA"?');
});
