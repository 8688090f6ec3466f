import { eitherOf } from '../../../base/json-schema.js';
import { toLetters } from '../../../base/names.js';
import { suggest } from '../../../base/errors.js';
import { isObject } from '../../../base/json.js';
import type { Fault, StreamAction } from '../../../http/answer.js';
import type { RateLimit, RateLimitHeaders } from '../rules/rule.js';
import {
  convert,
  DURATION,
  type Field,
  type Fields,
  integer,
  type Kind,
  object,
  type ObjectKind,
  optional,
  required,
  TEXT_KIND,
  word,
} from './kinds.js';
import { child, reject, report, type SourceNode } from '../../../contract/load/source-node.js';

/** A fault as rules apply it. */
type AnyFault = Fault | RateLimit;

type FaultName = AnyFault['kind'];

/** One fault: what docs, types, editors and the reader know about it. */
interface FaultEntry<Name extends FaultName> {
  /** Names of the same fault in other tools; they are accepted as well, in any case and with any separators. */
  readonly aliases: readonly string[];
  readonly description: string;
  /** The error that Node's `fetch` reports, for the docs. */
  readonly client: string;
  /** Its settings: the members of the fault. */
  readonly fields: Fields<Omit<Extract<AnyFault, { readonly kind: Name }>, 'kind'>>;
}

const CUT_AT: Kind<number> = {
  type: 'number | string',
  read: (node) => {
    const percent = typeof node.value === 'string' ? /^(\d+(?:\.\d+)?)%$/.exec(node.value) : null;
    const value = percent === null ? node.value : Number(percent[1]) / 100;
    const isFraction = typeof value === 'number' && value >= 0 && value < 1;
    const isCount = percent === null && typeof value === 'number' && Number.isInteger(value) && value >= 1;
    if (isFraction || isCount) return value;
    return reject(node, 'must be a fraction from 0 to below 1, a percentage below 100%, or a number of bytes');
  },
  schema: () => ({
    anyOf: [
      { type: 'number', minimum: 0 },
      { type: 'string', pattern: '^\\d+(\\.\\d+)?%$' },
    ],
  }),
};

const DEFAULT_HEADERS: RateLimitHeaders = {
  limit: 'x-ratelimit-limit',
  remaining: 'x-ratelimit-remaining',
  reset: 'x-ratelimit-reset',
};

const HEADER_NAME: Kind<string> = convert(TEXT_KIND, (name) => name.toLowerCase());

const HEADER_NAMES: ObjectKind<RateLimitHeaders> = object({
  label: '"headers" of a rate limit',
  fields: {
    limit: optional(HEADER_NAME, 'The header with the number of calls per window.'),
    remaining: optional(HEADER_NAME, 'The header with the number of calls that are left.'),
    reset: optional(HEADER_NAME, 'The header with the seconds until the window ends.'),
  },
});

const LIMIT_HEADERS: Kind<RateLimitHeaders> = {
  type: `false | ${HEADER_NAMES.type}`,
  read: (node, context) => {
    if (node.value === false) return { limit: undefined, remaining: undefined, reset: undefined };
    return HEADER_NAMES.read(node, context);
  },
  schema: (context) => ({ anyOf: [{ const: false }, HEADER_NAMES.schema(context)] }),
};

/** Every fault; the reader, the types, the editor's schema and the docs are made from this table. */
export const FAULTS: { readonly [Name in FaultName]: FaultEntry<Name> } = {
  reset: {
    aliases: ['CONNECTION_RESET_BY_PEER', 'reset_peer', 'ECONNRESET'],
    description: 'The connection is reset (RST) before anything is sent.',
    client: '`fetch failed`, `ECONNRESET`',
    fields: {},
  },
  empty: {
    aliases: ['EMPTY_RESPONSE', 'dropConnection'],
    description: 'The connection is closed before anything is sent.',
    client: '`fetch failed`, `UND_ERR_SOCKET` (other side closed)',
    fields: {},
  },
  garbage: {
    aliases: ['RANDOM_DATA_THEN_CLOSE'],
    description: 'Bytes that are not HTTP are sent, then the connection is closed.',
    client: '`fetch failed` (HTTP parse error)',
    fields: {},
  },
  'malformed-chunk': {
    aliases: ['MALFORMED_RESPONSE_CHUNK'],
    description: 'The headers are sent, then a chunk with an invalid size.',
    client: '200, then `terminated` (HTTP parse error)',
    fields: {},
  },
  'malformed-json': {
    aliases: ['malformedBody'],
    description: 'The body is cut so that it is not valid JSON; the HTTP message is complete.',
    client: '200, then a JSON parse error',
    fields: {},
  },
  truncate: {
    aliases: ['limit_data', 'truncateBodyAtFraction'],
    description: 'The connection is closed in the middle of the body.',
    client: '200, then `terminated`, `UND_ERR_SOCKET`',
    fields: {
      at: optional(CUT_AT, 'A fraction of the body (`0.5`, `50%`) or a number of bytes; default `0.5`.', 0.5),
    },
  },
  hang: {
    aliases: ['infinite', 'timeout'],
    description: 'Nothing more is sent, until the client gives up.',
    client: 'its own timeout',
    fields: {
      stage: optional(
        word(['headers', 'body']),
        'Before the headers (`headers`, default) or after half of the body (`body`).',
        'headers',
      ),
    },
  },
  drip: {
    aliases: ['chunkedDribbleDelay', 'slicer'],
    description: 'The body is sent in small pieces, with a pause between them.',
    client: 'a slow body',
    fields: {
      bytes: optional(integer(1), 'The size of a piece; default 1.', 1),
      every: optional(
        DURATION,
        'The pause between two pieces, as a number of milliseconds or a string such as `2s`; default 100 ms.',
        100,
      ),
    },
  },
  bandwidth: {
    aliases: [],
    description: 'The body is sent at a limited speed.',
    client: 'a slow body',
    fields: { kbps: required(integer(1), 'Kilobits per second.') },
  },
  stream: {
    aliases: ['truncateAfterChunks'],
    description: 'An event stream fails after some of its events.',
    client: 'an event stream that fails',
    fields: {
      after: optional(integer(0), 'The number of events before it fails; default 1.', 1),
      action: optional(
        word<StreamAction>(['stall', 'reset', 'end', 'bad-json', 'duplicate']),
        'How it fails: `stall`, `reset` (default), `end`, `bad-json` or `duplicate`.',
        'reset',
      ),
    },
  },
  'rate-limit': {
    aliases: ['quota', 'RateLimitingPlugin', 'ratelimit'],
    description: 'Calls are answered with 429 once the window is used up.',
    client: '429 with `Retry-After` and `x-ratelimit-*`',
    fields: {
      limit: required(integer(0), 'The number of calls per window.'),
      window: optional(
        DURATION,
        'The length of the window, as a number of milliseconds or a string such as `2s`; default one minute.',
        60_000,
      ),
      per: optional(
        word(['session', 'operation', 'credential']),
        'Which calls share a window: those of a `session` (default), an `operation` or a `credential`.',
        'session',
      ),
      headers: optional(
        LIMIT_HEADERS,
        'Names of the headers, or `false` for none; default `x-ratelimit-*`.',
        DEFAULT_HEADERS,
      ),
    },
  },
};

/** The names of all faults: the keys of the table. */
export const FAULT_NAMES: readonly FaultName[] = Object.keys(FAULTS) as readonly FaultName[];

const BY_ALIAS: ReadonlyMap<string, FaultName> = new Map(
  FAULT_NAMES.flatMap((name) => FAULTS[name].aliases.map((alias) => [toLetters(alias), name] as const)),
);

function findFault(written: string): FaultName | undefined {
  return FAULT_NAMES.find((name) => name === written) ?? BY_ALIAS.get(toLetters(written));
}

/** Whether a fault, as it is written, is a rate limit by any of its names: it lets calls through. */
export function isRateLimit(written: unknown): boolean {
  const names = isObject(written) ? Object.keys(written) : [written];
  return names.some((name) => typeof name === 'string' && findFault(name) === 'rate-limit');
}

/** The settings of a fault, by name. */
export function listSettings(name: FaultName): readonly (readonly [string, Field<unknown>])[] {
  return Object.entries<Field<unknown>>(FAULTS[name].fields);
}

/** The kind of the settings of a fault. */
function toSettings(name: FaultName): ObjectKind<object> {
  return object<object>({ fields: FAULTS[name].fields });
}

/** Names of faults that need no settings. */
export const PLAIN_FAULTS: readonly FaultName[] = FAULT_NAMES.filter((name) =>
  listSettings(name).every(([, field]) => field.isRequired !== true),
);

/** `reset`, or `{ truncate: { at: 0.5 } }`; names of other tools are accepted as well. */
export const FAULT_KIND: Kind<AnyFault> = {
  type: 'FaultDefinition',
  read: (node, context) => {
    const written = readName(node);
    if (written === undefined) {
      const hint = 'write fault: reset, or fault: { truncate: { at: 0.5 } }';
      return reject(node, 'must be the name of a fault, or an object with one fault and its settings', hint);
    }
    const name = findFault(written);
    if (name === undefined) {
      const hint = suggest(written, FAULT_NAMES) ?? `faults: ${FAULT_NAMES.join(', ')}`;
      report(node, `unknown fault ${JSON.stringify(written)}`, hint);
      return undefined;
    }
    const given = child(node, written, `"${name}"`);
    const value = typeof node.value === 'string' ? {} : (given.value ?? {});
    const settings = toSettings(name).read({ ...given, value }, context);
    // The settings of an entry are the members of its fault.
    return settings && ({ kind: name, ...settings } as AnyFault);
  },
  schema: (context) =>
    context.share('fault', () =>
      eitherOf(
        { enum: PLAIN_FAULTS },
        { type: 'string', pattern: `^(${FAULT_NAMES.flatMap((name) => FAULTS[name].aliases).join('|')})$` },
        {
          type: 'object',
          minProperties: 1,
          maxProperties: 1,
          properties: Object.fromEntries(
            FAULT_NAMES.map((name) => {
              const either = eitherOf(toSettings(name).schema(context), { type: 'null' });
              return [name, { description: FAULTS[name].description, ...either }];
            }),
          ),
        },
      ),
    ),
};

function readName({ value }: SourceNode): string | undefined {
  if (typeof value === 'string') return value;
  const names = isObject(value) ? Object.keys(value) : [];
  return names.length === 1 ? names[0] : undefined;
}
