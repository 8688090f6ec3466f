// @module-tag slow
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIBRARY } from './library.js';
import { REDIS_MISSING, type RedisServer, startRedis } from './redis-server.js';
import { type ReplicaProcess, startReplica } from './replica-process.js';

const PROCESSES = 4;
const CLIENTS = 32;
const SESSIONS = 4;
/** How often the rule applies, and how many requests the limit lets through, in each session. */
const TIMES = 15;
const LIMIT = 12;

/** `VOUCH_STORE_SECONDS=60` runs for that time and prints figures; the suite makes a fixed number of steps. */
const SECONDS = Number(process.env['VOUCH_STORE_SECONDS'] ?? 0);
const STEPS = 14;

const SCENARIO = {
  operations: {
    getCounted: { times: TIMES, respond: { status: 418 } },
    getLimited: { fault: { 'rate-limit': { limit: LIMIT, window: '24h' } } },
  },
};

interface Book {
  readonly id: string;
  readonly title: string;
}

/** What the clients of one session were told. */
interface Ledger {
  readonly session: string;
  /** Titles of acknowledged creates by id. */
  readonly created: Map<string, string>;
  /** Ids whose delete was sent: they can be gone. */
  readonly deleting: Set<string>;
  /** Ids whose delete was answered 204. */
  readonly deleted: Set<string>;
  /** Ids by idempotency key. */
  readonly keyed: Map<string, Set<string>>;
  readonly counted: { matched: number; unknown: number; others: number };
  readonly limited: { passed: number; unknown: number; refused: number };
  readonly mistakes: string[];
}

/** Counts of one run. */
interface Figures {
  requests: number;
  failed: number;
  unavailable: number;
  creates: number;
  pages: number;
}

class Cluster {
  readonly figures: Figures = { requests: 0, failed: 0, unavailable: 0, creates: 0, pages: 0 };
  readonly replicas: (ReplicaProcess | undefined)[] = [];
  #next = 0;

  readonly #words: readonly string[];

  constructor(words: readonly string[]) {
    this.#words = words;
  }

  async start(i: number): Promise<void> {
    this.replicas[i] = await startReplica(this.#words);
  }

  async kill(i: number): Promise<void> {
    const replica = this.replicas[i];
    this.replicas[i] = undefined;
    await replica?.end('SIGKILL');
  }

  /** Sends a request to the next process, once. @returns undefined where it is unknown whether it was done. */
  async send(path: string, init: RequestInit = {}): Promise<{ status: number; body: unknown } | undefined> {
    let replica: ReplicaProcess | undefined;
    while (replica === undefined) replica = this.replicas[this.#next++ % PROCESSES];
    this.figures.requests += 1;
    try {
      const response = await fetch(`${replica.url}${path}`, init);
      const text = await response.text();
      if (response.status === 503) {
        this.figures.unavailable += 1;
        await setImmediate();
        return undefined;
      }
      return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
    } catch {
      // The process was killed before it answered.
      this.figures.failed += 1;
      await setImmediate();
      return undefined;
    }
  }

  /** Sends a request that can be repeated until it is answered. */
  async ask(path: string, init?: RequestInit): Promise<{ status: number; body: unknown }> {
    for (;;) {
      const answer = await this.send(path, init);
      if (answer !== undefined) return answer;
    }
  }
}

describe.skipIf(REDIS_MISSING !== undefined)('processes of the command with one store', () => {
  let redis: RedisServer;
  let folder = '';
  let cluster: Cluster;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'vouch-processes-'));
    writeFileSync(join(folder, 'library.json'), JSON.stringify(LIBRARY));
    for (const name of ['scenarios', 'fixtures']) mkdirSync(join(folder, name));
    writeFileSync(join(folder, 'scenarios/limits.json'), JSON.stringify(SCENARIO));
    writeFileSync(join(folder, 'fixtures/books.json'), '{"items": []}');
    redis = await startRedis();
    const files = ['--scenarios', join(folder, 'scenarios'), '--fixtures', join(folder, 'fixtures')];
    cluster = new Cluster([
      'serve',
      join(folder, 'library.json'),
      '--port',
      '0',
      '--quiet',
      '--store',
      redis.url,
      ...files,
    ]);
    await Promise.all(Array.from({ length: PROCESSES }, (_, i) => cluster.start(i)));
  });
  afterAll(async () => {
    for (const replica of cluster.replicas) await replica?.end('SIGKILL');
    await redis.close();
    rmSync(folder, { recursive: true });
  });

  /** Kills two processes and Redis while the clients go on, and starts them again. */
  const breakThings = async (): Promise<void> => {
    await cluster.kill(0);
    await cluster.start(0);
    await redis.kill();
    await redis.start();
    await cluster.kill(1);
    await cluster.start(1);
  };

  it(
    'loses nothing that was answered while two of them and Redis are killed',
    async () => {
      const ledgers = Array.from({ length: SESSIONS }, (_, i) => createLedger(`s${i}`));
      const activated = await cluster.ask('/__mock/scenarios/limits/activate?scope=server', { method: 'POST' });
      expect(activated.status).toBe(200);
      const startedAt = performance.now();
      const isOver = (step: number): boolean =>
        SECONDS === 0 ? step >= STEPS : performance.now() - startedAt > SECONDS * 1000;
      const running = new Set(Array.from({ length: CLIENTS }, (_, client) => client));
      const clients = Array.from({ length: CLIENTS }, async (_, client) => {
        const ledger = ledgers[client % SESSIONS] as Ledger;
        for (let step = 0; !isOver(step); step++) await doStep(cluster, ledger, { client, step });
        running.delete(client);
      });
      const isGoing = (): boolean => SECONDS > 0 && running.size > 0;
      const broken = (async () => {
        let times = 0;
        do {
          const { requests } = cluster.figures;
          while (running.size > 0 && cluster.figures.requests < requests + CLIENTS) await setImmediate();
          await breakThings();
          times += 1;
        } while (isGoing());
        return times;
      })();
      await Promise.all(clients);
      const kills = await broken;
      for (const ledger of ledgers) await check(cluster, ledger);
      expect(ledgers.flatMap(({ mistakes }) => mistakes)).toEqual([]);
      expect(ledgers.every(({ created }) => created.size > 0)).toBe(true);
      if (SECONDS > 0) console.log(JSON.stringify({ seconds: SECONDS, rounds: kills, ...cluster.figures }));
    },
    SECONDS * 1000 + 60_000,
  );
});

function createLedger(session: string): Ledger {
  return {
    session,
    created: new Map(),
    deleting: new Set(),
    deleted: new Set(),
    keyed: new Map(),
    counted: { matched: 0, unknown: 0, others: 0 },
    limited: { passed: 0, unknown: 0, refused: 0 },
    mistakes: [],
  };
}

/** One step of a client: each kind of request in turn. */
async function doStep(
  cluster: Cluster,
  ledger: Ledger,
  { client, step }: { readonly client: number; readonly step: number },
): Promise<void> {
  const { session, counted, limited } = ledger;
  const path = `/~${session}`;
  const kind = (client + step) % 7;
  if (kind <= 1) await createBook(cluster, ledger, { title: `${session} ${client}.${step}` });
  // Eight clients of a session send the same key.
  else if (kind === 2)
    await createBook(cluster, ledger, { title: `${session} key ${step}`, key: `${session}-${step}` });
  else if (kind === 3) await deleteBook(cluster, ledger, client);
  else if (kind === 4) await walkPages(cluster, ledger);
  else if (kind === 5) {
    const answer = await cluster.send(`${path}/counted`);
    counted[answer === undefined ? 'unknown' : answer.status === 418 ? 'matched' : 'others'] += 1;
  } else {
    const answer = await cluster.send(`${path}/limited`);
    limited[answer === undefined ? 'unknown' : answer.status === 429 ? 'refused' : 'passed'] += 1;
  }
}

async function createBook(
  cluster: Cluster,
  { session, created, keyed, mistakes }: Ledger,
  { title, key }: { readonly title: string; readonly key?: string },
): Promise<void> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) },
    body: JSON.stringify({ title }),
  };
  // Only with a key a create can be sent again.
  const answer = await (key === undefined
    ? cluster.send(`/~${session}/books`, init)
    : cluster.ask(`/~${session}/books`, init));
  if (answer === undefined) return;
  const book = answer.body as Book;
  if (answer.status !== 201 || book.title !== title) {
    mistakes.push(`a create of "${title}" was answered ${answer.status} ${JSON.stringify(book)}`);
    return;
  }
  cluster.figures.creates += 1;
  if (key !== undefined) keyed.set(key, (keyed.get(key) ?? new Set()).add(book.id));
  else if (created.has(book.id)) mistakes.push(`two creates were answered with ${book.id}`);
  created.set(book.id, title);
}

/** Deletes a book that no other client deletes. */
async function deleteBook(cluster: Cluster, ledger: Ledger, client: number): Promise<void> {
  const { session, created, deleting, deleted, mistakes } = ledger;
  const own = [...created].find(([id, title]) => title.startsWith(`${session} ${client}.`) && !deleting.has(id));
  if (own === undefined) return;
  const [id] = own;
  deleting.add(id);
  const answer = await cluster.send(`/~${session}/books/${id}`, { method: 'DELETE' });
  if (answer === undefined) return;
  if (answer.status !== 204) mistakes.push(`the first delete of ${id} was answered ${answer.status}`);
  deleted.add(id);
  const { status } = await cluster.ask(`/~${session}/books/${id}`);
  if (status !== 404) mistakes.push(`the deleted book ${id} was answered ${status}`);
}

/** Follows the pages of a list, each from another process. */
async function walkPages(cluster: Cluster, ledger: Ledger): Promise<readonly Book[]> {
  const { session, created, deleting, mistakes } = ledger;
  const before = [...created.keys()].filter((id) => !deleting.has(id));
  const seen: Book[] = [];
  for (let after = ''; ;) {
    const { status, body } = await cluster.ask(`/~${session}/books?limit=20${after}`);
    cluster.figures.pages += 1;
    if (status !== 200) {
      // The book that the page begins after has been deleted meanwhile.
      if (deleting.size === 0) mistakes.push(`a page was answered ${status}`);
      return seen;
    }
    const { data, has_more: hasMore } = body as { readonly data: readonly Book[]; readonly has_more: boolean };
    seen.push(...data);
    const last = data.at(-1)?.id;
    if (!hasMore || last === undefined) break;
    after = `&after=${last}`;
  }
  const ids = new Set(seen.map(({ id }) => id));
  if (ids.size !== seen.length) mistakes.push(`a walk of ${session} has an item twice`);
  const lost = before.filter((id) => !ids.has(id) && !deleting.has(id));
  if (lost.length > 0) mistakes.push(`a walk of ${session} has not ${lost.join(', ')}`);
  const foreign = seen.filter(({ title }) => !title.startsWith(`${session} `));
  if (foreign.length > 0) mistakes.push(`a walk of ${session} has ${JSON.stringify(foreign)}`);
  return seen;
}

/** Compares what the processes have with what the clients were told. */
async function check(cluster: Cluster, ledger: Ledger): Promise<void> {
  const { session, deleted, keyed, counted, limited, mistakes } = ledger;
  const books = await walkPages(cluster, ledger);
  const revived = books.filter(({ id }) => deleted.has(id));
  if (revived.length > 0) mistakes.push(`${session} has deleted books: ${JSON.stringify(revived)}`);
  for (const [key, ids] of keyed) if (ids.size !== 1) mistakes.push(`the key ${key} has ${[...ids].join(', ')}`);
  const titles = books.map(({ title }) => title);
  if (new Set(titles).size !== titles.length) mistakes.push(`${session} has a title twice`);
  // What is left of both limits is used up; an unknown request can have used one.
  while ((await cluster.ask(`/~${session}/counted`)).status === 418) counted.matched += 1;
  while ((await cluster.ask(`/~${session}/limited`)).status !== 429) limited.passed += 1;
  const isCounted = counted.matched <= TIMES && counted.matched + counted.unknown >= TIMES;
  if (!isCounted) mistakes.push(`${session}: the rule applied ${JSON.stringify(counted)}`);
  const isLimited = limited.passed <= LIMIT && limited.passed + limited.unknown >= LIMIT;
  if (!isLimited) mistakes.push(`${session}: the limit let through ${JSON.stringify(limited)}`);
}
