import { MockError, nearest } from '../errors.js';
import type { Interaction } from './interaction.js';
import type { PlainInteraction, ToPlain } from './plain.js';
import { createRing } from './ring.js';
import { verifyInteractions, type VerifyOptions } from './verify.js';
import { createWaiting, type WaitOptions } from './wait.js';

/** Says of an interaction whether it is meant. */
type InteractionPredicate = (interaction: Interaction) => boolean;

/** The record of one session's interactions, bounded in count and in bytes of bodies: the oldest are dropped first. */
export interface Journal {
  /** Oldest first; a list of the moment. */
  readonly interactions: readonly Interaction[];
  /** How many were dropped because the journal was full. */
  readonly dropped: number;
  /** @param size - Bytes of the bodies it holds on to, roughly; default none worth counting. */
  add(interaction: Omit<Interaction, 'number'>, size?: number): Interaction;
  /** Those of one operation, in order. @throws MockError `OPERATION_UNKNOWN` where the contract has no such operation. */
  calls(operation: string): readonly Interaction[];
  filter(predicate: InteractionPredicate): readonly Interaction[];
  /** The last one, or the last one of an operation. @throws MockError `OPERATION_UNKNOWN`. */
  last(operation?: string): Interaction | undefined;
  /**
   * The first interaction that is meant: one that is there already, or the one that comes.
   *
   * @throws MockError `WAIT_TIMEOUT` that lists what came instead; `OPERATION_UNKNOWN`.
   */
  waitFor(what: string | InteractionPredicate, options?: WaitOptions): Promise<Interaction>;
  /** @throws MockError `VERIFY_FAILED` with every departure of the client, and every count that is not as it should be. */
  verify(options?: VerifyOptions): void;
  /** One interaction as JSON, without its secrets. */
  readonly toPlain: ToPlain;
  /** Every interaction as JSON, without its secrets. */
  toJson(): readonly PlainInteraction[];
  /** The same, one JSON object a line. */
  toNdjson(): string;
  /** Forgets every interaction; numbers go on. */
  clear(): void;
}

/** What a journal is made with. */
interface JournalOptions {
  /** How many interactions it keeps. */
  readonly limit: number;
  /** How many bytes of bodies it keeps at most; default 64 MiB. */
  readonly limitBytes?: number;
  /** Ids of the operations there are: asking for another one is a mistake. */
  readonly operations: readonly string[];
  /** Shows an interaction without its secrets. */
  readonly toPlain: ToPlain;
}

/** A thousand uploads are not worth the memory of the machine. */
const DEFAULT_LIMIT_BYTES = 64 * 1024 * 1024;

/** An empty journal. */
export function createJournal(options: JournalOptions): Journal {
  const { limit, limitBytes = DEFAULT_LIMIT_BYTES, operations, toPlain } = options;
  const ring = createRing({ count: limit, bytes: limitBytes });
  const { list } = ring;
  let count = 0;
  const waiting = createWaiting();
  const toPredicate = (what: string | InteractionPredicate): InteractionPredicate => {
    if (typeof what === 'function') return what;
    checkOperation(what, operations);
    return (interaction) => interaction.operation === what;
  };
  return {
    get interactions() {
      return list();
    },
    get dropped() {
      return ring.dropped;
    },
    add: (interaction, size = 0) => {
      count += 1;
      // Written out: a spread costs several times as much, and every request comes by here.
      const entry: Interaction = {
        number: count,
        session: interaction.session,
        at: interaction.at,
        elapsedMs: interaction.elapsedMs,
        operation: interaction.operation,
        request: interaction.request,
        answer: interaction.answer,
        violations: interaction.violations,
        trace: interaction.trace,
      };
      ring.add(entry, size);
      waiting.tell(entry);
      return entry;
    },
    calls: (operation) => list().filter(toPredicate(operation)),
    filter: (predicate) => list().filter(predicate),
    last: (operation) => (operation === undefined ? list().at(-1) : list().findLast(toPredicate(operation))),
    waitFor: async (what, wait = {}) => waiting.wait({ what, isMeant: toPredicate(what), before: list() }, wait),
    verify: (wanted = {}) => {
      for (const operation of Object.keys(wanted.calls ?? {})) checkOperation(operation, operations);
      verifyInteractions({ interactions: list(), dropped: ring.dropped }, wanted);
    },
    toPlain,
    toJson: () => list().map(toPlain),
    toNdjson: () =>
      list()
        .map((interaction) => `${JSON.stringify(toPlain(interaction))}\n`)
        .join(''),
    clear: ring.clear,
  };
}

/** @throws MockError `OPERATION_UNKNOWN` with the nearest id. */
export function checkOperation(operation: string, operations: readonly string[]): void {
  if (operations.includes(operation)) return;
  const meant = nearest(operation, operations);
  throw new MockError('OPERATION_UNKNOWN', `operation "${operation}" is not in the contract`, {
    hint: meant === undefined ? `it has ${listSome(operations)}` : `did you mean "${meant}"?`,
  });
}

const SHOWN_OPERATIONS = 12;

function listSome(operations: readonly string[]): string {
  const shown = operations.slice(0, SHOWN_OPERATIONS).join(', ');
  return operations.length > SHOWN_OPERATIONS ? `${shown}, …` : shown || 'no operations';
}
