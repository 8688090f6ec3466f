import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { isAbsolute, relative, resolve } from 'node:path';
import { MockError } from '../errors.js';
import type { Contract } from './contract.js';
import { createContract } from './create-contract.js';
import { createLineFinder } from './lines.js';
import { parseText } from './parse.js';
import { isObject } from './schema.js';

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
  const isPath = typeof spec === 'string' || spec instanceof URL;
  const path = isPath ? resolve(cwd, String(spec).startsWith('file:') ? fileURLToPath(spec) : String(spec)) : undefined;
  const text = path === undefined ? JSON.stringify(spec) : await readText(path);
  const file = path === undefined ? undefined : displayPath(cwd, path);
  const value = parseText(text, file ?? '').value;
  if (!isObject(value)) throw new MockError('SPEC_INVALID', 'the document is not an object', { at: { file } });
  const lines = createLineFinder(text);
  return createContract({
    document: { ...value, 'x-vouch': { anything: {}, text: { type: 'string' } } },
    hash: createHash('sha256').update(text).digest('hex'),
    findings: [],
    locate: (pointer) => (file === undefined ? { pointer } : { file, ...lines.find(pointer), pointer }),
  });
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new MockError('SPEC_NOT_FOUND', `there is no file "${path}"`, { at: { file: path }, cause });
  }
}

function displayPath(cwd: string, path: string): string {
  const short = relative(cwd, path);
  return short.startsWith('..') || isAbsolute(short) ? path : short;
}
