import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The licence texts of the packages that have code in a bundle; their licences ask for it. */
export function readLicences(modules) {
  const folders = new Set([...modules].flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(id)?.[0] ?? []));
  return [...folders]
    .toSorted()
    .map(readLicence)
    .join(`\n${'-'.repeat(80)}\n\n`);
}

function readLicence(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/iu.test(entry));
  if (file === undefined) throw new Error(`${name} has no licence file`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}
