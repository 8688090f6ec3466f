import { MockError } from '../../base/errors.js';
import type { Finding } from '../contract.js';
import { changeAt, isObject, setOwn } from '../../base/json.js';
import { fromReference, readEntries, readPointer, readSegments, toPointer, toReference } from '../pointer.js';
import { repairClosedSchemas } from '../upgrade/closed-parts.js';
import { completeSubtypes } from '../upgrade/subtypes.js';
import { narrowTaggedUnions, type TaggedUnion } from '../upgrade/tagged-unions.js';
import { type Dialect, type Node, type ObjectType, omit, readObjectType } from '../upgrade/node.js';
import { SHARED_MAPS } from '../upgrade/swagger.js';
import { MAX_BOUND_COPIES, type NodeSource, type UpgradeParts } from '../upgrade/upgrade-context.js';
import { createUpgrader } from '../upgrade/upgrade-node.js';
import { type Bindings, createDynamicReferences, toBindingsKey } from './dynamic-references.js';
import { createReferences, type Identified, type ReferenceTarget } from './references.js';
import type { SourceFile, SourceFiles } from './source-files.js';
import { createSourceMap, type SourceMap } from './source-map.js';

/** All files as one document of the inner dialect. */
interface Bundle {
  readonly document: Readonly<Record<string, unknown>>;
  readonly findings: readonly Finding[];
  readonly origins: SourceMap;
}

/** The member of the bundled document with copies of what is not in a standard place of the main file. */
const FILES = 'x-vouch-files';

/** Schemas that vouch itself needs a pointer to. */
const OWN_SCHEMAS: Readonly<Record<string, unknown>> = { anything: {}, text: { type: 'string' } };

/**
 * Bundles the files of a document into one: upgraded to the inner dialect, repaired, with local references only and without references
 * that a validator would follow forever.
 *
 * Nodes in a standard place of the main file stay there. The target of any other reference is copied once, to
 * `#/x-vouch-files/<file number>/<name>`, so that it is upgraded as the type of object it is referenced as.
 */
export function bundleFiles(sources: SourceFiles): Bundle {
  const { files } = sources;
  const main = files[0];
  if (main === undefined || !isObject(main.value)) throw new Error('a bundle needs a main file that is an object');
  const findings: Finding[] = [];
  const sourceMap = createSourceMap();
  const references = createReferences(sources);
  const dialect = readDialect(main.value, main.name, findings);
  const queue: CopiedNode[] = [];
  const placeTarget = createPlacer(files, dialect, queue);
  const suspects: string[] = [];
  const unions: TaggedUnion[] = [];
  const isDynamic = files.some(({ text }) => text.includes('$dynamicRef'));
  const dynamic = isDynamic ? createDynamicReferences(references) : undefined;
  const upgrade = createUpgrader({ references, sourceMap, findings, files, suspects, unions, placeTarget, dynamic });
  const root = upgrade({ type: 'document', value: main.value, inner: '', file: 0, pointer: '', dialect });
  const copied: Record<string, Record<string, unknown>> = {};
  // An upgrade can add to the queue.
  for (const copy of queue) {
    sourceMap.add(copy.inner, { file: copy.file, pointer: copy.pointer });
    setOwn((copied[String(copy.file)] ??= {}), copy.name, upgrade(copy) ?? {});
  }
  const document = { ...(isObject(root) ? root : {}), 'x-vouch': OWN_SCHEMAS };
  const cut = cutCircularReferences(Object.keys(copied).length === 0 ? document : { ...document, [FILES]: copied });
  const opened = repairClosedSchemas(cut.document, suspects, sourceMap);
  findings.push(...cut.findings, ...opened.findings);
  const reported = isDynamic ? omitRepeated(findings, sourceMap) : findings;
  return {
    document: completeSubtypes(narrowTaggedUnions(opened.document, unions), listSchemaMaps(opened.document)),
    findings: [...readNotes(files), ...reported],
    origins: sourceMap,
  };
}

/** Findings without those about the same place again: a schema can have several copies. */
function omitRepeated(findings: readonly Finding[], sourceMap: SourceMap): readonly Finding[] {
  const byPlace = new Map<string, Finding>();
  for (const finding of findings) {
    const key = JSON.stringify([finding.code, finding.message, sourceMap.find(finding.pointer)]);
    if (!byPlace.has(key)) byPlace.set(key, finding);
  }
  return [...byPlace.values()];
}

/** A node that is copied, and the name of its copy. */
type CopiedNode = NodeSource & { readonly name: string };

/** Creates the function that gives the local reference to a target; one without a standard place is added to the queue. */
function createPlacer(
  files: readonly SourceFile[],
  mainDialect: Dialect,
  queue: CopiedNode[],
): UpgradeParts['placeTarget'] {
  const placed = new Map<string, string>();
  const names = new Set<string>();
  let bound = 0;
  const add = (target: ReferenceTarget, type: ObjectType, bindings?: Bindings): string => {
    const { file, pointer, value } = target;
    const binding =
      bindings === undefined ? [] : [...bindings.values()].map((anchor) => readBindingName(files, anchor));
    const wanted = [...new Set([readName(files[file], pointer), ...binding])].join('_');
    let name = wanted;
    for (let i = 2; names.has(`${file} ${name}`); i++) name = `${wanted}_${i}`;
    names.add(`${file} ${name}`);
    const inner = toPointer(FILES, file, name);
    const dialect = readOwnDialect(files[file]?.value) ?? mainDialect;
    queue.push({ type, value, inner, file, pointer, dialect, name, bindings });
    return toReference(inner);
  };
  return (target, type, bindings) => {
    const key = `${target.file} ${type} ${target.pointer}${bindings === undefined ? '' : `\n${toBindingsKey(bindings)}`}`;
    const known = placed.get(key);
    if (known !== undefined) return known;
    if (bindings !== undefined && bound >= MAX_BOUND_COPIES) return undefined;
    if (bindings !== undefined) bound += 1;
    const standard = bindings === undefined ? readStandardPlace(target, type, mainDialect) : undefined;
    const reference = standard ?? add(target, type, bindings);
    placed.set(key, reference);
    return reference;
  };
}

/** The name of the schema that binds an anchor: the one that has it among its definitions. */
function readBindingName(files: readonly SourceFile[], { file, pointer }: Identified): string {
  return readName(files[file], pointer.replace(/(?:\/(?:\$defs|definitions)\/[^/]*)+$/u, ''));
}

/** The reference to a target that is upgraded in place, as the same type. Inside a schema an upgrade may move it. */
function readStandardPlace(target: ReferenceTarget, type: ObjectType, dialect: Dialect): string | undefined {
  if (target.file !== 0) return undefined;
  const segments = readSegments(target.pointer);
  if (dialect !== 20) {
    const found = readObjectType(segments);
    return found?.type === type && !found.insideSchema ? toReference(target.pointer) : undefined;
  }
  const [parent, name] = segments;
  const place = Object.entries(SHARED_MAPS).find(([to, from]) => from === parent && to === `${type}s`)?.[0];
  if (segments.length !== 2 || name === undefined || place === undefined) return undefined;
  return toReference(toPointer('components', place, name));
}

/** The last segment of a pointer, or the name of the file. */
function readName(file: SourceFile | undefined, pointer: string): string {
  const last = readSegments(pointer).at(-1);
  if (last !== undefined) return last;
  const stem = file?.uri.split('/').at(-1)?.split(/[.?]/u)[0] ?? '';
  return stem === '' ? 'root' : decodeURIComponent(stem);
}

/** @throws MockError `SPEC_INVALID` where the document is not an OpenAPI document. */
function readDialect(
  document: Readonly<Record<string, unknown>>,
  file: string | undefined,
  findings: Finding[],
): Dialect {
  const declared = readOwnDialect(document);
  if (declared !== undefined) {
    const version = readVersion(document);
    const isKnown = /^(?:2|3)(?:\.[0-2](?:\.\d+)?(?:-.*)?)?$/u.test(version);
    if (!isKnown) findings.push(describeVersion(`version "${version}" of OpenAPI is unknown`, declared));
    return declared;
  }
  if (!isObject(document['paths']) && !isObject(document['webhooks'])) {
    const found = Object.keys(document).slice(0, 5).join(', ');
    const at = file === undefined ? {} : { file, line: 1, column: 1 };
    const hint = `its members are: ${found === '' ? 'none' : found}; an OpenAPI document starts with "openapi: 3.1.0"`;
    const reason = 'this is not an OpenAPI document: it has neither "openapi" nor "swagger"';
    throw new MockError('SPEC_INVALID', reason, { at, hint });
  }
  const assumed: Dialect = isObject(document['definitions']) || 'basePath' in document ? 20 : 31;
  findings.push(describeVersion('the document has neither "openapi" nor "swagger"', assumed));
  return assumed;
}

function describeVersion(message: string, dialect: Dialect): Finding {
  const names = { 20: 'Swagger 2.0', 30: 'OpenAPI 3.0', 31: 'OpenAPI 3.1' };
  return { code: 'VERSION_UNKNOWN', message, pointer: '', assumed: `it is read as ${names[dialect]}` };
}

function readOwnDialect(value: unknown): Dialect | undefined {
  if (!isObject(value)) return undefined;
  if (value['openapi'] !== undefined) return /^3(?:\.0|$)/u.test(readVersion(value)) ? 30 : 31;
  return value['swagger'] === undefined ? undefined : 20;
}

/** `openapi` or `swagger` as a string: without quotes, YAML reads 2.0 and 3.1 as numbers. */
function readVersion(document: Readonly<Record<string, unknown>>): string {
  const version = document['openapi'] ?? document['swagger'];
  return typeof version === 'string' ? version : JSON.stringify(version);
}

/** The assumptions where a mistake in the text of a file is tolerated. */
const ASSUMED = {
  DUPLICATE_KEY: 'the last one wins',
  FLOW_INDENT: 'the collection ends at its closing bracket',
  TRAILING_CONTENT: 'only the first document is read',
} as const;

function readNotes(files: readonly SourceFile[]): readonly Finding[] {
  return files.flatMap(({ notes, name }) =>
    notes.map(({ code, message, at }): Finding => {
      return { code, message, pointer: '', at: { file: name, ...at }, assumed: ASSUMED[code] };
    }),
  );
}

/** Keywords that apply a schema to the same value; all others apply theirs to a part of the value, which is smaller. */
const SAME_VALUE = ['not', 'if', 'then', 'else', 'allOf', 'anyOf', 'oneOf'];

/**
 * Removes references that lead a schema back to itself for the same value. JSON Schema 2020-12 core section 9.4.1 forbids them: a validator
 * that follows one does not end.
 */
function cutCircularReferences(document: Node): Pick<Bundle, 'document' | 'findings'> {
  const findings: Finding[] = [];
  let current: unknown = document;
  for (const pointer of findCircular(document)) {
    const at = `${pointer}/$ref`;
    const reference = readPointer(document, at);
    const message = `the reference "${String(reference)}" leads back to its own schema`;
    const assumed = 'anything is accepted there';
    findings.push({ code: 'SCHEMA_CIRCULAR', severity: 'error', message, pointer: at, assumed });
    current = changeAt(current, readSegments(pointer), (schema) =>
      isObject(schema) ? { ...omit(schema, '$ref'), 'x-vouch-unresolved': reference } : schema,
    );
  }
  // Only members of the document were changed.
  return { document: current as Node, findings };
}

/** Pointers of the schemas whose reference closes a circle. */
function findCircular(document: Node): readonly string[] {
  const done = new Set<string>();
  const open = new Set<string>();
  const found: string[] = [];
  const visit = (pointer: string): void => {
    if (done.has(pointer)) return;
    open.add(pointer);
    for (const [from, to] of listSameValueReferences(readPointer(document, pointer), pointer)) {
      if (open.has(to)) found.push(from);
      else visit(to);
    }
    open.delete(pointer);
    done.add(pointer);
  };
  for (const parent of listSchemaMaps(document)) {
    for (const [name] of readEntries(readPointer(document, parent))) visit(parent + toPointer(name));
  }
  return found;
}

/** The objects that have all possible targets of local references: shared schemas and copies. */
function listSchemaMaps(document: Node): readonly string[] {
  return ['/components/schemas', ...readEntries(document[FILES]).map(([file]) => toPointer(FILES, file))];
}

/** The references that apply to the same value as a schema: where each one is, and its target. */
function listSameValueReferences(schema: unknown, pointer: string): readonly (readonly [from: string, to: string])[] {
  if (!isObject(schema)) return [];
  const target = fromReference(schema['$ref']);
  const below = SAME_VALUE.flatMap((keyword) => {
    const value = schema[keyword];
    const at = `${pointer}/${keyword}`;
    if (!Array.isArray(value)) return listSameValueReferences(value, at);
    return value.flatMap((part: unknown, i) => listSameValueReferences(part, `${at}/${i}`));
  });
  return target === undefined ? below : [[pointer, target], ...below];
}
