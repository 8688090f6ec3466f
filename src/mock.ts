import type { OpenAPIV2, OpenAPIV3, OpenAPIV3_1 } from 'openapi-types';
import { createChain } from './answer/chain.js';
import { createErrorAnswers } from './answer/error-body.js';
import type { AnswerSource } from './answer/answer-source.js';
import { createExampleSource } from './answer/sources/example.js';
import { createGenerateSource } from './answer/sources/generate.js';
import { createRefuseSource, type AcceptsCredential } from './answer/sources/refuse.js';
import { createStateSource } from './answer/sources/state.js';
import { createVerifySource } from './answer/sources/verify.js';
import { createRealClock, createVirtualClock, readInstant, type Clock } from './clock.js';
import type { Contract } from './contract/contract.js';
import { loadContract } from './contract/load.js';
import { createRouter } from './contract/path.js';
import { MockError } from './errors.js';
import { createGenerator } from './generate/generate.js';
import { createCallDecoder } from './http/call.js';
import { createEncoder } from './http/encode.js';
import { createValidators } from './http/validate.js';
import { createXmlWriter } from './http/xml.js';
import type { Interaction } from './journal/interaction.js';
import type { Journal } from './journal/journal.js';
import { createApp } from './server/app.js';
import { listen, type ListenOptions, type Listening } from './server/listen.js';
import { createSession, type Session } from './session/session.js';
import { createSessions } from './session/sessions.js';
import { loadFixtures } from './state/fixtures.js';
import { inferResources } from './state/resource.js';
import { createStore } from './state/store.js';

/** How a mock is made. Nothing but `spec` is needed. */
export interface MockOptions {
  /** The contract: a path, a URL, or the document itself; OpenAPI 3.x or Swagger 2.0, YAML or JSON. */
  readonly spec: string | URL | OpenAPIV2.Document | OpenAPIV3.Document | OpenAPIV3_1.Document;
  /** Overlay 1.0 documents, applied in order. */
  readonly overlays?: readonly string[];
  /** Whether `$ref`s may lead to http(s) addresses; default false. */
  readonly allowHttpRefs?: boolean;
  /** A folder with one file per collection, or the collections themselves. Default: none. */
  readonly fixtures?: string | Readonly<Record<string, unknown>>;
  /** Same seed, same requests, same bytes; default 1. */
  readonly seed?: number;
  /** `'real'`, an instant to stand still at, or a clock of your own; default 2026-01-01T00:00:00Z, standing still. */
  readonly clock?: number | string | Date | Clock;
  /** Bearer tokens and API keys that are accepted; default any. */
  readonly tokens?: readonly string[];
  /** Whether secrets that the mock itself issued are accepted, besides `tokens`; default only where `tokens` is not given. */
  readonly issuedTokens?: boolean;
  /** Whether undeclared query parameters and properties and a missing content type are refused; default false. */
  readonly strict?: boolean;
  /** Larger bodies are answered with 413; default 8 MiB. */
  readonly bodyLimitBytes?: number;
  /** Whether an `Accept` that the contract cannot meet is answered all the same; default false. */
  readonly lenientAccept?: boolean;
  /** `fitting` (default) serves the examples that fit their schemas; `verbatim` serves them as they are. */
  readonly examples?: 'fitting' | 'verbatim';
  /** Whether the mock remembers; default true. */
  readonly state?: boolean;
  /** How many interactions each session's journal keeps; default 1,000. */
  readonly journalLimit?: number;
  /** Whether browsers of any origin may read the answers; default true. */
  readonly cors?: boolean;
  /** Told of every interaction, after its answer is made. */
  readonly onInteraction?: (interaction: Interaction) => void;
}

/** A mock server, in-process or on a socket. */
export interface Mock {
  readonly contract: Contract;
  readonly seed: number;
  /** The default session's clock. */
  readonly clock: Clock;
  /** The default session's journal. */
  readonly journal: Journal;
  /** Answers a request without a socket; takes what the platform's `fetch` takes. A path alone is enough of a URL. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Serves on a socket; port 0 by default. */
  listen(options?: ListenOptions): Promise<MockServer>;
  /** Everything back to the fixtures. */
  reset(): void;
  /** Closes every server of this mock. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A mock that listens. */
export interface MockServer extends Listening {
  /** `url` with the contract's first base path: what a client is pointed at. */
  readonly baseUrl: string;
}

const DEFAULT_BODY_LIMIT = 8 * 1024 * 1024;
const DEFAULT_JOURNAL_LIMIT = 1000;
const IDLE_SESSION_MS = 30 * 60 * 1000;

/**
 * Makes a mock of a contract.
 *
 * @throws MockError where the document, the fixtures or an option cannot be used; its `toString()` says where and what to do.
 */
export async function createMock(options: MockOptions): Promise<Mock> {
  const seed = readSeed(options.seed);
  const contract = await loadContract(options.spec, {
    overlays: options.overlays ?? [],
    allowHttpRefs: options.allowHttpRefs ?? false,
  });
  const validators = createValidators(contract);
  const generator = createGenerator(contract, validators);
  const resources = inferResources(contract);
  const definition = await loadFixtures(options.fixtures, { contract, resources, validators, generator, seed });
  const complete = (pointer: string, partial: unknown): unknown =>
    generator.complete(pointer, partial, { seed, key: pointer, direction: 'response', now: 0 });
  const errors = createErrorAnswers(contract, validators, complete);

  const sources: AnswerSource[] = [
    createVerifySource({ contract, validators, generator, errors }),
    createRefuseSource(errors, readAccepts(options)),
    ...(options.state === false ? [] : [createStateSource({ contract, resources, validators, generator, errors })]),
    createExampleSource({ contract, validators, errors, examples: options.examples ?? 'fitting' }),
    createGenerateSource({ contract, validators, generator, errors }),
  ];
  const sessions = createSessions({
    requireSession: false,
    idleMs: IDLE_SESSION_MS,
    create: (id) =>
      createSession(id, {
        seed,
        journalLimit: options.journalLimit ?? DEFAULT_JOURNAL_LIMIT,
        createClock: () => readClock(options.clock),
        createStore: (clock) => createStore(definition, { seed, clock }),
      }),
  });
  const app = createApp({
    contract,
    router: createRouter(contract.operations),
    decoder: createCallDecoder(contract, validators, {
      bodyLimitBytes: options.bodyLimitBytes ?? DEFAULT_BODY_LIMIT,
      strict: options.strict ?? false,
    }),
    chain: createChain(sources),
    encode: createEncoder([createXmlWriter(contract)]),
    errors,
    sessions,
    cors: options.cors ?? true,
    onInteraction: options.onInteraction ?? ((): void => undefined),
  });
  return assemble({ contract, seed, session: sessions.default, fetch: app.fetch });
}

interface Assembly {
  readonly contract: Contract;
  readonly seed: number;
  readonly session: Session;
  readonly fetch: ReturnType<typeof createApp>['fetch'];
}

function assemble({ contract, seed, session, fetch }: Assembly): Mock {
  const servers = new Set<Listening>();
  const close = async (): Promise<void> => {
    await Promise.all([...servers].map((server) => server.close()));
    servers.clear();
  };
  return {
    contract,
    seed,
    clock: session.clock,
    journal: session.journal,
    fetch: async (input, init) => fetch(toRequest(input, init)),
    listen: async (where) => {
      const server = await listen(fetch, where);
      servers.add(server);
      return { ...server, baseUrl: server.url + (contract.operations[0]?.basePaths.find((path) => path !== '') ?? '') };
    },
    reset: session.reset,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A URL without an origin stands on one that nothing looks at. */
function toRequest(input: string | URL | Request, init: RequestInit | undefined): Request {
  if (input instanceof Request) return init === undefined ? input : new Request(input, init);
  const url = typeof input === 'string' && input.startsWith('/') ? `http://mock${input}` : input;
  return new Request(url, init);
}

function readSeed(seed: number | undefined): number {
  if (seed === undefined) return 1;
  if (Number.isSafeInteger(seed)) return seed;
  throw new MockError('OPTION_INVALID', `seed must be a whole number, not ${String(seed)}`, { hint: 'try seed: 1' });
}

/** Every session gets a clock of its own, but for one that the caller made. */
function readClock(clock: MockOptions['clock']): Clock {
  if (clock === 'real') return createRealClock();
  if (typeof clock === 'object' && !(clock instanceof Date)) return clock;
  return clock === undefined ? createVirtualClock() : createVirtualClock(readInstant(clock));
}

function readAccepts({ tokens, issuedTokens }: MockOptions): AcceptsCredential | undefined {
  if (tokens === undefined && issuedTokens !== true) return undefined;
  const accepted = new Set(tokens);
  return (session, credential) =>
    accepted.has(credential) || (issuedTokens === true && session.store.holdsSecret(credential));
}
