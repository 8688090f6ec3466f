/* oxlint-disable unicorn/no-thenable -- `then` is a key of a rule */
import { describe, it } from 'vitest';
import type { ScenarioDefinition } from '../../src/index.js';

const take = (definition: ScenarioDefinition): ScenarioDefinition => definition;

describe('the types of a scenario', () => {
  it('take every member', () => {
    take({
      description: 'Everything.',
      extends: 'other',
      state: {
        books: { clear: true, generate: 2, add: [{ title: 'A' }], update: { b1: { pages: 3 } }, remove: ['b2'] },
      },
      vars: { seen: 0 },
      operations: {
        '*': { delay: { lognormal: { median: 1, p99: '2s' } } },
        listBooks: [
          {
            when: { query: { limit: 2 }, call: '2..3', state: { books: { count: 2 } } },
            respond: { example: 'empty' },
          },
          { sequence: [{ status: 429 }, { fault: 'reset' }, 'engine'], onEnd: 'cycle' },
          { fault: { 'rate-limit': { limit: 1, window: '1s', per: 'operation', headers: false } } },
          { fault: { truncate: { at: '50%' } }, then: { vars: { seen: 1 } } },
          { patch: { headers: { 'x-page': null }, body: { has_more: true } } },
        ],
      },
    });
  });

  it('refuse misspelled names', () => {
    // @ts-expect-error -- not a fault
    take({ operations: { listBooks: { fault: 'rest' } } });
    // @ts-expect-error -- not a setting of the fault
    take({ operations: { listBooks: { fault: { truncate: { att: 0.5 } } } } });
    // @ts-expect-error -- not an action
    take({ operations: { listBooks: { fault: { stream: { action: 'explode' } } } } });
    // @ts-expect-error -- a rate limit needs a limit
    take({ operations: { listBooks: { fault: 'rate-limit' } } });
    // @ts-expect-error -- not an end of a sequence
    take({ operations: { listBooks: { sequence: ['engine'], onEnd: 'loop' } } });
    // @ts-expect-error -- not a step
    take({ operations: { listBooks: { sequence: ['engin'] } } });
    // @ts-expect-error -- not a distribution
    take({ operations: { listBooks: { delay: { poisson: 3 } } } });
    // @ts-expect-error -- not a member of a rule
    take({ operations: { listBooks: { respnd: { status: 200 } } } });
    // @ts-expect-error -- not a member of a scenario
    take({ operation: {} });
  });
});
