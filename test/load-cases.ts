import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';

/**
 * The cases of a test that are data.
 *
 * @param file - A YAML file, from `test/`, whose members are those of the type.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- says what the file has, as JSON.parse cannot
export const loadCases = <Cases>(file: string): Cases =>
  load(readFileSync(join(import.meta.dirname, file), 'utf8')) as Cases;
