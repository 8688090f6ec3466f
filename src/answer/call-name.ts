import { createHash } from 'node:crypto';
import { isObject } from '../contract/json.js';
import type { Call } from '../http/request/call.js';
import { isJsonType } from '../http/media-type.js';

/**
 * What a call asks for, as a text: its path, its query and its body, and nothing else. Two calls that ask for the same have the
 * same name; of files only a digest is in it, so that an upload costs no more than its size.
 */
export function nameCall({ path, query, body, mediaType }: Call): string {
  // No value of a JSON text holds bytes, and most bodies are one.
  const isPlain = body === undefined || (mediaType !== undefined && isJsonType(mediaType));
  return JSON.stringify([path, query, isPlain ? body : withoutBytes(body)]);
}

/** A copy in which a digest stands for bytes. */
function withoutBytes(value: unknown): unknown {
  if (value instanceof Uint8Array) {
    return `${value.byteLength} bytes ${createHash('sha256').update(value).digest('base64url')}`;
  }
  if (Array.isArray(value)) return value.map(withoutBytes);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutBytes(member)]));
}
