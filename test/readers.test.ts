import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, it } from 'vitest';

const KEYWORDS = new Set([
  'additionalProperties',
  'allOf',
  'anyOf',
  'items',
  'oneOf',
  'patternProperties',
  'prefixItems',
  'properties',
]);

/** What may read the keywords of a schema: the upgrade, the view, the checker, what writes schemas, and what reads all keywords of one. */
const READERS = [
  /^contract\/(?:upgrade|schema-view)\//u,
  /^schema\/(?:checker\/|explain\.ts$)/u,
  // Merges all keywords of the schemas that one value must fit, and writes types for all keywords.
  /^generate\/values\//u,
  /^tools\/types\//u,
  /^(?:base\/json-schema|features\/scenario\/definition\/schema)\.ts$/u,
  // The properties that a request can have beyond the declared ones.
  /^resources\/item\/declared-members\.ts$/u,
  // Writes the schemas of items, and invalid values.
  /^tools\/(?:derive\/|verify\/mistakes\.ts$)/u,
  // Writes changes of schemas, and those of methods.
  /^features\/recording\/promote\/(?:document-drift|methods|request-schemas)\.ts$/u,
];

/** Names that are looked up in lists: a regular expression with three alternatives, or an array of three names. */
const NAME = /^[A-Za-z_$@#.-][\w$@#.?\\()[\]*+-]*$/u;

/** Rooms that ask `conventions/` what a name means. */
const ASKING = /^(?:resources|answer)\//u;
/** Lists in them that are not names in documents: options, grammars, parts of a request. */
const OWN_LISTS = [
  'answer/error-body.ts ["query","path","cookie"]',
  'answer/sources/handler.ts ["status","headers","body","mediaType"]',
  'answer/sources/prefer.ts ["code","example","dynamic","seed"]',
  'answer/streams/typed-events.ts ["open","delta","close"]',
  'resources/fixtures/fixtures.ts ["defaults","items","generate","unknownIds"]',
  'resources/infer/hints.ts ["errors","query","positions","repeats"]',
  'resources/item/item-annotations.ts ["$content","$contentType","$id","$parent"]',
  'resources/item/lifecycle.ts ["statuses.begun","statuses.queued","statuses.preparing","statuses.running","statuses.finishing"]',
  'resources/list/filter-expression.ts /^(tolower|toupper|trim|lower|upper)$/',
  'resources/store/lists/usage.ts ["generated","removed","removedBytes"]',
];

type SyntaxNode = { readonly type: string } & Readonly<Record<string, unknown>>;

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && typeof (value as SyntaxNode).type === 'string';
}

function listChildren(node: SyntaxNode): readonly SyntaxNode[] {
  return Object.values(node).flat().filter(isNode);
}

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({
    path,
    // The tree of the parser has nodes and lists of them.
    tree: parseAst(readFileSync(join('src', path), 'utf8'), {
      lang: 'ts',
      sourceType: 'module',
    }) as unknown as SyntaxNode,
  }));

/** The name of a member that is read or written, or matched by a pattern. */
function readMemberName(node: SyntaxNode): unknown {
  const key = node.type === 'MemberExpression' ? node['property'] : node.type === 'Property' ? node['key'] : undefined;
  if (!isNode(key)) return undefined;
  return node['computed'] === true ? key['value'] : (key['name'] ?? key['value']);
}

/** The keywords that each outermost function reads. */
function listReads(node: SyntaxNode, reads: Set<unknown>[], own?: Set<unknown>): readonly Set<unknown>[] {
  const isFunction = /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/u.test(node.type);
  const inside = own ?? (isFunction ? new Set<unknown>() : undefined);
  if (inside !== own && inside !== undefined) reads.push(inside);
  const name = readMemberName(node);
  if (typeof name === 'string' && KEYWORDS.has(name)) inside?.add(name);
  for (const child of listChildren(node)) listReads(child, reads, inside);
  return reads;
}

function listWordLists(node: SyntaxNode): readonly string[] {
  const below = listChildren(node).flatMap(listWordLists);
  const isList = (values: readonly unknown[]): boolean =>
    values.length >= 3 && values.every((value) => typeof value === 'string' && value.length > 1 && NAME.test(value));
  if (node.type === 'ArrayExpression') {
    const values = (node['elements'] as readonly (SyntaxNode | null)[]).map((each) => each?.['value']);
    return isList(values) ? [JSON.stringify(values), ...below] : below;
  }
  const { pattern } = (node['regex'] ?? {}) as { readonly pattern?: string };
  const parts = pattern?.split(/\((?:\?[:=!<]*)?|\)/u).map((part) => part.replaceAll(/^\^|\$$/gu, '').split('|')) ?? [];
  return parts.some(isList) ? [`/${pattern ?? ''}/`, ...below] : below;
}

describe('src/', () => {
  it('reads the keywords of a schema only in the view of it and where all of them count', () => {
    const readers = files
      .filter(({ tree }) => listReads(tree, []).some(({ size }) => size >= 2))
      .map(({ path }) => path);
    expect(readers.length).toBeGreaterThan(10);
    expect(readers.filter((path) => !READERS.some((reader) => reader.test(path)))).toEqual([]);
  });

  it('asks the conventions what a name means', () => {
    const asking = files.filter(({ path }) => ASKING.test(path));
    const lists = asking.flatMap(({ path, tree }) => listWordLists(tree).map((list) => `${path} ${list}`));
    expect(lists).toEqual(OWN_LISTS);
  });
});
