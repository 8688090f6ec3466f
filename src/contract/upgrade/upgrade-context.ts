import type { Finding } from '../contract.js';
import type { Bindings, DynamicReferences, DynamicScope } from '../load/dynamic-references.js';
import type { ReferenceBase, References, ReferenceTarget } from '../load/references.js';
import type { SourceFile } from '../load/source-files.js';
import type { SourceMap } from '../load/source-map.js';
import { readPointer, toPointer } from '../pointer.js';
import type { Dialect, ObjectType, RepairContext } from './node.js';
import type { TaggedUnion } from './tagged-unions.js';

/** A node of a file, and where its copy will be in the bundled document. */
export interface NodeSource {
  readonly type: ObjectType;
  readonly value: unknown;
  /** The pointer of the copy. */
  readonly inner: string;
  readonly file: number;
  /** The pointer in the file. */
  readonly pointer: string;
  readonly dialect: Dialect;
  /** The dynamic anchors that are bound in this copy. */
  readonly bindings?: Bindings | undefined;
}

/** The state that an upgrade reads and writes. */
export interface UpgradeParts {
  readonly references: References;
  readonly sourceMap: SourceMap;
  readonly findings: Finding[];
  readonly files: readonly SourceFile[];
  /** Receives the pointer of each schema that may require what it forbids. */
  readonly suspects: string[];
  /** Receives each union with a discriminator. */
  readonly unions: TaggedUnion[];
  /** The local reference to a target, which is copied where necessary; undefined where there are too many copies for other bindings. */
  readonly placeTarget: (target: ReferenceTarget, type: ObjectType, bindings?: Bindings) => string | undefined;
  /** Undefined where the document has no `$dynamicRef`. */
  readonly dynamic: DynamicReferences | undefined;
}

/** The node that is being upgraded. */
export interface Position {
  source: NodeSource;
  /** The base of relative references. */
  base: ReferenceBase;
  /** Undefined outside of schemas, and where the document has no `$dynamicRef`. */
  scope: DynamicScope | undefined;
  /** From the source to the node. */
  readonly path: string[];
}

/** The local reference to a schema, with its dynamic anchors bound as they are at the current node. */
type SchemaPlacer = (target: ReferenceTarget) => string | undefined;

/** The maximum number of schemas that are copied because of dynamic anchors that are bound to other schemas. */
export const MAX_BOUND_COPIES = 2000;

/** The context of the current node: one object for all nodes, because every node needs it. */
export function createContext(
  parts: UpgradeParts,
  position: Position,
): RepairContext & { readonly placeSchema: SchemaPlacer } {
  const { references, sourceMap, findings, files, placeTarget } = parts;
  const resolved = new Map<string, string>();
  const targets = new Map<string, ReferenceTarget>();
  const pointerOf = (inside: readonly string[] = []): string =>
    position.source.inner + toPointer(...position.path, ...inside);
  const requireTarget: RepairContext['requireTarget'] = (reference, inside = [], assumed = 'it is ignored') => {
    const target = references.find(reference, position.base);
    if (typeof target !== 'string') return target;
    findings.push({
      code: /^http\(s\)|private network/u.test(target) ? 'REFERENCE_REFUSED' : 'REFERENCE_UNRESOLVED',
      severity: 'error',
      message: `the reference "${reference}" cannot be resolved: ${target}`,
      pointer: pointerOf([...inside, '$ref']),
      assumed,
    });
    return undefined;
  };
  const placeSchema = createSchemaPlacer(parts, position, pointerOf);
  const resolveReference: RepairContext['resolveReference'] = (type, reference) => {
    const key = `${position.base.file} ${type} ${position.base.pointer} ${reference}`;
    if (type === 'schema' && position.scope !== undefined) {
      const found = targets.get(key) ?? requireTarget(reference, [], 'anything is accepted there');
      if (found !== undefined) targets.set(key, found);
      return found && placeSchema(found);
    }
    const before = resolved.get(key);
    if (before !== undefined) return before;
    const target = requireTarget(reference, [], type === 'schema' ? 'anything is accepted there' : undefined);
    const local = target && placeTarget(target, type);
    if (local !== undefined) resolved.set(key, local);
    return local;
  };
  return {
    get dialect() {
      return position.source.dialect;
    },
    pointerOf,
    requireTarget,
    placeSchema,
    resolveReference,
    findTarget: (reference) => {
      const target = references.find(reference, position.base);
      return typeof target === 'string' ? undefined : target.value;
    },
    report: (message, assumed, { inside, ...more } = {}) =>
      void findings.push({ code: 'SCHEMA_REPAIRED', ...more, message, pointer: pointerOf(inside), assumed }),
    recordMove: (to, from) => {
      const { file, pointer } = sourceMap.find(pointerOf());
      sourceMap.add(pointerOf(to), { file, pointer: pointer + toPointer(...from) });
    },
    readRootField: (name) =>
      readPointer(files[position.source.file]?.value, `/${name}`) ?? readPointer(files[0]?.value, `/${name}`),
  };
}

/** Creates the function that refers to schemas; the first one that is not copied because of the limit is reported. */
function createSchemaPlacer(
  { findings, placeTarget, dynamic }: UpgradeParts,
  position: Position,
  pointerOf: () => string,
): SchemaPlacer {
  let isReported = false;
  return (target) => {
    const bindings = position.scope && dynamic?.narrow(position.scope, target);
    const local = placeTarget(target, 'schema', bindings);
    if (local !== undefined || isReported) return local;
    isReported = true;
    const message = `the $dynamicRefs of the document need more than ${MAX_BOUND_COPIES} copies of schemas`;
    const assumed = 'anything is accepted where one more is needed';
    findings.push({ code: 'DYNAMIC_REFERENCES', severity: 'error', message, pointer: pointerOf(), assumed });
    return undefined;
  };
}
