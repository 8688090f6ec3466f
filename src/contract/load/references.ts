import { addTo, isObject } from '../../base/json.js';
import { decodeText, readEntries, readPointer, readSegments, toPointer } from '../pointer.js';
import { SCHEMA_MAPS } from '../upgrade/node.js';
import { type SourceFile, type SourceFiles, toUri } from './source-files.js';

/** The file of a reference and the URI it is relative to, which an `$id` around it can change. */
export interface ReferenceBase {
  readonly file: number;
  readonly uri: string;
  /** The pointer of the schema with that URI, or of the root. */
  readonly pointer: string;
}

/** The target of a reference. */
export interface ReferenceTarget extends Identified {
  readonly value: unknown;
}

/** Resolves references in all files of a document. */
export interface References {
  /** The target, or the reason why the reference cannot be resolved. */
  find(reference: string, base: ReferenceBase): ReferenceTarget | string;
  /** Whether the targets of a reference are only references to each other. */
  isCircular(reference: string, base: ReferenceBase): boolean;
  /** The base of a file's root. */
  rootBase(file: number): ReferenceBase;
  /** The base at a pointer of a file: the innermost `$id` around it. */
  baseAt(file: number, pointer: string): ReferenceBase;
  /** The base inside a schema with that `$id` at that pointer. */
  enter(id: string, pointer: string, base: ReferenceBase): ReferenceBase;
  /** The value at a place. */
  read(target: Identified): ReferenceTarget;
  /** The schemas with a `$dynamicAnchor`, by its name. */
  readonly dynamicAnchors: ReadonlyMap<string, readonly DynamicAnchor[]>;
}

/** The place of a value, such as an `$id`, `$anchor` or `$self`, in one of the files. */
export type Identified = { readonly file: number; readonly pointer: string };

/** A schema with a `$dynamicAnchor`. */
export interface DynamicAnchor extends Identified {
  /** The pointer of the innermost schema with an `$id` around it, or of the root. */
  readonly resource: string;
}

/** All schemas with a URI or an anchor. */
interface Index {
  readonly files: readonly SourceFile[];
  readonly byUri: ReadonlyMap<string, Identified>;
  readonly dynamic: ReadonlyMap<string, readonly DynamicAnchor[]>;
}

/** Finds the bases of references in some files. */
function createBases(files: readonly SourceFile[]): Pick<References, 'baseAt' | 'enter' | 'rootBase'> {
  const rootBase = (file: number): ReferenceBase => ({ file, uri: readSelf(files[file]), pointer: '' });
  const enter: References['enter'] = (id, pointer, base) => ({
    file: base.file,
    uri: toUri(id, base.uri) ?? base.uri,
    pointer,
  });
  const baseAt: References['baseAt'] = (file, pointer) => {
    let base = rootBase(file);
    if (files[file]?.text.includes('$id') !== true) return base;
    const segments = readSegments(pointer);
    for (let length = 1; length < segments.length; length++) {
      const here = toPointer(...segments.slice(0, length));
      const value = readPointer(files[file].value, here);
      if (isObject(value) && typeof value['$id'] === 'string') base = enter(value['$id'], here, base);
    }
    return base;
  };
  return { rootBase, enter, baseAt };
}

/** Longer chains of references in place of maps are circular. */
const MAX_INCLUDES = 32;

/** The references of a set of files. */
export function createReferences({ files, failures }: SourceFiles): References {
  const index = indexFiles(files);
  const { byUri, dynamic } = index;
  const bases = createBases(files);
  let includes = 0;
  /** The target of a pointer that leads through a reference in place of a map: `responses: { $ref: responses.yaml }`. */
  const findIncluded = ({ file, pointer }: Identified): ReferenceTarget | undefined => {
    const segments = readSegments(pointer);
    for (let length = 0; length < segments.length; length++) {
      const here = toPointer(...segments.slice(0, length));
      const value = readPointer(files[file]?.value, here);
      if (!isObject(value)) return undefined;
      if (Object.hasOwn(value, segments[length] ?? '')) continue;
      if (typeof value['$ref'] !== 'string' || includes >= MAX_INCLUDES) return undefined;
      includes += 1;
      const target = find(value['$ref'], bases.baseAt(file, here));
      const rest = toPointer(...segments.slice(length));
      const found = typeof target === 'string' ? undefined : findTarget({ ...target, pointer: target.pointer + rest });
      includes -= 1;
      return found;
    }
    return undefined;
  };
  const findTarget = (target: Identified): ReferenceTarget | undefined => {
    const found = readTarget(files, target);
    return found.value === undefined ? findIncluded(target) : found;
  };
  const find: References['find'] = (reference, base) => {
    const hash = reference.indexOf('#');
    const fragment = hash < 0 ? '' : reference.slice(hash + 1);
    if (hash === 0) return findFragment(index, base, { uri: base.uri, fragment, findTarget });
    const fileUri = files[base.file]?.uri ?? '';
    const uris = [toUri(reference, base.uri), toUri(reference, fileUri)].filter((uri) => uri !== undefined);
    for (const uri of uris) {
      const resource = byUri.get(uri);
      if (resource !== undefined) return findFragment(index, resource, { uri, fragment, findTarget });
    }
    const named = findByName(files, base.file, reference);
    if (named !== undefined) return named;
    const failure = uris.map((uri) => failures.get(uri)).find((reason) => reason !== undefined);
    return failure ?? 'it is not a valid URI reference';
  };
  return {
    ...bases,
    find,
    isCircular: (reference, base) => {
      const seen = new Set<string>();
      let target = find(reference, base);
      while (typeof target !== 'string' && isObject(target.value) && typeof target.value['$ref'] === 'string') {
        const { size } = seen;
        if (seen.add(`${target.file} ${target.pointer}`).size === size) return true;
        target = find(target.value['$ref'], bases.baseAt(target.file, target.pointer));
      }
      return false;
    },
    read: (target) => readTarget(files, target),
    dynamicAnchors: dynamic,
  };
}

function indexFiles(files: readonly SourceFile[]): Index {
  const byUri = new Map<string, Identified>();
  const dynamic = new Map<string, DynamicAnchor[]>();
  files.forEach((file, number) => {
    byUri.set(file.uri, { file: number, pointer: '' });
    if (/\$(?:id|anchor|dynamicAnchor|self)\b/u.test(file.text)) collectIdentifiers(file, number, { byUri, dynamic });
  });
  return { files, byUri, dynamic };
}

function readTarget(files: readonly SourceFile[], target: Identified): ReferenceTarget {
  return { ...target, value: readPointer(files[target.file]?.value, target.pointer) };
}

/** The target of the fragment of a reference: an anchor or a pointer. */
function findFragment(
  { files, byUri }: Index,
  resource: Identified,
  given: {
    readonly uri: string;
    readonly fragment: string;
    readonly findTarget: (target: Identified) => ReferenceTarget | undefined;
  },
): ReferenceTarget | string {
  const { uri, fragment, findTarget } = given;
  if (fragment !== '' && !fragment.startsWith('/')) {
    const anchor = byUri.get(`${uri}#${fragment}`) ?? byUri.get(`${files[resource.file]?.uri}#${fragment}`);
    return anchor === undefined ? `there is no $anchor "${fragment}"` : readTarget(files, anchor);
  }
  // Pointers are relative to the innermost $id, but many documents mean the root.
  for (const start of new Set([resource.pointer, ''])) {
    for (const pointer of new Set([start + decodeText(fragment), start + fragment])) {
      const target = findTarget({ file: resource.file, pointer });
      if (target !== undefined) return target;
    }
  }
  return 'there is no such value';
}

/** `$ref: Pet` means `#/definitions/Pet` (Swagger 1.2), and is still used. */
function findByName(files: readonly SourceFile[], file: number, name: string): ReferenceTarget | undefined {
  if (!/^[\w.-]+$/u.test(name)) return undefined;
  for (const parent of [['components', 'schemas'], ['definitions']]) {
    const pointer = toPointer(...parent, name);
    const value = readPointer(files[file]?.value, pointer);
    if (value !== undefined) return { file, pointer, value };
  }
  return undefined;
}

/** OpenAPI 3.2 section 4.1.2: `$self` is the URI of the document, relative to where it was loaded from. */
function readSelf(file: SourceFile | undefined): string {
  if (file === undefined) return '';
  const self = isObject(file.value) ? file.value['$self'] : undefined;
  return (typeof self === 'string' ? toUri(self, file.uri) : undefined) ?? file.uri;
}

/** Members that contain data, in which an `$id` is a value. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'example', 'examples', 'value', 'dataValue']);

/** Members whose own members are named by the author. */
const MAPS: ReadonlySet<string> = new Set([...SCHEMA_MAPS, 'schemas']);

function collectIdentifiers(
  file: SourceFile,
  index: number,
  found: { readonly byUri: Map<string, Identified>; readonly dynamic: Map<string, DynamicAnchor[]> },
): void {
  const self = readSelf(file);
  found.byUri.set(self, { file: index, pointer: '' });
  const visit = (value: unknown, pointer: string, { uri, resource }: { uri: string; resource: string }): void => {
    if (Array.isArray(value)) value.forEach((item, i) => visit(item, `${pointer}/${i}`, { uri, resource }));
    if (!isObject(value)) return;
    const here = { file: index, pointer };
    const { $id: id, $anchor: anchor, $dynamicAnchor: dynamicAnchor } = value;
    const isResource = typeof id === 'string' && pointer !== '';
    const own = isResource ? (toUri(id, uri) ?? uri) : uri;
    const inside = { uri: own, resource: isResource ? pointer : resource };
    if (own !== uri) found.byUri.set(own, here);
    if (typeof anchor === 'string') found.byUri.set(`${own}#${anchor}`, here);
    if (typeof dynamicAnchor === 'string') {
      found.byUri.set(`${own}#${dynamicAnchor}`, here);
      addTo(found.dynamic, dynamicAnchor, { ...here, resource: inside.resource });
    }
    for (const [name, child] of Object.entries(value)) {
      if (DATA.has(name) || name.startsWith('x-')) continue;
      const at = pointer + toPointer(name);
      if (!MAPS.has(name)) visit(child, at, inside);
      else for (const [key, member] of readEntries(child)) visit(member, at + toPointer(key), inside);
    }
  };
  visit(file.value, '', { uri: self, resource: '' });
}
