import { writeJson } from '../../base/exact-json.js';
import type { EventFields } from '../../http/event-stream.js';
import type { Interaction } from '../../journal/interaction.js';
import { clearTimeout, delay, setTimeout, timeOrigin } from '../../base/platform.js';
import type { Session } from '../../session/session.js';
import { describeReloads, type MockReload } from '../../server/control/reloads.js';
import type { ControlledParts } from '../../server/control/routes.js';

/** How many interactions of one session are sent at most before the next session: of more, the oldest are skipped. */
const MAX_NEWEST = 1000;

/** Requests that come shortly after each other are sent together. */
const COLLECT_MS = 25;

/** A comment after that time shows both sides that the connection is open. */
const HEARTBEAT_MS = 15_000;

/** Sessions in the id of an event; an id is sent back in a header. */
const MAX_POSITIONS = 100;

/** How far a client has read the journal of each session. */
type Positions = Map<string, { readonly session: Session | undefined; readonly number: number }>;

interface FeedOptions {
  /** Id of the only session to follow; undefined for all. */
  readonly only: string | undefined;
  /** The id of the last event that the client has received. */
  readonly after: string | undefined;
}

/**
 * The interactions of all sessions as events: those that are there, then each new one. A slow client needs no buffer: the journals are read
 * when it is ready, and an event reports how many interactions it missed. Without readers of a feed, requests cost the same as before.
 */
export async function* followJournals(
  parts: Pick<ControlledParts, 'closing' | 'pool' | 'redactor' | 'reloads' | 'sessions'>,
  { only, after }: FeedOptions,
): AsyncGenerator<EventFields, void, undefined> {
  const { closing, pool, redactor, reloads, sessions } = parts;
  const positions = readPositions(after);
  const changes = watchChanges([pool.watch, reloads.watch], closing);
  try {
    // Tells the client that it is connected.
    yield { event: 'open', data: '{}' };
    let reloaded: MockReload | undefined;
    while (!closing.aborted) {
      changes.reset();
      const { last } = reloads;
      if (last !== reloaded) yield { event: 'reload', data: JSON.stringify(describeReloads(reloads)) };
      reloaded = last;
      const list = sessions.list().filter(({ id }) => only === undefined || id === only);
      forgetClosed(positions, list);
      const { news, skips } = readNews(list, positions);
      for (const skip of skips) yield { event: 'skipped', data: JSON.stringify(skip) };
      for (const { session, interaction } of news) {
        positions.delete(session.id);
        positions.set(session.id, { session, number: interaction.number });
        const data = writeJson(summarize(interaction, redactor));
        yield { event: 'interaction', id: writePositions(positions), data };
      }
      if (!(await changes.next(HEARTBEAT_MS))) yield { comment: 'heartbeat' };
      else await delay(COLLECT_MS);
    }
  } finally {
    changes.end();
  }
}

interface News {
  readonly session: Session;
  readonly interaction: Interaction;
  /** When the session had all interactions up to this one. */
  readonly endedAt: number;
}

/** The interactions that were not read yet, in the order of their ends, and how many interactions of each session are left out. */
function readNews(
  sessions: readonly Session[],
  positions: Positions,
): { readonly news: readonly News[]; readonly skips: readonly { readonly session: string; readonly count: number }[] } {
  const news: News[] = [];
  const skips: { readonly session: string; readonly count: number }[] = [];
  for (const session of sessions) {
    const known = positions.get(session.id);
    // Its id belonged to a session that was closed.
    const isOther = known?.session !== undefined && known.session !== session;
    const { newest, skipped } = session.journal.after(isOther ? 0 : (known?.number ?? 0), MAX_NEWEST);
    if (skipped > 0 && known !== undefined && !isOther) skips.push({ session: session.id, count: skipped });
    let endedAt = 0;
    for (const interaction of newest) {
      endedAt = Math.max(endedAt, interaction.startedAt + interaction.elapsedMs);
      news.push({ session, interaction, endedAt });
    }
  }
  return { news: news.sort((one, other) => one.endedAt - other.endedAt), skips };
}

/** One interaction in a row of a log, without its secrets. */
function summarize(interaction: Interaction, { toTexts }: ControlledParts['redactor']): object {
  const { number, session, elapsedMs, operation, request, answer, violations } = interaction;
  const texts = toTexts(interaction);
  return {
    number,
    session,
    receivedAt: readReceivedAt(interaction),
    elapsedMs: Math.round(elapsedMs * 1000) / 1000,
    operation: operation ?? null,
    method: request.method,
    url: texts.url,
    status: answer.status,
    from: answer.from,
    errors: violations.filter(({ severity }) => severity === 'error').length,
    notes: violations.filter(({ severity }) => severity === 'note').length,
    ...(answer.fault !== undefined && { fault: answer.fault.kind }),
  };
}

/** When a request arrived by the system clock: the clock of its session may be fixed. */
export function readReceivedAt({ startedAt }: Interaction): string {
  return new Date(timeOrigin + startedAt).toISOString();
}

/** Whether something was added since the last look. */
function watchChanges(watches: readonly ControlledParts['pool']['watch'][], closing: AbortSignal) {
  let hasChanged = false;
  let wake: () => void = () => undefined;
  const note = (): void => {
    hasChanged = true;
    wake();
  };
  const ends = watches.map((watch) => watch(note));
  closing.addEventListener('abort', note);
  return {
    reset: (): void => void (hasChanged = false),
    /** Waits for a change. @returns whether there was one in time. */
    next: async (ms: number): Promise<boolean> => {
      if (hasChanged) return true;
      let timer: ReturnType<typeof setTimeout> | undefined;
      await new Promise<void>((resolve) => {
        wake = resolve;
        timer = setTimeout(resolve, ms);
        timer.unref();
      });
      clearTimeout(timer);
      return hasChanged;
    },
    end: (): void => {
      for (const end of ends) end();
      closing.removeEventListener('abort', note);
      wake();
    },
  };
}

/** `default:12,checkout-1:3` */
function writePositions(positions: Positions): string {
  const latest = [...positions].slice(-MAX_POSITIONS);
  return latest.map(([id, { number }]) => `${id}:${number}`).join(',');
}

function readPositions(text = ''): Positions {
  const pairs = text.split(',').map((pair) => /^([\w.-]{1,128}):(\d{1,15})$/.exec(pair));
  return new Map(
    pairs.flatMap((pair) => (pair === null ? [] : [[pair[1] ?? '', { session: undefined, number: Number(pair[2]) }]])),
  );
}

function forgetClosed(positions: Positions, sessions: readonly Session[]): void {
  if (positions.size <= sessions.length) return;
  const open = new Set(sessions.map(({ id }) => id));
  for (const id of positions.keys()) if (!open.has(id)) positions.delete(id);
}
