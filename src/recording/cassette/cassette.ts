import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { MockError, nearest } from '../../errors.js';
import { readExchange } from './exchange-file.js';
import type { RecordedBody, RecordedExchange } from './exchange.js';
import { invalidRecording, loadManifest, type Manifest, MANIFEST_FILE } from './manifest.js';

/** A folder of recorded exchanges, as it was when it was loaded. */
export interface Cassette {
  readonly name: string;
  readonly folder: string;
  readonly manifest: Manifest;
  /** By number. */
  readonly exchanges: readonly StoredExchange[];
}

/** An exchange that lies on disk. */
export interface StoredExchange extends RecordedExchange {
  /** Its file's name inside the cassette. */
  readonly file: string;
}

/** Where the bodies lie that have a file of their own. */
export const BODIES_FOLDER = 'bodies';

const EXCHANGE_FILE = /^(\d{4,})-.+\.json$/;

/**
 * Reads a whole cassette. Files are read one after the other without waiting for anything: 1,000 of them take less time than
 * 1,000 promises.
 *
 * @throws MockError `RECORDING_NOT_FOUND`; `RECORDING_INVALID` with file and place for a file that is broken or no exchange.
 */
export function loadCassette(folder: string): Cassette {
  const manifest = loadManifest(folder);
  const exchanges: StoredExchange[] = [];
  const byNumber = new Map<number, string>();
  const bodies = new Set(existsSync(join(folder, BODIES_FOLDER)) ? readdirSync(join(folder, BODIES_FOLDER)) : []);
  for (const name of readdirSync(folder).sort()) {
    const file = join(folder, name);
    if (name.startsWith('.') || name === MANIFEST_FILE || !name.endsWith('.json')) continue;
    const number = Number(EXCHANGE_FILE.exec(name)?.[1]);
    if (Number.isNaN(number)) {
      throw invalidRecording(
        `"${name}" is no exchange: their names begin with a number`,
        { file },
        'move it elsewhere',
      );
    }
    const other = byNumber.get(number);
    if (other !== undefined) {
      throw invalidRecording(
        `number ${number} is taken by ${other}`,
        { file },
        'give one of the two the next free number',
      );
    }
    byNumber.set(number, name);
    const exchange = readExchange(readFileSync(file, 'utf8'), file, number);
    checkBodyFile(exchange.request, bodies, { file, pointer: '/request/bodyFile' });
    if (exchange.response !== undefined) {
      checkBodyFile(exchange.response, bodies, { file, pointer: '/response/bodyFile' });
    }
    exchanges.push({ ...exchange, file: name });
  }
  // By number and not by name: 10000 comes after 9999.
  exchanges.sort((x, y) => x.number - y.number);
  return { name: basename(folder), folder, manifest, exchanges };
}

/** The folder of a cassette by its name. @throws MockError `RECORDING_NOT_FOUND` that names the nearest one. */
export function readCassetteFolder(root: string, name: string): string {
  const folder = join(root, toFolderName(name));
  if (existsSync(join(folder, MANIFEST_FILE))) return folder;
  const names = listCassettes(root);
  const meant = nearest(name, names);
  const hint =
    meant === undefined ? `there are ${names.length === 0 ? 'none' : names.join(', ')}` : `did you mean "${meant}"?`;
  throw new MockError('RECORDING_NOT_FOUND', `there is no cassette "${name}" in ${root}`, {
    at: { file: folder },
    hint,
  });
}

/** The names of all cassettes under a folder, sorted. */
export function listCassettes(root: string): readonly string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .filter((name) => existsSync(join(root, name, MANIFEST_FILE)))
    .sort();
}

/** A cassette's name, checked to be one folder name. @throws MockError `OPTION_INVALID`. */
export function toFolderName(name: string): string {
  if (/^[\w][\w. -]*$/.test(name)) return name;
  throw new MockError('OPTION_INVALID', `${JSON.stringify(name)} cannot be the name of a cassette`, {
    hint: 'it becomes a folder: use letters, digits, "-", "_" and "."',
  });
}

/** The bytes of a body that has a file or is written in base64, or of a text; undefined where it has another form. */
export function loadBodyBytes(folder: string, body: RecordedBody): Uint8Array | undefined {
  if (body.bodyFile !== undefined) return readFileSync(join(folder, body.bodyFile));
  if (body.bodyBase64 !== undefined) return Buffer.from(body.bodyBase64, 'base64');
  if (body.bodyText !== undefined) return Buffer.from(body.bodyText, 'utf8');
  return body.bytes;
}

function checkBodyFile(
  body: RecordedBody,
  bodies: ReadonlySet<string>,
  at: { readonly file: string; readonly pointer: string },
): void {
  for (const [i, part] of (body.parts ?? []).entries()) {
    checkBodyFile(part, bodies, { ...at, pointer: at.pointer.replace(/bodyFile$/, `parts/${i}/bodyFile`) });
  }
  if (body.bodyFile === undefined || bodies.has(basename(body.bodyFile))) return;
  throw invalidRecording(`${body.bodyFile} is missing`, at, 'restore it, or delete the exchange and record again');
}
