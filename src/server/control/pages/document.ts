import { dump } from 'js-yaml';

/** A document as YAML in block style, without anchors and without folded lines. */
export function writeDocument(document: Readonly<Record<string, unknown>>): string {
  return dump(document, { noRefs: true, lineWidth: -1 });
}
