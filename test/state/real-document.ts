import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, it } from 'vitest';
import { loadContract } from '../../src/contract/load/load.js';
import type { Contract } from '../../src/contract/contract.js';
import { memoize } from '../../src/base/memoize.js';
import { inferResources } from '../../src/resources/infer/infer.js';
import type { Resources } from '../../src/resources/item/resource.js';

const FOLDER = resolve(import.meta.dirname, '../../../shared/specs');

/** Where a real document stands; undefined where it does not. */
export function findDocument(file: string): string | undefined {
  const spec = resolve(FOLDER, file);
  return existsSync(spec) ? spec : undefined;
}

/** Describes a suite over a real document, which stands beside the repository; where it does not, one skipped test says so. */
export function describeDocument(file: string, define: (spec: string) => void): void {
  const spec = resolve(FOLDER, file);
  if (existsSync(spec)) describe(file, () => define(spec));
  else describe(file, () => it.skip(`needs ${spec}, which is not there`, () => undefined));
}

/** The contract of a real document, loaded once for all tests of a worker. */
export const loadDocument = (spec: string): Promise<Contract> => load(resolve(spec));

const load = memoize((spec: string) => loadContract(spec));

/** What is inferred from a real document, once for all tests of a worker. */
export const inferDocument: (spec: string) => Promise<Resources> = memoize(async (spec) =>
  inferResources(await loadDocument(spec)),
);
