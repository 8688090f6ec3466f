import type { OptionName } from './options.js';
import { OWNERS, RECORDING_MODES } from './recording/mode.js';

/** What a value of an option may be. */
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
  /** What happens when the option is not given, where that is not one value. */
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

/** Every option there is. The type makes sure that none is missing. */
export const OPTIONS: Readonly<Record<OptionName, OptionEntry>> = {
  spec: {
    kinds: ['string', 'URL', 'object'],
    otherwise: 'required; `vouch serve`: `spec/openapi.yaml`, else the built-in contract',
    description: 'The OpenAPI 3.x or Swagger 2.0 document: a path, a URL, or the parsed document.',
  },
  overlays: {
    kinds: ['strings'],
    default: [],
    flag: '--overlay <file>',
    description: 'OpenAPI Overlay 1.0 documents, applied in order.',
  },
  document: { kinds: ['object'], description: 'How the document is loaded.' },
  'document.allowHttpRefs': {
    kinds: ['boolean'],
    default: false,
    flag: '--allow-http-refs',
    description: 'Allow the document and its `$ref`s to be loaded over HTTP(S).',
  },
  'document.cacheFolder': {
    kinds: ['string', 'false'],
    otherwise: '`node_modules/.cache/vouch`, else the cache folder of the user',
    description: 'Folder in which large documents are cached for a faster start; `false` caches none.',
  },
  fixtures: {
    kinds: ['string', 'object'],
    otherwise: 'none; `vouch serve`: the folder `fixtures` beside the document',
    env: 'VOUCH_FIXTURES',
    flag: '--fixtures <folder>',
    noFlag: '--no-fixtures',
    description: 'Initial items: a folder with one file per collection, or the collections by name.',
  },
  seed: {
    kinds: ['integer'],
    default: 1,
    env: 'VOUCH_SEED',
    flag: '--seed <integer>',
    description: 'Seed of generated values: the same seed and the same requests give the same responses.',
  },
  clock: {
    kinds: ['string', 'number', 'Date', 'Clock'],
    otherwise: '2026-01-01T00:00:00Z; `vouch record` and `vouch replay`: `real`',
    env: 'VOUCH_CLOCK',
    flag: '--clock <clock>',
    description: "Time of the mock: `'real'`, a fixed instant, or a clock object.",
  },
  handlers: {
    kinds: ['object'],
    description: 'Functions that answer operations, by operation id or `"GET /path"`.',
  },
  strict: {
    kinds: ['boolean'],
    default: false,
    flag: '--strict',
    description: 'Reject undeclared query parameters and properties, and a missing content type.',
  },
  state: {
    kinds: ['false', 'object'],
    noFlag: '--no-state',
    description: 'Stateful collections; `false` answers from examples and schemas only.',
  },
  'state.unknownIds': {
    kinds: ['string'],
    values: ['create', 'not-found'],
    otherwise: '`not-found` for collections with fixtures, `create` for the others',
    flag: '--unknown-ids <create|not-found>',
    description:
      'Response to an id that no client created: `create` creates the item, `not-found` answers 404 Not Found.',
  },
  'state.initialItems': {
    kinds: ['integer'],
    minimum: 0,
    default: 3,
    flag: '--initial-items <count>',
    description: 'Number of items a collection without fixtures starts with.',
  },
  auth: { kinds: ['object'], description: 'Which credentials are accepted.' },
  'auth.tokens': {
    kinds: ['strings'],
    otherwise: 'any',
    flag: '--token <token>',
    description: 'Accepted bearer tokens and API keys.',
  },
  'auth.acceptIssued': {
    kinds: ['boolean'],
    otherwise: '`true` unless `auth.tokens` is given',
    flag: '--accept-issued',
    description: 'Accept secrets that the mock issued itself, besides `tokens`.',
  },
  requests: { kinds: ['object'], description: 'How requests are read.' },
  'requests.bodyLimitBytes': {
    kinds: ['integer'],
    minimum: 0,
    otherwise: '8 MiB; 256 MiB with an upstream',
    flag: '--body-limit <size>',
    description: 'Maximum size of a request body in bytes; larger ones get 413 Content Too Large.',
  },
  'requests.queryProfile': {
    kinds: ['string'],
    values: ['brackets', 'dots', 'comma', 'repeat'],
    otherwise: 'any style that the document allows',
    flag: '--query-profile <profile>',
    description: 'How arrays and objects are written in query strings.',
  },
  'requests.lenientAccept': {
    kinds: ['boolean'],
    default: false,
    flag: '--lenient-accept',
    description:
      'Ignore an `Accept` header that rules out every declared media type, instead of answering 406 Not Acceptable.',
  },
  responses: { kinds: ['object'], description: 'How responses are made.' },
  'responses.examples': {
    kinds: ['string'],
    values: ['fitting', 'verbatim'],
    default: 'fitting',
    flag: '--examples <fitting|verbatim>',
    description:
      'Examples of the document to use: only those that match their schemas (`fitting`), or all (`verbatim`).',
  },
  sessions: { kinds: ['object'], description: 'How sessions are opened and dropped.' },
  'sessions.required': {
    kinds: ['boolean'],
    default: false,
    flag: '--require-session',
    description: 'Reject requests for a session that is not open, instead of opening it.',
  },
  'sessions.idleMs': {
    kinds: ['integer'],
    minimum: 0,
    default: 1_800_000,
    flag: '--session-idle <ms>',
    description: 'Milliseconds after which an unused session is closed.',
  },
  'sessions.max': {
    kinds: ['integer'],
    minimum: 0,
    default: 10_000,
    flag: '--max-sessions <count>',
    description: 'Maximum number of open sessions, besides the default one.',
  },
  journal: { kinds: ['object'], description: 'How many interactions are kept.' },
  'journal.limit': {
    kinds: ['integer'],
    minimum: 0,
    default: 1000,
    flag: '--journal-limit <count>',
    description: 'Maximum number of interactions kept per session; the oldest are dropped first.',
  },
  control: {
    kinds: ['false', 'object'],
    noFlag: '--no-control',
    description: 'The control API; `false` switches it off.',
  },
  'control.prefix': {
    kinds: ['string'],
    default: '/__mock',
    flag: '--control-prefix <path>',
    description: 'Path prefix of the control API.',
  },
  'control.token': {
    kinds: ['string', 'false'],
    otherwise: 'none; requests of other machines are refused',
    env: 'VOUCH_CONTROL_TOKEN',
    flag: '--control-token <token>',
    noFlag: '--no-control-token',
    description: 'Token that the control API requires; `false` requires none, even from other machines.',
  },
  'control.origins': {
    kinds: ['strings'],
    default: [],
    flag: '--control-origin <origin>',
    description: 'Origins whose pages may use the control API, such as `http://localhost:5173`.',
  },
  scenarios: {
    kinds: ['string', 'object'],
    otherwise: 'none; `vouch serve`: the folder `scenarios` beside the document',
    env: 'VOUCH_SCENARIOS',
    flag: '--scenarios <folder>',
    noFlag: '--no-scenarios',
    description: 'A folder with one scenario per file, scenarios by id, or an object with more options.',
  },
  'scenarios.from': {
    kinds: ['string', 'object'],
    otherwise: 'required',
    description: 'A folder with one scenario per file, or scenarios by id.',
  },
  'scenarios.active': {
    kinds: ['string', 'strings'],
    default: [],
    env: 'VOUCH_SCENARIO',
    flag: '--scenario <ids>',
    description: 'Ids of the scenarios that are active in the default session from the start; later ones win.',
  },
  'scenarios.watch': {
    kinds: ['boolean'],
    otherwise: '`true` with `onReload`, else `false`',
    noFlag: '--no-watch',
    description: 'Reload scenarios when files in the folder change.',
  },
  'scenarios.onReload': {
    kinds: ['function'],
    description: 'Called after each reload; a file with a mistake keeps the last valid version of its scenario.',
  },
  recordings: {
    kinds: ['string', 'object'],
    flag: '--recordings <folder>',
    description: 'The folder of recorded cassettes, or an object with more options.',
  },
  'recordings.folder': {
    kinds: ['string'],
    otherwise: 'required',
    description: 'The folder that holds the cassettes, or one cassette.',
  },
  'recordings.cassette': {
    kinds: ['string'],
    flag: '--cassette <name>',
    description: 'The cassette in use until a session selects another one.',
  },
  'recordings.mode': {
    kinds: ['string'],
    values: RECORDING_MODES,
    otherwise: '`replay`',
    env: 'VOUCH_RECORDINGS',
    flag: '--mode <mode>',
    description:
      'Replay recordings (`replay`), add missing ones (`record-missing`), record all again (`record-all`), or use none (`off`).',
  },
  'recordings.upstream': {
    kinds: ['string'],
    flag: '--upstream <url>',
    description: 'Base URL of the server that requests are forwarded to.',
  },
  'recordings.upstreamHeaders': {
    kinds: ['object'],
    flag: '--header <line>',
    description: 'Header fields that are added to every forwarded request; their values are treated as secrets.',
  },
  'recordings.owners': {
    kinds: ['object'],
    memberValues: OWNERS,
    flag: '--owner <operation=owner>',
    description: 'Which part answers an operation, by operation id; `*` means all others.',
  },
  'recordings.redact': { kinds: ['object'], description: 'Additional redaction rules.' },
  'recordings.redact.headers': {
    kinds: ['strings'],
    flag: '--redact-header <name>',
    description: 'Additional headers to redact, by name.',
  },
  'recordings.redact.keys': {
    kinds: ['strings'],
    flag: '--redact-key <name>',
    description: 'Additional JSON properties, form fields and query parameters to redact, by name.',
  },
  'recordings.redact.patterns': {
    kinds: ['patterns'],
    flag: '--redact-pattern <expression>',
    description: 'Additional regular expressions for values to redact.',
  },
  'recordings.redact.env': {
    kinds: ['strings'],
    flag: '--redact-env <name>',
    description: 'Environment variables whose values are redacted.',
  },
  'recordings.redact.keep': {
    kinds: ['strings'],
    flag: '--keep <name>',
    description: 'Headers and properties that are not redacted.',
  },
  'recordings.match': { kinds: ['object'], description: 'How requests are compared, for new cassettes.' },
  'recordings.match.ignoreBody': {
    kinds: ['strings'],
    flag: '--ignore-body <pointer>',
    description: 'JSON pointers into the request body to ignore; `*` matches any one segment.',
  },
  'recordings.match.ignoreQuery': {
    kinds: ['strings'],
    flag: '--ignore-query <name>',
    description: 'Query parameters to ignore.',
  },
  'recordings.match.headers': {
    kinds: ['strings'],
    flag: '--match-header <name>',
    description: 'Headers to compare although the document does not declare them.',
  },
  'recordings.match.ignoreHeaders': {
    kinds: ['strings'],
    description: 'Headers to ignore although the document declares them.',
  },
  'recordings.maxAge': {
    kinds: ['number'],
    minimum: 0,
    otherwise: 'never',
    flag: '--max-age <days>',
    description: 'Days after which a new cassette is expired.',
  },
  'recordings.expired': {
    kinds: ['string'],
    values: ['warn', 'fail'],
    default: 'warn',
    flag: '--expired <warn|fail>',
    description: 'What to do if a cassette is expired: print a warning, or fail.',
  },
  'recordings.live': {
    kinds: ['boolean'],
    default: false,
    description: 'Allow requests to the upstream although `CI=true` is set.',
  },
  'recordings.pace': {
    kinds: ['string'],
    values: ['recorded', 'none'],
    default: 'none',
    flag: '--pace <none|recorded>',
    description: 'Speed of replayed streams: as recorded (`recorded`), or without delays (`none`).',
  },
  'recordings.timeoutMs': {
    kinds: ['integer'],
    minimum: 0,
    default: 60_000,
    flag: '--timeout <ms>',
    description: 'Milliseconds without data after which a request to the upstream fails.',
  },
  'recordings.insecure': {
    kinds: ['boolean'],
    default: false,
    flag: '--insecure',
    description: 'Do not verify the TLS certificate of the upstream.',
  },
  'recordings.ca': {
    kinds: ['string'],
    description: 'Certificates of additional certificate authorities, in PEM.',
  },
  cors: {
    kinds: ['boolean'],
    default: true,
    noFlag: '--no-cors',
    description: 'Allow browsers of any origin to read responses.',
  },
  middleware: {
    kinds: ['functions'],
    default: [],
    description: 'Hono middleware that runs around every request, the control API included.',
  },
  onInteraction: { kinds: ['function'], description: 'Called with every interaction, after its response is made.' },
};
