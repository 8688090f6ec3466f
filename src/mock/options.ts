import type { MiddlewareHandler } from 'hono';
import type { OpenAPIV2, OpenAPIV3, OpenAPIV3_1 } from 'openapi-types';
import type { HandlersOf } from '../answer/handlers.js';
import type { ScenariosOf } from '../features/scenario/answer/typed-scenario.js';
import type { Contract } from '../contract/contract.js';
import type { MockError } from '../base/errors.js';
import type { QueryProfile } from '../http/request/parameters.js';
import type { Interaction, InteractionTexts } from '../journal/interaction.js';
import type { RecordingOptions } from '../features/recording/recordings.js';
import type { Reload } from '../features/scenario/scenarios.js';
import type { ConnectionOptions } from '../server/connections.js';
import type { MockReload } from '../server/control/reloads.js';
import type { ClockOption } from '../session/session.js';
import type { RedisClient } from '../features/redis/connection.js';

/** The options of `createMock`. Only `spec` is required; with `recordings` not even that. */
export interface MockOptions<Operations = unknown, Collections = unknown> {
  /**
   * The OpenAPI 3.x or Swagger 2.0 document: a path, a URL, the parsed document, or a contract from `loadContract`.
   *
   * Required, unless there are `recordings`; `vouch serve`: `spec/openapi.yaml`, else the built-in contract.
   */
  readonly spec?:
    | string
    | URL
    | OpenAPIV2.Document
    | OpenAPIV3.Document
    | OpenAPIV3_1.Document
    // A document written in place: the types above require more than the standard does.
    | Readonly<Record<string, unknown>>
    | Contract;
  /** OpenAPI Overlay 1.0 documents, applied in order. Default: `[]`. */
  readonly overlays?: readonly string[];
  /**
   * Names of properties and parameters by what they mean, where the usual names do not say so: `{ 'pages.next': 'weiter' }`.
   *
   * Default: none.
   */
  readonly conventions?: Readonly<Record<string, string | readonly string[]>>;
  /**
   * Hints and examples for the document of a known vendor, such as `stripe`; `false` or `none` for none.
   *
   * Default: the one that fits the title or a server of the document.
   */
  readonly preset?: string | false;
  /** How the document is loaded. */
  readonly document?: DocumentOptions;
  /** Path that the operations are served below, instead of the paths of `servers`; `/` for the root. Default: the paths of `servers`, and the root. */
  readonly basePath?: string;
  /** Path in front of the base paths of the operations, such as `/users` of a gateway. Default: none. */
  readonly prefix?: string;
  /**
   * Initial items: a folder with one file per collection, or the collections by name.
   *
   * Default: none; `vouch serve`: the folder `fixtures` beside the document.
   */
  readonly fixtures?: string | Readonly<Record<string, unknown>>;
  /** Seed of generated values: the same seed and the same requests give the same responses. Default: `1`. */
  readonly seed?: number;
  /** Time of the mock: `'real'`, a fixed instant, or a clock object. Default: 2026-01-01T00:00:00Z; `vouch record` and `vouch replay`: `real`. */
  readonly clock?: ClockOption;
  /** Functions that answer operations, by operation id or `"GET /path"`. */
  readonly handlers?: HandlersOf<NoInfer<Operations>, NoInfer<Collections>>;
  /** Reject what is otherwise accepted with a note, such as undeclared query parameters and properties, or a missing content type. Default: `false`. */
  readonly strict?: boolean;
  /** Stateful collections; `false` answers from examples and schemas only. */
  readonly state?: false | StateOptions;
  /** Which credentials are accepted. */
  readonly auth?: AuthOptions;
  /** How requests are read. */
  readonly requests?: RequestOptions;
  /** How responses are made. */
  readonly responses?: ResponseOptions;
  /** How sessions are opened and dropped. */
  readonly sessions?: SessionOptions;
  /** How many interactions are kept. */
  readonly journal?: JournalOptions;
  /** State that several processes share. Default: each process has its own state. */
  readonly store?: StoreOptions;
  /** The control API; `false` switches it off. */
  readonly control?: false | ControlOptions;
  /**
   * A folder with one scenario per file, scenarios by id, or an object with more options.
   *
   * Default: none; `vouch serve`: the folder `scenarios` beside the document.
   */
  readonly scenarios?: string | ScenariosOf<NoInfer<Operations>> | ScenarioOptions<NoInfer<Operations>>;
  /** The folder of recorded cassettes, or an object with more options. */
  readonly recordings?: string | RecordingOptions;
  /** Count which parts of the document the requests exercise. Default: `false`. */
  readonly coverage?: boolean | CoverageOptions;
  /**
   * Which pages of other origins may read responses: those of all origins, without credentials; `false` allows none.
   *
   * Default: all origins, without credentials.
   */
  readonly cors?: boolean | CorsOptions;
  /** How long connections stay open, and the limits of what arrives on them. */
  readonly connections?: ConnectionOptions;
  /** Hono middleware that runs around every request, the control API included. Default: `[]`. */
  readonly middleware?: readonly MiddlewareHandler[];
  /**
   * Reload the document, its references, overlays, fixtures and scenarios when their files change.
   *
   * Default: `true` with `onReload`, else `false`; `vouch serve`: `true`.
   */
  readonly watch?: boolean;
  /** Called after each reload; while a file has a mistake, the last valid version answers. */
  readonly onReload?: (reload: MockReload) => void;
  /** Called with every interaction, after its response is made. */
  readonly onInteraction?: (interaction: Interaction, redact: () => InteractionTexts) => void;
  /** Called with the error and the status of each request that cannot be read. */
  readonly onRefused?: (error: MockError, status: number) => void;
}

/** The options of `loadContract`: those that decide what the contract is. */
export type ContractOptions = Pick<
  MockOptions,
  'basePath' | 'conventions' | 'document' | 'overlays' | 'prefix' | 'preset'
>;

/** Scenarios by id. */
export type ScenarioDefinitions = ScenariosOf<unknown>;

/** How the document is loaded. */
export interface DocumentOptions {
  /** Follow `$ref`s over HTTP(S) to other hosts than that of the document. Default: `false`. */
  readonly allowHttpRefs?: boolean;
  /**
   * Folder in which large documents are cached for a faster start; `false` caches none.
   *
   * Default: `node_modules/.cache/vouch`, else the cache folder of the user.
   */
  readonly cacheFolder?: string | false;
}

/** Stateful collections. */
export interface StateOptions {
  /** JSON file that keeps the items of the default session over restarts; edits of it are reloaded. Default: none: items are lost when the mock is closed. */
  readonly file?: string;
  /**
   * Response to an id that no client created: `create` creates the item, `not-found` answers 404 Not Found.
   *
   * Default: `not-found` for collections with fixtures, `create` for the others.
   */
  readonly unknownIds?: 'create' | 'not-found';
  /** Number of items a collection without fixtures starts with. Default: `3`. */
  readonly initialItems?: number;
  /** Maximum number of created items per session. Default: `100000`. */
  readonly maxItems?: number;
  /** Maximum size of created items per session, in bytes. Default: `268435456`. */
  readonly maxBytes?: number;
  /** Maximum number of created items in all sessions. Default: `1000000`. */
  readonly totalItems?: number;
  /** Maximum size of all created items, in bytes. Default: `1073741824`. */
  readonly totalBytes?: number;
  /** Maximum number of generated items per session. Default: `10000`. */
  readonly generatedItems?: number;
}

/** Which credentials are accepted. */
export interface AuthOptions {
  /** Accepted bearer tokens and API keys. Default: any. */
  readonly tokens?: readonly string[];
  /** Accept secrets that the mock issued itself, besides `tokens`. Default: `true` unless `auth.tokens` is given. */
  readonly acceptIssued?: boolean;
}

/** How requests are read. */
export interface RequestOptions {
  /** Maximum size of a request body in bytes; larger ones get 413 Content Too Large. Default: 8 MiB; 256 MiB with an upstream. */
  readonly bodyLimitBytes?: number;
  /** How arrays and objects are written in query strings. Default: any style that the document allows. */
  readonly queryProfile?: QueryProfile;
  /** Ignore an `Accept` header that rules out every declared media type, instead of answering 406 Not Acceptable. Default: `false`. */
  readonly lenientAccept?: boolean;
}

/** How responses are made. */
export interface ResponseOptions {
  /**
   * Examples of the document to use: only those that match their schemas (`fitting`), all (`verbatim`), or only those that a request names (`none`).
   *
   * Default: `fitting`.
   */
  readonly examples?: 'fitting' | 'verbatim' | 'none';
  /** Milliseconds after which a handler that has not answered gets 500 Internal Server Error; 0 for no limit. Default: `60000`. */
  readonly handlerTimeoutMs?: number;
}

/** How sessions are opened and dropped. */
export interface SessionOptions {
  /** Reject requests for a session that is not open, instead of opening it. Default: `false`. */
  readonly required?: boolean;
  /** Milliseconds after which an unused session is closed. Default: `1800000`. */
  readonly idleMs?: number;
  /** Maximum number of open sessions, besides the default one. Default: `10000`. */
  readonly max?: number;
}

/** State that several processes share. */
export interface StoreOptions {
  /** The URL of a Redis server, or a connected client of the package `redis` or `ioredis`, also of a cluster. Required. */
  readonly redis: string | RedisClient;
  /** Prefix of the names of all keys. Default: `vouch`. */
  readonly prefix?: string;
}

/** How many interactions are kept. */
export interface JournalOptions {
  /** Maximum number of interactions kept per session; the oldest are dropped first. Default: `1000`. */
  readonly limit?: number;
  /** Maximum size of the interactions kept per session, in bytes. Default: `67108864`. */
  readonly limitBytes?: number;
  /** Maximum size of all interactions, in bytes. Default: `268435456`. */
  readonly totalBytes?: number;
}

/** The control API. */
export interface ControlOptions {
  /** Path prefix of the control API. Default: `/__mock`. */
  readonly prefix?: string;
  /** Token that the control API requires; `false` requires none, even from other machines. Default: none; a random one if other machines can reach the mock. */
  readonly token?: string | false;
  /** Origins whose pages may use the control API, such as `http://localhost:5173`. Default: `[]`. */
  readonly origins?: readonly string[];
}

/** Coverage of the document. */
export interface CoverageOptions {
  /** Folder in which each mock writes its counts; `false` writes none. Default: `coverage/vouch`. */
  readonly folder?: string | false;
}

/** Pages of other origins. */
export interface CorsOptions {
  /** Origins whose pages may also send credentials and reach the mock in a private network, such as `http://localhost:5173`. Default: `[]`. */
  readonly origins?: readonly string[];
}

/** Scenarios with their options. */
export interface ScenarioOptions<Operations = unknown> {
  /** A folder with one scenario per file, or scenarios by id. Required. */
  readonly from: string | ScenariosOf<Operations>;
  /** Ids of the scenarios that are active in the default session from the start; later ones win. Default: `[]`. */
  readonly active?: string | readonly string[];
  /** Reload scenarios when files in the folder change. Default: `true` with `scenarios.onReload`, else as the option `watch`. */
  readonly watch?: boolean;
  /** Called after each reload of scenarios; a file with a mistake keeps the last valid version of its scenario. */
  readonly onReload?: (reload: Reload) => void;
}
