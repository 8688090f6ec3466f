import { isObject } from '../../../contract/json.js';
import { isUploadedFile, type UploadedFile } from '../../../http/request/body-multipart.js';
import type { Call } from '../../../http/request/call.js';
import type { Item, ItemContent } from '../../../state/store/collection.js';

/** The object in the body of a request, without uploaded files; an empty one for any other body. */
export function readBody({ body }: Call): Item {
  if (!isObject(body)) return {};
  const isFile = (value: unknown): boolean => isUploadedFile(Array.isArray(value) ? value[0] : value);
  if (!Object.values(body).some(isFile)) return body;
  return Object.fromEntries(Object.entries(body).filter(([, value]) => !isFile(value)));
}

/** The items of a batch request: its body, or the first array in it. */
export function readBodies({ body }: Call): readonly Item[] {
  if (Array.isArray(body)) return body.filter(isObject);
  if (!isObject(body)) return [];
  const list = Object.values(body).find((value): value is readonly unknown[] => Array.isArray(value));
  return list === undefined ? [body] : list.filter(isObject);
}

/** An uploaded file. */
interface Upload {
  readonly content: ItemContent;
  /** Its name, size and media type, under the usual property names. */
  readonly properties: Item;
}

/** The first file of a form, or a body of bytes; undefined without a file. */
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
    properties: { ...named, ...typed, bytes: size, size, file_size: size },
  };
}
