// @vitest-environment jsdom
import { describeEnvironment } from './environment-cases.js';

describeEnvironment('jsdom', () => !(Buffer.from('a') instanceof Uint8Array));
