import { describeEnvironment } from './environment-cases.js';

describeEnvironment('node', () => true);
