import { MockError } from '../../errors.js';
import type { Finding } from '../contract.js';
import { isObject, setOwn } from '../json.js';
import type { ReferenceBase, References, ReferenceTarget } from '../load/references.js';
import type { SourceFile } from '../load/source-files.js';
import type { Origins } from '../load/source-map.js';
import { toPointer } from '../pointer.js';
import {
  type Dialect,
  isReferable,
  type Kind,
  type Member,
  type Node,
  omit,
  quote,
  readMember,
  type Site,
} from './node.js';
import { readTypeName } from './repair-keywords.js';
import { repairNode } from './repair-objects.js';

/** Makes upgraded copies of nodes. */
interface Walker {
  /** The node upgraded, with all that is below it; undefined where nothing of it can be used. Parts without change are shared. */
  walk(job: Job): unknown;
}

/** More nodes than any real document has: a text that makes more is made to hurt. */
const NODES_LIMIT = 5_000_000;

/** Deeper, in steps of a pointer, than any real document nests. */
const DEPTH_LIMIT = 600;

/** Kinds that are served as well with nothing in them, and so survive an empty YAML value. */
const HARMLESS_EMPTY: ReadonlySet<Kind> = new Set<Kind>(['mediaType', 'operation', 'pathItem', 'response']);

/** One walk over the nodes of all files. */
interface Walk {
  readonly parts: WalkParts;
  readonly cursor: Cursor;
  readonly site: WalkSite;
  nodes: number;
}

/** A walker over the files of one document. */
export function createWalker(parts: WalkParts): Walker {
  const job: Job = { kind: 'document', value: undefined, inner: '', file: 0, pointer: '', dialect: 31 };
  const cursor: Cursor = { job, base: parts.references.rootBase(0), path: [] };
  const walk: Walk = { parts, cursor, site: createSite(parts, cursor), nodes: 0 };
  return {
    walk: (next) => {
      cursor.job = next;
      cursor.base = parts.references.baseAt(next.file, next.pointer);
      cursor.path.length = 0;
      return visit(walk, next.kind, next.value) ?? replaceMistyped(walk, next.kind, next.value);
    },
  };
}

function visit(walk: Walk, kind: Kind, value: unknown): unknown {
  if (kind === 'schema' && typeof value === 'boolean') return value;
  if (!isObject(value)) return undefined;
  const { cursor, site, parts } = walk;
  walk.nodes += 1;
  if (walk.nodes > NODES_LIMIT || cursor.path.length > DEPTH_LIMIT) throw tooMuch(walk);
  const visitAny = '$ref' in value && isReferable(kind) ? visitReference : visitNode;
  if (kind !== 'schema' || typeof value['$id'] !== 'string') return visitAny(walk, kind, value);
  const outer = cursor.base;
  cursor.base = parts.references.enter(value['$id'], parts.origins.find(site.here()).pointer, outer);
  const node = visitAny(walk, kind, value);
  cursor.base = outer;
  return node;
}

/** OpenAPI 3.0 section 4.7.23 and 3.1 section 4.8.23: what stands beside a `$ref` counts in 3.1's schemas and in path items only. */
function visitReference(walk: Walk, kind: Kind, value: Node): unknown {
  const { site, cursor } = walk;
  const reference = value['$ref'];
  if (typeof reference !== 'string') {
    const message = `"$ref" cannot be ${quote(reference)}`;
    site.report({ code: 'TYPE_MISMATCH', message, assumed: 'it is left out', inside: ['$ref'] });
    return visitNode(walk, kind, omit(value, '$ref'));
  }
  const keepsSiblings = kind === 'pathItem' || (kind === 'schema' && cursor.job.dialect === 31);
  if (keepsSiblings && Object.keys(value).length > 1) return visitNode(walk, kind, value);
  const inner = site.toInner(kind, reference);
  if (inner !== undefined) return { $ref: inner };
  return kind === 'schema' ? { 'x-vouch-unresolved': reference } : undefined;
}

function visitNode(walk: Walk, kind: Kind, value: Node): Node {
  const node = repairNode(kind, value, walk.site);
  const dynamic = kind === 'schema' ? findDynamic(walk, node) : undefined;
  if (dynamic !== undefined) return { ...visitMembers(walk, kind, omit(node, '$dynamicRef')), ...dynamic };
  const reference = isReferable(kind) ? node['$ref'] : undefined;
  if (typeof reference !== 'string') return visitMembers(walk, kind, node);
  const inner = walk.site.toInner(kind, reference);
  if (inner !== undefined) return visitMembers(walk, kind, { ...node, $ref: inner });
  const unresolved = kind === 'schema' ? { 'x-vouch-unresolved': reference } : {};
  return visitMembers(walk, kind, { ...omit(node, '$ref'), ...unresolved });
}

/** A dynamic reference that can lead to one place only is a plain one; the others keep their meaning for the validator. */
function findDynamic(walk: Walk, node: Node): Node | undefined {
  const reference = node['$dynamicRef'];
  if (typeof reference !== 'string' || node['$ref'] !== undefined) return undefined;
  const { references, place } = walk.parts;
  const anchor = reference.startsWith('#') ? references.findDynamicAnchor(reference.slice(1)) : undefined;
  if (anchor !== undefined) return { $ref: place(anchor, 'schema') };
  const target = references.find(reference, walk.cursor.base);
  if (typeof target === 'string') {
    // It leads nowhere, which is told like any other reference that does.
    walk.site.toInner('schema', reference);
    return { 'x-vouch-unresolved': reference };
  }
  if (isObject(target.value) && '$dynamicAnchor' in target.value) return undefined;
  return { $ref: place(target, 'schema') };
}

function visitMembers(walk: Walk, kind: Kind, node: Node): Node {
  const { path } = walk.cursor;
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(node)) {
    const member = readMember(kind, name);
    if (member === undefined) continue;
    path.push(name);
    const value = visitMember(walk, member, node[name]);
    path.pop();
    if (value === node[name]) continue;
    copy ??= { ...node };
    if (value === undefined) delete copy[name];
    else setOwn(copy, name, value);
  }
  return copy ?? node;
}

function visitMember(walk: Walk, member: Member, value: unknown): unknown {
  const { kind, shape } = member;
  if (shape === 'one') return visit(walk, kind, value) ?? replaceMistyped(walk, kind, value);
  if (shape === 'list') return Array.isArray(value) ? visitList(walk, kind, value) : leaveOut(walk, 'a list', value);
  return isObject(value) ? visitMap(walk, kind, value) : leaveOut(walk, 'a map', value);
}

function visitMap(walk: Walk, kind: Kind, map: Node): Node {
  const { path } = walk.cursor;
  // Paths and responses may be extended; among properties and components `x-…` is a name like any other.
  const hasExtensions = kind === 'pathItem' || kind === 'response' || kind === 'operation';
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(map)) {
    if (hasExtensions && name.startsWith('x-')) continue;
    path.push(name);
    const value = visit(walk, kind, map[name]) ?? replaceMistyped(walk, kind, map[name]);
    path.pop();
    if (value === map[name]) continue;
    copy ??= { ...map };
    if (value === undefined) delete copy[name];
    else setOwn(copy, name, value);
  }
  return copy ?? map;
}

/** A list keeps its length, so that the pointers of what is in it stay true: null stands for what is left out. */
function visitList(walk: Walk, kind: Kind, list: readonly unknown[]): readonly unknown[] {
  const { path } = walk.cursor;
  let isChanged = false;
  const copy = list.map((item, index) => {
    path.push(String(index));
    const value = visit(walk, kind, item) ?? replaceMistyped(walk, kind, item) ?? null;
    path.pop();
    isChanged ||= value !== item;
    return value;
  });
  return isChanged ? copy : list;
}

/** What stands in the place of a value that is no node; undefined leaves it out. */
function replaceMistyped(walk: Walk, kind: Kind, value: unknown): unknown {
  // A reference that led nowhere was reported where it stands.
  if (isObject(value)) return undefined;
  const meant = kind === 'schema' ? readTypeName(value) : undefined;
  const message = `${quote(value)} stands where a ${kind} is expected`;
  if (meant !== undefined) {
    walk.site.report({ code: 'TYPE_MISMATCH', message, assumed: `it means ${quote(meant)}` });
    return meant;
  }
  const isEmpty = kind === 'schema' || (value === null && HARMLESS_EMPTY.has(kind));
  walk.site.report({ code: 'TYPE_MISMATCH', message, assumed: isEmpty ? 'it is empty' : 'it is left out' });
  return isEmpty ? {} : undefined;
}

function leaveOut(walk: Walk, wanted: string, value: unknown): undefined {
  // An empty YAML value is an empty map or list.
  if (value === null) return undefined;
  const message = `${quote(value)} stands where ${wanted} is expected`;
  walk.site.report({ code: 'TYPE_MISMATCH', message, assumed: 'it is left out' });
  return undefined;
}

function tooMuch({ nodes, cursor, site, parts }: Walk): MockError {
  const file = parts.files[cursor.job.file]?.name;
  const what = nodes > NODES_LIMIT ? `has more than ${NODES_LIMIT} nodes` : `nests deeper than ${DEPTH_LIMIT} steps`;
  const pointer = site.here().slice(0, 200);
  return new MockError('SPEC_INVALID', `the document ${what}`, {
    at: file === undefined ? { pointer } : { file, pointer },
    hint: 'a schema that contains itself is written as a $ref to itself',
  });
}

/** One node to be walked, and where its copy will stand. */
export interface Job {
  readonly kind: Kind;
  readonly value: unknown;
  /** The pointer of the copy in the inner document. */
  readonly inner: string;
  readonly file: number;
  /** The pointer in the file. */
  readonly pointer: string;
  readonly dialect: Dialect;
}

/** What a walk needs and fills. */
interface WalkParts {
  readonly references: References;
  readonly origins: Origins;
  readonly findings: Finding[];
  readonly files: readonly SourceFile[];
  /** The inner reference to a target, which is copied if it must be. */
  readonly place: (target: ReferenceTarget, kind: Kind) => string;
}

/** Where a walk is. */
interface Cursor {
  job: Job;
  base: ReferenceBase;
  /** The steps from the job's node to this one. */
  readonly path: string[];
}

/** What repairs are told and tell, and the references of the place the cursor is at. */
interface WalkSite extends Site {
  /** The inner reference to what a reference written here leads to; reports it where it leads nowhere. */
  toInner(kind: Kind, reference: string): string | undefined;
  /** The pointer of the cursor, or of something inside it, in the inner document. */
  here(inside?: readonly string[]): string;
}

/** The site at a cursor: one object for the whole walk, because it is asked at every node. */
function createSite(parts: WalkParts, cursor: Cursor): WalkSite {
  const { references, origins, findings, files, place } = parts;
  const inner = new Map<string, string | undefined>();
  const here = (inside: readonly string[] = []): string => cursor.job.inner + toPointer(...cursor.path, ...inside);
  const findInner = (kind: Kind, reference: string): string | undefined => {
    const target = references.find(reference, cursor.base);
    return typeof target === 'string' ? undefined : place(target, kind);
  };
  const toInner = (kind: Kind, reference: string): string | undefined => {
    const { base } = cursor;
    const key = `${base.file} ${base.pointer} ${kind} ${reference}`;
    if (!inner.has(key)) inner.set(key, findInner(kind, reference));
    const found = inner.get(key);
    if (found === undefined)
      findings.push(describeUnresolved({ kind, reference, pointer: here(['$ref']) }, references, base));
    return found;
  };
  return {
    get dialect() {
      return cursor.job.dialect;
    },
    here,
    toInner,
    toInnerSchema: (reference) => toInner('schema', reference),
    report: ({ code = 'SCHEMA_REPAIRED', severity = 'warning', message, assumed, inside }) =>
      void findings.push({ code, severity, message, pointer: here(inside), assumed }),
    moved: (to, from) => {
      const { file, pointer } = origins.find(here());
      origins.add(here(to), { file, pointer: pointer + toPointer(...from) });
    },
    find: (reference) => {
      const target = references.find(reference, cursor.base);
      return typeof target === 'string' ? undefined : target;
    },
    readRoot: (name) => readRoot(files[cursor.job.file], name) ?? readRoot(files[0], name),
  };
}

function readRoot(file: SourceFile | undefined, name: string): unknown {
  return isObject(file?.value) ? file.value[name] : undefined;
}

function describeUnresolved(
  from: { readonly kind: Kind; readonly reference: string; readonly pointer: string },
  references: References,
  base: ReferenceBase,
): Finding {
  const { kind, reference, pointer } = from;
  const target = references.find(reference, base);
  const reason = typeof target === 'string' ? target : 'nothing stands there';
  const isRefused = reason.startsWith('http(s)') || reason.includes('private network');
  return {
    code: isRefused ? 'REFERENCE_REFUSED' : 'REFERENCE_UNRESOLVED',
    severity: 'error',
    message: `the reference "${reference}" leads nowhere: ${reason}`,
    pointer,
    assumed: kind === 'schema' ? 'anything is accepted there' : 'it is left out',
  };
}
