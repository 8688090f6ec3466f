// @module-tag thorough
import { expect, it } from 'vitest';
import { sweepLifecycles } from '../sweep/lifecycle.js';
import { describeDocument } from './real-document.js';

/**
 * How many creates of a document begin a whole life, where unknown ids are created and where they are not found. Raise, never lower.
 *
 * Where they are not found, the sweep creates what paths and bodies refer to.
 */
const WHOLE: Readonly<Record<string, readonly [created: number, notFound: number]>> = {
  'openai.yaml': [39, 39],
  'stripe.yaml': [67, 67],
  'box.json': [31, 32],
  'github.json': [77, 77],
  'petstore-3.0.yaml': [3, 3],
  'train-travel-3.1.json': [1, 1],
};

for (const [file, [created, notFound]] of Object.entries(WHOLE)) {
  describeDocument(file, (spec) => {
    it.each([
      ['created', created, {}],
      ['not found', notFound, { state: { unknownIds: 'not-found' } }],
    ] as const)(
      'items do what `vouch resources` reports where unknown ids are %s',
      { timeout: 120_000 },
      async (_, least, options) => {
        const reports = await sweepLifecycles(spec, options);
        const failures = reports.flatMap(({ resource, failure }) =>
          failure === undefined ? [] : `${resource}: ${failure}`,
        );
        expect(reports.length - failures.length, failures.join('\n')).toBeGreaterThanOrEqual(least);
      },
    );
  });
}
