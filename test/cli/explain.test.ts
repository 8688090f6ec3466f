import { expect, it } from 'vitest';
import { runExplain } from '../../src/cli/commands/explain/explain.js';

function explain(code?: string): {
  readonly exit: number;
  readonly out: readonly string[];
  readonly err: readonly string[];
} {
  const out: string[] = [];
  const err: string[] = [];
  const exit = runExplain({ code, write: (line) => void out.push(line), writeError: (line) => void err.push(line) });
  return { exit, out, err };
}

it.each([
  ['a violation', 'READ_ONLY', 'docs/violations.md'],
  ['a problem of a document', 'reference-unresolved', 'docs/documents.md'],
  ['an error', 'SPEC_INVALID', 'docs/errors.md'],
])('vouch explain prints the meaning of the code of %s and the page with details', (_, code, page) => {
  const { exit, out } = explain(code);
  expect(exit).toBe(0);
  expect(out).toEqual([expect.stringMatching(new RegExp(`^[A-Z_]+\n  \\S.+\n  more: ${page}$`))]);
});

it('vouch explain suggests the nearest code for an unknown one', () => {
  expect(explain('REFERENCE_UNRESOLVD')).toEqual({
    exit: 1,
    out: [],
    err: ['unknown code "REFERENCE_UNRESOLVD"', '  hint: did you mean "REFERENCE_UNRESOLVED"?'],
  });
});

it('vouch explain lists the codes of all three kinds', () => {
  const text = explain().out.join('\n');
  for (const code of ['UNIQUE', 'SCHEMA_REPAIRED', 'PORT_TAKEN'])
    expect(text).toMatch(new RegExp(`^  ${code} +\\S`, 'm'));
});
