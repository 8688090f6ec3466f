import { onTestFinished } from 'vitest';
import { createMock, type Mock, type MockOptions } from '../src/index.js';

/** A mock that is closed when the test is over. */
export async function openMock(options: MockOptions): Promise<Mock> {
  const mock = await createMock(options);
  onTestFinished(() => mock.close());
  return mock;
}
