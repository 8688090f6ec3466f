import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { MockError, suggest } from '../../../base/errors.js';
import { requireInside } from '../../../base/inside-folder.js';
import { isError } from '../../../base/platform.js';
import { readExchange, type RecordedBody, type RecordedExchange } from './exchange.js';
import { invalidRecording, loadManifest, type Manifest, MANIFEST_FILE } from './manifest.js';

/** A folder of recorded exchanges, as it was loaded. */
export interface Cassette {
  readonly name: string;
  readonly folder: string;
  readonly manifest: Manifest;
  /** Sorted by number. */
  readonly exchanges: readonly StoredExchange[];
  /** The mistakes of files that are not valid exchanges; the others are used without them. */
  readonly mistakes: readonly MockError[];
}

/** An exchange on disk. */
export interface StoredExchange extends RecordedExchange {
  /** The file name inside the cassette. */
  readonly file: string;
}

/** The folder inside a cassette for bodies with a file of their own. */
export const BODIES_FOLDER = 'bodies';

const EXCHANGE_FILE = /^(\d{4,})-.+\.json$/;

/**
 * Loads a whole cassette, synchronously: for 1,000 small files that is faster than 1,000 promises.
 *
 * @throws MockError `RECORDING_NOT_FOUND`; `RECORDING_INVALID` for an invalid manifest. An invalid exchange is one of `mistakes`.
 */
export function loadCassette(folder: string): Cassette {
  const manifest = loadManifest(folder);
  const exchanges: StoredExchange[] = [];
  const mistakes: MockError[] = [];
  const byNumber = new Map<number, string>();
  const bodiesFolder = join(folder, BODIES_FOLDER);
  const hasBodies = statSync(bodiesFolder, { throwIfNoEntry: false })?.isDirectory() === true;
  if (hasBodies) requireInside(folder, bodiesFolder, 'RECORDING_INVALID');
  const bodies = new Set(hasBodies ? readdirSync(bodiesFolder) : []);
  for (const name of readdirSync(folder).sort()) {
    if (name.startsWith('.') || name === MANIFEST_FILE || !name.endsWith('.json')) continue;
    try {
      exchanges.push(loadExchange(folder, name, { byNumber, bodies }));
    } catch (error) {
      mistakes.push(toMistake(error, join(folder, name)));
    }
  }
  // By number, not by name: 10000 comes after 9999.
  exchanges.sort((x, y) => x.number - y.number);
  return { name: basename(folder), folder, manifest, exchanges, mistakes };
}

/** The mistake of a file: it is not valid, or cannot be read. */
function toMistake(error: unknown, file: string): MockError {
  if (error instanceof MockError) return error;
  if (!(isError(error) && 'syscall' in error)) throw error;
  return invalidRecording(`the file cannot be read: ${error.message}`, { file });
}

/** Changes an exchange that was read; undefined or null drops it. */
type AfterRead = (exchange: StoredExchange) => StoredExchange | undefined | null;

/** The cassette with the exchanges that a hook returns. */
export function applyAfterRead(cassette: Cassette, afterRead: AfterRead | undefined): Cassette {
  if (afterRead === undefined) return cassette;
  return { ...cassette, exchanges: cassette.exchanges.flatMap((exchange) => afterRead(exchange) ?? []) };
}

/** Loads one exchange. @throws MockError `RECORDING_INVALID` with its file and position. */
function loadExchange(
  folder: string,
  name: string,
  { byNumber, bodies }: { readonly byNumber: Map<number, string>; readonly bodies: ReadonlySet<string> },
): StoredExchange {
  const file = join(folder, name);
  const number = Number(EXCHANGE_FILE.exec(name)?.[1]);
  if (Number.isNaN(number)) {
    const message = `"${name}" is not the name of an exchange, which begins with a number`;
    throw invalidRecording(message, { file }, 'move it to another folder');
  }
  const other = byNumber.get(number);
  if (other !== undefined) {
    const message = `number ${number} is already used by ${other}`;
    throw invalidRecording(message, { file }, 'rename one of them to the next free number');
  }
  byNumber.set(number, name);
  requireInside(folder, file, 'RECORDING_INVALID');
  const exchange = readExchange(readFileSync(file, 'utf8'), file, number);
  for (const [pointer, path] of listBodyFiles(exchange)) {
    if (bodies.has(basename(path))) {
      requireInside(folder, join(folder, path), 'RECORDING_INVALID');
      continue;
    }
    const hint = 'restore it, or delete the exchange and record again';
    throw invalidRecording(`${path} is missing`, { file, pointer }, hint);
  }
  return { ...exchange, file: name };
}

/** The folder of a cassette. @throws MockError `RECORDING_NOT_FOUND` with the most similar name. */
export function readCassetteFolder(root: string, name: string): string {
  const folder = join(root, toFolderName(name));
  if (existsSync(join(folder, MANIFEST_FILE))) return folder;
  const names = listCassettes(root);
  const hint = suggest(name, names) ?? `available cassettes: ${names.join(', ') || 'none'}`;
  throw new MockError('RECORDING_NOT_FOUND', `no cassette "${name}" in ${root}`, { at: { file: folder }, hint });
}

/** The names of all cassettes in a folder, sorted. */
export function listCassettes(root: string): readonly string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .filter((name) => existsSync(join(root, name, MANIFEST_FILE)))
    .sort();
}

/** Checks that a cassette's name is a valid folder name. @throws MockError `OPTION_INVALID`. */
export function toFolderName(name: string): string {
  if (/^[\w][\w. -]*$/.test(name)) return name;
  throw new MockError('OPTION_INVALID', `${JSON.stringify(name)} is not a valid cassette name`, {
    hint: 'the name is a folder name: use letters, digits, "-", "_" and "."',
  });
}

/** The path of the file of a body. @throws MockError `RECORDING_INVALID` if it is a link to another folder. */
export function toBodyPath(folder: string, bodyFile: string): string {
  const path = join(folder, bodyFile);
  requireInside(folder, path, 'RECORDING_INVALID');
  return path;
}

/** The bytes of a body that is a file, base64 or text; undefined for other forms. */
export function loadBodyBytes(folder: string, body: RecordedBody): Uint8Array | undefined {
  if (body.bodyFile !== undefined) return readFileSync(toBodyPath(folder, body.bodyFile));
  if (body.bodyBase64 !== undefined) return Buffer.from(body.bodyBase64, 'base64');
  if (body.bodyText !== undefined) return Buffer.from(body.bodyText, 'utf8');
  return body.bytes;
}

/** The files of the bodies of an exchange, each with the pointer of the member that refers to it. */
export function listBodyFiles(exchange: RecordedExchange): readonly (readonly [pointer: string, path: string])[] {
  const list = (body: RecordedBody, pointer: string): readonly (readonly [string, string])[] => [
    ...(body.parts ?? []).flatMap((part, i) => list(part, `${pointer}/parts/${i}`)),
    ...(body.bodyFile === undefined ? [] : [[`${pointer}/bodyFile`, body.bodyFile] as const]),
  ];
  return [...list(exchange.request, '/request'), ...list(exchange.response ?? {}, '/response')];
}
