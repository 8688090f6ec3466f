import type { MockOptions, ScenarioOptions } from './options.js';
import { OWNERS, RECORDING_MODES } from '../features/recording/mode.js';
import type { RecordingOptions } from '../features/recording/recordings.js';

/** The options that a group of options has. */
export type GroupOf<Options, Name extends keyof Options> = Exclude<NonNullable<Options[Name]>, string | boolean>;

/** The members of groups of options by their dotted paths. */
type MemberName<Options, Group extends keyof Options & string> = {
  [Name in Group]: `${Name}.${string & keyof GroupOf<Options, Name>}`;
}[Group];

type GroupName =
  | 'document'
  | 'state'
  | 'auth'
  | 'requests'
  | 'responses'
  | 'sessions'
  | 'journal'
  | 'store'
  | 'control'
  | 'coverage'
  | 'cors'
  | 'connections'
  | 'recordings';

/** Every option by its dotted path. */
export type OptionName =
  | keyof MockOptions
  | MemberName<MockOptions, GroupName>
  | `scenarios.${keyof ScenarioOptions}`
  | `recordings.${MemberName<RecordingOptions, 'redact' | 'match' | 'exclude'>}`;

/** The kind of the values of an option. */
export type OptionKind =
  | 'string'
  | 'boolean'
  | 'false'
  | 'integer'
  | 'number'
  | 'object'
  | 'strings'
  | 'function'
  | 'functions'
  | 'patterns'
  | 'URL'
  | 'Date'
  | 'Clock';

/** One option of a mock: what checks, command line, documentation and configuration files know about it. */
export interface OptionEntry {
  /** The kinds of value that are accepted. */
  readonly kinds: readonly OptionKind[];
  /** The closed set of accepted strings. */
  readonly values?: readonly string[];
  /** The closed set of accepted strings in the members of an object. */
  readonly memberValues?: readonly string[];
  /** Smallest accepted number. */
  readonly minimum?: number;
  /** The value that is used when the option is not given. */
  readonly default?: unknown;
  /** The behaviour without the option, where the default is not one value. */
  readonly otherwise?: string;
  /** Environment variable that sets it. */
  readonly env?: string;
  /** Flag of `vouch serve` that sets it, with its argument; of `vouch record` and `vouch replay` for recordings. */
  readonly flag?: string;
  /** Flag that switches it off. */
  readonly noFlag?: string;
  /** One sentence. */
  readonly description: string;
}

type OptionMore = Omit<OptionEntry, 'kinds' | 'description'>;

function option(kinds: OptionKind | readonly OptionKind[], description: string, more: OptionMore = {}): OptionEntry {
  return { kinds: typeof kinds === 'string' ? [kinds] : kinds, description, ...more };
}

/** A boolean that is false by default. */
function toggle(description: string, flag?: string): OptionEntry {
  return option('boolean', description, { default: false, ...(flag !== undefined && { flag }) });
}

/** A non-negative integer. */
function count(description: string, more: OptionMore): OptionEntry {
  return option('integer', description, { minimum: 0, ...more });
}

/** A non-negative integer with a default and a flag. */
function limit(flag: string, fallback: number, description: string): OptionEntry {
  return count(description, { default: fallback, flag });
}

/** Every option there is. The type makes sure that none is missing. */
export const OPTIONS: Readonly<Record<OptionName, OptionEntry>> = {
  spec: option(
    ['string', 'URL', 'object'],
    'The OpenAPI 3.x or Swagger 2.0 document: a path, a URL, the parsed document, or a contract from `loadContract`.',
    {
      otherwise:
        'required, unless there are `recordings`; `vouch serve`: `spec/openapi.yaml`, else the built-in contract',
    },
  ),
  overlays: option('strings', 'OpenAPI Overlay 1.0 documents, applied in order.', {
    default: [],
    flag: '--overlay <file>',
  }),
  conventions: option(
    'object',
    "Names of properties and parameters by what they mean, where the usual names do not say so: `{ 'pages.next': 'weiter' }`.",
    { otherwise: 'none' },
  ),
  preset: option(
    ['string', 'false'],
    'Hints and examples for the document of a known vendor, such as `stripe`; `false` or `none` for none.',
    {
      otherwise: 'the one that fits the title or a server of the document',
      flag: '--preset <name>',
      noFlag: '--no-preset',
    },
  ),
  document: option('object', 'How the document is loaded.'),
  'document.allowHttpRefs': toggle(
    'Follow `$ref`s over HTTP(S) to other hosts than that of the document.',
    '--allow-http-refs',
  ),
  'document.cacheFolder': option(
    ['string', 'false'],
    'Folder in which large documents are cached for a faster start; `false` caches none.',
    { otherwise: '`node_modules/.cache/vouch`, else the cache folder of the user' },
  ),
  basePath: option(
    'string',
    'Path that the operations are served below, instead of the paths of `servers`; `/` for the root.',
    { otherwise: 'the paths of `servers`, and the root', flag: '--base-path <path>' },
  ),
  prefix: option('string', 'Path in front of the base paths of the operations, such as `/users` of a gateway.', {
    otherwise: 'none',
  }),
  fixtures: option(
    ['string', 'object'],
    'Initial items: a folder with one file per collection, or the collections by name.',
    {
      otherwise: 'none; `vouch serve`: the folder `fixtures` beside the document',
      env: 'VOUCH_FIXTURES',
      flag: '--fixtures <folder>',
      noFlag: '--no-fixtures',
    },
  ),
  seed: option('integer', 'Seed of generated values: the same seed and the same requests give the same responses.', {
    default: 1,
    env: 'VOUCH_SEED',
    flag: '--seed <integer>',
  }),
  clock: option(
    ['string', 'number', 'Date', 'Clock'],
    "Time of the mock: `'real'`, a fixed instant, or a clock object.",
    {
      otherwise: '2026-01-01T00:00:00Z; `vouch record` and `vouch replay`: `real`',
      env: 'VOUCH_CLOCK',
      flag: '--clock <clock>',
    },
  ),
  handlers: option('object', 'Functions that answer operations, by operation id or `"GET /path"`.', {
    flag: '--handlers <file>',
  }),
  strict: toggle(
    'Reject what is otherwise accepted with a note, such as undeclared query parameters and properties, or a missing content type.',
    '--strict',
  ),
  state: option(['false', 'object'], 'Stateful collections; `false` answers from examples and schemas only.', {
    noFlag: '--no-state',
  }),
  'state.file': option(
    'string',
    'JSON file that keeps the items of the default session over restarts; edits of it are reloaded.',
    { otherwise: 'none: items are lost when the mock is closed', flag: '--state <file>' },
  ),
  'state.unknownIds': option(
    'string',
    'Response to an id that no client created: `create` creates the item, `not-found` answers 404 Not Found.',
    {
      values: ['create', 'not-found'],
      otherwise: '`not-found` for collections with fixtures, `create` for the others',
      flag: '--unknown-ids <create|not-found>',
    },
  ),
  'state.initialItems': limit(
    '--initial-items <count>',
    3,
    'Number of items a collection without fixtures starts with.',
  ),
  'state.maxItems': limit('--max-items <count>', 100_000, 'Maximum number of created items per session.'),
  'state.maxBytes': limit('--max-state <size>', 268_435_456, 'Maximum size of created items per session, in bytes.'),
  'state.totalItems': limit('--total-items <count>', 1_000_000, 'Maximum number of created items in all sessions.'),
  'state.totalBytes': limit('--total-state <size>', 1_073_741_824, 'Maximum size of all created items, in bytes.'),
  'state.generatedItems': limit('--generated-items <count>', 10_000, 'Maximum number of generated items per session.'),
  auth: option('object', 'Which credentials are accepted.'),
  'auth.tokens': option('strings', 'Accepted bearer tokens and API keys.', {
    otherwise: 'any',
    flag: '--token <token>',
  }),
  'auth.acceptIssued': option('boolean', 'Accept secrets that the mock issued itself, besides `tokens`.', {
    otherwise: '`true` unless `auth.tokens` is given',
    flag: '--accept-issued',
  }),
  requests: option('object', 'How requests are read.'),
  'requests.bodyLimitBytes': count('Maximum size of a request body in bytes; larger ones get 413 Content Too Large.', {
    otherwise: '8 MiB; 256 MiB with an upstream',
    flag: '--body-limit <size>',
  }),
  'requests.queryProfile': option('string', 'How arrays and objects are written in query strings.', {
    values: ['brackets', 'dots', 'comma', 'repeat'],
    otherwise: 'any style that the document allows',
    flag: '--query-profile <profile>',
  }),
  'requests.lenientAccept': toggle(
    'Ignore an `Accept` header that rules out every declared media type, instead of answering 406 Not Acceptable.',
    '--lenient-accept',
  ),
  responses: option('object', 'How responses are made.'),
  'responses.examples': option(
    'string',
    'Examples of the document to use: only those that match their schemas (`fitting`), all (`verbatim`), or only those that a request names (`none`).',
    { values: ['fitting', 'verbatim', 'none'], default: 'fitting', flag: '--examples <fitting|verbatim|none>' },
  ),
  'responses.handlerTimeoutMs': count(
    'Milliseconds after which a handler that has not answered gets 500 Internal Server Error; 0 for no limit.',
    { default: 60_000 },
  ),
  sessions: option('object', 'How sessions are opened and dropped.'),
  'sessions.required': toggle(
    'Reject requests for a session that is not open, instead of opening it.',
    '--require-session',
  ),
  'sessions.idleMs': limit('--session-idle <ms>', 1_800_000, 'Milliseconds after which an unused session is closed.'),
  'sessions.max': limit('--max-sessions <count>', 10_000, 'Maximum number of open sessions, besides the default one.'),
  journal: option('object', 'How many interactions are kept.'),
  'journal.limit': limit(
    '--journal-limit <count>',
    1000,
    'Maximum number of interactions kept per session; the oldest are dropped first.',
  ),
  'journal.limitBytes': limit(
    '--journal-size <size>',
    67_108_864,
    'Maximum size of the interactions kept per session, in bytes.',
  ),
  'journal.totalBytes': limit('--journal-total <size>', 268_435_456, 'Maximum size of all interactions, in bytes.'),
  store: option('object', 'State that several processes share.', {
    otherwise: 'each process has its own state',
  }),
  'store.redis': option(
    ['string', 'object'],
    'The URL of a Redis server, or a connected client of the package `redis` or `ioredis`, also of a cluster.',
    { otherwise: 'required', env: 'VOUCH_STORE', flag: '--store <url>' },
  ),
  'store.prefix': option('string', 'Prefix of the names of all keys.', {
    default: 'vouch',
    flag: '--store-prefix <text>',
  }),
  control: option(['false', 'object'], 'The control API; `false` switches it off.', { noFlag: '--no-control' }),
  'control.prefix': option('string', 'Path prefix of the control API.', {
    default: '/__mock',
    flag: '--control-prefix <path>',
  }),
  'control.token': option(
    ['string', 'false'],
    'Token that the control API requires; `false` requires none, even from other machines.',
    {
      otherwise: 'none; a random one if other machines can reach the mock',
      env: 'VOUCH_CONTROL_TOKEN',
      flag: '--control-token <token>',
      noFlag: '--no-control-token',
    },
  ),
  'control.origins': option(
    'strings',
    'Origins whose pages may use the control API, such as `http://localhost:5173`.',
    { default: [], flag: '--control-origin <origin>' },
  ),
  scenarios: option(
    ['string', 'object'],
    'A folder with one scenario per file, scenarios by id, or an object with more options.',
    {
      otherwise: 'none; `vouch serve`: the folder `scenarios` beside the document',
      env: 'VOUCH_SCENARIOS',
      flag: '--scenarios <folder>',
      noFlag: '--no-scenarios',
    },
  ),
  'scenarios.from': option(['string', 'object'], 'A folder with one scenario per file, or scenarios by id.', {
    otherwise: 'required',
  }),
  'scenarios.active': option(
    ['string', 'strings'],
    'Ids of the scenarios that are active in the default session from the start; later ones win.',
    { default: [], env: 'VOUCH_SCENARIO', flag: '--scenario <ids>' },
  ),
  'scenarios.watch': option('boolean', 'Reload scenarios when files in the folder change.', {
    otherwise: '`true` with `scenarios.onReload`, else as the option `watch`',
  }),
  'scenarios.onReload': option(
    'function',
    'Called after each reload of scenarios; a file with a mistake keeps the last valid version of its scenario.',
  ),
  recordings: option(['string', 'object'], 'The folder of recorded cassettes, or an object with more options.', {
    flag: '--recordings <folder>',
  }),
  'recordings.folder': option('string', 'The folder that holds the cassettes, or one cassette.', {
    otherwise: 'required',
  }),
  'recordings.cassette': option('string', 'The cassette in use until a session selects another one.', {
    flag: '--cassette <name>',
  }),
  'recordings.mode': option(
    'string',
    'Replay recordings (`replay`), add missing ones (`record-missing`), record all again (`record-all`), record a new cassette and replay an existing one (`once`), or use none (`off`).',
    { values: RECORDING_MODES, otherwise: '`replay`', env: 'VOUCH_RECORDINGS', flag: '--mode <mode>' },
  ),
  'recordings.upstream': option('string', 'Base URL of the server that requests are forwarded to.', {
    flag: '--upstream <url>',
  }),
  'recordings.upstreamHeaders': option(
    'object',
    'Header fields that are added to every forwarded request; their values are treated as secrets, and `env:NAME` is the value of an environment variable.',
    { flag: '--header <line>' },
  ),
  'recordings.owners': option('object', 'Which part answers an operation, by operation id; `*` means all others.', {
    memberValues: OWNERS,
    flag: '--owner <operation=owner>',
  }),
  'recordings.redact': option('object', 'Additional redaction rules.'),
  'recordings.redact.headers': option('strings', 'Additional headers to redact, by name.', {
    flag: '--redact-header <name>',
  }),
  'recordings.redact.keys': option(
    'strings',
    'Additional JSON properties, form fields and query parameters to redact, by name.',
    { flag: '--redact-key <name>' },
  ),
  'recordings.redact.patterns': option('patterns', 'Additional regular expressions for values to redact.', {
    flag: '--redact-pattern <expression>',
  }),
  'recordings.redact.env': option('strings', 'Environment variables whose values are redacted.', {
    flag: '--redact-env <name>',
  }),
  'recordings.redact.keep': option('strings', 'Headers and properties that are not redacted.', {
    flag: '--keep <name>',
  }),
  'recordings.match': option('object', 'How requests are compared, for new cassettes.'),
  'recordings.match.ignoreBody': option(
    'strings',
    'JSON pointers into the request body to ignore; `*` matches any one segment.',
    { flag: '--ignore-body <pointer>' },
  ),
  'recordings.match.ignoreQuery': option('strings', 'Query parameters to ignore.', { flag: '--ignore-query <name>' }),
  'recordings.match.headers': option('strings', 'Headers to compare although the document does not declare them.', {
    flag: '--match-header <name>',
  }),
  'recordings.match.ignoreHeaders': option('strings', 'Headers to ignore although the document declares them.'),
  'recordings.matcher': option(
    'function',
    'Called with a call and a recorded exchange that differ; returns whether the exchange answers the call.',
  ),
  'recordings.exclude': option('object', 'What is forwarded and not recorded.'),
  'recordings.exclude.operations': option(
    'strings',
    'Operations that are not recorded, by id; `*` for requests outside of the document.',
    { flag: '--exclude-operation <id>' },
  ),
  'recordings.exclude.headers': option('strings', 'Headers of requests and responses that are not recorded.', {
    flag: '--exclude-header <name>',
  }),
  'recordings.exclude.bodyBytes': count('Size of a body in bytes above which an exchange is not recorded.', {
    otherwise: 'none',
    flag: '--exclude-body <size>',
  }),
  'recordings.maxAge': option('number', 'Days after which a new cassette is expired.', {
    minimum: 0,
    otherwise: 'never',
    flag: '--max-age <days>',
  }),
  'recordings.expired': option('string', 'What to do if a cassette is expired: print a warning, or fail.', {
    values: ['warn', 'fail'],
    default: 'warn',
    flag: '--expired <warn|fail>',
  }),
  'recordings.enforce': option(
    'string',
    'Answer what breaks the document with an error instead of passing it on: answers of the upstream (`answers`), or requests and answers (`all`).',
    { values: ['answers', 'all'], otherwise: 'all is passed on, with its violations' },
  ),
  'recordings.live': toggle('Allow requests to the upstream although `CI=true` is set.'),
  'recordings.pace': option(
    'string',
    'Speed of replayed answers and streams: as recorded (`recorded`), or without delays (`none`).',
    { values: ['recorded', 'none'], default: 'none', flag: '--pace <none|recorded>' },
  ),
  'recordings.onFailure': option(
    'function',
    'Called with each exchange that could not be recorded; its client got the answer of the upstream.',
  ),
  'recordings.beforeWrite': option(
    'function',
    'Returns the exchange to write, which has no secrets any more; `undefined` or `null` drops it.',
  ),
  'recordings.afterRead': option('function', 'Returns the exchange to replay; `undefined` or `null` drops it.'),
  'recordings.timeoutMs': limit(
    '--timeout <ms>',
    60_000,
    'Milliseconds without data after which a request to the upstream fails.',
  ),
  'recordings.insecure': toggle('Do not verify the TLS certificate of the upstream.', '--insecure'),
  'recordings.ca': option('string', 'Certificates of additional certificate authorities, in PEM.', {
    flag: '--ca <file>',
  }),
  'recordings.cert': option('string', 'Client certificate that the upstream requires, in PEM.', {
    flag: '--cert <file>',
  }),
  'recordings.key': option('string', 'Private key of the client certificate, in PEM.', { flag: '--key <file>' }),
  coverage: option(['boolean', 'object'], 'Count which parts of the document the requests exercise.', {
    default: false,
    flag: '--coverage',
  }),
  'coverage.folder': option(['string', 'false'], 'Folder in which each mock writes its counts; `false` writes none.', {
    otherwise: '`coverage/vouch`',
    flag: '--coverage-folder <folder>',
  }),
  cors: option(
    ['boolean', 'object'],
    'Which pages of other origins may read responses: those of all origins, without credentials; `false` allows none.',
    { otherwise: 'all origins, without credentials', noFlag: '--no-cors' },
  ),
  'cors.origins': option(
    'strings',
    'Origins whose pages may also send credentials and reach the mock in a private network, such as `http://localhost:5173`.',
    { default: [], flag: '--cors-origin <origin>' },
  ),
  connections: option('object', 'How long connections stay open, and the limits of what arrives on them.'),
  'connections.headersTimeoutMs': limit(
    '--headers-timeout <ms>',
    30_000,
    'Milliseconds in which the header fields of a request must arrive, else 408 Request Timeout; 0 for no limit.',
  ),
  'connections.requestTimeoutMs': limit(
    '--request-timeout <ms>',
    300_000,
    'Milliseconds in which a request must arrive with its body, else 408 Request Timeout; 0 for no limit.',
  ),
  'connections.keepAliveMs': limit(
    '--keep-alive <ms>',
    95_000,
    'Milliseconds after which a connection without a request is closed; 0 for no limit.',
  ),
  'connections.headerLimitBytes': limit(
    '--header-limit <size>',
    16_384,
    'Maximum size of a request line with its header fields in bytes; larger ones get 431 Request Header Fields Too Large.',
  ),
  'connections.graceMs': limit(
    '--grace <ms>',
    2000,
    'Milliseconds that open responses get to finish when the mock is closed; those that are still open then are cut.',
  ),
  middleware: option('functions', 'Hono middleware that runs around every request, the control API included.', {
    default: [],
  }),
  watch: option(
    'boolean',
    'Reload the document, its references, overlays, fixtures and scenarios when their files change.',
    { otherwise: '`true` with `onReload`, else `false`; `vouch serve`: `true`', noFlag: '--no-watch' },
  ),
  onReload: option('function', 'Called after each reload; while a file has a mistake, the last valid version answers.'),
  onInteraction: option('function', 'Called with every interaction, after its response is made.'),
  onRefused: option('function', 'Called with the error and the status of each request that cannot be read.'),
};
