import type { DeclaredResponse, MediaType, Operation } from '../contract/operation.js';

/** The response an operation declares for a status: by number, by range, by `default`. */
export function findResponse(operation: Operation, status: number): DeclaredResponse | undefined {
  const range = `${Math.floor(status / 100)}XX`;
  return (
    operation.responses.find((response) => response.status === String(status)) ??
    operation.responses.find((response) => response.status === range) ??
    operation.responses.find((response) => response.status === 'default')
  );
}

/** The entry of a `content` map for a media type: the type itself, then the narrowest range. */
export function findMedia(content: readonly MediaType[], mediaType: string): MediaType | undefined {
  const essence = toEssence(mediaType);
  const [kind] = essence.split('/');
  return (
    content.find((media) => toEssence(media.type) === essence) ??
    content.find((media) => toEssence(media.type) === `${kind}/*`) ??
    content.find((media) => toEssence(media.type) === '*/*')
  );
}

function toEssence(mediaType: string): string {
  return (mediaType.split(';')[0] ?? '').trim().toLowerCase();
}
