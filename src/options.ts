import type { MiddlewareHandler } from 'hono';
import type { OpenAPIV2, OpenAPIV3, OpenAPIV3_1 } from 'openapi-types';
import type { Handlers } from './answer/handlers.js';
import { isObject } from './contract/json.js';
import { MockError, nearest } from './errors.js';
import type { QueryProfile } from './http/request/parameter-plan.js';
import type { Interaction } from './journal/interaction.js';
import type { RecordingMode } from './recording/mode.js';
import type { RecordingOptions } from './recording/recordings.js';
import type { ScenarioDefinition } from './scenario/definition/definition.js';
import type { Reload } from './scenario/scenarios.js';
import type { ControlOptions } from './server/control/control.js';
import type { ClockOption } from './session/session-clock.js';

/** How a mock is made. Nothing but `spec` is needed. */
export interface MockOptions {
  /** The contract: a path, a URL, or the document itself; OpenAPI 3.x or Swagger 2.0, YAML or JSON. */
  readonly spec:
    | string
    | URL
    | OpenAPIV2.Document
    | OpenAPIV3.Document
    | OpenAPIV3_1.Document
    // A document written in place: the types above want more of it than the standard does.
    | Readonly<Record<string, unknown>>;
  /** Overlay 1.0 documents, applied in order. */
  readonly overlays?: readonly string[];
  /** Whether the document and its `$ref`s may come over http(s); default false. */
  readonly allowHttpRefs?: boolean;
  /** Where large documents are kept as they were read, for a faster start; `false` keeps none. Default: see docs/documents.md. */
  readonly cacheFolder?: string | false;
  /** A folder with one file per collection, or the collections themselves. Default: none. */
  readonly fixtures?: string | Readonly<Record<string, unknown>>;
  /** Same seed, same requests, same bytes; default 1. */
  readonly seed?: number;
  /** `'real'`, an instant to stand still at, or a clock of your own; default 2026-01-01T00:00:00Z, standing still. */
  readonly clock?: ClockOption;
  /** Bearer tokens and API keys that are accepted; default any. */
  readonly tokens?: readonly string[];
  /** Whether secrets that the mock itself issued are accepted, besides `tokens`; default only where `tokens` is not given. */
  readonly issuedTokens?: boolean;
  /** Whether undeclared query parameters and properties and a missing content type are refused; default false. */
  readonly strict?: boolean;
  /** How clients write lists and objects in queries; default every way that the contract leaves open. */
  readonly queryProfile?: QueryProfile;
  /** Larger bodies are answered with 413; default 8 MiB, with an upstream 256 MiB. */
  readonly bodyLimitBytes?: number;
  /** Whether an `Accept` that the contract cannot meet is answered all the same; default false. */
  readonly lenientAccept?: boolean;
  /** `fitting` (default) serves the examples that fit their schemas; `verbatim` serves them as they are. */
  readonly examples?: 'fitting' | 'verbatim';
  /** Code of your own that answers operations, by operation id; what it answers is checked against the contract. */
  readonly handlers?: Handlers;
  /** A folder with one scenario per file, or scenarios by id; checked against the contract. Default: none. */
  readonly scenarios?: string | Readonly<Record<string, ScenarioDefinition>>;
  /**
   * Told when the scenarios of the folder were read again because a file changed: edits hold at once, and a scenario that is
   * wrong now stays as it was. Without it nobody looks at the files again.
   */
  readonly onReload?: (reload: Reload) => void;
  /** Ids of scenarios the default session begins with, the strongest last. */
  readonly scenario?: string | readonly string[];
  /** The folder of recorded cassettes, or how to record and replay in full. Default: none. */
  readonly recordings?: string | RecordingOptions;
  /** `replay`, `record-missing`, `record-all` or `off`; default the variable VOUCH_RECORDINGS, else `replay`. */
  readonly mode?: RecordingMode;
  /** Base URL of the server to record. */
  readonly upstream?: string;
  /** Whether the mock remembers; default true. */
  readonly state?: boolean;
  /**
   * Whether an id that nobody created is a 404 (`closed`) or comes into being when it is asked for (`open`); default: closed
   * for collections with fixtures, open for the others.
   */
  readonly world?: 'closed' | 'open';
  /** How many items an open collection shows before anybody created one; default 3. */
  readonly items?: number;
  /** How many interactions each session's journal keeps; default 1,000. */
  readonly journalLimit?: number;
  /** Whether a session has to be opened before a request may name it; default false: naming one opens it. */
  readonly requireSession?: boolean;
  /** Milliseconds after which a session that nobody used is dropped; default 30 minutes. */
  readonly sessionIdleMs?: number;
  /** How many sessions there may be at once; default 10,000. */
  readonly maxSessions?: number;
  /** Whether the control API is served below `controlPrefix`; default true. */
  readonly control?: boolean;
  /** What the paths of the control API begin with; default `/__mock`. */
  readonly controlPrefix?: string;
  /** What the control API asks for; `false` does without also where other machines can reach it. Default: none, this machine only. */
  readonly controlToken?: string | false;
  /** Origins whose pages may use the control API, such as `http://localhost:5173`; default none. */
  readonly controlOrigins?: readonly string[];
  /** Whether browsers of any origin may read the answers; default true. */
  readonly cors?: boolean;
  /** Middleware of Hono that runs around every request, the control API included; default none. */
  readonly middleware?: readonly MiddlewareHandler[];
  /** Told of every interaction, after its answer is made. */
  readonly onInteraction?: (interaction: Interaction) => void;
}

/** Every option there is; the type sees to it that none is missing. */
const OPTION_NAMES: Readonly<Record<keyof MockOptions, true>> = {
  spec: true,
  overlays: true,
  allowHttpRefs: true,
  cacheFolder: true,
  fixtures: true,
  seed: true,
  clock: true,
  tokens: true,
  issuedTokens: true,
  strict: true,
  queryProfile: true,
  bodyLimitBytes: true,
  lenientAccept: true,
  examples: true,
  handlers: true,
  scenarios: true,
  onReload: true,
  scenario: true,
  recordings: true,
  mode: true,
  upstream: true,
  state: true,
  world: true,
  items: true,
  journalLimit: true,
  requireSession: true,
  sessionIdleMs: true,
  maxSessions: true,
  control: true,
  controlPrefix: true,
  controlToken: true,
  controlOrigins: true,
  cors: true,
  middleware: true,
  onInteraction: true,
};

/** An option that is misspelt would change nothing, in silence. @throws MockError `OPTION_INVALID` that names the nearest. */
export function checkOptions(options: unknown): void {
  const hint = "try createMock({ spec: 'spec/openapi.yaml' })";
  if (!isObject(options)) throw new MockError('OPTION_INVALID', 'createMock was called without options', { hint });
  if (options['spec'] === undefined) throw new MockError('OPTION_INVALID', 'the option "spec" is missing', { hint });
  const names = Object.keys(OPTION_NAMES);
  for (const name of Object.keys(options)) {
    if (names.includes(name)) continue;
    const meant = nearest(name, names);
    throw new MockError('OPTION_INVALID', `there is no option "${name}"`, {
      hint: meant === undefined ? `there are ${names.join(', ')}` : `did you mean "${meant}"?`,
    });
  }
}

/** The seed of a mock. @throws MockError `OPTION_INVALID`. */
export function readSeed(seed: number | undefined): number {
  if (seed === undefined) return 1;
  if (Number.isSafeInteger(seed)) return seed;
  throw new MockError('OPTION_INVALID', `seed must be a whole number, not ${String(seed)}`, { hint: 'try seed: 1' });
}

/** A whole number of an option. @throws MockError `OPTION_INVALID`. */
export function readCount(name: string, given: number | undefined, otherwise: number): number {
  if (given === undefined) return otherwise;
  if (Number.isSafeInteger(given) && given >= 0) return given;
  throw new MockError('OPTION_INVALID', `${name} must be a whole number from 0 on, not ${String(given)}`, {
    hint: `try ${name}: ${otherwise}`,
  });
}

/** How to record and replay; undefined where no recordings were asked for. @throws MockError `OPTION_INVALID`. */
export function readRecordings({ recordings, mode, upstream }: MockOptions): RecordingOptions | undefined {
  const short = { ...(mode === undefined ? {} : { mode }), ...(upstream === undefined ? {} : { upstream }) };
  if (recordings !== undefined)
    return { ...short, ...(typeof recordings === 'string' ? { folder: recordings } : recordings) };
  const [name] = Object.keys(short);
  if (name === undefined) return undefined;
  throw new MockError('OPTION_INVALID', `${name} was given without recordings`, {
    hint: 'name their folder: recordings: "fixtures/recordings"',
  });
}

/** The ids of the option `scenario`: a list, or text with commas between. */
export function readScenarioIds(given: MockOptions['scenario']): readonly string[] {
  const list = typeof given === 'string' ? given.split(',') : (given ?? []);
  return list.map((id) => id.trim()).filter((id) => id !== '');
}

/** How the control API is served; undefined where it is switched off. @throws MockError `OPTION_INVALID`. */
export function readControl(options: MockOptions): ControlOptions | undefined {
  const { control = true, controlPrefix = '/__mock', controlToken, controlOrigins = [] } = options;
  if (!control) return undefined;
  if (!/^(?:\/[\w.-]+)+$/.test(controlPrefix)) {
    throw new MockError('OPTION_INVALID', `controlPrefix cannot be ${JSON.stringify(controlPrefix)}`, {
      hint: 'begin with a slash and end without one: "/__mock"',
    });
  }
  if (controlToken === '') {
    throw new MockError('OPTION_INVALID', 'the control token is empty', {
      hint: 'give a text, or controlToken: false to do without one (--no-control-token)',
    });
  }
  for (const origin of controlOrigins) {
    if (/^[a-z][a-z0-9+.-]*:\/\/[^/\s*]+$/i.test(origin)) continue;
    throw new MockError('OPTION_INVALID', `${JSON.stringify(origin)} is no origin`, {
      hint: 'an origin is a scheme, a host and a port: "http://localhost:5173"',
    });
  }
  return { prefix: controlPrefix, token: controlToken, origins: controlOrigins };
}
