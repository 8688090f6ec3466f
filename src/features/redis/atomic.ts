/** A change of a session as plain data: what it changes, then the arguments. */
export type Change = readonly [kind: string, ...args: readonly unknown[]];

/** The changes and journal entries that are written together. */
export interface Segment {
  readonly changes: readonly Change[];
  /** New entries of the journal. */
  readonly entries: readonly LogEntry[];
}

interface LogEntry {
  readonly line: string;
  /** Called with its number once it is written. */
  written(number: number): void;
}

/** The writes of other processes. */
export interface News {
  /** The revision of the state that it can be applied to. */
  readonly base: number;
  /** The revision of the state afterwards. */
  readonly revision: number;
  /** Whether it replaces the state here, since the store has lost a part of that: then its revision can be lower, or the same. */
  readonly isOther: boolean;
  apply(): void;
}

/** Where the changes of one session are written. */
export interface ChangeLog {
  /** The revision that the state here has. */
  readonly revision: number;
  /** Writes a segment after the revision of the state here; if others have written since, nothing is written, and what they wrote is returned. */
  commit(segment: Segment): Promise<News | undefined>;
  /** Reads the writes of others since the revision of the state here. */
  read(): Promise<News>;
  /** Writes the whole state where the log is long; called when nothing is uncommitted. */
  shorten(): Promise<void>;
}

interface Work {
  run(): unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
  /** Whether it is tried again when the log cannot be reached: no caller waits for it. */
  readonly isKept: boolean;
  /** Of the last run. */
  outcome: { readonly result: unknown } | { readonly error: unknown } | undefined;
}

interface OpenSegment extends Segment {
  readonly changes: Change[];
  readonly entries: LogEntry[];
  readonly works: Work[];
  /** Returns the session to its state before the first function ran. */
  restore: (() => void) | undefined;
  readonly onCommitted: (() => void)[];
}

/**
 * Runs functions that change the state of a session here, and writes their changes to a log that other processes read.
 *
 * A function is synchronous and can run again: where another process wrote in between, the session returns to its state before, the changes of
 * the other process are applied, and the function runs on the newer state. A function that cannot be repeated waits for `committed()` first.
 */
export class Atomic {
  readonly #log: ChangeLog;
  readonly #takeState: () => () => void;
  readonly #queue: Work[] = [];
  #running: OpenSegment | undefined;
  /** The changes that were made and are not being written yet. */
  #open = createSegment();
  #isBusy = false;
  /** A revision that another process has written; infinity where the state here differs from the state of the store. */
  #expected = 0;

  /** @param takeState - Keeps the state of the session; the result returns the session to it. */
  constructor(log: ChangeLog, takeState: () => () => void) {
    this.#log = log;
    this.#takeState = takeState;
  }

  /** Whether a function runs now. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Runs a function after what was committed before. @returns its result, once its changes are committed. */
  run<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const settle = (result: unknown): void => resolve(result as Result);
      this.#queue.push({ run: work, resolve: settle, reject, isKept: false, outcome: undefined });
      this.#start();
    });
  }

  /** Runs a function now; its changes are committed afterwards. Inside of another function it is part of that. */
  write<Result>(work: () => Result): Result {
    if (this.#running !== undefined) return work();
    const own: Work = { run: work, resolve: ignore, reject: ignore, isKept: true, outcome: undefined };
    this.#executeAll(this.#open, [own]);
    const { outcome } = own;
    if (outcome === undefined || 'error' in outcome) {
      this.#open.works.pop();
      throw outcome?.error;
    }
    this.#start();
    // The result of this very function.
    return outcome.result as Result;
  }

  /** Resolves once the changes of the running function are committed; never, if it runs again. */
  committed(): Promise<void> {
    const segment = this.#running;
    return segment === undefined ? Promise.resolve() : new Promise((resolve) => segment.onCommitted.push(resolve));
  }

  /** Adds a change of the running function. */
  change(change: Change): void {
    this.#running?.changes.push(change);
  }

  /** Adds an entry to the journal. @param written - Called with its number once it is written. @returns what that returns. */
  enter<Result>(line: string, written: (number: number) => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      const add = (): void => void this.#running?.entries.push({ line, written: (number) => resolve(written(number)) });
      if (this.#running === undefined) this.run(add).catch(reject);
      else add();
    });
  }

  /** Applies what others have written, now or before the next function runs. */
  catchUp(news: News): void {
    const isIdle = !this.#isBusy && this.#open.works.length === 0;
    if (isIdle && news.base === this.#log.revision) news.apply();
    else this.#expected = Math.max(this.#expected, news.isOther ? Infinity : news.revision);
  }

  /** Resolves once everything until now is committed, and everything that others had written before is applied. */
  async flush(): Promise<void> {
    const isBehind = this.#log.revision < this.#expected;
    if (this.#isBusy || this.#open.works.length > 0 || isBehind) await this.run(ignore);
  }

  #execute(segment: OpenSegment, work: Work): void {
    const outer = this.#running;
    this.#running = segment;
    try {
      work.outcome = { result: work.run() };
    } catch (error) {
      work.outcome = { error };
    } finally {
      this.#running = outer;
    }
  }

  #executeAll(segment: OpenSegment, works: readonly Work[]): void {
    if (works.length > 0) segment.restore ??= this.#takeState();
    for (const work of works) {
      segment.works.push(work);
      this.#execute(segment, work);
    }
  }

  /** Brings the state to what others have written, and runs the functions of the segments again. */
  #rebase(news: News, segments: readonly OpenSegment[]): void {
    const works = segments.map((segment) => [...segment.works]);
    undo(segments);
    news.apply();
    for (const [i, segment] of segments.entries()) this.#executeAll(segment, works[i] ?? []);
  }

  async #commit(segment: OpenSegment): Promise<void> {
    while (segment.changes.length + segment.entries.length > 0) {
      const news = await this.#log.commit(segment);
      if (news === undefined) break;
      this.#rebase(news, [segment, this.#open]);
    }
    for (const notify of segment.onCommitted) notify();
    for (const work of segment.works) settle(work);
  }

  #fail(segment: OpenSegment | undefined, error: unknown): void {
    const works = [...(segment?.works ?? []), ...this.#open.works];
    undo(segment === undefined ? [this.#open] : [segment, this.#open]);
    this.#executeAll(
      this.#open,
      works.filter(({ isKept }) => isKept),
    );
    for (const work of [...works, ...this.#queue.splice(0)]) if (!work.isKept) work.reject(error);
  }

  async #pump(): Promise<void> {
    while (this.#queue.length > 0 || this.#open.works.length > 0) {
      let segment: OpenSegment | undefined;
      try {
        if (this.#log.revision < this.#expected) {
          this.#expected = 0;
          const news = await this.#log.read();
          this.#rebase(news, [this.#open]);
        }
        segment = this.#open;
        this.#open = createSegment();
        this.#executeAll(segment, this.#queue.splice(0));
        await this.#commit(segment);
        if (this.#open.works.length === 0) await this.#log.shorten();
      } catch (error) {
        this.#fail(segment === this.#open ? undefined : segment, error);
        return;
      }
    }
  }

  #start(): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    // Functions of the same turn are written together.
    void Promise.resolve()
      .then(() => this.#pump())
      .finally(() => {
        this.#isBusy = false;
        if (this.#queue.length > 0) this.#start();
      });
  }
}

function ignore(): void {
  // There is nothing to do.
}

function createSegment(): OpenSegment {
  return { changes: [], entries: [], works: [], restore: undefined, onCommitted: [] };
}

/** Undoes all that the functions of segments changed, and forgets them. @param segments - The first one ran first. */
function undo(segments: readonly OpenSegment[]): void {
  segments.find(({ restore }) => restore !== undefined)?.restore?.();
  for (const segment of segments) {
    segment.restore = undefined;
    for (const list of [segment.changes, segment.entries, segment.works, segment.onCommitted]) list.length = 0;
  }
}

function settle({ outcome, resolve, reject }: Work): void {
  if (outcome === undefined || 'error' in outcome) reject(outcome?.error);
  else resolve(outcome.result);
}
