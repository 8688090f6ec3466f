import { describe, expect, it } from 'vitest';
import { negotiate } from '../../src/http/response/negotiate.js';
import { loadCases } from '../load-cases.js';

interface Case {
  readonly name: string;
  readonly accept: string | null;
  readonly offered: readonly string[];
  readonly want?: string;
}

describe('negotiate', () => {
  it.each(loadCases<readonly Case[]>('http/negotiate.yaml'))('$name', ({ accept, offered, want }) => {
    expect(negotiate(accept, offered)).toBe(want);
  });
});
