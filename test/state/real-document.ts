import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, it } from 'vitest';

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
