import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** What a script prints and ends with that counts its checks as `.ci/run` does. */
function runChecks(checks: string) {
  const script = `set -euo pipefail\n. .ci/report.sh\n${checks}\nfinish`;
  const { stdout, stderr, status } = spawnSync('bash', ['-c', script], { encoding: 'utf8', timeout: 60_000 });
  const lines = stdout.trimEnd().split('\n');
  return { status, stderr, last: lines.at(-1), lines };
}

const REPORT = `report() { printf '3 1\\nsuite: a test\\n' >"$2"; }`;

describe.skipIf(process.platform === 'win32')('.ci/run', () => {
  it('ends with 0 when nothing failed, with nothing in the background', () => {
    expect(runChecks(`step 'a' true`)).toMatchObject({ status: 0, stderr: '', last: '1 passed, 0 failed' });
  });

  it('ends with 0 when nothing failed, also in the background', () => {
    const checks = `job() { step 'b' true; }\nin_background job\nstep 'a' true`;
    expect(runChecks(checks)).toMatchObject({ status: 0, stderr: '', last: '2 passed, 0 failed' });
  });

  it('ends with 1 when a check failed, and repeats its name', () => {
    const { status, last, lines } = runChecks(`step 'a' false\nstep 'b' true`);
    expect({ status, last }).toEqual({ status: 1, last: '1 passed, 1 failed' });
    expect(lines.slice(-3, -1)).toEqual(['== failures', 'a: FAILED']);
  });

  it('ends with 1 when a check failed in the background', () => {
    const checks = `job() { step 'b' false; }\nin_background job\nstep 'a' true`;
    expect(runChecks(checks)).toMatchObject({ status: 1, last: '1 passed, 1 failed' });
  });

  it('ends with 1 when what runs in the background ends before its result', () => {
    const checks = `job() { exit 3; }\nin_background job\nstep 'a' true`;
    const { status, last, lines } = runChecks(checks);
    expect({ status, last }).toEqual({ status: 1, last: '1 passed, 1 failed' });
    expect(lines).toContain('job: FAILED: it ended before its result');
  });

  it('adds the numbers of a report, and repeats what failed', () => {
    const { status, last, lines } = runChecks(`${REPORT}\nrun_reporter 'r' report`);
    expect({ status, last }).toEqual({ status: 1, last: '3 passed, 1 failed' });
    expect(lines).toContain('suite: a test');
  });

  it('counts a command without a report as failed', () => {
    const { status, last } = runChecks(`run_reporter 'r' true`);
    expect({ status, last }).toEqual({ status: 1, last: '0 passed, 1 failed' });
  });

  it('ends what still runs, and removes its folder', () => {
    // The output is closed when the last of its writers has ended: the status is null if `sleep` is not ended.
    const { status, last } = runChecks(`finish() { echo "$scratch"; }\nsleep 600 &`);
    expect(status).toBe(0);
    expect(last).toMatch(/^\/./u);
    expect(existsSync(last ?? '')).toBe(false);
  });
});
