import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream, mkdirSync, mkdtempSync, type WriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BodyBytes } from '../../http/request/body-bytes.js';

/** A chunk of a body with the time of its arrival. */
export interface TimedChunk {
  /** Milliseconds since the response began. */
  readonly atMs: number;
  readonly bytes: Uint8Array;
}

/** A temporary file with a body that is too large for memory. */
export interface BodyFile {
  readonly path: string;
  readonly size: number;
}

/** What arrived of a body. */
export type ReceivedBody = { readonly chunks: readonly TimedChunk[] } | { readonly file: BodyFile };

/** Collects a body while it arrives: in memory, and in a file once it is larger than the limit. */
export interface BodyCollector {
  /** Adds a chunk; a promise if chunks go to a file. It never fails: `finish` reports what failed. */
  add(chunk: TimedChunk): Promise<void> | undefined;
  /** Everything that was added. @throws Error if the file could not be written. */
  finish(): Promise<ReceivedBody>;
  /** Removes the file. */
  discard(): Promise<void>;
}

/** A body of more bytes than this goes to a file while it arrives. */
export const MEMORY_LIMIT_BYTES = 2_097_152;

/** Creates a collector. @param folder - For the file; created if needed. */
export function createBodyCollector(folder: string): BodyCollector {
  const chunks: TimedChunk[] = [];
  let size = 0;
  let writing: { readonly path: string; readonly stream: WriteStream } | undefined;
  let failure: Error | undefined;

  const begin = (): WriteStream => {
    mkdirSync(folder, { recursive: true });
    // Files with such names are removed when the cassette is opened again.
    const path = join(folder, `.${randomUUID()}.tmp`);
    const stream = createWriteStream(path);
    stream.on('error', (error) => (failure ??= error));
    writing = { path, stream };
    for (const { bytes } of chunks) stream.write(bytes);
    chunks.length = 0;
    return stream;
  };
  const write = async (bytes: Uint8Array): Promise<void> => {
    try {
      const stream = writing?.stream ?? begin();
      if (failure === undefined && !stream.write(bytes)) await drained(stream);
    } catch (error) {
      failure ??= error as Error;
    }
  };

  const discard = async (): Promise<void> => {
    writing?.stream.destroy();
    if (writing !== undefined) await rm(writing.path, { force: true });
  };

  return {
    discard,
    add: (chunk) => {
      size += chunk.bytes.byteLength;
      if (writing !== undefined || size > MEMORY_LIMIT_BYTES)
        return failure === undefined ? write(chunk.bytes) : undefined;
      chunks.push(chunk);
      return undefined;
    },
    finish: async () => {
      if (writing === undefined && failure === undefined) return { chunks };
      const { path, stream } = writing ?? {};
      stream?.end();
      if (stream !== undefined) await closed(stream);
      if (failure === undefined && path !== undefined) return { file: { path, size } };
      await discard();
      throw failure ?? new Error('the file of the body could not be written');
    },
  };
}

/** Resolves when the stream takes more, or is closed, after which it never drains. */
function drained(stream: WriteStream): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      stream.off('drain', settle);
      stream.off('close', settle);
      resolve();
    };
    stream.on('drain', settle);
    stream.on('close', settle);
  });
}

function closed(stream: WriteStream): Promise<void> {
  return stream.closed ? Promise.resolve() : new Promise((resolve) => stream.once('close', () => resolve()));
}

/**
 * Reads the body of a request into memory or, if it is larger than the limit, into a file.
 *
 * @returns `incomplete` if the client left; never rejects.
 */
async function receiveRequest(body: AsyncIterable<Uint8Array>, folder: string): Promise<BodyBytes> {
  const collector = createBodyCollector(folder);
  const hash = createHash('sha256');
  try {
    for await (const bytes of body) {
      hash.update(bytes);
      await collector.add({ atMs: 0, bytes });
    }
    const received = await collector.finish();
    if ('file' in received) return { kind: 'file', file: { ...received.file, digest: hash.digest('base64url') } };
    return { kind: 'bytes', bytes: Buffer.concat(received.chunks.map(({ bytes }) => bytes)) };
  } catch {
    await collector.discard();
    return { kind: 'incomplete' };
  }
}

/** Reads the body of a request. */
export type ReceiveBody = (body: AsyncIterable<Uint8Array>) => Promise<BodyBytes>;

/** A folder for bodies that are too large for memory; each file is removed when its last user releases it. */
interface TemporaryFolder {
  path(): string;
  /** Reads the body of a request; its first user is the caller. */
  readonly receive: ReceiveBody;
  /** Adds a user of a file. */
  hold(file: BodyFile): void;
  release(file: BodyFile): Promise<void>;
  /** Removes the folder. */
  remove(): Promise<void>;
}

/** Creates a temporary folder when it is first used. */
export function createTemporaryFolder(): TemporaryFolder {
  let path: string | undefined;
  const open = (): string => (path ??= mkdtempSync(join(tmpdir(), 'vouch-')));
  // The number of users besides the first one.
  const others = new Map<string, number>();
  return {
    path: open,
    receive: (body) => receiveRequest(body, open()),
    hold: (file) => void others.set(file.path, (others.get(file.path) ?? 0) + 1),
    release: async (file) => {
      const count = others.get(file.path) ?? 0;
      if (count > 1) others.set(file.path, count - 1);
      else if (count === 1) others.delete(file.path);
      else await rm(file.path, { force: true }).catch(() => undefined);
    },
    remove: async () => {
      if (path !== undefined) await rm(path, { recursive: true, force: true });
    },
  };
}
