import { writeFileSync } from 'node:fs';
import { it } from 'vitest';
import { sweepLifecycles } from '../sweep/lifecycle.js';
it.each(['openai.yaml', 'stripe.yaml', 'box.json', 'github.json', 'petstore-3.0.yaml', 'train-travel-3.1.json'])(
  '%s',
  { timeout: 500_000 },
  async (file) => {
    for (const [name, options] of [
      ['created', {}],
      ['closed', { state: { unknownIds: 'not-found' as const } }],
    ] as const) {
      const reports = await sweepLifecycles(`/work/shared/specs/${file}`, options);
      writeFileSync(
        `${process.env['DUMP']}/${file}.${name}.json`,
        JSON.stringify(
          reports.map(({ resource, steps, failure }) => [resource, steps, failure]),
          null,
          1,
        ),
      );
    }
  },
);
