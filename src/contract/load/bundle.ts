import { MockError } from '../../errors.js';
import type { Finding } from '../contract.js';
import { isObject, setOwn } from '../json.js';
import { fromReference, readPointer, readSegments, toPointer, toReference } from '../pointer.js';
import { type Dialect, type Kind, omit, readKind } from '../upgrade/node.js';
import { createWalker, type Job } from '../upgrade/upgrade-node.js';
import { createReferences, type ReferenceTarget } from './references.js';
import type { SourceFile, SourceFiles } from './source-files.js';
import { createOrigins, type Origins } from './source-map.js';

/** All files as one document of the inner dialect. */
interface Bundle {
  readonly document: Readonly<Record<string, unknown>>;
  readonly findings: readonly Finding[];
  readonly origins: Origins;
}

/** Where what is not in its usual place in the main file is kept. */
const FILES = 'x-vouch-files';

/** Schemas that vouch itself needs a pointer to. */
const OWN_SCHEMAS: Readonly<Record<string, unknown>> = { anything: {}, text: { type: 'string' } };

/**
 * Makes one inner document of the files: upgraded to the inner dialect, repaired, and every reference a local pointer.
 *
 * What the main file has in a place the specification knows stays there. The target of any other reference is copied, once, to
 * `#/x-vouch-files/<file number>/<name>`: so each node is visited as what it is referred to as, and circles across files are legal.
 */
export function bundleFiles(sources: SourceFiles): Bundle {
  const { files } = sources;
  const main = files[0];
  if (main === undefined || !isObject(main.value)) throw new Error('a bundle needs a main file that is an object');
  const findings: Finding[] = [];
  const origins = createOrigins();
  const references = createReferences(sources);
  const dialect = readDialect(main.value, main.name, findings);
  const entries = createEntries(files, dialect);
  const walker = createWalker({ references, origins, findings, files, place: entries.place });
  const root = walker.walk({ kind: 'document', value: main.value, inner: '', file: 0, pointer: '', dialect });
  const copies: Record<string, Record<string, unknown>> = {};
  for (let job = entries.next(); job !== undefined; job = entries.next()) {
    origins.add(job.inner, { file: job.file, pointer: job.pointer });
    const copy = walker.walk(job);
    setOwn((copies[String(job.file)] ??= {}), job.name, copy ?? {});
  }
  const document = { ...(isObject(root) ? root : {}), 'x-vouch': OWN_SCHEMAS };
  return {
    document: entries.isEmpty() ? document : { ...document, [FILES]: copies },
    findings: [...readNotes(files), ...findings],
    origins,
  };
}

/** A target that is to be copied, and the name it gets. */
interface Entry extends Job {
  readonly name: string;
}

/** The targets that are copied, in the order they are found. */
function createEntries(
  files: readonly SourceFile[],
  mainDialect: Dialect,
): {
  readonly place: (target: ReferenceTarget, kind: Kind) => string;
  readonly next: () => Entry | undefined;
  readonly isEmpty: () => boolean;
} {
  const placed = new Map<string, string>();
  const names = new Set<string>();
  const queue: Entry[] = [];
  let taken = 0;
  const add = (target: ReferenceTarget, kind: Kind): string => {
    const wanted = readName(files[target.file], target.pointer);
    let name = wanted;
    for (let i = 2; names.has(`${target.file} ${name}`); i++) name = `${wanted}_${i}`;
    names.add(`${target.file} ${name}`);
    const inner = toPointer(FILES, target.file, name);
    const dialect = readOwnDialect(files[target.file]?.value) ?? mainDialect;
    queue.push({ kind, value: target.value, inner, file: target.file, pointer: target.pointer, dialect, name });
    return toReference(inner);
  };
  return {
    place: (target, kind) => {
      const key = `${target.file} ${kind} ${target.pointer}`;
      const reference = placed.get(key) ?? readUsualPlace(target, kind, mainDialect) ?? add(target, kind);
      placed.set(key, reference);
      return reference;
    },
    next: () => queue[taken++],
    isEmpty: () => queue.length === 0,
  };
}

/** A target that the walk over the main file visits anyway, as the same kind. Inside a schema an upgrade may move it. */
function readUsualPlace(target: ReferenceTarget, kind: Kind, dialect: Dialect): string | undefined {
  if (target.file !== 0) return undefined;
  const segments = readSegments(target.pointer);
  if (dialect === 20) return readSwaggerPlace(segments, kind);
  const known = readKind(segments);
  return known?.kind === kind && !known.insideSchema ? toReference(target.pointer) : undefined;
}

/** The three shared maps of Swagger 2.0 that have a new place. */
const SWAGGER_PLACES: readonly (readonly [string, Kind, string])[] = [
  ['definitions', 'schema', 'schemas'],
  ['responses', 'response', 'responses'],
  ['parameters', 'parameter', 'parameters'],
];

function readSwaggerPlace(segments: readonly string[], kind: Kind): string | undefined {
  const [parent, name] = segments;
  const place = SWAGGER_PLACES.find(([from, of]) => from === parent && of === kind)?.[2];
  if (segments.length !== 2 || name === undefined || place === undefined) return undefined;
  return toReference(toPointer('components', place, name));
}

/** The last step of a pointer, or the name of the file: what a reader would call it. */
function readName(file: SourceFile | undefined, pointer: string): string {
  const last = readSegments(pointer).at(-1);
  if (last !== undefined) return last;
  const stem = file?.uri.split('/').at(-1)?.split(/[.?]/u)[0] ?? '';
  return stem === '' ? 'root' : decodeURIComponent(stem);
}

/** @throws MockError where the document is no OpenAPI document at all. */
function readDialect(
  document: Readonly<Record<string, unknown>>,
  file: string | undefined,
  findings: Finding[],
): Dialect {
  const declared = readOwnDialect(document);
  if (declared !== undefined) {
    const version = readVersion(document);
    if (/^(?:2|3)(?:\.[0-2](?:\.\d+)?(?:-.*)?)?$/u.test(version)) return declared;
    findings.push(describeVersion(`version "${version}" of OpenAPI is not known`, declared));
    return declared;
  }
  if (!isObject(document['paths']) && !isObject(document['webhooks'])) {
    const found = Object.keys(document).slice(0, 5).join(', ');
    throw new MockError('SPEC_INVALID', 'the document is no OpenAPI document: it has neither "openapi" nor "swagger"', {
      ...(file === undefined ? {} : { at: { file, line: 1, column: 1 } }),
      hint: `its members are: ${found === '' ? 'none' : found}; an OpenAPI document starts with "openapi: 3.1.0"`,
    });
  }
  const assumed: Dialect = isObject(document['definitions']) || 'basePath' in document ? 20 : 31;
  findings.push(describeVersion('the document has neither "openapi" nor "swagger"', assumed));
  return assumed;
}

function describeVersion(message: string, dialect: Dialect): Finding {
  const names = { 20: 'Swagger 2.0', 30: 'OpenAPI 3.0', 31: 'OpenAPI 3.1' };
  const assumed = `it is read as ${names[dialect]}`;
  return { code: 'VERSION_UNKNOWN', severity: 'warning', message, pointer: '', assumed };
}

function readOwnDialect(value: unknown): Dialect | undefined {
  if (!isObject(value)) return undefined;
  if (value['openapi'] !== undefined) return /^3(?:\.0|$)/u.test(readVersion(value)) ? 30 : 31;
  return value['swagger'] === undefined ? undefined : 20;
}

/** `openapi` or `swagger` as text: without quotes, YAML reads 2.0 and 3.1 as numbers. */
function readVersion(document: Readonly<Record<string, unknown>>): string {
  const version = document['openapi'] ?? document['swagger'];
  return typeof version === 'string' ? version : JSON.stringify(version);
}

function readNotes(files: readonly SourceFile[]): readonly Finding[] {
  return files.flatMap(({ notes, name }) =>
    notes.map(({ code, message }): Finding => {
      const assumed = code === 'DUPLICATE_KEY' ? 'the last one counts' : 'only the first document is read';
      return { code, severity: 'warning', message: `${message} of ${name ?? 'the document'}`, pointer: '', assumed };
    }),
  );
}

/** A document without endless schemas, and those that were found. */
interface CheckedDocument {
  readonly document: Readonly<Record<string, unknown>>;
  readonly findings: readonly Finding[];
}

/** Keywords that apply a schema to the same value; the others apply theirs to a part of it, which is smaller and so has an end. */
const SAME_VALUE = ['not', 'if', 'then', 'else'];
const SAME_VALUE_LISTS = ['allOf', 'anyOf', 'oneOf'];

/** A reference that is applied to the value its own schema is applied to. */
interface Edge {
  readonly from: string;
  readonly to: string;
}

/**
 * Cuts references that lead a schema back to itself without looking at a part of the value: JSON Schema 2020-12 core section 9.4.1 forbids
 * them, and a validator that follows one never comes back.
 */
export function breakEndless(document: Readonly<Record<string, unknown>>): CheckedDocument {
  const findings: Finding[] = [];
  let current: unknown = document;
  for (const pointer of findEndless(document)) {
    const reference = readPointer(document, `${pointer}/$ref`);
    findings.push({
      code: 'SCHEMA_ENDLESS',
      severity: 'error',
      message: `the reference "${String(reference)}" leads back to itself`,
      pointer: `${pointer}/$ref`,
      assumed: 'anything is accepted there',
    });
    current = cutReference(current, readSegments(pointer));
  }
  // Only members of the document were changed, never the document itself.
  return { document: current as Readonly<Record<string, unknown>>, findings };
}

/** Pointers of the references that close a circle. */
function findEndless(document: Readonly<Record<string, unknown>>): readonly string[] {
  const done = new Set<string>();
  const open = new Set<string>();
  const found: string[] = [];
  const visit = (pointer: string): void => {
    if (done.has(pointer)) return;
    open.add(pointer);
    for (const edge of readEdges(readPointer(document, pointer), pointer)) {
      if (open.has(edge.to)) found.push(edge.from);
      else visit(edge.to);
    }
    open.delete(pointer);
    done.add(pointer);
  };
  for (const pointer of readTargets(document)) visit(pointer);
  return found;
}

/** Everything a reference of the inner document can lead to: shared schemas, and copies of others. */
function readTargets(document: Readonly<Record<string, unknown>>): readonly string[] {
  const parents = [toPointer('components', 'schemas')];
  const copies = document['x-vouch-files'];
  if (isObject(copies)) parents.push(...Object.keys(copies).map((file) => toPointer('x-vouch-files', file)));
  return parents.flatMap((parent) => {
    const map = readPointer(document, parent);
    return isObject(map) ? Object.keys(map).map((name) => parent + toPointer(name)) : [];
  });
}

function readEdges(schema: unknown, pointer: string): readonly Edge[] {
  if (!isObject(schema)) return [];
  const target = fromReference(schema['$ref']);
  const own = target === undefined ? [] : [{ from: pointer, to: target }];
  const single = SAME_VALUE.flatMap((keyword) =>
    schema[keyword] === undefined ? [] : readEdges(schema[keyword], `${pointer}/${keyword}`),
  );
  const listed = SAME_VALUE_LISTS.flatMap((keyword) => {
    const list = schema[keyword];
    return Array.isArray(list) ? list.flatMap((item: unknown, i) => readEdges(item, `${pointer}/${keyword}/${i}`)) : [];
  });
  return [...own, ...single, ...listed];
}

function cutReference(node: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined) return isObject(node) ? { ...omit(node, '$ref'), 'x-vouch-unresolved': node['$ref'] } : node;
  if (Array.isArray(node)) return node.with(Number(step), cutReference(node[Number(step)], rest));
  if (!isObject(node)) return node;
  const copy: Record<string, unknown> = { ...node };
  setOwn(copy, step, cutReference(node[step], rest));
  return copy;
}
