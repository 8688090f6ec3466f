import type { Interaction, PlainInteraction } from '../../journal/interaction.js';
import type { SessionJournal } from '../../journal/journal.js';
import { NO_VIOLATIONS } from '../../schema/violation.js';
import { timeOrigin } from '../../platform.js';
import { withMethods } from './with-methods.js';

/** The journal of a session that several processes write to. */
export interface SharedJournal {
  /** For readers; the interactions of other processes are parsed when they are first read. */
  readonly journal: SessionJournal;
  /** The number of the last interaction that is here. */
  readonly number: number;
  /** Adds an interaction of this process, with its number. */
  put(interaction: Interaction, size: number): void;
  /** Adds the interactions of all processes from a number on; those of this process are there already. */
  addLines(first: number, lines: readonly string[]): void;
  /** Forgets everything; the next interaction has the number 1. */
  restart(): void;
}

/** What is known about an interaction that waits to be read. */
type Waiting = { readonly number: number } & (
  | { readonly line: string }
  | { readonly interaction: Interaction; readonly size: number }
);

/** Creates the journal of one session. @param limit - How many interactions are kept. */
export function createSharedJournal(create: () => SessionJournal, limit: number): SharedJournal {
  return new Journals(create, limit);
}

class Journals implements SharedJournal {
  readonly journal: SessionJournal;
  number = 0;
  readonly #limit: number;
  #inner: SessionJournal;
  readonly #create: () => SessionJournal;
  #waiting: Waiting[] = [];
  /** Interactions of this process whose predecessors are not here yet. */
  readonly #ahead = new Map<number, Waiting>();

  constructor(create: () => SessionJournal, limit: number) {
    this.#create = create;
    this.#limit = limit;
    this.#inner = create();
    this.journal = this.#createReader();
  }

  put(interaction: Interaction, size: number): void {
    const entry = { number: interaction.number, interaction, size };
    if (entry.number === this.number + 1) this.#add(entry);
    else if (entry.number > this.number) this.#ahead.set(entry.number, entry);
    this.#addAhead();
    // For what waits for an interaction.
    this.#read();
  }

  addLines(first: number, lines: readonly string[]): void {
    for (const [i, line] of lines.entries()) {
      const entry = this.#ahead.get(first + i) ?? { number: first + i, line };
      this.#ahead.delete(entry.number);
      if (entry.number > this.number) this.#add(entry);
    }
    // Without those that are not kept any more.
    this.number = Math.max(this.number, first + lines.length - 1);
    this.#addAhead();
    if (this.#inner.isAwaited) this.#read();
  }

  restart(): void {
    this.#inner.release();
    this.#inner = this.#create();
    this.#waiting = [];
    this.number = 0;
    this.#ahead.clear();
  }

  #add(entry: Waiting): void {
    this.number = entry.number;
    this.#waiting.push(entry);
    if (this.#waiting.length > 2 * this.#limit + 100) this.#waiting = this.#waiting.slice(-this.#limit);
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
    this.#waiting = [];
    for (const entry of entries) {
      inner.skipTo(entry.number);
      if ('line' in entry) inner.add({ ...parseLine(entry.line), number: entry.number }, entry.line.length);
      else inner.add(entry.interaction, entry.size);
    }
    return inner;
  }

  #createReader(): SessionJournal {
    const read = (): SessionJournal => this.#read();
    return withMethods<SessionJournal>(this.#inner, {
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
        return read().isAwaited;
      },
      calls: (operation) => read().calls(operation),
      filter: (predicate) => read().filter(predicate),
      last: (operation) => read().last(operation),
      waitFor: (what, options) => read().waitFor(what, options),
      toJson: () => read().toJson(),
      toNdjson: () => read().toNdjson(),
      after: (from, count) => read().after(from, count),
      clear: () => {
        this.#waiting = [];
        this.#inner.clear();
      },
      release: () => this.#inner.release(),
    });
  }
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
