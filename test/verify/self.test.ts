// @module-tag thorough
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMock, loadContract } from '../../src/index.js';
import { verifyAt } from './verify-in-test.js';

const SHARED = resolve('../shared/specs');
const OWN = ['spec/openapi.yaml', 'test/recording/contracts/json-server.yaml'].filter((path) => existsSync(path));
const documents = [
  ...OWN,
  ...(existsSync(SHARED)
    ? readdirSync(SHARED)
        .filter((name) => /\.(json|ya?ml)$/.test(name))
        .map((name) => join(SHARED, name))
    : []),
];

describe('a mock', () => {
  it.each(documents)('keeps its own document: %s', { timeout: 180_000 }, async (spec) => {
    const contract = await loadContract(spec);
    const mock = await createMock({ spec: contract });
    onTestFinished(mock.close);
    const { url } = await mock.listen();
    const { findings, requests } = await verifyAt(url, contract, {
      timeoutMs: 10_000,
      budgetMs: 10_000,
      includes: ({ method }) => method !== 'TRACE',
    });
    expect(requests).toBeGreaterThan(0);
    expect(
      findings.map(
        ({ code, operations, case: name, message }) => `${code} ${operations[0] ?? ''} (${name}): ${message}`,
      ),
    ).toEqual([]);
  });
});
