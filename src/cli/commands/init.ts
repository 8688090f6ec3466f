import type { Command } from 'commander';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { URL, URLSearchParams } from 'node:url';
import type { Contract } from '../../contract/contract.js';
import { fetchText } from '../../contract/load/remote.js';
import type { Operation } from '../../contract/operations/operation.js';
import { MockError, toReason } from '../../base/errors.js';
import { readCredentials } from '../../features/inspector/sample-request.js';
import type { MockOptions } from '../../mock/options.js';
import { hideUrlSecrets } from '../../conventions/secret-forms.js';
import { addDocument, type DocumentFlags, loadDocument } from '../document.js';
import { type Output, writeOutputFile } from '../output.js';
import { runFixturesInit } from './fixtures.js';

interface InitFlags extends DocumentFlags, Pick<Output, 'write'> {
  readonly into: string;
  readonly force?: boolean;
}

/** Defines `vouch init`. */
export function defineCommand(command: Command, output: Output): void {
  addDocument(command, output, runInit)
    .description('set up a folder for a mock: document, configuration, fixtures, a scenario, a compose file and a test')
    .option('--into <folder>', 'folder to write to', '.')
    .option('--force', 'overwrite existing files');
}

/** Writes the files. @throws MockError `FILE_EXISTS` before anything is written. */
async function runInit(flags: InitFlags): Promise<number> {
  const { spec, into, force = false, write } = flags;
  const contract = await loadDocument(flags);
  const { path, text } = await readDocument(spec, into);
  const fixtures = join(into, 'fixtures');
  const hasFixtures = (): boolean => existsSync(fixtures) && readdirSync(fixtures).length > 0;
  const names = [...(text === undefined ? [] : [path]), ...FILES];
  const existing = [...names.filter((name) => existsSync(join(into, name))), ...(hasFixtures() ? ['fixtures'] : [])];
  if (existing.length > 0 && !force) {
    const hint = 'add --force to overwrite, or name another folder with --into';
    throw new MockError('FILE_EXISTS', `these files exist: ${existing.join(', ')}; no file was written`, { hint });
  }
  const writeFile = (name: string, content: string): void => {
    writeOutputFile(join(into, name), content);
    write(`wrote ${join(into, name)}`);
  };
  if (text !== undefined) writeFile(path, text);
  await runFixturesInit({ ...flags, spec: join(into, path), into: fixtures });
  const [config, scenario, compose, test] = FILES;
  const options = readMockOptions(path, hasFixtures(), flags);
  writeFile(config, writeConfig(options));
  writeFile(scenario, SCENARIO);
  writeFile(compose, COMPOSE);
  writeFile(test, writeTest(contract, options));
  const enter = relative('', into) === '' ? '' : `cd ${into} && `;
  write(`\nto start the mock: ${enter}npx vouch serve`);
  write(`to run the test:   ${enter}npm install --save-dev vouch && node --test`);
  return 0;
}

/** The files besides the document and the fixtures. */
const FILES = ['vouch.config.yaml', 'scenarios/slow.yaml', 'compose.yaml', 'test/mock.test.mjs'] as const;

/** Where the document is below the folder, and its text if it has to be copied there. */
async function readDocument(spec: string, into: string): Promise<{ readonly path: string; readonly text?: string }> {
  const isRemote = /^https?:/.test(spec);
  const path = relative(resolve(into), resolve(spec));
  if (!isRemote && !path.startsWith('..')) return { path };
  let text: string;
  try {
    text = isRemote ? await fetchText(new URL(spec), new URL(spec).host) : readFileSync(spec, 'utf8');
  } catch (cause) {
    const reason = `the document cannot be copied: ${toReason(cause)}`;
    throw new MockError('SPEC_UNREADABLE', reason, { at: { file: hideUrlSecrets(spec) }, cause });
  }
  if (/\$ref["']?\s*:\s*["']?[^\s"'#]/.test(text)) {
    const at = { file: hideUrlSecrets(spec) };
    const hint = `copy all of its files into ${into}, and run vouch init with the path there`;
    throw new MockError('OPTION_INVALID', 'the document refers to other files, which are not copied', { at, hint });
  }
  return { path: `spec/openapi${text.trimStart().startsWith('{') ? '.json' : '.yaml'}`, text };
}

type InitOptions = Pick<MockOptions, 'spec' | 'overlays' | 'preset' | 'fixtures'>;

/** The options of the mock, with paths from the folder. */
function readMockOptions(spec: string, hasFixtures: boolean, { into, overlay = [], preset }: InitFlags): InitOptions {
  const overlays = overlay.map((file) => relative(resolve(into), resolve(file)));
  return {
    spec,
    ...(overlays.length > 0 && { overlays }),
    ...(typeof preset === 'string' || preset === false ? { preset } : {}),
    ...(hasFixtures && { fixtures: 'fixtures' }),
  };
}

function writeConfig(options: InitOptions): string {
  const lines = Object.entries({ ...options, scenarios: 'scenarios' });
  return [
    '# The settings of `vouch serve`; `npx vouch config` prints all of them. Flags and environment variables win.\n',
    ...lines.map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`),
  ].join('');
}

const SCENARIO = `description: Every answer is delayed by half a second. To use it, run npx vouch serve --scenario slow
operations:
  "*":
    - delay: 500
`;

/** As compose.yaml of the repository, which builds the image. */
const COMPOSE = `# A mock for front-end development: \`docker compose up\` serves it at http://127.0.0.1:4010 and prints a link to its inspector.
# Changes of the document, fixtures, scenarios and vouch.config.yaml are reloaded while it runs.
services:
  vouch:
    # Build it once, in a clone of the repository of vouch: docker build -t vouch .
    image: vouch
    init: true
    ports:
      # On this machine only.
      - '127.0.0.1:4010:4010'
    volumes:
      - ./:/api:ro
    environment:
      # Use the current time. By default the clock is fixed, so that responses are reproducible.
      VOUCH_CLOCK: real
      # Passed on if it is set. Otherwise each start makes a token and prints it in the link to the inspector.
      VOUCH_CONTROL_TOKEN:
    read_only: true
    cap_drop: [ALL]
    security_opt: ['no-new-privileges:true']
    restart: unless-stopped
  # Your application, started when the mock is healthy:
  # web:
  #   build: ../web
  #   environment:
  #     API_BASE_URL: http://vouch:4010
  #   depends_on:
  #     vouch:
  #       condition: service_healthy
`;

/** A first test: an operation that needs no input gets an answer that the document declares as a success. */
function writeTest(contract: Contract, given: InitOptions): string {
  const members = Object.entries(given).map(([name, value]) => {
    return `${name}: ${typeof value === 'string' ? quote(value) : JSON.stringify(value)}`;
  });
  const operation = contract.operations.find(needsNoInput);
  const start = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useMock } from ${quote('vouch/node-test')};

const mock = useMock({ ${members.join(', ')} });
`;
  if (operation === undefined) {
    return `${start}
test('the document has operations', () => {
  assert.equal(mock.shared.contract.operations.length, ${contract.operations.length});
});
`;
  }
  const { id, path } = operation;
  // The mock accepts any.
  const { query, headers } = readCredentials(contract, operation);
  const search = Object.keys(query).length === 0 ? '' : `?${new URLSearchParams(query).toString()}`;
  return `${start}
test(${quote(`${id} is answered`)}, async () => {
  // Replace this call with one of your client, which takes the base URL and, if it can, mock.fetch.
  const response = await mock.fetch(mock.baseUrl + ${quote(path + search)}, { headers: ${JSON.stringify(headers)} });
  assert.equal(response.ok, true, await response.text());
  mock.received(${quote(id)}, { times: 1 });
});
`;
}

function quote(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
}

function needsNoInput({ method, path, parameters, body }: Operation): boolean {
  const isFree = body === undefined && parameters.every(({ required }) => !required);
  return method === 'GET' && isFree && !/[{?]/.test(path);
}
