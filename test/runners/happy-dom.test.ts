// @vitest-environment happy-dom
import { Blob } from 'node:buffer';
import { describeEnvironment } from './environment-cases.js';

describeEnvironment('happy-dom', () => (globalThis.Blob as unknown) !== Blob);
