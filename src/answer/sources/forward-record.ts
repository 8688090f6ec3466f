import { type SeenExchange, toUnnumbered } from '../../recording/upstream/draft.js';
import type { OpenedCassette, Recordings } from '../../recording/recordings.js';
import type { Exchange } from '../answer-source.js';

/** What the upstream was asked for, and who keeps its answer. */
export interface Asked {
  readonly exchange: Exchange;
  readonly recordings: Recordings;
}

/** A request that is on its way. */
export interface BegunExchange {
  readonly forwarding: Asked;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** By the process's own clock. */
  readonly startedAt: number;
}

/** The cassette that is recorded into; undefined where the upstream is only asked. */
export function readCassette({ recordings, exchange }: Asked): OpenedCassette | undefined {
  const cassette = recordings.mode === 'replay' ? undefined : recordings.current(exchange.session.replay);
  return cassette?.recorder === undefined ? undefined : cassette;
}

/** Writes what was seen into the cassette, if there is one; resolves once it is on disk. */
export async function record(
  { forwarding, at, startedAt }: BegunExchange,
  outcome: SeenExchange['outcome'],
): Promise<void> {
  const { exchange } = forwarding;
  const { call } = exchange;
  const cassette = readCassette(forwarding);
  if (cassette?.recorder === undefined) return;
  const draft = toUnnumbered({ call, at, elapsedMs: performance.now() - startedAt, outcome });
  if (draft === undefined) {
    exchange.note('forward: not recorded, because its content coding cannot be read and so not be redacted');
    return;
  }
  const written = await cassette.recorder.record(draft, call.operation);
  if ('refused' in written) {
    exchange.note(`forward: not recorded: ${written.refused.message}`);
    return;
  }
  remember(cassette, exchange, written.stored.number);
  exchange.note(`forward: recorded as ${written.stored.file}`);
}

/** What was recorded just now counts as replayed: the same request again is the next of its sequence. */
function remember(cassette: OpenedCassette, { call, session }: Exchange, number: number): void {
  const exchange = cassette.read().exchanges.find((candidate) => candidate.number === number);
  if (exchange === undefined) return;
  cassette.matcher.add(exchange);
  session.replay.pass(cassette.name, cassette.matcher.key(call));
}
