import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readMembership } from './requests.js';

/** A temporary folder of fixtures; it is removed at the end of the bench. */
export interface FixtureFolder {
  readonly path: string;
  remove(): void;
}

/** Copies the fixtures of the built-in contract and adds a membership for each delete of the bench. */
export function createFixtureFolder(memberships: number): FixtureFolder {
  const path = mkdtempSync(join(tmpdir(), 'vouch-bench-'));
  cpSync('fixtures', path, { recursive: true });
  const stores = new Map<string, { readonly id: string }[]>();
  const files = new Set<string>();
  for (let n = 0; n < memberships; n++) {
    const { store, file } = readMembership(n);
    files.add(file);
    const members = stores.get(store) ?? [];
    members.push({ id: file });
    stores.set(store, members);
  }
  const handbook = {
    id: 'file-handbook',
    $content: 'Refunds are possible within 30 days.\nWrite to billing@example.com.\n',
  };
  const write = (name: string, items: unknown): void => {
    // The fixtures of the built-in contract are YAML; a collection may have one file only.
    rmSync(join(path, `${name}.yaml`), { force: true });
    writeFileSync(join(path, `${name}.json`), JSON.stringify({ items }));
  };
  write('files', [handbook, ...[...files].map((id) => ({ id, $content: id }))]);
  write(
    'vector_stores',
    [...stores.keys()].map((id) => ({ id })),
  );
  write('vector_stores.files', Object.fromEntries(stores));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
