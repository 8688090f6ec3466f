// Writes a report of a test run: `PASSED FAILED`, then what failed.
//
//     node .ci/count.mjs REPORT_OF_VITEST NAME EXIT_CODE
import { readFileSync } from 'node:fs';

const [path, run, exitCode] = process.argv.slice(2);
const { numPassedTests, testResults } = JSON.parse(readFileSync(path, 'utf8'));
const failures = testResults.flatMap(({ name: file, status, message, assertionResults }) => {
  const failed = assertionResults.filter((test) => test.status === 'failed');
  // A file that cannot be loaded fails without a failed test.
  if (status === 'failed' && failed.length === 0) return [`${file}\n${message}`];
  return failed.map(({ fullName, failureMessages }) => `${file}: ${fullName}\n${failureMessages.join('\n')}`);
});
// A run can fail although every test passed: an unhandled error, for example.
if (exitCode !== '0' && failures.length === 0) {
  failures.push('every test passed, but the run failed; its output has the reason');
}
console.log([`${numPassedTests} ${failures.length}`, ...failures.map((failure) => `${run}: ${failure}`)].join('\n'));
