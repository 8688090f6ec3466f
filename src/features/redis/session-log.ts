import { ExactNumber } from '../../base/exact-number.js';
import type { ChangeLog, News } from './atomic.js';
import { isObject } from '../../base/json.js';
import { isBytes } from '../../base/platform.js';

/** The state of one session in the store that processes share. */
export interface SessionLink {
  read(known: KnownState): Promise<WrittenState>;
  /** Writes after the known revision. @returns undefined together with `state` if others have written since. */
  commit(known: KnownState, written: NewState): Promise<Committed>;
  /** Writes the whole state, so that older changes are not needed any more. */
  writeDump(known: Pick<KnownState, 'epoch' | 'revision' | 'stamp'>, dump: string): Promise<void>;
  /** Keeps the whole state under a name. */
  save(name: string, dump: string): Promise<void>;
  readSaved(name: string): Promise<string | undefined>;
  /** Removes the session. */
  remove(): Promise<void>;
}

/** The state that is known here. */
export interface KnownState {
  /** Differs for each session that had this id; empty before anything was written. */
  readonly epoch: string;
  readonly revision: number;
  /** Of the commit that wrote this revision: where writes were lost, another one can have written it. */
  readonly stamp: string;
  /** The number of the last interaction. */
  readonly number: number;
  /** Of the commit that wrote this interaction. */
  readonly entered: string;
}

interface NewState {
  /** Undefined where only the journal grows: then it does not matter what others have written. */
  readonly changes: string | undefined;
  /** Whether the journal is emptied first. */
  readonly clearsJournal: boolean;
  readonly lines: readonly string[];
}

/** The writes since the known state. */
export interface WrittenState extends KnownState {
  /** Whether it is the whole state, since the known state is not a part of it: the session has started again, or the store has lost writes. */
  readonly isOther: boolean;
  /** The whole state at the revision before `changes`, where older ones are not kept. */
  readonly dump: string | undefined;
  readonly changes: readonly string[];
  /** Interactions; the number of the first one is `firstLine`. */
  readonly lines: readonly string[];
  readonly firstLine: number;
}

interface Committed {
  readonly isWritten: boolean;
  readonly state: WrittenState;
  /** How many changes are kept after the last dump, and their size in bytes. */
  readonly kept: { readonly count: number; readonly bytes: number };
}

/** The state that the log of a session changes here. */
export interface LogTarget {
  readonly number: number;
  addLines(first: number, lines: readonly string[]): void;
  apply(changes: string): void;
  load(dump: string): void;
  /** Returns to the state of a session that was just opened. */
  reset(): void;
  dump(): string;
}

/** A dump is written after so many changes, or bytes of them. */
const MAX_CHANGES = 1000;
const MAX_BYTES = 4 * 1024 * 1024;

/** The log of one session. */
export function createSessionLog(link: SessionLink, target: LogTarget): ChangeLog {
  let epoch = '';
  let revision = 0;
  let stamp = '';
  let entered = '';
  let dumpBytes = 0;
  /** Whether the log is so long that the whole state should be written. */
  let isLong = false;
  const known = (): KnownState => ({ epoch, revision, stamp, number: target.number, entered });
  const addLines = (state: WrittenState): void => {
    target.addLines(state.firstLine, state.lines);
    // A commit can have added more since this was read.
    if (target.number === state.number) ({ entered } = state);
  };
  const toNews = (state: WrittenState, base: number): News => ({
    base,
    revision: state.revision,
    isOther: state.isOther,
    apply: () => {
      if (state.isOther) target.reset();
      if (state.dump !== undefined) target.load(state.dump);
      for (const changes of state.changes) target.apply(changes);
      addLines(state);
      ({ epoch, revision, stamp } = state);
    },
  });
  return {
    get revision() {
      return revision;
    },
    read: async () => {
      const base = revision;
      return toNews(await link.read(known()), base);
    },
    commit: async ({ changes, entries }) => {
      const { isWritten, state, kept } = await link.commit(known(), {
        changes: changes.length === 0 ? undefined : encode(changes),
        clearsJournal: changes.some(([kind]) => kind === 'journal'),
        lines: entries.map(({ line }) => line),
      });
      if (!isWritten) return toNews(state, revision);
      addLines(state);
      ({ epoch, entered } = state);
      if (changes.length > 0) ({ revision, stamp } = state);
      isLong = kept.count > MAX_CHANGES || kept.bytes > Math.max(MAX_BYTES, 2 * dumpBytes);
      for (const [i, entry] of entries.entries()) entry.written(state.number - entries.length + 1 + i);
      return undefined;
    },
    shorten: async () => {
      if (!isLong) return;
      isLong = false;
      const dump = target.dump();
      dumpBytes = dump.length;
      await link.writeDump({ epoch, revision, stamp }, dump);
    },
  };
}

/** Begins the names of members that this module adds; a name of the data that begins with it gets another one. */
const MARK = '\u0000';

/** The only member of an object that represents bytes. */
const BYTES = `${MARK}bytes`;

/** The only member of an object that represents a number which a double cannot. */
const NUMBER = `${MARK}number`;

/** Plain data as JSON; bytes are base64. */
export function encode(value: unknown): string {
  return JSON.stringify(value, replaceValue);
}

/** The plain data of `encode`. */
export function decode(text: string): unknown {
  // A function for each member takes five times as long, and most data has no marks.
  return text.includes(String.raw`"\u0000`) ? JSON.parse(text, reviveValue) : JSON.parse(text);
}

function replaceValue(this: unknown, key: string, given: unknown): unknown {
  // A Buffer has become an object by its own `toJSON` already. The holder is an object or array.
  const value = isBytes(given) ? given : (this as Readonly<Record<string, unknown>>)[key];
  if (isBytes(value)) return { [BYTES]: Buffer.from(value).toString('base64') };
  if (value instanceof ExactNumber) return { [NUMBER]: value.source };
  return isObject(given) && hasMark(given)
    ? rename(given, (name) => (name.startsWith(MARK) ? MARK + name : name))
    : given;
}

function reviveValue(_key: string, value: unknown): unknown {
  if (!isObject(value) || !hasMark(value)) return value;
  const { [BYTES]: bytes, [NUMBER]: number } = value;
  if (typeof number === 'string') return new ExactNumber(number);
  if (typeof bytes === 'string') return new Uint8Array(Buffer.from(bytes, 'base64'));
  return rename(value, (name) => (name.startsWith(MARK) ? name.slice(1) : name));
}

function hasMark(value: object): boolean {
  for (const name in value) if (name.startsWith(MARK)) return true;
  return false;
}

function rename(value: object, change: (name: string) => string): object {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [change(name), member]));
}
