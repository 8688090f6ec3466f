import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { decodeText, escapeSegment, readPointer } from '../../src/contract/pointer.js';
import type { Random } from '../../src/base/random.js';
import { readCases } from '../documents/read-cases.js';

/** A document to fuzz. */
export interface FuzzDocument {
  readonly name: string;
  read(): Record<string, unknown>;
}

const SPECS = '../shared/specs/';
const SHARED = [
  'openai.yaml',
  'stripe.yaml',
  'github.json',
  'box.json',
  'train-travel-3.1.json',
  'petstore-2.0.yaml',
  'petstore-3.0.yaml',
];

function fromFile(file: string): FuzzDocument {
  let document: Record<string, unknown> | undefined;
  return { name: file, read: () => (document ??= parse(readFileSync(file, 'utf8'))) };
}

/** The built-in document, then those of the folder of shared documents that are there. */
export function listDocuments(): { readonly documents: readonly FuzzDocument[]; readonly absent: readonly string[] } {
  const files = SHARED.map((name) => `${SPECS}${name}`);
  const documents = ['spec/openapi.yaml', ...files.filter((file) => existsSync(file))].map(fromFile);
  return { documents, absent: files.filter((file) => !existsSync(file)) };
}

/** The small documents of `test/documents`. */
export function listSmallDocuments(): readonly Record<string, unknown>[] {
  const folder = new URL('../documents/', import.meta.url);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .flatMap((name) => readCases(new URL(name, folder)).map(({ files }) => files['openapi.yaml'] ?? ''))
    .map((text) =>
      parse(/^(openapi|swagger):/m.test(text) ? text : `openapi: 3.1.0\ninfo: {title: Small, version: '1'}\n${text}`),
    );
}

/** JSON, since that is how a document reaches the server process. */
function parse(text: string): Record<string, unknown> {
  return JSON.parse(JSON.stringify(text.startsWith('{') ? JSON.parse(text) : load(text))) as Record<string, unknown>;
}

/** The methods and paths of a document, whatever it looks like. */
export function listOperations(document: unknown): readonly (readonly [method: string, path: string])[] {
  const paths = readMember(document, 'paths');
  if (typeof paths !== 'object' || paths === null) return [];
  return Object.entries(paths).flatMap(([path, item]) =>
    typeof item !== 'object' || item === null
      ? []
      : Object.keys(item)
          .filter((key) => /^(get|put|post|delete|options|head|patch|trace|query)$/.test(key))
          .map((method) => [method.toUpperCase(), path] as const),
  );
}

/** A document with some of the paths only, and with what they refer to. */
export function cutDocument(document: Record<string, unknown>, count: number, random: Random): Record<string, unknown> {
  const { paths, components, definitions, ...rest } = document;
  const all = Object.entries((paths ?? {}) as Record<string, unknown>);
  if (all.length <= count) return document;
  // Neighbours share resources.
  const start = random.integer(0, all.length - count);
  const kept = Object.fromEntries(all.slice(start, start + count));
  const reachable = new Set<string>();
  const waiting: unknown[] = [kept, rest];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (typeof node !== 'object' || node === null) continue;
    for (const [key, inner] of Object.entries(node)) {
      waiting.push(inner ?? 0);
      if (key !== '$ref' || typeof inner !== 'string') continue;
      const pointer = inner
        .split('/')
        .slice(1, inner.startsWith('#/components/') ? 4 : 3)
        .join('/');
      if (reachable.has(pointer)) continue;
      reachable.add(pointer);
      waiting.push(readPointer(document, `/${decodeText(pointer)}`) ?? 0);
    }
  }
  const keep = (part: unknown, place: string): unknown =>
    typeof part !== 'object' || part === null
      ? part
      : Object.fromEntries(Object.entries(part).filter(([name]) => reachable.has(`${place}/${escapeSegment(name)}`)));
  const keptComponents = Object.entries((components ?? {}) as Record<string, unknown>).map(
    ([kind, part]) => [kind, kind === 'securitySchemes' ? part : keep(part, `components/${kind}`)] as const,
  );
  return {
    ...rest,
    paths: kept,
    ...(components !== undefined && { components: Object.fromEntries(keptComponents) }),
    ...(definitions !== undefined && { definitions: keep(definitions, 'definitions') }),
  };
}

function readMember(node: unknown, key: string): unknown {
  return typeof node === 'object' && node !== null ? Object.getOwnPropertyDescriptor(node, key)?.value : undefined;
}
