import type { Kind } from './grammar.js';
import type { Origins } from './origins.js';
import { toPointer } from './pointer.js';
import type { Finding } from './problem.js';
import type { ReferenceBase, References, ReferenceTarget } from './references.js';
import { isObject } from './schema.js';
import type { Dialect, Site } from './site.js';
import type { SourceFile } from './source-files.js';

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
export interface WalkParts {
  readonly references: References;
  readonly origins: Origins;
  readonly findings: Finding[];
  readonly files: readonly SourceFile[];
  /** The inner reference to a target, which is copied if it must be. */
  readonly place: (target: ReferenceTarget, kind: Kind) => string;
}

/** Where a walk is. */
export interface Cursor {
  job: Job;
  base: ReferenceBase;
  /** The steps from the job's node to this one. */
  readonly path: string[];
}

/** What repairs are told and tell, and the references of the place the cursor is at. */
export interface WalkSite extends Site {
  /** The inner reference to what a reference written here leads to; reports it where it leads nowhere. */
  toInner(kind: Kind, reference: string): string | undefined;
  /** The pointer of the cursor, or of something inside it, in the inner document. */
  here(inside?: readonly string[]): string;
}

/** The site at a cursor: one object for the whole walk, because it is asked at every node. */
export function createSite(parts: WalkParts, cursor: Cursor): WalkSite {
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
