import { MockError } from '../src/index.js';

/** The message of the mistake that is thrown, or that a promise rejects with. */
export async function messageOf(act: () => unknown): Promise<string> {
  try {
    await act();
  } catch (error) {
    if (error instanceof MockError) return error.message;
    throw error;
  }
  throw new Error('nothing was thrown');
}
