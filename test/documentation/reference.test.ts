import { load } from 'js-yaml';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TRANSPORT_SETTINGS } from '../../src/cli/transport.js';
import { CONTROL_ROUTES } from '../../src/server/control/routes.js';

interface ControlOperation {
  readonly operationId: string;
  readonly summary: string;
}

// A file of this repository.
const control = load(readFileSync('spec/control.openapi.yaml', 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ControlOperation>>>>;
};

/** The operations of the control API as a table, in the order of its document. */
function describeOperations(): string {
  const summaries = new Map(
    Object.values(control.paths)
      .flatMap((path) => Object.values(path))
      .map(({ operationId, summary }) => [operationId, summary]),
  );
  const rows = CONTROL_ROUTES.map(([method, path, id]) => {
    const shown = path.replaceAll(/:(\w+)/gu, '{$1}');
    return `| \`${method} ${shown}\` | ${summaries.get(id) ?? `no summary of ${id}`} |`;
  });
  return ['| request | what it does |', '| --- | --- |', ...rows].join('\n');
}

describe('docs/control.md', () => {
  it('has a table of all operations (`--update` writes it)', async () => {
    const page = readFileSync('docs/control.md', 'utf8');
    const written = page.replace(
      /(?<=<!-- operations -->\n)[\s\S]*(?=<!-- \/operations -->)/u,
      () => `\n${describeOperations()}\n\n`,
    );
    expect(written).toContain('| `POST /reset` |');
    await expect(written).toMatchFileSnapshot('../../docs/control.md');
  });
});

describe('docs/headers.md', () => {
  const page = readFileSync('docs/headers.md', 'utf8');
  const listed = new Set([...page.matchAll(/`(x-[a-z-]+[a-z])`/gu)].map((match) => match[1] ?? ''));

  it('lists the headers of vouch that the code has, and no others', () => {
    // The readers of files of other tools have headers of their own.
    const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
      (path) => path.endsWith('.ts') && !path.startsWith('tools/import'),
    );
    const code = files.map((path) => readFileSync(join('src', path), 'utf8')).join('\n');
    const used = code.matchAll(/['"](x-(?:mock|should|ratelimit)-[a-z-]*[a-z])['"]/gu);
    expect(listed).toEqual(new Set([...used].map((match) => match[1] ?? '')));
  });
});

describe('docs/state.md', () => {
  const section = /^## Fixtures$([\s\S]*?)(?=^## |(?![\s\S]))/mu.exec(readFileSync('docs/state.md', 'utf8'))?.[1] ?? '';
  const code = readdirSync('src/resources/fixtures').map((name) =>
    readFileSync(join('src/resources/fixtures', name), 'utf8'),
  );

  it('lists the members of an item in a fixture that the code reads, and no others', () => {
    const listed = [...section.matchAll(/^\| `(\$\w+)` \|/gmu)].map((match) => match[1] ?? '');
    const read = code.join('').matchAll(/['"[{ ](\$[a-zA-Z]+)\b/gu);
    expect(new Set(listed)).toEqual(new Set([...read].map((match) => match[1] ?? '')));
  });

  it('shows the members of a fixture file that the code reads, and no others', () => {
    const shown = load(/```yaml\n(?<text>[\s\S]*?)```/u.exec(section)?.groups?.['text'] ?? '') as object;
    const read = /PROPERTIES: readonly string\[\] = \[(?<names>[^\]]+)\]/u.exec(code.join(''))?.groups?.['names'] ?? '';
    expect(Object.keys(shown).toSorted()).toEqual([...read.matchAll(/\w+/gu)].map(([name]) => name).toSorted());
  });
});

describe('docs/configuration.md', () => {
  it('lists the members that say how the server is reached, and no others', () => {
    const page = readFileSync('docs/configuration.md', 'utf8');
    const cells = [...page.matchAll(/^\| (`[^|]+`) \| `--/gmu)].map((match) => match[1] ?? '');
    const listed = cells.flatMap((cell) => {
      const group = /^`(?<name>\w+): \{ (?<members>[\w, ]+) \}`$/u.exec(cell)?.groups;
      if (group === undefined) return [/^`(\w+)/u.exec(cell)?.[1] ?? cell];
      return (group['members'] ?? '').split(', ').map((member) => `${group['name']}.${member}`);
    });
    expect(listed.toSorted()).toEqual(Object.keys(TRANSPORT_SETTINGS).toSorted());
  });
});
