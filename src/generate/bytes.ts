/** Bytes of a media type. */
export function bytesFor(mediaType: string): Uint8Array {
  return new TextEncoder().encode(`vouch ${mediaType}`);
}
