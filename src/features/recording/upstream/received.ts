import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAX_VALUE_BYTES } from '../../../http/json-size.js';
import type { BodyBytes } from '../../../http/request/body-bytes.js';

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

/** The part of a body that arrived. */
export type ReceivedBody = { readonly chunks: readonly TimedChunk[] } | { readonly file: BodyFile };

/** Collects a body while it arrives: in memory, and in a file once it is larger than the limit. */
export interface BodyCollector {
  /** Adds a chunk. It never fails: `finish` reports what failed. */
  add(chunk: TimedChunk): Promise<void>;
  /** Everything that was added. @throws Error if the file could not be written. */
  finish(): Promise<ReceivedBody>;
  /** Removes the file. */
  discard(): Promise<void>;
}

/** Creates a collector. @param folder - For the file; created if needed. */
export function createBodyCollector(folder: string): BodyCollector {
  const chunks: TimedChunk[] = [];
  // Files with such names are removed when the cassette is opened again.
  const path = join(folder, `.${randomUUID()}.tmp`);
  let size = 0;
  let file: FileHandle | undefined;
  let failure: unknown;
  let writing: Promise<void> = Promise.resolve();
  const write = async (bytes: Uint8Array): Promise<void> => {
    if (failure !== undefined) return;
    try {
      if (file === undefined) await mkdir(folder, { recursive: true });
      file ??= await open(path, 'w');
      for (const chunk of chunks.splice(0)) await file.appendFile(chunk.bytes);
      await file.appendFile(bytes);
    } catch (error) {
      failure = error;
    }
  };
  const close = async (): Promise<void> => {
    await writing;
    await file?.close();
  };
  const discard = async (): Promise<void> => {
    await close();
    if (file !== undefined) await rm(path, { force: true });
  };
  return {
    discard,
    add: (chunk) => {
      size += chunk.bytes.byteLength;
      if (size > MAX_VALUE_BYTES) writing = writing.then(() => write(chunk.bytes));
      else chunks.push(chunk);
      return writing;
    },
    finish: async () => {
      if (size <= MAX_VALUE_BYTES) return { chunks };
      await close();
      if (failure === undefined) return { file: { path, size } };
      await discard();
      throw failure;
    },
  };
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
  const openFolder = (): string => (path ??= mkdtempSync(join(tmpdir(), 'vouch-')));
  // The number of users besides the first one.
  const others = new Map<string, number>();
  return {
    path: openFolder,
    receive: (body) => receiveRequest(body, openFolder()),
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
