import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { readJson } from '../../base/exact-json.js';
import { deriveDocument, type ItemData, readItemData } from '../../tools/derive/derive-document.js';

/** What a `db.json` of json-server is served as. */
export interface DerivedDocument {
  readonly file: string;
  readonly spec: object;
  readonly fixtures: ItemData;
}

/** The document and the fixtures of a `db.json`; undefined for any other file, such as an OpenAPI document. */
export function readDerived(spec: unknown): DerivedDocument | undefined {
  if (typeof spec !== 'string' || !/\.json$/i.test(spec) || /^https?:/i.test(spec)) return undefined;
  const data = readData(spec);
  return data && { file: spec, spec: deriveDocument(data, basename(spec)), fixtures: data };
}

function readData(file: string): ItemData | undefined {
  try {
    const text = readFileSync(file, 'utf8');
    // A document is not parsed twice.
    return /"(?:openapi|swagger)"\s*:/.test(text) ? undefined : readItemData(readJson(text));
  } catch {
    // The document is loaded next, which reports what is wrong with the file.
    return undefined;
  }
}
