import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { MockError } from '../../src/errors.js';
import { loadContract } from '../../src/contract/load/load.js';
import { applyOverlay } from '../../src/contract/load/overlay.js';
import { createFolder, listProblems } from './loading.js';

const PETS = `
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
servers: [{url: 'https://e.x', description: Prod}, {url: 'http://localhost', description: Dev}]
tags: [{name: pets}]
paths:
  /: {get: {responses: {200: {description: ok}}}}
  /pets:
    get:
      summary: Old
      x-traits: {paged: true}
      parameters: [{name: filter, in: query}, {name: dummy, in: query}, {name: last, in: query}]
      responses: {200: {description: ok}, 500: {description: bad}, default: {description: other}}
components: {schemas: {Pet: {properties: {name: {type: string, example: Rex}, age: {type: integer}}}}}
`;

/**
 * The examples of the Overlay Specification 1.0.0 (section "Examples") and of its compliant sets, told over one small document:
 * [name, actions, JSON pointer-like path of what is looked at, wanted].
 */
const CASES: readonly (readonly [string, string, readonly string[], unknown])[] = [
  [
    'structured overlay: the root is merged, empty members change nothing',
    `[{target: '$', update: {info: {x-applied: yes}, paths: {/: {summary: Root, get: {x-rate-limit: 100}}}, components: , tags: }}]`,
    ['paths', '/'],
    { summary: 'Root', get: { responses: { 200: { description: 'ok' } }, 'x-rate-limit': 100 } },
  ],
  [
    'structured overlay: what is mirrored as empty stays',
    `[{target: '$', update: {components: , tags: }}]`,
    ['tags'],
    [{ name: 'pets' }],
  ],
  [
    'update the root',
    `[{target: '$', update: {info: {x-overlaid: true}}}]`,
    ['info'],
    { title: 'Pets', version: '1.0.0', 'x-overlaid': true },
  ],
  [
    'targeted overlay: a later action sees an earlier one',
    `[{target: "$.paths['/'].get", update: {description: First}}, {target: "$.paths['/']", update: {post: {x-safe: false}}}, {target: "$.paths['/'].post", update: {x-more: 1}}]`,
    ['paths', '/'],
    {
      get: { responses: { 200: { description: 'ok' } }, description: 'First' },
      post: { 'x-safe': false, 'x-more': 1 },
    },
  ],
  [
    'wildcard overlay: every selected node is updated',
    `[{target: '$.paths.*.get', update: {x-safe: true}}]`,
    ['paths', '/', 'get', 'x-safe'],
    true,
  ],
  [
    'wildcard overlay with a filter',
    `[{target: "$.paths.*.get.parameters[?@.name=='filter' && @.in=='query']", update: {schema: {$ref: '#/components/schemas/F'}}}]`,
    ['paths', '/pets', 'get', 'parameters', '0'],
    { name: 'filter', in: 'query', schema: { $ref: '#/components/schemas/F' } },
  ],
  [
    'add an array element',
    `[{target: $.paths.*.get.parameters, update: {name: newParam, in: query}}]`,
    ['paths', '/pets', 'get', 'parameters', '3'],
    { name: 'newParam', in: 'query' },
  ],
  [
    'remove an array element',
    `[{target: "$.paths.*.get.parameters[?@.name == 'dummy']", remove: true}]`,
    ['paths', '/pets', 'get', 'parameters'],
    [
      { name: 'filter', in: 'query' },
      { name: 'last', in: 'query' },
    ],
  ],
  [
    'remove several array elements at once',
    `[{target: "$.paths.*.get.parameters[?@.name != 'dummy']", remove: true}]`,
    ['paths', '/pets', 'get', 'parameters'],
    [{ name: 'dummy', in: 'query' }],
  ],
  [
    'an element that is selected twice is removed once',
    `[{target: '$.paths.*.get.parameters[0, 0]', remove: true}]`,
    ['paths', '/pets', 'get', 'parameters', '0'],
    { name: 'dummy', in: 'query' },
  ],
  [
    'traits',
    `[{target: '$.paths.*[?@.x-traits.paged]', update: {parameters: [{name: top, in: query}]}}]`,
    ['paths', '/pets', 'get', 'parameters', '3'],
    { name: 'top', in: 'query' },
  ],
  ['add a license', `[{target: $.info, update: {license: {name: MIT}}}]`, ['info', 'license'], { name: 'MIT' }],
  [
    'description and summary',
    `[{target: "$.paths['/pets'].get", update: {description: D, summary: S}}]`,
    ['paths', '/pets', 'get', 'summary'],
    'S',
  ],
  [
    'remove matching responses',
    `[{target: "$.paths..responses['500']", remove: true}, {target: "$.paths..responses['default']", remove: true}]`,
    ['paths', '/pets', 'get', 'responses'],
    { 200: { description: 'ok' } },
  ],
  [
    'remove an example',
    `[{target: "$.components.schemas.Pet.properties['name'].example", remove: true}]`,
    ['components', 'schemas', 'Pet', 'properties', 'name'],
    { type: 'string' },
  ],
  [
    'remove every text property',
    `[{target: "$.components..properties[?(@.type == 'string')]", remove: true}]`,
    ['components', 'schemas', 'Pet', 'properties'],
    { age: { type: 'integer' } },
  ],
  [
    'remove a server',
    `[{target: "$.servers[?( @.description == 'Dev' )]", remove: true}]`,
    ['servers'],
    [{ url: 'https://e.x', description: 'Prod' }],
  ],
  [
    'replace the servers',
    `[{target: $.servers, remove: true}, {target: $, update: {servers: [{url: 'http://sandbox'}]}}]`,
    ['servers'],
    [{ url: 'http://sandbox' }],
  ],
  [
    'many operations: lists of the update are appended',
    `[{target: $.paths.*.get, update: {tags: [one]}}, {target: "$.paths['/pets'].get", update: {tags: [two]}}]`,
    ['paths', '/pets', 'get', 'tags'],
    ['one', 'two'],
  ],
  ['remove wins over update', `[{target: $.tags, update: {a: 1}, remove: true}]`, ['tags'], undefined],
  ['copy of 1.1', `[{target: "$.paths['/']", copy: "$.paths['/pets']"}]`, ['paths', '/', 'get', 'summary'], 'Old'],
  [
    'a copy stays as it is when its original changes',
    `[{target: "$.paths['/pets'].get", update: {x-a: 1}}, {target: "$.paths['/']", copy: "$.paths['/pets']"},
      {target: "$.paths['/pets'].get", update: {summary: New}}]`,
    ['paths', '/', 'get', 'summary'],
    'Old',
  ],
];

describe('an overlay changes the document', () => {
  test.each(CASES)('%s', async (_name, actions, path, want) => {
    const document = load(PETS);
    const before = JSON.stringify(document);
    const text = `overlay: 1.0.0\ninfo: {title: O, version: 1.0.0}\nactions: ${actions}`;
    const { document: overlaid, findings } = await applyOverlay(document, { text, file: 'o.yaml' });
    const found = path.reduce<unknown>((node, step) => (node as Readonly<Record<string, unknown>>)[step], overlaid);
    expect(found).toEqual(want);
    expect(findings).toEqual([]);
    expect(JSON.stringify(document)).toBe(before);
  });
});

test('an action that selects nothing is a problem, and the others count', async () => {
  const folder = await createFolder({
    'api.yaml': PETS,
    'one.yaml': "overlay: 1.0.0\ninfo: {title: O, version: '1'}\nactions: [{target: $.gone, update: {a: 1}}]",
    'two.yaml': "overlay: 1.0.0\ninfo: {title: O, version: '1'}\nactions: [{target: $.info, update: {title: Two}}]",
  });
  const contract = await loadContract('api.yaml', {
    cwd: folder,
    cacheFolder: false,
    overlays: ['one.yaml', 'two.yaml'],
  });
  expect(contract.title).toBe('Two');
  expect(listProblems(contract).filter((problem) => problem.startsWith('OVERLAY'))).toEqual(['OVERLAY_NO_MATCH ']);
  const plain = await loadContract('api.yaml', { cwd: folder, cacheFolder: false });
  expect(plain.hash).not.toBe(contract.hash);
});

/** [name, text of the overlay, wanted message, wanted line]. */
const BAD: readonly (readonly [string, string, RegExp, number | undefined])[] = [
  ['no YAML', 'overlay: [', /cannot be parsed|neither valid/u, undefined],
  ['no overlay', 'openapi: 3.1.0', /no "overlay"/u, 1],
  ['a version of the future', 'overlay: 2.0.0\nactions: []', /version "2.0.0"/u, 1],
  ['no actions', 'overlay: 1.0.0\ninfo: {}', /"actions" must be an array/u, 1],
  ['an empty list of actions', 'overlay: 1.0.0\nactions: []', /"actions" must be an array/u, 2],
  ['no target', 'overlay: 1.0.0\nactions:\n  - update: {}', /needs a "target"/u, 3],
  ['nothing to do', 'overlay: 1.0.0\nactions:\n  - target: $', /needs "update" or "remove: true"/u, 3],
  [
    'remove that is a text',
    'overlay: 1.0.0\nactions:\n  - target: $\n    remove: "yes"',
    /"remove" must be a boolean, got "yes"/u,
    4,
  ],
  [
    'a target that is not a JSONPath',
    'overlay: 1.0.0\nactions:\n  - target: paths.get\n    remove: true',
    /not a valid JSONPath/u,
    3,
  ],
];

test.each(BAD)('a bad overlay is one clear error: %s', async (_name, text, message, line) => {
  const error: unknown = await applyOverlay({}, { text, file: 'o.yaml' }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(MockError);
  expect(error).toMatchObject({
    code: 'OVERLAY_INVALID',
    message: expect.stringMatching(message) as string,
    at: { file: 'o.yaml' },
  });
  if (line !== undefined) expect(error).toMatchObject({ at: { line } });
});

test('an overlay that is not there is named', async () => {
  const folder = await createFolder({ 'api.yaml': PETS });
  const loading = loadContract('api.yaml', { cwd: folder, cacheFolder: false, overlays: ['gone.yaml'] });
  await expect(loading).rejects.toMatchObject({ code: 'OVERLAY_INVALID', at: { file: 'gone.yaml' } });
});
