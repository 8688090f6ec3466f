// @module-tag thorough
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { MockOptions } from '../src/index.js';
import { readCases } from './documents/read-cases.js';
import { sweep } from './sweep/sweep.js';
import { createFolder, createSharedFolder } from './folders.js';

const SPECS = '../shared/specs';

/** The options of a sweep, and the requests that are expected to be accepted, each with its reason below. */
interface Sweep {
  readonly spec: string;
  readonly options?: Partial<MockOptions>;
  readonly elsewhere?: readonly string[];
}

/** Box distinguishes these from the plain operation only by `fields`: without it they are valid requests of the plain operation. */
const BY_QUERY = [
  'get_files_id',
  'put_files_id',
  'get_folders_id',
  'put_folders_id',
  'get_web_links_id',
  'put_web_links_id',
];

const DOCUMENTS: readonly (readonly [string, Sweep])[] = [
  // Without fixtures, items of unknown ids are created on demand.
  ['the built-in contract', { spec: 'spec/openapi.yaml', options: { state: { unknownIds: 'create' } } }],
  ['Petstore 2.0', { spec: `${SPECS}/petstore-2.0.yaml` }],
  ['Petstore 3.0', { spec: `${SPECS}/petstore-3.0.yaml` }],
  ['Petstore 3.1', { spec: `${SPECS}/petstore-3.1.json` }],
  ['Train Travel 3.1', { spec: `${SPECS}/train-travel-3.1.json` }],
  ['Box', { spec: `${SPECS}/box.json`, elsewhere: BY_QUERY }],
  ['OpenAI', { spec: `${SPECS}/openai.yaml` }],
  ['Stripe', { spec: `${SPECS}/stripe.yaml` }],
  ['GitHub', { spec: `${SPECS}/github.json` }],
];

describe.each(DOCUMENTS)('every operation of %s', (_, { spec, options = {}, elsewhere = [] }) => {
  const absent = existsSync(spec) ? '' : ` (skipped: ${spec} is not here)`;
  it.skipIf(absent !== '')(
    `answers a valid request by its schema and refuses a broken one${absent}`,
    { timeout: 300_000 },
    async () => {
      const report = await sweep(spec, options);
      expect(report).toEqual({
        operations: expect.any(Number),
        wrongAnswers: [],
        brokenRequests: expect.any(Number),
        accepted: [],
        elsewhere: expect.any(Array),
        failures: [],
      });
      expect(report.operations).toBeGreaterThan(0);
      expect([...new Set(report.elsewhere.map((label) => label.split('#')[0]))]).toEqual(elsewhere);
    },
  );
});

describe('the small documents', () => {
  const folder = createSharedFolder();
  const here = new URL('documents/', import.meta.url);
  // No answer can fit the schemas of `contradictions.md`, the items of `error-templates.md` are not found, and the sweep writes no XML.
  const others = new Set(['README.md', 'contradictions.md', 'error-templates.md', 'xml.md']);
  const pages = readdirSync(here).filter((name) => name.endsWith('.md') && !others.has(name));
  it.each(pages)('of %s answer valid requests by their schemas and refuse broken ones', async (page) => {
    const [first] = readCases(new URL(page, here));
    const text = first?.files['openapi.yaml'] ?? '';
    const spec = join(folder, `${page}.yaml`);
    writeFileSync(spec, /^(openapi|swagger):/m.test(text) ? text : `openapi: 3.1.0\n${text}`);
    const { wrongAnswers, accepted, failures } = await sweep(spec);
    expect({ wrongAnswers, accepted, failures }).toEqual({ wrongAnswers: [], accepted: [], failures: [] });
  });
});

it('the sweep itself finds an answer that breaks its schema and one that there is not, and nothing else', async () => {
  const spec = join(createFolder(), 'openapi.yaml');
  writeFileSync(
    spec,
    [
      'openapi: 3.1.0',
      'info: {title: Wrong, version: "1"}',
      'paths:',
      '  /right: {get: {responses: {200: {description: "", content: {application/json: {schema: {type: integer}}}}}}}',
      '  /wrong: {get: {responses: {200: {description: "", content: {application/json: {schema: {type: integer}, example: one}}}}}}',
      '  /contradiction: {get: {responses: {200: {description: "", content: {application/json: {schema: {type: integer, minimum: 3, maximum: 2}}}}}}}',
    ].join('\n'),
  );
  const { wrongAnswers } = await sweep(spec, { responses: { examples: 'verbatim' } });
  expect(wrongAnswers).toEqual([
    expect.stringMatching(/^GET \/wrong: .*breaks.*type/),
    expect.stringMatching(/^GET \/contradiction: .*breaks.*maximum/),
  ]);
});
