import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { expect, it } from 'vitest';

/** The assumptions of a document: pointer -> reason. A map in `x-assumed` describes single members of its object. */
function readAssumed(value: unknown, pointer = ''): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  const assumed: Record<string, string> = {};
  for (const [key, child] of Object.entries(value)) {
    const place = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (key !== 'x-assumed') Object.assign(assumed, readAssumed(child, place));
    else if (typeof child === 'string') assumed[pointer] = child;
    else for (const [member, why] of Object.entries(child as object)) assumed[`${pointer}/${member}`] = String(why);
  }
  return assumed;
}

/** The assumptions on the page in the same format, and their alternatives. */
function readPage(text: string): { readonly why: Record<string, string>; readonly instead: Record<string, string> } {
  const why: Record<string, string> = {};
  const instead: Record<string, string> = {};
  const entry = /^- `(?<pointer>[^`]+)`\n {2}- why: (?<why>.+)\n {2}- instead: (?<instead>.+)$/gmu;
  for (const { groups } of text.matchAll(entry)) {
    if (groups?.['pointer'] === undefined) continue;
    why[groups['pointer']] = groups['why'] ?? '';
    instead[groups['pointer']] = groups['instead'] ?? '';
  }
  return { why, instead };
}

const document: unknown = load(readFileSync('spec/openapi.yaml', 'utf8'));
const text = readFileSync('docs/assumptions.md', 'utf8');

it('the assumptions of the built-in contract have the same reasons in the document and on the page', () => {
  const inDocument = readAssumed(document);
  expect(Object.keys(inDocument).length).toBeGreaterThan(30);
  expect(readPage(text).why).toEqual(inDocument);
});

it('the assumptions of the built-in contract are each listed once, each with an alternative', () => {
  const { instead } = readPage(text);
  expect(text.match(/^- `/gmu)).toHaveLength(Object.keys(instead).length);
  expect(Object.values(instead).filter((alternative) => alternative.trim().length < 3)).toEqual([]);
});

it('the assumptions of the built-in contract refer to members that exist', () => {
  const lost = Object.keys(readAssumed(document)).filter((pointer) => valueAt(document, pointer) === undefined);
  expect(lost).toEqual([]);
});

function valueAt(root: unknown, pointer: string): unknown {
  let value = root;
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    value = (value as Record<string, unknown> | undefined)?.[key];
  }
  return value;
}
