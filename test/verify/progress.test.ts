import { expect, it } from 'vitest';
import { createProgress } from '../../src/cli/commands/compare/progress.js';
import type { VerifyEvent } from '../../src/tools/verify/events.js';

const LINE = { operation: 'getStatus', case: 'minimal', method: 'GET', target: '/status?verbose=true' };
const FOUND = {
  ...LINE,
  type: 'finding',
  code: 'BODY_WRONG',
  verdict: 'service',
  message: 'answer property "load" must be a number',
  pointer: '',
  request: { method: 'GET', target: '/status', headers: {}, body: undefined },
  status: 200,
  answer: '',
} as const;

function showAfter(events: readonly VerifyEvent[], columns = 120): string {
  const progress = createProgress();
  for (const event of events) progress.add(event);
  return progress.line(columns);
}

const START: VerifyEvent = {
  type: 'start',
  title: 'Library',
  version: '1',
  baseUrl: 'http://library',
  operations: 3,
  allowUnsafe: false,
};

it.each<readonly [what: string, events: readonly VerifyEvent[], line: string]>([
  [
    'the collection whose items are walked',
    [START, { type: 'collection', collection: 'books' }, { type: 'request', ...LINE, target: '/books' }],
    '0 of 3 operations, 0 requests, 0 findings: items of books  GET /books',
  ],
  [
    'the operation and its request, from when it is sent',
    [
      START,
      { type: 'skipped', operation: 'createBook', message: 'POST may change something' },
      { type: 'operation', operation: 'getStatus' },
      { type: 'response', ...LINE, status: 429, durationMs: 3, attempts: 2 },
      { type: 'request', ...LINE },
    ],
    '1 of 3 operations, 2 requests, 0 findings: getStatus  GET /status?verbose=true',
  ],
  [
    'each cause once, and no suppressed finding',
    [START, { ...FOUND, state: 'suppressed' }, { ...FOUND, state: 'new' }, { ...FOUND, state: 'repeated' }],
    '0 of 3 operations, 0 requests, 1 finding:',
  ],
])('the progress shows %s', (_, events, line) => {
  expect(showAfter(events)).toBe(line);
});

it('the progress is shorter than the terminal is wide', () => {
  expect(showAfter([START, { type: 'request', ...LINE }], 40)).toHaveLength(39);
  // As some terminals say that do not know their size.
  expect(showAfter([START, { type: 'request', ...LINE }], 0)).toMatch(/verbose=true$/);
});
