import { isObject } from '../../contract/json.js';
import type { Fault, StreamAction } from '../../http/answer.js';
import { readDuration } from '../rules/delay.js';
import { type RateLimit, type RateLimitHeaders, USUAL_HEADERS } from '../rules/rate-limit.js';
import type { Effect } from '../rules/rule.js';
import { describe, type Given, isRecord, member, readWhole, readWord } from './read.js';
import { didYouMean } from './source.js';

/** Names that other tools use for the same faults, in lower case without their separators; they are taken as well. */
const ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    connectionresetbypeer: 'reset',
    resetpeer: 'reset',
    econnreset: 'reset',
    emptyresponse: 'empty',
    dropconnection: 'empty',
    randomdatathenclose: 'garbage',
    malformedresponsechunk: 'malformed-chunk',
    limitdata: 'truncate',
    truncatebodyatfraction: 'truncate',
    malformedbody: 'malformed-json',
    infinite: 'hang',
    timeout: 'hang',
    chunkeddribbledelay: 'drip',
    slicer: 'drip',
    truncateafterchunks: 'stream',
    quota: 'rate-limit',
    ratelimitingplugin: 'rate-limit',
    ratelimit: 'rate-limit',
  }),
);

const STREAM_ACTIONS: readonly StreamAction[] = ['stall', 'reset', 'end', 'bad-json', 'duplicate'];

type FaultReader = (given: Given) => Effect | undefined;

const fault = (value: Fault): Effect => ({ kind: 'fault', fault: value });

/** One entry per fault: what it may be told, and its defaults. */
const FAULTS: ReadonlyMap<string, FaultReader> = new Map(
  Object.entries<FaultReader>({
    reset: (given) => (isRecord(given, '"reset"', []) ? fault({ kind: 'reset' }) : undefined),
    empty: (given) => (isRecord(given, '"empty"', []) ? fault({ kind: 'empty' }) : undefined),
    garbage: (given) => (isRecord(given, '"garbage"', []) ? fault({ kind: 'garbage' }) : undefined),
    'malformed-chunk': (given) =>
      isRecord(given, '"malformed-chunk"', []) ? fault({ kind: 'malformed-chunk' }) : undefined,
    'malformed-json': (given) =>
      isRecord(given, '"malformed-json"', []) ? fault({ kind: 'malformed-json' }) : undefined,
    truncate: readTruncate,
    hang: (given) => {
      if (!isRecord(given, '"hang"', ['stage'])) return undefined;
      const stage = orDefault(member(given, 'stage'), 'headers');
      const word = readWord(stage, '"stage"', ['headers', 'body'] as const);
      return word === undefined ? undefined : fault({ kind: 'hang', stage: word });
    },
    drip: (given) => {
      if (!isRecord(given, '"drip"', ['bytes', 'every'])) return undefined;
      const bytes = readWhole(orDefault(member(given, 'bytes'), 1), '"bytes"', [1, Infinity]);
      const everyMs = readTime(orDefault(member(given, 'every'), 100), '"every"');
      return bytes === undefined || everyMs === undefined ? undefined : fault({ kind: 'drip', bytes, everyMs });
    },
    bandwidth: (given) => {
      if (!isRecord(given, '"bandwidth"', ['kbps'])) return undefined;
      const kbps = readWhole(member(given, 'kbps'), '"kbps"', [1, Infinity]);
      return kbps === undefined ? undefined : fault({ kind: 'bandwidth', kbps });
    },
    stream: (given) => {
      if (!isRecord(given, '"stream"', ['after', 'action'])) return undefined;
      const after = readWhole(orDefault(member(given, 'after'), 1), '"after"', [0, Infinity]);
      const action = readWord(orDefault(member(given, 'action'), 'reset'), '"action"', STREAM_ACTIONS);
      return after === undefined || action === undefined ? undefined : fault({ kind: 'stream', after, action });
    },
    'rate-limit': readRateLimit,
  }),
);

/** The names of the faults. */
export const FAULT_NAMES: readonly string[] = [...FAULTS.keys()];

/** `fault: reset`, or `fault: { truncate: { at: 0.5 } }`; names that other tools use are taken as well. */
export function readFault(given: Given): Effect | undefined {
  const name = typeof given.value === 'string' ? given.value : onlyKey(given);
  if (name === undefined) return undefined;
  const reader = FAULTS.get(toFaultName(name));
  if (reader === undefined) {
    const hint = didYouMean(name, FAULT_NAMES, `faults: ${FAULT_NAMES.join(', ')}`);
    given.notes.wrong(given.pointer, `no fault is called ${JSON.stringify(name)}`, hint);
    return undefined;
  }
  if (typeof given.value === 'string') return reader({ ...given, value: {} });
  const parameters = member(given, name);
  return reader(parameters.value === null ? { ...parameters, value: {} } : parameters);
}

/** Whether a fault, as it is written, is a rate limit by any of its names: it lets calls through. */
export function isRateLimit(written: unknown): boolean {
  const names = isObject(written) ? Object.keys(written) : [written];
  return names.some((name) => typeof name === 'string' && toFaultName(name) === 'rate-limit');
}

function toFaultName(written: string): string {
  if (FAULTS.has(written)) return written;
  return ALIASES.get(written.toLowerCase().replaceAll(/[^a-z]/g, '')) ?? written;
}

function onlyKey(given: Given): string | undefined {
  const names = isObject(given.value) ? Object.keys(given.value) : [];
  if (names.length === 1) return names[0];
  const message = `a fault is one name, or one name with its settings, not ${describe(given.value)}`;
  given.notes.wrong(given.pointer, message, 'write fault: reset, or fault: { truncate: { at: 0.5 } }');
  return undefined;
}

function readTruncate(given: Given): Effect | undefined {
  if (!isRecord(given, '"truncate"', ['at'])) return undefined;
  const at = orDefault(member(given, 'at'), 0.5);
  const percent = typeof at.value === 'string' ? /^(\d+(?:\.\d+)?)%$/.exec(at.value) : null;
  const value = percent === null ? at.value : Number(percent[1]) / 100;
  const isShare = typeof value === 'number' && value >= 0 && value < 1;
  const isCount = percent === null && typeof value === 'number' && Number.isInteger(value) && value >= 1;
  if (isShare || isCount) return fault({ kind: 'truncate', at: value });
  at.notes.wrong(at.pointer, `"at" must be a share from 0 to below 1, or a count of bytes, not ${describe(at.value)}`);
  return undefined;
}

function readRateLimit(given: Given): Effect | undefined {
  if (!isRecord(given, '"rate-limit"', ['limit', 'window', 'per', 'headers'])) return undefined;
  const limit = readWhole(member(given, 'limit'), '"limit"', [0, Infinity]);
  const windowMs = readTime(orDefault(member(given, 'window'), '1m'), '"window"');
  const who: readonly RateLimit['per'][] = ['session', 'operation', 'credential'];
  const per = readWord(orDefault(member(given, 'per'), 'session'), '"per"', who);
  const headers = readHeaders(member(given, 'headers'));
  if (limit === undefined || windowMs === undefined || per === undefined) return undefined;
  return { kind: 'rate-limit', limit: { limit, windowMs, per, headers } };
}

function readHeaders(given: Given): RateLimitHeaders {
  if (given.value === undefined) return USUAL_HEADERS;
  if (given.value === false) return { limit: undefined, remaining: undefined, reset: undefined };
  if (!isRecord(given, '"headers" of a rate limit', ['limit', 'remaining', 'reset'])) return USUAL_HEADERS;
  const name = (key: string): string | undefined => {
    const value = member(given, key).value;
    return typeof value === 'string' ? value.toLowerCase() : undefined;
  };
  return { limit: name('limit'), remaining: name('remaining'), reset: name('reset') };
}

function readTime(given: Given, what: string): number | undefined {
  const ms = given.value === undefined ? 'is missing' : readDuration(given.value);
  if (typeof ms === 'number') return ms;
  given.notes.wrong(given.pointer, `${what} ${ms}`);
  return undefined;
}

function orDefault(given: Given, value: unknown): Given {
  return given.value === undefined ? { ...given, value } : given;
}
