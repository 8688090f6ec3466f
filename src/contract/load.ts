import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MockError } from '../errors.js';
import { bundleFiles } from './bundle.js';
import type { Contract } from './contract.js';
import { createContract } from './create-contract.js';
import { createLineFinder } from './lines.js';
import type { Origins } from './origins.js';
import { parseText } from './parse.js';
import { isObject } from './schema.js';
import { loadSourceFiles, readDisplayName, readUri, type ReadPolicy, type SourceFile } from './source-files.js';

/** How a document is loaded. */
export interface LoadOptions {
  /** Lets documents come over http(s), and refer to others there. */
  readonly allowHttpRefs?: boolean;
  /** Paths of Overlay documents, applied in this order. */
  readonly overlays?: readonly string[];
  /** Where parsed documents are kept; `false` keeps none. */
  readonly cacheFolder?: string | false;
  /** What relative paths are relative to; the process's folder by default. */
  readonly cwd?: string;
}

/** Loads an OpenAPI document from a path, a URL or an object. */
export async function loadContract(spec: string | URL | object, options: LoadOptions = {}): Promise<Contract> {
  const cwd = options.cwd ?? process.cwd();
  const main = await loadMain(spec, cwd, options.allowHttpRefs === true);
  const policy: ReadPolicy = { cwd, allowHttp: options.allowHttpRefs === true, trustedHost: undefined };
  const sources = await loadSourceFiles(main, policy);
  const bundle = bundleFiles(sources);
  const hash = createHash('sha256');
  for (const file of sources.files) hash.update(file.text);
  return createContract({
    document: bundle.document,
    hash: hash.digest('hex'),
    findings: bundle.findings,
    locate: createLocate(sources.files, bundle.origins),
  });
}

async function loadMain(spec: string | URL | object, cwd: string, allowHttp: boolean): Promise<SourceFile> {
  if (typeof spec !== 'string' && !(spec instanceof URL)) {
    const text = JSON.stringify(spec);
    return {
      uri: pathToFileURL(resolve(cwd, 'object')).href,
      name: undefined,
      text,
      value: JSON.parse(text),
      notes: [],
    };
  }
  const uri = String(spec).startsWith('file:') ? String(spec) : pathToFileURL(resolve(cwd, String(spec))).href;
  const name = readDisplayName(uri, cwd);
  try {
    const text = await readUri(uri, { cwd, allowHttp, trustedHost: undefined });
    const parsed = parseText(text, name);
    if (!isObject(parsed.value))
      throw new MockError('SPEC_INVALID', 'the document is not an object', { at: { file: name } });
    return { uri, name, text, ...parsed };
  } catch (cause) {
    if (cause instanceof MockError) throw cause;
    throw new MockError('SPEC_NOT_FOUND', `there is no file "${name}"`, { at: { file: name }, cause });
  }
}

function createLocate(files: readonly SourceFile[], origins: Origins): Contract['locate'] {
  const finders = files.map((file) => createLineFinder(file.text));
  return (inner) => {
    const { file: number, pointer } = origins.find(inner);
    const file = files[number]?.name;
    return file === undefined ? { pointer } : { file, ...finders[number]?.find(pointer), pointer };
  };
}
