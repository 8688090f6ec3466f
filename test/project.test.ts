import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';

// Issue 16, part 9.

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
  readonly strategy?: { readonly matrix: { readonly node: readonly number[] } };
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly { readonly run?: string; readonly uses?: string }[];
}

// Files of this repository, in the formats of npm and GitHub.
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly engines: { readonly node: string };
  readonly scripts: Readonly<Record<string, string>>;
};
const readWorkflow = (name: string): Workflow =>
  load(readFileSync(`.github/workflows/${name}.yml`, 'utf8')) as Workflow;
const readRuns = ({ jobs }: Workflow): readonly string[] =>
  Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));

const PAGES = [
  'CONTRIBUTING.md',
  'SECURITY.md',
  '.github/pull_request_template.md',
  ...readdirSync('.github/ISSUE_TEMPLATE').map((name) => `.github/ISSUE_TEMPLATE/${name}`),
];

describe('the scripts of package.json', () => {
  const names = Object.keys(manifest.scripts).filter((name) => !/^pre[a-z]/u.test(name));

  it('are each explained in docs/development.md', () => {
    const section = readFileSync('docs/development.md', 'utf8').split('\n## ')[1] ?? '';
    const rows = [...section.matchAll(/^\| `npm (?:run )?(\S+)` \| (.{10,}) \|$/gmu)].map((match) => match[1]);
    expect(new Set(rows)).toEqual(new Set(names));
  });

  it.each([...PAGES, '.github/workflows/checks.yml', '.github/workflows/release.yml', 'docs/development.md'])(
    'that %s names exist',
    (path) => {
      const named = [...readFileSync(path, 'utf8').matchAll(/npm run ([a-z][a-z:]*)/gu)].map((match) => match[1] ?? '');
      expect(named.filter((name) => !(name in manifest.scripts))).toEqual([]);
    },
  );
});

describe('the workflows', () => {
  it('run every check on each supported Node.js', () => {
    const workflow = readWorkflow('checks');
    const oldest = Number(/\d+/u.exec(manifest.engines.node)?.[0]);
    const others = /^OTHER_NODES=\((.+)\)$/mu.exec(readFileSync('.ci/run', 'utf8'))?.[1] ?? '';
    expect(workflow.jobs['run']?.strategy?.matrix.node).toEqual([oldest, ...others.split(' ').map(Number)]);
    expect(readRuns(workflow)).toEqual(['.ci/run']);
    expect(Object.keys(workflow.on)).toEqual(['push', 'pull_request']);
  });

  it('call .ci/run, which runs every test, and those of `npm test` on two versions of Node.js', () => {
    const script = readFileSync('.ci/run', 'utf8');
    const modes = [...script.matchAll(/--mode (\w+)/gu)].map((match) => match[1]);
    expect(modes).toEqual(['rest', 'fast', 'main']);
    expect(manifest.scripts).toMatchObject({
      test: 'vitest run --mode main',
      'test:fast': 'vitest run --mode fast --tags-filter=!slow',
      'test:all': 'vitest run',
    });
    for (const [version] of script.matchAll(/(?<=^WHOLE_NODE=)\d+$/gmu))
      expect(script).toMatch(`OTHER_NODES=(22 ${version} 26)`);
    expect(script).toContain(' npm test\n');
  });

  it('call .ci/run, which follows the pages with each Node.js, and `npm test` does not do that again', () => {
    const script = readFileSync('.ci/run', 'utf8');
    const [job = ''] = /^follow_pages\(\) \{[\s\S]*?^\}/mu.exec(script) ?? [];
    expect(job).toContain('for major in "${OTHER_NODES[@]}"');
    expect(job).toContain(' node .ci/pages.mjs --package "$package" "${folders[@]}"\n');
    expect(script).toMatch(/^in_background follow_pages /mu);
    expect(script).toContain('\nexport VOUCH_TEST_PAGES=packed\n');
  });

  it('publish a tag, with provenance, after every check has passed', () => {
    const workflow = readWorkflow('release');
    expect(workflow.on).toEqual({ push: { tags: ['v*'] } });
    const runs = readRuns(workflow);
    const order = ['package.json', '.ci/run', 'npm pack', 'vouch --version', 'npm publish'];
    expect(runs.map((run, i) => run.includes(order[i] ?? ''))).toEqual(order.map(() => true));
    expect(runs.at(-1)).toContain('--provenance');
    expect(workflow.jobs['publish']?.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
  });

  it.each(['checks', 'release'])('%s may only read the repository', (name) => {
    expect(readWorkflow(name).permissions).toEqual({ contents: 'read' });
  });

  it('can start .ci/run', () => {
    if (process.platform !== 'win32') expect(statSync('.ci/run').mode & 0o111).not.toBe(0);
  });
});

describe('the pages for contributors', () => {
  it.each(PAGES)('%s has links to files that exist only', (path) => {
    const links = [...readFileSync(path, 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/gu)].map(
      (match) => match[1] ?? '',
    );
    expect(links.filter((link) => !existsSync(join(dirname(path), link)))).toEqual([]);
  });

  it('CONTRIBUTING.md is one page, and names only files that exist', () => {
    const text = readFileSync('CONTRIBUTING.md', 'utf8');
    expect(text.split('\n').length).toBeLessThan(60);
    const named = [...text.matchAll(/`((?:test|src|docs|presets|\.ci)\/[\w./-]*)`/gu)].map((match) => match[1] ?? '');
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((name) => !existsSync(name))).toEqual([]);
  });

  it('issue templates have a name and a description', () => {
    for (const path of PAGES.filter((name) => name.includes('ISSUE_TEMPLATE'))) {
      const [, front = ''] = readFileSync(path, 'utf8').split(/^---$/mu);
      expect(load(front)).toMatchObject({ name: expect.any(String) as string, about: expect.any(String) as string });
    }
  });
});
