import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { createRandom, type Random } from '../../src/base/random.js';
import { HOSTILE_MUTATIONS, mutate } from '../documents/mutate.js';
import { type Failure, type FuzzCase, readDocument, saveCase, type Sent, toSignature } from './cases.js';
import { type Exchange, sendBytes } from './connection.js';
import { createControlSampler, createSampler, type RequestSampler } from './contract-requests.js';
import { cutDocument, type FuzzDocument, listDocuments, listOperations, listSmallDocuments } from './documents.js';
import { changeRequest, guessRequest } from './raw-requests.js';
import { reduceCase, toFound } from './reduce.js';
import {
  BLOCKED,
  NO_START,
  DEATH_MS,
  isHealthy,
  judgeMemory,
  judgeOutcome,
  judgeServer,
  judgeStart,
  LIMITS,
  type Limits,
  playCase,
  startCase,
} from './replay.js';
import { drawAnswer, UPSTREAM_DOCUMENT } from './answers.js';
import { type ServerProcess, spawnCli, spawnHost } from './server-process.js';
import { drawTree, TREE_OPERATIONS, TREE_OPTIONS } from './trees.js';
import { toExchange } from './wire.js';

/** What to fuzz, and for how long; a count that is given takes precedence over the time. */
export interface FuzzOptions {
  readonly seed: number;
  readonly seconds: number;
  readonly requests?: number;
  readonly mutations?: number;
  /** Whole documents instead of some of their paths. */
  readonly whole?: boolean;
  /** Files to fuzz instead of the usual documents. */
  readonly specs?: readonly string[];
  readonly limits?: Limits;
  /** Connections at the same time; default 96. */
  readonly workers?: number;
  /** Stops after so many different failures; default ten. */
  readonly maxFailures?: number;
  /** How long to reduce a failing case, in milliseconds; default a minute. */
  readonly reductionMs?: number;
  /** How often a failing case is played to reduce it; default 400. */
  readonly reductionPlays?: number;
  /** Starts the process of `createMock`. */
  readonly spawn?: () => ServerProcess;
  /** Where failing cases are saved. */
  readonly folder?: string;
  readonly print?: (line: string) => void;
}

/** What a run did and found. */
export interface FuzzReport {
  readonly requests: number;
  readonly answers: number;
  readonly mutations: number;
  readonly refused: number;
  /** The longest time that the event loop of a mock that listens was blocked by work, in milliseconds. */
  readonly worstDelayMs: number;
  /** The longest time that a start blocked the event loop. */
  readonly worstStartMs: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** The files of the failing cases. */
  readonly failures: readonly string[];
}

type Counts = { -readonly [Key in keyof FuzzReport]: FuzzReport[Key] } & {
  statuses: Record<string, number>;
  failures: string[];
};

interface Run extends Required<Pick<FuzzOptions, 'seed' | 'limits' | 'print' | 'spawn'>> {
  readonly options: FuzzOptions;
  readonly counts: Counts;
  readonly seen: Set<string>;
}

/** Most of them wait for what does not come. */
const WORKERS = 96;
const REQUESTS_PER_ROUND = 4000;
/** The part of the time that is for requests; the rest is for mutated documents. */
const REQUEST_SHARE = 0.65;
const PATHS_KEPT = 40;
/** How many mutations share the parsed text of a large document. */
const DRAWS_PER_DOCUMENT = 60;
const CALLS_PER_MUTATION = 10;
/** The parts of the mutations that are folders, and answers of an upstream; the rest are documents. */
const TREE_SHARE = 0.2;
const ANSWER_SHARE = 0.15;
const MAX_FAILURES = 10;
const REDUCTION_PLAYS = 400;
const REDUCTION_MS = 60_000;

/** Fuzzes mocks in processes of their own with requests, then with mutated documents. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const counts: Counts = {
    requests: 0,
    answers: 0,
    mutations: 0,
    refused: 0,
    worstDelayMs: 0,
    worstStartMs: 0,
    statuses: {},
    failures: [],
  };
  const { seed, limits = LIMITS, print = () => {}, spawn = spawnHost } = options;
  const run: Run = { options, counts, seed, limits, print, spawn, seen: new Set() };
  const until = performance.now() + options.seconds * 1000;
  await fuzzRequests(run, performance.now() + options.seconds * 1000 * REQUEST_SHARE);
  if (options.mutations !== 0) await fuzzDocuments(run, until);
  return counts;
}

async function fuzzRequests(run: Run, until: number): Promise<void> {
  const { options, counts, print } = run;
  const { requests = Infinity } = options;
  const { documents, absent } = listDocuments();
  if (absent.length > 0) print(`left out, because they are not here: ${absent.join(', ')}`);
  const used =
    options.specs?.map((file): FuzzDocument => ({
      name: file,
      read: () => JSON.parse(JSON.stringify(readDocument(file))) as Record<string, unknown>,
    })) ?? documents;
  const control = await createControlSampler(
    readDocument('spec/control.openapi.yaml') as { readonly paths: Record<string, unknown> },
  );
  for (
    let round = 0;
    counts.requests < requests && (options.requests !== undefined || performance.now() < until);
    round++
  ) {
    if (counts.failures.length >= (options.maxFailures ?? MAX_FAILURES)) return;
    const random = createRandom(run.seed, `round ${round}`);
    const file = used[round % used.length];
    if (file === undefined) return;
    const whole = file.read();
    const document = options.whole === true ? whole : cutDocument(whole, PATHS_KEPT, random);
    const isCli = round % 3 === 2;
    const before = counts.requests;
    const left = requests === Infinity ? REQUESTS_PER_ROUND : Math.min(REQUESTS_PER_ROUND, requests - counts.requests);
    const name = `${file.name} (${isCli ? 'command line' : 'createMock'})`;
    const fuzzed = {
      document,
      samplers: [await createSampler(document), control],
      isCli,
      left,
      until: options.requests === undefined ? until : Infinity,
    };
    await fuzzDocument(run, fuzzed, random);
    print(`${name}: ${counts.requests - before} requests, worst delay so far ${Math.round(counts.worstDelayMs)} ms`);
  }
}

interface Fuzzed {
  readonly document: Record<string, unknown>;
  /** Of the document, and of the control API. */
  readonly samplers: readonly RequestSampler[];
  readonly isCli: boolean;
  readonly left: number;
  readonly until: number;
}

/** Sends requests to one mock from several connections at once. */
async function fuzzDocument(
  run: Run,
  { document, samplers, isCli, left, until }: Fuzzed,
  random: Random,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'vouch-fuzz-'));
  const path = join(folder, 'openapi.json');
  writeFileSync(path, JSON.stringify(document));
  const server = isCli ? spawnCli() : run.spawn();
  const log: ExchangeLog = { ended: [], open: new Set() };
  let failure: Failure | undefined;
  try {
    const started = await server.start({ document: isCli ? path : document }, run.limits.startMs * 3);
    if (started.kind !== 'started') {
      failure = judgeStart(server, started) ?? { kind: 'start', text: 'the document was refused' };
      return await report(run, failure, { document, requests: [] });
    }
    const { port } = started;
    await measureStart(run, server);
    server.takeDelays();
    let sent = 0;
    const work = async (): Promise<void> => {
      while (failure === undefined && sent++ < left && performance.now() < until) {
        const exchange = await drawExchange(samplers, random);
        const seen = await exchangeOnce(run, { port, server, exchange, log }, samplers[0]);
        if (seen === undefined) continue;
        if (!run.seen.has(toSignature(seen)) || seen.kind === 'crash' || seen.kind === 'hang') failure ??= seen;
      }
    };
    await Promise.all([
      ...Array.from({ length: run.options.workers ?? WORKERS }, work),
      probe(run, { port, server, isDone: () => failure !== undefined || sent >= left || performance.now() >= until }),
    ]);
    failure ??= judgeServer(server, run.limits) ?? ((await isHealthy(port, run.limits)) ? undefined : BLOCKED);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
  if (failure !== undefined) await report(run, failure, { document, requests: toSuspects(log) });
}

async function drawExchange(samplers: readonly RequestSampler[], random: Random): Promise<Exchange> {
  const sampler = samplers[random.next() < 0.15 ? 1 : 0] ?? samplers[0];
  const wire = await sampler?.draw(random);
  if (wire === undefined) throw new Error('there is a sampler');
  return random.next() < 0.3 ? toExchange(wire) : changeRequest(wire, random);
}

interface Target {
  readonly port: number;
  readonly server: ServerProcess;
  readonly exchange: Exchange;
  readonly log: ExchangeLog;
}

async function exchangeOnce(
  run: Run,
  { port, server, exchange, log }: Target,
  sampler?: RequestSampler,
): Promise<Failure | undefined> {
  const { counts, limits } = run;
  log.open.add(exchange);
  const outcome = await sendBytes(port, exchange, limits.hangMs);
  counts.requests += 1;
  counts.answers += outcome.answers.length;
  for (const { status, text } of outcome.answers) {
    counts.statuses[status] = (counts.statuses[status] ?? 0) + 1;
    if (status < 300) sampler?.learn(text);
  }
  const seen = judgeOutcome(outcome, exchange);
  const isHealthyStill = seen?.kind !== 'hang' || (await isHealthy(port, limits));
  if (!isHealthyStill && outcome.end !== 'hung') await server.awaitDeath(DEATH_MS);
  const death = server.death();
  const failure = death === undefined ? (isHealthyStill ? seen : BLOCKED) : ({ kind: 'crash', text: death } as const);
  // What fails stays open in the log, so that it is the last one.
  if (failure === undefined) {
    log.open.delete(exchange);
    log.ended.push(exchange);
    if (log.ended.length > KEPT_EXCHANGES) log.ended.shift();
  }
  return failure;
}

interface Probed extends Pick<Target, 'port' | 'server'> {
  isDone(): boolean;
}

/** Asks for the health of the mock on a connection of its own, and watches the event loop. */
async function probe(run: Run, { port, server, isDone }: Probed): Promise<void> {
  while (!isDone()) {
    await isHealthy(port, run.limits);
    if (server.death() === undefined) await noteDelay(run, server);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Loading a document is not a delay of a request: nothing listens yet. */
async function measureStart({ counts }: Run, server: ServerProcess): Promise<void> {
  const { worstMs } = await server.usage();
  if (Number.isFinite(worstMs)) counts.worstStartMs = Math.max(counts.worstStartMs, worstMs);
}

/** The last connections, in the order of their ends; those that are open come last. */
interface ExchangeLog {
  readonly ended: Exchange[];
  readonly open: Set<Exchange>;
}

/** Connections that a failing case has before it is reduced. */
const KEPT_EXCHANGES = 600;

const toSuspects = ({ ended, open }: ExchangeLog): readonly Sent[] =>
  [...ended, ...open].map(({ bytes, answers }) => (answers === undefined ? bytes : { bytes, answers }));

async function noteDelay({ counts, limits }: Run, server: ServerProcess): Promise<void> {
  const { worstMs } = await server.usage(limits.hangMs);
  if (Number.isFinite(worstMs)) counts.worstDelayMs = Math.max(counts.worstDelayMs, worstMs);
}

async function fuzzDocuments(run: Run, until: number): Promise<void> {
  const { options, counts, print, spawn } = run;
  const { mutations = Infinity } = options;
  const random = createRandom(run.seed, 'mutations');
  const drawBase = createBases(random);
  const draw = (i: number): Mutant => {
    const part = random.next();
    if (part < TREE_SHARE)
      return { given: { files: drawTree(random), options: TREE_OPTIONS }, operations: TREE_OPERATIONS };
    if (part < TREE_SHARE + ANSWER_SHARE) return drawUpstream(random);
    const [changes = []] = fc.sample(HOSTILE_MUTATIONS, { seed: run.seed + i, numRuns: 1 });
    const document = mutate(drawBase(), changes);
    return { given: { document }, operations: listOperations(JSON.parse(JSON.stringify(document))) };
  };
  let server = spawn();
  for (let i = 0; counts.mutations < mutations && (options.mutations !== undefined || performance.now() < until); i++) {
    if (counts.failures.length >= (options.maxFailures ?? MAX_FAILURES)) break;
    const mutant = draw(i);
    counts.mutations += 1;
    const found = await fuzzMutant(run, { server, mutant, random });
    if (found === undefined) continue;
    await server.stop();
    await report(run, found.failure, { ...mutant.given, requests: found.requests });
    server = spawn();
  }
  await server.stop();
  print(
    `mutated documents: ${counts.mutations}, ${counts.refused} of them refused, worst delay ${Math.round(counts.worstDelayMs)} ms`,
  );
}

/** Draws documents to mutate: the small ones, and parts of the large ones, which take long to parse. */
function createBases(random: Random): () => Record<string, unknown> {
  const small = listSmallDocuments();
  const { documents } = listDocuments();
  let large: Record<string, unknown> | undefined;
  let drawn = 0;
  return () => {
    if (drawn++ % DRAWS_PER_DOCUMENT === 0) large = random.pick(documents).read();
    return large === undefined || random.next() < 0.5
      ? random.pick(small)
      : cutDocument(large, random.integer(1, 6), random);
  };
}

/** What a mock is started with, and what to call. */
interface Mutant {
  readonly given: Omit<FuzzCase, 'found' | 'requests'>;
  readonly operations: readonly (readonly [method: string, path: string])[];
}

/** A recorder whose upstream gives answers of any coding; each is asked for twice. */
function drawUpstream(random: Random): Mutant {
  const answers = Array.from({ length: random.integer(1, 4) }, () => drawAnswer(random));
  return {
    given: { document: UPSTREAM_DOCUMENT, answers, files: {} },
    operations: answers.map((_, index) => ['GET', `/answers/${index}`]),
  };
}

interface Mutated {
  readonly server: ServerProcess;
  readonly mutant: Mutant;
  readonly random: Random;
}

interface Found {
  readonly failure: Failure;
  readonly requests: readonly Sent[];
}

/** Starts a mock and calls some of its operations. */
async function fuzzMutant(run: Run, { server, mutant, random }: Mutated): Promise<Found | undefined> {
  const { counts, limits } = run;
  const { started, close } = await startCase(server, mutant.given, limits);
  try {
    if (started.kind === 'refused') counts.refused += 1;
    if (started.kind === 'started') return await callMutant(run, { server, mutant, random, port: started.port });
    const failure = judgeStart(server, started);
    return failure && { failure, requests: [] };
  } finally {
    close();
  }
}

async function callMutant(
  run: Run,
  { server, mutant, random, port }: Mutated & Pick<Target, 'port'>,
): Promise<Found | undefined> {
  const { limits } = run;
  const { operations } = mutant;
  const log: ExchangeLog = { ended: [], open: new Set() };
  let failure: Failure | undefined;
  await measureStart(run, server);
  for (let call = 0; call < Math.min(CALLS_PER_MUTATION, 2 * operations.length) && failure === undefined; call++) {
    const [method, path] = operations[call] ?? random.pick(operations);
    const wire = guessRequest(method, path, random);
    const exchange = call % 2 === 0 ? toExchange(wire) : changeRequest(wire, random);
    failure = await exchangeOnce(run, { port, server, exchange, log });
  }
  if (failure === undefined && !(await isHealthy(port, limits))) failure = BLOCKED;
  if (server.death() === undefined && failure?.kind !== 'hang') await noteDelay(run, server);
  failure ??= judgeServer(server, limits) ?? (await judgeMemory(server, limits));
  return failure && { failure, requests: toSuspects(log) };
}

/** Reduces a failing case, saves it and prints where; once for each cause. */
async function report(run: Run, failure: Failure, given: Omit<FuzzCase, 'found'>): Promise<void> {
  const { limits, options, print, counts, seen, spawn } = run;
  if (seen.has(toSignature(failure))) return;
  seen.add(toSignature(failure));
  print(`FAILED ${toFound(failure)}; reducing ${given.requests.length} connections`);
  let server = spawn();
  const shorter = failure.kind === 'hang' ? { ...limits, hangMs: Math.min(limits.hangMs, 8000) } : limits;
  const play = async (candidate: FuzzCase): Promise<Failure | undefined> => {
    const again = await playCase(server, candidate, shorter);
    if (server.death() !== undefined || again?.text === BLOCKED.text || again?.text === NO_START) {
      await server.stop();
      server = spawn();
    }
    return again;
  };
  const whole: FuzzCase = { found: toFound(failure), ...given };
  const { reductionPlays: plays = REDUCTION_PLAYS, reductionMs: ms = REDUCTION_MS } = options;
  const budget = { plays, ms };
  const reduced = await reduceCase({ failure, given: whole }, play, budget);
  await server.stop();
  const path = saveCase(failure, reduced ?? { ...whole, found: `(not reproduced) ${whole.found}` }, options.folder);
  counts.failures.push(path);
  print(`  saved ${path}: ${reduced === undefined ? 'not reproduced' : `${reduced.requests.length} connections`}`);
}
