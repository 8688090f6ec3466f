import type { Interaction, PlainInteraction } from '../../journal/interaction.js';
import type { SessionJournal } from '../../journal/journal.js';
import { NO_VIOLATIONS } from '../../schema/violation.js';
import { timeOrigin } from '../../platform.js';
import { withMethods } from './with-methods.js';

/** Interactions that wait to be read take this much at most; the limits of the journal apply to those that were read. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/** What is known about an interaction that waits to be read. */
type Waiting = { readonly number: number } & (
  | { readonly line: string }
  | { readonly interaction: Interaction; readonly size: number }
);

/** The journal of a session that several processes write to. */
export class SharedJournal {
  /** For readers; the interactions of other processes are parsed when they are first read. */
  readonly journal: SessionJournal;
  /** The number of the last interaction that is here. */
  number = 0;
  readonly #limit: number;
  readonly #inner: SessionJournal;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  /** Interactions of this process whose predecessors are not here yet. */
  readonly #ahead = new Map<number, Waiting>();

  constructor(inner: SessionJournal, limit: number) {
    this.#limit = limit;
    this.#inner = inner;
    this.journal = this.#createReader();
  }

  /** Adds an interaction of this process, with its number. */
  put(interaction: Interaction, size: number): void {
    const entry = { number: interaction.number, interaction, size };
    if (entry.number === this.number + 1) this.#add(entry);
    else if (entry.number > this.number) this.#ahead.set(entry.number, entry);
    this.#addAhead();
    this.#readSoon();
  }

  /** Adds the interactions of all processes from a number on; those of this process are there already. */
  addLines(first: number, lines: readonly string[]): void {
    for (const [i, line] of lines.entries()) {
      const entry = this.#ahead.get(first + i) ?? { number: first + i, line };
      this.#ahead.delete(entry.number);
      if (entry.number > this.number) this.#add(entry);
    }
    // Without those that are not kept any more.
    this.number = Math.max(this.number, first + lines.length - 1);
    this.#addAhead();
    this.#readSoon();
  }

  /** Forgets everything; the next interaction has the number 1. */
  restart(): void {
    // What waits for an interaction continues to wait.
    this.#inner.clear();
    this.#inner.skipTo(1);
    this.#forget();
    this.number = 0;
    this.#ahead.clear();
  }

  #forget(): void {
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  /** Most interactions are dropped before anything reads them: they are read where something waits for them, or where they take much memory. */
  #readSoon(): void {
    if (this.#inner.isAwaited || this.#waitingBytes > MAX_WAITING_BYTES) this.#read();
  }

  #add(entry: Waiting): void {
    this.number = entry.number;
    this.#waiting.push(entry);
    this.#waitingBytes += sizeOf(entry);
    const isMuch = this.#waitingBytes > MAX_WAITING_BYTES && this.#waiting.length > this.#limit;
    if (!isMuch && this.#waiting.length <= 2 * this.#limit + 100) return;
    this.#waiting = this.#limit === 0 ? [] : this.#waiting.slice(-this.#limit);
    this.#waitingBytes = this.#waiting.reduce((sum, each) => sum + sizeOf(each), 0);
  }

  #addAhead(): void {
    for (let next = this.#ahead.get(this.number + 1); next !== undefined; next = this.#ahead.get(this.number + 1)) {
      this.#ahead.delete(next.number);
      this.#add(next);
    }
  }

  /** The journal with everything that waits to be read. */
  #read(): SessionJournal {
    const entries = this.#waiting;
    const inner = this.#inner;
    this.#forget();
    for (const entry of entries) {
      inner.skipTo(entry.number);
      if ('line' in entry) inner.add({ ...parseLine(entry.line), number: entry.number }, entry.line.length);
      else inner.add(entry.interaction, entry.size);
    }
    return inner;
  }

  #createReader(): SessionJournal {
    const inner = this.#inner;
    const read = (): SessionJournal => this.#read();
    return withMethods<SessionJournal>(inner, {
      get interactions() {
        return read().interactions;
      },
      get dropped() {
        return read().dropped;
      },
      get size() {
        return read().size;
      },
      get isAwaited() {
        return inner.isAwaited;
      },
      calls: (operation) => read().calls(operation),
      filter: (predicate) => read().filter(predicate),
      last: (operation) => read().last(operation),
      waitFor: (what, options) => read().waitFor(what, options),
      toJson: () => read().toJson(),
      toNdjson: () => read().toNdjson(),
      after: (from, count) => read().after(from, count),
      clear: () => {
        this.#forget();
        inner.clear();
      },
      release: () => inner.release(),
    });
  }
}

function sizeOf(entry: Waiting): number {
  return 'line' in entry ? entry.line.length : entry.size;
}

/** An interaction as other processes read it, without its secrets. */
export function writeLine(plain: PlainInteraction, startedAt: number): string {
  return JSON.stringify({ ...plain, received: timeOrigin + startedAt });
}

function parseLine(line: string): Omit<Interaction, 'number'> {
  // Written by `writeLine`.
  const { received, ...plain } = JSON.parse(line) as PlainInteraction & { readonly received: number };
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
