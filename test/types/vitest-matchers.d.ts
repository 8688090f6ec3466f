import type { MockMatchers } from '../../src/index.js';

declare module 'vitest' {
  // The matchers of `expect.extend(matchers)`.
  interface Matchers<T> extends MockMatchers<void, T> {}
}
