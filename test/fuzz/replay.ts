import { type Failure, type FuzzCase, toAnswers, toText } from './cases.js';
import { type Exchange, type Outcome, type ReceivedAnswer, sendBytes } from './connection.js';
import { serveAnswers } from './answers.js';
import type { ServerProcess, Started } from './server-process.js';
import { OUTSIDE, writeTree } from './trees.js';

/** How long is too long. */
export interface Limits {
  /** Milliseconds after which an answer is taken for one that never comes. */
  readonly hangMs: number;
  /** The same for a start. */
  readonly startMs: number;
  /** The longest time that the event loop may be blocked, in milliseconds. */
  readonly stallMs: number;
  /** The most memory of the process, in bytes. */
  readonly rss: number;
}

export const LIMITS: Limits = { hangMs: 60_000, startMs: 60_000, stallMs: 2000, rss: 1.5e9 };

/** How the answers of an upstream are recorded; the second of two equal requests is replayed. */
const UPSTREAM_RECORDINGS = { folder: 'recordings', cassette: 'k', mode: 'record-missing' };

/** A process that has closed its connections ends within this time, if it crashed. */
export const DEATH_MS = 3000;

const HEALTH = 'GET /__mock/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';

/** Plays a case against a mock of its own and returns what went wrong. */
export async function playCase(
  server: ServerProcess,
  given: FuzzCase,
  limits: Limits = LIMITS,
): Promise<Failure | undefined> {
  server.takeDelays();
  const { started, close } = await startCase(server, given, limits);
  try {
    return await judgeCase(server, { given, started, limits });
  } finally {
    close();
  }
}

/** Starts the mock of a case, with its folder and its upstream. */
export async function startCase(
  server: ServerProcess,
  { document, options, files, answers }: Omit<FuzzCase, 'found' | 'requests'>,
  { startMs }: Limits,
): Promise<{ readonly started: Started; readonly close: () => void }> {
  const tree = files && writeTree(files);
  const upstream = answers && (await serveAnswers(answers));
  const recordings = upstream && { recordings: { ...UPSTREAM_RECORDINGS, upstream: upstream.url } };
  const mock = { document, options: { ...options, ...recordings }, ...(tree && { folder: tree.folder }) };
  const close = (): void => {
    tree?.remove();
    upstream?.close();
  };
  return { started: await server.start(mock, startMs), close };
}

interface StartedCase {
  readonly given: FuzzCase;
  readonly started: Started;
  readonly limits: Limits;
}

async function judgeCase(server: ServerProcess, { given, started, limits }: StartedCase): Promise<Failure | undefined> {
  if (started.kind !== 'started') return judgeStart(server, started, given);
  if (given.refused !== undefined) return { kind: 'start', text: `the document was not refused with ${given.refused}` };
  const exchanges = given.requests.map((sent, i): Exchange => {
    const answers = given.statuses?.[i]?.length ?? toAnswers(sent);
    return { bytes: toText(sent), ...(answers !== undefined && { answers }) };
  });
  const play = (exchange: Exchange): Promise<Outcome> => sendBytes(started.port, exchange, limits.hangMs);
  const outcomes: Outcome[] = [];
  if (given.parallel === true) outcomes.push(...(await Promise.all(exchanges.map(play))));
  else await playInOrder(exchanges, play, outcomes);
  const probe = await isHealthy(started.port, limits);
  if (!probe && outcomes.every(({ end }) => end !== 'hung')) await server.awaitDeath(DEATH_MS);
  return (
    judgeServer(server, limits) ??
    (await judgeMemory(server, limits)) ??
    (probe ? undefined : BLOCKED) ??
    outcomes.map((outcome, i) => judgeOutcome(outcome, exchanges[i])).find((failure) => failure !== undefined) ??
    judgeStatuses(outcomes, given)
  );
}

/** What is said about a start that takes too long. */
export const NO_START = 'the start does not end';

/** The server answers no connection at all. */
export const BLOCKED: Failure = { kind: 'hang', text: 'a healthy request on another connection is not answered' };

/** Until one hangs: those after it would, too. */
async function playInOrder(
  exchanges: readonly Exchange[],
  play: (exchange: Exchange) => Promise<Outcome>,
  outcomes: Outcome[],
): Promise<void> {
  for (const exchange of exchanges) {
    const outcome = await play(exchange);
    outcomes.push(outcome);
    if (outcome.end === 'hung') return;
  }
}

/** Whether the health of the mock is answered on a connection of its own. */
export async function isHealthy(port: number, { hangMs }: Limits): Promise<boolean> {
  const { answers } = await sendBytes(port, { bytes: HEALTH, answers: 1 }, hangMs);
  return answers[0]?.status === 200;
}

/** Judges a start that did not end with a port. */
export function judgeStart(
  server: ServerProcess,
  started: { readonly kind: string; readonly message?: string },
  { refused }: Pick<FuzzCase, 'refused'> = {},
): Failure | undefined {
  const { kind, message = '' } = started;
  if (kind === 'hung') return { kind: 'hang', text: NO_START };
  if (kind === 'ended') return { kind: 'crash', text: server.death() ?? '' };
  if (message.includes(OUTSIDE)) return { kind: 'leak', text: message };
  if (kind === 'threw') return { kind: 'start', text: message };
  return refused === undefined || message.startsWith(refused) ? undefined : { kind: 'start', text: message };
}

/** What the process itself shows: that it ended, or was blocked for too long. */
export function judgeServer(server: ServerProcess, { stallMs }: Limits): Failure | undefined {
  const death = server.death();
  if (death !== undefined) return { kind: 'crash', text: death };
  const worst = Math.max(0, ...server.takeDelays());
  if (worst < stallMs) return undefined;
  return { kind: 'stall', text: `the event loop was blocked for ${Math.round(worst)} ms` };
}

/** Memory that was taken and not given back. */
export async function judgeMemory(server: ServerProcess, { hangMs, rss: limit }: Limits): Promise<Failure | undefined> {
  const { rss } = await server.usage(hangMs);
  return rss < limit ? undefined : { kind: 'memory', text: `the process has ${Math.round(rss / 1e6)} MB` };
}

/** Answers that show a file of another folder, answers of 500 and above that nothing asked for, and answers that did not come. */
export function judgeOutcome({ answers, end }: Outcome, exchange?: Exchange): Failure | undefined {
  const leak = answers.find(({ text }) => text.includes(OUTSIDE));
  if (leak !== undefined) return { kind: 'leak', text: leak.text };
  const wrong = answers.find((answer) => isOwnFailure(answer, exchange?.allows));
  if (wrong !== undefined) return { kind: 'server-error', text: wrong.text };
  // Without a known number of answers the server closes after the client.
  if (end === 'hung') return { kind: 'hang', text: 'no answer, or no end of the connection, within the limit' };
  if (end === 'answered' || exchange?.answers === undefined || answers.length >= exchange.answers) return undefined;
  // The parser of Node.js refuses the bytes and closes.
  if (answers.some(({ status }) => [400, 408, 413, 417, 431].includes(status))) return undefined;
  return { kind: 'hang', text: `the connection ended after ${answers.length} of ${exchange.answers} answers` };
}

/** A mock that failed itself says so; its other sources answer 500 only where a document declares it, or a request asks for it. */
function isOwnFailure({ status, source, text }: ReceivedAnswer, allows: Exchange['allows']): boolean {
  if (status < 500) return false;
  if (source === undefined || source === 'mock' || text.includes('MOCK_FAILED')) return true;
  // A limit on sessions, and a wait that ended.
  if (source === 'control') return status !== 503 && status !== 504;
  return allows !== undefined && !allows(status) && !source.startsWith('scenario');
}

function judgeStatuses(outcomes: readonly Outcome[], { statuses }: FuzzCase): Failure | undefined {
  for (const [i, want = []] of (statuses ?? []).entries()) {
    const got = outcomes[i]?.answers.map(({ status }) => status) ?? [];
    if (got.join(' ') !== want.join(' '))
      return { kind: 'wrong-status', text: `connection ${i}: ${got.join(' ')} instead of ${want.join(' ')}` };
  }
  return undefined;
}
