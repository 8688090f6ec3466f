import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MockError } from '../errors.js';
import { parseText } from './parse.js';
import { isObject } from './schema.js';
import { readDisplayName, loadText, type SourceFile } from './source-files.js';

/** The main file of a document, not parsed yet. */
export interface MainText {
  readonly uri: string;
  /** Undefined for a document that came as an object. */
  readonly name: string | undefined;
  readonly text: string;
  /** The `host:port` the user typed, where the file came from the network. */
  readonly host: string | undefined;
}

/**
 * The text of the document the user named.
 *
 * @throws MockError `SPEC_NOT_FOUND`, `SPEC_UNREADABLE` or `SPEC_INVALID`.
 */
export async function loadMain(
  spec: string | URL | object,
  options: { readonly cwd: string; readonly allowHttp: boolean },
): Promise<MainText> {
  const { cwd, allowHttp } = options;
  if (typeof spec !== 'string' && !(spec instanceof URL)) {
    // A copy, so that nothing that is done here or later by the caller is seen on the other side.
    return {
      uri: pathToFileURL(resolve(cwd, 'object.json')).href,
      name: undefined,
      text: toText(spec),
      host: undefined,
    };
  }
  const uri = toUri(spec, cwd);
  const name = readDisplayName(uri, cwd);
  const isRemote = /^https?:/iu.test(uri);
  const host = isRemote ? new URL(uri).host : undefined;
  try {
    return { uri, name, text: await loadText(uri, { cwd, allowHttp, trustedHost: host }), host };
  } catch (cause) {
    throw describeFailure(cause, { name, isRemote, allowHttp });
  }
}

/** The main file, parsed. @throws MockError `SPEC_INVALID` with line and column. */
export function parseMain({ uri, name, text }: MainText): SourceFile {
  const { value, notes } = parseText(text, name ?? 'the given object');
  if (isObject(value)) return { uri, name, text, value, notes };
  const what = Array.isArray(value) ? 'a list' : value === null ? 'nothing' : `a ${typeof value}`;
  throw new MockError('SPEC_INVALID', `the document is ${what}, not an object`, {
    at: { file: name ?? 'the given object', line: 1, column: 1 },
    hint: 'an OpenAPI document starts with "openapi: 3.1.0"',
  });
}

function toUri(spec: string | URL, cwd: string): string {
  const text = String(spec);
  if (!/^(?:https?|file):/iu.test(text)) return pathToFileURL(resolve(cwd, text)).href;
  try {
    return new URL(text).href;
  } catch (cause) {
    throw new MockError('SPEC_NOT_FOUND', `"${text}" is no URL`, {
      hint: 'give a path, or a file: or http(s): URL',
      cause,
    });
  }
}

function toText(document: object): string {
  try {
    const text: string | undefined = JSON.stringify(document);
    if (text !== undefined) return text;
  } catch (cause) {
    throw new MockError('SPEC_INVALID', 'the given object cannot be written as JSON', {
      hint: 'references must be written as $ref: an object in which they are replaced by what they lead to contains itself',
      cause,
    });
  }
  throw new MockError('SPEC_INVALID', 'the given value is not a document', { hint: 'give a path, a URL or an object' });
}

function describeFailure(
  cause: unknown,
  from: { readonly name: string; readonly isRemote: boolean; readonly allowHttp: boolean },
): MockError {
  const { name, isRemote, allowHttp } = from;
  const at = { file: name };
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (isRemote) {
    const hint = allowHttp
      ? 'open the URL in a browser, or download the file'
      : 'allow it: --allow-http-refs, or allowHttpRefs: true';
    return new MockError('SPEC_UNREADABLE', `the document cannot be fetched: ${reason}`, { at, hint, cause });
  }
  if (cause instanceof Error && 'code' in cause && (cause.code === 'ENOENT' || cause.code === 'ENOTDIR')) {
    return new MockError('SPEC_NOT_FOUND', `there is no file "${name}"`, {
      at,
      hint: 'check the path; it is relative to the working folder',
      cause,
    });
  }
  return new MockError('SPEC_UNREADABLE', `the document cannot be read: ${reason}`, {
    at,
    hint: 'it must be a readable file',
    cause,
  });
}
