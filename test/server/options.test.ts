import { expect, it } from 'vitest';
import { createMock, MockError, type MockOptions } from '../../src/index.js';

async function refusal(options: unknown): Promise<string> {
  try {
    // JavaScript callers can pass any value.
    await createMock(options as MockOptions);
  } catch (error) {
    if (error instanceof MockError) return error.toString();
    throw error;
  }
  throw new Error('the options were accepted');
}

it.each([
  [
    'none at all',
    undefined,
    "OPTION_INVALID  createMock was called without options\n  hint: try createMock({ spec: 'spec/openapi.yaml' })",
  ],
  [
    'no document',
    { fixtures: 'fixtures' },
    'OPTION_INVALID  the option "spec" is missing\n  hint: try createMock({ spec: \'spec/openapi.yaml\' })',
  ],
  [
    'a misspelt name',
    { spec: 'spec/openapi.yaml', fixture: 'fixtures' },
    'OPTION_INVALID  there is no option "fixture"\n  hint: did you mean "fixtures"?',
  ],
  [
    'a seed that is not an integer',
    { spec: 'spec/openapi.yaml', seed: 1.5 },
    'OPTION_INVALID  seed must be a whole number, not 1.5\n  hint: try seed: 1',
  ],
])('options with %s are refused with a hint', async (_, options, want) => {
  expect(await refusal(options)).toBe(want);
});
