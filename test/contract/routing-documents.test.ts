// @module-tag thorough
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadContract } from '../../src/contract/load/load.js';
import { createRouter } from '../../src/contract/router/router.js';

const SPECS = join(import.meta.dirname, '../../../shared/specs');
const documents = existsSync(SPECS) ? readdirSync(SPECS) : [];

describe.skipIf(documents.length === 0)(
  'every operation of the documents in ../shared/specs (skipped where they are absent)',
  () => {
    test.each(documents)('%s matches its own path under each base path', async (name) => {
      const contract = await loadContract(join(SPECS, name));
      const router = createRouter(contract.operations);
      const wrong = contract.operations.flatMap((operation) =>
        operation.basePaths.flatMap((base) => {
          const [path = '', query = ''] = operation.path
            .replaceAll(/\{[^}]*\}/gu, 'value')
            .replace('#', '%23')
            .split('?');
          const match = router.match(operation.method, new URL(`http://host${base}${path}`).pathname, query);
          return match.kind === 'operation' && match.operation === operation
            ? []
            : [`${operation.method} ${base}${path}`];
        }),
      );
      expect(contract.operations.length).toBeGreaterThan(0);
      expect(wrong).toEqual([]);
    });
  },
);
