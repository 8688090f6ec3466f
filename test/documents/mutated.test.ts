// @module-tag thorough
import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import type { Operation } from '../../src/contract/operations/operation.js';
import { createGenerator } from '../../src/generate/generate.js';
import { createValidators } from '../../src/schema/validate.js';
import { createMock, MockError, type Mock, type MockOptions } from '../../src/index.js';
import { draftRequest, toRequest } from '../../src/features/inspector/sample-request.js';
import { listSmallDocuments } from '../fuzz/documents.js';
import { MUTATIONS, mutate } from './mutate.js';

const TRAIN = '../shared/specs/train-travel-3.1.json';

/** Documents of every kind: those of the pages, the built-in one, and a real one where it is at hand. */
const DOCUMENTS: readonly unknown[] = [
  ...listSmallDocuments(),
  ...Array.from({ length: 20 }, () => load(readFileSync('spec/openapi.yaml', 'utf8'))),
  ...(existsSync(TRAIN) ? Array.from({ length: 20 }, () => load(readFileSync(TRAIN, 'utf8'))) : []),
];

/** Far beyond what any of them takes; it is there to tell slow from endless. */
const LIMIT_MS = 5000;
const ASKED = 6;

test(
  'a mutated document starts with its problems, or says what is wrong, and answers',
  { timeout: 120_000 },
  async () => {
    const seed = Number(process.env['VOUCH_FUZZ_SEED'] ?? 20_260_101);
    const numRuns = Number(process.env['VOUCH_FUZZ_RUNS'] ?? 300);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...DOCUMENTS), MUTATIONS, async (document, mutations) => {
        const mutated = mutate(document, mutations);
        expect(await within(tryDocument(mutated))).toEqual([]);
      }),
      { seed, numRuns, endOnFailure: true },
    );
  },
);

/** What a mock of the document does that no document may make it do. */
async function tryDocument(document: unknown): Promise<readonly string[]> {
  let mock: Mock;
  try {
    // Anybody may hand over anything.
    mock = await createMock({ spec: document as MockOptions['spec'] });
  } catch (error) {
    if (error instanceof MockError && !/\n\s+at /.test(error.toString())) return [];
    return [`the start threw ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`];
  }
  const mistakes = mock.contract.problems.filter(({ message, at }) => message === '' || at === undefined);
  const found = mistakes.map(({ code }) => `${code} says nothing`);
  const generator = createGenerator(mock.contract, createValidators(mock.contract));
  for (const operation of mock.contract.operations.slice(0, ASKED)) {
    for (const request of listRequests(operation, () => toRequest(draftRequest(mock.contract, generator, operation))))
      found.push(...(await ask(mock, request)));
  }
  await mock.close();
  return found;
}

/** A request by rule of thumb, and the one that the document asks for; none where the platform cannot write it. */
function listRequests({ method, path }: Operation, draft: () => Request): readonly Request[] {
  const body = /^(GET|HEAD)$/.test(method) ? {} : { body: '{"id": 1, "name": "x", "__proto__": {"constructor": 1}}' };
  const headers = { authorization: 'Bearer t', 'content-type': 'application/json' };
  const target = encodeURI(`/${path.replaceAll(/\{[^}]*\}/g, '1')}`.replace('//', '/'));
  const plain = (): Request => new Request(`http://mutated.test${target}`, { method, headers, ...body });
  return [plain, draft].flatMap((make) => {
    try {
      return [make()];
    } catch (error) {
      // The platform refuses some methods, headers and paths; anything else is ours.
      if (error instanceof TypeError && /URL|method|Headers|Header|header|fetch/.test(error.message)) return [];
      throw error;
    }
  });
}

async function ask(mock: Mock, request: Request): Promise<readonly string[]> {
  const { method, url: path } = request;
  const response = await mock.fetch(request);
  // A stream that has begun can only break off; it says why to whoever listens in-process.
  const text = await response.text().catch((error: unknown) => String(error));
  if (/^\w*Error/.test(text) && !text.includes('breaks the contract')) return [`${method} ${path}: ${text}`];
  const failed = mock.journal.last()?.violations.find(({ code }) => code === 'MOCK_FAILED');
  if (failed !== undefined) return [`${method} ${path}: ${failed.message}`];
  // A 500 that names what is wrong is an answer: a schema that contradicts itself has no value.
  return response.status < 500 || text !== '' ? [] : [`${method} ${path}: ${response.status} without a word`];
}

function within(found: Promise<readonly string[]>): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve([`nothing came within ${LIMIT_MS} ms`]), LIMIT_MS);
    const end = (mistakes: readonly string[]): void => {
      clearTimeout(timer);
      resolve(mistakes);
    };
    found.then(end, (error: unknown) => end([String(error)]));
  });
}
