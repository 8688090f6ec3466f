import type { DeclaredResponse, MediaType, Operation } from '../contract/operations/operation.js';
import { toEssence } from './media-type.js';

/** The response an operation declares for a status: itself, its range, then `default` (OpenAPI 3.1 section 4.8.16). */
export function findResponse(operation: Operation, status: number): DeclaredResponse | undefined {
  const exact = String(status);
  const range = `${exact.charAt(0)}XX`;
  let best: DeclaredResponse | undefined;
  for (const response of operation.responses) {
    if (response.status === exact) return response;
    if (response.status === range) best = response;
    else if (response.status === 'default') best ??= response;
  }
  return best;
}

/** The entry of a `content` map that describes a concrete media type: the type itself, then the narrowest range. */
export function findMedia(content: readonly MediaType[], mediaType: string): MediaType | undefined {
  const essence = toEssence(mediaType);
  const whole = mediaType.toLowerCase();
  const [type = ''] = essence.split('/');
  return (
    content.find((media) => media.type === whole) ??
    content.find((media) => toEssence(media.type) === essence) ??
    content.find((media) => media.type === `${type}/*`) ??
    content.find((media) => media.type === '*/*' || media.type === '*')
  );
}
