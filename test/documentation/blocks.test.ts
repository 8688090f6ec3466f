import { describe, expect, it } from 'vitest';
import { type Block, readBlocks, readLines } from '../../.ci/follow.mjs';
import { isFollowed } from '../../.ci/reader.mjs';
import { readPages } from './pages.js';

/** Page -> the number of its blocks that no test runs, and why. A block that is added must be run, or counted here. */
const NOT_RUN: Readonly<Record<string, readonly [count: number, why: string]>> = {
  'CONTRIBUTING.md': [1, 'commands for a clone; .ci/run runs them'],
  'STYLE.md': [3, 'fragments that show a style'],
  'docs/agents.md': [1, 'a configuration file of an agent; test/cli/mcp.test.ts starts the command'],
  'docs/answers.md': [1, 'a fragment of a document; test/answer/error-templates.test.ts has such documents'],
  'docs/assertions.md': [2, 'fragments of tests; test/journal/received.test.ts has such tests'],
  'docs/cli.md': [2, 'output with times; test/cli/terminal.test.ts compares such output whole'],
  'docs/configuration.md': [3, 'files that refer to others, and their output; test/cli/config.test.ts has such files'],
  'docs/conventions.md': [1, 'a fragment of a document; test/conventions/own-names.test.ts has such hints'],
  'docs/control.md': [
    3,
    'an error, which test/control/control.test.ts compares; files that test/metrics/prometheus.test.ts gives to Prometheus',
  ],
  'docs/coverage.md': [1, 'output; test/coverage/command.test.ts compares such output whole'],
  'docs/development.md': [1, 'commands for a clone that take minutes; test/corpus/ has short ones'],
  'docs/docker.md': [2, 'they need a container engine; test/docker.test.ts runs the image'],
  'docs/documents.md': [1, 'an overlay of a document of the reader; test/contract/overlay.test.ts'],
  'docs/errors.md': [1, 'output; test/messages.test.ts compares such messages whole'],
  'docs/maintainers/docker.md': [4, 'they need a container engine; .ci/image.sh runs them'],
  'docs/maintainers/fuzzing.md': [3, 'long runs; test/fuzz.test.ts runs short ones, and the format of regressions'],
  'docs/import.md': [3, 'output and handlers; test/import/command.test.ts compares such output whole'],
  'docs/interception.md': [2, 'fragments of tests; test/server/intercept-recipes.test.ts has them'],
  'docs/maintainers/performance.md': [1, 'measurements, which take minutes'],
  'docs/migration/prism.md': [1, 'a configuration file; test/recording/proxy.test.ts has such options'],
  'docs/presets.md': [2, 'files for a document of the reader; test/contract/presets.test.ts'],
  'docs/recordings.md': [6, 'output, fragments of options and tests; test/recording/ has them'],
  'docs/reload.md': [2, 'output; test/reload/ compares such messages'],
  'docs/runners.md': [11, 'output, and short forms of the tests in examples/, which .ci/examples.mjs runs'],
  'docs/scenarios.md': [2, 'output; test/scenario/mistakes.test.ts compares such messages whole'],
  'docs/state.md': [5, 'output, and fragments of documents; test/state/hints.test.ts and fixtures.test.ts'],
  'docs/several-documents.md': [2, 'output, and a file that refers to others; tests of several documents have such'],
  'docs/shared-state.md': [1, 'commands that need a Redis server; test/store/ starts one'],
  'docs/tls.md': [1, 'a compose file, which needs a container engine'],
  'docs/check.md': [1, 'an example of a service of the reader; test/check/ has such'],
  'docs/diff.md': [2, 'output; test/diff/ compares such lines'],
  'docs/verify.md': [3, 'output, and files of the reader; test/verify/command.test.ts has such'],
  'docs/violations.md': [1, 'a fragment of a document; test/http/query.test.ts has such documents'],
};

/** Whether another test runs the block, or checks each of its commands. */
function isCovered(path: string, { language, text, reason }: Block): boolean {
  if (isFollowed(path)) return reason === undefined;
  // test/documentation.test.ts runs programs and checks command lines; test/control/documentation.test.ts sends requests.
  if (/^(?:ts|js)$/u.test(language) && text.startsWith('import ')) return true;
  if (language === 'sh') return readLines(text).every((line) => /^(?:npx )?vouch |^curl /u.test(line));
  // test/scenario/docs.test.ts and events.test.ts load these.
  return path === 'docs/scenarios.md' && /^ya?ml$/u.test(language);
}

const pages = [...readPages()].map(([path, page]) => [path, readBlocks(page)] as const);

describe('the blocks of the pages', () => {
  it('are found', () => expect(pages.flatMap(([, blocks]) => blocks).length).toBeGreaterThan(150));

  it('are run or checked by a test, except those that are counted with the reason', () => {
    const counts = pages.flatMap(([path, blocks]) => {
      const others = blocks.filter((block) => !isCovered(path, block) && block.reason === undefined);
      return others.length === 0 ? [] : [[path, others.length] as const];
    });
    expect(Object.fromEntries(counts)).toEqual(
      Object.fromEntries(Object.entries(NOT_RUN).map(([path, [count]]) => [path, count])),
    );
  });

  it('say in the page itself why they are not run, where the page is followed', () => {
    const reasons = pages.flatMap(([path, blocks]) =>
      blocks.flatMap(({ reason }) => (reason === undefined ? [] : [path])),
    );
    expect(reasons).toEqual(['README.md', 'docs/guides/front-end.md']);
  });
});
