import { readJson, writeJson } from '../../base/exact-json.js';
import type { Interaction, PlainInteraction } from '../../journal/interaction.js';
import type { NewInteraction, SessionJournal } from '../../journal/journal.js';
import { NO_VIOLATIONS } from '../../schema/violation.js';
import { withMethods } from '../../session/shared.js';
import { timeOrigin } from '../../base/platform.js';

/** Interactions that wait to be read take this much at most; the limits of the journal apply to those that were read. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/** An interaction that waits to be read. */
interface Waiting {
  readonly number: number;
  readonly size: number;
  read(): NewInteraction;
}

/** The journal of a session that several processes write to. */
export interface SharedJournal {
  /** For readers; the interactions of other processes are parsed when they are first read. */
  readonly journal: SessionJournal;
  /** The number of the last interaction that is here. */
  readonly number: number;
  /** Adds an interaction of this process, with its number. */
  put(interaction: Interaction, size: number): void;
  /** Adds the interactions of all processes from a number on; the interactions of this process are there already. */
  addLines(first: number, lines: readonly string[]): void;
  /** Forgets everything; the next interaction has the number 1. Code that waits for an interaction continues to wait. */
  restart(): void;
}

/** Makes a journal the one of several processes. @param limit - How many interactions it keeps. */
export function createSharedJournal(inner: SessionJournal, limit: number): SharedJournal {
  let number = 0;
  let waiting: Waiting[] = [];
  let bytes = 0;
  // Interactions of this process whose predecessors are not here yet.
  const ahead = new Map<number, Waiting>();
  const clear = (): void => {
    [waiting, bytes] = [[], 0];
    inner.clear();
  };
  const read = (): SessionJournal => {
    const entries = waiting;
    [waiting, bytes] = [[], 0];
    for (const entry of entries) {
      inner.skipTo(entry.number);
      inner.add(entry.read(), entry.size);
    }
    return inner;
  };
  const add = (entry: Waiting): void => {
    ahead.delete(entry.number);
    number = entry.number;
    waiting.push(entry);
    bytes += entry.size;
    if (waiting.length <= 2 * limit + 100) return;
    waiting.splice(0, waiting.length - limit);
    bytes = waiting.reduce((sum, { size }) => sum + size, 0);
  };
  const addAhead = (): void => {
    for (let next = ahead.get(number + 1); next !== undefined; next = ahead.get(number + 1)) add(next);
    // Most interactions are dropped before anything reads them: they are read where something waits for them, or where they take much memory.
    if (inner.isAwaited || bytes > MAX_WAITING_BYTES) read();
  };
  return {
    get number() {
      return number;
    },
    put: (interaction, size) => {
      if (interaction.number > number) {
        ahead.set(interaction.number, { number: interaction.number, size, read: () => interaction });
      }
      addAhead();
    },
    addLines: (first, lines) => {
      for (const [i, line] of lines.entries()) {
        const own = ahead.get(first + i);
        const entry = own ?? { number: first + i, size: line.length, read: () => parseLine(line) };
        if (entry.number > number) add(entry);
      }
      // Without those that are not kept any more.
      number = Math.max(number, first + lines.length - 1);
      addAhead();
    },
    restart: () => {
      clear();
      inner.skipTo(1);
      number = 0;
      ahead.clear();
    },
    journal: createReader(inner, read, clear),
  };
}

/** The journal for readers, who read what waits first. */
function createReader(inner: SessionJournal, read: () => SessionJournal, clear: () => void): SessionJournal {
  return withMethods(inner, {
    get interactions() {
      return read().interactions;
    },
    get dropped() {
      return read().dropped;
    },
    get size() {
      return read().size;
    },
    calls: (operation) => read().calls(operation),
    filter: (predicate) => read().filter(predicate),
    last: (operation) => read().last(operation),
    waitFor: (what, options) => read().waitFor(what, options),
    toJson: () => read().toJson(),
    toNdjson: () => read().toNdjson(),
    after: (from, count) => read().after(from, count),
    clear,
  });
}

/** An interaction as other processes read it, without its secrets. */
export function writeLine(plain: PlainInteraction, startedAt: number): string {
  return writeJson({ ...plain, received: timeOrigin + startedAt });
}

function parseLine(line: string): NewInteraction {
  // Written by `writeLine`.
  const { received, ...plain } = readJson(line) as PlainInteraction & { readonly received: number };
  const { at, operation, request, answer } = plain;
  return {
    ...plain,
    at: Date.parse(at),
    startedAt: received - timeOrigin,
    operation: operation ?? undefined,
    request: { ...request, body: request.body },
    answer: { ...answer, body: answer.body, mediaType: answer.mediaType, violations: NO_VIOLATIONS },
  };
}
