import { readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, relative } from 'node:path';
import { URL, fileURLToPath } from 'node:url';
import { MockError } from '../../base/errors.js';
import { isInside } from '../../base/inside-folder.js';
import { isObject } from '../../base/json.js';
import { type ParsedText, parseDocument } from './parse.js';
import { isError } from '../../base/platform.js';

/** One file of a document. */
export interface SourceFile {
  /** Absolute, without fragment: `file:///…`, `https://…`, or `object:` for a document that came as an object. */
  readonly uri: string;
  /** The name in problems: relative to the working folder where the file is inside it. */
  readonly name: string | undefined;
  readonly text: string;
  readonly value: unknown;
  readonly notes: ParsedText['notes'];
}

/** All files of a document: the main file first, then the referenced ones in the order they were found. */
export interface SourceFiles {
  readonly files: readonly SourceFile[];
  /** URI of each file that could not be read -> the reason. */
  readonly failures: ReadonlyMap<string, string>;
}

/** Which files may be read. */
export interface ReadPolicy {
  readonly cwd: string;
  readonly allowHttp: boolean;
  /** The `host:port` of the URL that the user gave. */
  readonly trustedHost: string | undefined;
}

/** The maximum size of a file. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The maximum number of files of a document. */
const MAX_FILES = 10_000;

/** Loads the text at a URI. @throws Error with a message for the user. */
export async function loadText(uri: string, policy: ReadPolicy): Promise<string> {
  return (await loadBytes(uri, policy)).toString('utf8');
}

/** Loads the text at a URI, not yet decoded. @throws Error with a message for the user. */
export async function loadBytes(uri: string, policy: ReadPolicy): Promise<Buffer> {
  const url = new URL(uri);
  if (url.protocol === 'http:' || url.protocol === 'https:') {
    if (!policy.allowHttp && url.host !== policy.trustedHost)
      throw new Error('http(s) is not allowed (document.allowHttpRefs, --allow-http-refs)');
    // Loaded on demand: most documents are one file, and TLS costs start-up time.
    const { fetchText } = await import('./remote.js');
    return Buffer.from(await fetchText(url, policy.trustedHost));
  }
  if (url.protocol !== 'file:') throw new Error(`the protocol "${url.protocol}" is not supported`);
  const path = fileURLToPath(url);
  const about = statSync(path);
  if (!about.isFile()) throw new Error('it is not a file');
  if (about.size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES / 1024 / 1024} MB`);
  // An asynchronous call of the file system takes longer than to read a document of common size.
  return readFileSync(path);
}

/** A URI as the user knows it: a path relative to the working folder, or the path or URL itself. */
export function readDisplayName(uri: string, cwd: string): string {
  if (!uri.startsWith('file:')) return uri;
  const path = fileURLToPath(uri);
  const short = relative(cwd, path);
  return short === '' || short.startsWith('..') || isAbsolute(short) ? path : short;
}

/** Loads every file that the main file references, directly or not. A file that cannot be read is a failure, not an error. */
export async function loadSourceFiles(main: SourceFile, policy: ReadPolicy): Promise<SourceFiles> {
  const files: SourceFile[] = [main];
  const failures = new Map<string, string>();
  const known = new Set([main.uri]);
  for (let i = 0; i < files.length; i++) {
    const file = files[i];
    if (file === undefined) continue;
    const uris = readExternalUris(file).filter((uri) => !known.has(uri));
    for (const uri of uris) known.add(uri);
    if (known.size > MAX_FILES) {
      const message = `the document refers to more than ${MAX_FILES} files`;
      throw new MockError('SPEC_INVALID', message, { at: { file: main.name } });
    }
    const loaded = await Promise.all(uris.map((uri) => loadFile(uri, { policy, root: main, from: file, failures })));
    files.push(...loaded.filter((one) => one !== undefined));
  }
  return { files, failures };
}

/** Files that a document refers to for its descriptions. */
const TEXT_FILE = /\.(?:md|markdown|txt|html?)$/iu;

interface FileContext {
  readonly policy: ReadPolicy;
  /** The main file of the document. */
  readonly root: SourceFile;
  readonly from: SourceFile;
  readonly failures: Map<string, string>;
}

async function loadFile(uri: string, context: FileContext): Promise<SourceFile | undefined> {
  const { policy, from, failures } = context;
  try {
    if (uri.startsWith('file:') && from.uri.startsWith('http'))
      throw new Error('a document from the network may not read files');
    checkLinks(uri, context);
    const text = await loadText(uri, policy);
    const name = readDisplayName(uri, policy.cwd);
    const { value, notes } = TEXT_FILE.test(uri) ? { value: text, notes: [] } : parseDocument(text, name);
    return { uri, name, text, value, notes };
  } catch (error) {
    // Not everything that looks like a reference is one: it is reported where the file is needed.
    failures.set(uri, readReason(error));
    return undefined;
  }
}

/** A document that someone else wrote must not read other files through symbolic links. @throws Error */
function checkLinks(uri: string, { root, policy }: { readonly root: SourceFile; readonly policy: ReadPolicy }): void {
  if (!uri.startsWith('file:')) return;
  const path = fileURLToPath(uri);
  const folder = root.uri.startsWith('file:') ? dirname(fileURLToPath(root.uri)) : policy.cwd;
  // The packages of a workspace are links inside of the working folder.
  if (isInside(folder, path) || isInside(policy.cwd, path)) return;
  throw new Error('it is a symbolic link that leads out of the folder of the document: replace it by a copy');
}

function readReason(error: unknown): string {
  if (error instanceof MockError)
    return error.reason + (error.at?.line === undefined ? '' : ` (line ${error.at.line})`);
  if (!isError(error)) return String(error);
  return 'code' in error && error.code === 'ENOENT' ? 'there is no such file' : error.message;
}

/** Absolute URIs of the files a file refers to, each once. */
function readExternalUris(file: SourceFile): readonly string[] {
  const uris = new Set<string>();
  const queue: unknown[] = [file.value];
  for (let value = queue.pop(); value !== undefined; value = queue.pop()) {
    for (const reference of isObject(value) ? readOwnReferences(value) : []) {
      const uri = toUri(reference, file.uri);
      if (uri !== undefined && uri !== file.uri) uris.add(uri);
    }
    // A file of text has no members that are objects.
    for (const child of Object.values(value ?? {})) if (typeof child === 'object' && child !== null) queue.push(child);
  }
  return [...uris];
}

/** The external references of one object: its `$ref` and `$dynamicRef`, or the `mapping` of a discriminator. */
function readOwnReferences(value: Readonly<Record<string, unknown>>): readonly string[] {
  const own = [value['$ref'], value['$dynamicRef']].filter(
    (reference) => typeof reference === 'string' && !reference.startsWith('#'),
  ) as string[];
  const mapping = value['propertyName'] === undefined ? undefined : value['mapping'];
  if (!isObject(mapping)) return own;
  const isFile = (target: unknown): target is string =>
    typeof target === 'string' && /\.(?:ya?ml|json)(?:#|$)/u.test(target);
  return [...own, ...Object.values(mapping).filter(isFile)];
}

/** A reference without its fragment as an absolute URI; undefined where it is not valid. */
export function toUri(reference: string, base: string): string | undefined {
  const bare = reference.split('#', 1)[0] ?? '';
  if (bare === '') return base;
  return URL.canParse(bare, base) ? new URL(bare, base).href : undefined;
}
