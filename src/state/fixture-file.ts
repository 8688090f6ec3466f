import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { createLineFinder } from '../contract/load/lines.js';
import { parseText } from '../contract/load/parse.js';
import { toPointer } from '../contract/pointer.js';
import { MockError, type Place } from '../errors.js';

/** The text of one fixture, parsed, and a way to say where in it something stands. */
export interface FixtureText {
  /** The name of the collection. */
  readonly name: string;
  readonly value: unknown;
  /** The folder that paths in it start from. */
  readonly folder: string;
  place(...segments: readonly (string | number)[]): Place;
}

const EXTENSIONS: ReadonlySet<string> = new Set(['.json', '.yaml', '.yml']);

/** The fixtures of a folder, by name; files of other kinds and folders are left alone. */
export async function readFixtureFolder(folder: string): Promise<readonly FixtureText[]> {
  const files = await listFiles(folder);
  const texts = await Promise.all(files.map((file) => readFixtureFile(join(folder, file))));
  const byName = new Map<string, FixtureText>();
  for (const text of texts) {
    const other = byName.get(text.name);
    if (other !== undefined) {
      throw new MockError('FIXTURE_INVALID', `two files hold the collection "${text.name}"`, {
        at: { file: text.place().file ?? text.name },
        hint: `${other.place().file ?? 'another file'} is the other one; keep one of them`,
      });
    }
    byName.set(text.name, text);
  }
  return texts;
}

/** Fixtures that were given as values; places in them are pointers without a file. */
export function readFixtureValues(values: Readonly<Record<string, unknown>>): readonly FixtureText[] {
  return Object.entries(values).map(([name, value]) => ({
    name,
    value,
    folder: process.cwd(),
    place: (...segments) => ({ pointer: toPointer('fixtures', name, ...segments) }),
  }));
}

async function listFiles(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.') && EXTENSIONS.has(extname(entry.name)))
      .map((entry) => entry.name)
      .toSorted();
  } catch (cause) {
    throw new MockError('FIXTURE_UNREADABLE', `the folder of fixtures cannot be read`, {
      at: { file: folder },
      hint: 'name a folder that holds one file per collection, or leave the option out',
      cause,
    });
  }
}

async function readFixtureFile(file: string): Promise<FixtureText> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    throw new MockError('FIXTURE_UNREADABLE', 'the fixture cannot be read', { at: { file }, cause });
  }
  const parsed = parseText(text, file, 'FIXTURE_INVALID');
  const note = parsed.notes[0];
  if (note !== undefined) throw new MockError('FIXTURE_INVALID', note.message, { at: { file } });
  const finder = createLineFinder(text);
  return {
    name: basename(file, extname(file)),
    value: parsed.value,
    folder: dirname(resolve(file)),
    place: (...segments) => {
      const pointer = toPointer(...segments);
      return { file, ...finder.find(pointer), pointer };
    },
  };
}
