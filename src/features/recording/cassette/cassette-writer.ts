import { randomUUID } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { UNDOCUMENTED } from '../../../contract/operations/undocumented.js';
import { decodeStream } from '../../../http/content-encoding.js';
import { MAX_DECODED_BYTES } from '../../../http/json-size.js';
import { BODIES_FOLDER, type Cassette, loadCassette, type StoredExchange } from './cassette.js';
import { writeJson } from '../../../base/exact-json.js';
import {
  type NewExchange,
  type RecordedBody,
  type RecordedExchange,
  type SpooledBody,
  type TextFilter,
  writeExchange,
} from './exchange.js';
import {
  appendPlaceholders,
  type IssuedPlaceholder,
  type Manifest,
  MANIFEST_FILE,
  mergePlaceholders,
  writeManifest,
} from './manifest.js';
import { isBytes } from '../../../base/platform.js';
import { isTemporary, replaceFile, replaceFileSync } from '../../../base/replace-file.js';

/** A cassette that is open for writing. */
export interface CassetteWriter {
  readonly folder: string;
  /** The current content. */
  read(): Cassette;
  /**
   * Writes one exchange and resolves when it is on disk. Exchanges are written one at a time, so that a crash leaves no gap in
   * the numbers. `approve` gets the texts just before they are written and throws to reject them.
   */
  add(exchange: NewExchange, approve?: (texts: readonly WrittenText[]) => void): Promise<StoredExchange>;
  /** Keeps placeholders before a file has them. */
  addPlaceholders(issued: readonly IssuedPlaceholder[]): Promise<void>;
  /** Resolves when all is on disk, and the placeholders are in the manifest. */
  settle(): Promise<void>;
  /** Removes every exchange, the last one first, and writes another manifest. */
  clear(manifest: Manifest): Promise<void>;
}

/** The text of a file before it is written. */
export interface WrittenText {
  readonly file: string;
  readonly text: string;
}

const TEXT_LIMIT_BYTES = 65_536;

/** Opens a cassette for writing; creates the folder if it does not exist. */
export function openCassette(folder: string, initial: Manifest): CassetteWriter {
  mkdirSync(join(folder, BODIES_FOLDER), { recursive: true });
  removeUnfinished(folder);
  if (!existsSync(join(folder, MANIFEST_FILE))) writeManifest(folder, initial);
  mergePlaceholders(folder);
  const loaded = loadCassette(folder);
  // One array that grows: a copy for each exchange would make a long recording slow.
  let exchanges = [...loaded.exchanges];
  let cassette: Cassette = { ...loaded, exchanges };
  // Files that are not valid exchanges keep their numbers.
  const highest = Math.max(0, ...cassette.mistakes.map(({ at }) => Number.parseInt(basename(at?.file ?? ''), 10) || 0));
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(task: () => Promise<T>): Promise<T> => {
    const turn = last.then(task);
    // An error goes to its own caller and does not stop the exchanges behind it.
    last = turn.catch(() => undefined);
    return turn;
  };
  return {
    folder,
    read: () => cassette,
    add: async (exchange, approve) => {
      const temporary: string[] = [];
      try {
        const { request, response } = exchange;
        const isLarge = request.spooled !== undefined || response?.spooled !== undefined;
        // Before the turn: other exchanges need not wait for a large body.
        const prepared = isLarge ? await writeLargeBodies(folder, exchange, temporary) : exchange;
        return await inTurn(async () => {
          const number = Math.max(exchanges.at(-1)?.number ?? 0, highest) + 1;
          const stored = await writeFiles(folder, { ...prepared, number }, approve);
          exchanges.push(stored);
          return stored;
        });
      } finally {
        for (const path of temporary) rmSync(path, { force: true });
      }
    },
    addPlaceholders: (issued) =>
      inTurn(async () => {
        appendPlaceholders(folder, issued);
      }),
    settle: () =>
      inTurn(async () => {
        const manifest = mergePlaceholders(folder);
        if (manifest !== undefined) cassette = { ...cassette, manifest };
      }),
    clear: (manifest) =>
      inTurn(async () => {
        // Files that are not valid exchanges too, which would take numbers.
        const invalid = cassette.mistakes.flatMap(({ at }) => (at?.file === undefined ? [] : [basename(at.file)]));
        const files = [...exchanges.map(({ file }) => file), ...invalid];
        for (const file of files.toReversed()) rmSync(join(folder, file), { force: true });
        rmSync(join(folder, BODIES_FOLDER), { recursive: true, force: true });
        mkdirSync(join(folder, BODIES_FOLDER), { recursive: true });
        writeManifest(folder, manifest);
        exchanges = [];
        cassette = { ...cassette, exchanges, manifest, mistakes: [] };
      }),
  };
}

/** Writes a file in one step. */
export async function writeAtomically(file: string, content: string | Uint8Array): Promise<void> {
  // The page cache takes a small file at once; through the thread pool it would cost several times as much.
  if (content.length <= SMALL_LENGTH) replaceFileSync(file, (temporary) => writeFileSync(temporary, content));
  else await replaceFile(file, (temporary) => writeFile(temporary, content));
}

const SMALL_LENGTH = 65_536;

/** The exchange with its large bodies in files that only have to be renamed. @param temporary - Gets the paths of the files. */
async function writeLargeBodies(folder: string, exchange: NewExchange, temporary: string[]): Promise<NewExchange> {
  const write = async <T extends RecordedBody>(message: T): Promise<T> => {
    if (message.spooled === undefined) return message;
    // Not in the folder of the bodies, which another exchange may remove.
    const path = join(folder, `.${randomUUID()}.tmp`);
    temporary.push(path);
    await writeSpooled(path, message.spooled);
    return { ...message, spooled: { source: path, encoding: undefined } };
  };
  const request = await write(exchange.request);
  return { ...exchange, request, response: exchange.response && (await write(exchange.response)) };
}

/** Decodes, redacts and writes a body that is too large for memory. */
async function writeSpooled(path: string, { source, encoding, redact, createFilter }: SpooledBody): Promise<void> {
  const filters = [createFilter?.(), redact && createTextFilter(redact)];
  const stream = typeof source === 'string' ? createReadStream(source) : Readable.from([source]);
  const decoded = decodeStream(stream, encoding);
  await pipeline([
    Readable.from(decoded),
    ...(decoded === stream ? [] : [createLimit()]),
    ...filters.flatMap((filter) => (filter === undefined ? [] : [toTransform(filter)])),
    createWriteStream(path),
  ]);
}

/** Passes chunks on until a small body has become too large. */
function createLimit(): Transform {
  let size = 0;
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      size += chunk.length;
      if (size <= MAX_DECODED_BYTES) done(null, chunk);
      else done(new Error(`its body has more than ${MAX_DECODED_BYTES} bytes when it is decoded`));
    },
  });
}

/** More characters than any secret has. */
const WINDOW = 32_768;

/** Where no secret continues: after the end of a line or of a value. */
const BREAKS = '\n,;&}\0';

/** Changes text of any size in parts; a secret that `change` replaces is always inside of one part. */
function createTextFilter(change: (text: string) => string): TextFilter {
  let waiting = '';
  const flushTo = (end: number): string => {
    const part = waiting.slice(0, end);
    waiting = waiting.slice(end);
    return change(part);
  };
  return {
    write: (part) => {
      waiting += part;
      return waiting.length > 2 * WINDOW ? flushTo(findBreak(waiting)) : '';
    },
    end: () => flushTo(waiting.length),
  };
}

/** A stream that changes bytes as text in Latin-1, which maps every byte to one character and back. */
function toTransform({ write, end }: TextFilter): Transform {
  const toBytes = (text: string): Buffer | undefined => (text === '' ? undefined : Buffer.from(text, 'latin1'));
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, toBytes(write(chunk.toString('latin1')))),
    flush: (done) => done(null, toBytes(end())),
  });
}

/** A position in the last window that is in no secret: after a break, and not in a private key, which has several lines. */
function findBreak(text: string): number {
  const start = text.length - WINDOW;
  // V8 finds the first place many times as fast as the last one.
  const key = text.includes('-----BEGIN ') ? text.lastIndexOf('-----BEGIN ') : -1;
  const end = key >= 0 && !text.includes('-----END ', key) ? key : text.length;
  if (end <= start) return Math.max(end, 1);
  for (let at = end - 1; at >= start; at--) if (BREAKS.includes(text.charAt(at))) return at + 1;
  return end - WINDOW / 2;
}

/** The file name of an exchange. */
export function toFileName(exchange: RecordedExchange): string {
  const { operation, request } = exchange;
  const name = operation === UNDOCUMENTED ? `${request.method}${request.path}` : operation;
  const words = name.replaceAll(/[^\w-]+/g, '-').replaceAll(/^-+|-+$/g, '');
  const outcome = exchange.response?.status ?? 'failed';
  return `${toNumberText(exchange.number)}-${words.slice(0, 80)}.${outcome}.json`;
}

function toNumberText(number: number): string {
  return String(number).padStart(4, '0');
}

/** Removes temporary files of a process that was killed. */
function removeUnfinished(folder: string): void {
  const bodies = readdirSync(join(folder, BODIES_FOLDER)).map((name) => join(BODIES_FOLDER, name));
  for (const name of [...readdirSync(folder), ...bodies]) {
    if (isTemporary(basename(name))) rmSync(join(folder, name), { force: true });
  }
}

/** The path of a file that is renamed. */
interface RenamedFile {
  readonly source: string;
}

type WrittenFile = readonly [file: string, content: string | Uint8Array | RenamedFile];

async function writeFiles(
  folder: string,
  { request, response, ...more }: RecordedExchange,
  approve: ((texts: readonly WrittenText[]) => void) | undefined,
): Promise<StoredExchange> {
  const files: WrittenFile[] = [];
  const base = `${BODIES_FOLDER}/${toNumberText(more.number)}`;
  const exchange = {
    ...more,
    request: placeBody(request, `${base}.request`, files),
    response: response && placeBody(response, base, files),
  };
  const file = toFileName(exchange);
  // The bodies first, so that an exchange on disk never refers to a missing body.
  files.push([file, writeExchange(exchange)]);
  // Latin-1 maps every byte to one character, so that secrets are found in binary data too.
  const texts = files.flatMap(([path, content]): readonly WrittenText[] => {
    if (typeof content === 'string') return [{ file: path, text: content }];
    // A spooled body is redacted while it is written.
    return isBytes(content) ? [{ file: path, text: Buffer.from(content).toString('latin1') }] : [];
  });
  approve?.(texts.toReversed());
  for (const [path, content] of files) {
    if (typeof content === 'string' || isBytes(content)) await writeAtomically(join(folder, path), content);
    else await rename(content.source, join(folder, path));
  }
  return { ...exchange, file };
}

/** A message or part whose body is kept in the file of the exchange, or gets a file of its own. */
function placeBody<T extends RecordedBody>(message: T, base: string, files: WrittenFile[]): T {
  const parts = message.parts?.map((part, i) => placeBody(part, `${base}.part-${i + 1}`, files));
  if (parts !== undefined) return { ...message, parts };
  const text = message.bodyText ?? (message.body === undefined ? '' : writeJson(message.body));
  const large = message.spooled && { source: String(message.spooled.source) };
  const content = large ?? message.bytes ?? (text.length > TEXT_LIMIT_BYTES ? text : undefined);
  if (content === undefined) return message;
  const file = `${base}.bin`;
  files.push([file, content]);
  const { body: _body, bodyText: _text, bytes: _bytes, spooled: _spooled, ...rest } = message;
  // Only optional members are removed.
  return { ...rest, bodyFile: file } as unknown as T;
}
