import { expect, it } from 'vitest';
import { negotiate } from '../../src/http/response/negotiate.js';
import { loadCases } from '../load-cases.js';

interface Case {
  readonly name: string;
  readonly accept: string | null;
  readonly offered: readonly string[];
  readonly want?: string;
}

it.each(loadCases<readonly Case[]>('http/negotiate.yaml'))('negotiate: $name', ({ accept, offered, want }) => {
  expect(negotiate(accept, offered)).toBe(want);
});
