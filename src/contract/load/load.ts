import { hasExact, LONG_INTEGER } from '../../base/exact-json.js';
import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isUtf8 } from 'node:buffer';
import { URL, fileURLToPath, pathToFileURL } from 'node:url';
import { MockError, nearest, type Place, toReason } from '../../base/errors.js';
import { type Contract, type Finding, toProblem } from '../contract.js';
import { followReferences, readEntries, readPointer, readString } from '../pointer.js';
import { isObject, type Schema } from '../../base/json.js';
import type { Operation } from '../operations/operation.js';
import { outlineOperation } from '../operations/outline.js';
import { readOperations, readOutlined, readSecuritySchemes } from '../operations/path-item.js';
import { bundleFiles } from './bundle.js';
import { type CachedDocument, createDocumentCache, digestText, type DocumentCache, readCacheKey } from './cache.js';
import { createLineFinder, createSourceMap, type SourceMap } from './source-map.js';
import type { OverlayText } from './overlay.js';
import { parseDocument } from './parse.js';
import type { Preset, PresetChoice } from './presets.js';
import {
  loadBytes,
  loadSourceFiles,
  loadText,
  readDisplayName,
  type ReadPolicy,
  type SourceFile,
} from './source-files.js';
import { readCacheFolder } from '../../base/package-folder.js';
import { delay, isError, isUrl } from '../../base/platform.js';

/** Options for loading a document. */
export interface LoadOptions {
  /** Allows references over http(s) to other hosts than that of the document, except to this machine and private networks. Default false. */
  readonly allowHttpRefs?: boolean;
  /** Paths of Overlay documents, applied to the main file in order. */
  readonly overlays?: readonly string[];
  /** Names of properties and parameters by what they mean: rows of `x-mock.conventions`, after the overlays. */
  readonly conventions?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** A preset of the vendor's document, applied before the overlays; `auto` for the one that fits. Default none. */
  readonly preset?: PresetChoice;
  /** The folder of the document cache, or `false` for none. Default `node_modules/.cache/vouch`, else the cache folder of the user. */
  readonly cacheFolder?: string | false;
  /** The base of relative paths. Default the working folder of the process. */
  readonly cwd?: string;
}

/** The minimum size for the default cache: smaller documents load faster without it. */
const CACHE_FROM_BYTES = 20_000;

/**
 * Loads an OpenAPI document (2.0, 3.0, 3.1 or 3.2; JSON or YAML; one file or many) as a contract.
 *
 * @param spec - A path, a `file:` or `http(s):` URL, or the document itself, which is not changed.
 * @throws MockError `SPEC_NOT_FOUND`, `SPEC_UNREADABLE`, `SPEC_INVALID` or `OVERLAY_INVALID`. Smaller mistakes are `problems`.
 */
export async function loadContract(spec: string | URL | object, options: LoadOptions = {}): Promise<Contract> {
  return (await loadWithFacts(spec, options)).contract;
}

/** The values computed from a contract, in the cache beside its document: plain data, maps and sets. */
interface KeptFacts {
  read(name: string): unknown;
  /** Writes after the first requests. */
  write(name: string, compute: () => unknown): void;
}

/** A contract; nothing computed from it is kept where its document is not. */
interface WithFacts {
  readonly contract: Contract;
  readonly facts: KeptFacts | undefined;
}

/** The delay before something is written, so that it does not slow down the start and the first requests. */
const CACHE_DELAY_MS = 250;

/** As `loadContract`, with the cache for what is computed from the contract. @throws MockError as `loadContract` does. */
export async function loadWithFacts(spec: string | URL | object, options: LoadOptions): Promise<WithFacts> {
  const cwd = options.cwd ?? process.cwd();
  const main = await loadMain(spec, cwd);
  try {
    const overlays = await Promise.all((options.overlays ?? []).map((path) => loadOverlay(path, cwd)));
    const added = options.conventions === undefined ? [] : [toOverlay(options.conventions)];
    return await loadWhole(main, [...overlays, ...added], { ...options, cwd });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // The document passes the limits on nesting, and the stack is still too small.
    const hint = 'write a schema that contains itself as a $ref to itself';
    const at = { file: main.name };
    throw new MockError('SPEC_INVALID', 'the document is nested too deeply', { at, hint, cause: error });
  }
}

/** A file of a loaded document. */
interface LoadedFile {
  readonly uri: string;
  readonly name: string | undefined;
  /** The SHA-256 of its text. */
  readonly hash: string;
  /** Decodes its text: only the bytes stay in memory, which take half of the space at most. */
  readonly readText: () => string;
}

/** A bundled document, from its text or from the cache. */
interface Loaded {
  readonly document: Readonly<Record<string, unknown>>;
  readonly findings: readonly Finding[];
  readonly operations: readonly Operation[];
  readonly origins: SourceMap;
  readonly files: readonly LoadedFile[];
  /** The name of the preset that was applied. */
  readonly preset: string | undefined;
  /** The URIs of referenced files that could not be read: where there are any, the next start may give another result. */
  readonly unread: readonly string[];
  /** Whether an example has an integer that a double cannot represent. */
  readonly hasExact?: boolean;
}

async function loadWhole(
  main: MainText,
  overlays: readonly OverlayText[],
  options: LoadOptions & { readonly cwd: string },
): Promise<WithFacts> {
  const policy: ReadPolicy = { cwd: options.cwd, allowHttp: options.allowHttpRefs === true, trustedHost: main.host };
  const cache = openCache(main, options);
  const { preset = false } = options;
  const presets = preset === false ? [] : (await import('./presets.js')).loadPresets(preset);
  // The URI is the base of relative references, the policy decides which are followed, and the folder gives files their names.
  const parts = [
    main.uri,
    policy.cwd,
    String(policy.allowHttp),
    main.hash,
    preset,
    ...[...presets, ...overlays].map(({ text }) => text),
  ].map(String);
  const key = cache === undefined ? '' : readCacheKey(parts);
  const cached = cache?.read(key);
  const known = cached === undefined ? undefined : await readCached(cached, main, policy);
  const loaded = known ?? (await bundle(main, { overlays, presets }, policy));
  const places = new Map(known === undefined ? [] : cached?.places);
  const hash = digestText(
    [
      ...loaded.files.map((file) => file.hash),
      ...[...presets.filter(({ name }) => name === loaded.preset), ...overlays].map(({ text }) => digestText(text)),
    ].join(),
  );
  const contract = createContract(loaded, hash, createLocate(loaded, places));
  // A cache has numbers of JavaScript only.
  if (cache === undefined || loaded.unread.length > 0 || loaded.hasExact === true)
    return { contract, facts: undefined };
  const writeDocument = (): Promise<void> => cache.write(key, toEntry(loaded, contract, places));
  const writeLater = (write: () => Promise<void>): void => void delay(CACHE_DELAY_MS).then(write);
  // The default cache does not delay the first requests.
  if (known === undefined && options.cacheFolder === undefined) writeLater(writeDocument);
  else if (known === undefined) await writeDocument();
  const toFactsKey = (name: string): string => readCacheKey([key, hash, name]);
  const facts: KeptFacts = {
    read: (name) => cache.readFacts(toFactsKey(name)),
    write: (name, compute) => writeLater(() => cache.writeFacts(toFactsKey(name), compute())),
  };
  return { contract, facts };
}

function toEntry(
  { document, findings, operations, origins, files, preset }: Loaded,
  { problems }: Contract,
  places: ReadonlyMap<string, Place>,
): CachedDocument {
  // Reading a place adds it to `places`.
  for (const problem of problems) void problem.at;
  const paths = new Set(readEntries(document['paths']).map(([path]) => path));
  return {
    document,
    findings,
    operations: operations.map((operation) => outlineOperation(operation, paths)),
    origins: origins.list(),
    places: [...places],
    files: files.slice(1).map(({ uri, hash }) => ({ uri, hash })),
    preset,
  };
}

function openCache(main: MainText, options: LoadOptions & { readonly cwd: string }): DocumentCache | undefined {
  const { cacheFolder, cwd } = options;
  if (cacheFolder === false || main.name === undefined) return undefined;
  if (cacheFolder !== undefined) return createDocumentCache(resolve(cwd, cacheFolder));
  return main.bytes < CACHE_FROM_BYTES ? undefined : createDocumentCache(readCacheFolder(cwd));
}

/** A cached document; undefined where one of its other files has changed or is missing. */
async function readCached(
  { document, findings, operations: outlines, origins, files, preset }: CachedDocument,
  main: MainText,
  policy: ReadPolicy,
): Promise<Loaded | undefined> {
  const others = await Promise.all(
    files.map(async ({ uri }) => {
      const bytes = await loadBytes(uri, policy).catch(() => Buffer.alloc(0));
      return { uri, name: readDisplayName(uri, policy.cwd), ...toSource(bytes) };
    }),
  );
  if (others.some((other, i) => other.hash !== files[i]?.hash)) return undefined;
  const operations = readOutlined(document, outlines);
  const read = { document, findings, operations, origins: createSourceMap(origins) };
  return { ...read, files: [main, ...others], preset, unread: [] };
}

async function bundle(
  main: MainText,
  { overlays, presets }: { readonly overlays: readonly OverlayText[]; readonly presets: readonly Preset[] },
  policy: ReadPolicy,
): Promise<Loaded> {
  const findings: Finding[] = [];
  const file = parseMain(main);
  const applied =
    presets.length === 0 ? undefined : await (await import('./presets.js')).applyPreset(file.value, presets);
  let value: unknown = applied?.document ?? file.value;
  if (overlays.length > 0) {
    const { applyOverlay } = await import('./overlay.js');
    for (const overlay of overlays) {
      const overlaid = await applyOverlay(value, overlay);
      findings.push(...overlaid.findings);
      value = overlaid.document;
    }
  }
  // The text says which keywords the document can have; overlays add to it.
  const text = [file.text, ...overlays.map((overlay) => overlay.text)].join('\n');
  const sources = await loadSourceFiles({ ...file, text, value }, policy);
  const bundled = bundleFiles(sources);
  findings.push(...bundled.findings);
  const operations = readOperations({
    document: bundled.document,
    report: (finding) => void findings.push(finding),
  });
  const others = sources.files.slice(1).map(({ uri, name, text }) => ({ uri, name, ...toSource(Buffer.from(text)) }));
  const unread = [...sources.failures.keys()];
  const isSuspect = sources.files.some((each) => LONG_INTEGER.test(each.text));
  return {
    ...bundled,
    findings,
    operations,
    files: [main, ...others],
    preset: applied?.preset,
    unread,
    hasExact: isSuspect && hasExact(bundled.document),
  };
}

async function loadOverlay(path: string, cwd: string): Promise<OverlayText> {
  const uri = path.startsWith('file:') ? path : pathToFileURL(resolve(cwd, path)).href;
  const file = readDisplayName(uri, cwd);
  try {
    return { file, text: await loadText(uri, { cwd, allowHttp: false, trustedHost: undefined }) };
  } catch (cause) {
    const hint = describePath(file, cwd);
    throw new MockError('OVERLAY_INVALID', `the overlay "${file}" cannot be read`, { at: { file }, hint, cause });
  }
}

/** Conventions of the options as an overlay: what the document itself would say. */
function toOverlay(conventions: NonNullable<LoadOptions['conventions']>): OverlayText {
  const update = { 'x-mock': { conventions } };
  return {
    file: 'the option "conventions"',
    text: JSON.stringify({ overlay: '1.0.0', actions: [{ target: '$', update }] }),
  };
}

/** Creates the function that finds places; found places are added to `places`. */
function createLocate({ files, origins }: Loaded, places: Map<string, Place>): Contract['locate'] {
  const finders = files.map((file) => createLineFinder(file.readText));
  return (inner) => {
    const known = places.get(inner);
    if (known !== undefined) return known;
    const { file: number, pointer } = origins.find(inner);
    const file = files[number]?.name;
    const place = file === undefined ? { pointer } : { file, ...finders[number]?.(pointer), pointer };
    places.set(inner, place);
    return place;
  };
}

/** Creates the contract of a bundled document. */
function createContract(
  { document, findings, operations, preset, files, unread }: Loaded,
  hash: string,
  locate: Contract['locate'],
): Contract {
  const byId = new Map(operations.map((operation) => [operation.id, operation]));
  // The end of each chain of references, resolved once.
  const ends = new Map<string, { readonly schema: Schema; readonly pointer: string }>();
  const isError = ({ severity }: Finding): boolean => severity === 'error';
  const sorted = [...findings.filter(isError), ...findings.filter((finding) => !isError(finding))];
  return {
    title: readString(readPointer(document, '/info/title')) ?? 'Untitled API',
    version: readString(readPointer(document, '/info/version')) ?? '0',
    preset,
    hash,
    files: [...files.filter(({ name }) => name !== undefined).map(({ uri }) => uri), ...unread]
      .filter((uri) => uri.startsWith('file:'))
      .map((uri) => fileURLToPath(uri)),
    document,
    operations,
    securitySchemes: readSecuritySchemes(document),
    problems: sorted.map((finding) => toProblem(finding, locate)),
    operation: (id) => byId.get(id),
    at: (pointer) => readPointer(document, pointer),
    resolve: (schema, pointer) => {
      const reference = isObject(schema) ? schema.$ref : undefined;
      if (typeof reference !== 'string') return { schema, pointer };
      const known = ends.get(reference);
      if (known !== undefined) return known;
      const { value, pointer: target } = followReferences(document, schema, pointer);
      // Every $ref of a schema points to a schema: the bundler replaced the others.
      const end = { schema: value as Schema, pointer: target };
      ends.set(reference, end);
      return end;
    },
    locate,
  };
}

/** The main file of a document, not yet parsed. */
interface MainText extends LoadedFile {
  /** The name is undefined for a document that was given as an object. */
  readonly bytes: number;
  /** The `host:port` of the URL that the user gave. */
  readonly host: string | undefined;
}

/**
 * Loads the text of the given document.
 *
 * @throws MockError `SPEC_NOT_FOUND`, `SPEC_UNREADABLE` or `SPEC_INVALID`.
 */
async function loadMain(spec: string | URL | object, cwd: string): Promise<MainText> {
  if (typeof spec !== 'string' && !isUrl(spec)) {
    const uri = pathToFileURL(resolve(cwd, 'object.json')).href;
    // A copy as text: later changes of the caller have no effect.
    return { uri, name: undefined, ...toSource(Buffer.from(toText(spec))), host: undefined };
  }
  const uri = toUri(spec, cwd);
  const name = readDisplayName(uri, cwd);
  const isRemote = /^https?:/iu.test(uri);
  const host = isRemote ? new URL(uri).host : undefined;
  try {
    return { uri, name, ...toSource(await loadBytes(uri, { cwd, allowHttp: false, trustedHost: host })), host };
  } catch (cause) {
    throw isRemote ? toFetchError(cause, name) : toFileError(cause, name, cwd);
  }
}

function toSource(bytes: Buffer): Pick<LoadedFile, 'hash' | 'readText'> & { readonly bytes: number } {
  const readText = (): string => bytes.toString('utf8');
  // Bytes that are not valid UTF-8 are replaced in the text.
  return { hash: digestText(isUtf8(bytes) ? bytes : readText()), readText, bytes: bytes.length };
}

/** The main file, parsed. @throws MockError `SPEC_INVALID` with line and column. */
function parseMain({ uri, name, readText }: MainText): SourceFile {
  const text = readText();
  const { value, notes } = parseDocument(text, name ?? 'the given object');
  if (isObject(value)) return { uri, name, text, value, notes };
  const type = Array.isArray(value) ? 'an array' : value === null ? 'null' : `a ${typeof value}`;
  const at = { file: name ?? 'the given object', line: 1, column: 1 };
  const hint = 'an OpenAPI document starts with "openapi: 3.1.0"';
  throw new MockError('SPEC_INVALID', `the document must be an object, got ${type}`, { at, hint });
}

function toUri(spec: string | URL, cwd: string): string {
  const text = String(spec);
  if (!/^(?:https?|file):/iu.test(text)) return pathToFileURL(resolve(cwd, text)).href;
  try {
    return new URL(text).href;
  } catch (cause) {
    const hint = 'use a path, or a file: or http(s): URL';
    throw new MockError('SPEC_NOT_FOUND', `"${text}" is not a valid URL`, { hint, cause });
  }
}

function toText(document: object): string {
  try {
    const text: string | undefined = JSON.stringify(document);
    if (text !== undefined) return text;
  } catch (cause) {
    const hint = 'pass the document with its $ref, not dereferenced: a dereferenced document can contain itself';
    throw new MockError('SPEC_INVALID', 'the given object cannot be written as JSON', { hint, cause });
  }
  throw new MockError('SPEC_INVALID', 'the given value is not a document', { hint: 'use a path, a URL or an object' });
}

/** The hint for a file that cannot be read: `did you mean "api/openapi.yaml"?` with the nearest one of the same folder. */
function describePath(name: string, cwd: string): string {
  const folder = dirname(name);
  try {
    const meant = nearest(basename(name), readdirSync(resolve(cwd, folder)));
    if (meant !== undefined && meant !== basename(name)) return `did you mean ${JSON.stringify(join(folder, meant))}?`;
  } catch {
    // There is no such folder either.
  }
  return 'check the path; it is relative to the working folder';
}

function toFetchError(cause: unknown, name: string): MockError {
  const hint = 'open the URL in a browser, or download the file';
  const reason = `the document cannot be fetched: ${toReason(cause)}`;
  return new MockError('SPEC_UNREADABLE', reason, { at: { file: name }, hint, cause });
}

/** The error for a document that cannot be read. @param cwd - The folder where relative paths start. */
export function toFileError(cause: unknown, name: string, cwd: string): MockError {
  const at = { file: name };
  if (isError(cause) && 'code' in cause && (cause.code === 'ENOENT' || cause.code === 'ENOTDIR')) {
    const found = { at, hint: describePath(name, cwd), cause };
    return new MockError('SPEC_NOT_FOUND', `the file "${name}" does not exist`, found);
  }
  const hint = 'it must be a readable file';
  return new MockError('SPEC_UNREADABLE', `the document cannot be read: ${toReason(cause)}`, { at, hint, cause });
}
