import { expect, it } from 'vitest';
import { sweepLifecycles } from '../sweep/lifecycle.js';
import { describeDocument } from './real-document.js';

/**
 * How many resources live a whole life, where unknown ids are created and where they are not found. Raise, never lower.
 *
 * Where unknown ids are not found, creates that refer to other items are refused unless the sweep has created those: it does so for
 * properties at the root of a body only, and for parents below the same path prefix.
 */
const WHOLE: Readonly<Record<string, readonly [created: number, notFound: number]>> = {
  'openai.yaml': [40, 31],
  'stripe.yaml': [68, 65],
  'box.json': [30, 22],
  'github.json': [78, 69],
};

for (const [file, [created, notFound]] of Object.entries(WHOLE)) {
  describeDocument(file, (spec) => {
    it.each([
      ['created', created, {}],
      ['not found', notFound, { state: { unknownIds: 'not-found' } }],
    ] as const)('items live whole lives where unknown ids are %s', { timeout: 120_000 }, async (_, least, options) => {
      const reports = await sweepLifecycles(spec, options);
      const failures = reports.flatMap(({ resource, failure }) =>
        failure === undefined ? [] : `${resource}: ${failure}`,
      );
      expect(reports.length - failures.length, failures.join('\n')).toBeGreaterThanOrEqual(least);
    });
  });
}
