import { isObject } from '../../../contract/json.js';
import { isUploadedFile, type UploadedFile } from '../../../http/request/body-multipart.js';
import type { Call } from '../../../http/request/call.js';
import type { Violation } from '../../../schema/violation.js';
import type { Item, ItemContent } from '../../../state/store/item-list.js';
import type { Exchange } from '../../chain.js';
import type { StateKit } from './kit.js';

/** The object a request carries, without the files in it; an empty one where its body is none. */
export function readBody(exchange: Exchange): Item {
  const { body } = exchange.call;
  if (!isObject(body)) return {};
  const isFile = (value: unknown): boolean => isUploadedFile(Array.isArray(value) ? value[0] : value);
  if (!Object.values(body).some(isFile)) return body;
  return Object.fromEntries(Object.entries(body).filter(([, value]) => !isFile(value)));
}

/** The items a request for several carries: its body, or the list that is a member of it. */
export function readBodies(exchange: Exchange): readonly Item[] {
  const { body } = exchange.call;
  if (Array.isArray(body)) return body.filter(isObject);
  if (!isObject(body)) return [];
  const list = Object.values(body).find((value): value is readonly unknown[] => Array.isArray(value));
  return list === undefined ? [body] : list.filter(isObject);
}

/** What a request that uploads a file gives besides its fields. */
interface Upload {
  readonly content: ItemContent;
  /** What properties of the usual names say of the file: its name, its size, its media type. */
  readonly facts: Item;
}

/** The first file that came with a form, or as the whole body; undefined where none did. */
export function readUpload({ body, mediaType }: Call): Upload | undefined {
  if (body instanceof Uint8Array) return toUpload({ bytes: body, mediaType: mediaType ?? '', filename: undefined });
  if (!isObject(body)) return undefined;
  for (const value of Object.values(body)) {
    const first: unknown = Array.isArray(value) ? value[0] : value;
    if (isUploadedFile(first)) return toUpload(first);
  }
  return undefined;
}

function toUpload({ bytes, mediaType, filename }: UploadedFile): Upload {
  const size = bytes.byteLength;
  const named = filename === undefined ? {} : { filename, file_name: filename, fileName: filename, name: filename };
  const typed = mediaType === '' ? {} : { mime_type: mediaType, mimeType: mediaType, content_type: mediaType };
  return {
    content: { bytes, mediaType: mediaType === '' ? undefined : mediaType },
    facts: { ...named, ...typed, bytes: size, size, file_size: size },
  };
}

/** What of an item a schema can show: without the properties that break it. */
export function dropWrong(item: Item, wrong: readonly Violation[]): Item {
  const names = new Set(wrong.map(({ pointer }) => pointer.split('/')[1]));
  return Object.fromEntries(Object.entries(item).filter(([name]) => !names.has(name)));
}

/** A body made legal: as it is where it fits, else with what its schema demands besides. */
export function completeBody(
  kit: StateKit,
  { session, call }: Exchange,
  of: { readonly pointer: string; readonly body: Item; readonly key: string },
): unknown {
  const wrong = kit.validators.check(of.pointer, 'response')(of.body, 'body');
  if (wrong.length === 0) return of.body;
  return kit.generator.complete(of.pointer, dropWrong(of.body, wrong), {
    seed: session.seed,
    key: `${of.pointer}\0${of.key}`,
    direction: 'response',
    now: session.clock.now(),
    known: { ...of.body, ...call.path },
  });
}
